"""Tables, facts and JSON are three forms of the same instance; bad tables are rejected with one clear line."""

import contextlib
import json

import pytest

from algoworlds.core.column import Flag, Id, Ids, Int, Ints
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Pairs, Roster, Table, relation, roster
from algoworlds.errors import DeclarationError, InputError, InstanceError
from algoworlds.families import read_instance
from tests.certified import certified_instance


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
    modulus: int = relation(value="modulus", default=7, public=True)


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


def test_json_is_canonical_and_round_trips():
    toy = Toy.from_json(TABLES)
    assert toy.modulus == 7
    assert toy.ends["y"] == ("n", "m", (1, -2))
    assert toy.group["x"] == ("m", "n")
    assert toy.marked == {("m", "x"): True}
    assert Toy.from_json(json.loads(toy.canonical_json)) == toy
    shuffled = {name: TABLES[name] for name in reversed(TABLES)} | {
        "weight": {"m": 0, "n": 3},
        "touch": [["x", "n"], ["y", "n"]],
    }
    assert Toy.from_json(shuffled).canonical_json == toy.canonical_json
    assert toy.digest == "e07ec5291e4869b0d5d298ab548d5641d2944a3ccb4bac62458c63ea838cd11e"


def test_facts_rebuild_the_instance():
    toy = Toy.from_json(TABLES)
    assert len(toy.facts) == 2 + 1 + 1 + 2 + 2 + 1
    assert Toy.from_facts(toy.facts, toy.public_tables) == toy
    for fact in toy.facts:
        with contextlib.suppress(InstanceError):
            assert Toy.from_facts(toy.facts - {fact}, toy.public_tables) != toy


def test_renaming_keeps_public_order_and_sorts_hidden_rosters():
    toy = Toy.from_json(TABLES).rename_ids({"n": "2", "m": "1", "x": "9", "y": "8"}.__getitem__)
    assert toy.node == ("2", "1")
    assert toy.arc == ("8", "9")
    assert toy.group["9"] == ("1", "2")


@pytest.mark.parametrize("empty", [(), ("marked", "ends", "touch")], ids=["full", "in part empty"])
@pytest.mark.parametrize("names", ["nmxy", "mnyx", "abcd", "dcba", "cadb"])
def test_renamed_instance_equals_one_built_from_its_tables(names, empty):
    """A renaming checks nothing, so rows, their order and sorted lists must equal those of a checked instance."""
    tables = TABLES | {name: type(TABLES[name])() for name in empty}
    toy = Toy.from_json(tables).rename_ids(dict(zip("nmxy", names, strict=True)).__getitem__)
    checked = Toy(**toy.tables)
    assert checked == toy
    assert all(list(checked.rows(name)) == list(toy.rows(name)) for name in Toy.relations)
    for name in ("weight", "ends", "group"):
        assert list(getattr(checked, name)) == list(getattr(toy, name))


def test_renaming_rejects_duplicate_names():
    with pytest.raises(InstanceError, match="listed twice"):
        Toy.from_json(TABLES).rename_ids(lambda item: "n" if item == "m" else item)


class Even(Instance, family="even"):
    """Numbers that must be even."""

    node: Roster = roster()
    weight: Table = relation("node", value=(Int("weight"), Int("size")), channel="a", complete=True)

    def problems(self):
        yield from (f"{node} is odd" for node, (weight, _) in self.weight.items() if weight % 2)


def test_unchecked_instance_knows_whether_it_is_valid():
    even = Even(node=["n", "m"], weight={"n": (2, 5), "m": (4, 7)})
    replace_column = Even.relations["weight"].replace_column
    right, wrong = (even.unchecked(weight=replace_column(even.weight, 1, weights)) for weights in ([6, 8], [6, 9]))
    assert (right.valid, wrong.valid) == (True, False)
    assert right == Even(node=["n", "m"], weight={"n": (6, 5), "m": (8, 7)})
    assert right.rows("weight") == (("n", 6, 5), ("m", 8, 7))
    assert wrong.assume_valid().valid
    with pytest.raises(InstanceError, match="m is odd"):
        even.with_rows(weight={("m", 4, 7): ("m", 9, 7)})
    toy = Toy.from_json(TABLES)
    assert toy.unchecked(target=6) == toy.replace(target=6) == toy.with_rows(target={(5,): (6,)})


def test_derived_value_is_recomputed_only_if_its_reads_change():
    computed = []

    def nodes(instance):
        computed.append("nodes")
        return instance.node

    def total(instance, at):
        computed.append("total")
        return sum(cells[at] for cells in instance.weight.values())

    even = Even(node=["n", "m"], weight={"n": (2, 5), "m": (4, 7)})
    assert (even.derived(nodes, reads=("node",)), even.derived(total, 0, reads=("weight",))) == (("n", "m"), 6)
    other = even.unchecked(weight={"n": (6, 5), "m": (8, 7)})
    assert (other.derived(nodes, reads=("node",)), other.derived(total, 0, reads=("weight",))) == (("n", "m"), 14)
    assert computed == ["nodes", "total", "total"]
    assert even.derived(total, 1, reads=("weight",)) == 12
    even.unchecked().derived(total, 1, reads=("weight",))
    assert computed[3:] == ["total"]
    even.replace(node=["m", "n"]).derived(nodes, reads=("node",))
    even.without_cache().derived(nodes, reads=("node",))
    assert computed[4:] == ["nodes", "nodes"]


def test_derived_value_without_reads_is_not_shared():
    toy = Toy.from_json(TABLES)
    assert toy.derived(lambda one: one.target) == 5
    assert toy.replace(target=6).derived(lambda one: one.target) == 6


def test_changes_names_columns_and_all_of_them_if_a_key_changes():
    ends = Toy.relations["ends"]
    table = {"y": ("n", "m", (1, -2))}
    assert ends.changes(table, table) == ()
    assert ends.changes(table, {"y": ("n", "m", (3, 4))}) == ["ends", "ends.cost"]
    assert ends.changes(table, {"y": ("n", "n", (1, -2))}) == ["ends", "ends.head", "ends.cost"]
    assert set(ends.changes(table, {"x": ("n", "m", (1, -2))})) == set(ends.reads)


def test_cache_is_bounded():
    toy, computed = Toy.from_json(TABLES), []

    def as_list(instance, decision):
        computed.append(decision)
        return [decision]

    for decision in (*range(1000), 999, 0):
        assert toy.derived(as_list, decision, reads=("node",)) == [decision]
    assert computed == [*range(1000), 0]


def test_reads_must_be_tables_or_columns():
    with pytest.raises(DeclarationError, match="reads 'weights', which is not a table or column"):
        Toy.from_json(TABLES).derived(len, reads=("node", "weights"))


def test_with_rows_replaces_and_removes():
    toy = Toy.from_json(TABLES)
    other = toy.with_rows(
        weight={("n", 3): ("n", 4)}, touch={("y", "n"): None}, ends={("y", "n", "m", (1, -2)): ("x", "m", "n", (0, 0))}
    )
    assert (other.weight, other.touch, other.ends) == ({"n": 4, "m": 0}, {("x", "n")}, {"x": ("m", "n", (0, 0))})
    assert toy.with_rows() == toy
    with pytest.raises(InstanceError, match="weight has no entry for n"):
        toy.with_rows(weight={("n", 3): None})
    with pytest.raises(InstanceError, match="at least 0"):
        toy.with_rows(weight={("n", 3): ("n", -4)})
    for derive in (toy.with_rows, toy.unchecked, toy.replace):
        with pytest.raises(InstanceError, match="toy has no table 'nothing'"):
            derive(nothing={})


def test_empty_tables_stay_empty():
    toy = Toy.from_json(TABLES | {"ends": {}})
    assert Toy.relations["ends"].replace_column(toy.ends, 3, []) == {}
    assert toy.unchecked(ends={}) == toy.with_rows(ends={}) == toy.unchecked(**toy.tables_with({"ends": {}})) == toy


def test_restrict_drops_other_entities_and_their_rows():
    toy = Toy.from_json(TABLES)
    other = toy.restrict(arc=["x"])
    assert (other.arc, other.ends, other.group, other.touch) == (("x",), {}, {"x": ("m", "n")}, {("x", "n")})
    assert other == Toy(**other.tables)
    assert toy.restrict(arc=("y", "x")) == toy.restrict() == toy
    with pytest.raises(InstanceError, match="toy has no roster 'weight'; it has node, arc"):
        toy.restrict(weight=["n"])
    with pytest.raises(InstanceError, match="'z' is not a known arc"):
        toy.restrict(arc=["x", "z"])


def test_required_rows_cannot_be_dropped():
    instance = certified_instance("evidence_joined_routing").instance
    with pytest.raises(InstanceError, match=r"^source is '.*', which must be kept$"):
        instance.restrict(node=[node for node in instance.node if node != instance.source])
    with pytest.raises(InstanceError, match=r"^source is '.*', which must be kept$"):
        instance.with_rows(source={(instance.source,): None})
    transit = certified_instance("transit_routing").instance
    with pytest.raises(InstanceError, match="one per line"):
        transit.restrict(line=transit.line[1:])


def test_instances_are_immutable():
    toy = Toy.from_json(TABLES)
    with pytest.raises(AttributeError, match="immutable"):
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
        ({"weight": {"n": 3, "m": 1, "o": 2}}, "'o' is not a known node"),
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
def test_rejects_bad_tables_and_names_the_cell(change, message):
    with pytest.raises(InstanceError, match=message):
        Toy.from_json(TABLES | change)


def test_names_the_missing_table():
    with pytest.raises(InstanceError, match="'target' is missing"):
        Toy.from_json({name: table for name, table in TABLES.items() if name != "target"})


def test_declarations_must_refer_to_rosters():
    with pytest.raises(DeclarationError, match="no roster 'nowhere'"):

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
def test_bad_documents_give_one_line(text, message):
    with pytest.raises(InputError, match=message) as caught:
        read_instance(text)
    assert "\n" not in str(caught.value)
