"""Residues to be met along a chain of steps: which of them can still be met, and whose cheapest plan stands apart.

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
Plan = tuple[str, ...]


class Step(NamedTuple, Generic[P]):
    """A choice at some place: the residue that it adds and the place where it leads."""

    choice: str
    residue: int
    to: P


class Detour(NamedTuple):
    """Choices that replace those of a plan from position `low` up to `high`, and by how much they shift its residue."""

    low: int
    high: int
    choices: Plan
    shift: int


@dataclass(frozen=True)
class Chain(Generic[P]):
    """The steps that leave every place, places in travel order; a plan leads to a goal and adds up to what is owed."""

    steps: dict[P, list[Step[P]]]
    start: P
    goals: Collection[P]
    owed: int
    modulus: int

    def completions(self) -> dict[P, int]:
        """For every place, which residues some way from it to a goal adds up to, as a set of bits."""
        M = self.modulus
        within_memory((len(self.steps) + 5) * M // 8)  # one bit a residue and place, and what one place is made of
        completes: dict[P, int] = {}
        for place, steps in reversed(self.steps.items()):
            bits = int(place in self.goals)
            for rho, to in {(step.residue, step.to) for step in steps}:
                bits |= completes[to] << rho | completes[to] >> (M - rho)
            completes[place] = bits & ((1 << M) - 1)
        return completes

    def walk(self, choose: Callable[[Plan, list[str]], str], otherwise: str) -> Plan:
        """A plan made step by step: `choose` sees the plan so far and the choices that leave a completion."""
        completes, here, owed, plan = self.completions(), self.start, self.owed, Plan()
        if not completes[here] >> owed & 1:
            raise InstanceError(otherwise)
        while owed or here not in self.goals:
            able = [step for step in self.steps[here] if completes[step.to] >> (owed - step.residue) % self.modulus & 1]
            choice = choose(plan, [step.choice for step in able])
            step = next(step for step in able if step.choice == choice)
            plan, here, owed = (*plan, choice), step.to, (owed - step.residue) % self.modulus
        return plan

    def neighbours(self, plan: Plan) -> Iterator[Plan]:
        """The plans that pass one or two other places than a plan does, and still add up to what is owed."""
        single = list(self._detours(plan, 1))
        for each in chain(single, self._detours(plan, 2)):
            if each.shift % self.modulus == 0:
                yield plan[: each.low] + each.choices + plan[each.high :]
        for one, two in combinations(single, 2):
            if (one.shift + two.shift) % self.modulus == 0 and one.high <= two.low:
                yield plan[: one.low] + one.choices + plan[one.high : two.low] + two.choices + plan[two.high :]

    def _detours(self, plan: Plan, count: int) -> Iterator[Detour]:
        """Every way around `count` consecutive places of a plan, through as many others."""
        taken: list[Step[P]] = []
        for choice in plan:
            here = taken[-1].to if taken else self.start
            taken.append(next(step for step in self.steps[here] if step.choice == choice))
        places = [self.start, *(step.to for step in taken)]
        for low in range(len(plan) - count + 1):
            high = min(low + count + 1, len(plan))  # the step behind the last place changes too, if there is one
            ways: list[tuple[Plan, int, P]] = [((), 0, places[low])]
            for at in range(low + 1, high + 1):
                ways = [
                    ((*choices, step.choice), residue + step.residue, step.to)
                    for choices, residue, place in ways
                    for step in self.steps[place]
                    if (step.to == places[at]) == (at > low + count)  # elsewhere for `count` places, then back
                ]
            old = sum(step.residue for step in taken[low:high])
            ends = self.goals if high == len(plan) else (places[high],)
            yield from (Detour(low, high, choices, new - old) for choices, new, place in ways if place in ends)


class Stage(NamedTuple):
    """Per place of a stage, the ways into it: from which place of the stage before, at what cost, adding which residue.

    Three tables with a row per place and a column per way; residues that are the same for all ways need one column only.
    """

    before: Any
    cost: Any
    residue: Any


def distant(stages: Iterable[Stage], modulus: int, apart: int) -> list[int]:
    """The residues whose cheapest plan differs in at least `apart` stages from the cheapest plan of all.

    Plans begin at the single place before the first stage and end anywhere in the last; ties go to the first way.
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
    return [r for r in range(modulus) if least[r] < far // 2 and away[r] >= apart]
