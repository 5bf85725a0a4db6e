"""One finalized record as the analysis sees it: typed, strict, and free of contradictions."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from sys import intern
from typing import Any, NamedTuple

from algoworlds.core.decision import Assurance
from algoworlds.core.interface import Interface
from algoworlds.errors import quoted, shown
from algoworlds.families import names as family_names
from algoworlds.families import place as family_place
from algoworlds.knowledge.sufficiency.oracle import Knowledge
from algoworlds.measures.domain import SIGNED, Choice, Number, Object, Prose, Whole
from algoworlds.measures.hindsight import footing_of
from algoworlds.measures.judging import JUDGED
from algoworlds.measures.scoring import MEASURES, SCORING
from algoworlds.reports.fields import Fields
from algoworlds.runs.outcome import OUTCOMES
from algoworlds.suites.record import FORMAT, Kind
from algoworlds.worlds.episode import Outcome

KINDS = tuple(each.value for each in Kind)
MARKS = {Kind.EXTERNAL: "(external)", Kind.HUMAN: "(human)"}
"""By kind, what stands behind the name of a configuration that was not held to a model's protocol, wherever it is named."""
OPTIMAL, SUBOPTIMAL = "optimal", "suboptimal"
BETTER, WORSE = "better", "equal or worse"
"""A feasible suboptimal decision against the reference: regret below 1, or at least 1."""
CATEGORIES = (OPTIMAL, SUBOPTIMAL, *(each.value for each in Outcome if each is not Outcome.FEASIBLE))
"""The five final-decision categories, which partition the evaluations."""

STOPS = tuple(event.value for event, rule in OUTCOMES.items() if rule.final)
"""The reasons for which an evaluation can end and be scored."""

INTERFACES = tuple(each.value for each in Interface)


class EvaluationId(NamedTuple):
    """What there is exactly one finalized record of."""

    configuration: str
    world: str
    trial: int

    def __str__(self) -> str:
        return f"{quoted(self.configuration)} {shown(self.world)} trial {shown(self.trial)}"


class Told(NamedTuple):
    """One call of a trajectory as its record tells it."""

    turn: int
    tool: str
    arguments: str
    status: str
    charged: int


Shared = dict[Any, Any]
"""Equal values as one object each: the trajectories of many evaluations on a world hold the same calls."""

BULKY = ("trajectory", "texts", "coverage_curve")
"""What most of a record consists of; an evaluation keeps it in a form that takes less room."""


@dataclass(frozen=True)
class Evaluation:
    """What the sheets are computed of, measures under their own names; `record` is the rest of a finalized record."""

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
    trajectory: tuple[Told, ...] = field(repr=False, compare=False)
    texts: tuple[tuple[int, str], ...] = field(repr=False, compare=False)
    coverage_curve: tuple[tuple[int, float], ...] = field(repr=False, compare=False)
    judgement: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)
    """What could have been known, where that was judged."""

    @classmethod
    def from_record(cls, record: Mapping[str, Any], shared: Shared | None = None) -> "Evaluation":
        """A record's evaluation; InputError names the field that is missing, mistyped or contradicts another."""
        read, once = Fields(record), (Shared() if shared is None else shared).setdefault
        read.of("format", Whole(FORMAT, FORMAT))
        read.of("scoring", Whole(SCORING, SCORING))
        measured = {each.name: read.measured(each) for each in MEASURES}
        curve = tuple([once(point, point) for point in map(tuple, measured.pop("coverage_curve"))])
        _readable(read)
        trajectory = [Told(*map(step.__getitem__, Told._fields)) for step in record["trajectory"]]
        made = cls(
            configuration=marked(read.text("configuration"), Kind(read.of("kind", Choice(KINDS)))),
            kind=record["kind"],
            world=read.text("world"),
            family=read.of("family", Choice(family_names())),
            level=read.of("level", Whole()),
            index=read.of("index", Whole(1)),
            interface=read.of("interface", Choice(INTERFACES)),
            trial=read.of("trial", Whole(1)),
            stop_reason=read.of("stop_reason", Choice(STOPS)),
            record={intern(name): value for name, value in record.items() if name not in BULKY},
            trajectory=tuple([once(each, each) for each in trajectory]),
            texts=tuple([(each["turn"], each["text"]) for each in record["texts"]]),
            coverage_curve=curve,
            **{each.name: measured[each.name] for each in fields(cls) if each.name in measured},
        )
        made._agree(read)
        return made

    def judged_by(self, document: Mapping[str, Any]) -> "Evaluation":
        """The same with its judgement; InputError names the field that is missing, mistyped or contradicts the record."""
        read = Fields(document)
        found = {each.name: read.measured(each) for each in JUDGED}
        known = None if found["knowledge"] is None else Knowledge(found["knowledge"])
        read.agree("footing", found["footing"] == footing_of(Outcome(self.outcome), self.exact, known))
        if found["witness"] is not None:
            _presentable(Fields({**document, **found["witness"]}))
        return replace(self, judgement=found)

    def judged(self, name: str) -> Any:
        """A judged measure; None where it is undefined, or where nothing was judged."""
        return None if self.judgement is None else self.judgement[name]

    @property
    def claim(self) -> str:
        """What the agent said of its decision; empty if it said nothing."""
        return str(self.record.get("claim", ""))

    def _agree(self, read: Fields) -> None:
        """Fields that say the same thing must agree, so that no table can contradict another."""
        optimum, objective, gap = (self.record[name] for name in ("optimum", "objective", "gap"))
        regret = None if gap is None else gap / self.record["reference_gap"]
        worth = 0.0 if regret is None else max(0.0, 100.0 * (1.0 - regret))
        decision, best = self.record["decision"], self.record["optimal_decision"]
        read.agree("world", re.fullmatch(self._named, self.world) is not None)
        read.agree("feasible", self.feasible == (self.outcome == Outcome.FEASIBLE.value))
        read.agree("objective", (objective is not None) == bool(self.feasible))
        read.agree("gap", gap == (None if objective is None else abs(objective - optimum)))
        read.agree("exact", self.exact == (gap == 0))
        read.agree("regret", self.regret == regret)
        read.agree("utility", abs(self.utility - worth) < 1e-9)
        read.agree("sufficiency", self.sufficiency == (self.coverage == 1.0))
        read.agree("spend", self.spend <= self.budget)
        read.agree("decision", decision is None or _types(decision) == _types(best))
        read.agree("claim", decision is not None or "claim" not in self.record)

    @property
    def _named(self) -> str:
        """How a world at this place is named; outside the development split the instance's name ends with the suite's tag."""
        return f"{self.family}-{self.level}-{self.index}(-[0-9a-z]+)?-{self.interface}"

    @property
    def instance(self) -> str:
        """The hidden instance: the world's id without the interface."""
        return self.world.removesuffix(f"-{self.interface}")

    @property
    def id(self) -> EvaluationId:
        """What there is only one record of."""
        return EvaluationId(self.configuration, self.world, self.trial)

    @property
    def category(self) -> str:
        """The final-decision category, one of CATEGORIES."""
        return (OPTIMAL if self.exact else SUBOPTIMAL) if self.feasible else self.outcome

    @property
    def quality(self) -> str:
        """How a feasible decision that misses the optimum compares with the reference decision; empty for all others."""
        if self.category != SUBOPTIMAL or self.regret is None:
            return ""
        return BETTER if self.regret < 1 else WORSE

    @property
    def place(self) -> tuple[tuple[int, str], int, int, str, int, int]:
        """Where the evaluation stands among those of its configuration."""
        interface = INTERFACES.index(self.interface)
        return family_place(self.family), self.level, self.index, self.instance, interface, self.trial


def marked(label: str, kind: Kind) -> str:
    """How a configuration is named in a report, where kinds stand beside each other."""
    return f"{label} {MARKS[kind]}" if kind in MARKS else label


def _readable(read: Fields) -> None:
    """What the report shows and no table counts must have its form as well, or the report could not be written."""
    read.rows("trajectory", turn=int, tool=str, arguments=str, status=str, charged=int)
    read.rows("texts", turn=int, text=str)
    read.optional("tokens", Object((int, type(None))))
    read.optional("cost", Number())
    read.optional("model", Prose())
    read.given("claim", Choice(tuple(each.value for each in Assurance)))
    read.of("turns", Whole())
    read.text("observed")


def _presentable(witness: Fields) -> None:
    """The form that the page shows a witness in."""
    witness.of("rival", Object((list, dict)))
    witness.optional("value", SIGNED)
    witness.optional("rival_value", SIGNED)
    witness.optional("reason", Prose())
    witness.rows("cells", table=str, row=list, column=str, possible=int)


def _types(value: Mapping[str, Any]) -> dict[str, type]:
    return {name: type(each) for name, each in value.items()}
