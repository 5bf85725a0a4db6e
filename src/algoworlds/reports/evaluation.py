"""`Evaluation`: one finalized record, with typed fields, checked for contradictions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from sys import intern
from typing import Any, NamedTuple, NoReturn

from algoworlds.core.condition import CLEAR, CONDITIONS
from algoworlds.core.decision import Confidence
from algoworlds.core.interface import Interface
from algoworlds.errors import InputError, format_value, quote_value
from algoworlds.families import family_names, family_sort_key
from algoworlds.knowledge.oracle import Determination
from algoworlds.measures.hindsight import Footing, classify_footing
from algoworlds.measures.judging import JUDGED_MEASURES
from algoworlds.measures.measure import SIGNED_INTEGER, Domain, Integer, Measure, Number, Object, OneOf, Text
from algoworlds.measures.scoring import MEASURES, SCORING_VERSION
from algoworlds.runs.outcome import Event
from algoworlds.suites.record import RECORD_FORMAT, PlayerKind
from algoworlds.tracks.track import BARE, TRACKS
from algoworlds.worlds.episode import Outcome


class RecordReader:
    """Reads the fields of one record and raises InputError for values that are not allowed."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._record = record

    def read_field(self, name: str, domain: Domain | Measure[Any]) -> Any:
        """The field `name`, whose value must be in `domain`."""
        value = self._value(name)
        problem = domain.fault(value)
        return value if problem is None else self._fail(name, problem)

    def read_nullable(self, name: str, domain: Domain) -> Any:
        """The field `name`, whose value must be null or in `domain`."""
        return None if self._value(name) is None else self.read_field(name, domain)

    def read_text(self, name: str) -> str:
        """The field `name`, which must be a text that is not empty."""
        value = self._value(name)
        return value if isinstance(value, str) and value else self._fail(name, "is not a text")

    def check_rows(self, name: str, **kinds: type) -> None:
        """Check that the field `name` is a list of objects with fields of these types."""
        rows = self._value(name)
        is_list = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
        if not is_list or any({type(row.get(field)) for row in rows} - {kind} for field, kind in kinds.items()):
            self._fail(name, f"is not a list of objects with {', '.join(kinds)}")

    def check_consistent(self, name: str, condition: bool) -> None:
        """Check a condition on the field `name` that the other fields imply."""
        if not condition:
            self._fail(name, "contradicts the rest of the record")

    def _value(self, name: str) -> Any:
        return self._record[name] if name in self._record else self._fail(name, "is missing")

    def _fail(self, name: str, problem: str) -> NoReturn:
        record = self._record
        configuration, world, trial = (quote_value(record.get(field)) for field in ("configuration", "world", "trial"))
        value = f": {quote_value(record[name])}" if name in record else ""
        raise InputError(
            f"the record of {configuration} {world} trial {trial} cannot be used: {format_value(name)} {problem}{value}"
        )


KIND_NAMES = tuple(kind.value for kind in PlayerKind)
KIND_MARKS = {PlayerKind.EXTERNAL: "(external)", PlayerKind.HUMAN: "(human)"}
"""By kind that did not play by the protocol of models, the suffix of its labels."""
OPTIMAL, SUBOPTIMAL = "optimal", "suboptimal"
BETTER_THAN_REFERENCE, NOT_BETTER_THAN_REFERENCE = "better", "equal or worse"
"""The quality of a feasible suboptimal decision: regret below 1, or at least 1."""
CATEGORIES = (OPTIMAL, SUBOPTIMAL, *(outcome.value for outcome in Outcome if outcome is not Outcome.FEASIBLE))
"""The five categories of final decisions; they partition the evaluations."""

UNDECIDED_OUTCOMES = (Outcome.NO_DECISION.value, Outcome.PROTOCOL_VIOLATION.value)
"""The outcomes of evaluations without a decision."""

FINAL_STOP_REASONS = tuple(event.value for event in Event if event.is_final)
"""The reasons why an evaluation can end and be scored."""

INTERFACE_NAMES = tuple(interface.value for interface in Interface)


class EvaluationId(NamedTuple):
    """The key of an evaluation: there is exactly one finalized record for it."""

    configuration: str
    world: str
    trial: int

    def __str__(self) -> str:
        return f"{quote_value(self.configuration)} {format_value(self.world)} trial {format_value(self.trial)}"


class RecordedCall(NamedTuple):
    """One call of a recorded trajectory."""

    turn: int
    tool: str
    arguments: str
    status: str
    charged: int


InternPool = dict[Any, Any]
"""Shares equal values between evaluations: on one world, many trajectories contain the same calls."""

LARGE_FIELDS = ("trajectory", "texts", "coverage_curve")
"""The large fields of a record, which an evaluation stores as tuples to save memory."""


@dataclass(frozen=True)
class Evaluation:
    """One evaluation, with its measures as attributes; `record` has all fields but the large ones."""

    configuration: str
    kind: str
    world: str
    family: str
    level: int
    index: int
    interface: str
    trial: int
    outcome: str
    exact: int
    feasible: int
    regret: float | None
    utility: float
    sufficiency: int
    coverage: float
    grounding: float
    sufficient_at: int | None
    redundant_calls: int
    executed_calls: int
    attempted_calls: int
    spend: int
    budget: int
    call_cap: int
    budget_cap: int
    stop_reason: str
    record: Mapping[str, Any] = field(repr=False, compare=False)
    trajectory: tuple[RecordedCall, ...] = field(repr=False, compare=False)
    texts: tuple[tuple[int, str], ...] = field(repr=False, compare=False)
    coverage_curve: tuple[tuple[int, float], ...] = field(repr=False, compare=False)
    judgement: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)
    """The judged measures; None if the evaluation was not judged."""

    @classmethod
    def from_record(cls, record: Mapping[str, Any], shared: InternPool | None = None) -> "Evaluation":
        """Read `record`; InputError names a field that is missing, has a wrong type or contradicts another."""
        reader, share = RecordReader(record), (InternPool() if shared is None else shared).setdefault
        reader.read_field("format", Integer(RECORD_FORMAT, RECORD_FORMAT))
        reader.read_field("scoring", Integer(SCORING_VERSION, SCORING_VERSION))
        measures = {measure.name: reader.read_field(measure.name, measure) for measure in MEASURES}
        curve = tuple([share(point, point) for point in map(tuple, measures.pop("coverage_curve"))])
        _check_uncounted_fields(reader, record)
        calls = [RecordedCall(*map(step.__getitem__, RecordedCall._fields)) for step in record["trajectory"]]
        label, kind = reader.read_text("configuration"), PlayerKind(reader.read_field("kind", OneOf(KIND_NAMES)))
        evaluation = cls(
            configuration=display_label(label, kind, record.get("track", BARE.name)),
            kind=kind.value,
            world=reader.read_text("world"),
            family=reader.read_field("family", OneOf(family_names())),
            level=reader.read_field("level", Integer()),
            index=reader.read_field("index", Integer(1)),
            interface=reader.read_field("interface", OneOf(INTERFACE_NAMES)),
            trial=reader.read_field("trial", Integer(1)),
            stop_reason=reader.read_field("stop_reason", OneOf(FINAL_STOP_REASONS)),
            record={intern(name): value for name, value in record.items() if name not in LARGE_FIELDS},
            trajectory=tuple([share(call, call) for call in calls]),
            texts=tuple([(text["turn"], text["text"]) for text in record["texts"]]),
            coverage_curve=curve,
            **{attribute.name: measures[attribute.name] for attribute in fields(cls) if attribute.name in measures},
        )
        evaluation._check_consistency(reader)
        return evaluation

    def with_judgement(self, document: Mapping[str, Any]) -> "Evaluation":
        """A copy with its judgement; InputError names a field that is missing, wrong or contradicts the record."""
        reader = RecordReader(document)
        measures = {measure.name: reader.read_field(measure.name, measure) for measure in JUDGED_MEASURES}
        knowledge = None if measures["knowledge"] is None else Determination(measures["knowledge"])
        footings = {classify_footing(Outcome(self.outcome), self.exact, knowledge)}
        if self.exact and knowledge is not None and "-tied-" in self.world:  # another optimum may be the one that is known
            footings |= {Footing.LUCKY.value, Footing.UNDECIDED.value}
        reader.check_consistent("footing", measures["footing"] in footings)
        if measures["witness"] is not None:
            witness = RecordReader({**document, **measures["witness"]})
            witness.read_field("rival", Object((list, dict)))
            witness.read_nullable("value", SIGNED_INTEGER)
            witness.read_nullable("rival_value", SIGNED_INTEGER)
            witness.read_nullable("reason", Text())
            witness.check_rows("cells", table=str, row=list, column=str, possible=int)
        return replace(self, judgement=measures)

    def judged_value(self, name: str) -> Any:
        """The judged measure `name`; None if it is undefined or the evaluation was not judged."""
        return None if self.judgement is None else self.judgement[name]

    @property
    def track(self) -> str:
        """The name of the track that the evaluation was made on."""
        return str(self.record.get("track", BARE.name))

    @property
    def claim(self) -> str:
        """What the agent claimed about its decision; empty without a claim."""
        return str(self.record.get("claim", ""))

    def _check_consistency(self, reader: RecordReader) -> None:
        """Fields that depend on each other must agree, so that no table can contradict another."""
        optimum, objective, gap, parts = (self.record[name] for name in ("optimum", "objective", "gap", "parts"))
        regret = None if gap is None else gap / self.record["reference_gap"]
        utility = 0.0 if regret is None else max(0.0, 100.0 * (1.0 - regret))
        decision, optimal_decision = self.record["decision"], self.record["optimal_decision"]
        # outside of the development split, the name of the instance ends with the tag of the suite
        condition = f"-{self.condition}" if self.condition else ""
        difficulty = r"(0|b[0-9]+\.[0-9])" if self.level == 0 else str(self.level)  # a world of the scale has no level
        world = rf"{self.family}-{difficulty}-{self.index}(-[0-9a-z]+)?{condition}(-tied)?-{self.interface}"
        reader.check_consistent("world", re.fullmatch(world, self.world) is not None)
        reader.check_consistent("feasible", self.feasible == (self.outcome == Outcome.FEASIBLE.value))
        reader.check_consistent("objective", (objective is not None) == bool(self.feasible))
        reader.check_consistent("parts", (parts is not None) == bool(self.feasible))
        reader.check_consistent("gap", gap == (None if objective is None else abs(objective - optimum)))
        reader.check_consistent("exact", self.exact == (gap == 0))
        reader.check_consistent("regret", self.regret == regret)
        reader.check_consistent("utility", abs(self.utility - utility) < 1e-9)
        reader.check_consistent("sufficiency", self.sufficiency == (self.coverage == 1.0))
        reader.check_consistent("spend", self.spend <= self.budget)
        reader.check_consistent("decision", decision is None or _types(decision) == _types(optimal_decision))
        reader.check_consistent("claim", decision is not None or "claim" not in self.record)

    @property
    def condition(self) -> str:
        """The condition of the world; empty if it is clear."""
        return str(self.record.get("condition", CLEAR))

    @property
    def instance(self) -> str:
        """The id of the hidden instance: the world id without interface and condition."""
        name = self.world.removesuffix(f"-{self.interface}")
        return name.removesuffix(f"-{self.condition}") if self.condition else name

    @property
    def id(self) -> EvaluationId:
        """The key of this evaluation."""
        return EvaluationId(self.configuration, self.world, self.trial)

    @property
    def category(self) -> str:
        """The category of the final decision, one of `CATEGORIES`."""
        return (OPTIMAL if self.exact else SUBOPTIMAL) if self.feasible else self.outcome

    @property
    def quality(self) -> str:
        """A feasible suboptimal decision compared with the reference decision; empty for all others."""
        if self.category != SUBOPTIMAL or self.regret is None:
            return ""
        return BETTER_THAN_REFERENCE if self.regret < 1 else NOT_BETTER_THAN_REFERENCE

    @property
    def sort_key(self) -> tuple[tuple[int, str], int, int, str, int, int]:
        """The position among the evaluations of a configuration."""
        interface = INTERFACE_NAMES.index(self.interface)
        return family_sort_key(self.family), self.level, self.index, self.instance, interface, self.trial


def display_label(label: str, kind: PlayerKind, track: str = BARE.name) -> str:
    """The name of a configuration in a report, marked with its kind and its track where needed."""
    marked = f"{label} {KIND_MARKS[kind]}" if kind in KIND_MARKS else label
    return marked if track == BARE.name else f"{marked} + {track}"


def _check_uncounted_fields(reader: RecordReader, record: Mapping[str, Any]) -> None:
    """Check the fields that the page shows and no table counts."""
    reader.check_rows("trajectory", turn=int, tool=str, arguments=str, status=str, charged=int)
    reader.check_rows("texts", turn=int, text=str)
    if "condition" in record:
        reader.read_field("condition", OneOf(tuple(condition.name for condition in CONDITIONS)))
    if "edition" in record:
        reader.read_text("edition")
    if "track" in record:
        reader.read_field("track", OneOf(tuple(name for name in TRACKS if name != BARE.name)))
        reader.read_field("programs", Integer())
        reader.read_field("computed", Integer())
        results = [step["computed"] for step in record["trajectory"] if "computed" in step]
        RecordReader({**record, "trajectory": results}).check_rows("trajectory", units=int)
        units = [result["units"] for result in results]
        reader.check_consistent("programs", record["programs"] == len(units))
        reader.check_consistent("computed", record["computed"] == sum(units))
    if "misread" in record:
        reader.read_field("misread", Integer())
        reader.check_consistent("misread", "track" in record)
    reader.read_nullable("tokens", Object((int, type(None))))
    reader.read_nullable("cost", Number())
    reader.read_nullable("model", Text())
    if "claim" in record:
        reader.read_field("claim", OneOf(tuple(claim.value for claim in Confidence)))
    reader.read_field("turns", Integer())
    reader.read_text("observed")


def _types(value: Mapping[str, Any]) -> dict[str, type]:
    return {name: type(item) for name, item in value.items()}
