"""One spelling for every row, whether written alone or with others."""

import pytest

from algoworlds.core.canonical import canonical_text, row_texts

ROWS = [
    [],
    [("a", 1), ("b", -2)],
    [("a",)],
    [(), ("a",), ()],
    [("a],[b", 1), ("c", 2)],
    [('"],["', "é\\"), ("],[", "")],
    [("a", (1, 2), ("b",)), ("c", (), (3,))],
    [(True, None), (False, 0)],
    [("a],null,[b", (1,), None, (2,)), ("c", 2)],
]


@pytest.mark.parametrize("rows", ROWS, ids=str)
def test_rows_written_together_read_as_if_written_alone(rows):
    assert row_texts(rows) == [canonical_text(row)[1:-1] for row in rows]
