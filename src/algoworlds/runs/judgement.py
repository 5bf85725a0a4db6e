"""Judgements: what could have been known in each evaluation, computed with the solver after the fact.

Records are final without them. A judgement stands beside its record, bound to it by digest, and is as final: a pure function of
the record and the suite.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from algoworlds.batch import results
from algoworlds.core.interface import Interface
from algoworlds.disk import read_plain
from algoworlds.errors import InputError, shown
from algoworlds.measures.hindsight import Hindsight, Judge
from algoworlds.measures.judging import JUDGING, judged
from algoworlds.measures.key import Key
from algoworlds.runs.directory import RunDirectory, in_order
from algoworlds.runs.scripted import opened
from algoworlds.runs.slot import Slot
from algoworlds.suites.opened import Opened
from algoworlds.suites.record import calls_of, spelled
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World

FORMAT = 1
WHOSE = ("identity", "configuration", "world", "trial")
"""The fields by which a judgement says, as its record does, whose it is."""


class Matter(NamedTuple):
    """A finalized record to be judged: its run and its place there."""

    run: Path
    slot: Slot


@dataclass(frozen=True)
class Hearing:
    """The matters on the worlds of one instance: what is asked alike of any of them is solved once."""

    suite: Path
    root: str
    matters: tuple[Matter, ...]


class Ruling(NamedTuple):
    """The judgement of a matter, or why there can be none."""

    matter: Matter
    document: dict[str, Any] | None
    problem: str | None


def judge_runs(
    runs: Sequence[RunDirectory], suite: Opened, executor: Executor | None, progress: Callable[[int, int], Any]
) -> int:
    """Judge every finalized record that has no judgement yet; how many there were. All runs are of the suite."""
    made, places = 0, {run.path.resolve(): run for run in runs}
    with ExitStack() as held:
        for run in places.values():
            held.enter_context(run.locked())
        for matter, document, problem in rulings(places.values(), suite, executor, progress, judged_before=False):
            if document is None:
                name = shown(matter.run / "records" / f"{matter.slot.name}.json")
                raise InputError(f"{name} {problem}: algoworlds verify-run says what is wrong")
            places[matter.run].settle(matter.slot, document)
            made += 1
    return made


def rulings(
    runs: Iterable[RunDirectory],
    suite: Opened,
    executor: Executor | None,
    progress: Callable[[int, int], Any],
    judged_before: bool,
) -> Iterator[Ruling]:
    """The judgements of all finalized records that have been judged before, or that have not, in no particular order."""
    found: dict[Any, list[Matter]] = {}
    for run in runs:
        for slot in in_order(run.judged if judged_before else run.finished - run.judged):
            coordinate = suite.coordinate(suite.entries[slot.world])
            found.setdefault(coordinate, []).append(Matter(run.path.resolve(), slot))
    hearings = [Hearing(suite.directory.resolve(), suite.manifest.root, tuple(matters)) for matters in found.values()]
    progress(0, len(hearings))
    for done, (_, made) in enumerate(results(hear, hearings, executor), 1):
        yield from made
        progress(done, len(hearings))


def hear(hearing: Hearing) -> list[Ruling]:
    """The judgements of all matters on one instance."""
    suite, judges, made = opened(hearing.suite, hearing.root), dict[bool, Judge](), list[Ruling]()
    for name in sorted({matter.slot.world for matter in hearing.matters}):
        world, key = suite.world(suite.entries[name]), suite.key(suite.entries[name])
        split = world.interface is Interface.SPLIT
        if split not in judges:
            judges[split] = Judge.of(world, key)
        made += [_ruled(matter, world, key, judges[split]) for matter in hearing.matters if matter.slot.world == name]
    return made


def _ruled(matter: Matter, world: World, key: Key, judge: Judge) -> Ruling:
    try:
        content = read_plain(matter.run / "records" / f"{matter.slot.name}.json")
        record = json.loads(content)
        whose, episode = {name: record[name] for name in WHOSE}, Episode(world, calls_of(record))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Ruling(matter, None, "cannot be replayed")
    bound = {"format": FORMAT, "judging": JUDGING, "record": sha256(content).hexdigest()}
    return Ruling(matter, bound | whose | judged(Hindsight(episode, key, judge=judge)), None)


def misjudged(
    directory: RunDirectory, suite: Opened, executor: Executor | None, progress: Callable[[int, int], Any]
) -> Iterator[str]:
    """Every judgement of a run that is not what comes out when it is judged again."""
    for matter, document, problem in rulings([directory], suite, executor, progress, judged_before=True):
        path = directory.path / "judgements" / f"{matter.slot.name}.json"
        if document is None or read_plain(path) != spelled(document):
            yield f"judgements/{path.name}: {problem or 'is not what judging gives'}"


def footings(directory: RunDirectory) -> dict[str, int]:
    """How the judged decisions of a run stand, by name; those without ranges are undefined."""
    found = Counter(directory.judgement(slot)["footing"] or "undefined" for slot in directory.judged)
    return dict(sorted(found.items()))
