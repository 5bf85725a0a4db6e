"""One spelling for every row, whether written alone or a column at a time."""

import pytest

from algoworlds.core.canonical import canonical_text
from algoworlds.core.column import Column, row_texts


class Anything(Column):
    """A column that does not say how its cells are written."""

    def read(self, value, rosters):
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
def test_rows_written_together_read_as_if_written_alone(rows):
    columns = [Anything(f"c{at}") for at in range(len(rows[0]) if rows else 2)]
    assert row_texts(columns, rows) == [canonical_text(row) for row in rows]
