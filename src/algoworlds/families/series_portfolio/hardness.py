"""Series Portfolio without the exact algorithm: reference, random, local and by-hand decisions; blind instances."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import accumulate, count, pairwise
from operator import neg

import numpy as np

from algoworlds.core.arrays import IntArray, column_values, id_positions, list_lengths
from algoworlds.families.declare import BooleanSearchSpace, Hardness, Stream
from algoworlds.families.search_space import Bits
from algoworlds.families.series_portfolio.instance import SeriesPortfolio

Portfolio = tuple[str, ...]


def reference(instance: SeriesPortfolio) -> Portfolio:
    """Greedy: the dearer lot of each title, lot 0 if both have the same value."""
    lots = lot_pairs(instance)
    dearer = {t: int(instance.lot_value[t, one] > instance.lot_value[t, zero]) for t, (zero, one) in lots.items()}
    return select_lots(lots, dearer)


def sample(instance: SeriesPortfolio, stream: Stream) -> Portfolio:
    """A random lot of each title."""
    return select_lots(lot_pairs(instance), {title: stream.below(2) for title in instance.title})


def descend(instance: SeriesPortfolio, start: Portfolio) -> Portfolio:
    """Steepest ascent: exchange the lot that gains most (first of equals) until none gains."""
    lots, chosen = lot_pairs(instance), set(start)
    x = {title: int(one in chosen) for title, (_, one) in lots.items()}
    touching: dict[str, list[str]] = {title: [] for title in instance.title}
    for series, (scope, _) in instance.factor.items():
        for title in scope:
            touching[title].append(series)
    while True:
        gains = {title: _gain(instance, lots[title], touching[title], x, title) for title in instance.title}
        best = max(gains, key=gains.__getitem__, default=None)
        if best is None or gains[best] <= 0:
            return select_lots(lots, x)
        x[best] = 1 - x[best]


def _gain(instance: SeriesPortfolio, pair: tuple[str, str], touching: list[str], x: Mapping[str, int], title: str) -> int:
    """What exchanging the lot of one title adds to the value."""
    z = x[title]
    gain: int = instance.lot_value[title, pair[1 - z]] - instance.lot_value[title, pair[z]]
    for series in touching:
        scope, table = instance.factor[series]
        cell = weight = 0
        for member in scope:
            cell = 2 * cell + x[member]
            weight = 2 * weight + (member == title)
        gain += table[cell ^ weight] - table[cell]
    return gain


def lot_pairs(instance: SeriesPortfolio) -> dict[str, tuple[str, str]]:
    """Lot 0 and lot 1 of each title."""
    lots = {(title, z): lot for (title, lot), z in instance.choice.items()}
    return {title: (lots[title, 0], lots[title, 1]) for title in instance.title}


def select_lots(lots: Mapping[str, tuple[str, str]], x: Mapping[str, int]) -> Portfolio:
    """The lots numbered `x`."""
    return tuple(sorted(pair[x[title]] for title, pair in lots.items()))


class SeriesSearchSpace(BooleanSearchSpace[Portfolio]):
    """One switch per title in catalogue order, on for lot 1; the objective is maximised, so losses are negative."""

    single_flip_percent = 100

    def __init__(self, instance: SeriesPortfolio) -> None:
        """Each switch is worth its lot; series are the tables."""
        pairs = lot_pairs(instance)
        self._instance, self._lots = instance, list(pairs.values())
        worth = [(instance.lot_value[t, zero], instance.lot_value[t, one]) for t, (zero, one) in pairs.items()]
        position = {title: at for at, title in enumerate(instance.title)}
        tables = (([position[t] for t in scope], tuple(map(neg, table))) for scope, table in instance.factor.values())
        super().__init__([(-zero, -one) for zero, one in worth], tables)
        self.constant_loss = sum(map(min, worth))
        self._bounds: list[int] = [-total for total in accumulate(map(max, reversed(worth)), initial=0)][::-1]

    def tables_by_width(self) -> Iterator[tuple[IntArray, IntArray]]:
        """The scopes and tables of each width, directly from the columns of the instance."""
        size, title = list_lengths(self._instance, "factor", "scope"), id_positions(self._instance, "factor", "scope")
        first, base = size.cumsum() - size, (1 << size).cumsum() - (1 << size)
        for width in set(size.tolist()):
            own, table = size == width, column_values(self._instance, "factor", "table")
            yield title[first[own][:, None] + np.arange(width)], -table[base[own][:, None] + np.arange(1 << width)]

    def decision_from_bits(self, x: Bits) -> Portfolio:
        """The lots numbered `x`."""
        return tuple(sorted(pair[z] for pair, z in zip(self._lots, x, strict=True)))

    def to_bits(self, y: Portfolio) -> Bits:
        """The numbers of the lots."""
        chosen = set(y)
        return tuple(int(one in chosen) for _, one in self._lots)

    def flip_pairs(self, x: Bits) -> Iterator[tuple[int, int]]:
        """Neighbouring titles."""
        return pairwise(range(len(x)))

    def remaining_lower_bound(self, partial: tuple[str, ...]) -> int:
        """The dearer lot of each open title, ignoring series."""
        return self._bounds[len(partial)]


def _number_by_id(instance: SeriesPortfolio) -> SeriesPortfolio:
    """Number the lots of each title in the order of their ids."""
    counts = {title: count() for title in instance.title}
    number = {(title, lot): next(counts[title]) for title, lot in sorted(instance.choice)}
    return instance.unchecked(choice={pair: number[pair] for pair in instance.choice})


def _erase_tables_of(erased: Callable[[int], bool], instance: SeriesPortfolio) -> SeriesPortfolio:
    """Set the tables to zero whose number of cells satisfies `erased`."""
    tables = {s: (0,) * len(table) if erased(len(table)) else table for s, (_, table) in instance.factor.items()}
    return instance.unchecked(factor={s: (scope, tables[s]) for s, (scope, _) in instance.factor.items()})


def _sort_scopes(instance: SeriesPortfolio) -> SeriesPortfolio:
    """Read each table as if its scope were in catalogue order."""
    position = {title: i for i, title in enumerate(instance.title)}
    return instance.unchecked(
        factor={s: (tuple(sorted(scope, key=position.__getitem__)), table) for s, (scope, table) in instance.factor.items()}
    )


HARDNESS: Hardness[SeriesPortfolio, tuple[str, ...]] = Hardness(
    blind={
        "values": {"lot_value": 0},
        "numbers": _number_by_id,
        "tables": partial(_erase_tables_of, lambda cells: cells > 0),
        "pairs": partial(_erase_tables_of, lambda cells: cells == 4),
        "triples": partial(_erase_tables_of, lambda cells: cells > 4),
        "scope order": _sort_scopes,
    },
    search_space=SeriesSearchSpace,
    sample=sample,
    descend=descend,
)
