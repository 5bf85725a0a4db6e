"""A world is immutable: what an agent paid, saw and was asked cannot be changed by whoever holds the world."""

import json
from dataclasses import FrozenInstanceError

import pytest

from algoworlds.core.canonical import digest
from algoworlds.core.interface import Interface
from algoworlds.core.tool import Call
from algoworlds.families import FAMILIES
from algoworlds.worlds.episode import Episode
from tests.unsolved import unsolved


@pytest.fixture(scope="module", params=FAMILIES)
def world(request):
    return unsolved(request.param, interface=Interface.MEDIATED)


def keyed(instance):
    """The tables of an instance that map ids to values."""
    return {name: table for name, table in instance.tables.items() if hasattr(table, "items")}


def mappings(world):
    """Every mapping that a world or its family holds, by where it stands."""
    family, layout = world.family, world.family.layouts[world.interface]
    template = family.template
    return {
        "prices": world.prices,
        "plans": world.plans,
        "public": world.public,
        **{f"instance.{name}": table for name, table in keyed(world.instance).items()},
        **{f"public[{name!r}]": table for name, table in world.public.items() if hasattr(table, "items")},
        "family.levels": family.levels,
        "family.hardness.blind": family.hardness.blind,
        "family.tools": family.tools,
        "family.layouts": family.layouts,
        "instance.relations": world.instance.relations,
        "template.rosters": template.rosters,
        "template.plans": template.plans,
        "template.mediation": template.mediation,
        "template.prefixes": template.prefixes,
        "layout.relations": layout.relations,
        "layout.links": layout.links,
        "layout.parts": layout.parts,
        "layout.shows": layout.shows,
        "layout.by_name": layout.by_name,
        "store.prefixes": world.store.prefixes,
    }


def test_no_mapping_of_a_world_can_be_changed(world):
    for place, mapping in mappings(world).items():
        key = next(iter(mapping), "new")
        with pytest.raises(TypeError, match="item assignment"):
            mapping[key] = 0
        with pytest.raises(TypeError, match="item deletion"):
            del mapping[key]
        assert not hasattr(mapping, "update"), place


def test_no_sequence_of_a_world_can_be_changed(world):
    sequences = [world.catalog, *world.plans.values(), *world.family.template.plans.values()]
    sequences += [table for table in world.public.values() if not isinstance(table, int | str) and not hasattr(table, "items")]
    assert all(isinstance(each, tuple | frozenset) for each in sequences)


@pytest.mark.parametrize("name", ["coordinate", "instance", "interface", "prices", "plans", "budget", "catalog", "question"])
def test_nothing_of_a_world_can_be_replaced(world, name):
    with pytest.raises(FrozenInstanceError):
        setattr(world, name, None)


def test_a_free_world_stays_dear():
    """The fault that this is about: prices set to nothing made later episodes free."""
    world = unsolved("fleet_dispatch")
    with pytest.raises(TypeError):
        world.prices["read_job"] = 0
    assert Episode(world, [Call.make("read_job", {"job": world.public["job"][0]})]).spent > 0


def test_schemas_that_are_changed_are_changed_for_nobody_else(world):
    before = digest(json.dumps(world.tools))
    mine = world.tools
    mine[0]["name"] = "free_lunch"
    mine[0]["parameters"]["properties"]["all"] = {}
    mine.pop()
    assert digest(json.dumps(world.tools)) == before
    assert "free_lunch" not in world.question


def test_an_instance_made_from_another_is_frozen_as_well(world):
    for name, table in keyed(world.instance).items():
        other = world.instance.replace(**{name: dict(table)})
        with pytest.raises(TypeError):
            getattr(other, name)[next(iter(table), "new")] = 0
        assert other == world.instance
