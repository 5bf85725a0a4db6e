"""`python -m bench.report [SUITE]`: CPU time and peak memory of judging and reporting 5,040 records, half of them uninformed.

Seven configurations play the development split (built first, unless one is named) three times: a way to learn enough, of which
an uninformed one leaves out some calls at the end, and then a random feasible decision, with a sentence at every turn. The
report is made of records alone, the runs are judged, and the report is made again, each in a process of its own.
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from algoworlds.core.stream import Stream
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.schedule import Experiment
from algoworlds.suites.opened import Opened, open_suite
from algoworlds.suites.record import Kind, Played, record
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World

CONFIGURATIONS, TRIALS = 7, 3
LEFT_OUT = 6
"""An uninformed trajectory lacks one to so many of the calls of its plan."""
SAID = "I compare what the last response showed with what I had noted, and read on where something is still missing. "


def played(world: World, stream: Stream, informed: bool) -> Played:
    """One evaluation: a plan, in full or not, and some feasible decision."""
    episode, family = Episode(world), world.family
    plan = stream.choice(list(world.plans.values()))
    for call in plan if informed else plan[: max(1, len(plan) - stream.integer(1, LEFT_OUT))]:
        episode.call(*call)
    decision = family.hardness.sample(world.instance, stream)
    episode.call(family.template.closing.submit, family.decision.arguments(decision))
    turns = tuple(range(1, episode.attempts + 1))
    told = tuple((turn, SAID) for turn in turns)
    tokens = {"input": 2000 * len(turns), "output": 80 * len(turns), "reasoning": None, "cached": None}
    return Played(episode, "submitted", turns, texts=told, rounds=len(turns), model="m-1", tokens=tokens, cost=0.25)


def make_runs(suite: Opened, place: Path, configurations: int = CONFIGURATIONS) -> list[Path]:
    """The runs of so many configurations."""
    entries = list(suite.manifest.worlds)
    plans = [
        Experiment.of(f"model {n}", Kind.MODEL, {"number": n}, suite, entries, TRIALS) for n in range(1, configurations + 1)
    ]
    runs = [RunDirectory(place / plan.label) for plan in plans]
    for run, plan in zip(runs, plans, strict=True):
        run.path.mkdir(parents=True)
        run.begin(plan, suite.directory)
    for number, entry in enumerate(entries):
        world, key = suite.world(entry), suite.key(entry)
        for at, (run, plan) in enumerate(zip(runs, plans, strict=True)):
            for slot in (each for each in run.schedule if each.world == entry.id):
                stream = Stream("report", plan.label, slot.name)
                made = played(world, stream, informed=(number + at + slot.trial) % 2 == 0)
                run.finalize(slot, record(run.whose(slot), entry, key, made))
    for run in runs:
        run.seal()
    return [run.path for run in runs]


class Cost(NamedTuple):
    """What was worked on, and what it took: CPU seconds and the peak of memory in megabytes."""

    records: int
    uninformed: int
    seconds: float
    megabytes: int


def reported(runs: list[RunDirectory], suite: Opened, out: Path) -> tuple[int, int]:
    """Make the report; how many evaluations it is of, and how many of them are uninformed."""
    from algoworlds.reports.conclude import conclude

    made = conclude(runs, suite, out, panel=False).results.evaluations
    return len(made), sum(not each.sufficiency for each in made)


def judged(runs: list[RunDirectory], suite: Opened, out: Path) -> tuple[int, int]:
    """Judge all runs; how many records, of which half are uninformed."""
    from algoworlds.runs.judgement import judge_runs

    made = judge_runs(runs, suite, None, lambda done, total: None)
    return made, made // 2


WORK = {"report": reported, "judge": judged}


def cost(work: str, runs: list[Path], suite: Path, out: Path) -> Cost:
    """Work in a process of its own, so that peaks do not mix."""
    order = [sys.executable, "-m", "bench.report", "--measure", work, str(suite), str(out), *map(str, runs)]
    return Cost(*json.loads(subprocess.run(order, check=True, stdout=subprocess.PIPE).stdout))


def _measure(work: str, suite: str, out: str, *runs: str) -> None:
    start = time.process_time()
    counts = WORK[work]([RunDirectory(Path(each)) for each in runs], open_suite(Path(suite)), Path(out))
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(Cost(*counts, time.process_time() - start, held)))


def development(place: Path) -> Path:
    """The suite that the command line names, or the development split, built into a place."""
    suite = Path(sys.argv[1]) if sys.argv[1:] else place / "suite"
    if not suite.exists():
        command = str(Path(sys.executable).parent / "algoworlds")
        subprocess.run([command, "build", "--out", str(suite), "--jobs", "2"], check=True)
    return suite


def main() -> None:
    """Build, play and measure."""
    if sys.argv[1:2] == ["--measure"]:
        _measure(*sys.argv[2:])
        return
    with TemporaryDirectory() as directory:
        place = Path(directory)
        suite = development(place)
        runs = make_runs(open_suite(suite), place / "runs")
        for name, work in (("report alone", "report"), ("judge", "judge"), ("report of what was judged", "report")):
            took = cost(work, runs, suite, place / name.replace(" ", "-"))
            print(f"{name}, {took.records:,} records, {took.uninformed:,} uninformed: ", end="")
            print(f"{took.seconds:.1f} s of CPU, peak memory {took.megabytes} MB", flush=True)


if __name__ == "__main__":
    main()
