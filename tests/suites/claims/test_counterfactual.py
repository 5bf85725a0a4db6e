"""The search for counterfactuals tries a change once, and its fast path gives the same instance as the checked one."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import islice

import pytest

from algoworlds.core.interface import Interface
from algoworlds.errors import AlgoWorldsError, InstanceError
from algoworlds.families import FAMILIES
from algoworlds.suites import counterfactual
from algoworlds.suites.bundle import with_instance
from algoworlds.suites.claims.shortcuts import try_shortcuts
from algoworlds.suites.counterfactual import QUICK_TRIES, CounterfactualSearch, is_optimum_refuted
from algoworlds.worlds.world import World, build_world
from tests.certified import certified


@pytest.fixture(scope="module", params=FAMILIES)
def admitted(request):
    return certified(request.param)


def new_search(admitted):
    return CounterfactualSearch(admitted.family, admitted.instance, admitted.solution.decision)


def apply_or_none(apply, instance, change):
    """The changed instance, or None if it is invalid."""
    with suppress(InstanceError):
        changed = apply(instance, change)
        return changed if changed.valid else None


def test_lazy_application_gives_the_checked_instance(admitted):
    family, instance, optimum = admitted.family, admitted.instance, admitted.solution.decision
    for channel in family.channels:
        for change in islice(counterfactual._changes(family, instance, optimum, channel, 2), 60):
            lazy = apply_or_none(counterfactual._apply_lazily, instance, change)
            assert lazy == apply_or_none(counterfactual._apply, instance, change)


def test_a_change_is_not_tried_again_without_need(admitted, monkeypatch):
    tried = []
    apply = counterfactual._apply_lazily
    monkeypatch.setattr(counterfactual, "_apply_lazily", lambda *arguments: tried.append(arguments[1]) or apply(*arguments))
    search, channel = new_search(admitted), next(iter(admitted.family.channels))
    for _ in range(2):
        with suppress(AlgoWorldsError):
            search.find(channel, lambda changed: False, QUICK_TRIES)
    limits = {None: 1, True: 2, False: 3}  # an invalid instance never again, others only where wanted; 4 without the cache
    assert all(count <= limits[search._hurts[change]] for change, count in Counter(tried).items())


def test_a_rival_that_beats_the_optimum_saves_a_solve(admitted):
    """The shortcut results are the same, and no instance is solved in which a rival is better."""
    family, instance, solution = admitted.family, admitted.instance, admitted.solution
    rivals = [family.solve(erased).decision for erase in family.hardness.blind.values() if (erased := erase(instance)).valid]
    solved = []
    recording = replace(family, solve=lambda altered: solved.append(altered) or family.solve(altered))
    alone = try_shortcuts(recording, instance, solution)
    solved.clear()
    assert try_shortcuts(recording, instance, solution, rivals) == alone
    assert not any(is_optimum_refuted(family, altered, solution.decision, rival) for altered in solved for rival in rivals)


def test_with_instance_equals_a_new_world(admitted):
    world = build_world(admitted, Interface.DIRECT)
    search = new_search(admitted)
    changed = search.changed_solution(search.find(next(iter(admitted.family.channels))))[0]
    roster = next(name for name, relation in admitted.instance.relations.items() if relation.is_roster and relation.public)
    other = certified(admitted.family.name, 1).instance
    assert getattr(other, roster) != getattr(admitted.instance, roster)
    for instance in (changed, other):
        reused, new = with_instance(world, instance), World(world.coordinate, instance, world.interface)
        assert (reused.plans, reused.budget, reused.question) == (new.plans, new.budget, new.question)
