"""Which numbers a decision pays for, by finite differences through the checker: no family has to say it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from struct import unpack
from typing import Any

from algoworlds.core.completions import Spot, settled, spots
from algoworlds.core.ranges import Place
from algoworlds.families.family import Family

AT_ONCE = 128
"""Numbers whose effects, all below 2^53, are read from one value: each has 64 bits of it."""


@dataclass(frozen=True, eq=False)
class Uses:
    """How the values of decisions change with the numbers of one instance."""

    family: Family[Any, Any]
    instance: Any
    _known: dict[tuple[Place, str], dict[Spot, int]] = field(default_factory=dict, init=False, repr=False)
    _ends: dict[tuple[Place, str], tuple[str, str]] = field(default_factory=dict, init=False, repr=False)

    def of(self, decision: Any, place: Place) -> dict[Spot, int]:
        """The numbers of a column that a decision pays for, and what one more of each adds to its value."""
        key = place, repr(decision)
        if key not in self._known:
            self._known[key] = self.among(decision, spots(self.instance, place, self.instance.rows(place[0])))
        return self._known[key]

    def among(self, decision: Any, listed: Sequence[Spot]) -> dict[Spot, int]:
        """Of some numbers of one column those that a decision pays for, and what one more of each adds to its value."""
        value, found = self.family.check(self.instance, decision).value, dict[Spot, int]()
        for at in range(0, len(listed), AT_ONCE) if value is not None else ():
            assert value is not None
            some = listed[at : at + AT_ONCE]
            told = self._at_once(decision, value, some)
            found |= self._one_at_a_time(decision, value, some) if told is None else told
        return found

    def slope(self, decision: Any, place: Place) -> int:
        """What one more of every number of a column adds to a decision's value."""
        listed = spots(self.instance, place, self.instance.rows(place[0]))
        value = self.family.check(self.instance, decision).value
        raised = self.family.check(settled(self.instance, {spot: spot.number + 1 for spot in listed}), decision).value
        return 0 if value is None or raised is None else raised - value

    def best_and_worst(self, decision: Any, place: Place, sign: int) -> tuple[str, str]:
        """The best and the worst id of a column, by the row of a decision that it matters to most; the sign is of a loss."""
        key = place, repr(decision)
        if key not in self._ends:
            losses = max(self._losses(decision, place, sign), key=lambda each: max(each.values()) - min(each.values()))
            self._ends[key] = min(losses, key=losses.__getitem__), max(losses, key=losses.__getitem__)
        return self._ends[key]

    def _losses(self, decision: Any, place: Place, sign: int) -> Iterator[dict[str, int]]:
        """What a decision loses with every id of a column, in each of the rows that it is about."""
        relation, ids = self.instance.relations[place[0]], self.family.decision.ids(decision)
        at, others = relation.position(place[1]), getattr(self.instance, relation.columns[relation.position(place[1])].of or "")
        for row in (row for row in self.instance.rows(place[0]) if ids.intersection(row)):
            rows = {other: {place[0]: {row: (*row[:at], other, *row[at + 1 :])}} for other in others}
            checked = {
                other: self.family.check(self.instance.unchecked(**self.instance.tables_with(each)), decision)
                for other, each in rows.items()
            }
            yield {other: sign * (verdict.value or 0) for other, verdict in checked.items()}

    def _at_once(self, decision: Any, value: int, listed: Sequence[Spot]) -> dict[Spot, int] | None:
        """Raise each number by a power of its own, so that the value shows all effects as digits; None if it is not linear."""
        powers, middle = [1 << 64 * at for at in range(len(listed))], 1 << 63
        shown = self._raised(decision, listed, powers) - value + middle * sum(powers)
        digits = (shown % (1 << 64 * len(listed))).to_bytes(8 * len(listed), "little")
        times = [digit - middle for digit in unpack(f"<{len(listed)}Q", digits)]
        adds = self._raised(decision, listed, range(1, len(listed) + 1)) - value
        if adds != sum(by * each for by, each in enumerate(times, 1)):
            return None
        return {spot: each for spot, each in zip(listed, times, strict=True) if each}

    def _raised(self, decision: Any, listed: Sequence[Spot], by: Iterable[int]) -> int:
        """What a decision is worth if some numbers are raised."""
        numbers = {spot: spot.number + more for spot, more in zip(listed, by, strict=True)}
        raised = self.family.check(settled(self.instance, numbers), decision).value
        assert raised is not None
        return raised

    def _one_at_a_time(self, decision: Any, value: int, listed: Sequence[Spot]) -> dict[Spot, int]:
        found = {spot: self._raised(decision, [spot], [1]) - value for spot in listed}
        return {spot: times for spot, times in found.items() if times}
