"""Generator of Series Portfolio: parity tables, so that titles pull each other and no title is pulled alone.

A series rewards an even number of its members at lot 1, or punishes it, by a strength of its own. Parity has no main
effect: only the joint choice of a scope counts, and lot values are about as strong as all the series of one title.
Nothing is planted; series stand in random order, members of a scope too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.ranges import Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.families.series_portfolio.instance import SeriesPortfolio

VALUE, STRENGTH, NOISE = (1_000, 9_999), (500, 2_000), 1_000
"""Lot values, strengths of series, and most noise in a cell."""
PARITY = {arity: np.array([-1 if cell.bit_count() % 2 else 1 for cell in range(1 << arity)]) for arity in (2, 3)}
"""The sign of every cell of a table by its arity: an even number of ones is rewarded, or punished."""

Numbers = NDArray[np.int64]
Factor = tuple[tuple[str, ...], tuple[int, ...]]
"""A scope and its table."""


@dataclass(frozen=True)
class Config:
    """Number of titles, and the span: a series joins titles fewer than `span` places apart."""

    titles: int
    span: int


LEVELS = {0: Config(52, 3), 1: Config(44, 6), 2: Config(64, 9), 3: Config(88, 11), 4: Config(96, 13)}
"""Level 0 is narrow but long: an evaluation costs 1,000, and reading everything must cost more than the budget."""


def ranges(config: Config) -> Ranges:
    """Lot values, and cells as strong as strength and noise together."""
    strongest = STRENGTH[1] + NOISE
    return Ranges(
        {
            ("lot_value", "lot_value"): Range(*VALUE),
            ("factor", "table"): Range(-strongest, strongest, words="cells of series tables"),
            ("choice", "choice"): Range(0, 1, words="lot numbers"),
        }
    )


def generate(config: Config, stream: Stream) -> SeriesPortfolio:
    """Draw an instance: one series per left title and gap, a pair of neighbours or a triple with one title between."""
    titles = [f"t{i}" for i in range(config.titles)]
    lots = {(title, f"{title}.{z}"): z for title in titles for z in (0, 1)}
    ends = np.array([(i, i + gap) for gap in range(1, config.span) for i in range(config.titles - gap)])
    factors = _factors(np.array(titles, object), ends[stream.shuffled(range(len(ends)))], stream)
    return SeriesPortfolio.from_trusted(
        title=tuple(titles),
        series=tuple([f"s{s}" for s in range(len(factors))]),
        lot=tuple([lot for _, lot in lots]),
        choice=lots,
        lot_value=dict(zip(lots, stream.integers(len(lots), *VALUE), strict=True)),
        factor={f"s{s}": each for s, each in enumerate(factors)},
    )


def _factors(titles: NDArray[np.object_], ends: Numbers, stream: Stream) -> list[Factor]:
    """A factor from each left title to its right one: drawn one after the other, pairs and triples made side by side."""
    left, right = ends.T
    bounds, three = [_bounds(gap) for gap in (right - left).tolist()], right - left > 1
    draws, threes = stream.rows(1, np.concatenate(bounds))[0], np.repeat(three, list(map(len, bounds)))
    of_pairs, of_triples = draws[~threes].reshape(-1, len(_bounds(1))), draws[threes].reshape(-1, len(_bounds(2)))
    members = np.stack([left[three], left[three] + 1 + of_triples[:, 0], right[three]], axis=1)
    pairs, triples = _made(titles, ends[~three], of_pairs), _made(titles, members, of_triples[:, 1:])
    return [next(triples if each else pairs) for each in three.tolist()]


@cache
def _bounds(gap: int) -> NDArray[np.uint64]:
    """What the draws of a factor lie below: for the title between, if any, for the order, the sign, the strength, the noise."""
    arity, between = (3, [gap - 1]) if gap > 1 else (2, [])
    strength, noise = STRENGTH[1] - STRENGTH[0] + 1, [2 * NOISE + 1] * 2**arity
    return np.array([*between, *range(arity, 1, -1), 2, strength, *noise], np.uint64)


def _made(titles: NDArray[np.object_], scope: Numbers, draws: Numbers) -> Iterator[Factor]:
    """Scopes with their members in random order, and noisy parity tables of random sign and strength."""
    many, arity = scope.shape
    order, (sign, strength), noise = draws[:, : arity - 1], draws[:, arity - 1 : arity + 1].T, draws[:, arity + 1 :]
    for last, pick in zip(range(arity - 1, 0, -1), order.T, strict=True):
        here = np.arange(many)
        scope[here, last], scope[here, pick] = scope[here, pick], scope[here, last]
    strong = (1 - 2 * sign) * (STRENGTH[0] + strength)
    tables = strong.reshape(-1, 1) * PARITY[arity] + noise - NOISE
    return zip(map(tuple, titles[scope].tolist()), map(tuple, tables.tolist()), strict=True)
