"""`algoworlds run`, `status`, `records`, `verify-run` and `rescore`: evaluations and their records."""

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from algoworlds.cli.flags import Json, levels_of, listed, print_json, print_problems, require_outside
from algoworlds.cli.interruption import AGAIN
from algoworlds.cli.progress import progress_bar
from algoworlds.cli.release import Jobs
from algoworlds.cli.streams import complain
from algoworlds.errors import InputError, shown
from algoworlds.grid import one_line

if TYPE_CHECKING:
    from algoworlds.cli.contestant import Contestant
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.schedule import Experiment
    from algoworlds.runs.totals import Totals
    from algoworlds.suites.opened import Opened

Model = Annotated[str | None, typer.Option("--model", help="A model configuration: a TOML file, or a shipped name.")]
Run = Annotated[Path, typer.Argument(metavar="RUN", help="A directory made by algoworlds run.")]
SuiteOf = Annotated[Path | None, typer.Option("--suite", help="The suite of the run, if it is no longer where it was.")]


def run(
    suite: Annotated[Path, typer.Option(help="A suite made by algoworlds build.")],
    out: Annotated[Path, typer.Option(help="Directory of the run; an interrupted run there is continued.")],
    agent: Annotated[
        str | None,
        typer.Option(
            help="Your own: FILE.py:FUNCTION or PACKAGE.MODULE:FUNCTION; or a scripted agent: null, random, greedy, "
            "local_search, thrifty, certifier, oracle, replay:RUN."
        ),
    ] = None,
    model: Model = None,
    command: Annotated[
        str | None,
        typer.Option(
            help="A program of your own that plays through MCP, in the shell's words; {task} is a file with the task, "
            "{mcp} its client's configuration, {url} the address to play at, {folder} its own folder."
        ),
    ] = None,
    trials: Annotated[int, typer.Option(help="Evaluations of every world.")] = 3,
    worlds: Annotated[str, typer.Option(help="Only worlds whose id fits this pattern, as in 'fleet_*-direct'.")] = "*",
    families: Annotated[str | None, typer.Option(help="Comma-separated names; all if left out.")] = None,
    levels: Annotated[str | None, typer.Option(help="Comma-separated levels; all if left out.")] = None,
    interfaces: Annotated[str | None, typer.Option(help="Comma-separated; all if left out.")] = None,
    concurrency: Annotated[
        int, typer.Option(help="Evaluations at a time; for scripted agents, processes, one a core at most.")
    ] = 1,
    max_cost: Annotated[float | None, typer.Option(help="USD after which nothing further is asked of the model.")] = None,
    label: Annotated[str | None, typer.Option(help="What your own agent is called in tables; its name if left out.")] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds that your own agent has for an evaluation; 3600 if left out.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, with --json whole; do nothing.")] = False,
    network_disk: Annotated[
        bool, typer.Option("--network-disk", help="Allow --out on a network disk, whose locks may not hold.")
    ] = False,
    json: Json = False,
) -> None:
    """Evaluate an agent or a model on a suite: one finalized record per world and trial, whatever happens on the way."""
    from algoworlds.cli.contestant import Given, chosen
    from algoworlds.cli.live import live
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.schedule import Experiment, Wanted
    from algoworlds.runs.totals import Totals
    from algoworlds.suites.opened import open_suite

    if concurrency < 1:
        raise InputError(f"--concurrency counts from 1, so {concurrency} is none")
    require_outside(out, suite)
    opened = open_suite(suite)
    wanted = Wanted(worlds, listed(families), levels_of(levels), listed(interfaces)).of(opened)
    contestant = chosen(Given(agent, model, command, concurrency, max_cost, label, time_limit))
    experiment = Experiment.of(contestant.label, contestant.kind, contestant.settings, opened, wanted, trials)
    if dry_run:
        _print_dry(experiment, opened, contestant, json)
        return
    contestant.check(list(dict.fromkeys(entry.family for entry in wanted)))
    directory = RunDirectory(out)
    with directory.locked(network_disk):
        directory.begin(experiment, suite)
        totals = Totals.of(directory)
        with live(totals) as watch:
            contestant.play(directory, opened, totals, watch)
        complete = totals.finished == totals.scheduled
        if complete:
            directory.seal()
    _conclude(directory, totals, json)
    if not complete:
        raise typer.Exit(130 if totals.interrupted else 1)


def _print_dry(experiment: "Experiment", suite: "Opened", contestant: "Contestant", json: bool) -> None:
    """What a run would do: a summary for a person, the whole schedule and the first request for a program."""
    from algoworlds.core.canonical import compact_text

    schedule = experiment.schedule
    first = contestant.first(suite, schedule[0].world)
    if json:
        slots = [[each.world, each.trial] for each in schedule]
        told = {"identity": experiment.identity, "evaluations": len(schedule), "schedule": slots, "first_request": first}
        print_json(told)
        return
    names = {each.world for each in schedule}
    entries = [each for each in suite.manifest.worlds if each.id in names]
    print(one_line(f"{shown(contestant.label)} ({contestant.kind.value}), identity {experiment.identity[:16]}"))
    print(f"  {len(schedule):,} evaluations: {len(entries):,} worlds, {experiment.trials} trials of each")
    for what in ("family", "level", "interface"):
        counts = Counter(str(getattr(each, what)) for each in entries)
        print(f"  worlds by {what}: " + ", ".join(f"{name} {count}" for name, count in counts.items()))
    print(f"  in this order: {', '.join(each.name for each in schedule[:3])}, ...")
    if first is not None:
        print(f"  the first request: {len(compact_text(first)):,} bytes with the fields {', '.join(first)}; --json prints it")
    print("  nothing was done; without --dry-run this is what happens")


def _conclude(directory: "RunDirectory", totals: "Totals", json: bool) -> None:
    from algoworlds.runs.crew import APART
    from algoworlds.runs.status import status

    found = status(directory) | {"halted": totals.halted, "left_pending": totals.pending}
    if json:
        print_json(found)
        return
    _print_status(found)
    if totals.halted:
        complain(f"stopped: {totals.halted}")
    for kind, count in totals.pending.items():
        where = f", see {shown(directory.path / 'quarantine')}" if kind in {event.value for event in APART} else ""
        complain(f"left pending: {count} ({kind}{where})")
    if found["pending"]:
        complain(AGAIN)
    else:
        print(f"  what could have been known: algoworlds judge {one_line(shown(directory.path))}")


def status(directory: Run, json: Json = False) -> None:
    """How far a run is: finished and pending evaluations, outcomes, stop reasons, tokens, cost, attempts."""
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.status import status as status_of

    found = status_of(RunDirectory(directory))
    if json:
        print_json(found)
    else:
        _print_status(found)


def _print_status(found: dict[str, Any]) -> None:
    rate = 100 * found["exact"] / found["finished"] if found["finished"] else 0.0
    made = f"{found['finished']} of {found['scheduled']} evaluations finished"
    print(f"{one_line(shown(found['configuration']))}: {made}, {rate:.1f} % exact")
    for name in ("outcomes", "stop_reasons"):
        print(f"  {name.replace('_', ' ')}: " + (", ".join(f"{key} {count}" for key, count in found[name].items()) or "none"))
    if found["kind"] == "external":
        print(f"  agents started again: {found['restarts']}")
        for kind, said in found["reasons"].items():
            print(f"  the last {kind}: {one_line(said)}; what was printed is under output/")
    if found["kind"] == "model":
        cost = "unknown" if found["cost"] is None else f"{found['cost']:.2f} USD"
        tokens = ", ".join(f"{kind} {count:,}" for kind, count in found["tokens"].items() if count is not None)
        print(f"  tokens: {tokens or 'unknown'}; cost: {cost}; requests {found['requests']}, retried {found['retries']}")
        for kind, number in found["faults"].items():
            said = found["reasons"][kind]
            print(f"  {number} requests failed with {kind}" + (f", the last: {one_line(said)}" if said else ""))


def records(
    directory: Run, json: Annotated[bool, typer.Option("--json", help="One JSON array in place of lines of JSON.")] = False
) -> None:
    """Every finalized record as one line of JSON, by world and trial."""
    from algoworlds.core.canonical import canonical_text
    from algoworlds.runs.directory import RunDirectory

    if json:
        print_json(list(RunDirectory(directory).records()))
        return
    for document in RunDirectory(directory).records():
        sys.stdout.write(canonical_text(document) + "\n")


def verify_run(directory: Run, suite: SuiteOf = None, jobs: Jobs = 1, json: Json = False) -> None:
    """Check a run: one record per scheduled evaluation, digests, and every trajectory replayed against the suite."""
    from algoworlds.batch import engine
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.rescore import suite_of
    from algoworlds.runs.rescore import verify_run as problems_of

    found = RunDirectory(directory)
    opened = suite_of(found, suite)
    with engine(jobs, None) as workers, progress_bar("replaying") as progress:
        problems = list(map(one_line, problems_of(found, opened, workers, progress)))
    told = {"evaluations": len(found.schedule), "identity": found.document["identity"]}
    fine = f"{len(found.schedule)} records verified: each trajectory replayed, each measure recomputed"
    print_problems(told, problems, fine, json)


def rescore(
    directory: Run,
    suite: SuiteOf = None,
    out: Annotated[Path | None, typer.Option(help="Write the run with the new records here; the old one stays.")] = None,
    jobs: Jobs = 1,
    json: Json = False,
) -> None:
    """Recompute every measure of a run from its trajectories and the suite, and say what changed."""
    from algoworlds.batch import engine
    from algoworlds.runs.directory import RunDirectory
    from algoworlds.runs.rescore import rescore_run, suite_of, write_rescored

    opened = suite_of(found := RunDirectory(directory), suite)
    with engine(jobs, None) as workers, progress_bar("rescoring") as progress:
        made = sorted(rescore_run(found, opened, workers, progress), key=lambda each: each.slot.name)
    told = {each.slot.name: [each.problem] if each.problem else list(each.changes) for each in made}
    changed = {name: changes for name, changes in told.items() if changes}
    if out is not None:
        write_rescored(found, made, out)
    if json:
        print_json({"records": len(made), "changed": changed, "out": None if out is None else str(out)})
    else:
        for name, changes in changed.items():
            print(one_line(f"{name}: {'; '.join(map(str, changes))}"))
        print(f"{len(made)} records recomputed, {len(changed)} changed")
    if any(each.problem for each in made):
        raise typer.Exit(1)
