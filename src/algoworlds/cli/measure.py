"""`algoworlds measure`: how many bits of work a player optimizes, by an adaptive test on fresh worlds."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli.completion import complete_agent, complete_interfaces
from algoworlds.cli.interruption import RESUME_HINT
from algoworlds.cli.options import (
    MODEL_OPTION,
    FamiliesOption,
    JobsOption,
    JsonOption,
    TrackOption,
    require_positive,
    split_commas,
)
from algoworlds.cli.output import print_json, print_stderr
from algoworlds.core.interface import Interface
from algoworlds.errors import InputError, format_value, quote_value
from algoworlds.grid import to_one_line

if TYPE_CHECKING:
    from algoworlds.cli.run_target import RunOptions, RunTarget
    from algoworlds.runs.measurement import MeasurementDirectory, MeasurementPlan, Round

EVALUATIONS, IN_FLIGHT, WITHIN = 200, 20, 1.0
INSPECT_SETTINGS = {"door": "inspect"}
"""The settings of a measurement whose rounds are imported from logs of Inspect."""


def measure(
    out: Annotated[Path, typer.Option(help="Directory of the measurement; an interrupted one there is continued.")],
    agent: Annotated[
        str | None,
        typer.Option(
            help="Your own: FILE.py:FUNCTION or PACKAGE.MODULE:FUNCTION; or a scripted agent, as for algoworlds run.",
            autocompletion=complete_agent,
        ),
    ] = None,
    model: Annotated[str | None, MODEL_OPTION] = None,
    command: Annotated[
        str | None, typer.Option(help="A program of your own that plays through MCP, as for algoworlds run.")
    ] = None,
    inspect: Annotated[
        str | None, typer.Option(metavar="LABEL", help="Inspect plays: build the next round and say how to play and import it.")
    ] = None,
    families: FamiliesOption = None,
    evaluations: Annotated[int, typer.Option(help="The most evaluations.")] = EVALUATIONS,
    within: Annotated[float, typer.Option(help="Half-width in bits at which the measurement of a family ends.")] = WITHIN,
    in_flight: Annotated[
        int, typer.Option("--in-flight", help="Evaluations that are chosen at a time, and may be under way together.")
    ] = IN_FLIGHT,
    interfaces: Annotated[
        str, typer.Option(help="Comma-separated; they take turns.", autocompletion=complete_interfaces)
    ] = "direct,mediated",
    seed: Annotated[
        str | None, typer.Option(help="A text that the worlds follow from, to measure again; default: secrets that are drawn.")
    ] = None,
    concurrency: Annotated[
        int, typer.Option(help="Evaluations at a time; for scripted agents, processes, at most one per core.")
    ] = 1,
    jobs: JobsOption = 1,
    max_cost: Annotated[float | None, typer.Option(help="USD after which no further request is sent to the model.")] = None,
    label: Annotated[str | None, typer.Option(help="Name of your own agent in tables; default: its own name.")] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds that your own agent has for an evaluation; default: 3600.")
    ] = None,
    track: TrackOption = "",
    network_disk: Annotated[
        bool, typer.Option("--network-disk", help="Allow --out on a network disk, whose locks may not hold.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Measure how many bits of work a player optimizes: the difficulty at which it is exactly optimal half of the time.

    Fresh worlds between 2^6 and 2^28 of executed work, in rounds: each round is chosen from all outcomes before it. A
    family ends when its threshold is known within --within bits, the measurement with its last family or --evaluations.
    """
    from algoworlds.cli.run_target import RunOptions, choose_track, target_from_options
    from algoworlds.families import FAMILIES
    from algoworlds.runs.measurement import MeasurementDirectory, MeasurementPlan, Secrets
    from algoworlds.suites.suite import draw_secret

    require_positive("--concurrency", concurrency)
    by_name = {interface.value: interface for interface in Interface}
    names = split_commas("--interfaces", interfaces)
    if unknown := [name for name in names if name not in by_name]:
        raise InputError(f"there is no interface {quote_value(unknown[0])}; choose from {', '.join(by_name)}")
    if seed == "":
        raise InputError("--seed is empty: leave it out to draw secrets, or give any text")
    options = RunOptions(agent, model, command, concurrency, max_cost, label, time_limit)
    if inspect is not None and [agent, model, command] != [None, None, None]:
        raise InputError("--inspect is for a model that Inspect plays: leave out --agent, --model and --command")
    target = target_from_options(options) if inspect is None else _inspect_target(inspect)
    directory = MeasurementDirectory(out)
    chosen = split_commas("--families", None if families == "all" else families) or tuple(FAMILIES)
    target.require_ready(chosen)
    with directory.lock():
        secrets = Secrets(seed) if seed is not None else directory.sealed_secrets() or Secrets(draw_secret(), draw_secret())
        plan = MeasurementPlan(
            target.label,
            target.kind,
            target.settings,
            chosen,
            tuple(by_name[name] for name in names),
            evaluations,
            min(in_flight, evaluations),
            within,
            secrets.commitment,
            choose_track(agent, track),
        )
        directory.create_or_resume(plan, secrets)
        complete = _play_rounds(directory, plan, options, jobs, network_disk)
    _print_results(directory, json)
    if not complete:
        print_stderr(RESUME_HINT)
        raise typer.Exit(1)


def _inspect_target(label: str) -> "RunTarget":
    """The player of a measurement through Inspect; its rounds are imported, never played here."""
    from algoworlds.cli.run_target import RunTarget
    from algoworlds.errors import require_printable
    from algoworlds.suites.record import PlayerKind

    require_printable("--inspect", label)
    return RunTarget(label, PlayerKind.EXTERNAL, dict(INSPECT_SETTINGS), lambda run, suite, totals, on_progress: None)


def _print_inspect_steps(current: "Round", plan: "MeasurementPlan") -> None:
    """Print how to play a round with Inspect, and how to import its log."""
    suite, run = shlex.quote(str(current.suite_path)), shlex.quote(str(current.run.path))
    print_stderr(f"play: inspect eval algoworlds/algoworlds --model MODEL -T suite={suite}")
    imported = f"algoworlds import inspect LOG --label {shlex.quote(plan.label)} --suite {suite} --out {run}"
    print_stderr(f"then: {imported}")


def _play_rounds(
    directory: "MeasurementDirectory", plan: "MeasurementPlan", options: "RunOptions", jobs: int, network_disk: bool
) -> bool:
    """Play rounds until the measurement is over; False if one of them cannot be finished now."""
    from algoworlds.cli.progress import workers_with_progress
    from algoworlds.runs.measurement import outcomes_of

    while True:
        done = len(outcomes_of(directory.finished_rounds))
        with workers_with_progress(f"certifying worlds after {done} evaluations", jobs) as (workers, progress):
            current = directory.next_round(workers, progress)
        if current is None:
            return True
        if plan.settings == INSPECT_SETTINGS:
            _print_inspect_steps(current, plan)
            return False
        if not _play_round(directory, current, plan, options, done, network_disk):
            return False


def _play_round(
    directory: "MeasurementDirectory",
    current: "Round",
    plan: "MeasurementPlan",
    options: "RunOptions",
    done: int,
    network_disk: bool,
) -> bool:
    """Play one round to its end, or to where it is halted."""
    from algoworlds.cli.progress import run_progress
    from algoworlds.cli.run_target import target_from_options
    from algoworlds.runs.schedule import Experiment
    from algoworlds.runs.worker_pool import Totals

    suite, run = current.open_suite(plan.track), current.run
    spent = sum(record["cost"] or 0.0 for _, record in directory.records())
    if options.max_cost is not None:
        if spent >= options.max_cost:
            print_stderr(f"stopped: the cost limit of {options.max_cost:g} USD is reached")
            return False
        options = replace(options, max_cost=options.max_cost - spent)
    target = target_from_options(options)
    experiment = Experiment.from_suite(plan.label, plan.kind, plan.settings, suite, list(suite.manifest.worlds), 1)
    with run.lock(network_disk):
        run.create_or_resume(experiment, current.suite_path)
        totals = Totals.from_directory(run)
        first_line = f"{plan.label}: {done} of at most {plan.evaluations} evaluations done, {totals.scheduled} in this round"
        with run_progress(totals, to_one_line(first_line)) as on_progress:
            target.play(run, suite, totals, on_progress)
        complete = totals.finished == totals.scheduled
        if complete:
            run.write_manifest()
    if totals.halted:
        print_stderr(f"stopped: {to_one_line(totals.halted)}")
    for kind, count in totals.pending.items():
        print_stderr(f"left pending: {count} ({kind})")
    if totals.interrupted:
        raise typer.Exit(130)
    return complete


def _print_results(directory: "MeasurementDirectory", json: bool) -> None:
    from rich.console import Console

    from algoworlds.cli.tables import print_table
    from algoworlds.reports.thresholds import MeasurementResults, threshold_grid

    results = MeasurementResults.from_directory(directory)
    if json:
        print_json(results.json)
        return
    table = threshold_grid(results)
    print(to_one_line(table.caption))
    print_table(Console(), table)
    path = to_one_line(format_value(directory.path))
    print(f"  curves, example worlds of these sizes, comparisons: algoworlds thresholds {path} --out report")
