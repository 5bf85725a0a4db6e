"""Generator of Series Portfolio: parity tables, so that titles pull each other and no title is pulled alone.

A series rewards an even number of its members at lot 1, or punishes it, by a strength of its own. Parity has no main
effect: only the joint choice of a scope counts, and lot values are about as strong as all the series of one title.
Nothing is planted; series stand in random order, members of a scope too.
"""

from dataclasses import dataclass

from algoworlds.core.ranges import Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.families.series_portfolio.instance import SeriesPortfolio

VALUE, STRENGTH, NOISE = (1_000, 9_999), (500, 2_000), 1_000
"""Lot values, strengths of series, and most noise in a cell."""
PARITY = {arity: [-1 if cell.bit_count() % 2 else 1 for cell in range(1 << arity)] for arity in (2, 3)}
"""The sign of every cell of a table by its arity: an even number of ones is rewarded, or punished."""


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
    ends = [(i, i + gap) for gap in range(1, config.span) for i in range(config.titles - gap)]
    factors = [_factor(left, right, stream) for left, right in stream.shuffled(ends)]
    return SeriesPortfolio.drawn(
        title=tuple(titles),
        series=tuple(f"s{s}" for s in range(len(factors))),
        lot=tuple(lot for _, lot in lots),
        choice=lots,
        lot_value=dict(zip(lots, stream.integers(len(lots), *VALUE), strict=True)),
        factor={f"s{s}": (tuple([titles[i] for i in scope]), table) for s, (scope, table) in enumerate(factors)},
    )


def _factor(left: int, right: int, stream: Stream) -> tuple[list[int], tuple[int, ...]]:
    """A scope from left to right, its members in random order, and a noisy parity table of random sign and strength."""
    between = [stream.integer(left + 1, right - 1)] if right - left > 1 else []
    scope = stream.shuffled([left, *between, right])
    strength = stream.choice((1, -1)) * stream.integer(*STRENGTH)
    noise = stream.integers(2 ** len(scope), -NOISE, NOISE)
    return scope, tuple([strength * sign + more for sign, more in zip(PARITY[len(scope)], noise, strict=True)])
