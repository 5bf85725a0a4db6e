"""Chains of choices with a prescribed residue, by hand."""

from collections.abc import Callable, Iterator
from functools import cached_property

from algoworlds.core.stream import Stream
from algoworlds.families.hand import Extension, QuickHand
from algoworlds.families.residues import Chain, Choices, Detour, Move

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
