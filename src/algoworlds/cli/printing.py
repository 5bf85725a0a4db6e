"""Tables on a terminal of 80 columns or more; in a pipe as wide as they need to be."""

from dataclasses import replace

from rich.console import Console
from rich.table import Column
from rich.table import Table as Drawn
from rich.text import Text

from algoworlds.grid import Grid, one_line
from algoworlds.suites.stats import EQUAL


def print_table(console: Console, table: Grid) -> None:
    """A table for a person; narrow terminals fold cells, and nothing is ever cut."""
    drawn = Drawn(*(Column(Text(one_line(name)), overflow="fold") for name in table.head), box=None, pad_edge=False)
    drawn.padding = (0, 1, 0, 0)
    for row in table.rows:
        drawn.add_row(*(Text(one_line(cell)) for cell in row))
    wide = console if console.is_terminal else Console(file=console.file, highlight=False, width=250)
    wide.print(drawn)
    console.print()


def columns(table: Grid, *names: str) -> Grid:
    """Some columns of a table."""
    places = [table.head.index(name) for name in names]
    return replace(table, head=names, rows=tuple(tuple(row[at] for at in places) for row in table.rows))


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
