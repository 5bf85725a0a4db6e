"""Definition of Fleet Dispatch: its tables and their validity rules."""

from collections.abc import Iterator, Mapping
from typing import Any

from algoworlds.families.declare import Flag, Instance, Table, relation, roster


def _eligible_if_priced(tables: Mapping[str, Any]) -> dict[tuple[str, str], bool]:
    """Default eligibility: a pair is eligible if it has a route cost."""
    return {(v, j): (v, j) in tables["route_cost"] for v in tables["vehicle"] for j in tables["job"]}


class FleetDispatch(Instance, family="fleet_dispatch", sense="min"):
    """Jobs with loads, vehicles with capacities and activation costs, eligible pairs, route costs, an offset."""

    vehicle = roster(fact=True, max_size=63)  # V, stored in 8 bits with one for ties
    job = roster(fact=True)  # J
    capacity: Table = relation("vehicle", value="capacity", low=0, channel="vehicle", complete=True)  # C_v
    activation: Table = relation("vehicle", value="activation_cost", channel="vehicle", complete=True)  # f_v
    load: Table = relation("job", value="load", low=1, channel="job", complete=True)  # lambda_j
    eligible: Table = relation(
        "vehicle", "job", value=Flag("eligible"), channel="job", complete=True, default=_eligible_if_priced
    )  # E
    route_cost: Table = relation("vehicle", "job", value="route_cost", channel="route")  # r_vj
    offset: int = relation(value="offset", default=0, public=True)  # gamma

    def id_problems(self) -> Iterator[str]:
        """Every eligible pair needs a route cost; an ineligible pair may have one."""
        for pair, eligible in self.eligible.items():
            if eligible and pair not in self.route_cost:
                yield f"route_cost has no entry for the eligible pair {pair[0]} {pair[1]}"
