"""Checker of Station Siting, written from the definition alone."""

from collections.abc import Sequence

from algoworlds.core.decision import Verdict
from algoworlds.families.station_siting.instance import StationSiting


def check(instance: StationSiting, decision: Sequence[str]) -> Verdict:
    """Feasible if every zone has one chosen site and at most H are of option 1; then rewards - costs + grant."""
    (home, zones), chosen = instance.derived(_zones, reads=("zone", "option.zone", "option.site")), set(decision)
    if not home.keys() >= chosen:
        return Verdict.infeasible("an unknown site")
    if len(decision) != len(zones) or {home[site] for site in decision} != zones:
        return Verdict.infeasible("not exactly one site per zone")
    sites = [(home[site], site) for site in decision]
    if sum(map(instance.option.__getitem__, sites)) > instance.limit:
        return Verdict.infeasible("too many sites of option 1")
    return Verdict.from_parts(
        rewards=sum([reward for _, one, _, other, reward in instance.need.values() if one in chosen and other in chosen]),
        costs=-sum(map(instance.cost.__getitem__, sites)),
        grant=instance.grant,
    )


def _zones(instance: StationSiting) -> tuple[dict[str, str], set[str]]:
    """The zone of every site, and all zones."""
    return {site: zone for zone, site in instance.option}, set(instance.zone)
