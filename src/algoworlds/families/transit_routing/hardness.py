"""How Transit Routing is attacked: one channel erased, decisions by hand, at random and by descent."""

from collections.abc import Callable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.relation import grouped
from algoworlds.families.blind import erased
from algoworlds.families.hardness import Hardness
from algoworlds.families.transit_routing.hand import TransitHand
from algoworlds.families.transit_routing.instance import TransitRouting
from algoworlds.families.transit_routing.search import descend, sample

Array = NDArray[np.int64]


def _neighbours_lines(instance: TransitRouting) -> TransitRouting:
    """Memberships mixed up: the legs of a station take over the line of the next one, the last that of the first."""
    stages = grouped(instance.station, ((station, line) for (station, _), line in instance.membership.items()))
    taken = chain.from_iterable(lines[1:] + lines[:1] for lines in stages.values())
    return instance.unchecked(membership=dict(zip(instance.membership, taken, strict=True)))


def _two_way_transfers(instance: TransitRouting) -> TransitRouting:
    """Directions ignored: both directions of a transfer cost the mean of the two, rounded down."""
    return _charging(instance, lambda C: (C + C.T) // 2)


def _flat_transfers(instance: TransitRouting) -> TransitRouting:
    """Pairs ignored: every change of line costs the same, the mean; staying costs what it does."""
    changes = ~np.eye(len(instance.line), dtype=np.bool_)
    return _charging(instance, lambda C: np.where(changes, C[changes].sum() // max(changes.sum(), 1), C))


def _charging(instance: TransitRouting, change: Callable[[Array], Array]) -> TransitRouting:
    """Other transfer costs, made of what they are between lines by number."""
    p = len(instance.line)
    C = change(np.array(list(instance.transfer.values()), np.int64).reshape(p, p))
    return instance.unchecked(transfer=dict(zip(instance.line, map(tuple, C.tolist()), strict=True)))


HARDNESS: Hardness[TransitRouting, tuple[str, ...]] = Hardness(
    blind={
        "times": erased(time=0),
        "residues": erased(residue=0, target=0, modulus=1),
        "memberships": _neighbours_lines,
        "transfers": lambda instance: _charging(instance, np.zeros_like),
        "transfer pairs": _flat_transfers,
        "transfer directions": _two_way_transfers,
    },
    hand=TransitHand,
    sample=sample,
    descend=descend,
)
