"""Sequential Matching by hand: partners exchanged, or chosen one after the other along the sequence."""

from collections.abc import Iterator
from functools import cached_property

from algoworlds.core.stream import Stream
from algoworlds.families.hand import Extension, Hand
from algoworlds.families.residues import Choices
from algoworlds.families.sequential_matching.instance import SequentialMatching
from algoworlds.families.sequential_matching.search import Matching, admissible, neighbours


class MatchingHand(Hand[Matching]):
    """Left participants in order; a partial decision names their pairs."""

    def __init__(self, instance: SequentialMatching) -> None:
        """Look up who may follow whom."""
        self._game, self._cells = instance, admissible(instance)
        self._right = {pair: right for (_, right), pair in self._cells.items()}

    @cached_property
    def _onward(self) -> list[dict[str, int]]:
        """By left participant and partner, the least that the rest of the sequence costs if partners may be used again."""
        game, ahead = self._game, [dict.fromkeys(self._game.right, 0)]
        for left in reversed(game.left[1:]):
            able = [(j, game.pair_cost[self._cells[left, j]] + ahead[0][j]) for j in game.right if (left, j) in self._cells]
            waits = {i: [(c, game.handoff[i, j]) for j, c in able if j != i] for i in game.right}
            ahead.insert(0, {i: min((c + game.rate * wait for c, wait in ways), default=0) for i, ways in waits.items()})
        return ahead

    def neighbours(self, y: Matching) -> Iterator[Matching]:
        """Two left participants exchange their partners."""
        return neighbours(self._game, self._cells, y)

    def neighbour(self, y: Matching, stream: Stream) -> Matching:
        """Two random left participants exchange their partners, if both new pairs are compatible; else nothing changes."""
        ends = self._game.ends
        one, other = stream.sample(y, 2)
        (i, j), (k, t) = ends[one], ends[other]
        if (i, t) not in self._cells or (k, j) not in self._cells:
            return y
        return tuple(sorted([*(pair for pair in y if pair not in (one, other)), self._cells[i, t], self._cells[k, j]]))

    def extensions(self, partial: Choices) -> list[Extension]:
        """The free compatible partners of the next participant, at the pair's cost and the handoff from the last partner."""
        game = self._game
        if len(partial) == len(game.left):
            return []
        left, used = game.left[len(partial)], {self._right[pair] for pair in partial}
        able = [j for j in game.right if j not in used and (left, j) in self._cells]
        before = self._right[partial[-1]] if partial else None
        waits = {j: game.rate * game.handoff[before, j] if before else 0 for j in able}
        return [Extension(self._cells[left, j], game.pair_cost[self._cells[left, j]] + waits[j]) for j in able]

    def decision(self, partial: Choices) -> Matching | None:
        """The pairs of all participants."""
        return tuple(sorted(partial)) if len(partial) == len(self._game.left) else None

    def choices(self, y: Matching) -> Choices:
        """The pairs in the order of the left participants."""
        return tuple(sorted(y, key=lambda pair: self._game.left.index(self._game.ends[pair][0])))

    def rest(self, partial: Choices) -> int:
        """The cheapest way on along the sequence if partners could be used again."""
        return self._onward[len(partial) - 1][self._right[partial[-1]]] if partial else 0
