"""`algoworlds serve` and `algoworlds tickets`: worlds for agents that come from elsewhere, through MCP."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from algoworlds.cli.flags import Json, levels_of, listed, print_json, require_mcp, require_outside
from algoworlds.cli.interruption import AGAIN
from algoworlds.cli.streams import complain
from algoworlds.errors import InputError, quoted, shown
from algoworlds.grid import Grid, one_line

if TYPE_CHECKING:
    from algoworlds.adapters.mcp.serving import Service
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.slot import Slot
    from algoworlds.suites.manifest import Entry
    from algoworlds.suites.opened import Opened

PORT = 8421
EVERYWHERE = ("", "0.0.0.0", "::")
"""Addresses that are none to reach us by."""


def serve(
    suite: Annotated[Path, typer.Argument(metavar="SUITE", help="A suite made by algoworlds build.")],
    out: Annotated[Path | None, typer.Option(help="Directory of the run; one that was served before is continued.")] = None,
    host: Annotated[str, typer.Option(help="Address to listen on; other machines can reach any but this one.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any that is free.")] = PORT,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Another name by which clients reach us, as in a Compose file; may be repeated.")
    ] = None,
    worlds: Annotated[str, typer.Option(help="Only worlds whose id fits this pattern, as in 'fleet_*-direct'.")] = "*",
    families: Annotated[str | None, typer.Option(help="Only these families, as in transit_routing,fleet_dispatch.")] = None,
    levels: Annotated[str | None, typer.Option(help="Only these levels, as in 1,2.")] = None,
    interfaces: Annotated[str | None, typer.Option(help="Only these interfaces: direct, mediated.")] = None,
    trials: Annotated[int, typer.Option(help="Evaluations of every world.")] = 1,
    label: Annotated[str, typer.Option(help="What plays is called so in tables.")] = "mcp",
    stdio: Annotated[bool, typer.Option("--stdio", help="Serve one world to the program that starts this command.")] = False,
    world: Annotated[str | None, typer.Option(help="With --stdio: the id of the world.")] = None,
    json: Json = False,
) -> None:
    """Let agents of any kind play worlds through MCP: each evaluation has an address of its own, which its ticket tells."""
    require_mcp()
    from algoworlds.runs.schedule import Wanted
    from algoworlds.suites.opened import open_suite

    if stdio != (world is not None):
        raise InputError("--stdio serves one world: name it by --world ID, and only then")
    if out is None and not stdio:
        raise InputError("name a directory for the run by --out RUN")
    if stdio and json:
        raise InputError("--json tells where a server is; over --stdio only its client listens")
    opened = open_suite(suite)
    if world is not None:
        entry = opened.entry(world)
        with _kept(out) as kept, _held(kept, opened, [entry], 1, label) as service:
            service.over_stdio()
        return
    assert out is not None
    wanted = Wanted(worlds, listed(families), levels_of(levels), listed(interfaces)).of(opened)
    with _held(out, opened, wanted, trials, label) as service:
        _serve(service, host, port, [each.lower() for each in allow_host or ()], json)


@contextmanager
def _kept(out: Path | None) -> Iterator[Path]:
    """Where a run is kept; who names no place only tries a world out."""
    if out is not None:
        yield out
        return
    with TemporaryDirectory(prefix="algoworlds-") as folder:
        complain("nothing of this is kept: name a directory by --out RUN to have a record")
        yield Path(folder) / "run"


@contextmanager
def _held(out: Path, suite: "Opened", worlds: "list[Entry]", trials: int, label: str) -> "Iterator[Service]":
    """The run, begun or taken up, and held by this process."""
    from algoworlds.adapters.mcp.serving import SETTINGS, Service
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.schedule import Experiment
    from algoworlds.suites.record import Kind

    require_outside(out, suite.directory)
    experiment = Experiment.of(label, Kind.EXTERNAL, SETTINGS, suite, worlds, trials)
    directory = RunDirectory(out)
    with directory.locked():
        directory.begin(experiment, suite.directory)
        service = Service(directory, suite)
        service.settle()
        yield service
        service.seal()


def _serve(service: "Service", host: str, port: int, allowed: list[str], json: bool) -> None:
    from algoworlds.adapters.mcp.tickets import Tickets
    from algoworlds.runs.external.access import LOCAL, bound, is_name

    for name in allowed:
        if not is_name(name):
            raise InputError(f"--allow-host takes the name of a machine, like worlds.example, not {quoted(name)}")
    directory, spelled = service.directory, f"[{host}]" if ":" in host else host
    told = allowed[0] if allowed else LOCAL[0] if host in EVERYWHERE else spelled
    if host in EVERYWHERE and not allowed:
        complain("clients of other machines are answered only by names that --allow-host lists; tickets name the first of them")
    with bound(host, port) as listener:
        tickets, base = Tickets(directory), f"http://{told}:{listener.getsockname()[1]}"
        tickets.issue(base)
        many, left = len(directory.schedule), len(directory.schedule) - len(directory.finished)
        if json:
            print_json({"address": base, "tickets": str(tickets.folder), "evaluations": many, "pending": left})
        say = complain if json else typer.echo
        say(f"{left} of {many} evaluations to play at {base}, a ticket for each in {tickets.folder}")
        service.over_http(listener, frozenset((*LOCAL, spelled, *allowed)), say)
    if directory.finished != set(directory.schedule):
        place = one_line(shown(directory.path))
        complain(f"interrupted: {AGAIN}; algoworlds tickets {place} lists the evaluations that have not ended")
        raise typer.Exit(130)


def tickets(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A directory made by algoworlds serve.")],
    close: Annotated[
        str | None, typer.Option(help="End an evaluation, by the name of its ticket, or 'all': its agent has not decided.")
    ] = None,
    suite: Annotated[Path | None, typer.Option(help="The suite of the run, if it is no longer where it was.")] = None,
    json: Json = False,
) -> None:
    """List the tickets of a run that is served, with what has become of each; or close evaluations that nobody goes on with."""
    require_mcp()
    from rich.console import Console

    from algoworlds.cli.printing import print_table
    from algoworlds.runs.directory import RunDirectory

    directory = RunDirectory(run)
    if close is not None:
        _close(directory, close, suite)
    rows = _listing(directory)
    if json:
        print_json(rows)
        return
    cells = tuple((each["name"], each["status"], str(each["calls"]), each["ticket"] or "handed out") for each in rows)
    print_table(Console(highlight=False), Grid("tickets", "", ("evaluation", "status", "calls", "ticket"), cells))


def _listing(directory: "RunDirectory") -> list[dict[str, Any]]:
    """Every evaluation: waiting, playing, or how it ended; nobody's address is told."""
    from algoworlds.adapters.mcp.tickets import Tickets
    from algoworlds.runs.directory import in_order

    tickets, finished, rows = Tickets(directory), directory.finished, []
    for slot in in_order(tickets.slots.values()):
        calls = sum("tool" in line for line in directory.journaled(slot))
        status = directory.record(slot)["stop_reason"] if slot in finished else "playing" if calls else "waiting"
        path = tickets.path(slot)
        rows.append({"name": slot.name, "status": status, "calls": calls, "ticket": str(path) if path.is_file() else None})
    return rows


def _close(directory: "RunDirectory", name: str, suite: Path | None) -> None:
    from algoworlds.adapters.mcp.serving import Service
    from algoworlds.runs.rescore import suite_of

    left: list[Slot] = [slot for slot in directory.schedule if slot not in directory.finished]
    chosen = [slot for slot in left if name in (slot.name, "all")]
    if not chosen:
        raise InputError(f"no evaluation that goes on is called {quoted(name)}; without --close they are listed")
    with directory.locked():
        service = Service(directory, suite_of(directory, suite))
        service.end(chosen)
        service.seal()
