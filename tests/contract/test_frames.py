"""What is made of ids once for all instances that differ in numbers holds for each, as if it were made anew."""

import pytest

from algoworlds.core.column import Int
from algoworlds.errors import InstanceError
from algoworlds.families import FAMILIES
from tests.certified import certified


def moved_on(cells):
    return [*cells[1:], *cells[:1]]


def altered(instance):
    """The instance with the cells of one table moved on by one, and with the numbers of one column, table by table."""
    for name, each in instance.relations.items():
        table = getattr(instance, name)
        if not (each.keys and each.values and len(table) > 1):
            continue
        yield instance.unchecked(**{name: dict(zip(table, moved_on(list(table.values())), strict=True))})
        for at, column in enumerate(each.columns):
            if at >= len(each.keys) and isinstance(column, Int):
                yield instance.unchecked(
                    **{name: instance.relations[name].with_column(table, at, moved_on(instance.cells(name, at)))}
                )


@pytest.mark.parametrize("name", FAMILIES)
def test_altered_instances_are_solved_as_if_made_anew(name):
    family, instance = FAMILIES[name], certified(name).instance
    algorithms = (family.solve, family.verify, family.reference)
    for algorithm in algorithms:  # so that frames are there to be shared
        algorithm(instance)
    tried = [other for other in altered(instance) if other.valid]
    assert tried
    for other in tried:
        anew = type(instance)(**other.tables)
        assert [algorithm(other) for algorithm in algorithms] == [algorithm(anew) for algorithm in algorithms]
        assert other.problem == anew.problem


@pytest.mark.parametrize("name", FAMILIES)
def test_altered_instances_are_refused_as_if_made_anew(name):
    instance = certified(name).instance
    for other in altered(instance):
        try:
            type(instance)(**other.tables)
            right = True
        except InstanceError:
            right = False
        assert other.valid is right
