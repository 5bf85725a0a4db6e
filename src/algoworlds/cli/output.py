"""What commands print: lines on stderr, JSON documents, tables in text formats; and repair of closed standard streams."""

import os
import re
import select
import sys
from collections.abc import Iterable
from contextlib import suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

import typer

from algoworlds.cli.options import TableFormat
from algoworlds.core.canonical import JsonObject
from algoworlds.errors import MAX_VALUE_CHARS, format_value
from algoworlds.grid import to_one_line

if TYPE_CHECKING:
    from algoworlds.grid import Grid

_LONG_WORD = re.compile(rf"[^\s'\"(),:;]{{{MAX_VALUE_CHARS + 1},}}")
"""Shortened in every message, because it may come from the argument parser, a server or the name of a stray file."""


def print_stderr(message: str) -> None:
    """Print one line on stderr, without control characters and with long words shortened; a reader that is gone is no error."""
    with suppress(BrokenPipeError):
        print(to_one_line(_LONG_WORD.sub(lambda word: format_value(word[0]), message)), file=sys.stderr, flush=True)


def print_json(document: Any) -> None:
    """Print one indented JSON document on stdout."""
    import json

    typer.echo(json.dumps(document, indent=2, ensure_ascii=True))


def print_result(document: JsonObject, line: str, json: bool) -> None:
    """Print `document` if `json` is set, otherwise `line`."""
    if json:
        print_json(document)
    else:
        print(to_one_line(line))


def print_rows(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Print a table for people."""
    from algoworlds.cli.console import SafeConsole
    from algoworlds.cli.tables import print_table
    from algoworlds.grid import Grid

    print_table(SafeConsole(), Grid("table", "", head, tuple(rows)))


def print_problems(document: JsonObject, problems: list[str], success: str, json: bool) -> None:
    """Print the outcome of a check: `problems` on stderr and exit code 1, or `success`; as JSON, one document with both."""
    if json:
        print_json(document | {"problems": problems})
    else:
        for problem in problems:
            print_stderr(problem)
        if not problems:
            print(to_one_line(success))
    if problems:
        raise typer.Exit(1)


def format_tables(tables: "dict[str, Grid]", form: TableFormat) -> str:
    """All tables as Markdown, CSV or LaTeX."""
    from algoworlds.grid import to_csv, to_latex, to_markdown

    writers = {TableFormat.MARKDOWN: to_markdown, TableFormat.CSV: to_csv, TableFormat.LATEX: to_latex}
    return "\n\n".join(map(writers[form], tables.values()))


def repair_standard_streams() -> None:
    """Send output to the null device where a stream is closed, and escape characters that a terminal's encoding lacks.

    A closed descriptor is reserved at once: otherwise the next file that is opened would get its number, and receive
    everything that is printed. A closed standard input stays None; commands that read it report that.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(number, "w", encoding="utf-8", closefd=False))  # noqa: SIM115 - open until exit
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def is_stdout_abandoned() -> bool:
    """Whether the standard output is a pipe that nothing reads any more."""
    if not hasattr(select, "poll"):  # Windows
        return False
    poll = select.poll()
    poll.register(1, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def discard_output() -> None:
    """Redirect stdout and stderr to the null device, so that the interpreter reports no error when it flushes them at exit."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
