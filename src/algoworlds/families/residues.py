"""Chains of moves whose residues add up to a target: how residues are drawn, and which are reachable or far from the cheapest.

Shared by generators and by decisions that need no exact algorithm; the exact algorithms do not use it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from math import gcd
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, kernel, require_memory
from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError

P = TypeVar("P")
Choices = tuple[str, ...]
IntTable = Sequence[Sequence[int]] | NDArray[np.int64]
IntCube = NDArray[np.int64]
Stage = tuple[IntTable, IntTable]
"""The arcs into the nodes of a stage: their origins in the stage before, and their costs; a row per node, a column per arc."""
Residues = Sequence[IntTable] | IntCube
"""Per stage the residues that the arcs add, a row per node; one column is enough if all arcs into a node add the same."""


class Move(NamedTuple, Generic[P]):
    """A choice at a node: the residue that it adds and the node it leads to."""

    choice: str
    residue: int
    to: P


class Detour(NamedTuple):
    """Choices that replace those at positions `start` to `stop` - 1, and by how much they shift the residue."""

    start: int
    stop: int
    choices: Choices
    shift: int


@dataclass(frozen=True)
class ResidueChain(Generic[P]):
    """The moves that leave every node, nodes in travel order. A decision leads from `start` to a goal and meets the target."""

    moves: dict[P, list[Move[P]]]
    start: P
    goals: Collection[P]
    target_residue: int
    modulus: int

    def reachable_residues(self) -> dict[P, int]:
        """For every node, the residues of all paths from it to a goal, as a bit set."""
        M = self.modulus
        require_memory((len(self.moves) + 5) * M // 8)  # one bit per residue and node, and temporaries of one node
        reachable, full = dict[P, int](), (1 << M) - 1
        for node, moves in reversed(self.moves.items()):
            bits = int(node in self.goals)
            for _, rho, to in moves:
                if bits == full:
                    break
                after = reachable[to]
                bits |= after if after == full else (after << rho | after >> (M - rho)) & full  # rotate by rho
            reachable[node] = bits
        return reachable

    def walk(self, choose: Callable[[Choices, list[str]], str], failure: str) -> Choices:
        """Build a decision choice by choice: `choose` gets the path so far and the choices that can still meet the target.

        InstanceError(`failure`) if no path meets it.
        """
        reachable, node, owed, path = self.reachable_residues(), self.start, self.target_residue, Choices()
        if not reachable[node] >> owed & 1:
            raise InstanceError(failure)
        while owed or node not in self.goals:
            moves = [move for move in self.moves[node] if reachable[move.to] >> (owed - move.residue) % self.modulus & 1]
            choice = choose(path, [move.choice for move in moves])
            move = next(move for move in moves if move.choice == choice)
            path, node, owed = (*path, choice), move.to, (owed - move.residue) % self.modulus
        return path

    def neighbours(self, path: Choices) -> Iterator[Choices]:
        """The decisions that pass one or two other nodes than `path` and have the same residue."""
        single = list(self.detours(path, 1))
        for detour in chain(single, self.detours(path, 2)):
            if detour.shift % self.modulus == 0:
                yield path[: detour.start] + detour.choices + path[detour.stop :]
        for one, two in combinations(single, 2):
            if (one.shift + two.shift) % self.modulus == 0 and one.stop <= two.start:
                yield path[: one.start] + one.choices + path[one.stop : two.start] + two.choices + path[two.stop :]

    def detours(self, path: Choices, count: int) -> Iterator[Detour]:
        """Every way around `count` consecutive nodes of `path`, through as many others."""
        taken: list[Move[P]] = []
        for choice in path:
            node = taken[-1].to if taken else self.start
            taken.append(next(move for move in self.moves[node] if move.choice == choice))
        nodes = [self.start, *(move.to for move in taken)]
        for start in range(len(path) - count + 1):
            stop = min(start + count + 1, len(path))  # the move out of the last node changes too, unless it ends the path
            ways: list[tuple[Choices, int, P]] = [((), 0, nodes[start])]
            for position in range(start + 1, stop + 1):
                ways = [
                    ((*choices, move.choice), residue + move.residue, move.to)
                    for choices, residue, node in ways
                    for move in self.moves[node]
                    if (move.to == nodes[position]) == (position > start + count)  # elsewhere for `count` nodes, then back
                ]
            old = sum(move.residue for move in taken[start:stop])
            ends = self.goals if stop == len(path) else (nodes[stop],)
            yield from (Detour(start, stop, choices, new - old) for choices, new, node in ways if node in ends)


class NarrowResidues(NamedTuple):
    """Residues in few classes: sums of few `units`, each taken max(0, U) times, U uniform in -`idle` .. `spread`.

    Sums of uniform residues meet any target after about as many paths as the modulus counts. Sums of few units spread slowly:
    most paths end near the mean multiple of every unit, and a target far from it forces unusual choices at many stages. The
    classes do not depend on costs, so residues tell nothing about costs, nor costs about residues. Without units, residues
    are uniform.
    """

    modulus: int
    units: Sequence[int]
    idle: int
    spread: int

    @classmethod
    def draw(cls, modulus: int, classes: "Classes", stream: Stream) -> "NarrowResidues":
        """Distinct random units of the modulus."""
        count, idle, spread = classes
        units = stream.sample([a for a in range(1, modulus) if gcd(a, modulus) == 1], count) if count else []
        return cls(modulus, units, idle, spread)

    def table(self, rows: int, columns: int, stream: Stream) -> NDArray[np.int64]:
        """A table of residues."""
        if not self.units:
            return stream.integer_table(rows, columns, 0, self.modulus - 1)
        total = np.zeros((rows, columns), np.int64)
        for unit in self.units:
            total += unit * stream.integer_table(rows, columns, -self.idle, self.spread).clip(0)
        return total % self.modulus

    def offsets(self, count: int, stream: Stream) -> NDArray[np.int64]:
        """Uniform residues that hide the classes where they are added; zeros if residues are uniform already."""
        return stream.integer_table(1, count, 0, self.modulus - 1).ravel() if self.units else np.zeros(count, np.int64)


Classes = tuple[int, int, int]
"""The number of units, `idle` and `spread` of `NarrowResidues`; no units: uniform residues."""


def draw_stage_residues(
    stages: int, width: int, modulus: int, classes: Classes, draws: int, stream: Stream
) -> NDArray[np.int64]:
    """Residues by draw, stage and position, with own units for each draw and a random offset for each stage."""
    tables = []
    for _ in range(draws):
        narrow = NarrowResidues.draw(modulus, classes, stream)
        tables.append((narrow.table(stages, width, stream) + narrow.offsets(stages, stream)[:, None]) % modulus)
    return np.stack(tables)


def select_hardest_draw(
    stages: Sequence[Stage], draws: Iterable[Residues], modulus: int, apart: int, least_open: int = 0
) -> tuple[int, list[int]]:
    """The index of the draw of residues that is met latest, and the target residues to choose from in that draw.

    A search through paths by rising cost meets a residue the later the dearer its cheapest path is. The targets are the dearer
    half of the distant residues, so that the target cannot be guessed; a draw is as good as the cheapest of them. There are
    no targets for which best-first search has fewer than `least_open` states to expand.
    """
    best = (-1, 0, list[int]())
    far, bounds = distant_residues(stages, draws, modulus, apart)
    for index, costs in enumerate(far):
        dear = sorted(costs, key=lambda residue: (costs[residue], residue))[max(0, len(costs) - 1) // 2 :]
        best = max(best, (costs[dear[0]] if dear else -1, -index, dear))
    index, dear = -best[1], best[2]
    if not 0 < least_open <= bounds[index].size:
        return index, [] if least_open else dear
    last = np.partition(bounds[index], least_open - 1)[least_open - 1]
    return index, [residue for residue in dear if far[index][residue] > last]


def distant_residues(
    stages: Sequence[Stage], draws: Iterable[Residues], modulus: int, apart: int
) -> tuple[list[dict[int, int]], NDArray[np.int64]]:
    """The residues whose cheapest path differs from the cheapest of all in at least `apart` nodes; the bounds of all states.

    Both are given by draw: the cost of every such residue, and for every node and residue the least cost of a path that has
    this residue up to the node, and any residue after it. Paths begin at the single node before the first stage and end
    anywhere in the last one; ties go to the first arc.
    """
    tables = [(np.asarray(before, np.int64), np.asarray(cost, np.int64)) for before, cost in stages]
    shape = len(tables), max(len(cost) for _, cost in tables), max(cost.shape[1] for _, cost in tables)
    origins, costs = np.zeros(shape, np.int64), np.full(shape, INFINITY)  # a missing arc has infinite cost
    for i, (before, cost) in enumerate(tables):
        origins[i, : len(cost), : cost.shape[1]] = before
        costs[i, : len(cost), : cost.shape[1]] = cost
    added = np.stack([_residue_cube(residues, shape) for residues in draws], axis=-1)
    least, differences, bounds = _cheapest_by_residue(origins, costs, added, modulus)
    far = (least < INFINITY) & (differences >= apart)
    by_draw = [{int(r): int(least[r, draw]) for r in np.flatnonzero(far[:, draw])} for draw in range(far.shape[1])]
    return by_draw, bounds.reshape(-1, far.shape[1]).T


def _residue_cube(residues: Residues, shape: tuple[int, ...]) -> IntCube:
    """The residues by stage, node and arc (or one column for all arcs into a node), padded with zeros."""
    if isinstance(residues, np.ndarray):
        return residues
    tables = [np.asarray(table, np.int64) for table in residues]
    cube = np.zeros((*shape[:2], max(table.shape[1] for table in tables)), np.int64)
    for i, table in enumerate(tables):
        cube[i, : len(table), : table.shape[1]] = table
    return cube


@kernel
def _rotate(row, rho, rotated):  # type: ignore[no-untyped-def]
    """rotated((r + rho) mod M) = row(r), draw by draw."""
    draws = len(rho)
    for draw in range(draws):
        t = rho[draw] * draws + draw
        for at in range(draw, len(row), draws):
            rotated[t] = row[at]
            t = t + draws if t + draws < len(row) else draw


@kernel
def _relax(best, row, step):  # type: ignore[no-untyped-def]
    """best(s) <- min { itself, row(s) + step }; branch-free, so that the compiler vectorises it."""
    for at in range(len(best)):
        best[at] = min(best[at], row[at] + step)


@kernel
def _cheapest_by_residue(origins, costs, added, M):  # type: ignore[no-untyped-def]
    """D[i](v, (r + rho) mod M) <- min { itself, D[i-1](u, r) + c }   for every arc (u, c, rho) into v, in every draw of rho.

    Returns the least cost of every residue, in how many nodes its path differs from the cheapest of all, and the value of
    every state with the least cost after it, residues ignored. A state is a residue in a draw. Its value holds the cost
    and, in the lowest bits, the arc: so the minimum is the first cheapest arc.
    """
    d, n, arcs = costs.shape
    alike, draws, bits = added.shape[2] == 1, added.shape[3], 0
    while 1 << bits < arcs:
        bits += 1
    D, D_next = np.full((n, M * draws), INFINITY), np.full((n, M * draws), INFINITY)
    value = np.full((d, n, M * draws), INFINITY)
    rotated = np.empty(M * draws, np.int64)
    D[0, :draws] = 0
    for i in range(d):
        for v in range(n):
            best = value[i, v]
            for k in range(arcs):
                if costs[i, v, k] < INFINITY:
                    row, step = D[origins[i, v, k]], costs[i, v, k] << bits | k
                    if alike:
                        _relax(best, row, step)
                    else:
                        _rotate(row, added[i, v, k], rotated)
                        _relax(best, rotated, step)
            if alike:  # all arcs add the same residue: rotate once, after the minimum
                rotated[:] = best
                _rotate(rotated, added[i, v, 0], best)
            for at in range(len(best)):
                D_next[v, at] = best[at] >> bits << bits
        D, D_next = D_next, D
    least, differences = np.full((M, draws), INFINITY), np.zeros((M, draws), np.int64)
    cheapest, last = np.zeros(d, np.int64), np.zeros(M, np.int64)
    for draw in range(draws):
        for v in range(n):
            for r in range(M):
                if D[v, r * draws + draw] < least[r, draw]:
                    least[r, draw], last[r] = D[v, r * draws + draw], v
        first = int(least[:, draw].argmin())
        for at in range(M + 1):  # trace the cheapest of all, then every residue to compare with it
            r = first if at == 0 else at - 1
            v, owed = last[r], r
            for i in range(d - 1 if least[r, draw] < INFINITY else -1, -1, -1):
                if at == 0:
                    cheapest[i] = v
                elif v != cheapest[i]:
                    differences[r, draw] += 1
                k = value[i, v, owed * draws + draw] & (1 << bits) - 1
                v, owed = origins[i, v, k], (owed - added[i, v, 0 if alike else k, draw]) % M
    onward = np.zeros(n, np.int64)
    for i in range(d - 1, -1, -1):
        before = np.full(n, INFINITY)
        for v in range(n):
            for at in range(M * draws):
                if value[i, v, at] < INFINITY:
                    value[i, v, at] = (value[i, v, at] >> bits) + onward[v]
            for k in range(arcs):
                if costs[i, v, k] < INFINITY:
                    before[origins[i, v, k]] = min(before[origins[i, v, k]], onward[v] + costs[i, v, k])
        onward = before
    return np.where(least < INFINITY, least >> bits, INFINITY), differences, value
