"""Declarations are checked when a family is defined; records are encoded as canonical JSON."""

from dataclasses import replace

import pytest

from algoworlds.core.canonical import canonical_json
from algoworlds.core.column import Column, Flag, Id, Ids, Int, Ints, row_texts
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Interface, Via, build_layout
from algoworlds.core.relation import relation, roster
from algoworlds.core.tool import One, Tool
from algoworlds.errors import DeclarationError
from algoworlds.families import FAMILIES

FLEET = FAMILIES["fleet_dispatch"]


def redefine(**changes):
    """Define Fleet Dispatch again with a changed template."""
    return replace(FLEET, template=replace(FLEET.template, **changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tools": FLEET.template.tools[1:]}, "no tool reveals 'capacity'|no tool reveals"),
        ({"tools": (*FLEET.template.tools, Tool("t", (1, 1, 1), ("nothing",)))}, "reveals the unknown relation 'nothing'"),
        (
            {"tools": (*FLEET.template.tools, Tool("t", (1, 1, 1), ("activation",), One("job")))},
            "no column of the roster 'job'",
        ),
        ({"tools": (*FLEET.template.tools, Tool("t", (1, 1, 1), ("load",), One("shift")))}, "not a public roster"),
        ({"plans": {"one": ("read_job",)}}, "1 plans instead of two"),
        ({"plans": {"one": ("read_job",), "two": ("fly",)}}, "unknown tool 'fly'"),
        (
            {"mediation": {"route_cost": Via({"shift": (("vehicle",), 1)}, (("vehicle", "shift"),), ("read_job",))}},
            "cover exactly",
        ),
        (
            {"mediation": {"route_cost": Via((), (("vehicle", "route_cost"), ("job",)), ("read_job",))}},
            "share no column to join on",
        ),
        (
            {"mediation": {"load": Via({"x": (("job",), 1)}, (("job", "x"), ("x", "load")), ("fly",))}},
            "split through the unknown tool 'fly'",
        ),
    ],
)
def test_family_definition_rejects_contradictions(changes, message):
    with pytest.raises(DeclarationError, match=message):
        redefine(**changes)


class Anything(Column):
    """A column without an encoding of its own."""

    def parse(self, value, rosters):
        return value


class Kinds(Instance, family="kinds"):
    thing = roster()
    encoded = relation("thing", value=(Flag("on"), Ids("others", "thing"), Ints("table"), Id("one", "thing"), Int("many")))
    other = relation("thing", value=Anything("many"))


def test_every_kind_of_cell_is_encoded_as_json():
    """Records are encoded column by column, with everything that JSON must escape."""
    layout = build_layout(Kinds, (), {}, Interface.DIRECT)
    (encoded,), (other,) = layout.parts["encoded"], layout.parts["other"]
    rows = [
        ("a", True, ("b", "c"), (1, -2, 0), "b", 7),
        ("b", False, (), (), "a", -(2**52)),
        ("c", False, ("a",), (3,), "c", 0),
    ]
    rows += [('"],["', True, ("],[", "é\\"), (0,), "%s", 1)]
    assert row_texts(layout.record_columns(encoded), rows) == [canonical_json(row) for row in rows]
    assert row_texts(layout.record_columns(encoded), []) == []
    unusual = [("a", ("x", (1, None))), ("b", None)]
    assert row_texts(layout.record_columns(other), unusual) == [canonical_json(row) for row in unusual]
