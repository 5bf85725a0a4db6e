"""The search for counterfactuals tries a change once."""

from collections import Counter
from contextlib import suppress

import pytest

from algoworlds.core.interface import Interface
from algoworlds.errors import AlgoWorldsError
from algoworlds.families import FAMILIES
from algoworlds.suites import counterfactual
from algoworlds.suites.bundle import with_instance
from algoworlds.suites.counterfactual import QUICK_TRIES, CounterfactualSearch
from algoworlds.worlds.world import World, build_world
from tests.certified import certified_instance


@pytest.fixture(scope="module", params=FAMILIES)
def admitted(request):
    return certified_instance(request.param)


def new_search(admitted):
    return CounterfactualSearch(admitted.family, admitted.instance, admitted.solution.decision)


def test_a_change_is_not_tried_again_without_need(admitted, monkeypatch):
    tried = []
    apply = counterfactual._apply
    monkeypatch.setattr(counterfactual, "_apply", lambda *arguments: tried.append(arguments[1]) or apply(*arguments))
    search, channel = new_search(admitted), next(iter(admitted.family.channels))
    for _ in range(2):
        with suppress(AlgoWorldsError):
            search.find(channel, lambda changed: False, QUICK_TRIES)
    limits = {None: 1, True: 2, False: 3}  # an invalid instance never again, others only where wanted; 4 without the cache
    assert all(count <= limits[search._hurts[change]] for change, count in Counter(tried).items())


def test_with_instance_equals_a_new_world(admitted):
    world = build_world(admitted, Interface.DIRECT)
    search = new_search(admitted)
    changed = search.changed_solution(search.find(next(iter(admitted.family.channels))))[0]
    roster = next(name for name, relation in admitted.instance.relations.items() if relation.is_roster and relation.public)
    other = certified_instance(admitted.family.name, 1).instance
    assert getattr(other, roster) != getattr(admitted.instance, roster)
    for instance in (changed, other):
        reused, new = with_instance(world, instance), World(world.coordinate, instance, world.interface)
        assert (reused.plans, reused.budget, reused.question) == (new.plans, new.budget, new.question)
