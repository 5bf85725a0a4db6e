"""`algoworlds serve`: worlds for agents of any kind, through MCP; `algoworlds tickets` lists and closes evaluations."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli.completion import complete_world
from algoworlds.cli.interruption import RESUME_HINT
from algoworlds.cli.options import (
    DEFAULT_TRIALS,
    ConditionsOption,
    FamiliesOption,
    InterfacesOption,
    JsonOption,
    LevelsOption,
    SuiteArgument,
    TrackOption,
    TrialsOption,
    WorldsOption,
    require_mcp,
    require_outside,
    select_worlds,
)
from algoworlds.cli.output import print_json, print_stderr
from algoworlds.errors import InputError, format_value, quote_value
from algoworlds.grid import to_one_line

if TYPE_CHECKING:
    from algoworlds.adapters.mcp.service import Service
    from algoworlds.suites.manifest import WorldEntry
    from algoworlds.suites.open import Suite

DEFAULT_PORT = 8421
WILDCARD_HOSTS = ("", "0.0.0.0", "::")
"""Addresses to listen on that clients cannot connect to."""


def serve(
    suite: SuiteArgument,
    out: Annotated[Path | None, typer.Option(help="Directory of the run; one that was served before is continued.")] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; other machines can reach any but this one.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any that is free.")] = DEFAULT_PORT,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Another name of this server for clients, as in a Compose file; may be repeated.")
    ] = None,
    worlds: WorldsOption = "*",
    families: FamiliesOption = None,
    levels: LevelsOption = None,
    interfaces: InterfacesOption = None,
    conditions: ConditionsOption = None,
    trials: TrialsOption = DEFAULT_TRIALS,
    track: TrackOption = "bare",
    label: Annotated[str, typer.Option(help="Name of the agent in tables.")] = "mcp",
    stdio: Annotated[bool, typer.Option("--stdio", help="Serve one world to the program that starts this command.")] = False,
    world: Annotated[str | None, typer.Option(help="With --stdio: the id of the world.", autocompletion=complete_world)] = None,
    json: JsonOption = False,
) -> None:
    """Let agents of any kind play worlds through MCP: each evaluation has its own address, which is written in its ticket."""
    require_mcp()
    from algoworlds.suites.open import open_suite

    if stdio != (world is not None):
        raise InputError("--stdio serves one world: use it together with --world ID")
    if out is None and not stdio:
        raise InputError("name a directory for the run with --out RUN")
    if stdio:
        from algoworlds.batch import require_posix

        require_posix("servers over --stdio")
    if stdio and json:
        raise InputError("--json prints the address of a server: over --stdio there is none, leave it out")
    opened = open_suite(suite, track)
    if world is not None:
        entry = opened.entry(world)
        with _directory_or_temporary(out) as directory, _open_service(directory, opened, [entry], 1, label) as service:
            service.serve_stdio()
        return
    assert out is not None
    entries = select_worlds(opened, worlds, families, levels, interfaces, conditions)
    with _open_service(out, opened, entries, trials, label) as service:
        _serve_http(service, host, port, [name.lower() for name in allow_host or ()], json)


@contextmanager
def _directory_or_temporary(out: Path | None) -> Iterator[Path]:
    """`out`, or without it a temporary directory to try a world out."""
    if out is not None:
        yield out
        return
    with TemporaryDirectory(prefix="algoworlds-") as folder:
        print_stderr("nothing is recorded: name a directory with --out RUN to keep a record")
        yield Path(folder) / "run"


@contextmanager
def _open_service(out: Path, suite: "Suite", worlds: "list[WorldEntry]", trials: int, label: str) -> "Iterator[Service]":
    """Create or resume the run in `out`, and hold its lock while it is served."""
    from algoworlds.adapters.mcp.service import RUN_SETTINGS, Service
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.schedule import Experiment
    from algoworlds.suites.record import PlayerKind

    require_outside(out, suite.directory)
    for world in worlds:  # a sealed file that cannot be read shows now, not at the first call of an agent
        suite.world(world), suite.key(world)
    experiment = Experiment.from_suite(label, PlayerKind.EXTERNAL, RUN_SETTINGS, suite, worlds, trials)
    directory = RunDirectory(out)
    with directory.lock():
        directory.create_or_resume(experiment, suite.directory)
        service = Service(directory, suite)
        service.finalize_ended()
        yield service
        service.seal()


def _serve_http(service: "Service", host: str, port: int, allowed: list[str], json: bool) -> None:
    from algoworlds.adapters.mcp.tickets import Tickets
    from algoworlds.runs.external.access import LOCAL_HOSTS, is_host_name, open_listener

    for name in allowed:
        if not is_host_name(name):
            raise InputError(f"--allow-host takes the name of a machine, like worlds.example, not {quote_value(name)}")
    directory, url_host = service.directory, f"[{host}]" if ":" in host else host
    ticket_host = allowed[0] if allowed else LOCAL_HOSTS[0] if host in WILDCARD_HOSTS else url_host
    if host in WILDCARD_HOSTS and not allowed:
        print_stderr("clients on other machines need a name from --allow-host; tickets hold the first of them")
    with open_listener(host, port) as listener:
        tickets, base = Tickets(directory), f"http://{ticket_host}:{listener.getsockname()[1]}"
        for ticket in tickets.issue(base):
            print_stderr(f"{to_one_line(format_value(ticket))} was damaged: it has been written again, with a new address")
        count = len(directory.schedule)
        pending = count - len(directory.finished_slots)
        if json:
            print_json({"address": base, "tickets": str(tickets.folder), "evaluations": count, "pending": pending})
        print_line = print_stderr if json else typer.echo
        print_line(f"{pending} of {count} evaluations to play at {base}, a ticket for each in {tickets.folder}")
        service.serve_http(listener, frozenset((*LOCAL_HOSTS, url_host, *allowed)), print_line)
    if directory.finished_slots != set(directory.schedule):
        path = to_one_line(format_value(directory.path))
        print_stderr(f"interrupted: {RESUME_HINT}; algoworlds tickets {path} lists the evaluations that have not ended")
        raise typer.Exit(130)
