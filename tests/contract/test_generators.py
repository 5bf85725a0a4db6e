"""Generated instances are valid and in canonical form, although generators check nothing."""

import pytest

from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.worlds.admission import Coordinate, draw_instance


def ordered_tables(instance):
    """All tables, with the order of their entries."""
    return {name: list(table.items()) if hasattr(table, "items") else table for name, table in instance.tables.items()}


@pytest.mark.parametrize("level", [0, 1, 2], ids="level-{}".format)
@pytest.mark.parametrize("name", FAMILIES)
def test_generated_instances_pass_every_check_unchanged(name, level):
    family = FAMILIES[name]
    generated = family.generate(family.levels[level], Stream("drawn", name, level))
    for instance in (generated, draw_instance(Coordinate(name, level, 1, "drawn"), 0)):
        checked = family.instance(**instance.tables)
        assert instance.valid
        assert ordered_tables(instance) == ordered_tables(checked)
