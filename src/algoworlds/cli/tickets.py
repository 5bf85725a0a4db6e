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
    from algoworlds.runs.schedule import Slot
    from algoworlds.suites.open import Suite


def tickets(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A directory made by algoworlds serve, or run with your agent.")],
    close: Annotated[
        str | None, typer.Option(help="End an evaluation without a decision, by the name of its ticket, or 'all'.")
    ] = None,
    suite: SuiteOption = None,
    json: JsonOption = False,
) -> None:
    """List the tickets of a run that is served, with the status of each; or close evaluations that were abandoned.

    Evaluations of your own agent can be closed too, once it was started three times and ended from outside every time.
    """
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.external.run import STARTING_ADAPTERS
    from algoworlds.runs.rescore import open_suite_of_run

    directory = RunDirectory(run)
    is_served = directory.document["plan"]["settings"].get("door") not in STARTING_ADAPTERS
    if is_served:
        require_mcp()
    opened = None if close is None else open_suite_of_run(directory, suite)
    rows = _list_evaluations(directory, is_served)
    if close is not None and opened is not None:
        _close(directory, close, opened)
        rows = _list_evaluations(directory, is_served)
    if json:
        print_json(rows)
        return
    missing = "handed out" if is_served else "-"
    cells = [(row["name"], row["status"], str(row["calls"]), row["ticket"] or missing) for row in rows]
    print_rows(("evaluation", "status", "calls", "ticket"), cells)


def _list_evaluations(directory: "RunDirectory", is_served: bool) -> list[JsonObject]:
    """Every evaluation with its status: waiting, playing, or how it ended. Addresses are secret and left out."""
    from algoworlds.runs.directory import sort_slots

    paths: dict[Slot, Path] = {}
    if is_served:
        from algoworlds.adapters.mcp.tickets import Tickets

        tickets = Tickets(directory)
        paths = {slot: path for slot in tickets.slot_by_digest.values() if (path := tickets.path(slot)).is_file()}
    finished, rows = directory.finished_slots, []
    for slot in sort_slots(directory.schedule):
        calls = sum(isinstance(line, dict) and "tool" in line for line in directory.read_journal(slot))
        status = directory.read_record(slot)["stop_reason"] if slot in finished else "playing" if calls else "waiting"
        ticket = str(paths[slot]) if slot in paths else None
        rows.append({"name": slot.name, "status": status, "calls": calls, "ticket": ticket})
    return rows


def _close(directory: "RunDirectory", name: str, suite: "Suite") -> None:
    from algoworlds.runs.external.run import close_evaluations

    slots = [slot for slot in directory.schedule if name in (slot.name, "all")]
    if not slots:
        raise InputError(f"no evaluation is called {quote_value(name)}; run this without --close to list them")
    with directory.lock():
        finished = directory.finished_slots
        close_evaluations(directory, suite, [slot for slot in slots if slot not in finished])
        if directory.finished_slots == set(directory.schedule):
            directory.write_manifest()
