"""How the values of decisions depend on numbers: the effect of each number, and the equation that an evaluation gives.

Which numbers a decision pays for is found by finite differences through the checker, so that families need not declare it.

An evaluation gives one exact value: a linear equation over the unread numbers that the evaluated decision pays for. First, the
range of each number shrinks to what the others leave of the value. Then the equation is relaxed with a price (Lagrangian dual):
every price gives an upper bound on a rival's lead. A number x of the evaluated decision has the weight (1 if the decision on
trial pays for it) + price, which is what it is worth to the lead of a rival that does not use it; a rival that does pays the
difference, which lies between the ends of x. So a bound is one solve with these numbers somewhere between their ends, and
price 0 gives the bound without the equation.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from struct import unpack
from typing import Any, NamedTuple

from algoworlds.core.completions import NumberRef, number_refs, with_numbers
from algoworlds.core.decision import Decision
from algoworlds.core.ranges import ColumnRef, Range
from algoworlds.families.family import AnyFamily

BATCH_SIZE = 128
"""Numbers whose effects are read from one value: each effect is below 2^53 and has 64 bits of the value."""


_STEP, _STEP_MODULUS = 7919, 997
"""Numbers are raised by different steps of 1 to 997 to see whether they interact."""


class Interaction(Enum):
    """Whether the effect of one number on a value depends on other numbers."""

    NONE = "none"
    BETWEEN_COLUMNS = "between columns"
    """As in rate times minutes: the value is linear in the numbers of each column alone."""
    WITHIN_COLUMNS = "within columns"
    """As in the smaller of two values of one column."""


@dataclass(frozen=True, eq=False)
class ValueSensitivity:
    """How the values of decisions change with the numbers of one instance, some of which may be replaced by `base`."""

    family: AnyFamily
    instance: Any
    base: dict[NumberRef, int] = field(default_factory=dict)
    _column_effects: dict[tuple[ColumnRef, str], dict[NumberRef, int]] = field(default_factory=dict, init=False, repr=False)
    _id_ends: dict[tuple[ColumnRef, str], tuple[str, str]] = field(default_factory=dict, init=False, repr=False)

    def column_effects(self, decision: Any, column: ColumnRef) -> dict[NumberRef, int]:
        """The numbers of `column` that `decision` pays for, with the change of its value per unit of each."""
        key = column, repr(decision)
        if key not in self._column_effects:
            refs = number_refs(self.instance, column, self.instance.rows(column[0]))
            self._column_effects[key] = self.effects_of_numbers(decision, refs)
        return self._column_effects[key]

    def effects_of_numbers(self, decision: Any, refs: Sequence[NumberRef]) -> dict[NumberRef, int]:
        """Those of `refs`, all of one column, that `decision` pays for, with the change of its value per unit of each."""
        value, effects = self._value_at(decision, self.base), dict[NumberRef, int]()
        for start in range(0, len(refs), BATCH_SIZE) if value is not None else ():
            assert value is not None
            batch = refs[start : start + BATCH_SIZE]
            joint = self._joint_effects(decision, value, batch)
            if joint is None:
                single = {ref: self._value_with(decision, [ref], [1]) - value for ref in batch}
                joint = {ref: effect for ref, effect in single.items() if effect}
            effects |= joint
        return effects

    def interaction(self, decision: Any, refs: Sequence[Sequence[NumberRef]]) -> "Interaction":
        """How the value of `decision` depends on groups of numbers together; found by finite differences.

        The numbers of a group are raised by steps in two orders: the largest of two stays the largest in one of them only.
        """
        steps = [[_STEP * at % _STEP_MODULUS + 1 for at in range(1, len(group) + 1)] for group in refs]
        moves = [self._raise(group, more) for group, more in zip(refs, steps, strict=True)]
        value = self._value_at(decision, self.base)
        joint = self._value_at(decision, self.base | {ref: number for move in moves for ref, number in move.items()})
        if value is None or joint is None:
            return Interaction.NONE  # an infeasible decision has no value that could depend on numbers
        changes = [self._change(decision, value, group, more, 1) for group, more in zip(refs, steps, strict=True)]
        for group, more, change in zip(refs, steps, changes, strict=True):
            if self._change(decision, value, group, more, 2) != 2 * change:
                return Interaction.WITHIN_COLUMNS
            reverse = [max(more) + 1 - step for step in more]  # together with `more`, every number rises by the same
            together = self._change(decision, value, group, [max(more) + 1] * len(group), 1)
            if self._change(decision, value, group, reverse, 1) != together - change:
                return Interaction.WITHIN_COLUMNS
        return Interaction.NONE if joint - value == sum(changes) else Interaction.BETWEEN_COLUMNS

    def _change(self, decision: Any, value: int, refs: Sequence[NumberRef], steps: Sequence[int], times: int) -> int:
        return self._value_with(decision, refs, [times * step for step in steps]) - value

    def best_and_worst_ids(self, decision: Any, column: ColumnRef, sign: int) -> tuple[str, str]:
        """The best and the worst id of `column`, by the row of `decision` with the widest losses (`sign` * value)."""
        key = column, repr(decision)
        if key not in self._id_ends:
            losses = max(self._losses(decision, column, sign), key=lambda loss: max(loss.values()) - min(loss.values()))
            self._id_ends[key] = min(losses, key=losses.__getitem__), max(losses, key=losses.__getitem__)
        return self._id_ends[key]

    def _losses(self, decision: Any, column: ColumnRef, sign: int) -> Iterator[dict[str, int]]:
        """For every row that mentions an id of `decision`: its loss with every id in `column` of that row."""
        relation, ids = self.instance.relations[column[0]], self.family.decision.ids(decision)
        at = relation.position(column[1])
        others = getattr(self.instance, relation.columns[at].roster_name or "")
        for row in (row for row in self.instance.rows(column[0]) if ids.intersection(row)):
            rows = {other: {column[0]: {row: (*row[:at], other, *row[at + 1 :])}} for other in others}
            checked = {
                other: self.family.check(self.instance.unchecked(**self.instance.tables_with(row)), decision)
                for other, row in rows.items()
            }
            yield {other: sign * (verdict.value or 0) for other, verdict in checked.items()}

    def _joint_effects(self, decision: Any, value: int, refs: Sequence[NumberRef]) -> dict[NumberRef, int] | None:
        """Raise each number by its own power of 2^64, so that effects are digits of the value; None if it is not linear."""
        powers, middle = [1 << 64 * index for index in range(len(refs))], 1 << 63
        total = self._value_with(decision, refs, powers) - value + middle * sum(powers)
        digits = (total % (1 << 64 * len(refs))).to_bytes(8 * len(refs), "little")
        effects = [digit - middle for digit in unpack(f"<{len(refs)}Q", digits)]
        change = self._value_with(decision, refs, range(1, len(refs) + 1)) - value
        if change != sum(step * effect for step, effect in enumerate(effects, 1)):
            return None
        return {ref: effect for ref, effect in zip(refs, effects, strict=True) if effect}

    def _value_with(self, decision: Any, refs: Sequence[NumberRef], increments: Iterable[int]) -> int:
        """The value of `decision` if the numbers at `refs` rise by `increments`."""
        raised = self._value_at(decision, self.base | self._raise(refs, increments))
        assert raised is not None
        return raised

    def _raise(self, refs: Sequence[NumberRef], increments: Iterable[int]) -> dict[NumberRef, int]:
        return {ref: self.base.get(ref, ref.value) + more for ref, more in zip(refs, increments, strict=True)}

    def _value_at(self, decision: Any, numbers: Mapping[NumberRef, int]) -> int | None:
        """The value of `decision` with some numbers replaced; None if it is infeasible."""
        return self.family.check(with_numbers(self.instance, numbers), decision).value


class Ends(NamedTuple):
    """The best and the worst end of a number's range for a decision that pays for it."""

    lenient: int
    dear: int


class PricedScenario(NamedTuple):
    """The numbers of a scenario for one price of the equation, and what is added to the lead of every rival."""

    numbers: dict[NumberRef, int]
    lead_bonus: Fraction


UNPRICED = PricedScenario({}, Fraction(0))
"""The scenario without the equation."""


@dataclass(frozen=True, eq=False)
class Equation:
    """The loss of an evaluated decision, which depends on the unread numbers in `effects` and on nothing else unread."""

    family: AnyFamily
    instance: Any
    decision: Decision
    sign: int
    """+1 if the family minimises, -1 if it maximises: loss = sign * value."""
    told_loss: int
    """The loss that the evaluation returned."""
    effects: Mapping[NumberRef, int]
    """The change of the value per unit of each number."""
    number_ranges: Mapping[NumberRef, Range]

    def ends(self, ref: NumberRef) -> Ends:
        """The ends of a number's range, the one that is better for the evaluated decision first."""
        span = self.number_ranges[ref]
        return Ends(span.low, span.high) if self.sign * self.effects[ref] > 0 else Ends(span.high, span.low)

    def loss(self, numbers: Mapping[NumberRef, int]) -> int:
        """The loss of the evaluated decision with `numbers` fixed."""
        value = self.family.check(with_numbers(self.instance, numbers), self.decision).value
        assert value is not None
        return self.sign * value

    def corners(self) -> tuple[dict[NumberRef, int], dict[NumberRef, int]]:
        """All numbers at their best, and all at their worst."""
        ends = {ref: self.ends(ref) for ref in self.effects}
        return {ref: end.lenient for ref, end in ends.items()}, {ref: end.dear for ref, end in ends.items()}

    @property
    def is_satisfiable(self) -> bool:
        """Whether the loss lies between the smallest and the largest that the ranges allow."""
        best, worst = self.corners()
        return self.loss(best) <= self.told_loss <= self.loss(worst)

    def tighten_ranges(self) -> dict[NumberRef, Range]:
        """The range of each number by itself that is consistent with the loss and the ranges of the others."""
        best, worst = self.corners()
        smallest, largest = self.loss(best), self.loss(worst)
        ranges = dict(self.number_ranges)
        for ref in self.effects:
            (lenient, dear), width = self.ends(ref), self.number_ranges[ref].width
            up = _max_steps(self.told_loss - smallest, self.loss(best | {ref: dear}) - smallest, width)
            down = _max_steps(largest - self.told_loss, largest - self.loss(worst | {ref: lenient}), width)
            direction = 1 if dear > lenient else -1
            ends = (lenient + direction * up, dear - direction * down)
            ranges[ref] = Range(min(ends), max(ends)) if up + down >= width else self.number_ranges[ref]
        return ranges

    def at_price(self, own: Mapping[NumberRef, int], price: Fraction) -> PricedScenario:
        """The scenario of `price`; `own` holds the numbers that the decision on trial pays for."""
        numbers, bonus = dict[NumberRef, int](), Fraction(0)
        for ref in self.effects:
            lenient, dear = self.ends(ref)
            weight = price + (ref in own)
            share = min(max(weight, Fraction(0)), Fraction(1)) * abs(dear - lenient)
            numbers[ref] = lenient + (1 if dear > lenient else -1) * int(share)
            bonus += self.sign * self.effects[ref] * weight * ((dear if weight > 0 else lenient) - numbers[ref])
        return PricedScenario(numbers, bonus + price * (self.loss(numbers) - self.told_loss))

    def price_direction(self, own: Mapping[NumberRef, int], theirs: Mapping[NumberRef, int], price: Fraction) -> int:
        """Whether a higher (+1) or lower (-1) price tightens the bound; 0 if the worst instance satisfies the equation."""
        best, worst = self.corners()
        for ref in self.effects:
            gain = price + (ref in own) - (ref in theirs)
            if gain:
                best[ref] = worst[ref] = self.ends(ref)[gain > 0]
        return -1 if self.loss(best) > self.told_loss else int(self.loss(worst) < self.told_loss)


def _max_steps(room: int, span: int, width: int) -> int:
    """How many of `width` unit steps fit into `room`, if all of them together take `span`."""
    return width if span <= room else room * width // span
