"""Declarations are checked when a family is defined; records join back to facts and to nothing more."""

from dataclasses import replace

import pytest

from algoworlds.core.interface import Link, Via
from algoworlds.core.tool import One, Tool, every
from algoworlds.errors import DeclarationError
from algoworlds.families import FAMILIES

FLEET = FAMILIES["fleet_dispatch"]


def broken(**changes):
    return replace(FLEET, template=replace(FLEET.template, **changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tools": FLEET.template.tools[1:]}, "no tool reveals 'capacity'|no tool reveals"),
        ({"tools": (*FLEET.template.tools, Tool("t", (1, 1, 1), ("nothing",)))}, "reveals no known relation 'nothing'"),
        (
            {"tools": (*FLEET.template.tools, Tool("t", (1, 1, 1), ("activation",), One("job")))},
            "no column of the roster 'job'",
        ),
        ({"tools": (*FLEET.template.tools, Tool("t", (1, 1, 1), ("load",), One("shift")))}, "no public roster"),
        ({"plans": {"one": (every("read_job"),)}}, "1 plans instead of two"),
        ({"plans": {"one": (every("read_job"),), "two": (every("fly"),)}}, "unknown tool 'fly'"),
        (
            {"mediation": {"route_cost": Via((Link("shift", ("vehicle",)),), (("vehicle", "shift"),), ("read_job",))}},
            "cover exactly",
        ),
        (
            {"mediation": {"route_cost": Via((), (("vehicle", "route_cost"), ("job",)), ("read_job",))}},
            "share no column to join on",
        ),
        (
            {"mediation": {"load": Via((Link("x", ("job",)),), (("job", "x"), ("x", "load")), ("fly",))}},
            "split through the unknown tool 'fly'",
        ),
    ],
)
def test_contradictions_are_found_when_a_family_is_defined(changes, message):
    with pytest.raises(DeclarationError, match=message):
        broken(**changes)
