"""`algoworlds probe`: is a configuration fit for a run, and what would the run take?"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from algoworlds.cli.flags import Json, print_json
from algoworlds.cli.progress import clock
from algoworlds.cli.streams import complain
from algoworlds.errors import InputError, shown
from algoworlds.grid import one_line

if TYPE_CHECKING:
    from algoworlds.runs.forecast import Forecast

MARKS = {"ok": "ok", "warning": "note", "problem": "NOT OK"}


def probe(
    model: Annotated[str, typer.Option(help="A model configuration: a TOML file, or a shipped name.")],
    world: Annotated[str, typer.Option(help="The small world to play.")] = "fleet_dispatch-0-1-direct",
    suite: Annotated[Path | None, typer.Option(help="Estimate a run on this suite.")] = None,
    trials: Annotated[int, typer.Option(help="Evaluations of every world, for the estimate.")] = 3,
    concurrency: Annotated[int, typer.Option(help="Evaluations at a time, for the estimate.")] = 1,
    patience: Annotated[float, typer.Option(help="Seconds of silence after which an answer is given up.")] = 60.0,
    json: Json = False,
) -> None:
    """Check a server and a model, part by part: connection, key, model, tools, tokens, limits; then what a run would take."""
    from algoworlds.cli.flags import world_of
    from algoworlds.runs.forecast import forecast
    from algoworlds.runs.probe import probe as probe_of
    from algoworlds.runs.providers.loading import load
    from algoworlds.suites.opened import open_suite

    if min(trials, concurrency) < 1 or not patience > 0:
        raise InputError("--trials and --concurrency count from 1, and --patience is a time above 0")
    configuration, opened = load(model), None if suite is None else open_suite(suite)
    found = probe_of(configuration, os.environ, world_of(world, None, None)[1], complain, patience)
    guess = None
    if opened is not None and not found.problems:
        guess = forecast(found.seen, opened, list(opened.manifest.worlds), trials, concurrency)
    if json:
        print_json(found.json | {"estimate": guess and guess._asdict()})
    else:
        print(f"{one_line(shown(configuration.label))} ({configuration.api})")
        for finding in found.findings:
            print(f"  {MARKS[finding.state]:6}  {finding.about}: {one_line(finding.text)}")
        _conclude(found.json, guess, opened is not None)
    if found.problems:
        raise typer.Exit(1)


def _conclude(told: dict[str, Any], guess: "Forecast | None", wanted: bool) -> None:
    if told["problems"]:
        print("not ready: a run would fail")
        return
    print("ready: it can follow the protocol")
    if guess is not None:
        cost = "no prices are configured" if guess.cost is None else f"{guess.cost:,.2f} USD"
        print(f"{guess.evaluations:,} evaluations by the shortest plans, at the pace of this one, would take about:")
        tokens = f"{guess.input:,} tokens read, {guess.output:,} written"
        print(f"  {guess.calls:,} requests, {tokens}, {clock(guess.seconds)}; {cost}")
    elif wanted:
        print("no estimate: the server does not tell its tokens")
