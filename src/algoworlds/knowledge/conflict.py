"""Conflicts: calls of which whoever is to know the optimum must make one, as few as a witness shows.

A witness differs from the hidden instance in much that its rival does not need. What calls tell is put back as it is in truth
for as long as the rival stays better; the calls that still tell the two instances apart are a conflict. The checker alone is
asked, so that a conflict costs one question to the oracle, the one that found the witness.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from algoworlds.core.decision import Decision
from algoworlds.core.interface import Response
from algoworlds.core.ranges import Ranges
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call
from algoworlds.errors import InstanceError
from algoworlds.knowledge.sufficiency.observed import Listener
from algoworlds.knowledge.sufficiency.trial import Witness
from algoworlds.worlds.world import World

Calls = frozenset[Call]


@dataclass(frozen=True, eq=False)
class Truth:
    """A world and its optimum, to hold witnesses against."""

    world: World
    optimum: Decision
    ranges: Ranges
    _responses: dict[Call, Response] = field(default_factory=dict, init=False, repr=False)

    def apart(self, instance: Any, calls: Iterable[Call]) -> list[Call]:
        """The calls that an instance answers otherwise, in their order."""
        return list(self._listener.apart(instance, calls))

    @cached_property
    def _listener(self) -> Listener:
        return Listener(self.world, self.ranges)

    def conflict(self, witness: Witness, calls: Sequence[Call]) -> Calls:
        """Of some calls those that tell a witness apart, once those that come first have told the truth if they may."""
        instance = witness.instance
        waiting = telling = self.apart(instance, calls)
        size = len(waiting)
        while waiting:
            size = max(1, min(size, len(waiting)) // 2)
            nearer = self._restored(instance, waiting[:size])
            if nearer is not None and self.beaten(nearer, witness.rival):
                instance, waiting, size = nearer, waiting[size:], 4 * size
            elif size == 1:
                waiting = waiting[1:]
        return frozenset(self.apart(instance, telling))

    def _response(self, call: Call) -> Response:
        if call not in self._responses:
            self._responses[call] = self.world.revealed(call)
        return self._responses[call]

    def _restored(self, instance: Any, calls: Sequence[Call]) -> Any | None:
        """The instance with all that some calls tell as it is in truth; None if that makes no instance that is possible."""
        other = World(self.world.coordinate, instance, self.world.interface)
        gone, told = other.facts(map(other.revealed, calls)), self.world.facts(map(self._response, calls))
        tables = {
            name: instance.relations[name].table(_exchanged(instance, name, gone, told))
            for name in sorted({fact.relation for fact in gone ^ told})
        }
        try:
            restored = instance.replace(**tables) if tables else instance
        except InstanceError:
            return None
        return restored if all(promise.kept(restored) for promise in self.ranges.promises) else None

    def beaten(self, instance: Any, rival: Decision) -> bool:
        """Whether a rival is better than the optimum, or all that is feasible."""
        own, other = (self.world.family.check(instance, each).value for each in (self.optimum, rival))
        return other is not None and (own is None or self.world.family.sense.better(other, than=own))


def _exchanged(instance: Any, name: str, gone: frozenset[Fact], told: frozenset[Fact]) -> list[tuple[Any, ...]]:
    kept = [row for row in instance.rows(name) if Fact(name, row) not in gone]
    return [*kept, *(row for other, row in told if other == name)]
