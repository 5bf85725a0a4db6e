"""Which numbers a decision pays for, by finite differences through the checker: no family has to say it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from algoworlds.core.completions import Spot, settled, spots
from algoworlds.core.ranges import Place
from algoworlds.families.family import Family


@dataclass(frozen=True, eq=False)
class Uses:
    """How the values of decisions change with the numbers of one instance."""

    family: Family[Any, Any]
    instance: Any
    _known: dict[tuple[Place, str], dict[Spot, int]] = field(default_factory=dict, init=False, repr=False)

    def of(self, decision: Any, place: Place) -> dict[Spot, int]:
        """The numbers of a column that a decision pays for, and what one more of each adds to its value."""
        key = place, repr(decision)
        if key not in self._known:
            self._known[key] = self.among(decision, spots(self.instance, place, self.instance.rows(place[0])))
        return self._known[key]

    def among(self, decision: Any, listed: Sequence[Spot]) -> dict[Spot, int]:
        """Of some numbers of one column those that a decision pays for, and what one more of each adds to its value."""
        value = self.family.check(self.instance, decision).value
        return {} if value is None or not listed else self._found(decision, value, listed)

    def slope(self, decision: Any, place: Place) -> int:
        """What one more of every number of a column adds to a decision's value."""
        listed = spots(self.instance, place, self.instance.rows(place[0]))
        value = self.family.check(self.instance, decision).value
        raised = self.family.check(settled(self.instance, {spot: spot.number + 1 for spot in listed}), decision).value
        return 0 if value is None or raised is None else raised - value

    def _found(self, decision: Any, value: int, listed: Sequence[Spot]) -> dict[Spot, int]:
        """Halve the list until single numbers are left; each is raised by another amount, so that no two cancel."""
        numbers = {spot: spot.number + by for by, spot in enumerate(listed, 1)}
        raised = self.family.check(settled(self.instance, numbers), decision).value
        assert raised is not None
        if raised == value:
            return {}
        if len(listed) == 1:
            return {listed[0]: raised - value}
        half = len(listed) // 2
        return self._found(decision, value, listed[:half]) | self._found(decision, value, listed[half:])
