"""Which numbers a decision pays for, by finite differences through the checker, so that families need not declare it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from struct import unpack
from typing import Any

from algoworlds.core.completions import NumberRef, number_refs, with_numbers
from algoworlds.core.ranges import ColumnRef
from algoworlds.families.family import Family

BATCH_SIZE = 128
"""Numbers whose effects are read from one value: each effect is below 2^53 and has 64 bits of the value."""


@dataclass(frozen=True, eq=False)
class ValueSensitivity:
    """How the values of decisions change with the numbers of one instance."""

    family: Family[Any, Any]
    instance: Any
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
        value, effects = self.family.check(self.instance, decision).value, dict[NumberRef, int]()
        for start in range(0, len(refs), BATCH_SIZE) if value is not None else ():
            assert value is not None
            batch = refs[start : start + BATCH_SIZE]
            joint = self._joint_effects(decision, value, batch)
            if joint is None:
                single = {ref: self._value_with(decision, [ref], [1]) - value for ref in batch}
                joint = {ref: effect for ref, effect in single.items() if effect}
            effects |= joint
        return effects

    def column_slope(self, decision: Any, column: ColumnRef) -> int:
        """The change of the value of `decision` if every number of `column` rises by 1."""
        refs = number_refs(self.instance, column, self.instance.rows(column[0]))
        value = self.family.check(self.instance, decision).value
        raised = self.family.check(with_numbers(self.instance, {ref: ref.value + 1 for ref in refs}), decision).value
        return 0 if value is None or raised is None else raised - value

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
        numbers = {ref: ref.value + more for ref, more in zip(refs, increments, strict=True)}
        raised = self.family.check(with_numbers(self.instance, numbers), decision).value
        assert raised is not None
        return raised
