"""Whether a run is whole and its own: the schedule, one record a slot, whose record it is, and the manifest's digests.

Nothing is replayed here, so that a report can afford it; `verify_run` also replays.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any

from algoworlds.disk import read_plain
from algoworlds.errors import InputError, shown
from algoworlds.runs.directory import RunDirectory, in_order
from algoworlds.runs.providers.turn import Usage, total
from algoworlds.runs.slot import Slot
from algoworlds.runs.status import attempts_of
from algoworlds.suites.record import Kind

OWN = ("identity", "configuration", "kind", "world", "trial")
"""The fields of a record that say whose it is."""


def inventory(directory: RunDirectory, records: Iterable[Mapping[str, Any]] | None = None) -> list[str]:
    """Every reason not to take a run's records for its own and for all of them, each in one line; nothing if all is well.

    Whoever has read the records already, in the order of `directory.records()`, hands them over.
    """
    given = None if records is None else iter(records)
    whose = [line for slot in in_order(directory.finished) for line in _whose(directory, slot, given)]
    return [*_scheduled(directory), *_present(directory), *whose, *_sealed(directory), *_bound(directory)]


def _scheduled(directory: RunDirectory) -> Iterator[str]:
    """Whether the schedule is what the experiment asks for: every world in every trial, once."""
    plan, scheduled = directory.document["plan"], directory.schedule
    if len(set(scheduled)) < len(scheduled):
        yield "run.json: an evaluation is scheduled twice"
    asked = {Slot(world, trial) for world in plan["prompts"] for trial in range(1, plan["trials"] + 1)}
    yield from (f"run.json: {slot.name} does not belong to the schedule" for slot in set(scheduled) ^ asked)


def _present(directory: RunDirectory) -> Iterator[str]:
    """What is missing and what is too much."""
    finished = directory.finished
    yield from (f"records/{slot.name}.json: no finalized record" for slot in directory.schedule if slot not in finished)
    expected = {f"{slot.name}.json" for slot in directory.schedule}
    present = {path.name for path in (directory.path / "records").glob("*")}
    yield from (f"records/{shown(name)}: not scheduled" for name in sorted(present - expected))


def _whose(directory: RunDirectory, slot: Slot, given: Iterator[Mapping[str, Any]] | None) -> Iterator[str]:
    """Whether a record can be read, and says that it is this run's and this slot's."""
    run, place = directory.document, f"records/{slot.name}.json"
    try:
        record: Mapping[str, Any] = directory.record(slot) if given is None else next(given)
    except InputError:
        yield f"{place}: cannot be read"
        return
    ours = (run["identity"], run["plan"]["label"], run["plan"]["kind"], slot.world, slot.trial)
    for name, expected in zip(OWN, ours, strict=True):
        if record.get(name) != expected:
            yield f"{place}: belongs to another run or evaluation, by its {name}"


def _sealed(directory: RunDirectory) -> Iterator[str]:
    """Whether the manifest of a complete run says what is there."""
    path = directory.path / "manifest.json"
    if directory.finished == set(directory.schedule):
        if not path.is_file():
            yield "manifest.json: missing; run the same command again to complete the run"
            return
        with suppress(OSError):
            if read_plain(path) == directory.manifest_bytes():
                return
        yield "manifest.json: does not fit the records"


def _bound(directory: RunDirectory) -> Iterator[str]:
    """Whether every judgement belongs to a record that is still what was judged."""
    expected = {f"{slot.name}.json" for slot in directory.finished}
    present = {path.name for path in (directory.path / "judgements").glob("*")}
    yield from (f"judgements/{shown(name)}: of no finalized record" for name in sorted(present - expected))
    for slot in in_order(directory.judged & directory.finished):
        with suppress(InputError, OSError):
            content = read_plain(directory.path / "records" / f"{slot.name}.json")
            if directory.judgement(slot).get("record") == sha256(content).hexdigest():
                continue
        yield f"judgements/{slot.name}.json: does not fit its record"


def unreplayed(directory: RunDirectory) -> list[str]:
    """All that can be said against a run without replaying it; a model's has a log of attempts to be held to as well."""
    return [*inventory(directory), *(attempted(directory) if directory.kind is Kind.MODEL else ())]


def attempted(directory: RunDirectory) -> list[str]:
    """Where a model's run and its log of attempts contradict each other: lines, turns and tokens."""
    try:
        lines = attempts_of(directory)
    except InputError as problem:
        return [str(problem)]
    answered: dict[Slot, dict[int, Any]] = {}
    try:
        for line in lines:
            turns = answered.setdefault(Slot(line["world"], line["trial"]), {})
            turns[line["turn"]] = line["tokens"] or turns.get(line["turn"])
        strange = [slot for slot in in_order(answered) if slot not in set(directory.schedule)]
        wrong = [slot for slot in in_order(directory.finished) if not _adds_up(directory, slot, answered.get(slot, {}))]
    except (KeyError, TypeError):
        return ["attempts.jsonl: a line has not the form of an attempt"]
    told = [f"attempts.jsonl: {slot.name} is not scheduled" for slot in strange]
    return [*told, *(f"attempts.jsonl: does not fit the turns and tokens of {slot.name}" for slot in wrong)]


def _adds_up(directory: RunDirectory, slot: Slot, answered: dict[int, Any]) -> bool:
    """Whether every turn of a record was asked for, and the tokens told for its answers are the record's."""
    try:
        record = directory.record(slot)
    except InputError:
        return True  # the inventory tells
    told = total([Usage(**tokens) for tokens in answered.values() if tokens is not None])
    return (max(answered, default=0), told._asdict()) == (record.get("turns"), record.get("tokens"))
