"""Typical values in place of read ones: an instance as it looks to someone who skipped one kind of number.

Erasing a column to zero is the weakest guess there is. Someone who has seen other worlds, or a part of this one, puts a
typical value there: this world's mean or median, or the mean or the middle over other worlds of the level. Someone who only
glances at a column keeps two or three classes of it: small and large, or something between. An exact solver must not get
away with any of them. What else can be guessed from other columns is for a family to say, among its fits.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import accumulate, chain, islice, pairwise
from statistics import median_low
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.column import Column, Int, Ints
from algoworlds.core.instance import Instance
from algoworlds.core.ranges import Place, Ranges
from algoworlds.core.relation import Relation
from algoworlds.core.stream import Stream
from algoworlds.families import family as family_named
from algoworlds.families.family import Family

WORLDS = 4
"""Other worlds of the same family and level from which somebody knows what is typical."""

KINDS = 256
"""Families and levels of which that is kept: more than there are, but not all difficulties between levels."""

_MANY = 30
"""Numbers from which on three classes of them are a glance at a column and not the column itself."""
_TURNS = 20
"""How often classes are drawn anew around their means, which then hardly move."""

Numbers = list[int]
Array = NDArray[np.int64]
Guess = Callable[[Array], Array]
"""What is put in place of some numbers."""
Guesses = Callable[[Relation, int, Numbers], dict[str, Guess]]
"""Guesses at a column, by name, from its numbers."""


def imputed(family: Family[Any, Any], level: float, instance: Instance) -> Iterator[tuple[str, Any]]:
    """The instance with one hidden column of numbers replaced by typical values, in every way, each with its name.

    What alters the instance least comes first: it is the likeliest to leave the optimum as it is.
    """
    yield from ((name, fit(instance)) for name, fit in family.fits.items())
    columns = list(_columns(family, level, instance))
    for guesses in (_classes, partial(_constants, _usual(family.name, level))):
        yield from _altered(instance, columns, guesses)


def nearby(family: Family[Any, Any], level: float, instance: Instance) -> Iterator[tuple[str, Any]]:
    """The same with guesses that admission does not try: they tell what it would be worth to guess a little otherwise."""
    return _altered(instance, _columns(family, level, instance), _quartiles)


def _columns(family: Family[Any, Any], level: float, instance: Instance) -> Iterator["tuple[Relation, int, _Numbers]"]:
    ranges = family.ranges_at(level)
    return ((relation, at, _Numbers.of(instance, relation, at, ranges)) for relation, at in amounts(type(instance)))


def _altered(
    instance: Instance, columns: "Iterable[tuple[Relation, int, _Numbers]]", guesses: Guesses
) -> Iterator[tuple[str, Any]]:
    for relation, at, numbers in columns:
        for name, guess in guesses(relation, at, numbers.open).items():
            if (cells := numbers.guessed(guess)) is not None:
                yield f"{relation.columns[at].name}: {name}", instance.with_column(relation.name, at, cells)


def amounts(kind: type[Instance]) -> list[tuple[Relation, int]]:
    """The hidden columns that hold numbers on which decisions depend, as relations and positions."""
    hidden = [each for each in kind.relations.values() if each.fact and each.values and not each.constant]
    return [(each, at) for each in hidden for at, column in enumerate(each.columns) if isinstance(column, Int | Ints)]


@lru_cache(maxsize=KINDS)
def typical(name: str, level: float) -> Mapping[Place, Numbers]:
    """All numbers of each hidden column in some other worlds of a family and level."""
    family = family_named(name)
    ranges, config = family.ranges_at(level), family.config(level)
    worlds = [
        family.generate(config, Stream("typical", family.name, level if isinstance(level, int) else str(level), each))
        for each in range(WORLDS)
    ]
    return {
        (relation.name, relation.columns[at].name): sorted(
            chain.from_iterable(_Numbers.of(each, relation, at, ranges).open for each in worlds)
        )
        for relation, at in amounts(family.instance)
    }


@lru_cache(maxsize=KINDS)
def _usual(name: str, level: float) -> Mapping[Place, tuple[int, int]]:
    """The mean of each hidden column in other worlds, and the middle of its range."""
    ranges = family_named(name).ranges_at(level)
    usual = {}
    for place, others in typical(name, level).items():
        low, high = (others[0], others[-1]) if ranges is None else (ranges.columns[place].low, ranges.columns[place].high)
        usual[place] = sum(others) // len(others), (low + high) // 2
    return usual


def _constants(usual: Mapping[Place, tuple[int, int]], relation: Relation, at: int, own: Numbers) -> dict[str, Guess]:
    """By name, one value for all numbers of a column; nothing that leaves the column as it is."""
    mean, middle = usual[relation.name, relation.columns[at].name]
    constants = {
        "this world's mean": sum(own) // len(own),
        "this world's median": median_low(own),
        "the mean of other worlds": mean,
        "the middle of the range": middle,
    }
    distinct = set(own)
    return {name: partial(_always, constant) for name, constant in constants.items() if distinct != {constant}}


def _quartiles(relation: Relation, at: int, own: Numbers) -> dict[str, Guess]:
    """By name, values beside the median, and the lower and the upper half; nothing that leaves the column as it is."""
    ordered = sorted(own)
    lower, middle, upper = (ordered[len(own) * part // 4] for part in (1, 2, 3))
    constants = {"this world's lower quartile": lower, "this world's upper quartile": upper}
    found: dict[str, Guess] = {name: partial(_always, each) for name, each in constants.items() if set(own) != {each}}
    if len(set(own)) > 2:
        found["in equal halves"] = partial(_of_class, [middle - 1], [lower, upper])
    return found


def _always(constant: int, numbers: Array) -> Array:
    return np.full_like(numbers, constant)


def _classes(relation: Relation, at: int, own: Numbers) -> dict[str, Guess]:
    """By name, the mean of the class that a number falls into; nothing where there are no more numbers than classes."""
    distinct = len(set(own))
    return {
        f"in {name} classes": partial(_of_class, *classes(own, count))
        for name, count, least in (("three", 3, _MANY), ("two", 2, 0))
        if distinct > count and len(own) >= least
    }


def classes(numbers: Numbers, count: int) -> tuple[list[int], list[int]]:
    """So many classes of numbers: where one ends (inclusive) and the next begins, and their means.

    From equal shares of the range each class comes to hold what is nearest to its mean.
    """
    ordered = sorted(numbers)
    sums, low, spread = list(accumulate(ordered, initial=0)), ordered[0], ordered[-1] - ordered[0]
    cuts = [low + at * spread // count for at in range(1, count)]
    for _ in range(_TURNS):
        ends = [0, *(bisect_right(ordered, cut) for cut in cuts), len(ordered)]
        means = [
            (sums[to] - sums[at]) // (to - at) if to > at else cut
            for at, to, cut in zip(ends, ends[1:], [*cuts, ordered[-1]], strict=False)
        ]
        cuts, before = [(one + other) // 2 for one, other in pairwise(means)], cuts
        if cuts == before:
            break
    return cuts, means


def _of_class(cuts: list[int], means: list[int], numbers: Array) -> Array:
    return np.array(means)[np.searchsorted(cuts, numbers)]


@dataclass(frozen=True, eq=False)
class _Numbers:
    """The numbers of a column in the order of its rows, and which of them everybody knows by the ranges."""

    column: Column
    lengths: list[int]
    """How many numbers a row holds, if it holds a list."""
    all: Array
    known: NDArray[np.bool_]

    @classmethod
    def of(cls, instance: Instance, relation: Relation, at: int, ranges: Ranges | None) -> "_Numbers":
        """The numbers that a relation of an instance holds at a position."""
        column, cells = relation.columns[at], instance.cells(relation.name, at)
        if not isinstance(column, Ints):
            return cls(column, [], np.array(cells, np.int64), np.zeros(len(cells), np.bool_))
        numbers, place = np.fromiter(chain.from_iterable(cells), np.int64), (relation.name, column.name)
        known = np.zeros(len(numbers), np.bool_)
        if ranges is not None and ranges.columns[place].own is not None:
            known[:] = [not one.width for row in instance.rows(relation.name) for one in ranges.cell(instance, place, row)]
        return cls(column, list(map(len, cells)), numbers, known)

    @cached_property
    def open(self) -> Numbers:
        """The numbers that not everybody knows, from the least to the largest."""
        return np.sort(self.all[~self.known]).tolist()  # type: ignore[no-any-return]

    def guessed(self, guess: Guess) -> list[Any] | None:
        """The cells of the column with a guess in the place of every open number; None if it cannot hold a guess."""
        new = np.where(self.known, self.all, guess(self.all))
        if isinstance(self.column, Int) and (new < self.column.low).any():
            return None
        left = iter(new.tolist())
        return [tuple(islice(left, length)) for length in self.lengths] if isinstance(self.column, Ints) else list(left)
