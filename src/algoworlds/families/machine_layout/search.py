"""Decisions of Machine Layout that need no exact algorithm: myopic, locally improved, random."""

from itertools import combinations

from algoworlds.core.stream import Stream
from algoworlds.families.descent import steepest
from algoworlds.families.machine_layout.check import check
from algoworlds.families.machine_layout.instance import MachineLayout

Assignment = dict[str, str]


def reference(instance: MachineLayout) -> Assignment:
    """In roster order, each machine goes to the free slot that adds least to the cost of the machines placed so far."""
    placed: Assignment = {}
    for a in instance.machine:
        free = [s for s in instance.slot if s not in placed.values()]
        placed[a] = min(free, key=lambda s: _added(instance, placed, a, s))
    return placed


def sample(instance: MachineLayout, stream: Stream) -> Assignment:
    """The machines in a random order along the roster of slots."""
    return dict(zip(instance.machine, stream.shuffled(instance.slot), strict=True))


def descend(instance: MachineLayout, start: Assignment) -> Assignment:
    """Steepest descent: swap the slots of two machines."""
    return steepest(
        lambda y: check(instance, y),
        instance.sense,
        start,
        lambda y: ({**y, a: y[b], b: y[a]} for a, b in combinations(instance.machine, 2)),
    )


def _added(instance: MachineLayout, placed: Assignment, a: str, s: str) -> int:
    handling = sum(instance.F(a, b) * instance.d(s, t) for b, t in placed.items())
    return handling + int(instance.adjustment[a, s])
