"""Decisions of Sequential Matching that need no exact algorithm: myopic, locally improved, random."""

from collections.abc import Callable, Iterator

from algoworlds.core.stream import Stream
from algoworlds.families.backtrack import first_leaf
from algoworlds.families.descent import steepest
from algoworlds.families.sequential_matching.check import check
from algoworlds.families.sequential_matching.instance import SequentialMatching

Matching = tuple[str, ...]
Cells = dict[tuple[str, str], str]


def reference(instance: SequentialMatching) -> Matching:
    """In left order, each takes its cheapest compatible free pair that still lets all others be matched."""
    return _completed(instance, lambda pairs: sorted(pairs, key=lambda pair: instance.pair_cost[pair]))


def sample(instance: SequentialMatching, stream: Stream) -> Matching:
    """In left order, each takes a random compatible free pair that still lets all others be matched."""
    return _completed(instance, stream.shuffled)


def descend(instance: SequentialMatching, start: Matching) -> Matching:
    """Steepest descent: two left participants swap their partners where both new pairs are compatible."""
    cells = admissible(instance)
    return steepest(lambda y: check(instance, y), instance.sense, start, lambda y: neighbours(instance, cells, y))


def admissible(instance: SequentialMatching) -> Cells:
    """The compatible pairs by their left and right participants."""
    return {ends: pair for pair, ends in instance.ends.items() if instance.compatible[ends]}


def neighbours(instance: SequentialMatching, cells: Cells, y: Matching) -> Iterator[Matching]:
    """Two left participants exchange their partners, where both new pairs are compatible."""
    ends = {pair: cell for cell, pair in cells.items()}
    for at, one in enumerate(y):
        for other in y[at + 1 :]:
            (i, j), (k, t) = ends[one], ends[other]
            if (i, t) in cells and (k, j) in cells:
                kept = [pair for pair in y if pair not in (one, other)]
                yield tuple(sorted([*kept, cells[i, t], cells[k, j]]))


def _completed(instance: SequentialMatching, ranked: Callable[[list[str]], list[str]]) -> Matching:
    """The first complete matching, left participants in order and the free compatible pairs of each as ranked."""
    cells = admissible(instance)
    right = {pair: cell[1] for cell, pair in cells.items()}

    def branches(used: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
        left = instance.left[len(used)]
        for pair in ranked([cells[left, j] for j in instance.right if j not in used and (left, j) in cells]):
            yield pair, used | {right[pair]}

    failure = "no matching satisfies the constraints"
    return tuple(sorted(first_leaf(frozenset[str](), lambda used: len(used) == instance.per_side, branches, failure)))
