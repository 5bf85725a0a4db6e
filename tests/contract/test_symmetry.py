"""How answers move when an instance is only written differently, and what searches do on any instance. For every family.

In the catalogue: F2.
"""

import pytest

from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES, read_instance
from algoworlds.suites.contracts.formal import ids_of, moved, searches, spelling
from tests.oracles import oracle

QUICK, FULL = range(80), range(80, 1_000)


@pytest.fixture(params=FAMILIES, ids=str)
def family(request):
    return FAMILIES[request.param]


@pytest.fixture(params=[QUICK, pytest.param(FULL, marks=pytest.mark.full)], ids=len)
def instances(request, family):
    """Small instances by their numbers."""
    return {number: oracle(family.name).small(Stream("symmetry", family.name, number)) for number in request.param}


def test_renaming_in_order_maps_the_answer_and_leaves_the_work(family, instances):
    for instance in instances.values():
        plain = instance.renamed(str)  # with the rosters that no question lists in id order
        for algorithm in (family.solve, family.verify):
            assert algorithm(plain.renamed("x-{}".format)) == moved(family, algorithm(plain), "x-{}".format), instance.text


def test_renaming_out_of_order_maps_the_optimum(family, instances):
    """Hidden rosters are put in the order of the new ids, which must not matter, nor be counted but where it is declared."""
    for number, instance in instances.items():
        ids = ids_of(instance)
        names = Stream("names", number).shuffled(f"n{at:03}" for at in range(len(ids)))
        rename = dict(zip(ids, names, strict=True)).__getitem__
        for algorithm in (family.solve, family.verify):
            before, after = moved(family, algorithm(instance), rename), algorithm(instance.renamed(rename))
            assert after.agrees(before), instance.text
            assert scans_hidden(family) or after.work == before.work, instance.text


def scans_hidden(family):
    """Whether updates are counted while scanning a roster that no question lists, in its order."""
    return getattr(oracle(family.name), "SCANS_HIDDEN", False)


def test_order_without_meaning_does_not_matter(family, instances):
    """The rosters that a family's oracle calls unordered may be listed in any order."""
    names = oracle(family.name).UNORDERED
    changed = 0
    for number, instance in instances.items():
        stream = Stream("order", number)
        shuffled = instance.replace(**{name: stream.shuffled(getattr(instance, name)) for name in names})
        changed += shuffled != instance
        for algorithm in (family.solve, family.verify):
            assert algorithm(shuffled).agrees(algorithm(instance)), instance.text
    assert changed > len(instances) // 2


def mentioned(instance, roster):
    """The entities of a roster that some fact or public table is about."""
    tables = [each for each in instance.relations.values() if not each.is_roster]
    columns = [(each, at, column) for each in tables for at, column in enumerate(each.columns) if column.of == roster]
    return {entity for each, at, column in columns for row in instance.rows(each.name) for entity in column.ids(row[at])}


def test_any_instance_survives_json_and_its_facts(family, instances):
    """A hidden entity that no fact is about cannot come back from the facts, and no generator makes one."""
    whole = 0
    for number, instance in instances.items():
        assert read_instance(instance.text) == instance
        assert read_instance(instance.text).digest == instance.digest
        hidden = [name for name, each in instance.relations.items() if each.is_roster and not each.public]
        if all(set(getattr(instance, name)) <= mentioned(instance, name) for name in hidden):
            assert spelling(family, instance, Stream("spelling", number)) is None, instance.text
            whole += 1
    assert whole > len(instances) // 4


def test_searches_stay_between_their_start_and_the_optimum(family, instances):
    for number, instance in instances.items():
        assert searches(family, instance, Stream("sample", number)) is None, instance.text
