"""Tables for people: they fit a terminal of 80 columns or more; in a pipe they are as wide as they need to be."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column
from rich.table import Table as RichTable
from rich.text import Text

from algoworlds.grid import Grid, to_one_line
from algoworlds.suites.paper_tables import EQUAL_MARK

COLUMN_GAP = 1
"""Blanks between two columns."""
PIPE_WIDTH = 250
"""Width of lines that go to a program or a file, unless COLUMNS is set."""


def print_table(console: Console, table: Grid) -> None:
    """Print a table. In a narrow terminal texts wrap and columns move to further tables below; no word is cut."""
    head, *rows = (tuple(map(to_one_line, cells)) for cells in (table.head, *table.rows))
    table = replace(table, head=head, rows=tuple(rows))
    has_width = console.is_terminal or "COLUMNS" in os.environ
    wide = console if has_width else Console(file=console.file, highlight=False, width=PIPE_WIDTH)
    for part in _split_to_width(table, wide.width):
        wide.print(_layout(part, wide.width))
        console.print()


def _split_to_width(table: Grid, width: int) -> Iterator[Grid]:
    """The table, or if its longest words need more than `width`, several tables that repeat the first column."""
    least = [_longest_word(column) for column in _columns(table)]
    part: list[int] = []
    for index in range(1, len(table.head)):
        if part and least[0] + sum(least[column] + COLUMN_GAP for column in (*part, index)) > width:
            yield _select(table, (0, *part))
            part = []
        part.append(index)
    yield _select(table, (0, *part))


def _columns(table: Grid) -> list[tuple[str, ...]]:
    return list(zip(table.head, *table.rows, strict=True))


def _longest_word(cells: Iterable[str]) -> int:
    return max((cell_len(word) for cell in cells for word in cell.split()), default=0)


def _select(table: Grid, columns: Sequence[int]) -> Grid:
    rows = tuple(tuple(row[column] for column in columns) for row in table.rows)
    return replace(table, head=tuple(table.head[column] for column in columns), rows=rows)


def _layout(table: Grid, width: int) -> RichTable:
    """Give every column the width of its longest word, and share what is left, narrowest need first."""
    columns = _columns(table)
    widths, full = list(map(_longest_word, columns)), [max(map(cell_len, column)) for column in columns]
    spare = width - sum(widths) - COLUMN_GAP * (len(widths) - 1)
    by_need = sorted(range(len(widths)), key=lambda column: full[column] - widths[column])
    for left, column in zip(range(len(by_need), 0, -1), by_need, strict=True):
        more = max(0, min(spare // left, full[column] - widths[column]))
        widths[column], spare = widths[column] + more, spare - more
    heads = [Column(Text(name), width=size, overflow="fold") for name, size in zip(table.head, widths, strict=True)]
    layout = RichTable(*heads, box=None, pad_edge=False, padding=(0, COLUMN_GAP, 0, 0))
    for row in table.rows:
        layout.add_row(*map(Text, row))
    return layout


def select_columns(table: Grid, *names: str) -> Grid:
    """The table with only the columns `names`."""
    return _select(table, [table.head.index(name) for name in names])


def print_statistics(console: Console, tables: dict[str, Grid]) -> None:
    """Print the tables of a suite, each under its caption."""
    for name, table in tables.items():
        console.print(Text(table.caption), style="bold")
        (_print_access if name == "access" else print_table)(console, table)


def _print_access(console: Console, table: Grid) -> None:
    """Print three lines per family: name and groups, our figures, and the paper's if any, or a mark where they are equal."""
    figures = [[EQUAL_MARK if cell.startswith(EQUAL_MARK) else cell for cell in row[3:]] for row in table.rows]
    lines = [("", *table.head[3:]), *((row[1], *cells) for row, cells in zip(table.rows, figures, strict=True))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    head, *texts = [_align(line, widths) for line in lines]
    console.print(Text(head), soft_wrap=True)
    groups = {(row[0], row[1]): row[2] for row in table.rows}
    for row, text in zip(table.rows, texts, strict=True):
        if row[1] == "ours":
            paper = f" (paper {groups[row[0], 'paper']})" if (row[0], "paper") in groups else ""
            console.print(Text(f"{row[0]}, {row[2]} groups of information{paper}"), soft_wrap=True)
        console.print(Text(text), soft_wrap=True)
    console.print()


def _align(cells: tuple[str, ...], widths: list[int]) -> str:
    numbers = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
    return " ".join([cells[0].ljust(widths[0]), *numbers]).rstrip()
