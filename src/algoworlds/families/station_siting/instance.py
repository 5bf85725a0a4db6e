"""The formal problem of Station Siting: its tables, and what makes them an instance."""

from collections.abc import Iterator

from algoworlds.core.column import Id, Int
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Roster, Table, grouped, misplaced, public, relation, roster
from algoworlds.core.work import Sense

_NEED = (Id("from_zone", "zone"), Id("from_site", "site"), Id("to_zone", "zone"), Id("to_site", "site"), Int("reward"))


class StationSiting(Instance, family="station_siting", sense=Sense.MAX):
    """Zones in corridor order with two sites each, site options and costs, demands that pay for two sites at once."""

    zone: Roster = roster()
    demand: Roster = roster()  # D
    site: Roster = roster(public=False)
    option: Table = relation("zone", "site", value=Int("option", low=0), channel="site")
    cost: Table = relation("zone", "site", value="cost", channel="site")  # kappa_i(a)
    need: Table = relation("demand", value=_NEED, channel="demand", complete=True)  # (i, alpha_ij), (j, beta_ij), r_ij
    limit: int = public(value=Int("limit", low=0))  # H
    span: int = public(value=Int("span", low=0))  # omega
    grant: int = public(value="grant", default=0)  # a constant that no decision changes

    def misfiled(self) -> Iterator[str]:
        """A site is one zone's, and a demand joins sites of two zones within the span."""
        yield from misplaced(self.site, self.option, "site", "zones")
        for zone, site in sorted(set(self.cost) ^ set(self.option)):
            yield f"{zone} {site} has an option or a cost but not both"
        place = {zone: at for at, zone in enumerate(self.zone)}
        for demand, (from_zone, from_site, to_zone, to_site, _) in self.need.items():
            for end in ((from_zone, from_site), (to_zone, to_site)):
                if end not in self.option:
                    yield f"the demand {demand} needs {end[1]}, which is no site of {end[0]}"
            if not 0 < abs(place[from_zone] - place[to_zone]) <= self.span:
                yield f"the demand {demand} must join two zones at most {self.span} places apart"

    def problems(self) -> Iterator[str]:
        """A zone has one site of option 0 and one of option 1."""
        for zone, options in grouped(self.zone, ((zone, option) for (zone, _), option in self.option.items())).items():
            if sorted(options) != [0, 1]:
                yield f"the zone {zone} needs two sites, one of option 0 and one of option 1"
