"""Orders that would tell the optimum are reported, each by its name; fair ones are not (D2)."""

from dataclasses import replace
from itertools import permutations
from statistics import fmean, pvariance

import pytest

from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES
from algoworlds.suites.bundle import Bundle
from algoworlds.suites.claims.orders import LAWS, MIDDLE, order_leaks, ranks, standing
from algoworlds.worlds.store import Store
from tests.certified import certified

INDICES = range(1, 9)


def bare_bundle(name, index, level=0):
    """The claims that orders are about, without those that take a search."""
    admitted = certified(name, level, index)
    solution, reference = admitted.solution, admitted.reference
    return Bundle(
        *(admitted.coordinate, admitted.attempt, Interface.DIRECT, "", [], {}, 0, admitted.instance, admitted.optimum),
        *(solution.decision, reference, admitted.reference_value, solution.work, {}, {}, {}, {}),
    )


def found(name, change=lambda claim: claim, indices=INDICES):
    return [each for index in indices for bundle in [change(bare_bundle(name, index))] for each in ranks(bundle, bundle.world)]


def reported(name, change=lambda claim: claim, indices=INDICES):
    return [unit for unit, problem in order_leaks(found(name, change, indices)) if problem]


def straight(units):
    """Without the second look: what crowds at one end is far from the middle, too."""
    return [unit for unit in units if not unit.endswith(MIDDLE)]


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("indices", [INDICES[:4], pytest.param(INDICES, marks=pytest.mark.full)], ids=len)
def test_admitted_instances_tell_nothing_by_order(name, indices):
    assert reported(name, indices=indices) == []


def renamed(claim, names):
    """The same claims under other ids."""
    shape = FAMILIES[claim.coordinate.family].decision
    instance = claim.instance.renamed(lambda item: names.get(item, item))

    def other(value):
        if isinstance(value, dict):
            return {names.get(key, key): names.get(each, each) for key, each in value.items()}
        return [names.get(each, each) for each in value]

    arguments = {name: other(value) for name, value in shape.arguments(claim.decision).items()}
    return replace(claim, instance=instance, decision=shape.parse(arguments))


def test_ids_that_sort_the_chosen_first_are_reported():
    def least_ids(claim):
        return renamed(claim, {leg: ("leg-0" if leg in claim.decision else "leg-1") + leg for leg in claim.instance.leg})

    assert straight(reported("transit_routing", least_ids)) == ["transit_routing by id"]


def test_ids_that_follow_the_order_of_the_decision_are_reported():
    def in_order(claim):
        spare = sorted(claim.decision)
        return renamed(claim, dict(zip(claim.decision, spare, strict=True)))

    assert straight(reported("transit_routing", in_order)) == ["transit_routing by id and turn"]


def test_a_roster_that_lists_the_chosen_first_is_reported():
    def chosen_first(claim):
        domain = sorted(claim.instance.domain, key=lambda item: item not in claim.decision[1])
        return replace(claim, instance=claim.instance.replace(domain=tuple(domain)))

    assert straight(reported("migration_portfolio", chosen_first)) == ["migration_portfolio by position"]


def test_a_roster_in_the_order_of_what_is_assigned_is_reported():
    """Jobs listed by the vehicle that serves them in the optimum."""

    def by_vehicle(claim):
        vehicles = claim.instance.vehicle
        job = sorted(claim.instance.job, key=lambda item: vehicles.index(claim.decision[item]))
        return replace(claim, instance=claim.instance.replace(job=tuple(job)))

    assert straight(reported("fleet_dispatch", by_vehicle)) == ["fleet_dispatch by position and option"]


def test_records_that_list_the_chosen_first_are_reported(monkeypatch):
    honest = Store.listed
    chosen = {leg for index in INDICES for leg in bare_bundle("transit_routing", index).decision}
    monkeypatch.setattr(
        Store, "listed", lambda self, part: sorted(honest(self, part), key=lambda row: chosen.isdisjoint(map(str, row)))
    )
    assert straight(reported("transit_routing")) == ["transit_routing by record"]


def test_a_roster_that_lists_the_chosen_at_both_ends_is_reported():
    def at_the_ends(claim):
        chosen = [item for item in claim.instance.domain if item in claim.decision[1]]
        others = [item for item in claim.instance.domain if item not in claim.decision[1]]
        half = len(chosen) // 2 + claim.coordinate.index % 2 * (len(chosen) % 2)
        return replace(claim, instance=claim.instance.replace(domain=(*chosen[:half], *others, *chosen[half:])))

    assert reported("migration_portfolio", at_the_ends) == ["migration_portfolio by position from the middle"]


@pytest.mark.parametrize("weights", [(1, 0, 0, 1, 0), (0, 1, 2, 3, 4), (2, 2, 0, 1, 2), (1, 1, 1, 1, 1)])
@pytest.mark.parametrize("law", LAWS.values())
def test_the_law_of_a_standing_is_that_of_a_random_order(weights, law):
    """Over all orders the score has mean zero and the stated variance."""
    weighed = dict(zip("abcde", weights, strict=True))
    scores = [standing(weighed, order, law) for order in permutations("abcde")]
    assert fmean(score for score, _ in scores) == pytest.approx(0)
    assert pvariance([score for score, _ in scores]) == pytest.approx(scores[0][1])


def test_the_records_of_a_part_are_put_in_order_once_for_all_rosters(monkeypatch):
    listed, asked = Store.listed, []
    monkeypatch.setattr(Store, "listed", lambda self, part: asked.append(part) or listed(self, part))
    found("fleet_dispatch", indices=[1])
    assert len(asked) == len(set(asked)) > 1
