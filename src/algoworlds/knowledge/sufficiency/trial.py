"""One decision on trial: what it and its rivals are worth in instances that responses leave possible."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from math import inf
from typing import Any, NamedTuple

from algoworlds.core.column import Ids, Int
from algoworlds.core.completions import Completions, Exchanged, Spot, exchanged, settled
from algoworlds.core.decision import Decision
from algoworlds.core.ranges import Place, Range
from algoworlds.core.relation import Row
from algoworlds.core.stream import Stream
from algoworlds.core.work import Sense
from algoworlds.families.family import Family
from algoworlds.families.unknowns import Unknowns
from algoworlds.knowledge.sufficiency.equation import Equation
from algoworlds.knowledge.sufficiency.observed import Listener, Observed
from algoworlds.knowledge.sufficiency.uses import Uses

NEIGHBOURS = 40
"""Decisions beside the one on trial that are tried as rivals before anything is solved."""

SAMPLES = 5
"""Decisions at random that are tried as well."""

Amount = int | float
"""A regret in objective units: a whole number, or infinite."""


class Witness(NamedTuple):
    """An instance that answers alike, a decision that is better in it than the one on trial, and by how much."""

    instance: Any
    rival: Decision
    regret: Amount


@dataclass
class Effort:
    """What the exact solver has done so far, in its own counted operations."""

    work: int = 0


@dataclass(frozen=True, eq=False)
class Bench:
    """What trials in one world share: its family, how it answers, what decisions pay for, and good rivals."""

    family: Family[Any, Any]
    listener: Listener
    uses: Uses
    optimum: Decision
    effort: Effort = field(default_factory=Effort, init=False, repr=False)

    @cached_property
    def pool(self) -> tuple[Decision, ...]:
        """Feasible decisions that are had without solving; always the same, so that no answer depends on earlier ones."""
        instance, stream = self.uses.instance, Stream("rivals", self.uses.instance.digest)
        return (self.family.reference(instance), *self.family.hardness.samples(instance, stream, SAMPLES))

    def solved(self, instance: Any) -> Decision | None:
        """The optimum of an instance; the world's own is known."""
        if instance is self.uses.instance:
            return self.optimum
        solution = self.family.solve(instance)
        self.effort.work += solution.work.total
        return solution.decision


@dataclass(frozen=True, eq=False)
class Trial:
    """A decision and the completions in which it may have to stand; the case is one of them."""

    bench: Bench
    unknowns: Unknowns
    observed: Observed
    completions: Completions
    decision: Decision
    case: Any

    @property
    def family(self) -> Family[Any, Any]:
        """The family of the world."""
        return self.bench.family

    @property
    def sign(self) -> int:
        """+1 where less is better, -1 where more is: what turns a difference of values into a loss."""
        return 1 if self.family.sense is Sense.MIN else -1

    def value(self, instance: Any, decision: Decision | None = None) -> int | None:
        """What a decision, the one on trial unless another is given, is worth; None if infeasible."""
        return self.family.check(instance, self.decision if decision is None else decision).value

    def regret(self, instance: Any, rival: Decision) -> Amount | None:
        """By how much a rival beats the decision on trial; None if the rival is infeasible."""
        own, other = self.value(instance), self.value(instance, rival)
        if other is None:
            return None
        return inf if own is None else self.sign * (own - other)

    def possible(self, instance: Any) -> bool:
        """Whether an instance is a completion: one at all, in all ranges, promises kept, the same responses to all calls."""
        world = self.bench.listener.world
        if any(self.completions.ranges.broken(instance, self.completions.instance)) or not instance.valid:
            return False
        if instance.public_tables != world.public:
            return False
        return self.evaluates(instance) and self.bench.listener.agrees(instance, self.observed.calls)

    # -- what an evaluation told ----------------------------------------------------------------------------------------

    def evaluates(self, instance: Any) -> bool:
        """Whether an evaluation would have told the same in an instance."""
        told = self.completions.told
        return told is None or self.value(instance, told.decision) == told.value

    def refuted(self, instance: Any) -> bool:
        """Whether an evaluation found a decision feasible that is not so in an instance, however much helps it."""
        told = self.completions.told
        return told is not None and told.value is not None and self.value(instance, told.decision) is None

    @property
    def vouched(self) -> bool:
        """Whether an evaluation found the decision on trial feasible, and told its value."""
        told = self.completions.told
        return told is not None and told.value is not None and told.decision == self.decision

    @cached_property
    def certain(self) -> int | None:
        """What the decision on trial loses in every completion, if that was told and nothing more can be made of it."""
        told = self.completions.told
        if told is None or told.value is None or not self.vouched or self.equation is not None:
            return None
        return self.sign * told.value if self.unknowns.scopes.isdisjoint(self.completions.open) else None

    @cached_property
    def truthful(self) -> dict[Spot, int]:
        """The numbers that an evaluated decision pays for as they are, which agrees with what was told."""
        told = self.completions.told
        return {} if told is None else {spot: spot.number for spot in self.paid(told.decision)}

    @cached_property
    def equation(self) -> Equation | None:
        """What an evaluation tells of unread numbers; None if its decision's value depends on anything else unread."""
        told = self.completions.told
        if told is None or told.value is None or not self._weighed or self.value(self.case, told.decision) is None:
            return None
        found = {spot: times for place in self.priced for spot, times in self.uses.of(told.decision, place).items()}
        paid = {spot: times for spot, times in found.items() if spot in self._wide}
        return Equation(self.family, self.case, told.decision, self.sign, self.sign * told.value, paid, self._wide)

    @cached_property
    def _weighed(self) -> bool:
        """Whether what was told depends on nothing unread but numbers: the rest was read, or the case settles it."""
        assert self.completions.told is not None
        ids = self.family.decision.ids(self.completions.told.decision)
        loose = {place[0] for place, side in self.unknowns.binding.items() if not side} | self.unknowns.structure
        if self.unknowns.settles(self.completions):
            loose -= self.unknowns.structure if self.vouched else frozenset()
        else:
            loose |= {place[0] for place in self.unknowns.ranked}
        loose -= frozenset() if self.vouched else self.unknowns.apart(self.completions)
        return not any(
            name in self.unknowns.scopes or concerns(self.completions.instance, name, row, ids)
            for name in loose.intersection(self.completions.open)
            for row in self.completions.unread(name)
        )

    @cached_property
    def _settled_ids(self) -> frozenset[str]:
        """What an evaluated decision names, if cases settle its ranked columns."""
        told = self.completions.told
        known = told is not None and told.value is not None and self.unknowns.settles(self.completions)
        return self.family.decision.ids(told.decision) if told is not None and known else frozenset()

    def rivals(self) -> Iterator[Decision]:
        """Decisions that may beat the one on trial somewhere; where any may, those beside it as well."""
        yield from self.bench.pool
        if self.family.hardness.hand is not None and not self.unknowns.scopes.isdisjoint(self.completions.open):
            yield from islice(self.family.hardness.hand(self.completions.instance).neighbours(self.decision), NEIGHBOURS)

    # -- columns that decide feasibility ------------------------------------------------------------------------------

    @cached_property
    def binding(self) -> list[tuple[str, str, int]]:
        """The binding columns that have not been read in full: relation, column and the side that helps."""
        return [(*place, side) for place, side in self.unknowns.binding.items() if place[0] in self.completions.open]

    def extreme(self, side: int) -> Any:
        """The case with every unread cell of a sided column at the end that helps feasibility (+1), or hinders it (-1)."""
        changes = {name: self._ends(name, column, side * helps) for name, column, helps in self.binding if helps}
        return self.case.unchecked(**self.case.tables_with(changes)) if changes else self.case

    def _ends(self, name: str, column: str, side: int) -> dict[Row, Row]:
        """Unread rows with a cell at one end: the largest, true or everything, or else the smallest, false or nothing."""
        at = self.case.relations[name].position(column)
        declared = self.case.relations[name].columns[at]
        if isinstance(declared, Int):
            box = self.completions.ranges.columns[name, column]
            cell: Any = box.high if side > 0 else box.low
        elif isinstance(declared, Ids):
            cell = declared.read(getattr(self.case, declared.of), {}) if side > 0 else ()
        else:
            cell = side > 0
        return {row: (*row[:at], cell, *row[at + 1 :]) for row in self.completions.unread(name)}

    # -- numbers ------------------------------------------------------------------------------------------------------

    @cached_property
    def priced(self) -> tuple[Place, ...]:
        """The columns of numbers that values depend on and that have not been read in full."""
        open_ = set(self.completions.open) - self.unknowns.structure
        return tuple(
            place for place in self.completions.ranges.columns if place[0] in open_ and place not in self.unknowns.binding
        )

    @cached_property
    def boxes(self) -> dict[Spot, Range]:
        """Every unread number that values depend on, with its range, or what an evaluation leaves of it."""
        return self._wide if self.equation is None else self.equation.tightened()

    @cached_property
    def _wide(self) -> dict[Spot, Range]:
        return {spot: box for place in self.priced for spot, box in self.completions.boxes(place).items()}

    @cached_property
    def uses(self) -> Uses:
        """What decisions pay for in this case."""
        return self.bench.uses if self.case is self.bench.uses.instance else Uses(self.family, self.case)

    @cached_property
    def own(self) -> dict[Spot, int]:
        """The unread numbers that the decision on trial pays for, and how much of each."""
        return self.paid(self.decision)

    def paid(self, decision: Decision) -> dict[Spot, int]:
        """The unread numbers that a decision pays for, and how much of each; what it pays in the member is kept for others."""
        if self.case is not self.bench.uses.instance:
            listed = [self.uses.among(decision, list(self.completions.boxes(place))) for place in self.priced]
        else:
            listed = [self.uses.of(decision, place) for place in self.priced]
        return {spot: times for each in listed for spot, times in each.items() if spot in self._wide}

    def shared(self, spot: Spot) -> bool:
        """Whether a number is one that decisions may use more than once."""
        return (spot.relation, self.case.relations[spot.relation].columns[spot.at].name) in self.unknowns.shared

    @cached_property
    def lenient(self) -> dict[Spot, int]:
        """Every unread number at the end that makes decisions better."""
        ends: dict[Spot, int] = {}
        for place in self.priced:
            costly = self._costly(place)
            for spot in self.completions.boxes(place):
                ends[spot] = self.boxes[spot].low if costly else self.boxes[spot].high
        return ends

    def _costly(self, place: Place) -> bool:
        """Whether more of a column's numbers makes the decisions that pay for them worse."""
        slopes = (self.uses.slope(decision, place) for decision in (self.decision, *self.bench.pool))
        return self.sign * next((slope for slope in slopes if slope), self.sign) > 0

    def dear(self, paid: Mapping[Spot, int]) -> dict[Spot, int]:
        """Numbers that are paid for, at the end that makes paying worse."""
        return {spot: self.boxes[spot].high if self.sign * times > 0 else self.boxes[spot].low for spot, times in paid.items()}

    def scenario(self, numbers: Mapping[Spot, int]) -> Any:
        """The case with unread numbers as given and all else that was not read as good for decisions as can be."""
        best, improved = self._best
        instance = settled(best, numbers, improved)
        changes = {place[0]: self._ranked(place) for place in self.unknowns.ranked if place[0] in self.completions.open}
        return instance.unchecked(**instance.tables_with(changes)) if changes else instance

    @cached_property
    def _best(self) -> tuple[Any, Exchanged]:
        """The case with numbers and sided cells as good for decisions as can be, and the rows that are exchanged for that."""
        return settled(self.extreme(+1), self.lenient), exchanged(self.lenient)

    def _ranked(self, place: Place) -> dict[Row, Row]:
        """Unread rows with the worst id for the decision on trial where they concern it, and the best anywhere else.

        What the case settles stays as it is.
        """
        relation, ids = self.case.relations[place[0]], self.family.decision.ids(self.decision)
        at = relation.position(place[1])
        rows = [row for row in self.completions.unread(place[0]) if self._settled_ids.isdisjoint(row)]
        best, worst = self.uses.best_and_worst(self.decision, place, self.sign)
        return {row: (*row[:at], worst if ids.intersection(row) else best, *row[at + 1 :]) for row in rows}


def concerns(instance: Any, name: str, row: Row, ids: frozenset[str]) -> bool:
    """Whether a row may matter to a decision: it mentions one of its ids, or is about no entity that decisions name."""
    relation = instance.relations[name]
    named = {roster for roster in relation.rosters if not ids.isdisjoint(getattr(instance, roster))}
    return not named or any(not ids.isdisjoint(column.ids(row[at])) for at, column, _ in relation.mentions)
