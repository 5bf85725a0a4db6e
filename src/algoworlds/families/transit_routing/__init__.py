"""The Transit Routing family."""

from collections.abc import Callable

from algoworlds.core.decision import Listed
from algoworlds.core.options import Options, dropping
from algoworlds.core.relation import grouped
from algoworlds.families.blind import erased
from algoworlds.families.family import Family
from algoworlds.families.transit_routing.check import SENSE, check
from algoworlds.families.transit_routing.generate import LEVELS, generate, ranges
from algoworlds.families.transit_routing.hand import TransitHand
from algoworlds.families.transit_routing.instance import TransitRouting
from algoworlds.families.transit_routing.search import descend, reference, sample
from algoworlds.families.transit_routing.solve import solve
from algoworlds.families.transit_routing.template import TEMPLATE
from algoworlds.families.transit_routing.unknowns import UNKNOWNS
from algoworlds.families.transit_routing.verify import verify


def _neighbours_lines(instance: TransitRouting) -> TransitRouting:
    """Memberships mixed up: the legs of a station take over the line of the next one, the last that of the first."""
    legs = grouped(instance.station, instance.membership)
    after = {(at, leg): (at, other) for at in legs for leg, other in zip(legs[at], legs[at][1:] + legs[at][:1], strict=True)}
    return instance.exchanged(membership={leg: instance.membership[other] for leg, other in after.items()})


def _two_way_transfers(instance: TransitRouting) -> TransitRouting:
    """Directions ignored: both directions of a transfer cost the mean of the two, rounded down."""
    rows = list(instance.transfer.values())
    return _charging(instance, lambda a, b: (rows[a][b] + rows[b][a]) // 2)


def _flat_transfers(instance: TransitRouting) -> TransitRouting:
    """Pairs ignored: every change of line costs the same, the mean; staying costs what it does."""
    rows = list(instance.transfer.values())
    changes = [cost for a, row in enumerate(rows) for b, cost in enumerate(row) if a != b]
    mean = sum(changes) // max(len(changes), 1)
    return _charging(instance, lambda a, b: rows[a][b] if a == b else mean)


def _charging(instance: TransitRouting, cost: Callable[[int, int], int]) -> TransitRouting:
    """Other transfer costs, between lines by number."""
    numbers = range(len(instance.line))
    return instance.exchanged(transfer={line: tuple(cost(a, b) for b in numbers) for a, line in enumerate(instance.line)})


TRANSIT_ROUTING: Family[TransitRouting, tuple[str, ...]] = Family(
    title="Transit Routing",
    summary="choose one leg per station with a prescribed sum of residues, at the least total of travel times and transfers",
    instance=TransitRouting,
    decision=Listed("legs", "leg", ordered=True, per="station"),
    sense=SENSE,
    levels=LEVELS,
    generate=generate,
    ranges=ranges,
    solve=solve,
    verify=verify,
    check=check,
    reference=reference,
    descend=descend,
    sample=sample,
    hand=TransitHand,
    unknowns=UNKNOWNS,
    options=(Options(("membership", "time", "residue", "transfer"), dropping("leg"), each="station"),),
    blind={
        "times": erased(time=0),
        "residues": erased(residue=0, target=0, modulus=1),
        "memberships": _neighbours_lines,
        "transfers": lambda instance: _charging(instance, lambda a, b: 0),
        "transfer pairs": _flat_transfers,
        "transfer directions": _two_way_transfers,
    },
    template=TEMPLATE,
)
