"""Regret told apart: what an agent lost because it did not know, and what it lost because it did not decide well.

This needs the suite and, for trajectories without sufficient information, the exact solver on what was known. It is
analysis after the fact: evaluation itself never solves anything.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from algoworlds.batch import results
from algoworlds.core.interface import Response
from algoworlds.core.normalize import Gathering
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call
from algoworlds.families import family
from algoworlds.measures.decomposition import Decomposition, acquisition_gap
from algoworlds.reports.evaluation import Evaluation
from algoworlds.runs.scripted import opened
from algoworlds.suites.opened import Opened
from algoworlds.worlds.episode import Status
from algoworlds.worlds.world import World

Asked = frozenset[Call]
"""What a trajectory can know: the executed calls that reveal facts. Neither order nor repetition tells more."""


@dataclass(frozen=True)
class Uninformed:
    """What trajectories without sufficient information asked on the worlds of one instance, each set of calls once."""

    suite: Path
    root: str
    asked: Mapping[str, tuple[Asked, ...]]
    """By world."""


def decomposed(
    evaluations: Sequence[Evaluation], suite: Opened, executor: Executor | None, progress: Callable[[int, int], Any]
) -> tuple[Evaluation, ...]:
    """The evaluations with both parts of their regret; each is None where it is undefined."""
    asked = [frozenset() if each.sufficiency else _asked(each) for each in evaluations]
    wanted: dict[str, dict[str, dict[Asked, None]]] = {}
    for each, calls in zip(evaluations, asked, strict=True):
        if not each.sufficiency:
            wanted.setdefault(each.instance, {}).setdefault(each.world, {})[calls] = None
    place = (suite.directory.resolve(), suite.manifest.root)
    tasks = [
        Uninformed(*place, {world: tuple(sets) for world, sets in sorted(found.items())}) for _, found in sorted(wanted.items())
    ]
    gaps: dict[tuple[str, Asked], int | None] = {}
    progress(0, len(tasks))
    for done, (_, found) in enumerate(results(unseen_gaps, tasks, executor), 1):
        gaps |= found
        progress(done, len(tasks))
    told = zip(evaluations, asked, strict=True)
    return tuple(_decomposed(each, 0 if each.sufficiency else gaps[each.world, calls]) for each, calls in told)


def _asked(each: Evaluation) -> Asked:
    revealing, executed = family(each.family).revealing, Status.EXECUTED.value
    made = [told for told in each.trajectory if told.status == executed and told.tool in revealing]
    return frozenset(Call(told.tool, told.arguments) for told in made)


def _decomposed(each: Evaluation, unseen: int | None) -> Evaluation:
    """Who has seen a sufficient set has lost nothing for want of facts."""
    whole, unit = each.record["gap"], each.record["reference_gap"]
    acquisition = None if unseen is None else unseen / unit
    reasoning = None if unseen is None or whole is None else (whole - unseen) / unit
    return replace(each, regret_parts=Decomposition(acquisition, reasoning))


def unseen_gaps(task: Uninformed) -> dict[tuple[str, Asked], int | None]:
    """By world and set of calls, how far the best decision lies that can be made of what they show; None if there is none.

    All worlds of an instance hide the same facts, so what is known alike is solved once for all of them.
    """
    suite = opened(task.suite, task.root)
    worlds = {name: suite.world(suite.entries[name]) for name in task.asked}
    first, optimum = next(iter(worlds.values())), suite.key(suite.entries[next(iter(worlds))]).optimum
    gap = cache(lambda facts: acquisition_gap(first, facts, optimum))
    return {(name, asked): gap(facts) for name, world in worlds.items() for asked, facts in known(world, task.asked[name])}


def known(world: World, asked: Iterable[Asked]) -> Iterator[tuple[Asked, frozenset[Fact]]]:
    """The facts that sets of calls amount to; calls that many of them have are joined once for all that begin with them."""
    sets = list(asked)
    common = Counter(call for each in sets for call in each)
    ways = sorted(sorted(each, key=lambda call: (-common[call], call)) for each in sets)
    return _gathered(world.gathering(), ways, 0, cache(world.revealed))


def _gathered(
    gathering: Gathering, ways: Iterable[list[Call]], at: int, response: Callable[[Call], Response]
) -> Iterator[tuple[Asked, frozenset[Fact]]]:
    """The facts of sorted lists of calls which have the first `at` in common, already taken in; each goes its own way."""
    going = list(ways)
    while going:
        if len(going[0]) == at:  # the shortest stands first
            yield frozenset(going.pop(0)), gathering.facts
            continue
        *others, (call, last) = ((call, list(each)) for call, each in groupby(going, key=lambda way: way[at]))
        for other, each in others:
            apart = gathering.copy()
            apart.add(response(other))
            yield from _gathered(apart, each, at + 1, response)
        gathering.add(response(call))
        going, at = last, at + 1
