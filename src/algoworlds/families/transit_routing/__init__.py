"""The Transit Routing family."""

from algoworlds.families.family import Family, algorithms
from algoworlds.families.transit_routing.generate import LEVELS
from algoworlds.families.transit_routing.instance import TransitRouting
from algoworlds.families.transit_routing.template import TEMPLATE
from algoworlds.model.decision import Listed
from algoworlds.model.work import Sense


def _any_residue(instance: TransitRouting) -> TransitRouting:
    """Residues and target ignored: everything is zero modulo one."""
    return instance.replaced(residue=dict.fromkeys(instance.residue, 0), target=0, modulus=1)


def _neighbours_lines(instance: TransitRouting) -> TransitRouting:
    """Memberships mixed up: the legs of a station take over the line of the next one, the last that of the first."""
    lines = dict(instance.membership)
    for station in instance.station:
        here = [pair for pair in lines if pair[0] == station]
        lines |= {pair: instance.membership[after] for pair, after in zip(here, here[1:] + here[:1], strict=True)}
    return instance.replaced(membership=lines)


def _two_way_transfers(instance: TransitRouting) -> TransitRouting:
    """Directions ignored: both directions of a transfer cost the mean of the two, rounded down."""
    columns = list(zip(*instance.transfer.values(), strict=True))
    rows = zip(instance.transfer.items(), columns, strict=True)
    mean = {line: tuple((a + b) // 2 for a, b in zip(row, column, strict=True)) for (line, row), column in rows}
    return instance.replaced(transfer=mean)


def _flat_transfers(instance: TransitRouting) -> TransitRouting:
    """Pairs ignored: every change of line costs the same, the mean; staying costs what it does."""
    size = len(instance.line)
    rows = list(instance.transfer.values())
    changes = [cost for a, row in enumerate(rows) for b, cost in enumerate(row) if a != b]
    mean = sum(changes) // max(len(changes), 1)
    flat = [[rows[a][b] if a == b else mean for b in range(size)] for a in range(size)]
    return instance.replaced(transfer=dict(zip(instance.line, flat, strict=True)))


TRANSIT_ROUTING: Family[TransitRouting, tuple[str, ...]] = Family(
    title="Transit Routing",
    summary="choose one leg per station with a prescribed sum of residues, at least travel time plus transfer cost",
    instance=TransitRouting,
    decision=Listed("legs", "leg", ordered=True),
    sense=Sense.MIN,
    levels=LEVELS,
    blind={
        "times": lambda instance: instance.replaced(time=dict.fromkeys(instance.time, 0)),
        "residues": _any_residue,
        "memberships": _neighbours_lines,
        "transfers": lambda instance: instance.replaced(transfer=dict.fromkeys(instance.line, (0,) * len(instance.line))),
        "transfer pairs": _flat_transfers,
        "transfer directions": _two_way_transfers,
    },
    template=TEMPLATE,
    **algorithms(__name__),
)
