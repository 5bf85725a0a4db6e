"""The question's paragraph on ranges comes from declarations: the same for all instances of a family and level."""

from dataclasses import replace

import pytest

from algoworlds.core.interface import Interface
from algoworlds.core.ranges import Promise, Range
from algoworlds.families import FAMILIES, load_family
from algoworlds.worlds.render import RANGES_OPENING, render_ranges
from algoworlds.worlds.world import build_world
from tests.certified import certified_instance

BOUNDS = (
    " At least one feasible decision exists. The bounds are the same in every task of this kind and size; "
    "this one need not reach them."
)
EXPECTED = {
    "transit_routing": "travel times are whole numbers from 1,000 to 9,999; "
    "transfer costs from 1,000 to 9,999, but 0 in a line's own place; residues and the target residue from 0 to 2.",
    "authorization_planning": "base prices, adjustments and handoff costs are whole numbers from 100 to 9,999; "
    "clearances and the required clearance from 0 to 10.",
    "series_portfolio": "lot values are whole numbers from 1,000 to 9,999; cells of series tables from -3,000 to 3,000; "
    "lot numbers from 0 to 1.",
    "evidence_joined_routing": "quantities are whole numbers from 16 to 3,333; rates from 3 to 64; "
    "residues and the required residue from 0 to 30. "
    "Every arc ends where arcs of the next stage start, those of the last stage at the destination.",
}


@pytest.mark.parametrize("name", EXPECTED)
def test_ranges_and_promises_in_plain_words(name):
    assert render_ranges(load_family(name), load_family(name).ranges_at(1)) == f"What you may rely on: {EXPECTED[name]}{BOUNDS}"


@pytest.mark.parametrize("name", FAMILIES)
def test_question_states_the_ranges_of_its_level(name):
    worlds = [build_world(certified_instance(name, 0, index), Interface.DIRECT) for index in (1, 2)]
    paragraphs = [[line for line in world.question.splitlines() if line.startswith(RANGES_OPENING)] for world in worlds]
    ranges = load_family(name).ranges_at(0)
    assert paragraphs == [[] if ranges is None else [render_ranges(load_family(name), ranges)]] * 2


def test_no_paragraph_without_ranges():
    assert render_ranges(load_family("transit_routing"), None) == ""


def test_labels_and_plurals():
    series = load_family("series_portfolio")
    columns = {("choice", "choice"): Range(0, 1), ("lot_value", "lot_value"): Range(0, 1, label="sums")}
    ranges = replace(series.ranges_at(0), columns=columns)
    assert render_ranges(series, ranges).startswith("What you may rely on: choices and sums are whole numbers from 0 to 1. At")
    promising = replace(ranges, promises=(Promise("lots sell", bool), Promise("all do", bool)))
    assert " from 0 to 1. Lots sell. All do. At least " in render_ranges(series, promising)
