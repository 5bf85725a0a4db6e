"""What Station Siting leaves open: which site of an unread zone is the extended one, and what an unread demand pays for.

A demand shows sites of zones that were not read, so that a layout may be named before its zones are known.
"""

from collections.abc import Iterator

from algoworlds.core.completions import Completions
from algoworlds.families.station_siting.instance import StationSiting
from algoworlds.families.unknowns import Relaxed, Unknowns

Sites = tuple[str, ...]


def _extended(completions: Completions, instance: StationSiting, sites: Sites) -> StationSiting:
    """The instance with some sites as the extended ones of the zones that were not read."""
    zones = {zone for zone, _, _ in completions.unread("option")}
    told = {zone for zone, site in instance.option if site in sites}
    return instance.replaced(
        option={
            (zone, site): int(site in sites) if zone in zones & told else option
            for (zone, site), option in instance.option.items()
        }
    )


def hostile(completions: Completions, instance: StationSiting, decision: Sites) -> StationSiting:
    """All sites of the decision that may be extended are."""
    return _extended(completions, instance, decision)


def breaks(completions: Completions, decision: Sites) -> Iterator[StationSiting]:
    """Too many sites are extended."""
    yield hostile(completions, completions.instance, decision)


def relaxed(completions: Completions, instance: StationSiting, decision: Sites) -> Iterator[Relaxed]:
    """No zone that was not read counts against the limit, and every unread demand pays any other layout."""
    unread = frozenset(row[0] for row in completions.unread("need"))
    zones = {zone for zone, _, _ in completions.unread("option")}
    reward = completions.ranges.columns["need", "reward"]
    left = instance.without("demand", unread) if unread else instance
    left = left.replaced(limit=left.limit + len(zones)) if zones else left
    yield Relaxed(left, len(unread) * (max(reward.high, 0) - min(reward.low, 0)))


def made(completions: Completions, instance: StationSiting, decision: Sites, rival: Sites) -> tuple[StationSiting, Sites]:
    """Zones that were not read suit the rival, and unread demands pay for two of its sites and not for both of the others."""
    reward = completions.ranges.columns["need", "reward"]
    theirs = {zone: site for zone, site in instance.option if site in rival}
    apart = [zone for zone in instance.zone if theirs.get(zone) not in decision]
    pairs = [(one, other) for one in apart for other in instance.zone if _near(instance, one, other)]
    need = dict(instance.need)
    for demand, *_ in completions.unread("need") if pairs else ():
        one, other = pairs[0]
        need[demand] = one, theirs[one], other, theirs[other], reward.high
    plain = [site for zone, site in instance.option if site not in rival and (zone in apart)]
    return _extended(completions, instance.replaced(need=need), tuple(plain)), rival


def _near(instance: StationSiting, one: str, other: str) -> bool:
    return 0 < abs(instance.zone.index(one) - instance.zone.index(other)) <= instance.span


UNKNOWNS = Unknowns(
    binding={("option", "option"): 0},
    structure=frozenset({"option", "need"}),
    scopes=frozenset({"need"}),
    breaks=breaks,
    hostile=hostile,
    relaxed=relaxed,
    made=made,
)
