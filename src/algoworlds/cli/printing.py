"""Tables on a terminal of 80 columns or more; in a pipe as wide as they need to be."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column
from rich.table import Table as Drawn
from rich.text import Text

from algoworlds.grid import Grid, one_line
from algoworlds.suites.stats import EQUAL

GAP = 1
"""Blanks between two columns."""
PIPED = 250
"""Columns of a line that goes to a program or a file, unless COLUMNS says otherwise."""


def print_table(console: Console, table: Grid) -> None:
    """A table for a person. In a narrow terminal texts are wrapped, and columns stand below one another: no word is cut."""
    shown = replace(table, head=_plain(table.head), rows=tuple(map(_plain, table.rows)))
    own = console.is_terminal or "COLUMNS" in os.environ
    wide = console if own else Console(file=console.file, highlight=False, width=PIPED)
    for part in _fitting(shown, wide.width):
        wide.print(_drawn(part, wide.width))
        console.print()


def _plain(cells: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(one_line, cells))


def _fitting(table: Grid, width: int) -> Iterator[Grid]:
    """The table, or if its words need more room several with the first column in each."""
    least = [_longest(column, str.split) for column in _columns(table)]
    places: list[int] = []
    for at in range(1, len(table.head)):
        if places and least[0] + sum(least[each] + GAP for each in (*places, at)) > width:
            yield _part(table, (0, *places))
            places = []
        places.append(at)
    yield _part(table, (0, *places))


def _columns(table: Grid) -> list[tuple[str, ...]]:
    return list(zip(table.head, *table.rows, strict=True))


def _longest(cells: Iterable[str], words: Callable[[str], list[str]] = lambda cell: [cell]) -> int:
    return max((cell_len(word) for cell in cells for word in words(cell)), default=0)


def _part(table: Grid, places: Sequence[int]) -> Grid:
    return replace(
        table,
        head=tuple(table.head[at] for at in places),
        rows=tuple(tuple(row[at] for at in places) for row in table.rows),
    )


def _drawn(table: Grid, width: int) -> Drawn:
    """A table whose columns have room for their longest words at least, and alike shares of what more there is."""
    made = _columns(table)
    widths, full = [_longest(column, str.split) for column in made], [_longest(column) for column in made]
    spare = width - sum(widths) - GAP * (len(widths) - 1)
    wanting = sorted(range(len(widths)), key=lambda each: full[each] - widths[each])
    for left, at in zip(range(len(wanting), 0, -1), wanting, strict=True):
        more = max(0, min(spare // left, full[at] - widths[at]))
        widths[at], spare = widths[at] + more, spare - more
    heads = [Column(Text(name), width=room, overflow="fold") for name, room in zip(table.head, widths, strict=True)]
    drawn = Drawn(*heads, box=None, pad_edge=False, padding=(0, GAP, 0, 0))
    for row in table.rows:
        drawn.add_row(*map(Text, row))
    return drawn


def columns(table: Grid, *names: str) -> Grid:
    """Some columns of a table."""
    return _part(table, [table.head.index(name) for name in names])


def print_statistics(console: Console, tables: dict[str, Grid]) -> None:
    """The tables of a suite, each under its caption."""
    for name, table in tables.items():
        console.print(Text(table.caption), style="bold")
        if name == "access":
            print_access(console, table)
        else:
            print_table(console, table)


def print_access(console: Console, table: Grid) -> None:
    """Three lines a family: its name and groups, our figures, and the paper's, if any, or a mark alone where they are equal."""
    figures = [[EQUAL if cell.startswith(EQUAL) else cell for cell in row[3:]] for row in table.rows]
    lines = [("", *table.head[3:]), *((row[1], *cells) for row, cells in zip(table.rows, figures, strict=True))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    head, *texts = [_aligned(line, widths) for line in lines]
    console.print(Text(head), soft_wrap=True)
    groups = {(row[0], row[1]): row[2] for row in table.rows}
    for row, text in zip(table.rows, texts, strict=True):
        if row[1] == "ours":
            paper = f" (paper {groups[row[0], 'paper']})" if (row[0], "paper") in groups else ""
            console.print(Text(f"{row[0]}, {row[2]} groups of information{paper}"), soft_wrap=True)
        console.print(Text(text), soft_wrap=True)
    console.print()


def _aligned(cells: tuple[str, ...], widths: list[int]) -> str:
    numbers = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
    return " ".join([cells[0].ljust(widths[0]), *numbers]).rstrip()
