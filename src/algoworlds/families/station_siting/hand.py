"""Station Siting by hand: options switched and exchanged, or chosen zone by zone along the corridor."""

from collections.abc import Iterator
from itertools import accumulate

from algoworlds.core.stream import Stream
from algoworlds.families.hand import Extension, Hand
from algoworlds.families.residues import Choices
from algoworlds.families.station_siting.instance import StationSiting
from algoworlds.families.station_siting.search import Sites, layout, neighbours


class StationHand(Hand[Sites]):
    """Zones in corridor order; a partial decision names their sites."""

    def __init__(self, instance: StationSiting) -> None:
        """File sites by zone and demands by the later of their two sites."""
        self._net = instance
        self._sites = {zone: [site for (home, site) in instance.option if home == zone] for zone in instance.zone}
        self._option = {site: option for (_, site), option in instance.option.items()}
        self._cost = {site: cost for (_, site), cost in instance.cost.items()}
        place = {zone: at for at, zone in enumerate(instance.zone)}
        self._needs: dict[str, list[tuple[int, str, int]]] = {site: [] for site in self._option}
        for i, one, j, other, reward in instance.need.values():
            early, late = ((place[i], one), other) if place[i] < place[j] else ((place[j], other), one)
            self._needs[late].append((*early, reward))
        least = [min(self._cost[site] for site in self._sites[zone]) for zone in reversed(instance.zone)]
        self._rest: list[int] = list(accumulate(least, initial=0))[::-1]

    def neighbours(self, y: Sites) -> Iterator[Sites]:
        """One zone switched, or the options of two zones exchanged."""
        return neighbours(self._net, y)

    def neighbour(self, y: Sites, stream: Stream) -> Sites:
        """A random zone of option 0 and one of option 1 exchange their options; now and then one zone is switched."""
        zeros = [zone for zone in self._net.zone if any(self._option[s] == 0 for s in self._sites[zone] if s in y)]
        ones = [zone for zone in self._net.zone if zone not in zeros]
        if not zeros or not ones or stream.below(10) == 0:
            return layout(self._net, {*zeros} ^ {stream.choice(self._net.zone)})
        return layout(self._net, {*zeros} ^ {stream.choice(zeros), stream.choice(ones)})

    def extensions(self, partial: Choices) -> list[Extension]:
        """The sites of the next zone, option 1 only below the limit, at their cost less the demands they complete."""
        net = self._net
        if len(partial) == len(net.zone):
            return []
        extended = sum(self._option[site] for site in partial)
        able = [s for s in self._sites[net.zone[len(partial)]] if extended + self._option[s] <= net.limit]
        return [Extension(s, self._cost[s] - sum(r for at, one, r in self._needs[s] if partial[at] == one)) for s in able]

    def decision(self, partial: Choices) -> Sites | None:
        """The sites of all zones."""
        return tuple(sorted(partial)) if len(partial) == len(self._net.zone) else None

    def rest(self, partial: Choices) -> int:
        """The cheaper site of every zone that is still open, whatever the limit."""
        return self._rest[len(partial)]
