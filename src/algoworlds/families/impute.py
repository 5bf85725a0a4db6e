"""Typical values in place of read ones: an instance as it looks to someone who skipped one kind of number.

Erasing a column to zero is the weakest guess there is. Someone who has seen other worlds, or a part of this one, puts a
typical value there: this world's mean, or the mean or the middle over other worlds of the level. An exact solver must
not get away with any of them. What else can be guessed from other columns is for a family to say, among its fits.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import chain
from typing import Any

from algoworlds.core.column import Column, Int, Ints
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Relation, Row
from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError
from algoworlds.families import family as family_named
from algoworlds.families.family import Family

WORLDS = 8
"""Other worlds of the same family and level from which somebody knows what is typical."""

Numbers = list[int]
Guess = Callable[[int], int]
"""What is put in place of a number."""


def imputed(family: Family[Any, Any], level: int, instance: Instance) -> Iterator[tuple[str, Any]]:
    """The instance with one hidden column of numbers replaced by typical values, in every way, each with its name."""
    for relation, at in amounts(type(instance)):
        column = relation.columns[at]
        own = _numbers(instance, relation, at)
        others = typical(family.name, level)[relation.name, column.name]
        for name, guess in _guesses(own, others).items():
            try:
                yield f"{column.name}: {name}", _with(instance, relation, at, guess)
            except InstanceError:  # no instance has such values, so nobody would solve it
                continue
    yield from ((name, fit(instance)) for name, fit in family.fits.items())


def amounts(kind: type[Instance]) -> list[tuple[Relation, int]]:
    """The hidden columns that hold numbers on which decisions depend, as relations and positions."""
    hidden = [each for each in kind.relations.values() if each.fact and each.values and not each.constant]
    return [(each, at) for each in hidden for at, column in enumerate(each.columns) if isinstance(column, Int | Ints)]


@cache
def typical(name: str, level: int) -> Mapping[tuple[str, str], Numbers]:
    """All numbers of each hidden column in some other worlds of a family and level."""
    family = family_named(name)
    worlds = [family.generate(family.levels[level], Stream("typical", family.name, level, each)) for each in range(WORLDS)]
    return {
        (relation.name, relation.columns[at].name): sorted(chain.from_iterable(_numbers(each, relation, at) for each in worlds))
        for relation, at in amounts(family.instance)
    }


def _guesses(own: Numbers, others: Numbers) -> dict[str, Guess]:
    """By name, what may be put in place of a number; nothing that leaves the column as it is."""
    constants = {
        "this world's mean": sum(own) // len(own),
        "the mean of other worlds": sum(others) // len(others),
        "the middle of the range": (others[0] + others[-1]) // 2,
    }
    return {name: partial(_always, constant) for name, constant in constants.items() if set(own) != {constant}}


def _always(constant: int, _: int) -> int:
    return constant


def _numbers(instance: Instance, relation: Relation, at: int) -> Numbers:
    return [number for row in instance.rows(relation.name) for number in _each(relation.columns[at], row[at])]


def _each(column: Column, cell: Any) -> tuple[int, ...]:
    return cell if isinstance(column, Ints) else (cell,)


def _with(instance: Instance, relation: Relation, at: int, guess: Guess) -> Instance:
    def guessed(row: Row) -> Row:
        cell = tuple(map(guess, row[at])) if isinstance(relation.columns[at], Ints) else guess(row[at])
        return (*row[:at], cell, *row[at + 1 :])

    return instance.replaced(**{relation.name: relation.table(map(guessed, instance.rows(relation.name)))})
