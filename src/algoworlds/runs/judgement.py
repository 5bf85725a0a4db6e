"""Judgements: what could have been known in each evaluation, computed with the solver after the run.

Records are final without them. A judgement is a file beside its record, bound to it by digest, and a pure function of the
record and the suite.
"""

import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from algoworlds.batch import run_tasks
from algoworlds.core.canonical import JsonObject
from algoworlds.core.interface import Interface
from algoworlds.disk import read_regular_file
from algoworlds.errors import InputError, format_value
from algoworlds.measures.hindsight import Hindsight, Judge
from algoworlds.measures.judging import JUDGING_VERSION, judge_evaluation
from algoworlds.measures.key import AnswerKey
from algoworlds.runs.directory import RunDirectory, refuse_constant, sort_slots
from algoworlds.runs.schedule import Slot
from algoworlds.runs.scripted import open_suite_cached
from algoworlds.suites.open import Suite
from algoworlds.suites.record import encode_record, replay_record
from algoworlds.tracks.track import BARE, find_track
from algoworlds.worlds.world import World

JUDGEMENT_FORMAT = 1
OWNER_FIELDS = ("identity", "configuration", "world", "trial")
"""The fields that a judgement copies from its record to say which run and slot it belongs to."""
Progress = Callable[[int, int], Any]
"""Called with the tasks that are done and their total."""


class RecordRef(NamedTuple):
    """A final record to be judged: the path of its run, and its slot there."""

    run: Path
    slot: Slot


@dataclass(frozen=True)
class JudgingTask:
    """Records on the worlds of one instance, judged together because they share one judge."""

    suite: Path
    root: str
    records: tuple[RecordRef, ...]


class Judgement(NamedTuple):
    """The judgement of a record, or the `problem` that prevents one."""

    record: RecordRef
    document: JsonObject | None
    problem: str | None
    faults: tuple[str, ...] = ()
    """What the oracle could not answer because of an exception inside it; these answers are undecided."""


def judge_runs(
    runs: Sequence[RunDirectory],
    suite: Suite,
    executor: Executor | None,
    progress: Progress,
    warn: Callable[[str], Any] = warnings.warn,
    warn_damaged: Callable[[str], Any] = warnings.warn,
) -> int:
    """Judge every final record without a judgement, and count them; all runs must be on `suite`.

    `warn` is called with one line for every record on which the oracle failed: what it could not answer is undecided. A
    judgement that cannot be read, is not of its record, or was made by earlier rules is made again, and `warn_damaged` is
    called with a line that names it.
    """
    count, directories = 0, {run.path.resolve(): run for run in runs}
    with ExitStack() as locks:
        for run in directories.values():
            locks.enter_context(run.lock())
            for slot in damaged_judgements(run):
                path = run.path / "judgements" / f"{slot.name}.json"
                warn_damaged(f"{run.path.name}/judgements/{path.name}: is damaged, and is made again")
                path.unlink()
            for slot, judged_by in outdated_judgements(run).items():
                path = run.path / "judgements" / f"{slot.name}.json"
                if judged_by > JUDGING_VERSION:
                    raise InputError(f"{format_value(path)} was made by judging version {judged_by}: update algoworlds")
                warn_damaged(f"{run.path.name}/judgements/{path.name}: {_outdated_text(judged_by)}, and is made again")
                path.unlink()
        for record, document, problem, faults in compute_judgements(directories.values(), suite, executor, progress, False):
            if document is None:
                name = format_value(record.run / "records" / f"{record.slot.name}.json")
                raise InputError(f"{name} {problem}: algoworlds verify-run says what is wrong")
            if faults:
                more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
                name = f"{record.run.name}/records/{record.slot.name}.json"
                warn(f"{name}: the oracle failed, and what it could not answer is undecided ({faults[0]}{more})")
            directories[record.run].write_judgement(record.slot, document)
            count += 1
    return count


def damaged_judgements(run: RunDirectory) -> list[Slot]:
    """The evaluations whose judgement cannot be read, is not in canonical form, or is not of their record."""
    damaged = []
    for slot in sort_slots(run.judged_slots & run.finished_slots):
        name = f"{slot.name}.json"
        try:
            document, record = run.read_judgement(slot), read_regular_file(run.path / "records" / name)
            sound = document.get("record") == sha256(record).hexdigest()
            sound = sound and read_regular_file(run.path / "judgements" / name) == encode_record(document)
        except (InputError, OSError, ValueError):
            sound = False
        if not sound:
            damaged.append(slot)
    return damaged


def outdated_judgements(run: RunDirectory) -> dict[Slot, int]:
    """The evaluations whose judgement was made by other rules, and the version of these; damaged ones are left out."""
    versions = {}
    for slot in sort_slots(run.judged_slots):
        with suppress(InputError):
            judged_by = run.read_judgement(slot).get("judging")
            if isinstance(judged_by, int) and judged_by != JUDGING_VERSION:
                versions[slot] = judged_by
    return versions


def _outdated_text(judged_by: int) -> str:
    return f"was made by judging version {judged_by}, this is version {JUDGING_VERSION}"


def compute_judgements(
    runs: Iterable[RunDirectory], suite: Suite, executor: Executor | None, progress: Progress, already_judged: bool
) -> Iterator[Judgement]:
    """The judgements of all final records that have one (`already_judged`) or have none, in no particular order."""
    records: dict[Any, list[RecordRef]] = {}
    for run in runs:
        for slot in sort_slots(run.judged_slots if already_judged else run.finished_slots - run.judged_slots):
            coordinate = suite.coordinate(suite.entries[slot.world])
            records.setdefault(coordinate, []).append(RecordRef(run.path.resolve(), slot))
    tasks = [JudgingTask(suite.directory.resolve(), suite.manifest.root, tuple(group)) for group in records.values()]
    progress(0, len(tasks))
    for done, (_, judgements) in enumerate(run_tasks(judge_task, tasks, executor), 1):
        yield from judgements
        progress(done, len(tasks))


def judge_task(task: JudgingTask) -> list[Judgement]:
    """The judgements of all records on one instance."""
    suite, judges, judgements = open_suite_cached(task.suite, task.root, BARE.name), dict[bool, Judge](), list[Judgement]()
    for name in sorted({record.slot.world for record in task.records}):
        world, key = suite.world(suite.entries[name]), suite.key(suite.entries[name])
        split = world.interface is Interface.SPLIT
        if split not in judges:
            judges[split] = Judge.from_world(world, key)
        for record in task.records:
            if record.slot.world == name:
                track = find_track(RunDirectory(record.run).track)
                judgements.append(judge_record(record, replace(world, track=track), key, judges[split]))
    return judgements


def judge_record(record: RecordRef, world: World, key: AnswerKey, judge: Judge) -> Judgement:
    """The judgement of one record on `world`."""
    try:
        content = read_regular_file(record.run / "records" / f"{record.slot.name}.json")
        fields = json.loads(content, parse_constant=refuse_constant)
        owner, episode = {name: fields[name] for name in OWNER_FIELDS}, replay_record(world, fields)
    except InputError as problem:
        return Judgement(record, None, str(problem))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Judgement(record, None, "cannot be replayed")
    heading = {"format": JUDGEMENT_FORMAT, "judging": JUDGING_VERSION, "record": sha256(content).hexdigest()}
    document = heading | owner | judge_evaluation(Hindsight(episode, key, judge=judge))
    return Judgement(record, document, None, judge.take_faults())


def judgement_problems(directory: RunDirectory, suite: Suite, executor: Executor | None, progress: Progress) -> Iterator[str]:
    """Every judgement of a run that differs from what judging again gives, or was made by other rules."""
    outdated = outdated_judgements(directory)
    for record, document, problem, _ in compute_judgements([directory], suite, executor, progress, already_judged=True):
        path = directory.path / "judgements" / f"{record.slot.name}.json"
        if record.slot in outdated:
            text = f"{_outdated_text(outdated[record.slot])}: algoworlds judge makes it again"
            yield f"judgements/{path.name}: {problem or text}"
        elif document is None or read_regular_file(path) != encode_record(document):
            yield f"judgements/{path.name}: {problem or 'is not what judging gives'}"


def count_footings(directory: RunDirectory) -> dict[str, int]:
    """The number of judged decisions by footing; those without ranges are "undefined"."""
    footings = Counter(directory.read_judgement(slot)["footing"] or "undefined" for slot in directory.judged_slots)
    return dict(sorted(footings.items()))
