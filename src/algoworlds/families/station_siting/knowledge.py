"""What Station Siting leaves open: which site of an unread zone is the extended one, and what an unread demand pays for.

A demand shows sites of zones that were not read, so that a layout may be named before its zones are known.
"""

from collections.abc import Iterator
from itertools import product

from algoworlds.core.completions import Completions
from algoworlds.core.options import Options, pricing
from algoworlds.core.relation import Row
from algoworlds.families.knowledge import Knowledge
from algoworlds.families.station_siting.check import check
from algoworlds.families.station_siting.generate import ranges
from algoworlds.families.station_siting.instance import StationSiting
from algoworlds.families.unknowns import Relaxed, Unknowns

FEW = 3
"""Zones whose extended sites are looked at in every combination."""

Sites = tuple[str, ...]
Needed = tuple[str, str, str, str]
"""What a demand needs: two zones with their sites."""
End = tuple[str, str, str, str, int]
"""The same and its reward."""


def _zones(completions: Completions) -> tuple[str, ...]:
    """The zones that were not read."""
    return tuple(dict.fromkeys(zone for zone, _, _ in completions.unread("option")))


def cases(completions: Completions, decision: Sites) -> Iterator[StationSiting]:
    """Every way in which unread zones may have their extended sites, if they are few."""
    instance: StationSiting = completions.instance
    zones = _zones(completions) if len(_zones(completions)) <= FEW else ()
    sites = [[site for home, site in instance.option if home == zone] for zone in zones]
    for chosen in product(*sites):
        case = _extended(completions, instance, chosen)
        yield instance if case.option == instance.option else case


def _extended(completions: Completions, instance: StationSiting, sites: Sites) -> StationSiting:
    """The instance with some sites as the extended ones of the zones that were not read."""
    zones, chosen = frozenset(_zones(completions)), frozenset(sites)
    told = zones.intersection(zone for zone, site in instance.option if site in chosen)
    rows = (row for row in instance.rows("option") if row[0] in told)
    return (
        instance.unchecked(**instance.tables_with({"option": {row: (*row[:2], int(row[1] in chosen)) for row in rows}}))
        if told
        else instance
    )


def hostile(completions: Completions, instance: StationSiting, decision: Sites) -> StationSiting:
    """All sites of the decision that may be extended are."""
    return _extended(completions, instance, decision)


def breaks(completions: Completions, decision: Sites) -> Iterator[StationSiting]:
    """Too many sites are extended."""
    yield hostile(completions, completions.instance, decision)


def relaxed(completions: Completions, instance: StationSiting, decision: Sites) -> Iterator[Relaxed]:
    """No zone that was not read counts against the limit, unless cases tell, and every unread demand pays any other layout.

    If it was told what the decision is worth, as many of them pay it as that takes at least.
    """
    unread = frozenset(row[0] for row in completions.unread("need"))
    zones = _zones(completions)
    reward, told = completions.ranges.columns["need", "reward"], completions.told
    left = instance.restrict(demand=[each for each in instance.demand if each not in unread]) if unread else instance
    free = len(unread)
    if told is not None and told.decision == decision and "cost" not in completions.open:
        free -= -(-_owed(completions, instance) // max(reward.high, 1))
    left = left.replace(limit=left.limit + len(zones)) if len(zones) > FEW else left
    yield Relaxed(left, free * (max(reward.high, 0) - min(reward.low, 0)))


def _owed(completions: Completions, instance: StationSiting) -> int:
    """What unread demands pay an evaluated layout, to be worth what was told."""
    told, unread = completions.told, frozenset(row[0] for row in completions.unread("need"))
    left = instance.restrict(demand=[each for each in instance.demand if each not in unread]) if unread else instance
    value = None if told is None else check(left, told.decision).value
    return 0 if told is None or told.value is None or value is None else told.value - value


def made(completions: Completions, instance: StationSiting, decision: Sites, rival: Sites) -> tuple[StationSiting, Sites]:
    """Zones that were not read suit the rival if they must, and unread demands pay it; an evaluated layout gets its due."""
    theirs = {zone: site for zone, site in instance.option if site in rival}
    apart = [zone for zone in instance.zone if theirs.get(zone) not in decision]
    plain = [site for zone, site in instance.option if site not in rival and zone in apart]
    need = {row: (row[0], *needed) for row, needed in _paying(completions, instance, decision, rival).items()}
    paid = instance.unchecked(**instance.tables_with({"need": need})) if need else instance
    return (paid if check(paid, rival).feasible else _extended(completions, paid, tuple(plain))), rival


def _paying(completions: Completions, instance: StationSiting, decision: Sites, rival: Sites) -> dict[Row, End]:
    """Unread demands: a few pay an evaluated layout what it is owed, all others the rival rather than the decision."""
    unread, reward, told = completions.unread("need"), completions.ranges.columns["need", "reward"], completions.told
    own, theirs = frozenset(decision), frozenset(rival)
    shown = frozenset[str]() if told is None or told.value is None else frozenset(told.decision)

    def lead(end: Needed) -> int:
        return (end[1] in theirs and end[3] in theirs) - (end[1] in own and end[3] in own)

    def best(within: bool) -> Needed | None:
        ends = [end for end in completions.once(_ends) if (end[1] in shown and end[3] in shown) is within]
        return next((end for end in ends if lead(end) > 0), None) or max(ends, key=lead, default=None)

    owed, paid = _owed(completions, instance) if unread else 0, dict[Row, End]()
    inside, outside = best(within=True) if owed > 0 else None, best(within=False) if unread else None
    for row in unread:
        end = inside if owed > 0 and inside is not None else outside
        if end is not None:
            amount = min(owed, reward.high) if end is inside else reward.high if lead(end) > 0 else reward.low
            owed -= amount if end is inside else 0
            paid[row] = *end, amount
    return paid


def _ends(completions: Completions) -> list[Needed]:
    """Every two sites that a demand may need, with their zones: near to each other, and not in one zone."""
    instance: StationSiting = completions.instance
    place = {zone: at for at, zone in enumerate(instance.zone)}
    sites = [(zone, site, place[zone]) for zone, site in instance.option]
    near = ((one, other) for one in sites for other in sites if 0 < abs(one[2] - other[2]) <= instance.span)
    return [(*one[:2], *other[:2]) for one, other in near]


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding={("option", "option"): 0},
        structure=frozenset({"option", "need"}),
        scopes=frozenset({"need"}),
        breaks=breaks,
        hostile=hostile,
        cases=cases,
        relaxed=relaxed,
        made=made,
    ),
    options=(Options(("cost", "option", "need"), pricing("cost", +1), each="zone"),),
)
