"""Solutions of renamed and reordered instances, and searches on any instance. For every family.

In the catalogue: F2.
"""

import pytest

from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES, read_instance
from algoworlds.suites.contracts.algorithms import check_roundtrips, check_searches, entity_ids, rename_solution
from tests.oracles import oracle

QUICK, FULL = range(80), range(80, 1_000)


@pytest.fixture(params=FAMILIES, ids=str)
def family(request):
    return FAMILIES[request.param]


@pytest.fixture(params=[QUICK, pytest.param(FULL, marks=pytest.mark.full)], ids=len)
def instances(request, family):
    """Small instances by their numbers."""
    return {number: oracle(family.name).small(Stream("symmetry", family.name, number)) for number in request.param}


def test_renaming_in_order_maps_the_solution_and_keeps_the_work(family, instances):
    for instance in instances.values():
        plain = instance.rename_ids(str)  # sorts hidden rosters by id
        for algorithm in (family.solve, family.verify):
            assert algorithm(plain.rename_ids("x-{}".format)) == rename_solution(family, algorithm(plain), "x-{}".format), (
                instance.canonical_json
            )


def test_renaming_out_of_order_maps_the_optimum(family, instances):
    """Hidden rosters are sorted by the new ids, which changes neither the optimum nor, unless declared, the work."""
    for number, instance in instances.items():
        ids = entity_ids(instance)
        names = Stream("names", number).shuffled(f"n{at:03}" for at in range(len(ids)))
        rename = dict(zip(ids, names, strict=True)).__getitem__
        for algorithm in (family.solve, family.verify):
            before, after = rename_solution(family, algorithm(instance), rename), algorithm(instance.rename_ids(rename))
            assert after.agrees_with(before), instance.canonical_json
            assert counts_hidden_order(family) or after.work == before.work, instance.canonical_json


def counts_hidden_order(family):
    """Whether updates are counted in the order of a hidden roster."""
    return getattr(oracle(family.name), "SCANS_HIDDEN", False)


def test_order_of_unordered_rosters_does_not_matter(family, instances):
    """The rosters that a family's oracle declares as unordered may be listed in any order."""
    names = oracle(family.name).UNORDERED
    changed = 0
    for number, instance in instances.items():
        stream = Stream("order", number)
        shuffled = instance.replace(**{name: stream.shuffled(getattr(instance, name)) for name in names})
        changed += shuffled != instance
        for algorithm in (family.solve, family.verify):
            assert algorithm(shuffled).agrees_with(algorithm(instance)), instance.canonical_json
    assert changed > len(instances) // 2


def mentioned_entities(instance, roster):
    """The entities of a roster that a fact or public table mentions."""
    tables = [relation for relation in instance.relations.values() if not relation.is_roster]
    columns = [
        (table, at, column) for table in tables for at, column in enumerate(table.columns) if column.roster_name == roster
    ]
    return {entity for table, at, column in columns for row in instance.rows(table.name) for entity in column.ids(row[at])}


def test_instances_round_trip_through_json_and_facts(family, instances):
    """Without hidden entities that no fact mentions: facts cannot restore them, and no generator draws them."""
    checked = 0
    for number, instance in instances.items():
        assert read_instance(instance.canonical_json) == instance
        assert read_instance(instance.canonical_json).digest == instance.digest
        hidden = [name for name, relation in instance.relations.items() if relation.is_roster and not relation.public]
        if all(set(getattr(instance, name)) <= mentioned_entities(instance, name) for name in hidden):
            assert check_roundtrips(family, instance, Stream("spelling", number)) is None, instance.canonical_json
            checked += 1
    assert checked > len(instances) // 4


def test_searches_stay_between_their_start_and_the_optimum(family, instances):
    for number, instance in instances.items():
        assert check_searches(family, instance, Stream("sample", number)) is None, instance.canonical_json
