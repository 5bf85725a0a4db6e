"""Generator of Sequential Matching: every handoff is either quick or slow, by the toss of a coin.

A slow handoff costs as much as a pair or two, so a good matching strings the right participants along quick handoffs
where it can, and exchanging two of them breaks up to four handoffs at once. Compatibility is regular: everyone is
compatible with the same number of participants on the other side, so Hall's theorem gives a perfect matching; nothing is
planted, and no degree tells anything.
"""

from dataclasses import dataclass

from algoworlds.core.stream import Stream
from algoworlds.families.sequential_matching.instance import SequentialMatching


@dataclass(frozen=True)
class Config:
    """Participants per side, and how many of the other side each of them is compatible with."""

    per_side: int
    degree: int


LEVELS = {0: Config(7, 5), 1: Config(10, 7), 2: Config(13, 9), 3: Config(15, 11), 4: Config(17, 12)}


def generate(config: Config, stream: Stream) -> SequentialMatching:
    """Draw an instance: a circulant compatibility relation under random relabelling, independent prices and handoffs."""
    n = config.per_side
    lefts, rights = [f"l{i}" for i in range(n)], [f"r{j}" for j in range(n)]
    row, column = stream.shuffled(range(n)), stream.shuffled(range(n))
    offsets = set(stream.sample(range(n), config.degree))
    compatible = {(lefts[i], rights[j]): (row[i] + column[j]) % n in offsets for i in range(n) for j in range(n)}
    ends = {f"p{at}": cell for at, cell in enumerate(stream.shuffled(list(compatible)))}
    return SequentialMatching(
        participant=[*lefts, *rights],
        pair=list(ends),
        member={(person, pair) for pair, cell in ends.items() for person in cell},
        compatible=compatible,
        pair_cost={pair: _pair_cost(compatible[cell], stream) for pair, cell in ends.items()},
        handoff={(j, t): _minutes(stream) for j in rights for t in rights if j != t},
        rate=stream.integer(12, 18),
    )


def _pair_cost(compatible: bool, stream: Stream) -> int:
    """Uniform; an incompatible pair shows the least of three draws, so that ignoring compatibility tempts."""
    return min(stream.integers(1 if compatible else 3, 2_000, 5_999))


def _minutes(stream: Stream) -> int:
    """Quick or slow, with equal chances."""
    return stream.integer(1, 9) if stream.below(2) else stream.integer(300, 600)
