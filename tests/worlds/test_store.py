"""Answers as they are written: compact JSON of the records that a call selects, in an order that is the records' own."""

import json
from collections import Counter

import pytest

from algoworlds.core.canonical import canonical_text, compact_text
from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.worlds import store
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World
from tests.unsolved import unsolved

ODD = '"],[%s],null,[%%\\é\n'
"""What JSON must escape, and what could be taken for something else while an answer is put together."""


@pytest.fixture(params=[(name, each) for name in FAMILIES for each in Interface], ids=lambda pair: f"{pair[0]}-{pair[1].value}")
def world(request):
    return unsolved(request.param[0], interface=request.param[1])


def oddly_named(world):
    """The same world with ids that nobody draws."""
    return World(world.coordinate, world.instance.renamed(lambda item: item[:4] + ODD + item[4:]), world.interface)


def asked(world):
    return [*next(iter(world.plans.values())), *world.catalog[:: max(1, len(world.catalog) // 7)]]


@pytest.mark.parametrize("named", [lambda world: world, oddly_named], ids=["drawn", "odd"])
def test_an_answer_is_the_json_of_its_records_in_the_order_of_their_hashes(world, named):
    world = named(world)
    for call in asked(world):
        text, revealed = world.records(call), world.revealed(call)
        answer = json.loads(text)
        assert compact_text(answer) == text
        assert list(answer) == [part.name for part in world.family.layouts[world.interface].shows[call.tool]]
        for name, table in answer.items():
            order = world.stream.child("order", name)
            assert table["rows"] == sorted(table["rows"], key=lambda row: order.at(canonical_text(row)))
            assert Counter(map(canonical_text, table["rows"])) == Counter(map(canonical_text, revealed[name]["rows"]))


def test_a_call_hashes_the_records_it_shows_and_no_others(monkeypatch):
    """A fresh world is as cheap as what is asked of it: nothing is put in order before somebody reads it."""
    hashed, honest = [], store._Keyed.sorted
    seen = lambda self, texts, records: hashed.extend(texts) or honest(self, texts, records)  # noqa: E731
    monkeypatch.setattr(store._Keyed, "sorted", seen)
    world = unsolved("transit_routing", 1)
    episode = Episode(world)
    for call in next(iter(world.plans.values()))[:20]:
        shown = json.loads(episode.call(*call).text)["records"]
        rows = [row for table in shown.values() for row in table["rows"]]
        assert sorted(hashed) == sorted(canonical_text(row) for row in rows)
        hashed.clear()


def test_the_bits_of_a_row_are_those_that_the_stream_has_at_its_text():
    keyed, texts = store._Keyed("a", 1), [["x", 1], ["y", [2, 3]], []]
    bits = [keyed.bits(canonical_text(text)) for text in texts]
    assert [int.from_bytes(each[:8], "big") for each in bits] == [Stream("a", 1).at(canonical_text(text)) for text in texts]
