"""`algoworlds probe`: whether a model configuration is ready for a run, and what the run would take."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli.completion import complete_world
from algoworlds.cli.options import DEFAULT_TRIALS, MODEL_OPTION, JsonOption, TrialsOption, admit_world, require_positive
from algoworlds.cli.output import print_json, print_stderr
from algoworlds.cli.progress import format_duration
from algoworlds.errors import InputError, format_value
from algoworlds.grid import to_one_line

if TYPE_CHECKING:
    from algoworlds.runs.probe import Forecast

STATE_LABELS = {"ok": "ok", "warning": "note", "problem": "NOT OK"}


def probe(
    model: Annotated[str, MODEL_OPTION],
    world: Annotated[
        str, typer.Option(help="The small world to play.", autocompletion=complete_world)
    ] = "fleet_dispatch-0-1-direct",
    suite: Annotated[Path | None, typer.Option(metavar="SUITE", help="Estimate a run on this suite.")] = None,
    trials: TrialsOption = DEFAULT_TRIALS,
    concurrency: Annotated[int, typer.Option(help="Evaluations at a time, for the estimate.")] = 1,
    patience: Annotated[float, typer.Option(help="Seconds of silence after which a request is given up.")] = 60.0,
    json: JsonOption = False,
) -> None:
    """Check a server and a model, part by part: connection, key, model, tools, tokens, limits; then what a run would take."""
    from algoworlds.runs.probe import forecast_run, run_probe
    from algoworlds.runs.providers.configuration_file import load_configuration
    from algoworlds.suites.open import open_suite

    require_positive("--trials", trials)
    require_positive("--concurrency", concurrency)
    if not patience > 0:
        raise InputError(f"--patience must be a number of seconds above 0, not {patience:g}")
    configuration, opened = load_configuration(model), None if suite is None else open_suite(suite)
    result = run_probe(configuration, os.environ, admit_world(world, None, None)[1], print_stderr, patience)
    forecast = None
    if opened is not None and not result.problems:
        forecast = forecast_run(result, opened, list(opened.manifest.worlds), trials, concurrency)
    if json:
        print_json(result.json | {"estimate": forecast and forecast._asdict()})
    else:
        print(f"{to_one_line(format_value(configuration.label))} ({configuration.api})")
        for finding in result.findings:
            print(f"  {STATE_LABELS[finding.state]:6}  {finding.about}: {to_one_line(finding.text)}")
        print("not ready: a run would fail" if result.problems else "ready: it can follow the protocol")
        if forecast is not None:
            _print_forecast(forecast)
        elif opened is not None and not result.problems:
            print("no estimate: the server does not report its tokens")
    if result.problems:
        raise typer.Exit(1)


def _print_forecast(forecast: "Forecast") -> None:
    cost = "no prices are configured" if forecast.cost is None else f"{forecast.cost:,.2f} USD"
    print(f"{forecast.evaluations:,} evaluations by the shortest plans, at the pace of this one, would take about:")
    tokens = f"{forecast.input:,} tokens read, {forecast.output:,} written"
    print(f"  {forecast.calls:,} requests, {tokens}, {format_duration(forecast.seconds)}; {cost}")
