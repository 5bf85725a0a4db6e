"""When the optimum is known: against enumeration of every completion, and what every witness must stand."""

from collections import Counter
from functools import cache
from itertools import product
from math import inf

import pytest

from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.families import load_family as family_named
from algoworlds.families.basket_assembly import knowledge as baskets
from algoworlds.families.basket_assembly.knowledge import complete_recipes
from algoworlds.families.sequential_matching import knowledge as places
from algoworlds.families.station_siting import knowledge as zones
from algoworlds.knowledge import infeasibility
from algoworlds.knowledge.infeasibility import MAX_INFEASIBLE_INSTANCES
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Determination, Oracle
from algoworlds.worlds.admission import Coordinate
from algoworlds.worlds.world import World
from tests.knowledge.universes import UNIVERSES
from tests.oracles import oracle as third_opinion

QUESTIONS = 20
SHARES = (8, 30, 60, 90)
"""Of a hundred calls of the catalog, how many are made, in different questions."""


UNDECIDED = {"basket_assembly": 0}
"""Questions after evaluations that may be left open, in families in which not a quarter of them may."""


class Universe:
    """All instances of a universe, what they answer, and what decisions are worth in them."""

    def __init__(self, name):
        family, self.ranges, function, self._always = UNIVERSES[name]
        self.family = family_named(family)
        self.worlds = [World(Coordinate(family, 0, 1), instance, Interface.DIRECT) for instance in function()]
        self.answer_indices = {}
        self.solution = cache(lambda at: self.family.solve(self.worlds[at].instance))
        self.feasible = cache(self._feasible)
        self.behind = cache(self._behind)
        self.alike = cache(self._alike)
        self.told = {}
        self.prompt = Counter()

    def _behind(self, tool):
        """Instance by instance, a number that all have in common whose tables behind a tool are the same."""
        parts, numbers = self.family.layouts[Interface.DIRECT].parts_by_tool[tool], {}
        tables = [tuple(world.instance.rows(part.relation) for part in parts) for world in self.worlds]
        return [numbers.setdefault(table, len(numbers)) for table in tables]

    def answer(self, at, call):
        """What an instance answers, made once for all that have the same tables behind the tool."""
        key = call, self.behind(call.tool)[at]
        if key not in self.answer_indices:
            self.answer_indices[key] = self.worlds[at].revealed_rows(call)
        return self.answer_indices[key]

    def members(self, truth, calls, evaluated=None):
        """The completions: who answers alike, an evaluation included, and has feasible decisions at all."""
        key = truth, tuple(calls), repr(evaluated)
        if key not in self.told:
            found = self.alike(truth, tuple(calls))
            if evaluated is not None:
                value = self.value(truth, evaluated)
                found = [at for at in found if self.value(at, evaluated) == value]
            self.told[key] = [at for at in found if self.solution(at).feasible]
        return self.told[key]

    def _alike(self, truth, calls):
        """Who answers alike, asked first what most have been asked before."""
        found = range(len(self.worlds))
        for call in sorted(calls, key=lambda call: self.prompt[call], reverse=True):
            self.prompt[call] = max(self.prompt[call], len(found))
            answer, behind = self.answer(truth, call), self.behind(call.tool)
            one_of_each = {behind[at]: at for at in found}
            alike = {number for number, at in one_of_each.items() if self.answer(at, call) == answer}
            found = [at for at in found if behind[at] in alike]
        return found

    def value(self, at, decision):
        """What a decision is worth in one instance; None if infeasible."""
        return self.family.check(self.worlds[at].instance, decision).value

    def always(self, call):
        """Whether a call, or any of its tool, is always made."""
        return call in self._always or call.tool in self._always

    def _feasible(self, at):
        """Every feasible decision of an instance."""
        instance = self.worlds[at].instance
        every = third_opinion(self.family.name).decisions(instance)
        return [decision for decision in every if self.family.check(instance, decision).feasible]

    def regret(self, at, decision):
        """What a decision loses in one instance."""
        value = self.value(at, decision)
        return inf if value is None else abs(value - self.solution(at).value)

    def names_unseen_id(self, truth, calls, decision):
        """Whether a decision names an id that no response shows, and that another universe would spell otherwise."""
        instance = self.worlds[truth].instance
        hidden = {
            entity
            for name, relation in instance.relations.items()
            if relation.is_roster and not relation.public
            for entity in getattr(instance, name)
        }
        text = "".join(map(self.worlds[truth].records, calls))
        return any(f'"{entity}"' not in text for entity in self.family.decision.ids(decision) & hidden)

    def worst_regret(self, truth, calls, decision, evaluated=None):
        if self.names_unseen_id(truth, calls, decision):
            return inf
        return max(self.regret(at, decision) for at in self.members(truth, calls, evaluated))


@pytest.fixture(scope="module", params=UNIVERSES, ids=str)
def universe(request):
    return Universe(request.param)


def questions(universe, stream):
    """Instances in which there is something to decide, and random parts of their catalogs."""
    for number in range(QUESTIONS):
        truth = stream.below(len(universe.worlds))
        while len(universe.feasible(truth)) < 2:
            truth = stream.below(len(universe.worlds))
        share, listed = SHARES[number % len(SHARES)], every_call(universe.worlds[truth])
        yield truth, tuple(call for call in listed if universe.always(call) or stream.below(100) < share)


def every_call(world):
    """The catalog, and the calls that show the way."""
    tools = world.family.template.tools
    return [Call.from_arguments(tool.name, arguments) for tool in tools for arguments in tool.argument.domain(world.public)]


def test_enumeration_of_all_completions_agrees_in_both_directions(universe):
    stream, found = Stream("truth", universe.family.name), set()
    for truth, calls in questions(universe, stream):
        world = universe.worlds[truth]
        oracle = Oracle.from_world(world, ranges=universe.ranges)
        known, expected = oracle.optimum_risk(ObservedCalls(calls)), universe.worst_regret(truth, calls, oracle.optimum)
        assert (known.determination is Determination.DETERMINED) is (expected == 0), (world.instance.json, calls)
        assert (known.determination is Determination.NOT_DETERMINED) is (expected > 0), (world.instance.json, calls)
        for decision in (oracle.optimum, stream.choice(universe.feasible(truth))):
            risk = oracle.worst_regret(decision, ObservedCalls(calls))
            assert risk.regret == universe.worst_regret(truth, calls, decision), (world.instance.json, calls, decision)
            stands(world, universe.ranges, calls, decision, risk)
        found.add(known.determination)
    assert found == {Determination.DETERMINED, Determination.NOT_DETERMINED}


def evaluations(universe, truth, calls, stream):
    """Decisions that somebody could name who has these responses: the optimum, one that is feasible, and any other."""
    every = list(third_opinion(universe.family.name).decisions(universe.worlds[truth].instance))
    named = [decision for decision in every if not universe.names_unseen_id(truth, calls, decision)]
    feasible = [decision for decision in named if universe.value(truth, decision) is not None]
    best = [decision for decision in feasible if universe.regret(truth, decision) == 0]
    return [stream.choice(among) for among in (best, feasible, named) if among]


def test_what_an_evaluation_told_is_taken_into_account_and_never_too_much(universe):
    """Bounds hold over all completions that tell the same, witnesses tell the same, and most questions are decided."""
    stream, asked, undecided = Stream("told", universe.family.name), 0, 0
    for truth, calls in questions(universe, stream):
        world = universe.worlds[truth]
        oracle = Oracle.from_world(world, ranges=universe.ranges)
        for evaluated in evaluations(universe, truth, calls, stream):
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
                stands(world, universe.ranges, calls, decision, risk)
                if risk.witness is not None:
                    told = universe.family.check(risk.witness.instance, evaluated).value
                    assert told == universe.value(truth, evaluated), (world.instance.json, observed, decision)
    assert undecided <= UNDECIDED.get(universe.family.name, asked // 4), (undecided, asked)


def stands(world, ranges, calls, decision, risk):
    """A witness lies in all ranges, answers with the same bytes, and the checker alone shows what it is to show."""
    if risk.witness is None:
        assert risk.low == 0
        return
    instance, rival, regret = risk.witness
    assert list(ranges.violations(instance)) == []
    other = World(world.coordinate, instance, world.interface)
    assert [other.records(call) for call in calls] == [world.records(call) for call in calls]
    assert other.question == world.question
    own, theirs = world.family.check(instance, decision), world.family.check(instance, rival)
    assert theirs.feasible
    assert regret == (abs(theirs.value - own.value) if own.feasible else inf)
    assert not own.feasible or world.family.sense.is_better(theirs.value, than=own.value)


BASKETS = ("baskets_at_many_prices", "baskets_with_three_open_tickets")
MANY = [
    ("corridors", zones, 0, MAX_INFEASIBLE_INSTANCES),
    *((name, baskets, 4, most) for name in BASKETS for most in (0, MAX_INFEASIBLE_INSTANCES)),
    *(pytest.param(name, baskets, few, 0, marks=pytest.mark.full) for name in BASKETS for few in (1, 16)),
]
"""Universes, of whose combinations few are looked at one by one, and of those that break a decision so many."""


@pytest.mark.parametrize(("name", "module", "few", "most"), MANY)
def test_what_is_not_looked_at_in_every_combination_leaves_bounds_that_hold(monkeypatch, name, module, few, most):
    """Extended sites and recipes, which tiny universes have so few of that all are looked at; with and without evaluations."""
    limit = "MAX_ENUMERATED" if hasattr(module, "MAX_ENUMERATED") else "MAX_CASE_ZONES"
    monkeypatch.setattr(module, limit, few)
    monkeypatch.setattr(infeasibility, "MAX_INFEASIBLE_INSTANCES", most)
    universe, stream, found = Universe(name), Stream("zones"), set()
    for truth, calls in questions(universe, stream):
        oracle = Oracle.from_world(universe.worlds[truth], ranges=universe.ranges)
        for evaluated in [None, *evaluations(universe, truth, calls, stream)]:
            known = oracle.optimum_risk(ObservedCalls(calls, evaluated))
            risk = oracle.worst_regret(oracle.optimum, ObservedCalls(calls, evaluated))
            expected = universe.worst_regret(truth, calls, oracle.optimum, evaluated)
            assert risk.low <= expected <= (inf if risk.high is None else risk.high)
            assert {Determination.DETERMINED: expected == 0, Determination.NOT_DETERMINED: expected > 0}.get(
                known.determination, True
            )
            stands(universe.worlds[truth], universe.ranges, calls, oracle.optimum, known)
            found.add(known.determination)
    assert found >= {Determination.DETERMINED, Determination.NOT_DETERMINED}


def test_what_a_matching_is_worth_tells_where_its_pairs_stand(monkeypatch):
    """Against all completions, where costs are read and one side is not: who has which pair follows from a value."""
    universe, stream, told = Universe("matchings_at_a_rate"), Stream("places"), []
    narrowed = places._exclude_evaluated
    monkeypatch.setattr(places, "_exclude_evaluated", lambda *given: told.append(given) or narrowed(*given))
    for truth in (at for at in stream.sample(range(len(universe.worlds)), 3 * QUESTIONS) if len(universe.feasible(at)) > 1):
        read = [call for call in every_call(universe.worlds[truth]) if call.tool != "read_compatibility_row"]
        calls = tuple(call for call in read if not any(f'"{person}"' in call.arguments for person in ("r0", "r1")))
        oracle = Oracle.from_world(universe.worlds[truth], ranges=universe.ranges)
        for evaluated in evaluations(universe, truth, calls, stream):
            risk = oracle.worst_regret(oracle.optimum, ObservedCalls(calls, evaluated))
            regret = universe.worst_regret(truth, calls, oracle.optimum, evaluated)
            assert risk.low <= regret <= (inf if risk.high is None else risk.high)
            stands(universe.worlds[truth], universe.ranges, calls, oracle.optimum, risk)
    assert told


def shops_left(universe, truth, calls, evaluated):
    """What the open tickets hold in every completion."""
    shops = [universe.worlds[at].instance.recipes() for at in universe.members(truth, calls, evaluated)]
    return [{ticket: held[ticket] for ticket in ("t0", "t1", "t2")} for held in shops]


def test_whatever_open_tickets_are_given_the_others_share_out_the_rest_if_a_completion_does():
    """Against all completions, in both directions; an evaluated basket still delivers every item once."""
    universe, stream, found = Universe("baskets_with_three_open_tickets"), Stream("sharing"), set()
    for _ in range(QUESTIONS):
        truth = stream.below(len(universe.worlds))
        calls = tuple(call for call in every_call(universe.worlds[truth]) if universe.always(call))
        for evaluated in (None, stream.choice(universe.feasible(truth))):
            shops = shops_left(universe, truth, calls, evaluated)
            open_ = {ticket: frozenset(held[ticket] for held in shops) for ticket in shops[0]}
            completions = Oracle.from_world(universe.worlds[truth], ranges=universe.ranges).completions(
                ObservedCalls(calls, evaluated)
            )
            for given in (dict(zip(open_, recipes, strict=False)) for recipes in product(open_["t0"], open_["t1"])):
                held = complete_recipes(completions, open_, given)
                expected = [shop for shop in shops if given.items() <= shop.items()]
                assert held in expected if expected else held is None, (universe.worlds[truth].instance.json, evaluated, given)
                found.add((evaluated is None, held is None))
    assert len(found) == 4


def test_nothing_is_concluded_from_a_search_for_ways_to_share_out_that_was_broken_off(monkeypatch):
    universe, broken_off = Universe("baskets_with_three_open_tickets"), 0
    calls = tuple(call for call in every_call(universe.worlds[0]) if universe.always(call))
    for evaluated in universe.feasible(0):
        shops = shops_left(universe, 0, calls, evaluated)
        open_ = {ticket: frozenset(held[ticket] for held in shops) for ticket in shops[0]}
        completions = Oracle.from_world(universe.worlds[0], ranges=universe.ranges).completions(ObservedCalls(calls, evaluated))
        for given in (dict(zip(open_, recipes, strict=False)) for recipes in product(open_["t0"], open_["t1"])):
            whole = complete_recipes(completions, open_, given)
            with monkeypatch.context() as patched:
                patched.setattr(baskets, "MAX_SEARCH_STEPS", 0)
                told = complete_recipes(completions, open_, given)
            assert told == given or told is whole is None
            broken_off += whole is None and told == given
    assert broken_off
