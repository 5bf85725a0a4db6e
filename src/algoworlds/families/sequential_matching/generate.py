"""Generator of Sequential Matching: large differences that cancel over a whole matching, and small ones that decide.

Most of a pair's cost belongs to its two participants, and most of a handoff's minutes to its giver and its taker. Every
participant is matched once, so these shares add up to the same for all matchings except at the two ends: the first right
participant takes no handoff and the last one gives none. What decides is small: each handoff is randomly a little quicker or
slower, and pairs differ a little. Rounding a column loses it, and a sequence that looks cheap so far has only used up the
cheap participants. At the ends, pairs cost more by a convex function of the minutes saved there, whose slopes are the rates:
which participant is worth it depends on the rate, and a slightly different rate favours another one. Compatibility is
regular (everyone is compatible with equally many), so Hall's theorem gives a perfect matching; nothing is planted, and
degrees reveal nothing.
"""

from dataclasses import dataclass
from itertools import permutations

from algoworlds.families.declare import Range, Stream
from algoworlds.families.sequential_matching.instance import SequentialMatching

RATE = (10, 40)
SHARE = (1_000, 50_000)
"""Range of what a participant adds to the cost of a pair."""
PAIR = 200
"""Largest random difference between pairs beyond the shares."""
MINUTES = 4_000
"""Most that a giver or a taker adds to the minutes of a handoff."""
QUICK, SLOW = (1, 9), (40, 60)
"""Ranges of the random minutes of a handoff; each is equally likely."""


@dataclass(frozen=True)
class Config:
    """Participants per side, and with how many of the other side each one is compatible."""

    per_side: int
    degree: int


LEVELS = {0: Config(7, 5), 1: Config(10, 9), 2: Config(13, 11), 3: Config(15, 13), 4: Config(17, 14)}


def ranges(config: Config) -> dict[tuple[str, str], Range]:
    """Pair costs up to the dearest end, handoffs up to the longest shares, and the rate."""
    return {
        ("pair_cost", "cost"): Range(2 * SHARE[0], 2 * SHARE[1] + PAIR + _surcharge(MINUTES), label="pair costs"),
        ("handoff", "minutes"): Range(QUICK[0], 2 * MINUTES + SLOW[1], label="minutes of handoffs"),
        ("rate", "rate"): Range(*RATE),
    }


def generate(config: Config, stream: Stream) -> SequentialMatching:
    """Draw an instance: a randomly relabelled circulant compatibility relation, and shares of costs and handoffs."""
    n = config.per_side
    lefts, rights = [f"l{i}" for i in range(n)], [f"r{j}" for j in range(n)]
    row, column = stream.shuffled(range(n)), stream.shuffled(range(n))
    offsets = set(stream.sample(range(n), config.degree))
    compatible = {(lefts[i], rights[j]): (row[i] + column[j]) % n in offsets for i in range(n) for j in range(n)}
    ends = {f"p{at}": cell for at, cell in enumerate(stream.shuffled(list(compatible)))}
    gives, takes = _spread_minutes(rights, stream), _spread_minutes(rights, stream)
    share = {person: stream.integer(*SHARE) for person in (*lefts, *rights)}
    extra = {(lefts[0], j): _surcharge(takes[j]) for j in rights} | {(lefts[-1], j): _surcharge(gives[j]) for j in rights}
    return SequentialMatching.from_trusted(
        participant=(*lefts, *rights),
        pair=tuple(ends),
        per_side=n,
        member=frozenset((person, pair) for pair, cell in ends.items() for person in cell),
        compatible=compatible,
        pair_cost={
            pair: share[cell[0]] + share[cell[1]] + extra.get(cell, 0) + _pair_noise(compatible[cell], stream)
            for pair, cell in ends.items()
        },
        handoff={
            (j, t): gives[j] + takes[t] + (stream.integer(*QUICK) if stream.below(2) else stream.integer(*SLOW))
            for j, t in permutations(rights, 2)
        },
        rate=stream.integer(*RATE),
    )


def _surcharge(minutes: int) -> int:
    """The extra cost at an end for minutes saved there: each minute costs a rate, rising from the lowest to the highest."""
    low, high = RATE
    return low * minutes + (high - low) * minutes**2 // (2 * MINUTES)


def _spread_minutes(rights: list[str], stream: Stream) -> dict[str, int]:
    """Minutes for each right participant, one from each of `len(rights)` equal parts of the range, in random order."""
    part = MINUTES // len(rights)
    return {j: part * at + stream.below(part) for j, at in zip(rights, stream.shuffled(range(len(rights))), strict=True)}


def _pair_noise(compatible: bool, stream: Stream) -> int:
    """Uniform; the least of three draws for an incompatible pair, so ignoring compatibility is tempting."""
    return min(stream.integers(1 if compatible else 3, 0, PAIR))
