"""An instance in the hands of someone without the exact algorithm: what an attacker of a family can do with it.

All information and no global optimization: compare a decision with its neighbours, extend a partial one choice by choice,
and try the family's visible units as wholes. Attackers are written once over this small interface, so that a new family
meets them all. A *loss* counts against the objective whatever the sense: less is better.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
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

    @abstractmethod
    def neighbours(self, y: Y) -> Iterator[Y]:
        """The decisions that one small move makes of a feasible one; some may be infeasible."""

    def neighbour(self, y: Y, stream: Stream) -> Y:
        """One of the neighbours at random."""
        return stream.choice(list(self.neighbours(y)))

    @abstractmethod
    def extensions(self, partial: Choices) -> list[Extension]:
        """How a partial decision may go on; nothing if it is complete or has come to a dead end."""

    @abstractmethod
    def decision(self, partial: Choices) -> Y | None:
        """The decision that a partial one has become; None while something is missing."""

    def rest(self, partial: Choices) -> int:
        """The least loss that completing a partial decision could add if the coupling constraint did not hold."""
        return 0

    def units(self) -> Iterator[Y]:
        """Decisions made of units that the family's tables show: open sets, crews, blocks."""
        return iter(())


class ChainHand(Hand[Choices]):
    """Decisions that are chains of choices with a prescribed residue; only choices that leave a completion are offered."""

    def __init__(self, chain: Chain[str], loss: Callable[[str | None, str], int]) -> None:
        """`loss` is what a choice adds after another one, or as the first."""
        self._chain, self._loss = chain, loss
        self._completes = chain.completions()
        self._move = {place: {move.choice: move for move in moves} for place, moves in chain.moves.items()}
        self._onward: dict[str, int] = {}
        for moves in reversed(chain.moves.values()):
            for move in moves:
                if move.choice not in self._onward:
                    self._onward[move.choice] = self._least(move)
        self._seen: tuple[Choices, dict[int, list[Detour]]] = ((), {})

    def _least(self, move: Move[str]) -> int:
        """The least loss from a move to a goal, residues apart."""
        ways = (self._loss(move.choice, after.choice) + self._onward[after.choice] for after in self._chain.moves[move.to])
        return 0 if move.to in self._chain.goals else min(ways, default=0)

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

    def decision(self, partial: Choices) -> Choices | None:
        """The choices, once they have led to a goal."""
        return None if not partial or self.extensions(partial) else partial

    def rest(self, partial: Choices) -> int:
        """The least loss of the way on if no residue were prescribed."""
        return self._onward[partial[-1]] if partial else 0


def _both(y: Choices, one: Detour, two: Detour) -> Choices:
    return y[: one.low] + one.choices + y[one.high : two.low] + two.choices + y[two.high :]
