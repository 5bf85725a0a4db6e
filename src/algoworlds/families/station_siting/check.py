"""The checker of Station Siting, from the definition alone."""

from collections.abc import Sequence

from algoworlds.core.decision import Verdict
from algoworlds.core.work import Sense
from algoworlds.families.station_siting.instance import StationSiting

SENSE = Sense.MAX


def check(instance: StationSiting, decision: Sequence[str]) -> Verdict:
    """Feasible if every zone has one chosen site and at most H are of option 1; then rewards - costs + grant."""
    home = {site: zone for zone, site in instance.option}
    if not all(site in home for site in decision):
        return Verdict.infeasible("an unknown site")
    if sorted(home[site] for site in decision) != sorted(instance.zone):
        return Verdict.infeasible("not exactly one site per zone")
    if sum(instance.option[home[site], site] for site in decision) > instance.limit:
        return Verdict.infeasible("too many sites of option 1")
    chosen = set(decision)
    return Verdict.of(
        rewards=sum(reward for _, one, _, other, reward in instance.need.values() if one in chosen and other in chosen),
        costs=-sum(instance.cost[home[site], site] for site in decision),
        grant=instance.grant,
    )
