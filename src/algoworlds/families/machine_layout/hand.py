"""Machine Layout by hand: machines exchanged and moved along the line, or placed slot by slot from one end."""

from collections.abc import Iterator
from itertools import combinations

from algoworlds.core.stream import Stream
from algoworlds.families.hand import Extension, QuickHand
from algoworlds.families.machine_layout.instance import MachineLayout
from algoworlds.families.machine_layout.search import Assignment
from algoworlds.families.residues import Choices

_BLOCK = 3
"""How many machines of a line hold a block together."""


class LayoutHand(QuickHand[Assignment]):
    """Slots from one end of the line to the other; a partial decision names their machines."""

    def __init__(self, instance: MachineLayout) -> None:
        """Find the line, and each machine's flow to all others."""
        self._floor, self._line = instance, instance.line
        self._flow = {a: {b: instance.F(a, b) for b in instance.machine if b != a} for a in instance.machine}
        self._whole = {a: sum(flows.values()) for a, flows in self._flow.items()}

    def neighbours(self, y: Assignment) -> Iterator[Assignment]:
        """Two machines exchanged, or one taken out and put in elsewhere."""
        yield from ({**y, a: y[b], b: y[a]} for a, b in combinations(self._floor.machine, 2))
        order = self._order(y)
        for at in range(len(order)):
            rest = order[:at] + order[at + 1 :]
            for to in range(len(order)):
                if abs(to - at) > 1:
                    yield self._placed([*rest[:to], order[at], *rest[to:]])

    def neighbour(self, y: Assignment, stream: Stream) -> Assignment:
        """Two random machines exchanged, or one put in elsewhere."""
        a, b = stream.sample(self._floor.machine, 2)
        if stream.below(2):
            return {**y, a: y[b], b: y[a]}
        order = [each for each in self._order(y) if each != a]
        to = stream.below(len(order) + 1)
        return self._placed([*order[:to], a, *order[to:]])

    def _order(self, y: Assignment) -> list[str]:
        at = {slot: machine for machine, slot in y.items()}
        return [at[slot] for slot in self._line]

    def _placed(self, order: list[str]) -> Assignment:
        return dict(zip(order, self._line, strict=True))

    def extensions(self, partial: Choices) -> list[Extension]:
        """The machines that may come next, at their adjustment and all flow that crosses to what is still open."""
        if len(partial) == len(self._line):
            return []
        placed, slot = set(partial), self._line[len(partial)]
        crossing = sum(self._whole[a] - sum(self._flow[a][b] for b in placed if b != a) for a in placed)
        free = [a for a in self._floor.machine if a not in placed]
        return [Extension(a, self._floor.adjustment[a, slot] + crossing + self._turned(a, placed)) for a in free]

    def _turned(self, a: str, placed: set[str]) -> int:
        """By how much the flow across the cut changes when a machine joins those placed."""
        return self._whole[a] - 2 * sum(self._flow[a][b] for b in placed)

    def loss(self, y: Assignment) -> int:
        """The flow across every cut of the line, and the adjustments."""
        order = self._order(y)
        flows = (self._flow[a][b] * far for at, a in enumerate(order) for far, b in enumerate(order[at + 1 :], start=1))
        adjustments: int = sum(self._floor.adjustment[a, slot] for a, slot in y.items())
        return sum(flows) + adjustments

    def choices(self, y: Assignment) -> Choices:
        """The machines along the line."""
        return tuple(self._order(y))

    def units(self) -> Iterator[Assignment]:
        """From every machine, a line that grows by the machine with the most flow to the last few placed; both ways round."""
        for first in self._floor.machine:
            order = [first]
            while len(order) < len(self._line):
                free = [a for a in self._floor.machine if a not in order]
                order.append(max(free, key=lambda a: sum(self._flow[a][b] for b in order[-_BLOCK:])))
            yield from (self._placed(order), self._placed(order[::-1]))

    def decision(self, partial: Choices) -> Assignment | None:
        """The slot of every machine."""
        return self._placed(list(partial)) if len(partial) == len(self._line) else None

    def rest(self, partial: Choices) -> int:
        """The least adjustment of every open slot among the machines that are left, flows apart."""
        free = [a for a in self._floor.machine if a not in partial]
        return sum(min(self._floor.adjustment[a, s] for a in free) for s in self._line[len(partial) :])
