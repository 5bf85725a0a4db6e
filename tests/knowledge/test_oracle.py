"""The oracle against enumeration: every answer is compared with all completions of tiny universes, every witness is checked."""

from itertools import product
from math import inf

import pytest

from algoworlds.core.stream import Stream
from algoworlds.families.basket_assembly import knowledge as baskets
from algoworlds.families.basket_assembly.knowledge import complete_recipes
from algoworlds.families.sequential_matching import knowledge as pairs
from algoworlds.families.station_siting import knowledge as zones
from algoworlds.knowledge import infeasibility
from algoworlds.knowledge.infeasibility import MAX_INFEASIBLE_INSTANCES
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Determination, Oracle
from tests.knowledge.enumeration import QUESTIONS, Universe, assert_witness_holds, decisions_to_evaluate, every_call, questions
from tests.knowledge.universes import UNIVERSES

UNDECIDED = {"basket_assembly": 0}
"""Questions after evaluations that may stay undecided, by family; a quarter of them elsewhere."""


@pytest.fixture(scope="module", params=UNIVERSES, ids=str)
def universe(request):
    return Universe(request.param)


@pytest.mark.parametrize("count", [12, pytest.param(QUESTIONS, marks=pytest.mark.full)])
def test_determinations_and_worst_regrets_equal_enumeration(universe, count):
    stream, determinations = Stream("truth", universe.family.name), set()
    for truth, calls in questions(universe, stream, count):
        world = universe.worlds[truth]
        oracle = Oracle.from_world(world, ranges=universe.ranges)
        known, expected = oracle.optimum_risk(ObservedCalls(calls)), universe.worst_regret(truth, calls, oracle.optimum)
        assert (known.determination is Determination.DETERMINED) is (expected == 0), (world.instance.json, calls)
        assert (known.determination is Determination.NOT_DETERMINED) is (expected > 0), (world.instance.json, calls)
        for decision in (oracle.optimum, stream.choice(universe.feasible(truth))):
            risk = oracle.worst_regret(decision, ObservedCalls(calls))
            assert risk.regret == universe.worst_regret(truth, calls, decision), (world.instance.json, calls, decision)
            assert_witness_holds(world, universe.ranges, calls, decision, risk)
        determinations.add(known.determination)
    assert determinations == {Determination.DETERMINED, Determination.NOT_DETERMINED}


def test_bounds_and_witnesses_respect_the_evaluated_value(universe):
    """Bounds hold in all completions with that value, witnesses have it as well, and most questions are decided."""
    stream, asked, undecided = Stream("told", universe.family.name), 0, 0
    for truth, calls in questions(universe, stream):
        world = universe.worlds[truth]
        oracle = Oracle.from_world(world, ranges=universe.ranges)
        for evaluated in decisions_to_evaluate(universe, truth, calls, stream):
            observed, known = ObservedCalls(calls, evaluated), oracle.optimum_risk(ObservedCalls(calls, evaluated))
            expected = universe.worst_regret(truth, calls, oracle.optimum, evaluated)
            assert known.determination is not Determination.DETERMINED or expected == 0, (world.instance.json, observed)
            assert known.determination is not Determination.NOT_DETERMINED or expected > 0, (world.instance.json, observed)
            asked, undecided = asked + 1, undecided + (known.determination is Determination.UNDECIDED)
            for decision in (oracle.optimum, stream.choice(universe.feasible(truth))):
                risk, regret = (
                    oracle.worst_regret(decision, observed),
                    universe.worst_regret(truth, calls, decision, evaluated),
                )
                assert risk.low <= regret, (world.instance.json, observed, decision)
                assert risk.high is None or regret <= risk.high, (world.instance.json, observed, decision)
                assert_witness_holds(world, universe.ranges, calls, decision, risk)
                if risk.witness is not None:
                    value = universe.family.check(risk.witness.instance, evaluated).value
                    assert value == universe.value(truth, evaluated), (world.instance.json, observed, decision)
    assert undecided <= UNDECIDED.get(universe.family.name, asked // 4), (undecided, asked)


BASKETS = ("baskets_at_many_prices", "baskets_with_three_open_tickets")
MANY = [
    ("corridors", zones, 0, MAX_INFEASIBLE_INSTANCES),
    *((name, baskets, 4, most) for name in BASKETS for most in (0, MAX_INFEASIBLE_INSTANCES)),
    *(pytest.param(name, baskets, few, 0, marks=pytest.mark.full) for name in BASKETS for few in (1, 16)),
]
"""Universes with lower limits on the combinations that are enumerated and on the infeasible instances that are examined."""


@pytest.mark.parametrize(("name", "module", "few", "most"), MANY)
def test_bounds_hold_when_combinations_are_relaxed_instead_of_enumerated(monkeypatch, name, module, few, most):
    """Extended sites and recipes: tiny universes have so few that all are enumerated otherwise."""
    limit = "MAX_ENUMERATED" if hasattr(module, "MAX_ENUMERATED") else "MAX_CASE_ZONES"
    monkeypatch.setattr(module, limit, few)
    monkeypatch.setattr(infeasibility, "MAX_INFEASIBLE_INSTANCES", most)
    universe, stream, determinations = Universe(name), Stream("zones"), set()
    for truth, calls in questions(universe, stream):
        oracle = Oracle.from_world(universe.worlds[truth], ranges=universe.ranges)
        for evaluated in [None, *decisions_to_evaluate(universe, truth, calls, stream)]:
            known = oracle.optimum_risk(ObservedCalls(calls, evaluated))
            risk = oracle.worst_regret(oracle.optimum, ObservedCalls(calls, evaluated))
            expected = universe.worst_regret(truth, calls, oracle.optimum, evaluated)
            assert risk.low <= expected <= (inf if risk.high is None else risk.high)
            assert {Determination.DETERMINED: expected == 0, Determination.NOT_DETERMINED: expected > 0}.get(
                known.determination, True
            )
            assert_witness_holds(universe.worlds[truth], universe.ranges, calls, oracle.optimum, known)
            determinations.add(known.determination)
    assert determinations >= {Determination.DETERMINED, Determination.NOT_DETERMINED}


def test_an_evaluated_value_can_fix_the_pairs_of_a_matching(monkeypatch):
    """All costs are read and one side is not: the evaluated value says which participants share a pair."""
    universe, stream, exclusions = Universe("matchings_at_a_rate"), Stream("places"), []
    exclude = pairs._exclude_evaluated
    monkeypatch.setattr(pairs, "_exclude_evaluated", lambda *given: exclusions.append(given) or exclude(*given))
    for truth in (at for at in stream.sample(range(len(universe.worlds)), 3 * QUESTIONS) if len(universe.feasible(at)) > 1):
        read = [call for call in every_call(universe.worlds[truth]) if call.tool != "read_compatibility_row"]
        calls = tuple(call for call in read if not any(f'"{person}"' in call.arguments for person in ("r0", "r1")))
        oracle = Oracle.from_world(universe.worlds[truth], ranges=universe.ranges)
        for evaluated in decisions_to_evaluate(universe, truth, calls, stream):
            risk = oracle.worst_regret(oracle.optimum, ObservedCalls(calls, evaluated))
            regret = universe.worst_regret(truth, calls, oracle.optimum, evaluated)
            assert risk.low <= regret <= (inf if risk.high is None else risk.high)
            assert_witness_holds(universe.worlds[truth], universe.ranges, calls, oracle.optimum, risk)
    assert exclusions


def possible_recipes(universe, truth, calls, evaluated):
    """The recipes of the open tickets in every completion."""
    shops = [universe.worlds[at].instance.recipes() for at in universe.members(truth, calls, evaluated)]
    return [{ticket: held[ticket] for ticket in ("t0", "t1", "t2")} for held in shops]


def test_complete_recipes_finds_a_completion_exactly_if_there_is_one():
    """In both directions, with and without an evaluated basket, which still delivers every item once."""
    universe, stream, kinds = Universe("baskets_with_three_open_tickets"), Stream("sharing"), set()
    for _ in range(QUESTIONS):
        truth = stream.below(len(universe.worlds))
        calls = tuple(call for call in every_call(universe.worlds[truth]) if universe.is_always_made(call))
        for evaluated in (None, stream.choice(universe.feasible(truth))):
            shops = possible_recipes(universe, truth, calls, evaluated)
            open_ = {ticket: frozenset(held[ticket] for held in shops) for ticket in shops[0]}
            completions = Oracle.from_world(universe.worlds[truth], ranges=universe.ranges).completions(
                ObservedCalls(calls, evaluated)
            )
            for given in (dict(zip(open_, recipes, strict=False)) for recipes in product(open_["t0"], open_["t1"])):
                held = complete_recipes(completions, open_, given)
                expected = [shop for shop in shops if given.items() <= shop.items()]
                assert held in expected if expected else held is None, (universe.worlds[truth].instance.json, evaluated, given)
                kinds.add((evaluated is None, held is None))
    assert len(kinds) == 4


def test_an_interrupted_search_for_partitions_concludes_nothing(monkeypatch):
    """`complete_recipes` then returns what it was given, or None where the whole search returns None too."""
    universe, inconclusive = Universe("baskets_with_three_open_tickets"), 0
    calls = tuple(call for call in every_call(universe.worlds[0]) if universe.is_always_made(call))
    for evaluated in universe.feasible(0):
        shops = possible_recipes(universe, 0, calls, evaluated)
        open_ = {ticket: frozenset(held[ticket] for held in shops) for ticket in shops[0]}
        completions = Oracle.from_world(universe.worlds[0], ranges=universe.ranges).completions(ObservedCalls(calls, evaluated))
        for given in (dict(zip(open_, recipes, strict=False)) for recipes in product(open_["t0"], open_["t1"])):
            whole = complete_recipes(completions, open_, given)
            with monkeypatch.context() as patched:
                patched.setattr(baskets, "MAX_SEARCH_STEPS", 0)
                interrupted = complete_recipes(completions, open_, given)
            assert interrupted == given or interrupted is whole is None
            inconclusive += whole is None and interrupted == given
    assert inconclusive
