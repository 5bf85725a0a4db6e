"""K(w): against all sets of calls and all completions of tiny worlds, what a certificate must stand, and that bounds hold."""

from itertools import combinations, islice

import pytest

from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.knowledge import certificate as certificates
from algoworlds.knowledge.certificate import find_certificate
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Determination, Oracle
from algoworlds.worlds.world import load_world
from tests.knowledge.test_oracle import Universe
from tests.knowledge.universes import UNIVERSES

FIRST = {family: name for name, (family, *_) in reversed(UNIVERSES.items())}.values()
"""One universe of every family."""

EFFORTS = [
    *((name, 1, 30) for name in FIRST),
    *(pytest.param(name, 2, None, marks=pytest.mark.full) for name in UNIVERSES),
]
"""Universes, and in each instances and sets of calls that are too cheap, that are looked at."""

OPEN = {"routes", "projects", "migrations"}
"""Universes in which the oracle leaves sets of few calls undecided, so that there are bounds and not always K."""

DEAR = {"baskets_with_three_open_tickets"}
"""Universes in which what is always read costs more than a certificate: conflicts alone tell whether that is the cheapest."""


def cheaper(place, cost, always):
    """Every set of calls that costs less and to which none can be added without costing as much, the largest first."""
    listed = place.catalog
    needed = {call for call in listed if always(call)}
    for size in range(len(listed) - len(needed), -1, -1):
        for calls in (needed.union(others) for others in combinations([call for call in listed if call not in needed], size)):
            spare = cost - place.cost(calls)
            if spare > 0 and all(place.prices[call.tool] >= spare for call in listed if call not in calls):
                yield calls


@pytest.fixture
def conflicts(monkeypatch):
    """The conflicts that were hit last: those that bound a certificate from below."""
    seen, hitting = [], certificates.cheapest_hitting_set

    def watch(listed, place):
        seen[:] = listed
        return hitting(seen, place)

    monkeypatch.setattr(certificates, "cheapest_hitting_set", watch)
    return seen


@pytest.mark.parametrize(("name", "instances", "sets"), EFFORTS)
def test_no_cheaper_calls_make_the_optimum_known_in_all_completions(name, instances, sets, conflicts):
    """Nor do all calls but those of a conflict; and what the optimum risks falls along the calls to nothing."""
    universe, stream, priced = Universe(name), Stream("certificates", name), 0
    truths = (at for at in stream.shuffled(range(len(universe.worlds))) if len(universe.feasible(at)) > 1)
    for truth in islice(truths, instances):
        place = universe.worlds[truth]
        optimum = universe.solution(truth).decision
        found = find_certificate(place, optimum, universe.ranges)
        assert found.is_exact or name in OPEN
        assert universe.worst_regret(truth, found.calls, optimum) == 0
        for calls in islice(cheaper(place, found.least, universe.always), sets):
            assert universe.worst_regret(truth, sorted(calls), optimum) > 0, (place.instance.json, calls)
            priced += 1
        for conflict in islice(conflicts, sets):
            others = [call for call in certificates.informative_calls(place) if call not in conflict]
            if not any(universe.always(call) for call in conflict):
                assert universe.worst_regret(truth, others, optimum) > 0, (place.instance.json, conflict)
        falls(universe, truth, found)
    assert priced or name in OPEN | DEAR


def falls(universe, truth, found):
    """At every point that a universe can speak of, the risk is what all completions say that answer the calls until then."""
    place, optimum = universe.worlds[truth], universe.solution(truth).decision
    spent = [place.cost(found.calls[:at]) for at in range(len(found.calls) + 1)]
    assert found.outlay[-1] == (found.cost, 0)
    assert list(found.outlay) == sorted(found.outlay, key=lambda point: (point[0], -point[1]))
    for spend, risk in found.outlay:
        bought = found.calls[: len(spent) - 1 - spent[::-1].index(spend)]
        if {call for call in place.catalog if universe.always(call)} <= set(bought):
            assert universe.worst_regret(truth, bought, optimum) == risk


def determination_of(oracle, calls):
    return oracle.optimum_risk(ObservedCalls(tuple(calls))).determination


@pytest.mark.parametrize("name", ["fleet_dispatch-0-1", "sequential_matching-0-1"])
def test_a_certificate_makes_the_optimum_known_and_lacks_nothing(name):
    place = load_world(name)
    found, oracle = find_certificate(place), Oracle.from_world(place)
    assert found.is_exact
    assert found.cost == place.cost(found.calls) <= min(map(place.cost, place.plans.values()))
    assert determination_of(oracle, found.calls) is Determination.DETERMINED
    for call in found.calls:
        assert determination_of(oracle, set(found.calls) - {call}) is Determination.NOT_DETERMINED, call


@pytest.mark.parametrize(("limit", "least"), [("MAX_QUESTIONS", 5), ("MAX_SOLVER_WORK", 5)])
def test_few_questions_or_solves_leave_bounds_that_hold(limit, least, monkeypatch):
    place = load_world("sequential_matching-0-1")
    exact = find_certificate(place)
    monkeypatch.setattr(certificates, limit, least)
    rough = find_certificate(place)
    assert rough.least < exact.cost <= rough.cost
    assert determination_of(Oracle.from_world(place), rough.calls) is Determination.DETERMINED


def test_interfaces_that_show_rows_whole_have_one_certificate():
    found = [
        find_certificate(load_world("fleet_dispatch-0-2", interface)) for interface in (Interface.DIRECT, Interface.MEDIATED)
    ]
    assert found[0] == found[1]
