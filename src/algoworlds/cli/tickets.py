"""`algoworlds tickets`: the evaluations of a run that `algoworlds serve` serves."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli.options import JsonOption, SuiteOption, require_mcp
from algoworlds.cli.output import print_json, print_rows
from algoworlds.core.canonical import JsonObject
from algoworlds.errors import InputError, quote_value

if TYPE_CHECKING:
    from algoworlds.runs.directory import RunDirectory


def tickets(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A directory made by algoworlds serve.")],
    close: Annotated[
        str | None, typer.Option(help="End an evaluation without a decision, by the name of its ticket, or 'all'.")
    ] = None,
    suite: SuiteOption = None,
    json: JsonOption = False,
) -> None:
    """List the tickets of a run that is served, with the status of each; or close evaluations that were abandoned."""
    require_mcp()
    from algoworlds.runs.directory import RunDirectory

    directory = RunDirectory(run)
    if close is not None:
        _close(directory, close, suite)
    rows = _list_evaluations(directory)
    if json:
        print_json(rows)
        return
    cells = [(row["name"], row["status"], str(row["calls"]), row["ticket"] or "handed out") for row in rows]
    print_rows(("evaluation", "status", "calls", "ticket"), cells)


def _list_evaluations(directory: "RunDirectory") -> list[JsonObject]:
    """Every evaluation with its status: waiting, playing, or how it ended. Addresses are secret and left out."""
    from algoworlds.adapters.mcp.tickets import Tickets
    from algoworlds.runs.directory import sort_slots

    tickets, finished, rows = Tickets(directory), directory.finished_slots, []
    for slot in sort_slots(tickets.slot_by_digest.values()):
        calls = sum("tool" in line for line in directory.read_journal(slot))
        status = directory.read_record(slot)["stop_reason"] if slot in finished else "playing" if calls else "waiting"
        path = tickets.path(slot)
        rows.append({"name": slot.name, "status": status, "calls": calls, "ticket": str(path) if path.is_file() else None})
    return rows


def _close(directory: "RunDirectory", name: str, suite: Path | None) -> None:
    from algoworlds.adapters.mcp.service import Service
    from algoworlds.runs.rescore import open_suite_of_run

    pending = [slot for slot in directory.schedule if slot not in directory.finished_slots]
    slots = [slot for slot in pending if name in (slot.name, "all")]
    if not slots:
        raise InputError(f"no pending evaluation is called {quote_value(name)}; run this without --close to list them")
    with directory.lock():
        service = Service(directory, open_suite_of_run(directory, suite))
        service.close_evaluations(slots)
        service.seal()
