"""Imputed instances, and the check whether an altered instance still has the true optimum.

Erasing a column to zero is the weakest guess. An agent that has seen other worlds, or a part of this one, assumes a typical
value: this world's mean or median, or the mean or the middle over other worlds of the level. An agent that only glances at a
column keeps two or three classes of it: small and large, or something between. An exact solver must not find the optimum with
any of them. Guesses from other columns are declared by a family as `Hardness.fits`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.arrays import column_values
from algoworlds.core.column import Column, Int, Ints
from algoworlds.core.instance import Instance
from algoworlds.core.kernel import kernel
from algoworlds.core.ranges import ColumnRef, Ranges
from algoworlds.core.relation import Relation
from algoworlds.core.stream import Stream
from algoworlds.core.work import Sense
from algoworlds.families import load_family as family_named
from algoworlds.families.family import AnyFamily
from algoworlds.hardness.completion import completed_instances


class GiveawayCheck:
    """Tests altered forms of one instance, whose optimal decisions are known, one after the other."""

    def __init__(self, family: AnyFamily, *optima: Any) -> None:
        self._family, self._optima = family, optima
        self._rivals: list[Any] = []  # optima of altered instances, the last one that was better at the end
        self._cleared: list[Any] = []
        self._sign = 1 if family.sense is Sense.MIN else -1

    def finds_optimum(self, altered: Any, known_valid: bool = False) -> bool:
        """Whether an exact solver of `altered` decides as one may on the true instance; False if `altered` is not valid."""
        if any(altered is instance for instance in self._cleared):
            return False
        losses = (self._loss(altered, optimum) for optimum in self._optima)
        own = min((loss for loss in losses if loss is not None), default=None)
        if known_valid:
            altered.assume_valid()
        if own is not None and not self._has_better_rival(altered, own) and altered.valid:
            decision = self._family.solve(altered).decision
            if decision in self._optima:
                return True
            if decision not in self._rivals:
                self._rivals.append(decision)
        self._cleared.append(altered)
        return False

    def _has_better_rival(self, altered: Any, own: int) -> bool:
        """Whether a decision found before is strictly better; such a decision spares the solver."""
        for rival in reversed(self._rivals):
            loss = self._loss(altered, rival)
            if loss is not None and loss < own:
                self._rivals.remove(rival)
                self._rivals.append(rival)
                return True
        return False

    def _loss(self, altered: Any, y: Any) -> int | None:
        value = self._family.check(altered, y).value
        return None if value is None else self._sign * value


TYPICAL_WORLDS = 4
"""Other worlds of the same family and level that define what is typical."""

MAX_CACHED_LEVELS = 256
"""Families and levels whose typical numbers are cached: all levels of a suite, but not all difficulties between levels."""

_MIN_THREE_CLASSES = 30
"""With fewer numbers than this, three classes are nearly the column itself."""
_MAX_SMALL_COLUMN = 12
"""Up to so many numbers, two classes are nearly the column itself."""
_MAX_ROUNDS = 20
"""Rounds of k-means at most; after these the means hardly move."""

Numbers = list[int]
Array = NDArray[np.int64]


class Quantizer(NamedTuple):
    """The mean of the class that a number falls into; one value for all numbers is a single class."""

    means: tuple[int, ...]
    cuts: tuple[int, ...] = ()
    """Where a class ends (inclusive) and the next one begins."""

    def apply(self, many: Array) -> Array:
        """The mean of the class of every number."""
        return np.array(self.means)[np.searchsorted(self.cuts, many)]


Guesses = Callable[[Relation, int, Array], dict[str, Quantizer]]
"""Guesses at a column, by name, from its numbers in rising order."""


def imputed_instances(family: AnyFamily, level: float, instance: Instance) -> Iterator[tuple[str, Any]]:
    """The instance with one hidden column of numbers replaced by typical values, in every way, by name.

    Guesses most likely to keep the optimum come first: those that alter the instance least, and last the columns that decide
    which decisions are feasible.
    """
    binding = frozenset(family.knowledge.unknowns.binding if family.knowledge.unknowns else ())
    columns = sorted(_columns(family, level, instance), key=lambda numbers: numbers.ref in binding)
    few, many = (
        [column for column in columns if (len(column.uncertain) <= _MAX_SMALL_COLUMN) is small] for small in (True, False)
    )
    yield from _replace_columns(instance, few, _classes)
    yield from ((name, fit(instance)) for name, fit in family.hardness.fits.items())
    yield from _replace_columns(instance, many, _classes)
    yield from completed_instances(family, instance)
    yield from _replace_columns(instance, columns, partial(_constants, _means_and_middles(family.name, level)))


def extra_imputed_instances(family: AnyFamily, level: float, instance: Instance) -> Iterator[tuple[str, Any]]:
    """The same with guesses that admission does not try, to measure whether slightly different ones do better."""
    return _replace_columns(instance, _columns(family, level, instance), _quartiles)


def _columns(family: AnyFamily, level: float, instance: Instance) -> "Iterator[_Numbers]":
    ranges = family.ranges_at(level)
    return (_Numbers.of(instance, relation, at, ranges) for relation, at in hidden_number_columns(type(instance)))


def _replace_columns(instance: Instance, columns: "Iterable[_Numbers]", guesses: Guesses) -> Iterator[tuple[str, Any]]:
    """The instance with one of `columns` replaced by its `guesses`; equal guesses give the same instance."""
    for column in (column for column in columns if len(column.uncertain)):
        imputed: dict[Quantizer, Instance] = {}
        for name, guess in guesses(column.relation, column.at, column.uncertain).items():
            if column.can_hold(guess):
                if guess not in imputed:
                    imputed[guess] = column.with_guess(instance, guess)
                yield f"{column.column.name}: {name}", imputed[guess]


def hidden_number_columns(kind: type[Instance]) -> list[tuple[Relation, int]]:
    """The hidden columns that hold numbers on which decisions depend, as relations and positions."""
    hidden = [relation for relation in kind.relations.values() if relation.fact and relation.values and not relation.constant]
    return [
        (relation, at) for relation in hidden for at, column in enumerate(relation.columns) if isinstance(column, Int | Ints)
    ]


@lru_cache(maxsize=MAX_CACHED_LEVELS)
def typical_numbers(name: str, level: float) -> Mapping[ColumnRef, Numbers]:
    """All numbers of each hidden column in some other worlds of a family and level."""
    family = family_named(name)
    ranges, config = family.ranges_at(level), family.config(level)
    worlds = [
        family.generate(config, Stream("typical", family.name, level if isinstance(level, int) else str(level), index))
        for index in range(TYPICAL_WORLDS)
    ]
    return {
        (relation.name, relation.columns[at].name): sorted(
            chain.from_iterable(_Numbers.of(world, relation, at, ranges).uncertain.tolist() for world in worlds)
        )
        for relation, at in hidden_number_columns(family.instance)
    }


@lru_cache(maxsize=MAX_CACHED_LEVELS)
def _means_and_middles(name: str, level: float) -> Mapping[ColumnRef, tuple[int, int]]:
    """The mean of each hidden column in other worlds, and the middle of its range."""
    ranges = family_named(name).ranges_at(level)
    typical = {}
    for ref, others in typical_numbers(name, level).items():
        low, high = (others[0], others[-1]) if ranges is None else (ranges.columns[ref].low, ranges.columns[ref].high)
        typical[ref] = sum(others) // len(others), (low + high) // 2
    return typical


def _constants(typical: Mapping[ColumnRef, tuple[int, int]], relation: Relation, at: int, own: Array) -> dict[str, Quantizer]:
    """By name, one value for all numbers of a column; nothing that leaves the column as it is."""
    mean, middle = typical[relation.name, relation.columns[at].name]
    return _single_values(
        own,
        {
            "this world's mean": int(own.sum()) // len(own),
            "this world's median": int(own[(len(own) - 1) // 2]),
            "the mean of other worlds": mean,
            "the middle of the range": middle,
        },
    )


def _quartiles(relation: Relation, at: int, own: Array) -> dict[str, Quantizer]:
    """By name, values beside the median, and the lower and the upper half; nothing that leaves the column as it is."""
    lower, middle, upper = (int(own[len(own) * part // 4]) for part in (1, 2, 3))
    quartiles = _single_values(own, {"this world's lower quartile": lower, "this world's upper quartile": upper})
    return quartiles | ({"in equal halves": Quantizer((lower, upper), (middle - 1,))} if _distinct(own) > 2 else {})


def _single_values(own: Array, constants: Mapping[str, int]) -> dict[str, Quantizer]:
    low, high = int(own[0]), int(own[-1])
    return {name: Quantizer((constant,)) for name, constant in constants.items() if not low == constant == high}


def _classes(relation: Relation, at: int, own: Array) -> dict[str, Quantizer]:
    """By name, the mean of the class that a number falls into; nothing where there are no more numbers than classes."""
    distinct = _distinct(own)
    return {
        f"in {name} classes": quantize(own, count)
        for name, count, least in (("three", 3, _MIN_THREE_CLASSES), ("two", 2, 0))
        if distinct > count and len(own) >= least
    }


def _distinct(ordered: Array) -> int:
    return 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))


def quantize(ordered: Array, count: int) -> Quantizer:
    """`count` classes of numbers in rising order, by k-means that starts from equal shares of their range."""
    means, cuts = _k_means(ordered, count)
    return Quantizer(tuple(means.tolist()), tuple(cuts.tolist()))


@kernel
def _k_means(ordered, count):  # type: ignore[no-untyped-def]
    """cut(c) <- the middle between the means of the classes beside it, until no cut moves; an empty class keeps its cut."""
    low, spread, n = ordered[0], ordered[-1] - ordered[0], len(ordered)
    means, cuts = np.empty(count, np.int64), np.empty(count - 1, np.int64)
    for c in range(count - 1):
        cuts[c] = low + (c + 1) * spread // count
    for _ in range(_MAX_ROUNDS):
        at = 0
        for c in range(count):
            last = c == count - 1
            to = n if last else np.searchsorted(ordered, cuts[c], side="right")
            if to > at:
                means[c] = ordered[at:to].sum() // (to - at)
            else:
                means[c] = ordered[-1] if last else cuts[c]
            at = to
        moved = False
        for c in range(count - 1):
            cut = (means[c] + means[c + 1]) // 2
            moved |= cut != cuts[c]
            cuts[c] = cut
        if not moved:
            break
    return means, cuts


@dataclass(frozen=True, eq=False)
class _Numbers:
    """The numbers of a column in the order of its rows, and which of them are certain by the ranges."""

    relation: Relation
    at: int
    rows: Sequence[Any]
    """The lists that hold them, if it is a column of lists."""
    all: Array
    is_certain: NDArray[np.bool_] | None

    @classmethod
    def of(cls, instance: Instance, relation: Relation, at: int, ranges: Ranges | None) -> "_Numbers":
        """The numbers that a relation of an instance holds at a position."""
        column = relation.columns[at]
        if isinstance(column, Int) and relation.keys:
            return cls(relation, at, [], column_values(instance, relation.name, column.name), None)
        cells = instance.column_cells(relation.name, at)
        if not isinstance(column, Ints):
            return cls(relation, at, [], np.array(cells, np.int64), None)
        ref, is_certain = (relation.name, column.name), None
        if ranges is not None and ranges.columns[ref].diagonal is not None:
            is_certain = np.array([ranges.diagonal_mask(instance, ref, row) for row in instance.rows(relation.name)]).ravel()
        return cls(relation, at, cells, column_values(instance, *ref), is_certain)

    @property
    def column(self) -> Column:
        """The column that holds them."""
        return self.relation.columns[self.at]

    @property
    def ref(self) -> ColumnRef:
        """The names of the relation and the column."""
        return self.relation.name, self.column.name

    @cached_property
    def uncertain(self) -> Array:
        """The numbers that are not certain, rising."""
        return np.sort(self.all if self.is_certain is None else self.all[~self.is_certain])

    def can_hold(self, guess: Quantizer) -> bool:
        """Whether the column admits all numbers of `guess`."""
        return not isinstance(self.column, Int) or min(guess.means) >= self.column.low

    def with_guess(self, instance: Instance, guess: Quantizer) -> Instance:
        """The instance with a guess in place of every uncertain number."""
        new = guess.apply(self.all)
        cells = (new if self.is_certain is None else np.where(self.is_certain, self.all, new)).tolist()
        if isinstance(self.column, Ints):
            numbers = iter(cells)
            cells = [tuple(islice(numbers, len(row))) for row in self.rows]
        name = self.relation.name
        tables = {name: self.relation.replace_column(instance.tables[name], self.at, cells)}
        return instance.unchecked(**tables).assume_rows_valid()  # `can_hold` has been asked
