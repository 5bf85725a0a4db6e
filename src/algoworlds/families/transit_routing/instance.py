"""The formal problem of Transit Routing: its tables and their validity."""

from collections.abc import Iterator
from itertools import chain

from algoworlds.families.declare import Id, Instance, Ints, Table, ownership_problems, relation, roster


class TransitRouting(Instance, family="transit_routing", sense="min"):
    """Departure stations in travel order, lines, the legs that leave each station, directed transfer costs, a target."""

    station = roster()  # the stages 1 .. d
    line = roster()  # L
    leg = roster(public=False)  # the union of all E_i
    time: Table = relation("station", "leg", value="travel_time", channel="departures")  # tau(e)
    residue: Table = relation("station", "leg", value="residue", low=0, channel="departures")  # rho(e)
    membership: Table = relation("station", "leg", value=Id("line"), channel="memberships")  # l(e)
    transfer: Table = relation("line", value=Ints("transfer_costs", over="line"), channel="transfers", complete=True)  # C
    target: int = relation(value="target_residue", low=0, channel="departures")  # r*
    modulus: int = relation(value="modulus", low=1, independent_of_ids=True, public=True)  # M

    def id_problems(self) -> Iterator[str]:
        """Every leg leaves one station and has a time, a residue and a line."""
        for name in ("residue", "membership"):
            if odd := set(self.time) ^ set(getattr(self, name)):
                yield f"time and {name} do not list the same legs: see {' '.join(min(odd))}"
        yield from ownership_problems(self.leg, self.time, "leg", "stations")

    def problems(self) -> Iterator[str]:
        """Residues and the target lie below the modulus."""
        if max(self.residue.values(), default=0) >= self.modulus:
            (station, leg), residue = next(item for item in self.residue.items() if item[1] >= self.modulus)
            yield f"residue[{station!r}][{leg!r}]: {residue} is not below the modulus {self.modulus}"
        if self.target >= self.modulus:
            yield f"target: {self.target} is not below the modulus {self.modulus}"

    def magnitude(self) -> int:
        """All absolute values, and the dearest transfer once per stage, because a route may pay it repeatedly."""
        return super().magnitude() + len(self.station) * self.derived(_dearest_transfer, reads=("transfer",))


def _dearest_transfer(instance: TransitRouting) -> int:
    """The largest absolute transfer cost."""
    return max(map(abs, chain.from_iterable(instance.transfer.values())), default=0)
