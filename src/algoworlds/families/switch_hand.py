"""Decisions made of switches, by hand: turn one or two, go on switch by switch, or try crews that the tables tie together."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from itertools import combinations, product
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.stream import Stream
from algoworlds.families.hand import Extension, QuickHand
from algoworlds.families.residues import Choices

Y = TypeVar("Y")

Switches = tuple[int, ...]
"""What is switched on (1) and off (0), place by place."""

Tie = tuple[list[int], tuple[int, ...]]
"""The places that a table looks at, first bit first, and its cells."""


class SwitchHand(QuickHand[Y]):
    """Decisions that are made of switches, with what each costs and tables over some of them; the rest follows from them."""

    switched = True
    singly = 50
    """How many random moves of a hundred turn one switch; the others exchange two unlike ones."""

    def __init__(self, own: list[tuple[int, int]], tables: Iterable[Tie]) -> None:
        """`own` is the loss of every switch when off and when on; tables are taken up when somebody asks for one."""
        self._own, self._given = own, tables
        self._told: tuple[Switches, list[int]] = ((), [])

    @cached_property
    def _tables(self) -> list[Tie]:
        return list(self._given)

    @cached_property
    def _ending(self) -> list[list[Tie]]:
        """For every switch the tables that look at it and at none further on."""
        ending: list[list[Tie]] = [[] for _ in self._own]
        for places, table in self._tables:
            ending[max(places)].append((places, table))
        return ending

    @cached_property
    def _ends(self) -> list[set[int]]:
        """For every switch those with which tables end that look at it, and itself."""
        ends = [{at} for at in range(len(self._own))]
        for places, _ in self._tables:
            for at in places:
                ends[at].add(max(places))
        return ends

    @abstractmethod
    def made(self, x: Switches) -> Y | None:
        """The decision that all switches make; None if they make none."""

    @abstractmethod
    def switches(self, y: Y) -> Switches:
        """The switches of a decision."""

    def apart(self, x: Switches) -> int | None:
        """What the switches lose beside their own losses and the tables; None if they are not allowed together."""
        return 0

    def loss(self, y: Y) -> int | None:
        """The switches' own losses, all tables, and what else follows."""
        x = self.switches(y)
        beside = self.apart(x)
        return None if beside is None else self.constant + beside + sum(self._parts(x))

    def _parts(self, x: Switches) -> list[int]:
        """What every switch adds; of the switches asked about last, only what others have turned since is added up anew."""
        before, parts = self._told
        turned = [at for at, (one, other) in enumerate(zip(before, x, strict=False)) if one != other]
        anew = set().union(*(self._ends[at] for at in turned)) if before else range(len(x))
        parts = list(parts) if before else [0] * len(x)
        for at in anew:
            parts[at] = self._added(x, at)
        self._told = x, parts
        return parts

    def _added(self, x: Switches, at: int) -> int:
        """What one switch adds: its own loss and the tables of which it is the last."""
        added = self._own[at][x[at]]
        for places, table in self._ending[at]:
            cell = 0
            for place in places:
                cell = 2 * cell + x[place]
            added += table[cell]
        return added

    def neighbours(self, y: Y) -> Iterator[Y]:
        """One switch turned, or two."""
        x = self.switches(y)
        for turned in (*((at,) for at in range(len(x))), *self.pairs(x)):
            if (made := self.made(_turned(x, turned))) is not None:
                yield made

    def pairs(self, x: Switches) -> Iterator[tuple[int, int]]:
        """The switches that are turned together: those that are unlike."""
        return ((i, j) for i, j in combinations(range(len(x)), 2) if x[i] != x[j])

    def neighbour(self, y: Y, stream: Stream) -> Y:
        """A random switch turned, or two unlike ones; the decision itself if that makes none."""
        x = self.switches(y)
        on, off = ([at for at, each in enumerate(x) if each == wanted] for wanted in (1, 0))
        one = not on or not off or stream.below(100) < self.singly
        made = self.made(_turned(x, (stream.below(len(x)),) if one else (stream.choice(on), stream.choice(off))))
        return y if made is None else made

    def extensions(self, partial: Choices) -> list[Extension]:
        """The next switch off or on, if that is allowed so far."""
        if len(partial) == len(self._own):
            return []
        before = tuple(map(int, partial))
        ways = ((x, self.apart(x)) for x in ((*before, 0), (*before, 1)))
        last = len(partial) + 1 == len(self._own)
        able = ((x, beside if last else 0) for x, beside in ways if beside is not None)
        return [Extension(str(x[-1]), self._added(x, len(partial)) + beside) for x, beside in able]

    def decision(self, partial: Choices) -> Y | None:
        """What all switches make."""
        return self.made(tuple(map(int, partial))) if len(partial) == len(self._own) else None

    def choices(self, y: Y) -> Choices:
        """The switches, as off and on are spelled."""
        return tuple(map(str, self.switches(y)))

    def units(self) -> Iterator[Y]:
        """Every union of crews, switched on: switches joined where being alike is worth most, down to the widest gap."""
        crews = self._crews()
        if len(crews) <= _UNIONS:
            for picked in product((0, 1), repeat=len(crews)):
                on = {at for crew, wanted in zip(crews, picked, strict=True) if wanted for at in crew}
                if (made := self.made(tuple(int(at in on) for at in range(len(self._own))))) is not None:
                    yield made

    def shows(self, y: Y) -> bool:
        """Whether a decision is a union of crews, switched on."""
        crews, on = self._crews(), {at for at, each in enumerate(self.switches(y)) if each}
        within = {at for crew in crews if crew <= on for at in crew}
        return len(crews) <= _UNIONS and within == on and self.made(self.switches(y)) == y

    def _crews(self) -> list[frozenset[int]]:
        i, j = _couples(len(self._own))
        worth = self._bonds()[i, j]
        if len(worth) < 2:
            return []
        order = np.argsort(worth, kind="stable")
        bound = order[: np.diff(worth[order]).argmax() + 1]
        crews = [frozenset((at,)) for at in range(len(self._own))]
        for one, other in zip(i[bound].tolist(), j[bound].tolist(), strict=True):
            if other not in crews[one]:
                joined = crews[one] | crews[other]
                for at in joined:
                    crews[at] = joined
                if len(joined) == len(crews):
                    break
        return list(dict.fromkeys(crews))

    def _bonds(self) -> NDArray[np.int64]:
        """What it is worth, over all tables that look at both, that two switches are alike: negative if it saves."""
        worth = np.zeros((len(self._own), len(self._own)), np.int64)
        for places, cells in self.wide():
            one, other, alike = _looks(places.shape[1])
            np.add.at(worth, (places[:, one], places[:, other]), cells @ alike * 4 // cells.shape[1])
        return worth + worth.T

    def wide(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The tables that look at equally many places, side by side: places and cells, a row a table."""
        for width in {len(places) for places, _ in self._tables}:
            wide = [each for each in self._tables if len(each[0]) == width]
            yield np.array([places for places, _ in wide]), np.array([cells for _, cells in wide])


_UNIONS = 12
"""Crews of which a patient person tries all unions."""


@cache
def _couples(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Any two of so many switches, by the first and then by the second."""
    return np.triu_indices(count, 1)


@cache
def _looks(width: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]]:
    """Any two of the places that a table looks at, and cell by cell 1 if they are alike, -1 if not."""
    (one, other), bit = _couples(width), np.arange(1 << width)[:, None] >> np.arange(width)[::-1] & 1
    return one, other, np.where(bit[:, one] == bit[:, other], 1, -1)


def _turned(x: Switches, places: Iterable[int]) -> Switches:
    turned = list(x)
    for at in places:
        turned[at] = 1 - turned[at]
    return tuple(turned)
