"""Whether an altered instance gives the optimum away: whether the exact solver still finds it there.

A solve settles it, but is mostly spared: a decision that is strictly better in the altered instance proves that the optimum is
not found there. What was found on one alteration tends to be better on the next one too, so it is tried first.
"""

from typing import Any

from algoworlds.core.work import Sense
from algoworlds.families.family import Family


class GiveawayCheck:
    """Alterations of one instance with a known optimal decision, tested one after the other."""

    def __init__(self, family: Family[Any, Any], optimum: Any) -> None:
        self._family, self._optimum = family, optimum
        self._rivals: list[Any] = []
        self._cleared: list[Any] = []
        self._sign = 1 if family.sense is Sense.MIN else -1

    def finds_optimum(self, altered: Any, known_valid: bool = False) -> bool:
        """Whether the exact solver, on what may be an instance or is a `sound` one, decides as it would on the true one."""
        if any(altered is instance for instance in self._cleared):
            return False
        if self._gives(altered, known_valid):
            return True
        self._cleared.append(altered)
        return False

    def _gives(self, altered: Any, sound: bool) -> bool:
        own = self._loss(altered, self._optimum)
        if sound:
            altered.assume_valid()
        if own is None or self._beaten(altered, own) or not altered.valid:  # an invalid instance cannot be solved
            return False
        found = self._family.solve(altered).decision
        if found != self._optimum and found not in self._rivals:
            self._rivals.append(found)
        return bool(found == self._optimum)

    def _beaten(self, altered: Any, own: int) -> bool:
        """Whether a decision that was found before is strictly better; the last that was comes first."""
        for rival in reversed(self._rivals):
            loss = self._loss(altered, rival)
            if loss is not None and loss < own:
                self._rivals.remove(rival)
                self._rivals.append(rival)
                return True
        return False

    def _loss(self, altered: Any, y: Any) -> int | None:
        value = self._family.check(altered, y).value
        return None if value is None else self._sign * value
