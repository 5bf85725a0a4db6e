"""Generator of Series Portfolio: parity tables, which couple titles without favouring a lot of any single title.

A series rewards or punishes an even number of members at lot 1, by a random strength. Parity has no main effect: only the
joint choice of a scope counts, and lot values are about as strong as all series of one title together. No solution is
planted; series and the members of a scope come in random order.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from algoworlds.families.declare import Range, Stream
from algoworlds.families.series_portfolio.instance import SeriesPortfolio

VALUE, STRENGTH, NOISE = (1_000, 9_999), (500, 2_000), 1_000
"""Ranges of lot values and of series strengths, and the largest noise in a cell."""
PARITY = {arity: np.array([-1 if cell.bit_count() % 2 else 1 for cell in range(1 << arity)]) for arity in (2, 3)}
"""By arity, the sign of each table cell: 1 for an even number of ones, else -1."""

Numbers = NDArray[np.int64]
Factor = tuple[tuple[str, ...], tuple[int, ...]]
"""A scope and its table."""


@dataclass(frozen=True)
class Config:
    """Number of titles, and the span: a series joins titles fewer than `span` positions apart."""

    titles: int
    span: int


LEVELS = {0: Config(52, 3), 1: Config(44, 6), 2: Config(64, 9), 3: Config(88, 11), 4: Config(96, 13)}
"""Level 0 is narrow but long: an evaluation costs 1,000, and reading everything must cost more than the budget."""


def ranges(config: Config) -> dict[tuple[str, str], Range]:
    """Lot values, table cells up to strength plus noise, and lot numbers."""
    strongest = STRENGTH[1] + NOISE
    return {
        ("lot_value", "lot_value"): Range(*VALUE),
        ("factor", "table"): Range(-strongest, strongest, label="cells of series tables"),
        ("choice", "choice"): Range(0, 1, label="lot numbers"),
    }


def generate(config: Config, stream: Stream) -> SeriesPortfolio:
    """Draw an instance: one series per left title and gap, a pair of neighbours or a triple with one title between them."""
    titles = [f"t{i}" for i in range(config.titles)]
    lots = {(title, f"{title}.{z}"): z for title in titles for z in (0, 1)}
    ends = np.array([(i, i + gap) for gap in range(1, config.span) for i in range(config.titles - gap)])
    factors = _draw_factors(np.array(titles, object), ends[stream.shuffled(range(len(ends)))], stream)
    return SeriesPortfolio.from_trusted(
        title=tuple(titles),
        series=tuple([f"s{s}" for s in range(len(factors))]),
        lot=tuple([lot for _, lot in lots]),
        choice=lots,
        lot_value=dict(zip(lots, stream.integers(len(lots), *VALUE), strict=True)),
        factor={f"s{s}": factor for s, factor in enumerate(factors)},
    )


def _draw_factors(titles: NDArray[np.object_], ends: Numbers, stream: Stream) -> list[Factor]:
    """One factor per row of `ends`, drawn in this order; pairs and triples are computed as two arrays."""
    left, right = ends.T
    bounds, three = [_draw_bounds(gap) for gap in (right - left).tolist()], right - left > 1
    draws, threes = stream.bounded_rows(1, np.concatenate(bounds))[0], np.repeat(three, list(map(len, bounds)))
    pair_draws, triple_draws = (draws[mask].reshape(-1, len(_draw_bounds(gap))) for gap, mask in ((1, ~threes), (2, threes)))
    members = np.stack([left[three], left[three] + 1 + triple_draws[:, 0], right[three]], axis=1)
    pairs, triples = _build_factors(titles, ends[~three], pair_draws), _build_factors(titles, members, triple_draws[:, 1:])
    return [next(triples if is_triple else pairs) for is_triple in three.tolist()]


@cache
def _draw_bounds(gap: int) -> NDArray[np.uint64]:
    """Exclusive bounds of a factor's draws: title between (for triples), order of members, sign, strength, noise."""
    arity, between = (3, [gap - 1]) if gap > 1 else (2, [])
    strength, noise = STRENGTH[1] - STRENGTH[0] + 1, [2 * NOISE + 1] * 2**arity
    return np.array([*between, *range(arity, 1, -1), 2, strength, *noise], np.uint64)


def _build_factors(titles: NDArray[np.object_], scope: Numbers, draws: Numbers) -> Iterator[Factor]:
    """(scope, table) with shuffled members and noisy parity tables of random sign and strength."""
    count, arity = scope.shape
    order, (sign, strength), noise = draws[:, : arity - 1], draws[:, arity - 1 : arity + 1].T, draws[:, arity + 1 :]
    for last, pick in zip(range(arity - 1, 0, -1), order.T, strict=True):
        row = np.arange(count)
        scope[row, last], scope[row, pick] = scope[row, pick], scope[row, last]
    signed = (1 - 2 * sign) * (STRENGTH[0] + strength)
    tables = signed.reshape(-1, 1) * PARITY[arity] + noise - NOISE
    return zip(map(tuple, titles[scope].tolist()), map(tuple, tables.tolist()), strict=True)
