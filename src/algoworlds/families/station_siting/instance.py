"""The formal problem of Station Siting: its tables and their validity."""

from collections.abc import Iterator

from algoworlds.families.declare import Id, Instance, Int, Table, group_pairs, ownership_problems, relation, roster

_NEED = (Id("from_zone", "zone"), Id("from_site", "site"), Id("to_zone", "zone"), Id("to_site", "site"), Int("reward"))


class StationSiting(Instance, family="station_siting", sense="max"):
    """Zones in corridor order with two sites each, site options and costs, demands that pay for two sites at once."""

    zone = roster()
    demand = roster()  # D
    site = roster(public=False)
    option: Table = relation("zone", "site", value="option", low=0, channel="site")
    cost: Table = relation("zone", "site", value="cost", channel="site")  # kappa_i(a)
    need: Table = relation("demand", value=_NEED, channel="demand", complete=True)  # (i, alpha_ij), (j, beta_ij), r_ij
    limit: int = relation(value="limit", low=0, public=True)  # H
    span: int = relation(value="span", low=0, public=True)  # omega
    grant: int = relation(value="grant", default=0, public=True)  # the same for every decision

    def id_problems(self) -> Iterator[str]:
        """Every site belongs to one zone, and a demand joins sites of two zones within the span."""
        yield from ownership_problems(self.site, self.option, "site", "zones")
        for zone, site in sorted(set(self.cost) ^ set(self.option)):
            yield f"{zone} {site} has an option or a cost but not both"
        position = {zone: at for at, zone in enumerate(self.zone)}
        for demand, (from_zone, from_site, to_zone, to_site, _) in self.need.items():
            for end in ((from_zone, from_site), (to_zone, to_site)):
                if end not in self.option:
                    yield f"the demand {demand} needs {end[1]}, which is not a site of {end[0]}"
            if not 0 < abs(position[from_zone] - position[to_zone]) <= self.span:
                yield f"the demand {demand} must join two zones at most {self.span} places apart"

    def problems(self) -> Iterator[str]:
        """A zone has one site of option 0 and one of option 1."""
        for zone, options in group_pairs(self.zone, ((zone, option) for (zone, _), option in self.option.items())).items():
            if sorted(options) != [0, 1]:
                yield f"the zone {zone} needs two sites, one of option 0 and one of option 1"
