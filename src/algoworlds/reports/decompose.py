"""Regret told apart: what an agent lost because it did not know, and what it lost because it did not decide well.

This needs the suite and, for trajectories without sufficient information, the exact solver on what was known. It is
analysis after the fact: evaluation itself never solves anything.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from algoworlds.batch import results
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call
from algoworlds.measures.decomposition import Decomposition, acquisition_gap
from algoworlds.reports.evaluation import Evaluation
from algoworlds.runs.record import calls_of
from algoworlds.runs.scripted import opened
from algoworlds.suites.opened import Opened
from algoworlds.worlds.episode import Episode


@dataclass(frozen=True)
class Uninformed:
    """Trajectories without sufficient information on one world, each as its calls."""

    suite: Path
    root: str
    world: str
    trajectories: tuple[tuple[Call, ...], ...]


def decomposed(
    evaluations: Sequence[Evaluation], suite: Opened, executor: Executor | None, progress: Callable[[int, int], Any]
) -> tuple[Evaluation, ...]:
    """The evaluations with both parts of their regret; each is None where it is undefined."""
    wanted: dict[str, dict[tuple[Call, ...], None]] = {}
    for each in evaluations:
        if not each.sufficiency:
            wanted.setdefault(each.world, {})[tuple(calls_of(each.record))] = None
    place = (suite.directory.resolve(), suite.manifest.root)
    tasks = [Uninformed(*place, world, tuple(trajectories)) for world, trajectories in sorted(wanted.items())]
    gaps: dict[tuple[str, tuple[Call, ...]], int | None] = {}
    progress(0, len(tasks))
    for done, (task, found) in enumerate(results(unseen_gaps, tasks, executor), 1):
        gaps.update(zip([(task.world, calls) for calls in task.trajectories], found, strict=True))
        progress(done, len(tasks))
    return tuple(_decomposed(each, gaps) for each in evaluations)


def unseen_gaps(task: Uninformed) -> list[int | None]:
    """By trajectory, how far the best decision lies that can be made of what it had seen; None where there is none."""
    suite = opened(task.suite, task.root)
    entry = suite.entries[task.world]
    world, optimum, known = suite.world(entry), suite.key(entry).optimum, dict[frozenset[Fact], int | None]()
    gaps = []
    for calls in task.trajectories:
        facts = Episode(world, list(calls)).facts
        if facts not in known:
            known[facts] = acquisition_gap(world, facts, optimum)
        gaps.append(known[facts])
    return gaps


def _decomposed(each: Evaluation, gaps: Mapping[tuple[str, tuple[Call, ...]], int | None]) -> Evaluation:
    """Who has seen a sufficient set has lost nothing for want of facts."""
    unseen = 0 if each.sufficiency else gaps[each.world, tuple(calls_of(each.record))]
    whole, unit = each.record["gap"], each.record["reference_gap"]
    acquisition = None if unseen is None else unseen / unit
    reasoning = None if unseen is None or whole is None else (whole - unseen) / unit
    return replace(each, regret_parts=Decomposition(acquisition, reasoning))
