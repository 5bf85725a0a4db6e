"""Decisions of Station Siting that need no exact algorithm: myopic, locally improved, random."""

from collections.abc import Iterable

from algoworlds.core.stream import Stream
from algoworlds.families.descent import steepest
from algoworlds.families.station_siting.check import check
from algoworlds.families.station_siting.hand import Sites, StationHand
from algoworlds.families.station_siting.instance import StationSiting


def reference(instance: StationSiting) -> Sites:
    """Option 1 everywhere; then, until H holds, the zone whose switch to option 0 loses least (first in the list if tied)."""
    option = {site: each for (_, site), each in instance.option.items()}
    saved = dict.fromkeys(instance.zone, 0)  # what option 0 costs less
    for (zone, site), cost in instance.cost.items():
        saved[zone] += cost if option[site] else -cost
    company: dict[str, list[tuple[str, int, int]]] = {zone: [] for zone in instance.zone}
    for i, one, j, other, reward in instance.need.values():
        company[i].append((j, option[other], -reward if option[one] else reward))
        company[j].append((i, option[one], -reward if option[other] else reward))
    zeros: set[str] = set()
    while len(zeros) < len(instance.zone) - instance.limit:
        further = [zone for zone in instance.zone if zone not in zeros]
        zeros.add(max(further, key=lambda i: saved[i] + sum(more for j, a, more in company[i] if a == (j not in zeros))))
    return layout(instance, zeros)


def sample(instance: StationSiting, stream: Stream) -> Sites:
    """Option 0 in as few zones as the limit allows, drawn at random, and option 1 in the others."""
    return layout(instance, stream.sample(instance.zone, max(0, len(instance.zone) - instance.limit)))


def descend(instance: StationSiting, start: Sites) -> Sites:
    """Steepest ascent: switch one zone, or exchange the options of two zones."""
    return steepest(lambda y: check(instance, y), instance.sense, start, StationHand(instance).neighbours)


def layout(instance: StationSiting, zeros: Iterable[str]) -> Sites:
    """The sites of the layout whose zones of option 0 are given."""
    low = set(zeros)
    return tuple(sorted(site for (zone, site), option in instance.option.items() if (option == 0) == (zone in low)))
