"""Columns as arrays: numbers as they stand, ids as their places in the roster that lists them.

A column is made once for all instances that share it.
"""

from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.instance import Instance

Array = NDArray[np.int64]


def numbers(instance: Instance, name: str, column: str = "") -> Array:
    """The numbers in a column of a table, which need not be named if there is one only beside every key."""
    return instance.frame(_Numbers(name, column if len(instance.relations[name].values) > 1 else ""), name)


def places(instance: Instance, name: str, column: str) -> Array:
    """Where the ids in a column of a table stand in their roster."""
    return instance.frame(_Places(name, column))


@dataclass(frozen=True)
class _Numbers:
    name: str
    column: str

    def __call__(self, instance: Instance) -> Array:
        relation, values = instance.relations[self.name], getattr(instance, self.name).values()
        if len(relation.values) == 1:
            return np.fromiter(values, np.int64)
        return np.fromiter(map(itemgetter(relation.position(self.column) - len(relation.keys)), values), np.int64)


@dataclass(frozen=True)
class _Places:
    name: str
    column: str

    def __call__(self, instance: Instance) -> Array:
        relation, table = instance.relations[self.name], getattr(instance, self.name)
        at, keys = relation.position(self.column), len(relation.keys)
        roster = getattr(instance, str(relation.columns[at].of))
        ids = instance.cells(self.name, at) if at >= keys else map(itemgetter(at), table) if keys > 1 else table
        return np.fromiter(map(dict(zip(roster, range(len(roster)), strict=True)).__getitem__, ids), np.int64)
