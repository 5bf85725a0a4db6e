"""The two parts of regret, for every family: the acquisition gap against enumeration, and properties at any size."""

from dataclasses import replace
from functools import cache

import pytest

from algoworlds.core.decision import Verdict
from algoworlds.core.interface import Interface
from algoworlds.core.options import OptionKind
from algoworlds.core.stream import Stream
from algoworlds.errors import DeclarationError
from algoworlds.families import FAMILIES
from algoworlds.measures.hindsight import RegretParts, acquisition_gap, decompose_regret, restrict_to_known_options
from algoworlds.measures.key import AnswerKey
from algoworlds.worlds.admission import Coordinate
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World, build_world
from tests.certified import certified_instance
from tests.oracles import oracle

SMALL = 120
INFINITE = 2**62


@pytest.fixture(params=FAMILIES, ids=str)
def family(request):
    return FAMILIES[request.param]


@pytest.fixture(scope="module", params=[(name, level) for name in FAMILIES for level in (0, 1)], ids=str)
def admitted(request):
    return certified_instance(*request.param, 1)


def hidden_facts(instance):
    """The facts that an agent has to discover, in a fixed order."""
    return [fact for fact in sorted(instance.facts) if not instance.relations[fact.relation].public]


def facts_by_ids(instance):
    """A function of a relation and ids: all facts of the relation that mention these ids."""
    ids = {
        fact: {item for group in instance.relations[fact.relation].entities(fact.row).values() for item in group}
        for fact in instance.facts
    }
    return cache(
        lambda name, *wanted: frozenset(fact for fact in ids if fact.relation == name and ids[fact].issuperset(wanted))
    )


def best_by_enumeration(family, instance, missing):
    """The best value of all feasible decisions that need no `missing` fact."""
    facts, best = facts_by_ids(instance), None
    for decision in oracle(family.name).decisions(instance):
        value = family.check(instance, decision).value
        if value is None or (best is not None and not family.sense.is_better(value, than=best)):
            continue
        if all(missing.isdisjoint(facts(*need)) for need in oracle(family.name).needs(instance, decision)):
            best = value
    return best


def test_the_gap_of_known_options_agrees_with_enumeration(family):
    outcomes = []
    for number in range(SMALL):
        stream = Stream("decomposition", family.name, number)
        instance = oracle(family.name).small(stream.child("small"))
        optimum, facts = family.solve(instance).value, hidden_facts(instance)
        if optimum is None or not facts:
            continue
        missing = frozenset(stream.sample(facts, min(len(facts), stream.choice([1, 1, 2, 3, 5]))))
        world = World(Coordinate(family.name, 0, 1), instance, Interface.DIRECT)
        best = best_by_enumeration(family, instance, missing)
        gap = acquisition_gap(world, instance.facts - missing, optimum)
        assert gap == (None if best is None else abs(best - optimum)), (instance.text, sorted(missing))
        outcomes.append("none" if gap is None else "zero" if gap == 0 else "some")
    assert min(map(outcomes.count, ("none", "zero", "some"))) >= 5


def forbid_solving(world):
    world.__dict__["family"] = replace(world.family, solve=lambda instance: pytest.fail("solved"))
    return world


def test_sufficient_set_has_no_gap_and_needs_no_solver(admitted):
    world = forbid_solving(build_world(admitted, Interface.MEDIATED))
    for plan in world.plans.values():
        facts = Episode(world, plan).facts
        assert restrict_to_known_options(world, facts) == admitted.instance
        assert acquisition_gap(world, facts, admitted.optimum) == 0


def test_no_facts_allow_no_decision(admitted):
    world = forbid_solving(build_world(admitted, Interface.DIRECT))
    assert restrict_to_known_options(world, frozenset()) is None
    assert acquisition_gap(world, frozenset(), admitted.optimum) is None


def test_public_rosters_need_not_be_read(admitted):
    world = forbid_solving(build_world(admitted, Interface.DIRECT))
    assert acquisition_gap(world, frozenset(hidden_facts(admitted.instance)), admitted.optimum) == 0


def test_more_facts_never_raise_the_gap(admitted):
    world, stream = build_world(admitted, Interface.SPLIT), admitted.coordinate.stream.child("prefixes")
    for plan in world.plans.values():
        calls = stream.shuffled(plan)
        lengths = sorted({*range(max(0, len(calls) - 3), len(calls) + 1), *stream.sample(range(len(calls)), 2)})
        gaps = [acquisition_gap(world, Episode(world, calls[:length]).facts, admitted.optimum) for length in lengths]
        losses = [INFINITE if gap is None else gap for gap in gaps]
        assert losses == sorted(losses, reverse=True)
        assert losses[-1] == 0


def test_single_facts_never_raise_the_gap(admitted):
    world, facts = build_world(admitted, Interface.DIRECT), hidden_facts(admitted.instance)
    order = admitted.coordinate.stream.child("facts").shuffled(facts)
    sizes = [len(order) - late for late in (len(order) // 50, 8, 5, 3, 2, 1, 0)]
    gaps = [acquisition_gap(world, frozenset(order[:size]), admitted.optimum) for size in sorted(sizes)]
    losses = [INFINITE if gap is None else gap for gap in gaps]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] == 0


def test_missing_fact_of_the_optimum_makes_a_gap_and_others_do_not(admitted):
    world, instance, optimal = build_world(admitted, Interface.DIRECT), admitted.instance, admitted.solution.decision
    facts = facts_by_ids(instance)
    needed = frozenset().union(*(facts(*need) for need in oracle(admitted.family.name).needs(instance, optimal)))
    stream = admitted.coordinate.stream.child("resting")
    for name in {fact.relation for fact in needed}:
        fact = stream.choice(sorted(other for other in needed if other.relation == name))
        gap = acquisition_gap(world, instance.facts - {fact}, admitted.optimum)
        assert gap is None or gap > 0, fact
    others = [fact for fact in hidden_facts(instance) if fact not in needed]
    for fact in stream.sample(others, min(3, len(others))):
        assert acquisition_gap(world, instance.facts - {fact}, admitted.optimum) == 0


def test_parts_of_regret_in_units_of_the_reference_gap():
    admitted = certified_instance("fleet_dispatch", 0, 1)
    world, facts = build_world(admitted, Interface.DIRECT), admitted.instance.facts
    key = AnswerKey.from_admitted(admitted, world)
    reference = Verdict.from_parts(cost=admitted.reference_value)
    assert decompose_regret(acquisition_gap(world, facts, key.optimum), key, reference) == RegretParts(0.0, 1.0)
    assert decompose_regret(0, key, Verdict.infeasible("late")) == RegretParts(0.0, None)
    assert decompose_regret(acquisition_gap(world, frozenset(), key.optimum), key, reference) == RegretParts(None, None)
    job = admitted.instance.job[0]
    route = next(f for f in facts if f.relation == "route_cost" and f.row[:2] == (admitted.solution.decision[job], job))
    unseen = acquisition_gap(world, facts - {route}, key.optimum)
    guessed = decompose_regret(unseen, key, Verdict.from_parts(cost=admitted.optimum))
    assert guessed.acquisition > 0
    assert guessed.reasoning == -guessed.acquisition
    load = next(fact for fact in facts if fact.relation == "load")
    assert restrict_to_known_options(world, facts - {load}) is None


def test_options_must_name_existing_facts(family):
    for name in ("nonsense", *(name for name, relation in family.instance.relations.items() if not relation.fact)):
        with pytest.raises(DeclarationError, match=f"options rest on the unknown fact '{name}'"):
            replace(family, knowledge=replace(family.knowledge, options=(OptionKind((name,), drop=name),)))
