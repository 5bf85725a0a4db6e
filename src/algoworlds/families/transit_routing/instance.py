"""The formal problem of Transit Routing: its tables, and what makes them an instance."""

from collections.abc import Iterator
from itertools import chain

from algoworlds.core.column import Id, Int, Ints
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Roster, Table, misplaced, public, relation, roster
from algoworlds.core.work import Sense


class TransitRouting(Instance, family="transit_routing", sense=Sense.MIN):
    """Departure stations in travel order, lines, the legs that leave each station, directed transfer costs, a target."""

    station: Roster = roster()  # the stages 1 .. d
    line: Roster = roster()  # L
    leg: Roster = roster(public=False)  # the union of all E_i
    time: Table = relation("station", "leg", value="travel_time", channel="departures")  # tau(e)
    residue: Table = relation("station", "leg", value=Int("residue", low=0), channel="departures")  # rho(e)
    membership: Table = relation("station", "leg", value=Id("line"), channel="memberships")  # l(e)
    transfer: Table = relation("line", value=Ints("transfer_costs", over="line"), channel="transfers", complete=True)  # C
    target: int = relation(value=Int("target_residue", low=0), channel="departures")  # r*
    modulus: int = public(value=Int("modulus", low=1), beside=True)  # M

    def misfiled(self) -> Iterator[str]:
        """Every leg leaves one station and has a time, a residue and a line."""
        for name in ("residue", "membership"):
            odd = set(self.time) ^ set(getattr(self, name))
            if odd:
                yield f"time and {name} do not list the same legs: see {' '.join(min(odd))}"
        yield from misplaced(self.leg, self.time, "leg", "stations")

    def problems(self) -> Iterator[str]:
        """Residues lie below the modulus, and so does the target."""
        if max(self.residue.values(), default=0) >= self.modulus:
            (station, leg), residue = next(each for each in self.residue.items() if each[1] >= self.modulus)
            yield f"residue[{station!r}][{leg!r}]: {residue} is not below the modulus {self.modulus}"
        if self.target >= self.modulus:
            yield f"target: {self.target} is not below the modulus {self.modulus}"

    def magnitude(self) -> int:
        """All absolute values, and the dearest transfer once per stage, since a route may pay it again and again."""
        return super().magnitude() + len(self.station) * self.derived(_dearest, reads=("transfer",))


def _dearest(instance: TransitRouting) -> int:
    """The largest absolute value of a transfer."""
    return max(map(abs, chain.from_iterable(instance.transfer.values())), default=0)
