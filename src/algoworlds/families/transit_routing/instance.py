"""The formal problem of Transit Routing: its tables, and what makes them an instance."""

from collections.abc import Iterator

from algoworlds.core.column import Id, Int, Ints
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Roster, Table, misplaced, public, relation, roster


class TransitRouting(Instance, family="transit_routing"):
    """Departure stations in travel order, lines, the legs that leave each station, directed transfer costs, a target."""

    station: Roster = roster()  # the stages 1 .. d
    line: Roster = roster()  # L
    leg: Roster = roster(public=False)  # the union of all E_i
    time: Table = relation("station", "leg", value="travel_time", channel="departures")  # tau(e)
    residue: Table = relation("station", "leg", value=Int("residue", low=0), channel="departures")  # rho(e)
    membership: Table = relation("station", "leg", value=Id("line"), channel="memberships")  # l(e)
    transfer: Table = relation("line", value=Ints("transfer_costs", over="line"), channel="transfers", complete=True)  # C
    target: int = relation(value=Int("target_residue", low=0), channel="departures")  # r*
    modulus: int = public(value=Int("modulus", low=1))  # M

    def problems(self) -> Iterator[str]:
        """Every leg leaves one station and has a time, a residue below the modulus and a line; so has the target."""
        for name in ("residue", "membership"):
            odd = set(self.time) ^ set(getattr(self, name))
            if odd:
                yield f"time and {name} do not list the same legs: see {' '.join(min(odd))}"
        yield from misplaced(self.leg, self.time, "leg", "stations")
        for (station, leg), residue in self.residue.items():
            if residue >= self.modulus:
                yield f"residue[{station!r}][{leg!r}]: {residue} is not below the modulus {self.modulus}"
        if self.target >= self.modulus:
            yield f"target: {self.target} is not below the modulus {self.modulus}"

    def magnitude(self) -> int:
        """All absolute values, and the dearest transfer once per stage, since a route may pay it again and again."""
        dearest = max((abs(cost) for row in self.transfer.values() for cost in row), default=0)
        return super().magnitude() + len(self.station) * dearest
