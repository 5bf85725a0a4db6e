"""Flags, arguments and small habits that commands share."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from algoworlds.cli.streams import complain
from algoworlds.core.interface import Interface
from algoworlds.errors import InputError, quoted, shown
from algoworlds.grid import one_line

if TYPE_CHECKING:
    from algoworlds.worlds.admit import Admitted
    from algoworlds.worlds.world import World


Json = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
Seed = Annotated[
    str | None,
    typer.Option(help="Any text gives other instances, but of no private suite; the development split's if left out."),
]
Shown = Annotated[Interface | None, typer.Option("--interface", help="Which interface; direct where the id names none.")]
WorldId = Annotated[str, typer.Argument(metavar="ID", help="FAMILY-LEVEL-INDEX, with -INTERFACE at the end if you like.")]


def print_json(value: Any) -> None:
    """JSON for a program: one indented document on stdout."""
    import json

    typer.echo(json.dumps(value, indent=2, ensure_ascii=True))


def print_problems(document: dict[str, Any], problems: list[str], fine: str, json: bool) -> None:
    """What a check found: problems on stderr and exit code 1, or the good news; for a program, one document with both."""
    if json:
        print_json(document | {"problems": problems})
    else:
        for problem in problems:
            complain(problem)
        if not problems:
            print(one_line(fine))
    if problems:
        raise typer.Exit(1)


def read_text(path: str) -> str:
    """The text of a file, or of standard input for `-`; InputError says what is wrong with it."""
    if path == "-" and sys.stdin is None:
        raise InputError("cannot read -: standard input is closed")
    try:
        return (sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()).decode()
    except OSError as problem:
        raise InputError(f"cannot read {shown(path)}: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"cannot read {shown(path)}: it is not UTF-8 text") from None


def levels_of(text: str | None) -> tuple[int, ...]:
    """The levels that --levels names; none if it is left out."""
    try:
        return () if text is None else tuple(int(each) for each in text.split(","))
    except ValueError:
        raise InputError(f"--levels takes numbers like 1,2, not {quoted(text)}") from None


def listed(text: str | None) -> tuple[str, ...]:
    """What an option lists; nothing if it is left out."""
    return tuple(text.split(",")) if text else ()


def require_outside(out: Path, directory: Path, what: str = "suite") -> None:
    """InputError if what is to be written lies inside a suite or a run."""
    if resolved(out).is_relative_to(resolved(directory)):
        raise InputError(f"{shown(out)} lies inside the {what}, which must stay as it is: choose another --out")


def resolved(path: Path) -> Path:
    """Where a path leads."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # links that lead in a circle
        raise InputError(f"{shown(path)} cannot be followed to a directory: name another") from None


def require_mcp() -> None:
    """InputError if the extra is not there that serves worlds to programs."""
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise InputError("this needs the MCP SDK: pip install 'algoworlds[mcp]'")


def world_of(text: str, interface: Interface | None, seed: str | None) -> "tuple[Admitted, World]":
    """The certified instance and the world that a world id names."""
    from algoworlds.worlds.admit import admit
    from algoworlds.worlds.world import build, parse_id

    coordinate, named = parse_id(text, seed)
    if named and interface and named is not interface:
        raise InputError(f"the id says {named.value} and --interface says {interface.value}; leave one of them out")
    return (admitted := admit(coordinate)), build(admitted, named or interface or Interface.DIRECT)
