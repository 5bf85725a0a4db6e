"""Sequential Matching without the exact algorithm: reference, random, local and by-hand decisions; blind instances."""

from collections.abc import Callable, Hashable, Iterator
from functools import cached_property, partial
from math import inf
from typing import NamedTuple

from algoworlds.families.declare import Hardness, SearchSpace, Stream, depth_first_search
from algoworlds.families.sequential_matching.instance import SequentialMatching

Matching = tuple[str, ...]
CENTRING_ROUNDS = 30
INCOMPATIBLE = 1e9
"""The cost of an incompatible pair in an assignment."""
PairsByEnds = dict[tuple[str, str], str]


def reference(instance: SequentialMatching) -> Matching:
    """Greedy: in left order, each takes the cheapest compatible free pair; backtracks if others cannot be matched."""
    return _first_matching(instance, lambda pairs: sorted(pairs, key=lambda pair: instance.pair_cost[pair]))


def sample(instance: SequentialMatching, stream: Stream) -> Matching:
    """In left order, each takes a random compatible free pair; backtracks if others cannot be matched."""
    return _first_matching(instance, stream.shuffled)


def compatible_pairs(instance: SequentialMatching) -> PairsByEnds:
    """The compatible pairs by their left and right participants."""
    return {ends: pair for pair, ends in instance.pair_ends.items() if instance.compatible[ends]}


def neighbours(instance: SequentialMatching, cells: PairsByEnds, y: Matching) -> Iterator[Matching]:
    """Swap the partners of two left participants if both new pairs are compatible."""
    ends = {pair: cell for cell, pair in cells.items()}
    for at, one in enumerate(y):
        for other in y[at + 1 :]:
            (i, j), (k, t) = ends[one], ends[other]
            if (i, t) in cells and (k, j) in cells:
                others = [pair for pair in y if pair not in (one, other)]
                yield tuple(sorted([*others, cells[i, t], cells[k, j]]))


def _first_matching(instance: SequentialMatching, rank: Callable[[list[str]], list[str]]) -> Matching:
    """Depth-first search for a matching: left participants in order, their free compatible pairs ordered by `rank`."""
    cells = compatible_pairs(instance)
    right = {pair: cell[1] for cell, pair in cells.items()}

    def branches(used: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
        left = instance.left[len(used)]
        for pair in rank([cells[left, j] for j in instance.right if j not in used and (left, j) in cells]):
            yield pair, used | {right[pair]}

    failure = "no matching satisfies the constraints"
    return tuple(sorted(depth_first_search(frozenset[str](), lambda used: len(used) == instance.per_side, branches, failure)))


class CentredCosts(NamedTuple):
    """What every participant adds to any matching: shares of handoffs, and dual prices of the pairs with these shares."""

    gives: dict[str, float]
    """What a right participant adds to the handoff that it gives."""
    left: list[float]
    right: dict[str, float]


def centre_costs(instance: SequentialMatching, cells: PairsByEnds) -> CentredCosts:
    """Split the handoffs into shares of givers and takers and a deviation, and price the pairs with these shares."""
    rights, n = instance.right, len(instance.right)
    cost = {ends: instance.rate * minutes for ends, minutes in instance.handoff.items() if ends[0] != ends[1]}
    gives, takes = dict.fromkeys(rights, 0.0), dict.fromkeys(rights, 0.0)
    for _ in range(CENTRING_ROUNDS):
        gives = {i: sum(cost[i, j] - takes[j] for j in rights if j != i) / max(1, n - 1) for i in rights}
        takes = {j: sum(cost[i, j] - gives[i] for i in rights if i != j) / max(1, n - 1) for j in rights}
    least = {j: min((cost[i, j] - gives[i] - takes[j] for i in rights if i != j), default=0.0) for j in rights}
    table = [
        [
            instance.pair_cost[cells[left, j]] + (takes[j] + least[j] / 2 if at else 0) + (gives[j] if at < n - 1 else 0)
            if (left, j) in cells
            else INCOMPATIBLE
            for j in rights
        ]
        for at, left in enumerate(instance.left)
    ]
    left_prices, right_prices = assignment_prices(table)
    return CentredCosts(gives, left_prices, dict(zip(rights, right_prices, strict=True)))


def assignment_prices(cost: list[list[float]]) -> tuple[list[float], list[float]]:
    """Dual prices of rows and columns whose sum is the cost of the cheapest assignment (shortest augmenting paths)."""
    n = len(cost)
    rows, columns, row_of = [0.0] * n, [0.0] * (n + 1), [-1] * (n + 1)  # column n is where every path begins
    for start in range(n):
        row_of[n], column = start, n
        least, before, seen = [inf] * n, [n] * n, set[int]()
        while row_of[column] >= 0:
            seen.add(column)
            row = row_of[column]
            for j in set(range(n)) - seen:
                slack = cost[row][j] - rows[row] - columns[j]
                if slack < least[j]:
                    least[j], before[j] = slack, column
            after = min(set(range(n)) - seen, key=least.__getitem__)
            step = least[after]
            for j in seen:
                rows[row_of[j]] += step
                columns[j] -= step
            for j in set(range(n)) - seen:
                least[j] -= step
            column = after
        while column != n:
            row_of[column] = row_of[before[column]]
            column = before[column]
    return rows, columns[:n]


class MatchingSearchSpace(SearchSpace[Matching]):
    """Match left participants in order; a partial decision lists their pairs."""

    def __init__(self, instance: SequentialMatching) -> None:
        """Index the compatible pairs by their ends."""
        self._instance, self._cells = instance, compatible_pairs(instance)
        self._right = {pair: right for (_, right), pair in self._cells.items()}

    @cached_property
    def _bounds(self) -> list[dict[str, int]]:
        """By left participant and partner, the least cost of the rest of the sequence if partners could be reused."""
        instance, bounds = self._instance, [dict.fromkeys(self._instance.right, 0)]
        for left in reversed(instance.left[1:]):
            pairs = [(j, self._cells[left, j]) for j in instance.right if (left, j) in self._cells]
            able = [(j, instance.pair_cost[pair] + bounds[0][j]) for j, pair in pairs]
            waits = {i: [(c, instance.handoff[i, j]) for j, c in able if j != i] for i in instance.right}
            bounds.insert(0, {i: min((c + instance.rate * wait for c, wait in ways), default=0) for i, ways in waits.items()})
        return bounds

    def neighbours(self, y: Matching) -> Iterator[Matching]:
        """Swap the partners of two left participants."""
        return neighbours(self._instance, self._cells, y)

    def random_neighbour(self, y: Matching, stream: Stream) -> Matching:
        """Swap the partners of two random left participants if both new pairs are compatible; otherwise return `y`."""
        if len(y) < 2:
            return y
        ends = self._instance.pair_ends
        one, other = stream.sample(y, 2)
        (i, j), (k, t) = ends[one], ends[other]
        if (i, t) not in self._cells or (k, j) not in self._cells:
            return y
        return tuple(sorted([*(pair for pair in y if pair not in (one, other)), self._cells[i, t], self._cells[k, j]]))

    def extensions(self, partial: tuple[str, ...]) -> list[tuple[str, int]]:
        """The free compatible partners of the next participant, at the pair's cost and the handoff from the last partner."""
        instance = self._instance
        if len(partial) == len(instance.left):
            return []
        left, used = instance.left[len(partial)], {self._right[pair] for pair in partial}
        able = [j for j in instance.right if j not in used and (left, j) in self._cells]
        before = self._right[partial[-1]] if partial else None
        waits = {j: instance.rate * instance.handoff[before, j] if before else 0 for j in able}
        return [(self._cells[left, j], instance.pair_cost[self._cells[left, j]] + waits[j]) for j in able]

    def state(self, partial: tuple[str, ...]) -> Hashable:
        """The partners that are taken, and the last one."""
        taken = [self._right[pair] for pair in partial]
        return frozenset(taken), tuple(taken[-1:])

    def to_decision(self, partial: tuple[str, ...]) -> Matching | None:
        """The pairs, once all left participants are matched."""
        return tuple(sorted(partial)) if len(partial) == len(self._instance.left) else None

    def to_choices(self, y: Matching) -> tuple[str, ...]:
        """The pairs, in the order of their left participants."""
        return tuple(sorted(y, key=lambda pair: self._instance.left.index(self._instance.pair_ends[pair][0])))

    @cached_property
    def _centred_costs(self) -> "CentredCosts":
        return centre_costs(self._instance, self._cells)

    def estimate(self, partial: tuple[str, ...]) -> float:
        """The cheapest matching of the open participants at centred costs, with half of the least deviation of a handoff."""
        if len(partial) == len(self._instance.left):
            return 0
        taken, centred = [self._right[pair] for pair in partial], self._centred_costs
        rights = sum(price for right, price in centred.right.items() if right not in taken)
        return sum(centred.left[len(partial) :]) + rights + (centred.gives[taken[-1]] if taken else 0)

    @property
    def bound_steps(self) -> int:
        """One for each pair of participants whose cost is centred."""
        return len(self._instance.left) * len(self._instance.right)

    def remaining_lower_bound(self, partial: tuple[str, ...]) -> int:
        """The least cost of the rest of the sequence if partners could be reused."""
        return self._bounds[len(partial) - 1][self._right[partial[-1]]] if partial else 0


def _symmetric_handoffs(instance: SequentialMatching) -> SequentialMatching:
    """Replace the minutes of both directions by their mean, rounded down."""
    minutes = instance.handoff
    return instance.unchecked(handoff={(j, t): (minutes[j, t] + minutes[t, j]) // 2 for j, t in minutes})


def _shift_rate(change: int) -> Callable[[SequentialMatching], SequentialMatching]:
    """Add `change` to the rate.

    With -2 and +2 refused, an optimum stays optimal for at most three of the thirty-one rates that the question states.
    """
    return lambda instance: instance.unchecked(rate=max(0, instance.rate + change))


HARDNESS: Hardness[SequentialMatching, tuple[str, ...]] = Hardness(
    blind={
        "compatibility": {"compatible": True},
        "pair costs": {"pair_cost": 0},
        "handoffs": {"handoff": 0},
        "handoff direction": _symmetric_handoffs,
        "rate": {"rate": 1},
        "the exact rate, which is two more": _shift_rate(-2),
        "the exact rate, which is two less": _shift_rate(+2),
    },
    search_space=MatchingSearchSpace,
    sample=sample,
    neighbourhood=lambda instance: partial(neighbours, instance, compatible_pairs(instance)),
)
