"""Station Siting by hand: options switched and exchanged, or chosen zone by zone along the corridor."""

from collections.abc import Iterator
from itertools import accumulate, chain

from algoworlds.families.residues import Choices
from algoworlds.families.station_siting.instance import StationSiting
from algoworlds.families.switch_hand import Switches, SwitchHand

Sites = tuple[str, ...]


class StationHand(SwitchHand[Sites]):
    """Zones in corridor order, switched on where they have option 1; rewards are losses below zero."""

    singly = 10

    def __init__(self, instance: StationSiting) -> None:
        """A switch costs its site; a demand is a table over two zones with one cell that counts."""
        self._limit, self.constant = instance.limit, -instance.grant
        named = {(zone, option): site for (zone, site), option in instance.option.items()}
        self._sites = [(named[zone, 0], named[zone, 1]) for zone in instance.zone]
        cost = {site: each for (_, site), each in instance.cost.items()}
        place = {zone: at for at, zone in enumerate(instance.zone)}
        option = {site: each for (_, site), each in instance.option.items()}
        tables = (
            ([place[i], place[j]], tuple(-reward * (cell == 2 * option[one] + option[other]) for cell in range(4)))
            for i, one, j, other, reward in instance.need.values()
        )
        own = [(cost[zero], cost[one]) for zero, one in self._sites]
        super().__init__(own, tables)
        self._rest: list[int] = list(accumulate(map(min, reversed(own)), initial=0))[::-1]

    def made(self, x: Switches) -> Sites:
        """The sites that have the given options."""
        return tuple(sorted(pair[each] for pair, each in zip(self._sites, x, strict=True)))

    def switches(self, y: Sites) -> Switches:
        """The options of the sites."""
        named = set(y)
        return tuple(int(one in named) for _, one in self._sites)

    def apart(self, x: Switches) -> int | None:
        """Nothing, up to the limit of extended sites."""
        return 0 if sum(x) <= self._limit else None

    def rest(self, partial: Choices) -> int:
        """The cheaper site of every zone that is still open, whatever the limit."""
        return self._rest[len(partial)]

    def units(self) -> Iterator[Sites]:
        """Camps of zones that want to be alike, and windows of neighbouring zones with option 0."""
        return chain(super().units(), map(self.made, self._windows()))

    def shows(self, y: Sites) -> bool:
        """Whether it is one of either."""
        low = [at for at, each in enumerate(self.switches(y)) if not each]
        wide = low[-1] - low[0] + 1 if low else 0
        return wide == len(low) == max(0, len(self._sites) - self._limit) or super().shows(y)

    def _windows(self) -> list[Switches]:
        zones, low = len(self._sites), len(self._sites) - self._limit
        return [tuple(int(not at <= each < at + low) for each in range(zones)) for at in range(self._limit + 1)]
