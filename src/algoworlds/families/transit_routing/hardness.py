"""How Transit Routing is attacked: one channel erased, and decisions by hand, at random and by descent."""

from collections.abc import Callable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from algoworlds.families.declare import Hardness, erase_tables, group_pairs
from algoworlds.families.transit_routing.instance import TransitRouting
from algoworlds.families.transit_routing.search import TransitSearchSpace, descend, sample

Array = NDArray[np.int64]


def _shift_lines(instance: TransitRouting) -> TransitRouting:
    """Memberships mixed up: every leg of a station gets the line of the next leg, the last leg that of the first."""
    stages = group_pairs(instance.station, ((station, line) for (station, _), line in instance.membership.items()))
    lines = chain.from_iterable(lines[1:] + lines[:1] for lines in stages.values())
    return instance.unchecked(membership=dict(zip(instance.membership, lines, strict=True)))


def _average_changes(C: Array) -> Array:
    """Pairs ignored: every change of line costs the mean; staying costs what it does."""
    changes = ~np.eye(len(C), dtype=np.bool_)
    return np.where(changes, C[changes].sum() // max(changes.sum(), 1), C)


def _change_transfers(change: Callable[[Array], Array]) -> Callable[[TransitRouting], TransitRouting]:
    """A function that replaces the matrix C of transfer costs by `change(C)`."""

    def erase(instance: TransitRouting) -> TransitRouting:
        p = len(instance.line)
        C = change(np.array(list(instance.transfer.values()), np.int64).reshape(p, p))
        return instance.unchecked(transfer=dict(zip(instance.line, map(tuple, C.tolist()), strict=True)))

    return erase


HARDNESS: Hardness[TransitRouting, tuple[str, ...]] = Hardness(
    blind={
        "times": erase_tables(time=0),
        "residues": erase_tables(residue=0, target=0, modulus=1),
        "memberships": _shift_lines,
        "transfers": _change_transfers(np.zeros_like),
        "transfer pairs": _change_transfers(_average_changes),
        "transfer directions": _change_transfers(lambda C: (C + C.T) // 2),
    },
    search_space=TransitSearchSpace,
    sample=sample,
    descend=descend,
)
