"""Decisions of Evidence-Joined Routing that need no exact algorithm: myopic, locally improved, random."""

from collections.abc import Callable, Iterator
from itertools import combinations

from algoworlds.families.descent import steepest
from algoworlds.families.evidence_joined_routing.check import check
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from algoworlds.families.residues import Chain, Step
from algoworlds.model.stream import Stream
from algoworlds.model.work import Sense

Path = tuple[str, ...]
Change = tuple[int, int, Path]
"""A stretch of a path, from one position up to another, and the arcs that replace it."""


def reference(instance: EvidenceJoinedRouting) -> Path:
    """From node to node the cheapest arc from which the required residue can still be met."""
    return _walk(instance, lambda path, arcs: min(arcs, key=instance.cost.__getitem__))


def sample(instance: EvidenceJoinedRouting, stream: Stream) -> Path:
    """From node to node a random arc from which the required residue can still be met."""
    return _walk(instance, lambda path, arcs: stream.choice(arcs))


def descend(instance: EvidenceJoinedRouting, start: Path) -> Path:
    """Steepest descent: reroute around any one or two inner nodes, the residue kept."""
    residue, cost, between = instance.rho, instance.cost, _leaving(instance)

    def worth(path: Path, change: Change) -> tuple[int, int]:
        """How a change moves the residue and the cost."""
        low, high, arcs = change
        old = path[low:high]
        turn = sum(residue[arc] for arc in arcs) - sum(residue[arc] for arc in old)
        return turn % instance.modulus, sum(cost[arc] for arc in arcs) - sum(cost[arc] for arc in old)

    def near(path: Path) -> Iterator[Path]:
        singles = [(change, *worth(path, change)) for change in _detours(instance, between, path, 1)]
        for change in _detours(instance, between, path, 2):
            turn, gain = worth(path, change)
            if turn == 0 and gain < 0:
                yield _changed(path, change)
        for (one, turn, gain), (two, other_turn, other_gain) in combinations(singles, 2):
            if (turn + other_turn) % instance.modulus == 0 and gain + other_gain < 0 and one[1] <= two[0]:
                yield _changed(_changed(path, two), one)
        yield from (_changed(path, change) for change, turn, gain in singles if turn == 0 and gain < 0)

    return steepest(lambda y: check(instance, y), Sense.MIN, start, near)


def _changed(path: Path, change: Change) -> Path:
    low, high, arcs = change
    return path[:low] + arcs + path[high:]


def _leaving(instance: EvidenceJoinedRouting) -> dict[str, list[tuple[str, str]]]:
    """The arcs that leave every node, with their heads."""
    leaving: dict[str, list[tuple[str, str]]] = {node: [] for node in instance.node}
    for (_, arc), (tail, head) in instance.ends.items():
        leaving[tail].append((arc, head))
    return leaving


def _detours(
    instance: EvidenceJoinedRouting, leaving: dict[str, list[tuple[str, str]]], path: Path, inner: int
) -> Iterator[Change]:
    """Every way to replace `inner` consecutive inner nodes of a path by as many others."""
    ends = instance.heading
    for low in range(len(path) - inner):
        high = low + inner + 1
        goal, avoided = ends[path[high - 1]][1], [ends[arc][1] for arc in path[low : high - 1]]
        stretches: list[tuple[Path, str]] = [((), ends[path[low]][0])]
        for step in range(inner):
            stretches = [((*arcs, arc), head) for arcs, at in stretches for arc, head in leaving[at] if head != avoided[step]]
        for arcs, at in stretches:
            yield from ((low, high, (*arcs, arc)) for arc, head in leaving[at] if head == goal)


def _walk(instance: EvidenceJoinedRouting, choose: Callable[[Path, list[str]], str]) -> Path:
    """A path made arc by arc; the places of its chain are the nodes."""
    leaving = _leaving(instance)
    steps = {node: [Step(arc, instance.rho[arc], head) for arc, head in leaving[node]] for node in instance.order}
    chain = Chain(steps, instance.source, {instance.target}, instance.residue, instance.modulus)
    return chain.walk(choose, "no path satisfies the constraints")
