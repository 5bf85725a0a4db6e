"""Finalized records as a whole: `Results` is a complete, checked collection of evaluations in canonical order."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import fsum
from typing import Any

from algoworlds.errors import InputError, quoted
from algoworlds.measures.scoring import SCORING
from algoworlds.reports.evaluation import INTERFACES, KINDS, MARKS, Evaluation, EvaluationId, Shared
from algoworlds.suites.record import FORMAT, Kind

Attempt = Mapping[str, Any]
"""A provider attempt: world, trial, turn, number, status, fault, seconds, waited."""

Attempts = Mapping[str, Sequence[Attempt]]
"""Provider attempts by configuration."""

_LISTED = 10

APART = {
    Kind.EXTERNAL: f"""Configurations marked {MARKS[Kind.EXTERNAL]} are agents of others that played through a door: their turns
    are not seen, so that every call of theirs was executed, where a model's second call of a turn is not.""",
    Kind.HUMAN: f"""Configurations marked {MARKS[Kind.HUMAN]} are people: they had short names for ids, a notebook that joins
    what was read, and as much time as they liked.""",
}
"""By kind, what every caption says of configurations that were not held to a model's protocol."""


@dataclass(frozen=True)
class Results:
    """A complete, checked collection of evaluations in canonical order.

    Models stand before agents of others, these before people, and these before scripted agents; within a kind configurations
    stand in the caller's order or else by exact optimality, the best first; then families, level, index, interface, trial.
    The order of the records never matters.
    """

    configurations: tuple[str, ...]
    evaluations: tuple[Evaluation, ...]
    attempts: Attempts = field(default_factory=dict, repr=False)
    starts: Mapping[EvaluationId, int] = field(default_factory=dict, repr=False)
    """How often agents were started, where it took more than once."""
    schedule: Mapping[EvaluationId, int] = field(default_factory=dict, repr=False)
    """Where each evaluation stands in its run's schedule; empty where records came without one."""
    unverified: tuple[str, ...] = ()
    """Configurations whose records are not as they were sealed, or not their run's: every table and figure says so."""

    @classmethod
    def of(
        cls,
        records: Iterable[Mapping[str, Any]],
        expected: Iterable[tuple[str, str, int]] | None = None,
        order: Sequence[str] = (),
    ) -> "Results":
        """Check the records against the schedule of (configuration, world, trial), or against each other without one.

        The order of the schedule is that in which evaluations were made.
        """
        return cls.whole(read_all(records), expected, order)

    @classmethod
    def whole(
        cls, found: Sequence[Evaluation], expected: Iterable[tuple[str, str, int]] | None = None, order: Sequence[str] = ()
    ) -> "Results":
        """The same of evaluations that have been read."""
        planned = None if expected is None else [EvaluationId(*each) for each in expected]
        if not found:
            raise InputError("there are no finalized records; run an agent or a model first")
        _refuse(_miscounted(found, planned))
        _refuse(_contradictions(found))
        labels = _ordered(found, order)
        rank = {label: place for place, label in enumerate(labels)}
        evaluations = tuple(sorted(found, key=lambda each: (rank[each.configuration], each.place)))
        return cls(labels, evaluations, schedule={each: place for place, each in enumerate(planned or ())})

    def with_attempts(self, attempts: Attempts) -> "Results":
        """The same with the provider attempts that it took; InputError for attempts of an evaluation without a record."""
        known = {each.id for each in self.evaluations}
        made = [EvaluationId(label, each["world"], each["trial"]) for label, found in attempts.items() for each in found]
        foreign = sorted({each for each in made if each not in known})
        if foreign:
            raise InputError(f"{len(foreign):,} evaluations have attempts but no record, the first {foreign[0]}")
        return replace(self, attempts=attempts)

    @cached_property
    def _trials(self) -> dict[str, tuple[tuple[Evaluation, ...], ...]]:
        split: dict[str, dict[int, list[Evaluation]]] = {label: {} for label in self.configurations}
        for each in self.evaluations:
            split[each.configuration].setdefault(each.trial, []).append(each)
        return {label: tuple(tuple(found[trial]) for trial in sorted(found)) for label, found in split.items()}

    def trials(self, configuration: str) -> tuple[tuple[Evaluation, ...], ...]:
        """The evaluations of each trial of a configuration, in the same order of worlds."""
        return self._trials[configuration]

    @cached_property
    def kinds(self) -> dict[str, str]:
        """What played, by configuration."""
        return {each.configuration: each.kind for each in self.evaluations}

    @property
    def candidates(self) -> tuple[str, ...]:
        """The configurations that the report is about: models, agents of others and people, not our own scripted agents."""
        return tuple(label for label in self.configurations if self.kinds[label] != Kind.AGENT.value)

    @property
    def apart(self) -> str:
        """What every caption says where a configuration was not held to the whole protocol; empty where all were."""
        return " ".join(told for kind, told in APART.items() if kind.value in self.kinds.values())

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The families that occur, in their usual order."""
        return tuple(dict.fromkeys(each.family for each in self._first))

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The workload levels that occur."""
        return tuple(sorted({each.level for each in self._first}))

    @cached_property
    def interfaces(self) -> tuple[str, ...]:
        """The interfaces that occur."""
        present = {each.interface for each in self._first}
        return tuple(name for name in INTERFACES if name in present)

    @cached_property
    def worlds(self) -> tuple[str, ...]:
        """The ids of the worlds, which every trial of every configuration has."""
        return tuple(each.world for each in self._first)

    @cached_property
    def instances(self) -> tuple[str, ...]:
        """The hidden instances behind the worlds."""
        return tuple(dict.fromkeys(each.instance for each in self._first))

    @property
    def _first(self) -> tuple[Evaluation, ...]:
        return self._trials[self.configurations[0]][0]


def read_all(records: Iterable[Mapping[str, Any]], shared: Shared | None = None) -> list[Evaluation]:
    """The evaluations of some records; InputError names all that cannot be used. `shared` is for who reads more of them."""
    records, known = list(records), Shared() if shared is None else shared
    _refuse(_unreadable(records))
    return [Evaluation.from_record(each, known) for each in records]


def _unreadable(records: list[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Records that are not finalized, or were made under other versions, by what is wrong with them."""
    faults: dict[str, list[str]] = {"pending": [], "of another format": [], "of another scoring version": []}
    for each in records:
        if not isinstance(each, Mapping):
            raise InputError(f"a record is no JSON object: {quoted(each)}")
        name = str(EvaluationId._make(map(each.get, EvaluationId._fields)))
        if each.get("outcome") in (None, "pending"):
            faults["pending"].append(name)
        elif each.get("format") != FORMAT:
            faults["of another format"].append(name)
        elif each.get("scoring") != SCORING:
            faults["of another scoring version"].append(name)
    return faults


def _miscounted(found: Sequence[Evaluation], planned: Sequence[EvaluationId] | None) -> dict[str, list[str]]:
    """Duplicate, missing and foreign keys."""
    counts = Counter(each.id for each in found)
    wanted = _complete(counts) if planned is None else set(planned)
    return {
        "duplicate": [str(key) for key, count in counts.items() if count > 1],
        "missing": [str(key) for key in wanted - counts.keys()],
        "foreign": [str(key) for key in counts.keys() - wanted],
    }


def _complete(keys: Iterable[EvaluationId]) -> set[EvaluationId]:
    """Without a schedule: every world of any configuration in trials 1..n of each, n being its last trial."""
    keys = list(keys)
    last: dict[str, int] = {}
    for key in keys:
        last[key.configuration] = max(key.trial, last.get(key.configuration, 0))
    worlds = {key.world for key in keys}
    return {
        EvaluationId(label, world, trial) for label, count in last.items() for world in worlds for trial in range(1, count + 1)
    }


def _contradictions(found: Sequence[Evaluation]) -> dict[str, list[str]]:
    """Records that tell different stories about one world (another suite) or one configuration."""
    worlds: dict[str, tuple[int, ...]] = {}
    kinds: dict[str, str] = {}
    faults: dict[str, list[str]] = {"of another suite": [], "of another kind": []}
    for each in sorted(found, key=lambda each: each.id):
        scale = (each.record["optimum"], each.record["reference_gap"], each.budget)
        if worlds.setdefault(each.world, scale) != scale:
            faults["of another suite"].append(str(each.id))
        if kinds.setdefault(each.configuration, each.kind) != each.kind:
            faults["of another kind"].append(str(each.id))
    return faults


def _refuse(faults: dict[str, list[str]]) -> None:
    parts = [
        f"{len(keys):,} {what} ({', '.join(sorted(keys)[:_LISTED])}{', ...' if len(keys) > _LISTED else ''})"
        for what, keys in faults.items()
        if keys
    ]
    if parts:
        raise InputError(f"no tables from these records, finish or repair the runs first: {'; '.join(parts)}")


def _ordered(found: Sequence[Evaluation], order: Sequence[str]) -> tuple[str, ...]:
    kinds = {each.configuration: KINDS.index(each.kind) for each in found}
    unknown = [label for label in order if label not in kinds]
    if unknown:
        raise InputError(f"there is no configuration {quoted(unknown[0])}; choose from {', '.join(map(quoted, sorted(kinds)))}")
    given = {label: place for place, label in enumerate(order)}
    worth: dict[str, list[Evaluation]] = {}
    for each in found:
        worth.setdefault(each.configuration, []).append(each)

    def place(label: str) -> tuple[int, int, float, float, str]:
        made = worth[label]
        rates = [fsum(values) / len(made) for values in ([each.exact for each in made], [each.utility for each in made])]
        return kinds[label], given.get(label, len(given)), -rates[0], -rates[1], label

    return tuple(sorted(kinds, key=place))
