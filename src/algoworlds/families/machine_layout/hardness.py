"""Machine Layout without the exact algorithm: reference, random, local and by-hand decisions; blind instances."""

from collections.abc import Callable, Hashable, Iterator
from itertools import combinations

from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.families.declare import Hardness, PricedSearchSpace, Stream
from algoworlds.families.machine_layout.instance import MachineLayout

Assignment = dict[str, str]
Order = tuple[str, ...]
"""Machines along the line, from its first end."""


def reference(instance: MachineLayout) -> Assignment:
    """In roster order, each machine goes to the free slot that adds least to the cost of the machines placed so far."""
    placed: Assignment = {}

    def added_cost(a: str, s: str) -> int:
        handling = sum(instance.flow_between(a, b) * instance.distance_between(s, t) for b, t in placed.items())
        return handling + int(instance.adjustment[a, s])

    for a in instance.machine:
        placed[a] = min((s for s in instance.slot if s not in placed.values()), key=lambda s: added_cost(a, s))
    return placed


def sample(instance: MachineLayout, stream: Stream) -> Assignment:
    """A random order of the slots."""
    return dict(zip(instance.machine, stream.shuffled(instance.slot), strict=True))


def swaps(instance: MachineLayout) -> Callable[[Assignment], Iterator[Assignment]]:
    """The neighbourhood of local search: two machines exchange their slots."""
    return lambda y: ({**y, a: y[b], b: y[a]} for a, b in combinations(instance.machine, 2))


BLOCK_SIZE = 3
"""A growing line takes the machine with the most flow to this many of the last machines."""


class LayoutSearchSpace(PricedSearchSpace[Assignment]):
    """Slots from one end of the line to the other; a partial decision names their machines."""

    def __init__(self, instance: MachineLayout) -> None:
        self._instance, self._line = instance, instance.line_order
        self._flow = {a: {b: instance.flow_between(a, b) for b in instance.machine if b != a} for a in instance.machine}
        self._total_flow = {a: sum(flows.values()) for a, flows in self._flow.items()}

    def neighbours(self, y: Assignment) -> Iterator[Assignment]:
        """Two machines exchanged, or one moved to another position."""
        yield from swaps(self._instance)(y)
        order = self.to_choices(y)
        for at in range(len(order)):
            rest = order[:at] + order[at + 1 :]
            for to in range(len(order)):
                if abs(to - at) > 1:
                    yield self._assign((*rest[:to], order[at], *rest[to:]))

    def random_neighbour(self, y: Assignment, stream: Stream) -> Assignment:
        """Two random machines exchanged, or one moved to a random position."""
        if len(y) < 2:
            return y
        a, b = stream.sample(self._instance.machine, 2)
        if stream.below(2):
            return {**y, a: y[b], b: y[a]}
        rest = tuple(machine for machine in self.to_choices(y) if machine != a)
        to = stream.below(len(rest) + 1)
        return self._assign((*rest[:to], a, *rest[to:]))

    def _assign(self, order: Order) -> Assignment:
        return dict(zip(order, self._line, strict=True))

    def extensions(self, partial: Order) -> list[tuple[str, int]]:
        """The machines that may come next, at their adjustment plus the flow across the cut behind them."""
        if len(partial) == len(self._line):
            return []
        placed, slot = set(partial), self._line[len(partial)]
        cut = sum(self._total_flow[a] - sum(self._flow[a][b] for b in placed if b != a) for a in placed)
        free = [a for a in self._instance.machine if a not in placed]
        change = {a: self._total_flow[a] - 2 * sum(self._flow[a][b] for b in placed) for a in free}
        return [(a, self._instance.adjustment[a, slot] + cut + change[a]) for a in free]

    def loss(self, y: Assignment) -> int:
        """The flow across every cut of the line, and the adjustments."""
        order = self.to_choices(y)
        flows = (self._flow[a][b] * far for at, a in enumerate(order) for far, b in enumerate(order[at + 1 :], start=1))
        adjustments: int = sum(self._instance.adjustment[a, slot] for a, slot in y.items())
        return sum(flows) + adjustments

    def to_choices(self, y: Assignment) -> Order:
        """The machines along the line."""
        machine = {slot: machine for machine, slot in y.items()}
        return tuple(machine[slot] for slot in self._line)

    def visible_units(self) -> Iterator[Assignment]:
        """From every machine, a line that grows by the machine with the most flow to the last few; and its reverse."""
        for first in self._instance.machine:
            order = [first]
            while len(order) < len(self._line):
                free = [a for a in self._instance.machine if a not in order]
                order.append(max(free, key=lambda a: sum(self._flow[a][b] for b in order[-BLOCK_SIZE:])))
            yield from (self._assign(tuple(order)), self._assign(tuple(order[::-1])))

    def state(self, partial: Order) -> Hashable:
        """The machines placed so far."""
        return frozenset(partial)

    def to_decision(self, partial: Order) -> Assignment | None:
        """The slot of every machine."""
        return self._assign(partial) if len(partial) == len(self._line) else None

    def estimate(self, partial: Order) -> float:
        """The mean cost of all completions."""
        free = [a for a in self._instance.machine if a not in partial]
        if not free:
            return 0
        inner: int = sum(self._flow[a][b] for a, b in combinations(free, 2))
        across: int = sum(self._flow[a][b] for a in partial for b in free)
        adjustments: int = sum(self._instance.adjustment[a, s] for a in free for s in self._line[len(partial) :])
        return inner * (len(free) + 1) / 3 + across * (len(free) - 1) / 2 + adjustments / len(free)

    def remaining_lower_bound(self, partial: Order) -> int:
        """The least adjustment of every open slot among the machines that are left, flows ignored."""
        free = [a for a in self._instance.machine if a not in partial]
        return sum(min(self._instance.adjustment[a, s] for a in free) for s in self._line[len(partial) :])


def _flows_first(instance: MachineLayout) -> MachineLayout:
    """Flows dominate: adjustments only choose among the layouts of least handling, which are mirror images."""
    weight = 1 + 2 * sum(map(abs, instance.adjustment.values()))
    return instance.unchecked(flow={pair: weight * flow for pair, flow in instance.flow.items()})


def _strongest_flows_only(instance: MachineLayout) -> MachineLayout:
    """Only the n/2 strongest flows are seen."""
    strongest = sorted(instance.flow, key=lambda pair: -instance.flow[pair])[: len(instance.machine) // 2]
    return instance.unchecked(flow={pair: instance.flow[pair] if pair in strongest else 0 for pair in instance.flow})


def _strongest_flows_capped(instance: MachineLayout) -> MachineLayout:
    """The n/2 strongest flows look no stronger than the next one, if there is one."""
    weaker = sorted(instance.flow.values(), reverse=True)[len(instance.machine) // 2 :]
    cap = max(weaker, default=JSON_INTEGER_LIMIT)
    return instance.unchecked(flow={pair: min(flow, cap) for pair, flow in instance.flow.items()})


def _roster_line(instance: MachineLayout) -> MachineLayout:
    """The slots stand in roster order."""
    return instance.unchecked(distance={(s, t): j - i for (i, s), (j, t) in combinations(enumerate(instance.slot), 2)})


HARDNESS: Hardness[MachineLayout, dict[str, str]] = Hardness(
    blind={
        "flows": {"flow": 0},
        "weaker flows": _strongest_flows_only,
        "strongest flows": _strongest_flows_capped,
        "line": _roster_line,
        "adjustments": _flows_first,
    },
    search_space=LayoutSearchSpace,
    sample=sample,
    neighbourhood=swaps,
)
