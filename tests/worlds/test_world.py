"""A world is immutable: prices, records and the question cannot be changed through it."""

import json
from dataclasses import FrozenInstanceError

import pytest

from algoworlds.core.canonical import sha256_hex
from algoworlds.core.interface import Interface
from algoworlds.core.tool import Call
from algoworlds.families import FAMILIES
from algoworlds.worlds.episode import Episode
from tests.unsolved import unsolved_world


@pytest.fixture(scope="module", params=FAMILIES)
def world(request):
    return unsolved_world(request.param, interface=Interface.MEDIATED)


def mapping_tables(instance):
    """The tables of an instance that map ids to values."""
    return {name: table for name, table in instance.tables.items() if hasattr(table, "items")}


def mappings(world):
    """Every mapping of a world and its family, by name."""
    family, layout = world.family, world.family.layouts[world.interface]
    template = family.template
    return {
        "prices": world.prices,
        "plans": world.plans,
        "public": world.public,
        **{f"instance.{name}": table for name, table in mapping_tables(world.instance).items()},
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
        "layout.parts_by_tool": layout.parts_by_tool,
        "layout.part_by_name": layout.part_by_name,
        "store.prefixes": world.store.prefixes,
    }


def test_mappings_of_a_world_are_read_only(world):
    for name, mapping in mappings(world).items():
        key = next(iter(mapping), "new")
        with pytest.raises(TypeError, match="item assignment"):
            mapping[key] = 0
        with pytest.raises(TypeError, match="item deletion"):
            del mapping[key]
        assert not hasattr(mapping, "update"), name


def test_sequences_of_a_world_are_read_only(world):
    sequences = [world.catalog, *world.plans.values(), *world.family.template.plans.values()]
    sequences += [table for table in world.public.values() if not isinstance(table, int | str) and not hasattr(table, "items")]
    assert all(isinstance(sequence, tuple | frozenset) for sequence in sequences)


@pytest.mark.parametrize("name", ["coordinate", "instance", "interface", "prices", "plans", "budget", "catalog", "question"])
def test_fields_of_a_world_cannot_be_set(world, name):
    with pytest.raises(FrozenInstanceError):
        setattr(world, name, None)


def test_prices_cannot_be_set_to_zero():
    """Regression test: prices set to zero made later episodes free."""
    world = unsolved_world("fleet_dispatch")
    with pytest.raises(TypeError):
        world.prices["read_job"] = 0
    assert Episode(world, [Call.from_arguments("read_job", {"job": world.public["job"][0]})]).spent > 0


def test_schemas_are_copies(world):
    before = sha256_hex(json.dumps(world.tools))
    copy = world.tools
    copy[0]["name"] = "free_lunch"
    copy[0]["parameters"]["properties"]["all"] = {}
    copy.pop()
    assert sha256_hex(json.dumps(world.tools)) == before
    assert "free_lunch" not in world.question


def test_derived_instances_are_frozen(world):
    for name, table in mapping_tables(world.instance).items():
        other = world.instance.replace(**{name: dict(table)})
        with pytest.raises(TypeError):
            getattr(other, name)[next(iter(table), "new")] = 0
        assert other == world.instance
