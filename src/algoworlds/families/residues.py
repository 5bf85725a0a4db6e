"""Residues to be met along a chain of moves: which of them can still be met, and whose cheapest choices stand apart.

Shared by generators and by decisions that need no exact algorithm; exact algorithms keep to themselves.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import INFINITY, inline, kernel, within_memory
from algoworlds.errors import InstanceError

P = TypeVar("P")
Choices = tuple[str, ...]
Grid = Sequence[Sequence[int]] | NDArray[np.int64]
Cube = NDArray[np.int64]
Residues = Sequence[Grid] | Cube
"""Stage by stage, what the ways into every place add."""


class Move(NamedTuple, Generic[P]):
    """A choice at some place: the residue that it adds and the place where it leads."""

    choice: str
    residue: int
    to: P


class Detour(NamedTuple):
    """Choices that replace those from position `low` up to `high`, and by how much they shift the residue."""

    low: int
    high: int
    choices: Choices
    shift: int


@dataclass(frozen=True)
class Chain(Generic[P]):
    """The moves that leave every place, places in travel order; choices lead to a goal and add up to what is owed."""

    moves: dict[P, list[Move[P]]]
    start: P
    goals: Collection[P]
    owed: int
    modulus: int

    def completions(self) -> dict[P, int]:
        """For every place, which residues some way from it to a goal adds up to, as a set of bits."""
        M = self.modulus
        within_memory((len(self.moves) + 5) * M // 8)  # one bit a residue and place, and what one place is made of
        completes, every = dict[P, int](), (1 << M) - 1
        for place, moves in reversed(self.moves.items()):
            bits = int(place in self.goals)
            for _, rho, to in moves:
                if bits == every:
                    break
                there = completes[to]
                bits |= there if there == every else (there << rho | there >> (M - rho)) & every
            completes[place] = bits
        return completes

    def walk(self, choose: Callable[[Choices, list[str]], str], otherwise: str) -> Choices:
        """Choices made one by one: `choose` sees those made so far and what leaves a completion."""
        completes, here, owed, made = self.completions(), self.start, self.owed, Choices()
        if not completes[here] >> owed & 1:
            raise InstanceError(otherwise)
        while owed or here not in self.goals:
            able = [move for move in self.moves[here] if completes[move.to] >> (owed - move.residue) % self.modulus & 1]
            choice = choose(made, [move.choice for move in able])
            move = next(move for move in able if move.choice == choice)
            made, here, owed = (*made, choice), move.to, (owed - move.residue) % self.modulus
        return made

    def neighbours(self, made: Choices) -> Iterator[Choices]:
        """The choices that pass one or two other places than those made, and still add up to what is owed."""
        single = list(self.detours(made, 1))
        for each in chain(single, self.detours(made, 2)):
            if each.shift % self.modulus == 0:
                yield made[: each.low] + each.choices + made[each.high :]
        for one, two in combinations(single, 2):
            if (one.shift + two.shift) % self.modulus == 0 and one.high <= two.low:
                yield made[: one.low] + one.choices + made[one.high : two.low] + two.choices + made[two.high :]

    def detours(self, made: Choices, count: int) -> Iterator[Detour]:
        """Every way around `count` consecutive places of the choices made, through as many others."""
        taken: list[Move[P]] = []
        for choice in made:
            here = taken[-1].to if taken else self.start
            taken.append(next(move for move in self.moves[here] if move.choice == choice))
        places = [self.start, *(move.to for move in taken)]
        for low in range(len(made) - count + 1):
            high = min(low + count + 1, len(made))  # the move behind the last place changes too, if there is one
            ways: list[tuple[Choices, int, P]] = [((), 0, places[low])]
            for at in range(low + 1, high + 1):
                ways = [
                    ((*choices, move.choice), residue + move.residue, move.to)
                    for choices, residue, place in ways
                    for move in self.moves[place]
                    if (move.to == places[at]) == (at > low + count)  # elsewhere for `count` places, then back
                ]
            old = sum(move.residue for move in taken[low:high])
            ends = self.goals if high == len(made) else (places[high],)
            yield from (Detour(low, high, choices, new - old) for choices, new, place in ways if place in ends)


class Stage(NamedTuple):
    """Per place of a stage, the ways into it: from which place of the stage before, and at what cost.

    Two tables with a row per place and a column per way. What residues the ways add is a table beside; where it is the same for
    all ways into a place, it needs one column only.
    """

    before: Grid
    cost: Grid


def remote(stages: Sequence[Stage], draws: Iterable[Residues], modulus: int, apart: int) -> tuple[int, list[int]]:
    """Of some draws of residues, stage by stage, the one whose residues are met the latest, and those to choose from.

    Whoever goes through choices in the order of their cost meets a residue the later the dearer its cheapest choices are.
    Of the distant residues those in the dearer half are left to choose from, so that nobody can tell which it is; a draw is
    as good as the cheapest of them.
    """
    found = (-1, 0, list[int]())
    for at, costs in enumerate(distant(stages, draws, modulus, apart)):
        dear = sorted(costs, key=lambda residue: (costs[residue], residue))[max(0, len(costs) - 1) // 2 :]
        found = max(found, (costs[dear[0]] if dear else -1, -at, dear))
    return -found[1], found[2]


def distant(stages: Sequence[Stage], draws: Iterable[Residues], modulus: int, apart: int) -> list[dict[int, int]]:
    """By draw, the residues whose cheapest choices differ in at least `apart` stages from the cheapest of all, and their costs.

    Choices begin at the single place before the first stage and end anywhere in the last; ties go to the first way.
    """
    before, costs = _ways(stages)
    added = np.stack([_added(residues, costs.shape) for residues in draws], axis=-1)
    least, away = _cheapest(before, costs, added, modulus)
    far = (least < INFINITY) & (away >= apart)
    return [{int(r): int(least[r, at]) for r in np.flatnonzero(far[:, at])} for at in range(far.shape[1])]


def _ways(stages: Sequence[Stage]) -> tuple[Cube, Cube]:
    """From where the ways lead, and their costs, by stage, place and way; a way that is not there costs what is infinite."""
    tables = [(np.asarray(stage.before, np.int64), np.asarray(stage.cost, np.int64)) for stage in stages]
    shape = len(tables), max(len(cost) for _, cost in tables), max(cost.shape[1] for _, cost in tables)
    before, costs = np.zeros(shape, np.int64), np.full(shape, INFINITY)
    for at, (origin, cost) in enumerate(tables):
        before[at, : len(cost), : cost.shape[1]] = origin
        costs[at, : len(cost), : cost.shape[1]] = cost
    return before, costs


def _added(residues: Residues, shape: tuple[int, ...]) -> Cube:
    """What the ways add by stage, place and way, or by stage and place in one column if all ways into a place add the same."""
    if isinstance(residues, np.ndarray):
        return residues
    tables = [np.asarray(table, np.int64) for table in residues]
    added = np.zeros((*shape[:2], max(table.shape[1] for table in tables)), np.int64)
    for at, table in enumerate(tables):
        added[at, : len(table), : table.shape[1]] = table
    return added


@inline
def _turn(row, rho, turned):  # type: ignore[no-untyped-def]
    """turned((r + rho) mod M) = row(r), draw by draw."""
    draws = len(rho)
    for draw in range(draws):
        t = rho[draw] * draws + draw
        for at in range(draw, len(row), draws):
            turned[t] = row[at]
            t = t + draws if t + draws < len(row) else draw


@inline
def _relax(best, row, step):  # type: ignore[no-untyped-def]
    """The lesser of best and row + step, in the place of best; free of branches, so that it runs several draws at a time."""
    for at in range(len(best)):
        best[at] = min(best[at], row[at] + step)


@kernel
def _cheapest(before, costs, added, M):  # type: ignore[no-untyped-def]
    """D[i](v, (r + rho) mod M) <- min { itself, D[i-1](u, r) + c }   for every way (u, c, rho) into v, in every draw of rho.

    Returns the least cost of every residue, and in how many places its choices differ from the cheapest of all. A state is
    a residue in a draw. Its value is its cost and, in as many lower bits as ways need, which way it was: the least is the first
    of the cheapest.
    """
    d, n, ways = costs.shape
    alike, draws, bits = added.shape[2] == 1, added.shape[3], 0
    while 1 << bits < ways:
        bits += 1
    D, D_next, value = (
        np.full((n, M * draws), INFINITY),
        np.full((n, M * draws), INFINITY),
        np.full((d, n, M * draws), INFINITY),
    )
    turned = np.empty(M * draws, np.int64)
    D[0, :draws] = 0
    for i in range(d):
        for v in range(n):
            best = value[i, v]
            for k in range(ways):
                if costs[i, v, k] < INFINITY:
                    row, step = D[before[i, v, k]], costs[i, v, k] << bits | k
                    if alike:
                        _relax(best, row, step)
                    else:
                        _turn(row, added[i, v, k], turned)
                        _relax(best, turned, step)
            if alike:
                turned[:] = best
                _turn(turned, added[i, v, 0], best)
            for at in range(len(best)):
                D_next[v, at] = best[at] >> bits << bits
        D, D_next = D_next, D
    least, away = np.full((M, draws), INFINITY), np.zeros((M, draws), np.int64)
    cheapest, last = np.zeros(d, np.int64), np.zeros(M, np.int64)
    for draw in range(draws):
        for v in range(n):
            for r in range(M):
                if D[v, r * draws + draw] < least[r, draw]:
                    least[r, draw], last[r] = D[v, r * draws + draw], v
        first = int(least[:, draw].argmin())
        for at in range(M + 1):  # the cheapest of all, then every residue beside it
            r = first if at == 0 else at - 1
            v, owed = last[r], r
            for i in range(d - 1 if least[r, draw] < INFINITY else -1, -1, -1):
                if at == 0:
                    cheapest[i] = v
                elif v != cheapest[i]:
                    away[r, draw] += 1
                k = value[i, v, owed * draws + draw] & (1 << bits) - 1
                v, owed = before[i, v, k], (owed - added[i, v, 0 if alike else k, draw]) % M
    return np.where(least < INFINITY, least >> bits, INFINITY), away
