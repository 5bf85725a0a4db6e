"""An instance in the hands of someone without the exact algorithm: what an attacker of a family can do with it.

All information and no global optimization: compare a decision with its neighbours, extend a partial one choice by choice,
and try the family's visible units as wholes. Attackers are written once over this small interface, so that a new family
meets them all. A *loss* counts against the objective whatever the sense: less is better.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from itertools import combinations, compress, product
from typing import Generic, NamedTuple, TypeVar

from algoworlds.core.stream import Stream
from algoworlds.families.residues import Chain, Choices, Detour, Move

Y = TypeVar("Y")


class Extension(NamedTuple):
    """A choice that may come next, and the loss that it adds."""

    choice: str
    loss: int


class Hand(ABC, Generic[Y]):
    """What can be done with one instance by hand."""

    anywhere = False
    """Whether a choice means the same at any place of a partial decision; otherwise it belongs to its place."""
    switched = False
    """Whether all choices are off or on, so that only the place can tell them before anything is read."""
    constant = 0
    """What every decision loses alike, on top of its choices."""

    @abstractmethod
    def neighbours(self, y: Y) -> Iterator[Y]:
        """The decisions that one small move makes of a feasible one; some may be infeasible."""

    def neighbour(self, y: Y, stream: Stream) -> Y:
        """One of the neighbours at random."""
        return stream.choice(list(self.neighbours(y)))

    def start(self, stream: Stream) -> Y | None:
        """A feasible decision at random, if that is quicker here than the family's own sample; else None."""
        return None

    @abstractmethod
    def extensions(self, partial: Choices) -> list[Extension]:
        """How a partial decision may go on; nothing if it is complete or has come to a dead end."""

    @abstractmethod
    def decision(self, partial: Choices) -> Y | None:
        """The decision that a partial one has become; None while something is missing."""

    @abstractmethod
    def choices(self, y: Y) -> Choices:
        """The choices that make a decision, which is the inverse of `decision`."""

    def rest(self, partial: Choices) -> int:
        """The least loss that completing a partial decision could add if the coupling constraint did not hold."""
        return 0

    def units(self) -> Iterator[Y]:
        """Decisions made of units that the family's tables show: open sets, crews, blocks."""
        return iter(())

    def shows(self, y: Y) -> bool:
        """Whether a decision is one of these."""
        return any(unit == y for unit in self.units())

    def parts(self) -> "Iterator[Hand[Y]]":
        """Hands like this one with one of the visible units settled, such as which vehicles are open."""
        return iter(())


class QuickHand(Hand[Y]):
    """A hand that prices whole decisions sooner than the family's checker, through which any other hand is attacked."""

    @abstractmethod
    def loss(self, y: Y) -> int | None:
        """The loss of a decision that this hand or the family made, as the checker would say; None if infeasible."""


ChainLoss = Callable[[str | None, str], int]
"""What a choice of a chain adds after another one, or as the first."""


class ChainHand(QuickHand[Choices]):
    """Decisions that are chains of choices with a prescribed residue; only choices that leave a completion are offered.

    A chain shows no units, and is laid out for whoever asks for more.
    """

    def __init__(self, lay: Callable[[], tuple[Chain[str], ChainLoss]]) -> None:
        """What `lay` gives is the chain, and what choices add."""
        self._lay = lay
        self._seen: tuple[Choices, dict[int, list[Detour]]] = ((), {})

    @cached_property
    def _laid(self) -> tuple[Chain[str], ChainLoss]:
        return self._lay()

    @property
    def _chain(self) -> Chain[str]:
        return self._laid[0]

    @property
    def _loss(self) -> ChainLoss:
        return self._laid[1]

    @cached_property
    def _completes(self) -> dict[str, int]:
        return self._chain.completions()

    @cached_property
    def _move(self) -> dict[str, dict[str, Move[str]]]:
        return {place: {move.choice: move for move in moves} for place, moves in self._chain.moves.items()}

    @cached_property
    def _onward(self) -> dict[str, int]:
        """For every choice the least loss from it to a goal, residues apart."""
        least: dict[str, int] = {}
        for moves in reversed(self._chain.moves.values()):
            for move in moves:
                if move.choice not in least:
                    ways = (self._loss(move.choice, after.choice) + least[after.choice] for after in self._chain.moves[move.to])
                    least[move.choice] = 0 if move.to in self._chain.goals else min(ways, default=0)
        return least

    def neighbours(self, y: Choices) -> Iterator[Choices]:
        """One place passed by, or two apart whose residues make up for each other."""
        by_shift = self._detours(y)
        for shift, detours in by_shift.items():
            for one in detours:
                if shift == 0:
                    yield y[: one.low] + one.choices + y[one.high :]
                yield from (_both(y, one, two) for two in by_shift.get(-shift % self._chain.modulus, ()) if one.high <= two.low)

    def neighbour(self, y: Choices, stream: Stream) -> Choices:
        """A random detour, with a random second one that makes up for its residue."""
        by_shift = self._detours(y)
        one = stream.choice(by_shift[stream.choice(sorted(by_shift))])
        if one.shift % self._chain.modulus == 0:
            return y[: one.low] + one.choices + y[one.high :]
        partners = by_shift.get(-one.shift % self._chain.modulus, [])
        apart = [two for two in partners if one.high <= two.low or two.high <= one.low]
        return _both(y, *sorted((one, stream.choice(apart)))) if apart else y

    def _detours(self, y: Choices) -> dict[int, list[Detour]]:
        """The detours around single places by what they shift the residue; kept for the decision asked about last."""
        if self._seen[0] != y:
            by_shift: dict[int, list[Detour]] = {}
            for each in self._chain.detours(y, 1):
                by_shift.setdefault(each.shift % self._chain.modulus, []).append(each)
            self._seen = y, by_shift
        return self._seen[1]

    def extensions(self, partial: Choices) -> list[Extension]:
        """The choices from which what is owed can still be met."""
        here, owed, M = self._chain.start, self._chain.owed, self._chain.modulus
        for choice in partial:
            move = self._move[here][choice]
            here, owed = move.to, (owed - move.residue) % M
        last = partial[-1] if partial else None
        able = (move for move in self._chain.moves[here] if self._completes[move.to] >> (owed - move.residue) % M & 1)
        return [] if here in self._chain.goals else [Extension(move.choice, self._loss(last, move.choice)) for move in able]

    def start(self, stream: Stream) -> Choices:
        """A random walk among the choices that leave a completion."""
        walked = Choices()
        while ways := self.extensions(walked):
            walked = (*walked, stream.choice(ways).choice)
        return walked

    def decision(self, partial: Choices) -> Choices | None:
        """The choices, once they have led to a goal."""
        return None if not partial or self.extensions(partial) else partial

    def choices(self, y: Choices) -> Choices:
        """The decision itself."""
        return y

    def loss(self, y: Choices) -> int:
        """What the choices add one after the other; whoever makes them keeps the residue."""
        return sum(map(self._loss, (None, *y), y))

    def rest(self, partial: Choices) -> int:
        """The least loss of the way on if no residue were prescribed."""
        return self._onward[partial[-1]] if partial else 0


def _both(y: Choices, one: Detour, two: Detour) -> Choices:
    return y[: one.low] + one.choices + y[one.high : two.low] + two.choices + y[two.high :]


Switches = tuple[int, ...]
"""What is switched on (1) and off (0), place by place."""


class SwitchHand(QuickHand[Y]):
    """Decisions that are made of switches, with what each costs and tables over some of them; the rest follows from them."""

    switched = True
    singly = 50
    """How many random moves of a hundred turn one switch; the others exchange two unlike ones."""

    def __init__(self, own: list[tuple[int, int]], tables: Iterable[tuple[list[int], tuple[int, ...]]]) -> None:
        """`own` is the loss of every switch when off and when on; a table has the places it looks at, first bit first."""
        self._own = own
        self._ending: list[list[tuple[list[int], tuple[int, ...]]]] = [[] for _ in own]
        self._ends: list[set[int]] = [{at} for at in range(len(own))]  # the switches with which tables end that look at one
        for places, table in tables:
            self._ending[max(places)].append((places, table))
            for at in places:
                self._ends[at].add(max(places))
        self._told: tuple[Switches, list[int]] = ((), [])

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
        bonds = sorted((worth, i, j) for (i, j), worth in self._bonds().items())
        if len(bonds) < 2:
            return []
        widest = max(range(len(bonds) - 1), key=lambda at: bonds[at + 1][0] - bonds[at][0])
        crews = [frozenset((at,)) for at in range(len(self._own))]
        for _, i, j in bonds[: widest + 1]:
            if j not in crews[i]:
                joined = crews[i] | crews[j]
                crews = [joined if at in joined else crew for at, crew in enumerate(crews)]
        return list(dict.fromkeys(crews))

    def _bonds(self) -> dict[tuple[int, int], int]:
        """What it is worth, over all tables that look at both, that two switches are alike: negative if it saves."""
        worth = dict.fromkeys(combinations(range(len(self._own)), 2), 0)
        for places, table in (each for ending in self._ending for each in ending):
            for one, other, unlike in _looks(len(places)):
                pair = (places[one], places[other]) if places[one] < places[other] else (places[other], places[one])
                worth[pair] += (sum(table) - 2 * sum(compress(table, unlike))) * 4 // len(table)
        return worth


_UNIONS = 12
"""Crews of which a patient person tries all unions."""


@cache
def _looks(width: int) -> list[tuple[int, int, list[int]]]:
    """Two of the places that a table looks at, in every way, and cell by cell whether they are unlike."""
    return [
        (one, other, [(cell >> width - 1 - one ^ cell >> width - 1 - other) & 1 for cell in range(1 << width)])
        for one, other in combinations(range(width), 2)
    ]


def _turned(x: Switches, places: Iterable[int]) -> Switches:
    turned = list(x)
    for at in places:
        turned[at] = 1 - turned[at]
    return tuple(turned)
