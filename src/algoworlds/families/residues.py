"""Residues to be met along a chain of moves: which of them can still be met, and whose cheapest choices stand apart.

Shared by generators and by decisions that need no exact algorithm; exact algorithms keep to themselves.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from algoworlds.core.kernel import within_memory
from algoworlds.errors import InstanceError

P = TypeVar("P")
Choices = tuple[str, ...]


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
        completes: dict[P, int] = {}
        for place, moves in reversed(self.moves.items()):
            bits = int(place in self.goals)
            for rho, to in {(move.residue, move.to) for move in moves}:
                bits |= completes[to] << rho | completes[to] >> (M - rho)
            completes[place] = bits & ((1 << M) - 1)
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
    """Per place of a stage, the ways into it: from which place of the stage before, at what cost, adding which residue.

    Three tables with a row per place and a column per way; residues that are the same for all ways need one column only.
    """

    before: Any
    cost: Any
    residue: Any


def remote(draws: Iterable[Iterable[Stage]], modulus: int, apart: int) -> tuple[int, list[int]]:
    """Of some draws that differ in residues alone, the one whose residues are met the latest, and those to choose from.

    Whoever goes through choices in the order of their cost meets a residue the later the dearer its cheapest choices are.
    Of the distant residues those in the dearer half are left to choose from, so that nobody can tell which it is; a draw is
    as good as the cheapest of them.
    """
    found = (-1, 0, list[int]())
    for at, stages in enumerate(draws):
        costs = distant(stages, modulus, apart)
        dear = sorted(costs, key=lambda residue: (costs[residue], residue))[max(0, len(costs) - 1) // 2 :]
        found = max(found, (costs[dear[0]] if dear else -1, -at, dear))
    return -found[1], found[2]


def distant(stages: Iterable[Stage], modulus: int, apart: int) -> dict[int, int]:
    """The residues whose cheapest choices differ in at least `apart` stages from the cheapest of all, and what they cost.

    Choices begin at the single place before the first stage and end anywhere in the last; ties go to the first way.
    """
    far, every = 2**62, np.arange(modulus)
    tables = [Stage(*(np.array(table, np.int64) for table in stage)) for stage in stages]
    cost, taken = np.where(every > 0, far, 0), []
    for stage in tables:
        left = (every - stage.residue[:, :, None]) % modulus
        ways = cost.take(stage.before[:, :, None] * modulus + left) + stage.cost[:, :, None]
        taken.append(ways.argmin(axis=1))
        cost = ways.min(axis=1)
    least, place, owed, away = cost.min(axis=0), cost.argmin(axis=0), every, np.zeros(modulus, np.int64)
    for stage, way in zip(reversed(tables), reversed(taken), strict=True):
        away += place != place[least.argmin()]
        at = place, way[place, owed]
        place, owed = stage.before[at], (owed - np.broadcast_to(stage.residue, stage.cost.shape)[at]) % modulus
    return {r: int(least[r]) for r in range(modulus) if least[r] < far // 2 and away[r] >= apart}
