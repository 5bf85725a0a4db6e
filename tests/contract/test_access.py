"""Information and access scale: the paper's table for all ten families, and the levels and price profiles behind it.

`access.json` holds, for every family and level, the sizes of its rosters, its facts and the calls of both plans, and for
each of the three price profiles the cost of the plans, of an evaluation and of the whole catalog, and the budget.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES
from tests.unsolved import unsolved_world

ACCESS = json.loads(Path(__file__).with_name("access.json").read_text())

# family: information groups, fact range (None: not in the paper), calls, call cost, budget, full catalog, information tools
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


def test_families_are_the_papers_ten_in_order():
    assert list(FAMILIES) == list(PAPER)


@pytest.mark.parametrize("name", PAPER)
def test_access_scale(name):
    groups, facts, calls, cost, budget, catalog, tools = PAPER[name]
    assert (len(FAMILIES[name].channels), len(FAMILIES[name].tools) + 1) == (groups, tools)
    values = {"facts": set(), "calls": set(), "cost": set(), "budget": set(), "catalog": set()}
    for row in ACCESS[name].values():
        values["facts"].add(row["facts"])
        values["calls"] |= {plan["calls"] for plan in row["plans"].values()}
        values["cost"] |= {cost for plan in row["plans"].values() for cost in plan["cost"]}
        values["budget"] |= set(row["budget"])
        values["catalog"] |= set(row["catalog"])
    ranges = {name: (min(numbers), max(numbers)) for name, numbers in values.items()}
    expected = {"facts": facts or ranges["facts"], "calls": calls, "cost": cost, "budget": budget, "catalog": catalog}
    assert ranges == expected


@pytest.mark.parametrize("level", ["1", "2", "3", "4"])
@pytest.mark.parametrize("name", FAMILIES)
def test_access_of_every_level_and_price_profile(name, level):
    """The index only selects the price profile, so one draw serves for all three."""
    row, first = ACCESS[name][level], unsolved_world(name, int(level))
    assert {roster: len(getattr(first.instance, roster)) for roster in row["rosters"]} == row["rosters"]
    assert len(first.instance.facts) == row["facts"]
    for profile, interface in enumerate(Interface):  # a pair shares plans and prices (test_worlds.py)
        world = replace(first, coordinate=replace(first.coordinate, index=profile + 1), interface=interface)
        assert {plan: (len(calls), world.cost(calls)) for plan, calls in world.plans.items()} == {
            plan: (entry["calls"], entry["cost"][profile]) for plan, entry in row["plans"].items()
        }
        assert world.prices[world.family.template.decision_tools.evaluate] == row["evaluation"][profile]
        assert (world.budget, world.cost(world.catalog)) == (row["budget"][profile], row["catalog"][profile])


def test_table_has_every_roster():
    for name, family in FAMILIES.items():
        rosters = {roster for roster, relation in family.instance.relations.items() if relation.is_roster}
        assert all(set(row["rosters"]) == rosters for row in ACCESS[name].values())
