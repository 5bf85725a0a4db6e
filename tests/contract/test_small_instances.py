"""Blind and imputed instances, fits and search spaces of tiny instances: no entities, ties, missing rows, nothing feasible."""

from itertools import islice

import pytest

from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError
from algoworlds.families import FAMILIES
from algoworlds.hardness.giveaway import imputed_instances
from tests.oracles import oracle


def feasible_decisions(family, instance, stream):
    """The reference and a random decision, as far as any is feasible."""
    for decide in (family.reference, lambda one: family.hardness.sample(one, stream)):
        try:
            yield decide(instance)
        except InstanceError:
            continue


def altered_instances(family, instance):
    yield from (blind for _, blind in family.hardness.blind_instances(instance))
    yield from (fit(instance) for fit in family.hardness.fits.values())
    yield from (imputed for _, imputed in imputed_instances(family, 0, instance))


@pytest.mark.parametrize("name", FAMILIES)
def test_tiny_instances_can_be_altered_and_searched(name):
    family = FAMILIES[name]
    for number in range(6):
        instance, stream = oracle(name).small(Stream("tiny", name, number)), Stream("search", name, number)
        for altered in altered_instances(family, instance):
            if altered.valid:
                family.solve(altered)
        space = family.hardness.search_space(instance)
        for decision in feasible_decisions(family, instance, stream):
            assert family.check(instance, family.hardness.descend(instance, decision)).feasible
            assert type(space.random_neighbour(decision, stream)) is type(decision)
            assert all(type(near) is type(decision) for near in islice(space.neighbours(decision), 20))
            assert space.is_visible_unit(decision) in (True, False)
        assert all(isinstance(loss, int) for _, loss in space.extensions(()))
        assert len([family.check(instance, unit) for unit in islice(space.visible_units(), 20)]) <= 20


def test_the_fleet_of_the_readme_works_without_an_eligible_table():
    """A pair without a route cost is not eligible."""
    tables = {
        "vehicle": ["a", "b"],
        "job": ["p", "q"],
        "capacity": {"a": 4, "b": 2},
        "activation": {"a": 10, "b": 7},
        "load": {"p": 1, "q": 2},
        "route_cost": {"a": {"p": 5, "q": 1}, "b": {"p": 1}},
    }
    family = FAMILIES["fleet_dispatch"]
    instance = family.instance.from_json(tables)
    assert family.solve(instance).agrees_with(family.verify(instance))
    assert (family.solve(instance).value, family.solve(instance).decision) == (16, {"p": "a", "q": "a"})
    assert family.check(instance, {"p": "a", "q": "b"}).reason == "an ineligible pair"
    assert [altered.valid for altered in altered_instances(family, instance)].count(True) > 3
