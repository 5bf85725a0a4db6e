"""The paper's table of information and access scale, for all ten families."""

import pytest

from algoworlds.families import FAMILIES
from algoworlds.model.interface import Interface
from algoworlds.model.stream import Stream
from algoworlds.worlds.admit import Coordinate, instance_at
from algoworlds.worlds.world import World

# family: information groups, fact range (None: ours to define), calls, call cost, budget, full catalog, information tools
PAPER = {
    "transit_routing": (3, (1755, 6963), (59, 147), (226, 634), (524, 884), (637, 1558), 6),
    "basket_assembly": (2, (262, 640), (38, 180), (172, 764), (260, 780), (1020, 2554), 5),
    "station_siting": (2, (284, 326), (172, 234), (558, 774), (577, 779), (915, 1293), 4),
    "authorization_planning": (3, (2633, 7781), (17, 73), (99, 291), (120, 296), (729, 1257), 6),
    "series_portfolio": (2, (381, 1458), (24, 141), (196, 924), (1228, 1924), (1491, 5658), 6),
    "machine_layout": (3, None, (10, 42), (93, 370), (129, 377), (963, 3166), 8),
    "sequential_matching": (3, (511, 1463), (22, 52), (122, 308), (175, 313), (582, 1447), 6),
    "fleet_dispatch": (3, (183, 405), (11, 39), (51, 175), (97, 180), (288, 705), 6),
    "evidence_joined_routing": (3, (2166, 13614), (11, 51), (72, 202), (343, 452), (428, 1092), 6),
    "migration_portfolio": (3, (707, 1829), (11, 151), (252, 1542), (277, 1547), (2142, 11344), 8),
}
# The paper's 18,150 facts of Evidence-Joined Routing count the mediated halves of arcs; ours are the same set in both.


def test_the_families_are_the_papers_ten_in_its_order():
    assert list(FAMILIES) == list(PAPER)


@pytest.mark.parametrize("name", PAPER)
def test_access_scale(name):
    family = FAMILIES[name]
    groups, facts, calls, cost, budget, catalog, tools = PAPER[name]
    assert (len(family.channels), len(family.tools) + 1) == (groups, tools)
    found = {"facts": set(), "calls": set(), "cost": set(), "budget": set(), "catalog": set()}
    for level in (1, 2, 3, 4):
        instance = instance_at(Coordinate(name, level, 1), 0)
        found["facts"].add(len(instance.facts))
        for index in (1, 2, 3):
            world = World(family, instance, index, Interface.DIRECT, Stream("access"), "access")
            found["calls"] |= set(map(len, world.plans.values()))
            found["cost"] |= set(map(world.cost, world.plans.values()))
            found["budget"].add(world.budget)
            found["catalog"].add(world.cost(world.catalog))
    ranges = {name: (min(values), max(values)) for name, values in found.items()}
    expected = {"facts": facts or ranges["facts"], "calls": calls, "cost": cost, "budget": budget, "catalog": catalog}
    assert ranges == expected
