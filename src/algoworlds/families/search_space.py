"""What an attacker can do with an instance by hand: full information, but no global optimization.

An attacker compares a decision with its neighbours, extends a partial decision choice by choice, and tries visible units as
wholes. Attackers are written once against this interface, so that a new family meets them all. A *loss* counts against the
objective whatever the sense: less is better.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cache, cached_property
from itertools import accumulate, combinations, product
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.stream import Stream
from algoworlds.families.residues import Choices, Detour, Move, ResidueChain

Y = TypeVar("Y")


class SearchSpace(ABC, Generic[Y]):
    """The moves that can be made by hand on one instance."""

    position_free = False
    """Whether a choice means the same at any position of a partial decision."""
    is_binary = False
    """Whether every choice is off or on, so that only its position tells choices apart before anything is read."""
    constant_loss = 0
    """What every decision loses, on top of its choices."""

    @abstractmethod
    def neighbours(self, y: Y) -> Iterator[Y]:
        """The decisions one small move away from the feasible decision `y`; some may be infeasible."""

    def random_neighbour(self, y: Y, stream: Stream) -> Y:
        """A random neighbour of `y`; `y` itself if it has none."""
        return stream.choice(list(self.neighbours(y)) or [y])

    def random_start(self, stream: Stream) -> Y | None:
        """A random feasible decision, if that is quicker here than the family's `sample`; else None."""
        return None

    @abstractmethod
    def extensions(self, partial: Choices) -> list[tuple[str, int]]:
        """The possible next choices, each with the loss that it adds; empty if `partial` is complete or a dead end."""

    @abstractmethod
    def to_decision(self, partial: Choices) -> Y | None:
        """The decision that `partial` amounts to; None while something is missing."""

    @abstractmethod
    def to_choices(self, y: Y) -> Choices:
        """The choices that make up `y`: the inverse of `to_decision`."""

    def remaining_lower_bound(self, partial: Choices) -> int:
        """A lower bound on the loss of completing `partial`, with the coupling constraint ignored."""
        return 0

    def state(self, partial: Choices) -> Hashable:
        """What completing `partial` depends on: of partial decisions as long and in one state only the best matters."""
        return partial

    def tight_bound(self, partial: Choices) -> int:
        """A lower bound like `remaining_lower_bound`, from a relaxation that takes preparation."""
        return self.remaining_lower_bound(partial)

    def estimate(self, partial: Choices) -> float:
        """A guess at the loss of completing `partial`; unlike a bound it may be too high."""
        return self.tight_bound(partial)

    @property
    def bound_steps(self) -> int:
        """The evaluations that preparing `tight_bound` and `estimate` counts for."""
        return 0

    def visible_units(self) -> Iterator[Y]:
        """Decisions made of units that the tables show: open sets, groups, blocks."""
        return iter(())

    def is_visible_unit(self, y: Y) -> bool:
        """Whether `y` is one of `visible_units`."""
        return any(unit == y for unit in self.visible_units())

    def subspaces(self) -> "Iterator[SearchSpace[Y]]":
        """Search spaces with one visible unit fixed, such as the set of open vehicles."""
        return iter(())

    def parts(self) -> "Iterator[SearchSpace[Y]]":
        """Search spaces that together hold all decisions and that an algorithm bounds one by one; by default only this one."""
        return iter((self,))


class PricedSearchSpace(SearchSpace[Y]):
    """A search space that prices whole decisions faster than the family's checker, which prices all others."""

    @abstractmethod
    def loss(self, y: Y) -> int | None:
        """The loss of a decision of this search space, as the checker would compute it; None if infeasible."""


StepLoss = Callable[[str | None, str], int]
"""The loss of a choice, given the choice before it (None for the first)."""


class ChainSearchSpace(PricedSearchSpace[Choices]):
    """Decisions that are paths through a residue chain; only choices that can still meet the target are offered.

    A chain has no visible units. `build` returns the chain and its step losses; it is called on first use.
    """

    def __init__(self, build: Callable[[], tuple[ResidueChain[str], StepLoss]]) -> None:
        self._build = build
        self._last_detours: tuple[Choices, dict[int, list[Detour]]] = ((), {})

    @cached_property
    def _parts(self) -> tuple[ResidueChain[str], StepLoss]:
        return self._build()

    @property
    def _chain(self) -> ResidueChain[str]:
        return self._parts[0]

    @property
    def _loss(self) -> StepLoss:
        return self._parts[1]

    @cached_property
    def _reachable(self) -> dict[str, int]:
        return self._chain.reachable_residues()

    @cached_property
    def _move(self) -> dict[str, dict[str, Move[str]]]:
        """The moves that leave every node, by choice."""
        return {node: {move.choice: move for move in moves} for node, moves in self._chain.moves.items()}

    @cached_property
    def _onward(self) -> dict[str, int]:
        """For every choice the least loss from it to a goal, residues ignored."""
        least: dict[str, int] = {}
        for moves in reversed(self._chain.moves.values()):
            for move in moves:
                if move.choice not in least:
                    ways = (self._loss(move.choice, after.choice) + least[after.choice] for after in self._chain.moves[move.to])
                    least[move.choice] = 0 if move.to in self._chain.goals else min(ways, default=0)
        return least

    def neighbours(self, y: Choices) -> Iterator[Choices]:
        """One detour that keeps the residue, or two disjoint ones whose shifts cancel."""
        by_shift = self._detours(y)
        for shift, detours in by_shift.items():
            for one in detours:
                if shift == 0:
                    yield y[: one.start] + one.choices + y[one.stop :]
                partners = by_shift.get(-shift % self._chain.modulus, ())
                yield from (_apply_both(y, one, two) for two in partners if one.stop <= two.start)

    def random_neighbour(self, y: Choices, stream: Stream) -> Choices:
        """A random detour, with a random second one that cancels its shift; `y` itself if there are no such detours."""
        by_shift = self._detours(y)
        if not by_shift:
            return y
        one = stream.choice(by_shift[stream.choice(sorted(by_shift))])
        if one.shift % self._chain.modulus == 0:
            return y[: one.start] + one.choices + y[one.stop :]
        partners = by_shift.get(-one.shift % self._chain.modulus, [])
        apart = [two for two in partners if one.stop <= two.start or two.stop <= one.start]
        return _apply_both(y, *sorted((one, stream.choice(apart)))) if apart else y

    def _detours(self, y: Choices) -> dict[int, list[Detour]]:
        """The detours around single nodes of `y` by residue shift; cached for the last `y`."""
        if self._last_detours[0] != y:
            by_shift: dict[int, list[Detour]] = {}
            for detour in self._chain.detours(y, 1):
                by_shift.setdefault(detour.shift % self._chain.modulus, []).append(detour)
            self._last_detours = y, by_shift
        return self._last_detours[1]

    def extensions(self, partial: Choices) -> list[tuple[str, int]]:
        """The choices after which the target residue can still be met."""
        node, owed, M = self._chain.start, self._chain.target_residue, self._chain.modulus
        for choice in partial:
            move = self._move[node][choice]
            node, owed = move.to, (owed - move.residue) % M
        if node in self._chain.goals:
            return []
        last = partial[-1] if partial else None
        moves = (move for move in self._chain.moves[node] if self._reachable[move.to] >> (owed - move.residue) % M & 1)
        return [(move.choice, self._loss(last, move.choice)) for move in moves]

    def random_start(self, stream: Stream) -> Choices:
        """A random walk among the choices that can still meet the target."""
        path = Choices()
        while extensions := self.extensions(path):
            path = (*path, stream.choice(extensions)[0])
        return path

    def to_decision(self, partial: Choices) -> Choices | None:
        """The choices, once they have led to a goal."""
        return None if not partial or self.extensions(partial) else partial

    def to_choices(self, y: Choices) -> Choices:
        """The decision itself."""
        return y

    def loss(self, y: Choices) -> int:
        """The sum of the step losses; `y` is assumed to meet the target residue."""
        return sum(map(self._loss, (None, *y), y))

    def remaining_lower_bound(self, partial: Choices) -> int:
        """The least loss from the last choice to a goal, residues ignored."""
        return self._onward[partial[-1]] if partial else 0

    @property
    def bound_steps(self) -> int:
        """One for the bound of each choice."""
        return len(self._onward)

    def state(self, partial: Choices) -> Hashable:
        """The last choice and the residue so far."""
        node, residue = self._chain.start, 0
        for choice in partial:
            move = self._move[node][choice]
            node, residue = move.to, (residue + move.residue) % self._chain.modulus
        return partial[-1:], residue

    def arcs(self) -> dict[str | None, list[tuple[str | None, int, int]]]:
        """By choice (None before the first) the choices that may follow, each with its residue and loss, in travel order."""
        chain, into = self._chain, dict[str, list[str | None]]()
        arcs: dict[str | None, list[tuple[str | None, int, int]]] = {}
        into[chain.start] = [None]
        for node, moves in chain.moves.items():
            for before in into.get(node, ()):
                arcs[before] = [(move.choice, move.residue, self._loss(before, move.choice)) for move in moves]
            for move in moves if node in into else ():
                known = into.setdefault(move.to, [])
                if move.choice not in known:
                    known.append(move.choice)
        return arcs

    def is_final(self, choice: str | None) -> bool:
        """Whether a decision can end with `choice`."""
        return choice in self._final

    @cached_property
    def _final(self) -> set[str]:
        return {move.choice for moves in self._chain.moves.values() for move in moves if move.to in self._chain.goals}

    @property
    def target_residue(self) -> int:
        """The residue that the choices of a decision add up to."""
        return self._chain.target_residue

    @property
    def modulus(self) -> int:
        """The modulus of residues."""
        return self._chain.modulus


def _apply_both(y: Choices, one: Detour, two: Detour) -> Choices:
    return y[: one.start] + one.choices + y[one.stop : two.start] + two.choices + y[two.stop :]


Bits = tuple[int, ...]
"""Switches that are on (1) or off (0), by position."""

CostTable = tuple[list[int], tuple[int, ...]]
"""The switch positions that a table depends on, most significant bit first, and its cells."""

MAX_UNIT_GROUPS = 12
"""With more groups than this, a patient person does not try all unions."""


class BooleanSearchSpace(PricedSearchSpace[Y]):
    """Decisions that follow from switches, each with its own loss, and loss tables over several switches."""

    is_binary = True
    most_on: int | None = None
    """At most so many switches may be on; None if any number may."""
    single_flip_percent = 50
    """How many random moves of a hundred flip one switch; the others exchange two unlike ones."""

    def __init__(self, own: list[tuple[int, int]], tables: Iterable[CostTable]) -> None:
        """`own` holds the loss of every switch when off and when on; `tables` is read on first use."""
        self._own, self._unread_tables = own, tables
        self._last_parts: tuple[Bits, list[int]] = ((), [])

    @cached_property
    def _tables(self) -> list[CostTable]:
        return list(self._unread_tables)

    @cached_property
    def _ending(self) -> list[list[CostTable]]:
        """For every switch the tables whose last switch it is."""
        ending: list[list[CostTable]] = [[] for _ in self._own]
        for positions, cells in self._tables:
            ending[max(positions)].append((positions, cells))
        return ending

    @cached_property
    def _changed_parts(self) -> list[set[int]]:
        """For every switch itself and the last switches of the tables that depend on it: the parts that it changes."""
        affected = [{at} for at in range(len(self._own))]
        for positions, _ in self._tables:
            for at in positions:
                affected[at].add(max(positions))
        return affected

    @abstractmethod
    def decision_from_bits(self, x: Bits) -> Y | None:
        """The decision that all switches make; None if they make none."""

    @abstractmethod
    def to_bits(self, y: Y) -> Bits:
        """The switches of a decision."""

    def extra_loss(self, x: Bits) -> int | None:
        """What the switches lose beside their own losses and the tables; None if the combination is not allowed."""
        return 0 if self.most_on is None or sum(x) <= self.most_on else None

    def loss(self, y: Y) -> int | None:
        """The constant loss, the extra loss, the switches' own losses, and all tables."""
        x = self.to_bits(y)
        extra = self.extra_loss(x)
        return None if extra is None else self.constant_loss + extra + sum(self._loss_parts(x))

    def _loss_parts(self, x: Bits) -> list[int]:
        """The part of the loss that every switch adds; only parts that changed since the last call are recomputed."""
        before, parts = self._last_parts
        flipped = [at for at, (old, new) in enumerate(zip(before, x, strict=False)) if old != new]
        stale = set().union(*(self._changed_parts[at] for at in flipped)) if before else range(len(x))
        parts = list(parts) if before else [0] * len(x)
        for at in stale:
            parts[at] = self._loss_part(x, at)
        self._last_parts = x, parts
        return parts

    def _loss_part(self, x: Bits, at: int) -> int:
        """The own loss of switch `at`, and the tables whose last switch it is."""
        part = self._own[at][x[at]]
        for positions, cells in self._ending[at]:
            index = 0
            for position in positions:
                index = 2 * index + x[position]
            part += cells[index]
        return part

    def neighbours(self, y: Y) -> Iterator[Y]:
        """One switch flipped, or two."""
        x = self.to_bits(y)
        for flips in (*((at,) for at in range(len(x))), *self.flip_pairs(x)):
            if (neighbour := self.decision_from_bits(_flip(x, flips))) is not None:
                yield neighbour

    def flip_pairs(self, x: Bits) -> Iterator[tuple[int, int]]:
        """The pairs of switches that are flipped together: unlike ones."""
        return ((i, j) for i, j in combinations(range(len(x)), 2) if x[i] != x[j])

    def random_neighbour(self, y: Y, stream: Stream) -> Y:
        """A random switch flipped, or two unlike ones; `y` itself if that makes no decision."""
        x = self.to_bits(y)
        if not x:
            return y
        on, off = ([at for at, bit in enumerate(x) if bit == wanted] for wanted in (1, 0))
        single = not on or not off or stream.below(100) < self.single_flip_percent
        flips = (stream.below(len(x)),) if single else (stream.choice(on), stream.choice(off))
        neighbour = self.decision_from_bits(_flip(x, flips))
        return y if neighbour is None else neighbour

    def extensions(self, partial: Choices) -> list[tuple[str, int]]:
        """The next switch off or on, if that is allowed so far."""
        if len(partial) == len(self._own):
            return []
        before = tuple(map(int, partial))
        ways = ((x, self.extra_loss(x)) for x in ((*before, 0), (*before, 1)))
        last = len(partial) + 1 == len(self._own)
        allowed = ((x, extra if last else 0) for x, extra in ways if extra is not None)
        return [(str(x[-1]), self._loss_part(x, len(partial)) + extra) for x, extra in allowed]

    def state(self, partial: Choices) -> Hashable:
        """The switches that tables with later switches depend on, and what the family adds."""
        return tuple(partial[at] for at in self._open_positions[len(partial)]), self.coupling_state(tuple(map(int, partial)))

    def coupling_state(self, x: Bits) -> Hashable:
        """What `extra_loss` of a completion depends on beside the switches to come; by default how many are on, if limited."""
        return None if self.most_on is None else sum(x)

    def tight_bound(self, partial: Choices) -> int:
        """The least own losses and table cells that are still to come, and the least extra loss."""
        return self._rest_bounds[len(partial)] + self.extra_bound(partial)

    def extra_bound(self, partial: Choices) -> int:
        """A lower bound on the extra loss of a decision that continues `partial`; 0 if `partial` is complete."""
        return 0

    @cached_property
    def _rest_bounds(self) -> list[int]:
        """At index k, the least that the switches from the k-th on and the tables that end there can lose."""
        least = [min(own) + sum(min(cells) for _, cells in tables) for own, tables in zip(self._own, self._ending, strict=True)]
        return list(accumulate(reversed(least), initial=0))[::-1]

    @property
    def bound_steps(self) -> int:
        """One for each switch and each table."""
        return len(self._own) + len(self._tables)

    @cached_property
    def _open_positions(self) -> list[list[int]]:
        """For every number of decided switches, those that share a table with a later one."""
        last = list(range(len(self._own)))
        for positions, _ in self._tables:
            for at in positions:
                last[at] = max(last[at], max(positions))
        return [[at for at in range(length) if last[at] >= length] for length in range(len(self._own) + 1)]

    def to_decision(self, partial: Choices) -> Y | None:
        """The decision that all switches make."""
        return self.decision_from_bits(tuple(map(int, partial))) if len(partial) == len(self._own) else None

    def to_choices(self, y: Y) -> Choices:
        """The switches as "0" and "1"."""
        return tuple(map(str, self.to_bits(y)))

    def visible_units(self) -> Iterator[Y]:
        """Every union of groups switched on, if the groups are few."""
        groups = self._groups()
        if len(groups) <= MAX_UNIT_GROUPS:
            for picked in product((0, 1), repeat=len(groups)):
                on = {at for group, wanted in zip(groups, picked, strict=True) if wanted for at in group}
                if (unit := self.decision_from_bits(tuple(int(at in on) for at in range(len(self._own))))) is not None:
                    yield unit

    def is_visible_unit(self, y: Y) -> bool:
        """Whether `y` is a union of groups switched on."""
        groups, on = self._groups(), {at for at, bit in enumerate(self.to_bits(y)) if bit}
        within = {at for group in groups if group <= on for at in group}
        return len(groups) <= MAX_UNIT_GROUPS and within == on and self.decision_from_bits(self.to_bits(y)) == y

    def _groups(self) -> list[frozenset[int]]:
        """Switches joined where being alike saves most: pairs by rising worth, up to the widest gap between two worths."""
        i, j = _index_pairs(len(self._own))
        worth = self._worth_of_alike()[i, j]
        if len(worth) < 2:
            return []
        order = np.argsort(worth, kind="stable")
        bound = order[: np.diff(worth[order]).argmax() + 1]
        groups = [frozenset((at,)) for at in range(len(self._own))]
        for one, other in zip(i[bound].tolist(), j[bound].tolist(), strict=True):
            if other not in groups[one]:
                joined = groups[one] | groups[other]
                for at in joined:
                    groups[at] = joined
                if len(joined) == len(groups):
                    break
        return list(dict.fromkeys(groups))

    def _worth_of_alike(self) -> NDArray[np.int64]:
        """For every two switches what their being alike adds to the loss, over all tables of both: negative if it saves."""
        worth = np.zeros((len(self._own), len(self._own)), np.int64)
        for positions, cells in self.tables_by_width():
            one, other, alike = _alike_signs(positions.shape[1])
            np.add.at(worth, (positions[:, one], positions[:, other]), cells @ alike * 4 // cells.shape[1])
        return worth + worth.T

    def quadratic_form(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """The loss of the switches and of pairs as a linear and a joint part; None if a table has more than two switches."""
        n = len(self._own)
        linear, joint = np.array([on - off for off, on in self._own], np.float64), np.zeros((n, n))
        for positions, cells in self.tables_by_width():
            if positions.shape[1] != 2:
                return None
            i, j = positions.T
            np.add.at(linear, i, cells[:, 2] - cells[:, 0])
            np.add.at(linear, j, cells[:, 1] - cells[:, 0])
            np.add.at(joint, (i, j), cells[:, 0] - cells[:, 1] - cells[:, 2] + cells[:, 3])
        return linear, joint + joint.T

    def tables_by_width(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The tables over equally many switches as two arrays: positions and cells, a row per table."""
        for width in {len(positions) for positions, _ in self._tables}:
            wide = [table for table in self._tables if len(table[0]) == width]
            yield np.array([positions for positions, _ in wide]), np.array([cells for _, cells in wide])


@cache
def _index_pairs(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All pairs i < j below `count`, by i and then by j."""
    return np.triu_indices(count, 1)


@cache
def _alike_signs(width: int) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]]:
    """All pairs of the switches of a table, and per cell and pair 1 if the two are alike, -1 if not."""
    (one, other), bit = _index_pairs(width), np.arange(1 << width)[:, None] >> np.arange(width)[::-1] & 1
    return one, other, np.where(bit[:, one] == bit[:, other], 1, -1)


def _flip(x: Bits, positions: Iterable[int]) -> Bits:
    flipped = list(x)
    for at in positions:
        flipped[at] = 1 - flipped[at]
    return tuple(flipped)
