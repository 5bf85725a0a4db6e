"""Orders that reveal the optimum are reported by name; fair ones are not (D2)."""

from dataclasses import replace
from itertools import permutations
from statistics import fmean, pvariance

import pytest

from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES
from algoworlds.suites.bundle import Bundle
from algoworlds.suites.claims.orders import FROM_MIDDLE_SUFFIX, POSITION_WEIGHTS, order_leak_units, order_scores, score_order
from algoworlds.suites.contracts.algorithms import rename_decision
from algoworlds.worlds.store import RecordStore
from tests.certified import certified_instance

INDICES = range(1, 9)


def bare_bundle(name, index, level=0):
    """A bundle with what orders depend on, without the parts that need a search."""
    admitted = certified_instance(name, level, index)
    solution, reference = admitted.solution, admitted.reference
    return Bundle(
        *(admitted.coordinate, admitted.attempt, Interface.DIRECT, "", [], {}, 0, admitted.instance, admitted.optimum),
        *(solution.decision, reference, admitted.reference_value, solution.work, {}, {}, {}, {}),
    )


def scores(name, change=lambda bundle: bundle, indices=INDICES):
    bundles = [change(bare_bundle(name, index)) for index in indices]
    return [score for bundle in bundles for score in order_scores(bundle, bundle.world)]


def leaks(name, change=lambda bundle: bundle, indices=INDICES):
    return [unit for unit, problem in order_leak_units(scores(name, change, indices)) if problem]


def without_middle_tests(units):
    """Options that crowd at one end are also far from the middle, so the second test is left out."""
    return [unit for unit in units if not unit.endswith(FROM_MIDDLE_SUFFIX)]


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("indices", [INDICES[:4], pytest.param(INDICES, marks=pytest.mark.full)], ids=len)
def test_admitted_instances_have_no_order_leak(name, indices):
    assert leaks(name, indices=indices) == []


def rename(bundle, names):
    """The same bundle under other ids."""

    def new_name(item):
        return names.get(item, item)

    decision = rename_decision(FAMILIES[bundle.coordinate.family].decision, bundle.decision, new_name)
    return replace(bundle, instance=bundle.instance.rename_ids(new_name), decision=decision)


def test_reports_ids_that_sort_the_chosen_first():
    def least_ids(bundle):
        return rename(bundle, {leg: ("leg-0" if leg in bundle.decision else "leg-1") + leg for leg in bundle.instance.leg})

    assert without_middle_tests(leaks("transit_routing", least_ids)) == ["transit_routing by id"]


def test_reports_ids_in_the_order_of_the_decision():
    def in_order(bundle):
        return rename(bundle, dict(zip(bundle.decision, sorted(bundle.decision), strict=True)))

    assert without_middle_tests(leaks("transit_routing", in_order)) == ["transit_routing by id and turn"]


def test_reports_a_roster_that_lists_the_chosen_first():
    def chosen_first(bundle):
        domain = sorted(bundle.instance.domain, key=lambda item: item not in bundle.decision[1])
        return replace(bundle, instance=bundle.instance.replace(domain=tuple(domain)))

    assert without_middle_tests(leaks("migration_portfolio", chosen_first)) == ["migration_portfolio by position"]


def test_reports_a_roster_in_the_order_of_the_assignment():
    """Jobs listed by the vehicle that serves them in the optimum."""

    def by_vehicle(bundle):
        vehicles = bundle.instance.vehicle
        job = sorted(bundle.instance.job, key=lambda item: vehicles.index(bundle.decision[item]))
        return replace(bundle, instance=bundle.instance.replace(job=tuple(job)))

    assert without_middle_tests(leaks("fleet_dispatch", by_vehicle)) == ["fleet_dispatch by position and option"]


def test_reports_records_that_list_the_chosen_first(monkeypatch):
    ordered_records = RecordStore.ordered_records
    chosen = {leg for index in INDICES for leg in bare_bundle("transit_routing", index).decision}

    def chosen_first(self, part):
        return sorted(ordered_records(self, part), key=lambda row: chosen.isdisjoint(map(str, row)))

    monkeypatch.setattr(RecordStore, "ordered_records", chosen_first)
    assert without_middle_tests(leaks("transit_routing")) == ["transit_routing by record"]


def test_reports_a_roster_that_lists_the_chosen_at_both_ends():
    def at_the_ends(bundle):
        chosen = [item for item in bundle.instance.domain if item in bundle.decision[1]]
        others = [item for item in bundle.instance.domain if item not in bundle.decision[1]]
        half = len(chosen) // 2 + bundle.coordinate.index % 2 * (len(chosen) % 2)
        return replace(bundle, instance=bundle.instance.replace(domain=(*chosen[:half], *others, *chosen[half:])))

    assert leaks("migration_portfolio", at_the_ends) == ["migration_portfolio by position from the middle"]


@pytest.mark.parametrize("weights", [(1, 0, 0, 1, 0), (0, 1, 2, 3, 4), (2, 2, 0, 1, 2), (1, 1, 1, 1, 1)])
@pytest.mark.parametrize("position_weight", POSITION_WEIGHTS.values(), ids=("position", "middle"))
def test_scores_have_mean_zero_and_the_stated_variance_over_all_orders(weights, position_weight):
    by_item = dict(zip("abcde", weights, strict=True))
    results = [score_order(by_item, order, position_weight) for order in permutations("abcde")]
    assert fmean(score for score, _ in results) == pytest.approx(0)
    assert pvariance([score for score, _ in results]) == pytest.approx(results[0][1])


def test_records_of_a_part_are_ordered_once_for_all_rosters(monkeypatch):
    ordered_records, parts = RecordStore.ordered_records, []
    monkeypatch.setattr(RecordStore, "ordered_records", lambda self, part: parts.append(part) or ordered_records(self, part))
    scores("fleet_dispatch", indices=[1])
    assert len(parts) == len(set(parts)) > 1
