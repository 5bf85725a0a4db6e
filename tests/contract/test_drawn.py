"""What is drawn is right and as instances keep it, though nothing checks it on the way."""

import pytest

from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.worlds.admit import Coordinate, instance_at


def listed(instance):
    """All tables, in the order of their entries where they have one."""
    return {name: list(table.items()) if hasattr(table, "items") else table for name, table in instance.tables.items()}


@pytest.mark.parametrize("level", [0, 1, 2], ids="level-{}".format)
@pytest.mark.parametrize("name", FAMILIES)
def test_draws_pass_every_check_unchanged(name, level):
    own = FAMILIES[name]
    drawn = own.generate(own.levels[level], Stream("drawn", name, level)), instance_at(Coordinate(name, level, 1, "drawn"), 0)
    for instance in drawn:
        checked = own.instance(**instance.tables)
        assert instance.valid
        assert listed(instance) == listed(checked)
