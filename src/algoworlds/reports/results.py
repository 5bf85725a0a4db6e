"""`Results`: a complete, checked collection of evaluations in canonical order."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import fsum
from typing import Any, NamedTuple

from algoworlds.errors import InputError, quote_value
from algoworlds.measures.scoring import SCORING_VERSION
from algoworlds.reports.evaluation import INTERFACE_NAMES, KIND_MARKS, KIND_NAMES, Evaluation, EvaluationId, InternPool
from algoworlds.suites.record import RECORD_FORMAT, PlayerKind
from algoworlds.tracks.track import BARE

Attempt = Mapping[str, Any]
"""A provider attempt: world, trial, turn, number, status, fault, seconds, waited."""

Attempts = Mapping[str, Sequence[Attempt]]
"""Provider attempts by configuration."""

_MAX_NAMED = 10
"""How many evaluations an error names of each kind."""


class ModelEffort(NamedTuple):
    """A model as it was requested, and its reasoning effort."""

    model: str
    effort: str


PROTOCOL_NOTES = {
    PlayerKind.EXTERNAL: (
        f"Configurations marked {KIND_MARKS[PlayerKind.EXTERNAL]} are agents of others that played through a door: their turns "
        "are not seen, so that every call of theirs was executed, where a model's second call of a turn is not."
    ),
    PlayerKind.HUMAN: (
        f"Configurations marked {KIND_MARKS[PlayerKind.HUMAN]} are people: they had short names for ids, a notebook that joins "
        "what was read, and as much time as they liked."
    ),
}
"""By kind, what every caption says about configurations that did not play by the protocol of models."""

TRACK_NOTE = (
    "Configurations marked + and a track had aids beside the tools, such as an interpreter: they cannot be compared with "
    "those of the paper."
)
"""What every caption says if all configurations of a report played on assisted tracks."""


@dataclass(frozen=True)
class Results:
    """A complete, checked collection of evaluations in canonical order, whatever the order of the records.

    Configurations are sorted by kind (models, external agents, people, scripted agents), then by the caller's order or by
    exact optimality, best first; their evaluations by family, level, index, interface and trial.
    """

    configurations: tuple[str, ...]
    evaluations: tuple[Evaluation, ...]
    attempts: Attempts = field(default_factory=dict, repr=False)
    starts: Mapping[EvaluationId, int] = field(default_factory=dict, repr=False)
    """How often the agent was started, for evaluations that needed more than one start."""
    schedule: Mapping[EvaluationId, int] = field(default_factory=dict, repr=False)
    """The position of each evaluation in the schedule of its run; empty if the records came without one."""
    finished: tuple[int, int] | None = None
    """If the runs are still in progress: how many of their evaluations are finished, and how many are scheduled."""
    unverified: tuple[str, ...] = ()
    """Configurations whose records fail verification: every table and figure says so."""

    efforts: Mapping[str, ModelEffort] = field(default_factory=dict)
    """The reasoning effort of models whose configuration states one."""

    assisted: "Results | None" = None
    """The evaluations on assisted tracks, if there are others: no table but their own mixes them with bare ones."""

    conditioned: "Results | None" = None
    """The evaluations under conditions, if there are clear ones: only the tables on conditions mix them."""

    @classmethod
    def from_records(
        cls,
        records: Iterable[Mapping[str, Any]],
        expected: Iterable[tuple[str, str, int]] | None = None,
        order: Sequence[str] = (),
    ) -> "Results":
        """Read `records` and check them against `expected`, the schedule as (configuration, world, trial) in its order.

        Without `expected` every configuration must have every world in all of its trials.
        """
        return cls.from_evaluations(read_evaluations(records), expected, order)

    @classmethod
    def from_evaluations(
        cls,
        evaluations: Sequence[Evaluation],
        expected: Iterable[tuple[str, str, int]] | None = None,
        order: Sequence[str] = (),
    ) -> "Results":
        """Like `from_records`, for evaluations that have been read."""
        planned = None if expected is None else [EvaluationId(*key) for key in expected]
        if not evaluations:
            raise InputError("there are no finalized records; run an agent or a model first")
        worlds = {evaluation.world for evaluation in evaluations if evaluation.condition}
        if worlds and any(evaluation.world not in worlds for evaluation in evaluations):
            parts = []
            for is_conditioned in (False, True):
                own = [one for one in evaluations if (one.world in worlds) is is_conditioned]
                keys = None if planned is None else [key for key in planned if (key.world in worlds) is is_conditioned]
                parts.append(cls.from_evaluations(own, keys, order))
            return replace(parts[0], conditioned=parts[1])
        assisted = {evaluation.configuration for evaluation in evaluations if evaluation.track != BARE.name}
        if assisted and any(evaluation.configuration not in assisted for evaluation in evaluations):
            parts = []
            for is_assisted in (False, True):
                own = [one for one in evaluations if (one.configuration in assisted) is is_assisted]
                keys = None if planned is None else [key for key in planned if (key.configuration in assisted) is is_assisted]
                own_order = [label for label in order if (label in assisted) is is_assisted]
                parts.append(cls.from_evaluations(own, keys, own_order))
            return replace(parts[0], assisted=parts[1])
        _raise_problems(_count_problems(evaluations, planned))
        _raise_problems(_contradictions(evaluations))
        labels = _sort_configurations(evaluations, order)
        rank = {label: position for position, label in enumerate(labels)}
        ordered = tuple(sorted(evaluations, key=lambda evaluation: (rank[evaluation.configuration], evaluation.sort_key)))
        return cls(labels, ordered, schedule={key: position for position, key in enumerate(planned or ())})

    def with_attempts(self, attempts: Attempts) -> "Results":
        """These results with provider `attempts`; InputError if an attempt belongs to an evaluation without a record."""
        others = () if self.assisted is None else self.assisted.configurations
        attempts = {label: rows for label, rows in attempts.items() if label not in others}
        if self.conditioned is not None:
            worlds = {evaluation.world for evaluation in self.conditioned.evaluations}
            attempts = {label: [row for row in rows if row["world"] not in worlds] for label, rows in attempts.items()}
        present = {evaluation.id for evaluation in self.evaluations}
        keys = {EvaluationId(label, row["world"], row["trial"]) for label, rows in attempts.items() for row in rows}
        if foreign := sorted(keys - present):
            raise InputError(f"{len(foreign):,} evaluations have attempts but no record, the first {foreign[0]}")
        return replace(self, attempts=attempts)

    @cached_property
    def _trials(self) -> dict[str, tuple[tuple[Evaluation, ...], ...]]:
        split: dict[str, list[list[Evaluation]]] = {label: [] for label in self.configurations}
        counts: Counter[tuple[str, str]] = Counter()
        for evaluation in self.evaluations:  # of one world in the order of their trials, some of which may be unfinished
            trials, key = split[evaluation.configuration], (evaluation.configuration, evaluation.world)
            if counts[key] == len(trials):
                trials.append([])
            trials[counts[key]].append(evaluation)
            counts[key] += 1
        return {label: tuple(map(tuple, trials)) for label, trials in split.items()}

    def trials(self, configuration: str) -> tuple[tuple[Evaluation, ...], ...]:
        """The evaluations of a configuration by trial; all trials have the same order of worlds."""
        return self._trials[configuration]

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The kind of player by configuration."""
        return {evaluation.configuration: evaluation.kind for evaluation in self.evaluations}

    @property
    def candidates(self) -> tuple[str, ...]:
        """The configurations that the report is about: models, external agents and people, but no scripted agents."""
        return tuple(label for label in self.configurations if self.kinds[label] != PlayerKind.AGENT.value)

    @property
    def marks(self) -> dict[str, str]:
        """What every table, and in short every figure, says first if the report must not be taken for a final one."""
        labels, marks = ", ".join(self.unverified), {}
        if self.unverified:
            marks["UNVERIFIED RECORDS"] = (
                f"UNVERIFIED: the records of {labels} are not as they were sealed, or not this run's; "
                "do not rely on this table."
            )
        if self.finished is not None:
            done, scheduled = self.finished
            marks[f"PARTIAL: {done:,} of {scheduled:,}"] = (
                f"PARTIAL: {done:,} of {scheduled:,} evaluations are finished, and {len(self.evaluations):,} of them can be "
                "compared; evaluations that end early come first, so numbers will change."
            )
        return marks

    @property
    def protocol_note(self) -> str:
        """What every caption says about kinds that did not play by the protocol of models; empty if all did."""
        notes = [note for kind, note in PROTOCOL_NOTES.items() if kind.value in self.kinds.values()]
        if any(evaluation.track != BARE.name for evaluation in self._first_trial):
            notes.append(TRACK_NOTE)
        return " ".join(notes)

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The families that occur, in their usual order."""
        return tuple(dict.fromkeys(evaluation.family for evaluation in self._first_trial))

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """The workload levels that occur."""
        return tuple(sorted({evaluation.level for evaluation in self._first_trial}))

    @cached_property
    def interfaces(self) -> tuple[str, ...]:
        """The interfaces that occur."""
        present = {evaluation.interface for evaluation in self._first_trial}
        return tuple(name for name in INTERFACE_NAMES if name in present)

    @cached_property
    def worlds(self) -> tuple[str, ...]:
        """The ids of the worlds, which are the same in every trial of every configuration."""
        return tuple(evaluation.world for evaluation in self._first_trial)

    @cached_property
    def instances(self) -> tuple[str, ...]:
        """The hidden instances of the worlds."""
        return tuple(dict.fromkeys(evaluation.instance for evaluation in self._first_trial))

    @property
    def _first_trial(self) -> tuple[Evaluation, ...]:
        return self._trials[self.configurations[0]][0]


def read_evaluations(records: Iterable[Mapping[str, Any]], shared: InternPool | None = None) -> list[Evaluation]:
    """The evaluations of `records`; InputError names all records that are pending or of another version.

    Several calls can share equal values through `shared`.
    """
    records, pool = list(records), InternPool() if shared is None else shared
    problems: dict[str, list[str]] = {"pending": [], "of another format": [], "of another scoring version": []}
    for record in records:
        if not isinstance(record, Mapping):
            raise InputError(f"a record is not a JSON object: {quote_value(record)}")
        name = str(EvaluationId._make(map(record.get, EvaluationId._fields)))
        if record.get("outcome") in (None, "pending"):
            problems["pending"].append(name)
        elif record.get("format") != RECORD_FORMAT:
            problems["of another format"].append(name)
        elif record.get("scoring") != SCORING_VERSION:
            problems["of another scoring version"].append(name)
    _raise_problems(problems)
    return [Evaluation.from_record(record, pool) for record in records]


def _count_problems(evaluations: Sequence[Evaluation], planned: Sequence[EvaluationId] | None) -> dict[str, list[str]]:
    """Duplicate, missing and foreign evaluations.

    Without a plan every configuration must have every world in trials 1..n, where n is its last trial.
    """
    counts = Counter(evaluation.id for evaluation in evaluations)
    if planned is None:
        last_trial: dict[str, int] = {}
        for key in counts:
            last_trial[key.configuration] = max(key.trial, last_trial.get(key.configuration, 0))
        worlds = {key.world for key in counts}
        trials = [(label, trial) for label, last in last_trial.items() for trial in range(1, last + 1)]
        planned = [EvaluationId(label, world, trial) for label, trial in trials for world in worlds]
    return {
        "duplicate": [str(key) for key, count in counts.items() if count > 1],
        "missing": [str(key) for key in set(planned) - counts.keys()],
        "foreign": [str(key) for key in counts.keys() - set(planned)],
    }


def _contradictions(evaluations: Sequence[Evaluation]) -> dict[str, list[str]]:
    """Evaluations that disagree about a world (they are of another suite) or about the kind of a configuration."""
    worlds: dict[str, tuple[int, ...]] = {}
    kinds: dict[str, str] = {}
    problems: dict[str, list[str]] = {"of another suite": [], "of another kind": []}
    for evaluation in sorted(evaluations, key=lambda evaluation: evaluation.id):
        scale = (evaluation.record["optimum"], evaluation.record["reference_gap"], evaluation.budget)
        if worlds.setdefault(evaluation.world, scale) != scale:
            problems["of another suite"].append(str(evaluation.id))
        if kinds.setdefault(evaluation.configuration, evaluation.kind) != evaluation.kind:
            problems["of another kind"].append(str(evaluation.id))
    return problems


def _raise_problems(problems: dict[str, list[str]]) -> None:
    """InputError if a list in `problems` has evaluations."""
    parts = [
        f"{len(keys):,} {what} ({', '.join(sorted(keys)[:_MAX_NAMED])}{', ...' if len(keys) > _MAX_NAMED else ''})"
        for what, keys in problems.items()
        if keys
    ]
    if parts:
        hint = "; algoworlds report --partial shows what is finished" if problems.get("missing") else ""
        raise InputError(f"no tables from these records, finish or repair the runs first: {'; '.join(parts)}{hint}")


def _sort_configurations(evaluations: Sequence[Evaluation], order: Sequence[str]) -> tuple[str, ...]:
    """All labels by kind, then by `order`, exact optimality, utility and name."""
    by_label: dict[str, list[Evaluation]] = {}
    for evaluation in evaluations:
        by_label.setdefault(evaluation.configuration, []).append(evaluation)
    unknown = [label for label in order if label not in by_label]
    if unknown:
        labels = ", ".join(map(quote_value, sorted(by_label)))
        raise InputError(f"there is no configuration {quote_value(unknown[0])}; choose from {labels}")
    position = {label: number for number, label in enumerate(order)}

    def sort_key(label: str) -> tuple[int, int, float, float, str]:
        own = by_label[label]
        exact, utility = (fsum(getattr(row, name) for row in own) / len(own) for name in ("exact", "utility"))
        return KIND_NAMES.index(own[-1].kind), position.get(label, len(position)), -exact, -utility, label

    return tuple(sorted(by_label, key=sort_key))
