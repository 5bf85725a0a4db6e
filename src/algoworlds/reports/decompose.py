"""Regret told apart: what an agent lost because it did not know, and what it lost because it did not decide well.

This needs the suite and, for trajectories without sufficient information, the exact solver on what was known. It is
analysis after the fact: evaluation itself never solves anything.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algoworlds.batch import results
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call
from algoworlds.measures.decomposition import acquisition_gap
from algoworlds.runs.record import calls_of
from algoworlds.runs.scripted import opened
from algoworlds.suites.opened import Opened
from algoworlds.worlds.episode import Episode

ACQUISITION, REASONING = "acquisition_regret", "reasoning_regret"
"""The fields that are added to records."""

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Uninformed:
    """Trajectories without sufficient information on one world, each as its calls."""

    suite: Path
    root: str
    world: str
    trajectories: tuple[tuple[Call, ...], ...]


def decomposed(
    records: Sequence[Record], suite: Opened, executor: Executor | None, progress: Callable[[int, int], Any]
) -> list[dict[str, Any]]:
    """The records with both parts of their regret; each is None where it is undefined."""
    wanted: dict[str, dict[tuple[Call, ...], None]] = {}
    for each in records:
        if not each["sufficiency"]:
            wanted.setdefault(each["world"], {})[tuple(calls_of(each))] = None
    place = (suite.directory.resolve(), suite.manifest.root)
    tasks = [Uninformed(*place, world, tuple(trajectories)) for world, trajectories in sorted(wanted.items())]
    gaps: dict[tuple[str, tuple[Call, ...]], int | None] = {}
    progress(0, len(tasks))
    for done, (task, found) in enumerate(results(unseen_gaps, tasks, executor), 1):
        gaps.update(zip([(task.world, calls) for calls in task.trajectories], found, strict=True))
        progress(done, len(tasks))
    return [_decomposed(each, gaps) for each in records]


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


def _decomposed(record: Record, gaps: Mapping[tuple[str, tuple[Call, ...]], int | None]) -> dict[str, Any]:
    """A record with both parts of its regret; who has seen a sufficient set has lost nothing for want of facts."""
    unseen = 0 if record["sufficiency"] else gaps[record["world"], tuple(calls_of(record))]
    whole, unit = record["gap"], record["reference_gap"]
    return {
        **record,
        ACQUISITION: None if unseen is None else unseen / unit,
        REASONING: None if unseen is None or whole is None else (whole - unseen) / unit,
    }
