"""Responses are compact JSON of the selected records, in an order keyed by the records themselves."""

import json
from collections import Counter
from itertools import product

import pytest

from algoworlds.core.canonical import canonical_json, compact_json
from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.worlds import store
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World
from tests.unsolved import unsolved_world

ODD = '"],[%s],null,[%%\\é\n'
"""What JSON must escape, and what looks like the separators of a response."""


@pytest.fixture(params=product(FAMILIES, Interface), ids=lambda pair: f"{pair[0]}-{pair[1].value}")
def world(request):
    return unsolved_world(request.param[0], interface=request.param[1])


def with_odd_ids(world):
    """The same world with ids that are hard to encode."""
    return World(world.coordinate, world.instance.rename_ids(lambda item: item[:4] + ODD + item[4:]), world.interface)


def some_calls(world):
    return [*next(iter(world.plans.values())), *world.catalog[:: max(1, len(world.catalog) // 7)]]


@pytest.mark.parametrize("rename", [lambda world: world, with_odd_ids], ids=["drawn", "odd"])
def test_response_is_json_of_records_in_the_order_of_their_hashes(world, rename):
    world = rename(world)
    for call in some_calls(world):
        text, revealed = world.records(call), world.revealed_rows(call)
        answer = json.loads(text)
        assert compact_json(answer) == text
        assert list(answer) == [part.name for part in world.family.layouts[world.interface].parts_by_tool[call.tool]]
        for name, table in answer.items():
            order = world.stream.child("order", name)
            assert table["rows"] == sorted(table["rows"], key=lambda row: order.keyed_word(canonical_json(row)))
            assert Counter(map(canonical_json, table["rows"])) == Counter(map(canonical_json, revealed[name]["rows"]))


def test_call_hashes_only_the_records_it_returns(monkeypatch):
    """Records are sorted on demand, so a fresh world costs only what is read of it."""
    hashed, original = [], store._KeyedStream.sorted
    spy = lambda self, texts, records: hashed.extend(texts) or original(self, texts, records)  # noqa: E731
    monkeypatch.setattr(store._KeyedStream, "sorted", spy)
    world = unsolved_world("transit_routing", 1)
    episode = Episode(world)
    for call in next(iter(world.plans.values()))[:20]:
        records = json.loads(episode.call(*call).text)["records"]
        rows = [row for table in records.values() for row in table["rows"]]
        assert sorted(hashed) == sorted(canonical_json(row) for row in rows)
        hashed.clear()


def test_bits_begin_with_the_keyed_word():
    keyed, texts = store._KeyedStream("a", 1), [["x", 1], ["y", [2, 3]], []]
    bits = [keyed.bits(canonical_json(text)) for text in texts]
    words = [Stream("a", 1).keyed_word(canonical_json(text)) for text in texts]
    assert [int.from_bytes(row_bits[:8], "big") for row_bits in bits] == words
