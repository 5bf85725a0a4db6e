"""`algoworlds run`: evaluate an agent or a model on a suite."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from algoworlds.cli.completion import complete_agent
from algoworlds.cli.interruption import RESUME_HINT
from algoworlds.cli.options import (
    DEFAULT_TRIALS,
    MODEL_OPTION,
    ConditionsOption,
    FamiliesOption,
    InterfacesOption,
    JsonOption,
    LevelsOption,
    SuiteArgument,
    TrackOption,
    TrialsOption,
    WorldsOption,
    require_outside,
    require_positive,
    select_worlds,
    split_commas,
)
from algoworlds.cli.output import print_json, print_stderr
from algoworlds.cli.status import print_status
from algoworlds.errors import format_value
from algoworlds.grid import to_one_line

if TYPE_CHECKING:
    from algoworlds.cli.run_target import RunTarget
    from algoworlds.core.canonical import JsonObject
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.schedule import Experiment
    from algoworlds.runs.worker_pool import Totals
    from algoworlds.suites.open import Suite


def run(
    suite: SuiteArgument,
    out: Annotated[Path, typer.Option(help="Directory of the run; an interrupted run there is continued.")],
    agent: Annotated[
        str | None,
        typer.Option(
            help="Your own: FILE.py:FUNCTION or PACKAGE.MODULE:FUNCTION; or a scripted agent: null, random, greedy, "
            "local_search, thrifty, certifier, oracle, patient, once, averager, replay:RUN.",
            autocompletion=complete_agent,
        ),
    ] = None,
    model: Annotated[str | None, MODEL_OPTION] = None,
    command: Annotated[
        str | None,
        typer.Option(
            help="A program of your own that plays through MCP, as a shell command; {task} is a file with the task, "
            "{mcp} its client's configuration, {url} the address to play at, {folder} its own folder."
        ),
    ] = None,
    trials: TrialsOption = DEFAULT_TRIALS,
    worlds: WorldsOption = "*",
    families: FamiliesOption = None,
    levels: LevelsOption = None,
    interfaces: InterfacesOption = None,
    conditions: ConditionsOption = None,
    concurrency: Annotated[
        int, typer.Option(help="Evaluations at a time; for scripted agents, processes, at most one per core.")
    ] = 1,
    effort: Annotated[
        str | None,
        typer.Option(help="Reasoning efforts of the model, as low,medium,high: one run each, in OUT/low, OUT/medium, ..."),
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="USD after which no further request is sent to the model; for each effort.")
    ] = None,
    label: Annotated[str | None, typer.Option(help="Name of your own agent in tables; default: its own name.")] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds that your own agent has for an evaluation; default: 3600.")
    ] = None,
    track: TrackOption = "",
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Score your own agent also where it ends before its first call.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be done, with --json in full, and do nothing.")
    ] = False,
    network_disk: Annotated[
        bool, typer.Option("--network-disk", help="Allow --out on a network disk, whose locks may not hold.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Evaluate an agent or a model on a suite: one finalized record per world and trial, whatever happens on the way."""
    from algoworlds.cli.progress import run_progress
    from algoworlds.cli.run_target import RunOptions, choose_track, target_from_options
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.schedule import Experiment
    from algoworlds.runs.worker_pool import Totals
    from algoworlds.suites.open import open_suite

    require_positive("--concurrency", concurrency)
    require_outside(out, suite)
    opened = open_suite(suite, choose_track(agent, track))
    entries = select_worlds(opened, worlds, families, levels, interfaces, conditions)
    options = RunOptions(agent, model, command, concurrency, max_cost, label, time_limit, keep_going)
    efforts = split_commas("--effort", effort)
    targets = {out: target_from_options(options)}
    if efforts:
        targets = {out / name: target_from_options(replace(options, effort=name)) for name in efforts}
    experiments = {
        path: Experiment.from_suite(target.label, target.kind, target.settings, opened, entries, trials)
        for path, target in targets.items()
    }
    if dry_run:
        plans = [_describe_dry_run(experiment, opened, targets[path], json) for path, experiment in experiments.items()]
        if json:
            print_json(plans if efforts else plans[0])
        return
    documents = []
    for path, target in targets.items():
        target.require_ready(list(dict.fromkeys(entry.family for entry in entries)))
        directory = RunDirectory(path)
        if efforts:
            out.mkdir(parents=True, exist_ok=True)
        with directory.lock(network_disk):
            directory.create_or_resume(experiments[path], suite)
            totals = Totals.from_directory(directory)
            with run_progress(totals, _first_line(experiments[path], totals, concurrency)) as on_progress:
                target.play(directory, opened, totals, on_progress)
            complete = totals.finished == totals.scheduled
            if complete:
                directory.write_manifest()
        documents.append(_describe_result(directory, totals, json))
        if not complete:
            break
    if json:
        print_json(documents if efforts else documents[0])
    if not complete:
        raise typer.Exit(130 if totals.interrupted else 1)


def _first_line(experiment: "Experiment", totals: "Totals", concurrency: int) -> str:
    """What is running, for a model: its first answer may take many minutes. Empty for other players."""
    if experiment.kind.value != "model":
        return ""
    label, suite = format_value(experiment.label), format_value(experiment.suite_name)
    open_count = totals.scheduled - totals.finished
    evaluations = f"{open_count:,} of {totals.scheduled:,} evaluations to play, up to {concurrency} at a time"
    return to_one_line(f"running {label} on the suite {suite}: {evaluations}")


def _describe_dry_run(experiment: "Experiment", suite: "Suite", target: "RunTarget", json: bool) -> "JsonObject":
    """What a run would do: the whole schedule and the first request; unless `json`, a summary is printed for a person."""
    from algoworlds.core.canonical import compact_json
    from algoworlds.tracks.track import EPISODE_COMPUTE, EPISODE_SECONDS

    schedule = experiment.schedule
    first = target.first_request(suite, schedule[0].world)
    slots = [[slot.world, slot.trial] for slot in schedule]
    compute = EPISODE_COMPUTE * len(schedule) if suite.track.runs_programs else 0
    document = {"identity": experiment.identity, "evaluations": len(schedule), "schedule": slots, "first_request": first}
    document["compute"] = compute
    if json:
        return document
    scheduled_worlds = {slot.world for slot in schedule}
    entries = [entry for entry in suite.manifest.worlds if entry.id in scheduled_worlds]
    print(to_one_line(f"{format_value(target.label)} ({target.kind.value}), identity {experiment.identity[:16]}"))
    print(f"  {len(schedule):,} evaluations: {len(entries):,} worlds, {experiment.trials} trials of each")
    for field in ("family", "level", "interface"):
        counts = Counter(str(getattr(entry, field)) for entry in entries)
        print(f"  worlds by {field}: " + ", ".join(f"{name} {count}" for name, count in counts.items()))
    print(f"  in this order: {', '.join(slot.name for slot in schedule[:3])}, ...")
    if first is not None:
        print(f"  the first request: {len(compact_json(first)):,} bytes with the fields {', '.join(first)}; --json prints it")
    if suite.track.runs_programs:
        hours = EPISODE_SECONDS * len(schedule) / 3600
        most = f"at most {EPISODE_COMPUTE:,} million instructions ({EPISODE_SECONDS} s of CPU) an evaluation"
        print(f"  programs of the track {suite.track.name} compute here: {most}, {hours:,.1f} h in all")
    print("  nothing was done; run this without --dry-run to start")
    return document


def _describe_result(directory: "RunDirectory", totals: "Totals", json: bool) -> "JsonObject":
    """The status of a run that has ended or paused; printed for people unless `json`."""
    from algoworlds.runs.status import run_status
    from algoworlds.runs.worker_pool import QUARANTINED_EVENTS

    status = run_status(directory) | {"halted": totals.halted, "left_pending": totals.pending}
    if json:
        return status
    print_status(status)
    if totals.halted:
        print_stderr(f"stopped: {totals.halted}")
    quarantined = {event.value for event in QUARANTINED_EVENTS}
    for kind, count in totals.pending.items():
        hint = f", see {format_value(directory.path / 'quarantine')}" if kind in quarantined else ""
        print_stderr(f"left pending: {count} ({kind}{hint})")
    if status["pending"]:
        print_stderr(RESUME_HINT)
    else:
        print(f"  what could have been known: algoworlds judge {to_one_line(format_value(directory.path))}")
    return status
