"""The scripted panel: null, random, greedy and oracle on the worlds of other runs, as floor and ceiling of a report."""

from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from algoworlds.core.canonical import JsonObject
from algoworlds.families import load_family
from algoworlds.runs.agents import unplayable
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.judgement import judge_runs
from algoworlds.runs.schedule import Experiment
from algoworlds.runs.scripted import run_scripted_agent
from algoworlds.suites.open import Suite
from algoworlds.suites.record import PlayerKind


def unplayable_agents(agents: Iterable[str], families: Iterable[str]) -> dict[str, str]:
    """By agent that cannot play all of `families`, what a family leaves undeclared."""
    problems = ((agent, unplayable(agent, load_family(name))) for name in dict.fromkeys(families) for agent in agents)
    return {agent: problem for agent, problem in problems if problem}


def play_panel(
    agents: Sequence[str],
    runs: Sequence[RunDirectory],
    worlds: Collection[str],
    suite: Suite,
    folder: Path,
    executor: Executor | None = None,
    progress: Callable[[int, int], Any] = lambda done, total: None,
) -> list[RunDirectory]:
    """Play one trial of `agents` on `worlds` into `folder`, one run per agent; judge them if all `runs` are judged.

    Agents that `runs` already contain, or that cannot play these families, are left out. A second call resumes.
    """
    labels = {run.document["plan"]["label"] for run in runs}
    entries = [entry for entry in suite.manifest.worlds if entry.id in worlds]
    left_out = labels | unplayable_agents(agents, [entry.family for entry in entries]).keys()
    panel = {name: RunDirectory(folder / name) for name in agents if name not in left_out}
    done, total = 0, len(panel) * len(entries)

    def count(record: JsonObject) -> None:
        nonlocal done
        done += 1
        progress(done, total)

    for name, run in panel.items():
        with run.lock():
            plan = Experiment.from_suite(name, PlayerKind.AGENT, {"agent": name}, suite, entries, 1)
            run.create_or_resume(plan, suite.directory)
            run_scripted_agent(run, suite, name, executor, count)
            run.write_manifest()
    if all({slot for slot in run.schedule if slot.world in worlds} <= run.judged_slots for run in runs):
        judge_runs(list(panel.values()), suite, executor, progress)
    return list(panel.values())
