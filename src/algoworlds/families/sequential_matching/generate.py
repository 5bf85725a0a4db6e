"""Generator of Sequential Matching: large differences that cancel over a whole matching, and small ones that decide.

Most of a pair's cost belongs to its two participants and most of a handoff's minutes to its giver and its taker. Everybody
is matched once, so these shares add up to the same for all matchings but for the two ends: the first right participant takes
no handoff and the last one gives none. What decides is small: every handoff is a little quicker or slower by the toss of a
coin, and pairs differ a little. It is lost to whoever rounds a column, and a sequence that looks cheap so far has only used
up the cheap participants. At the ends, pairs cost more by a convex function of the minutes that are saved there, whose
slopes are the rates: which participant is worth it depends on the rate, and a little more or less asks for another one.
Compatibility is regular: everyone is compatible with the same number of participants on the other side, so Hall's theorem
gives a perfect matching; nothing is planted, and no degree tells anything.
"""

from dataclasses import dataclass

from algoworlds.core.ranges import Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.families.sequential_matching.instance import SequentialMatching

RATE = (10, 40)
SHARE = (1_000, 50_000)
"""What a participant adds to the cost of a pair."""
PAIR = 200
"""By how much pairs differ beside."""
MINUTES = 4_000
"""What a giver or a taker adds to the minutes of a handoff, at most."""
QUICK, SLOW = (1, 9), (40, 60)


@dataclass(frozen=True)
class Config:
    """Participants per side, and how many of the other side each of them is compatible with."""

    per_side: int
    degree: int


LEVELS = {0: Config(7, 5), 1: Config(10, 9), 2: Config(13, 11), 3: Config(15, 13), 4: Config(17, 14)}


def ranges(config: Config) -> Ranges:
    """Pair costs reach to the dearest end, handoffs to the longest shares."""
    return Ranges(
        {
            ("pair_cost", "cost"): Range(2 * SHARE[0], 2 * SHARE[1] + PAIR + _worth(MINUTES), words="pair costs"),
            ("handoff", "minutes"): Range(QUICK[0], 2 * MINUTES + SLOW[1], words="minutes of handoffs"),
            ("rate", "rate"): Range(*RATE),
        }
    )


def generate(config: Config, stream: Stream) -> SequentialMatching:
    """Draw an instance: a circulant compatibility relation under random relabelling, and shares of prices and handoffs."""
    n = config.per_side
    lefts, rights = [f"l{i}" for i in range(n)], [f"r{j}" for j in range(n)]
    row, column = stream.shuffled(range(n)), stream.shuffled(range(n))
    offsets = set(stream.sample(range(n), config.degree))
    compatible = {(lefts[i], rights[j]): (row[i] + column[j]) % n in offsets for i in range(n) for j in range(n)}
    ends = {f"p{at}": cell for at, cell in enumerate(stream.shuffled(list(compatible)))}
    gives, takes = _spread(rights, stream), _spread(rights, stream)
    share = {person: stream.integer(*SHARE) for person in (*lefts, *rights)}
    extra = {(lefts[0], j): _worth(takes[j]) for j in rights} | {(lefts[-1], j): _worth(gives[j]) for j in rights}
    return SequentialMatching.from_trusted(
        participant=(*lefts, *rights),
        pair=tuple(ends),
        per_side=n,
        member=frozenset((person, pair) for pair, cell in ends.items() for person in cell),
        compatible=compatible,
        pair_cost={
            pair: share[cell[0]] + share[cell[1]] + extra.get(cell, 0) + _pair(compatible[cell], stream)
            for pair, cell in ends.items()
        },
        handoff={(j, t): gives[j] + takes[t] + _minutes(stream) for j in rights for t in rights if j != t},
        rate=stream.integer(*RATE),
    )


def _worth(minutes: int) -> int:
    """What minutes saved at an end cost there: each as much as a rate, the first the lowest and the last the highest."""
    low, high = RATE
    return low * minutes + (high - low) * minutes**2 // (2 * MINUTES)


def _spread(rights: list[str], stream: Stream) -> dict[str, int]:
    """Minutes for every right participant, one from each of as many equal parts of their range, dealt at random."""
    part = MINUTES // len(rights)
    return {j: part * at + stream.below(part) for j, at in zip(rights, stream.shuffled(range(len(rights))), strict=True)}


def _pair(compatible: bool, stream: Stream) -> int:
    """Uniform; an incompatible pair shows the least of three draws, so that ignoring compatibility tempts."""
    return min(stream.integers(1 if compatible else 3, 0, PAIR))


def _minutes(stream: Stream) -> int:
    """A little quicker or slower, with equal chances."""
    return stream.integer(*QUICK) if stream.below(2) else stream.integer(*SLOW)
