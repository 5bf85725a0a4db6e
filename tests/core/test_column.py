"""A row has one JSON encoding, whether encoded alone or column by column."""

import pytest

from algoworlds.core.canonical import canonical_json
from algoworlds.core.column import Column, row_texts


class Anything(Column):
    """A column without an encoding of its own."""

    def parse(self, value, rosters):
        return value


ROWS = [
    [],
    [("a", 1), ("b", -2)],
    [("a",)],
    [("a],[b", 1), ("c", 2)],
    [('"],["', "é\\"), ("],[", "")],
    [("a", (1, 2), ("b",)), ("c", (), (3,))],
    [(True, None), (False, 0)],
    [("a],null,[b", (1,), None, (2,)), ("c", 2, None, ())],
]


@pytest.mark.parametrize("rows", ROWS, ids=str)
def test_encoding_by_column_equals_encoding_by_row(rows):
    columns = [Anything(f"c{at}") for at in range(len(rows[0]) if rows else 2)]
    assert row_texts(columns, rows) == [canonical_json(row) for row in rows]
