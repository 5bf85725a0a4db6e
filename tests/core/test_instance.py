"""Tables, facts and JSON are three forms of the same instance; bad tables are refused in one clear line."""

import contextlib
import json

import pytest

from algoworlds.core.column import Flag, Id, Ids, Int, Ints
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Pairs, Roster, Table, public, relation, roster
from algoworlds.errors import DeclarationError, InputError, InstanceError
from algoworlds.families import read_instance


class Toy(Instance, family="toy"):
    """One relation of every kind."""

    node: Roster = roster()
    arc: Roster = roster(public=False)
    weight: Table = relation("node", value=Int("weight", low=0), channel="a", complete=True)
    ends: Table = relation("arc", value=(Id("tail", "node"), Id("head", "node"), Ints("cost", over="node")), channel="b")
    marked: Table = relation("node", "arc", value=Flag("marked"), channel="b")
    group: Table = relation("arc", value=Ids("members", "node"), channel="b")
    touch: Pairs = relation("arc", "node", channel="b")
    target: int = relation(value="target", channel="a")
    modulus: int = public(value="modulus", default=7)


TABLES = {
    "node": ["n", "m"],
    "arc": ["x", "y"],
    "weight": {"n": 3, "m": 0},
    "ends": {"y": {"tail": "n", "head": "m", "cost": [1, -2]}},
    "marked": {"m": {"x": True}},
    "group": {"x": ["n", "m"], "y": []},
    "touch": [["y", "n"], ["x", "n"]],
    "target": 5,
}


def test_json_is_canonical_and_comes_back():
    toy = Toy.from_json(TABLES)
    assert toy.modulus == 7
    assert toy.ends["y"] == ("n", "m", (1, -2))
    assert toy.group["x"] == ("m", "n")
    assert toy.marked == {("m", "x"): True}
    assert Toy.from_json(json.loads(toy.text)) == toy
    shuffled = {name: TABLES[name] for name in reversed(TABLES)} | {
        "weight": {"m": 0, "n": 3},
        "touch": [["x", "n"], ["y", "n"]],
    }
    assert Toy.from_json(shuffled).text == toy.text
    assert toy.digest == "e07ec5291e4869b0d5d298ab548d5641d2944a3ccb4bac62458c63ea838cd11e"


def test_facts_rebuild_the_instance():
    toy = Toy.from_json(TABLES)
    assert len(toy.facts) == 2 + 1 + 1 + 2 + 2 + 1
    assert Toy.from_facts(toy.facts, toy.public_tables) == toy
    for fact in toy.facts:
        with contextlib.suppress(InstanceError):
            assert Toy.from_facts(toy.facts - {fact}, toy.public_tables) != toy


def test_renaming_keeps_public_order_and_sorts_hidden_rosters():
    toy = Toy.from_json(TABLES).renamed({"n": "2", "m": "1", "x": "9", "y": "8"}.__getitem__)
    assert toy.node == ("2", "1")
    assert toy.arc == ("8", "9")
    assert toy.group["9"] == ("1", "2")


@pytest.mark.parametrize("empty", [(), ("marked", "ends", "touch")], ids=["full", "in part empty"])
@pytest.mark.parametrize("names", ["nmxy", "mnyx", "abcd", "dcba", "cadb"])
def test_a_renamed_instance_is_what_the_constructor_makes_of_its_tables(names, empty):
    """Nothing of it is checked anew: rows, their order and what is kept sorted must come out as if it were."""
    tables = TABLES | {name: type(TABLES[name])() for name in empty}
    toy = Toy.from_json(tables).renamed(dict(zip("nmxy", names, strict=True)).__getitem__)
    made = Toy(**toy.tables)
    assert made == toy
    assert all(list(made.rows(name)) == list(toy.rows(name)) for name in Toy.relations)
    assert [list(table) for table in (made.weight, made.ends, made.group)] == [
        list(toy.weight),
        list(toy.ends),
        list(toy.group),
    ]


def test_two_entities_cannot_take_one_name():
    with pytest.raises(InstanceError, match="listed twice"):
        Toy.from_json(TABLES).renamed(lambda item: "n" if item == "m" else item)


class Even(Instance, family="even"):
    """Numbers that must be even."""

    node: Roster = roster()
    weight: Table = relation("node", value=(Int("weight"), Int("size")), channel="a", complete=True)

    def problems(self):
        yield from (f"{node} is odd" for node, (weight, _) in self.weight.items() if weight % 2)


def test_an_unchecked_column_says_whether_it_makes_an_instance():
    even = Even(node=["n", "m"], weight={"n": (2, 5), "m": (4, 7)})
    right, wrong = even.with_column("weight", 1, [6, 8]), even.with_column("weight", 1, [6, 9])
    assert (right.valid, wrong.valid) == (True, False)
    assert right == Even(node=["n", "m"], weight={"n": (6, 5), "m": (8, 7)})
    assert right.rows("weight") == (("n", 6, 5), ("m", 8, 7))
    assert even.with_column("weight", 2, [1, 1]).weight == {"n": (2, 1), "m": (4, 1)}
    toy = Toy.from_json(TABLES)
    assert toy.with_column("target", 0, [6]) == toy.unchecked(target=6) == toy.replace(target=6)


def test_what_rests_on_ids_alone_is_made_once_and_what_rests_on_a_table_again_when_that_changes():
    made = []

    def of_ids(instance):
        made.append("ids")
        return instance.node

    def of_weights(instance):
        made.append("weights")
        return sum(weight for weight, _ in instance.weight.values())

    even = Even(node=["n", "m"], weight={"n": (2, 5), "m": (4, 7)})
    assert (even.frame(of_ids), even.frame(of_weights, "weight")) == (("n", "m"), 6)
    other = even.with_column("weight", 1, [6, 8])
    assert (other.frame(of_ids), other.frame(of_weights, "weight")) == (("n", "m"), 14)
    assert made == ["ids", "weights", "weights"]
    even.replace(node=["m", "n"]).frame(of_ids)
    even.uncached().frame(of_ids)
    assert made[3:] == ["ids", "ids"]


def test_instances_never_change():
    toy = Toy.from_json(TABLES)
    with pytest.raises(AttributeError, match="never changes"):
        toy.target = 6
    assert toy.replace(target=6) != toy
    assert hash(toy.replace(target=5)) == hash(toy)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weight": {"n": 3}}, "weight has no entry for m"),
        ({"weight": {"n": 3, "m": -1}}, r"weight\['m'\]: expected an integer of at least 0"),
        ({"weight": {"n": 3, "m": 1.0}}, "expected an integer, got 1.0"),
        ({"weight": {"n": 3, "m": True}}, "expected an integer, got true"),
        ({"weight": {"n": 3, "m": 2**53}}, "too large"),
        ({"weight": {"n": 3, "m": 1, "o": 2}}, "'o' is no node"),
        ({"weight": [1, 2]}, "expected node -> weight, as nested JSON objects"),
        ({"node": ["n", "n"]}, "an id is listed twice"),
        ({"node": "nm"}, "expected a list of ids"),
        ({"ends": {"y": {"tail": "n", "head": "m"}}}, "ends: expected"),
        ({"ends": {"y": {"tail": "n", "head": "m", "cost": [1]}}}, "expected 2 integers, one per node"),
        ({"marked": {"m": {"x": 1}}}, "expected true or false"),
        ({"group": {"x": ["n", "n"]}}, "a node is listed twice"),
        ({"touch": [["y"]]}, "expected 2 fields"),
        ({"touch": 3}, "touch: expected a list"),
        ({"extra": {}}, "toy has no table 'extra'"),
        ({"target": None}, "expected an integer"),
    ],
)
def test_bad_tables_are_refused_with_their_place(change, message):
    with pytest.raises(InstanceError, match=message):
        Toy.from_json(TABLES | change)


def test_a_missing_table_is_named():
    with pytest.raises(InstanceError, match="'target' is missing"):
        Toy.from_json({name: table for name, table in TABLES.items() if name != "target"})


def test_declarations_must_refer_to_rosters():
    with pytest.raises(DeclarationError, match="refers to no roster"):

        class Broken(Instance, family="broken"):
            cost: Table = relation("nowhere", value="cost")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not valid JSON"),
        ("[]", "JSON object"),
        ("{}", "does not say its family"),
        ('{"family": "nonsense"}', "there is no family 'nonsense'"),
        ('{"family": "fleet_dispatch", "family": "fleet_dispatch"}', "twice"),
        ('{"family": "fleet_dispatch", "load": {"a": 1.5}}', "1.5 is not an integer"),
        ("[" * 100_000, "nested too deeply|not valid JSON"),
    ],
)
def test_bad_documents_are_one_clear_line(text, message):
    with pytest.raises(InputError, match=message) as caught:
        read_instance(text)
    assert "\n" not in str(caught.value)
