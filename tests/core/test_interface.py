"""Declarations are checked when a family is defined; records join back to facts and to nothing more."""

from dataclasses import replace

import pytest

from algoworlds.core.canonical import canonical_text
from algoworlds.core.column import Column, Flag, Id, Ids, Int, Ints, row_texts
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Interface, Link, Via, layout
from algoworlds.core.relation import relation, roster
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


class Silent(Column):
    """A column that does not say how its cells are written."""

    def read(self, value, rosters):
        return value


class Kinds(Instance, family="kinds"):
    thing = roster()
    told = relation("thing", value=(Flag("on"), Ids("others", "thing"), Ints("table"), Id("one", "thing"), Int("many")))
    untold = relation("thing", value=Silent("many"))


def test_every_kind_of_cell_is_spelled_as_json_spells_it():
    """The records of a part are written a column at a time, with whatever JSON must escape."""
    known = layout(Kinds, (), {}, Interface.DIRECT)
    (told,), (untold,) = known.parts["told"], known.parts["untold"]
    rows = [
        ("a", True, ("b", "c"), (1, -2, 0), "b", 7),
        ("b", False, (), (), "a", -(2**52)),
        ("c", False, ("a",), (3,), "c", 0),
    ]
    rows += [('"],["', True, ("],[", "é\\"), (0,), "%s", 1)]
    assert row_texts(known.record_columns(told), rows) == [canonical_text(row) for row in rows]
    assert row_texts(known.record_columns(told), []) == []
    odd = [("a", ("x", (1, None))), ("b", None)]
    assert row_texts(known.record_columns(untold), odd) == [canonical_text(row) for row in odd]
