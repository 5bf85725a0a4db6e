"""The search for counterfactuals looks at a change once, and what it tries is what anybody would make of the change."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import islice

import pytest

from algoworlds.core.interface import Interface
from algoworlds.errors import AlgoWorldsError, InstanceError
from algoworlds.families import FAMILIES
from algoworlds.suites.bundle import with_instance
from algoworlds.suites.claims import counterfactual as module
from algoworlds.suites.claims.counterfactual import QUICK, Search, refutes
from algoworlds.suites.claims.shortcuts import shortcuts
from algoworlds.worlds.world import World, build
from tests.certified import certified


@pytest.fixture(scope="module", params=FAMILIES)
def admitted(request):
    return certified(request.param)


def searching(admitted):
    return Search(admitted.family, admitted.instance, admitted.solution.decision)


def made(make, instance, change):
    """The changed instance, or None if it is none."""
    with suppress(InstanceError):
        changed = make(instance, change)
        return changed if changed.valid else None


def test_what_is_tried_is_the_instance_that_the_change_makes(admitted):
    family, instance, optimum = admitted.family, admitted.instance, admitted.solution.decision
    for channel in family.channels:
        for change in islice(module._changes(family, instance, optimum, channel, 2), 60):
            assert made(module._tried, instance, change) == made(module._applied, instance, change)


def test_a_change_is_made_once_however_often_a_channel_is_searched(admitted, monkeypatch):
    tried = []
    make = module._tried
    monkeypatch.setattr(module, "_tried", lambda instance, change: tried.append(change) or make(instance, change))
    search, channel = searching(admitted), next(iter(admitted.family.channels))
    for _ in range(2):
        with suppress(AlgoWorldsError):
            search.find(channel, lambda changed: False, QUICK)
    most = {None: 1, True: 2, False: 3}  # not again where it is no instance, then only where it is wanted: without a memory 4
    assert all(count <= most[search._hurts[change]] for change, count in Counter(tried).items())


def test_a_rival_that_beats_the_optimum_spares_a_solve(admitted):
    """What is found of the shortcuts is the same; solvers are asked about no instance in which a rival is better."""
    family, instance, solution = admitted.family, admitted.instance, admitted.solution
    rivals = [family.solve(erased).decision for erase in family.hardness.blind.values() if (erased := erase(instance)).valid]
    asked = []
    counted = replace(family, solve=lambda altered: asked.append(altered) or family.solve(altered))
    alone = shortcuts(counted, instance, solution)
    asked.clear()
    assert shortcuts(counted, instance, solution, rivals) == alone
    assert not any(refutes(family, altered, solution.decision, rival) for altered in asked for rival in rivals)


def test_a_world_around_a_changed_instance_is_the_one_that_anybody_would_build(admitted):
    world = build(admitted, Interface.DIRECT)
    search = searching(admitted)
    changed = search.after(search.find(next(iter(admitted.family.channels))))[0]
    listed = next(name for name, each in admitted.instance.relations.items() if each.is_roster and each.public)
    other = certified(admitted.family.name, 1).instance
    assert getattr(other, listed) != getattr(admitted.instance, listed)
    for instance in (changed, other):
        near, anew = with_instance(world, instance), World(world.coordinate, instance, world.interface)
        assert (near.plans, near.budget, near.question) == (anew.plans, anew.budget, anew.question)
