"""`python -m bench.report [SUITE]`: CPU time and peak memory of judging and reporting 5,040 records, half of them uninformed.

Seven configurations play the development split (or SUITE) three times: a plan, without its last calls if the evaluation is
uninformed, then a random feasible decision, with a sentence at every turn. The report is written from records alone, the runs
are judged, and the report is written again, each step in its own process.
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
from algoworlds.suites.open import Suite, open_suite
from algoworlds.suites.record import FinishedTrajectory, PlayerKind, build_record
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World

CONFIGURATIONS, TRIALS = 7, 3
MAX_SKIPPED_CALLS = 6
"""An uninformed trajectory lacks one to this many calls of its plan."""
SENTENCE = "I compare what the last response showed with what I had noted, and read on where something is still missing. "


def play(world: World, stream: Stream, informed: bool) -> FinishedTrajectory:
    """One evaluation: a plan, complete if `informed`, and a random feasible decision."""
    episode, family = Episode(world), world.family
    plan = stream.choice(list(world.plans.values()))
    for call in plan if informed else plan[: max(1, len(plan) - stream.integer(1, MAX_SKIPPED_CALLS))]:
        episode.call(*call)
    decision = family.hardness.sample(world.instance, stream)
    episode.call(family.template.decision_tools.submit, family.decision.arguments(decision))
    turns = tuple(range(1, episode.attempts + 1))
    texts = tuple((turn, SENTENCE) for turn in turns)
    tokens = {"input": 2000 * len(turns), "output": 80 * len(turns), "reasoning": None, "cached": None}
    return FinishedTrajectory(
        episode, "submitted", turns, texts=texts, turn_count=len(turns), model="m-1", tokens=tokens, cost=0.25
    )


def create_runs(suite: Suite, folder: Path, configurations: int = CONFIGURATIONS) -> list[Path]:
    """The runs of `configurations` simulated models in `folder`."""
    entries = list(suite.manifest.worlds)
    plans = [
        Experiment.from_suite(f"model {n}", PlayerKind.MODEL, {"number": n}, suite, entries, TRIALS)
        for n in range(1, configurations + 1)
    ]
    runs = [RunDirectory(folder / plan.label) for plan in plans]
    for run, plan in zip(runs, plans, strict=True):
        run.path.mkdir(parents=True)
        run.create_or_resume(plan, suite.directory)
    for number, entry in enumerate(entries):
        world, key = suite.world(entry), suite.key(entry)
        for position, (run, plan) in enumerate(zip(runs, plans, strict=True)):
            for slot in [slot for slot in run.schedule if slot.world == entry.id]:
                stream = Stream("report", plan.label, slot.name)
                trajectory = play(world, stream, informed=(number + position + slot.trial) % 2 == 0)
                run.write_record(slot, build_record(run.provenance(slot), entry, key, trajectory))
    for run in runs:
        run.write_manifest()
    return [run.path for run in runs]


class Cost(NamedTuple):
    """How many records were processed, and at what cost: CPU seconds and peak memory in megabytes."""

    records: int
    uninformed: int
    seconds: float
    megabytes: int


def report(runs: list[RunDirectory], suite: Suite, out: Path) -> tuple[int, int]:
    """Write the report; the number of its evaluations, and of the uninformed ones."""
    from algoworlds.reports.report import write_report

    evaluations = write_report(runs, suite, out, include_panel=False).results.evaluations
    return len(evaluations), sum(not evaluation.sufficiency for evaluation in evaluations)


def judge(runs: list[RunDirectory], suite: Suite, out: Path) -> tuple[int, int]:
    """Judge all runs; the number of records, and of the uninformed half."""
    from algoworlds.runs.judgement import judge_runs

    count = judge_runs(runs, suite, None, lambda done, total: None)
    return count, count // 2


STEPS = {"report": report, "judge": judge}


def measure(step: str, runs: list[Path], suite: Path, out: Path) -> Cost:
    """Run `step` in its own process, so that memory peaks do not mix."""
    order = [sys.executable, "-m", "bench.report", "--measure", step, str(suite), str(out), *map(str, runs)]
    return Cost(*json.loads(subprocess.run(order, check=True, stdout=subprocess.PIPE).stdout))


def _measure_here(step: str, suite: str, out: str, *runs: str) -> None:
    start = time.process_time()
    counts = STEPS[step]([RunDirectory(Path(run)) for run in runs], open_suite(Path(suite)), Path(out))
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(Cost(*counts, time.process_time() - start, megabytes)))


def development_suite(folder: Path) -> Path:
    """The suite that the command line names, or else the development split, built in `folder`."""
    suite = Path(sys.argv[1]) if sys.argv[1:] else folder / "suite"
    if not suite.exists():
        command = str(Path(sys.executable).parent / "algoworlds")
        subprocess.run([command, "build", "--out", str(suite), "--jobs", "2"], check=True)
    return suite


def main() -> None:
    """Build, play and measure."""
    if sys.argv[1:2] == ["--measure"]:
        _measure_here(*sys.argv[2:])
        return
    with TemporaryDirectory() as directory:
        folder = Path(directory)
        suite = development_suite(folder)
        runs = create_runs(open_suite(suite), folder / "runs")
        for name, step in (("report alone", "report"), ("judge", "judge"), ("report of what was judged", "report")):
            cost = measure(step, runs, suite, folder / name.replace(" ", "-"))
            print(f"{name}, {cost.records:,} records, {cost.uninformed:,} uninformed: ", end="")
            print(f"{cost.seconds:.1f} s of CPU, peak memory {cost.megabytes} MB", flush=True)


if __name__ == "__main__":
    main()
