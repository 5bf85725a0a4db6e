"""The status of a run, read from its files alone; safe while the run goes on."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any

from algoworlds.core.canonical import JsonObject
from algoworlds.disk import read_regular_file
from algoworlds.errors import InputError, format_value
from algoworlds.runs.directory import RunDirectory, sort_slots
from algoworlds.runs.journal import read_journal_if_exists
from algoworlds.runs.outcome import Event
from algoworlds.runs.providers.provider import UNANSWERED
from algoworlds.runs.providers.turn import Usage, total_usage
from algoworlds.runs.schedule import Slot
from algoworlds.suites.record import PlayerKind

FAILURE_STOP_REASONS = (Event.AGENT_ERROR.value, Event.TIME_LIMIT.value)
"""Stop reasons of external agents that failed."""


def run_status(directory: RunDirectory) -> JsonObject:
    """Counts of evaluations, outcomes, stop reasons, tokens, cost and attempts, and the latest reason of each failure."""
    plan, slots = directory.document["plan"], sort_slots(directory.finished_slots)
    records = list(directory.read_records())
    attempts = read_attempts(directory)
    failures = [attempt for attempt in attempts if attempt["fault"]]
    costs = [record["cost"] for record in records]
    return {
        "configuration": plan["label"],
        "kind": plan["kind"],
        "suite": plan["suite"],
        "identity": directory.document["identity"],
        "trials": plan["trials"],
        "scheduled": len(directory.schedule),
        "finished": len(records),
        "pending": len(directory.schedule) - len(records),
        "exact": sum(record["exact"] for record in records),
        "outcomes": dict(sorted(Counter(record["outcome"] for record in records).items())),
        "stop_reasons": dict(sorted(Counter(record["stop_reason"] for record in records).items())),
        "tokens": {kind: _total_tokens(records, kind) for kind in ("input", "output", "reasoning", "cached")},
        "cost": None if None in costs or not costs else sum(costs),
        "restarts": sum(starts - 1 for starts in repeated_starts(directory).values()),
        "requests": len(attempts),
        "retries": sum(attempt["number"] > 1 for attempt in attempts),
        "faults": dict(sorted(Counter(attempt["fault"] for attempt in failures).items())),
        "reasons": {attempt["fault"]: attempt.get("detail") for attempt in failures}
        | _agent_failures(directory, slots, records),
    }


def _agent_failures(directory: RunDirectory, slots: list[Slot], records: list[JsonObject]) -> dict[str, str]:
    """By stop reason, the latest detail that a failed external agent left in its journal."""
    details: dict[str, str] = {}
    if directory.kind is PlayerKind.EXTERNAL:
        for slot, record in zip(slots, records, strict=True):
            if (reason := record["stop_reason"]) in FAILURE_STOP_REASONS:
                *_, last = directory.read_journal(slot) or [{}]
                if isinstance(last.get("detail"), str):
                    details[reason] = last["detail"]
    return details


def repeated_starts(directory: RunDirectory) -> dict[Slot, int]:
    """The number of starts of each external agent that was started more than once, because it was ended from outside."""
    if directory.kind is not PlayerKind.EXTERNAL:
        return {}
    counts = {
        slot: sum(isinstance(line, dict) and "start" in line for line in directory.read_journal(slot))
        for slot in directory.schedule
    }
    return {slot: starts for slot, starts in counts.items() if starts > 1}


ATTEMPT_FIELDS = frozenset(
    ("world", "trial", "turn", "number", "status", "fault", "detail", "seconds", "waited", "date", "tokens", "cost")
)
"""The fields of a line of the attempt log."""


def read_attempts(directory: RunDirectory) -> list[JsonObject]:
    """Every attempt at a request that the run has logged, with its result; one without a result is `UNANSWERED`."""
    return merge_attempts(read_journal_if_exists(directory.path / "attempts.jsonl")[0])


def merge_attempts(lines: Iterable[Any]) -> list[JsonObject]:
    """The attempts of a log: the line written before a request is replaced by the one with its result, if there is one."""
    attempts: list[JsonObject] = []
    open_attempts: dict[tuple[str, ...], int] = {}
    for line in lines:
        if not isinstance(line, dict) or not line.keys() >= ATTEMPT_FIELDS:
            raise InputError("attempts.jsonl: a line has not the form of an attempt: restore the file")
        key = (str(line["world"]), str(line["trial"]), str(line["turn"]), str(line["number"]))
        if line["fault"] == UNANSWERED:
            open_attempts[key] = len(attempts)
        elif key in open_attempts:
            attempts[open_attempts.pop(key)] = line
            continue
        attempts.append(line)
    return attempts


def _total_tokens(records: list[JsonObject], kind: str) -> int | None:
    """Tokens of `kind` over all records that state them; None if none does."""
    counts = [count for record in records if isinstance(count := (record["tokens"] or {}).get(kind), int)]
    return sum(counts) if counts else None


OWNER_FIELDS = ("identity", "configuration", "kind", "world", "trial")
"""The fields of a record that say which run and slot it belongs to."""


def integrity_problems(directory: RunDirectory, records: Iterable[Mapping[str, Any]] | None = None) -> list[str]:
    """Every reason why the records are not this run's own or not all of them, one line each; empty if the run is sound.

    Pass `records` if they have been read already, in the order of `directory.read_records()`.
    """
    remaining = None if records is None else iter(records)
    owners = [line for slot in sort_slots(directory.finished_slots) for line in _owner_problems(directory, slot, remaining)]
    return [*_schedule_problems(directory), *owners, *_manifest_problems(directory), *_judgement_problems(directory)]


def _schedule_problems(directory: RunDirectory) -> Iterator[str]:
    """Evaluations that are scheduled wrongly, records that are missing, and files that do not belong."""
    plan, schedule, finished = directory.document["plan"], directory.schedule, directory.finished_slots
    if len(set(schedule)) < len(schedule):
        yield "run.json: an evaluation is scheduled twice"
    planned = {Slot(world, trial) for world in plan["prompts"] for trial in range(1, plan["trials"] + 1)}
    yield from (f"run.json: {slot.name} does not belong to the schedule" for slot in set(schedule) ^ planned)
    yield from (f"records/{slot.name}.json: no finalized record" for slot in schedule if slot not in finished)
    present = {path.name for path in (directory.path / "records").glob("*")}
    foreign = present - {f"{slot.name}.json" for slot in schedule}
    yield from (f"records/{format_value(name)}: not scheduled" for name in sorted(foreign))


def _owner_problems(directory: RunDirectory, slot: Slot, remaining: Iterator[Mapping[str, Any]] | None) -> Iterator[str]:
    """Whether the record can be read and names this run and slot; it is the next of `remaining`, if given."""
    run, file = directory.document, f"records/{slot.name}.json"
    try:
        record: Mapping[str, Any] = directory.read_record(slot) if remaining is None else next(remaining)
    except InputError:
        yield f"{file}: cannot be read"
        return
    owner = (run["identity"], run["plan"]["label"], run["plan"]["kind"], slot.world, slot.trial)
    for name, expected in zip(OWNER_FIELDS, owner, strict=True):
        if record.get(name) != expected:
            yield f"{file}: belongs to another run or evaluation, by its {name}"


def _manifest_problems(directory: RunDirectory) -> Iterator[str]:
    """Whether a complete run has a manifest that fits its records."""
    path = directory.path / "manifest.json"
    if directory.finished_slots != set(directory.schedule):
        return
    if not path.is_file():
        yield "manifest.json: missing; run the same command again to complete the run"
        return
    with suppress(OSError):
        if read_regular_file(path) == directory.manifest_bytes():
            return
    yield "manifest.json: does not fit the records"


def _judgement_problems(directory: RunDirectory) -> Iterator[str]:
    """Judgements without a record, or whose record has changed since it was judged."""
    expected = {f"{slot.name}.json" for slot in directory.finished_slots}
    present = {path.name for path in (directory.path / "judgements").glob("*")}
    yield from (f"judgements/{format_value(name)}: of no finalized record" for name in sorted(present - expected))
    for slot in sort_slots(directory.judged_slots & directory.finished_slots):
        with suppress(InputError, OSError):
            content = read_regular_file(directory.path / "records" / f"{slot.name}.json")
            if directory.read_judgement(slot).get("record") == sha256(content).hexdigest():
                continue
        yield f"judgements/{slot.name}.json: does not fit its record"


def problems_without_replay(directory: RunDirectory) -> list[str]:
    """All problems that show without a replay, for a model's run those of its attempt log too."""
    return [*integrity_problems(directory), *(attempt_log_problems(directory) if directory.kind is PlayerKind.MODEL else ())]


def attempt_log_problems(directory: RunDirectory) -> list[str]:
    """Where the attempt log contradicts the schedule, or the turns and tokens of the records."""
    tokens: dict[Slot, dict[int, Any]] = {}
    try:
        for line in read_attempts(directory):
            turns = tokens.setdefault(Slot(line["world"], line["trial"]), {})
            turns[line["turn"]] = line["tokens"] or turns.get(line["turn"])
        foreign = [slot for slot in sort_slots(tokens) if slot not in set(directory.schedule)]
        wrong = [slot for slot in sort_slots(directory.finished_slots) if not _adds_up(directory, slot, tokens.get(slot, {}))]
    except InputError as problem:
        return [str(problem)]
    except (KeyError, TypeError):
        return ["attempts.jsonl: a line has not the form of an attempt"]
    return [
        *(f"attempts.jsonl: {slot.name} is not scheduled" for slot in foreign),
        *(f"attempts.jsonl: does not fit the turns and tokens of {slot.name}" for slot in wrong),
    ]


def _adds_up(directory: RunDirectory, slot: Slot, tokens: dict[int, Any]) -> bool:
    """Whether every turn of the record was requested, and `tokens` by turn add up to the record's."""
    try:
        record = directory.read_record(slot)
    except InputError:
        return True  # `integrity_problems` reports it
    total = total_usage([Usage(**usage) for usage in tokens.values() if usage is not None])
    return (max(tokens, default=0), total._asdict()) == (record.get("turns"), record.get("tokens"))
