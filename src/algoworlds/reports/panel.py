"""The floor and the ceiling of a report: scripted agents on the worlds of its runs, played where no run of them is given."""

from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from algoworlds.families import family
from algoworlds.reports.folder import PLAYED
from algoworlds.runs.agents import unplayable
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.schedule import Experiment
from algoworlds.runs.scripted import run_agent
from algoworlds.suites.opened import Opened
from algoworlds.suites.record import Kind

PANEL = ("null", "random", "greedy", "oracle")


def unplayable_agents(families: Iterable[str]) -> dict[str, str]:
    """The agents of the panel that cannot play some of these families, each with what a family leaves undeclared."""
    found = ((agent, unplayable(agent, family(name))) for name in dict.fromkeys(families) for agent in PANEL)
    return {agent: problem for agent, problem in found if problem}


def floor_and_ceiling(
    runs: Sequence[RunDirectory],
    wanted: Collection[str],
    suite: Opened,
    out: Path,
    executor: Executor | None,
    progress: Callable[[int, int], Any],
) -> list[RunDirectory]:
    """Runs of the agents that are missing, one trial each, kept beside the report so that the next one finds them."""
    given = {run.document["plan"]["label"] for run in runs}
    worlds = [entry for entry in suite.manifest.worlds if entry.id in wanted]
    impossible = unplayable_agents(entry.family for entry in worlds)
    missing = [name for name in PANEL if name not in given and name not in impossible]
    made = [RunDirectory(out / PLAYED / name) for name in missing]
    done, total = 0, len(missing) * len(worlds)

    def count(document: dict[str, Any]) -> None:
        nonlocal done
        done += 1
        progress(done, total)

    for run, name in zip(made, missing, strict=True):
        with run.locked():
            run.begin(Experiment.of(name, Kind.AGENT, {"agent": name}, suite, worlds, 1), suite.directory)
            run_agent(run, suite, name, executor, count)
            run.seal()
    return made
