"""Options and arguments that several commands share, and checks of their values."""

import re
import sys
from contextlib import nullcontext
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli import completion
from algoworlds.core.interface import Interface
from algoworlds.errors import InputError, format_value, quote_value

if TYPE_CHECKING:
    from algoworlds.suites.manifest import WorldEntry
    from algoworlds.suites.open import PublicSuite
    from algoworlds.worlds.admission import AdmittedInstance
    from algoworlds.worlds.world import World


class TableFormat(Enum):
    """How tables are written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    CSV = "csv"
    LATEX = "latex"


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
FormatOption = Annotated[TableFormat, typer.Option("--format", help="How to write the tables.")]
JobsOption = Annotated[int, typer.Option(help="Number of worker processes.")]
ExecutorOption = Annotated[str | None, typer.Option("--executor", help="A Dask scheduler, as dask://HOST:PORT.")]


def _check_seed(text: str | None) -> str | None:
    """The value of --seed; InputError if it is empty, which would silently mean the development split."""
    if text == "":
        raise InputError("--seed is empty: leave it out for the development split, or give any text")
    return text


SeedOption = Annotated[
    str | None,
    typer.Option(
        help="Any text selects other instances, none of a private suite; default: the development split.", callback=_check_seed
    ),
]
InterfaceOption = Annotated[Interface | None, typer.Option("--interface", help="Which interface; direct if the id names none.")]
WorldIdArgument = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="FAMILY-LEVEL-INDEX, optionally with -INTERFACE at the end.",
        autocompletion=completion.complete_world,
    ),
]
FamilyArgument = Annotated[
    str, typer.Argument(help="A family's name; algoworlds families lists them.", autocompletion=completion.complete_family)
]
FamiliesOption = Annotated[
    str | None,
    typer.Option(
        help="Comma-separated names; default: all that the command can use.", autocompletion=completion.complete_families
    ),
]
InterfacesOption = Annotated[
    str | None,
    typer.Option(help="Comma-separated: direct, mediated, split; default: all.", autocompletion=completion.complete_interfaces),
]
ConditionsOption = Annotated[
    str | None,
    typer.Option(
        help="Comma-separated: clear, noisy, stale, shift; default: all that the suite has.",
        autocompletion=completion.complete_conditions,
    ),
]
LevelsOption = Annotated[str | None, typer.Option(help="Comma-separated levels; default: all.")]
WorldsOption = Annotated[str, typer.Option(help="Only worlds whose id matches this pattern, as in 'fleet_*-direct'.")]
TrackOption = Annotated[
    str,
    typer.Option(
        "--track",
        help="What agents may use beside the tools: bare, code, solver, tables, facts, calls.",
        autocompletion=completion.complete_track,
    ),
]
TrialsOption = Annotated[int, typer.Option(help="Evaluations of every world.")]
MODEL_OPTION = typer.Option(
    "--model", help="A model configuration: a TOML file, or a shipped name.", autocompletion=completion.complete_model
)
SuiteArgument = Annotated[Path, typer.Argument(metavar="SUITE", help="A suite made by algoworlds build.")]


def _parse_root(text: str) -> str:
    """The value of --root; InputError unless it is a digest, so that an unset variable of the shell switches no check off."""
    if not re.fullmatch(r"[0-9a-fA-F]{64}", text):
        raise InputError(f"--root must be a digest of 64 hex digits, not {quote_value(text)}")
    return text.lower()


RootOption = Annotated[
    str | None,
    typer.Option(parser=_parse_root, metavar="HEX", help="The root digest that it must have; default: the one that it states."),
]
RunArgument = Annotated[Path, typer.Argument(metavar="RUN", help="A directory made by algoworlds run.")]
SuiteOption = Annotated[
    Path | None, typer.Option("--suite", metavar="SUITE", help="The suite of the run, if it has been moved.")
]
DEFAULT_TRIALS = 3
"""Evaluations of every world, as in the paper."""


MAX_INPUT_BYTES = 64 * 2**20
"""More than any instance that the exact algorithms can hold."""
MAX_COUNT = 1_000_000
"""The largest count that an option accepts, unless the command says otherwise."""


def read_text(path: str) -> str:
    """Read a UTF-8 file, or standard input if `path` is `-`; raise InputError if that fails or if it is too long."""
    if path == "-" and sys.stdin is None:
        raise InputError("cannot read -: standard input is closed")
    try:
        with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as file:
            content = file.read(MAX_INPUT_BYTES + 1)
        if len(content) > MAX_INPUT_BYTES:
            raise InputError(f"{format_value(path)} is longer than {MAX_INPUT_BYTES // 2**20} MiB, the limit of an instance")
        return content.decode()
    except OSError as problem:
        raise InputError(f"cannot read {format_value(path)}: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"cannot read {format_value(path)}: it is not UTF-8 text") from None


def parse_levels(text: str | None) -> tuple[int, ...]:
    """The levels in the value of --levels; empty if the option is missing."""
    try:
        return () if text is None else tuple(map(int, text.split(",")))
    except ValueError:
        raise InputError(f"--levels takes numbers like 1,2, not {quote_value(text)}") from None


def split_commas(option: str, text: str | None) -> tuple[str, ...]:
    """The parts of a comma-separated `option`; empty if it is missing. InputError if a part is empty."""
    parts = () if text is None else tuple(text.split(","))
    if "" in parts:
        raise InputError(f"{option} is empty or has an empty part: leave it out, or separate names by single commas")
    return parts


def require_positive(option: str, value: int, most: int = MAX_COUNT) -> None:
    """Raise InputError unless 1 <= `value` <= `most`."""
    if value < 1:
        raise InputError(f"{option} must be at least 1, not {value}")
    if value > most:
        raise InputError(f"{option} must be at most {most:,}, not {format_value(value)}")


def require_outside(out: Path, directory: Path, kind: str = "suite") -> None:
    """Raise InputError if `out` lies inside `directory`, which is a suite or a run that must not change."""
    if resolve_path(out).is_relative_to(resolve_path(directory)):
        raise InputError(f"{format_value(out)} lies inside the {kind}, which must not change: choose another --out")


def require_empty(out: Path) -> None:
    """Raise InputError unless `out` is missing or an empty directory."""
    if out.is_symlink() or (out.exists() and (not out.is_dir() or any(out.iterdir()))):
        raise InputError(f"{format_value(out)} exists and is not empty: choose another")


def resolve_path(path: Path) -> Path:
    """Resolve the symbolic links of `path`; raise InputError for a cycle of links."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        raise InputError(f"{format_value(path)} is a cycle of symbolic links: choose another path") from None


def require_mcp() -> None:
    """Raise InputError if the extra `mcp` is not installed."""
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise InputError("this needs the MCP SDK: pip install 'algoworlds[mcp]'")


def select_worlds(
    suite: "PublicSuite",
    pattern: str,
    families: str | None,
    levels: str | None,
    interfaces: str | None,
    conditions: str | None = None,
) -> "list[WorldEntry]":
    """The worlds of `suite` that the options --worlds, --families, --levels, --interfaces and --conditions select."""
    from algoworlds.runs.schedule import WorldFilter
    from algoworlds.suites.suite import parse_conditions

    return WorldFilter(
        pattern,
        split_commas("--families", families),
        parse_levels(levels),
        split_commas("--interfaces", interfaces),
        parse_conditions(split_commas("--conditions", conditions)),
    ).select(suite)


def find_entry(suite: "PublicSuite", world_id: str, interface: Interface | None) -> "WorldEntry":
    """The world of `suite` called `world_id`, which may leave out the interface."""
    if world_id not in suite.entries:
        return suite.entry(f"{world_id}-{(interface or Interface.DIRECT).value}")
    entry = suite.entries[world_id]
    if interface and entry.interface != interface.value:
        raise _contradicting_interfaces(entry.interface, interface)
    return entry


def _contradicting_interfaces(named: str, interface: Interface) -> InputError:
    return InputError(f"the id says {named} and --interface says {interface.value}; leave one of them out")


def admit_world(world_id: str, interface: Interface | None, seed: str | None) -> "tuple[AdmittedInstance, World]":
    """Generate and certify the instance that `world_id` names, and build its world."""
    from algoworlds.worlds.admission import admit
    from algoworlds.worlds.world import build_world, parse_world_id

    coordinate, named = parse_world_id(world_id, seed)
    if named and interface and named is not interface:
        raise _contradicting_interfaces(named.value, interface)
    return (admitted := admit(coordinate)), build_world(admitted, named or interface or Interface.DIRECT)
