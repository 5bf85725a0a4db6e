"""The question's words on what may be relied on: made from declarations, the same for all instances of a family and level."""

from dataclasses import replace

import pytest

from algoworlds.core.interface import Interface
from algoworlds.core.ranges import Promise, Range
from algoworlds.families import FAMILIES, family
from algoworlds.worlds.render import RELY, reliance
from algoworlds.worlds.world import build
from tests.certified import certified

BOUNDS = (
    " At least one feasible decision exists. The bounds are the same in every task of this kind and size; "
    "this one need not reach them."
)
SAID = {
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


@pytest.mark.parametrize("name", SAID)
def test_ranges_and_promises_in_plain_words(name):
    assert reliance(family(name), family(name).ranges_at(1)) == f"What you may rely on: {SAID[name]}{BOUNDS}"


@pytest.mark.parametrize("name", FAMILIES)
def test_the_question_states_what_its_level_lets_rely_on_and_nothing_of_an_instance(name):
    worlds = [build(certified(name, 0, index), Interface.DIRECT) for index in (1, 2)]
    paragraphs = [[line for line in world.question.splitlines() if line.startswith(RELY)] for world in worlds]
    own = family(name).ranges_at(0)
    assert paragraphs == [[] if own is None else [reliance(family(name), own)]] * 2


def test_a_family_that_declares_nothing_has_no_paragraph():
    assert reliance(family("transit_routing"), None) == ""


def test_words_of_a_range_and_plurals():
    series = family("series_portfolio")
    declared = series.ranges_at(0)
    quiet = replace(
        declared, columns={("choice", "choice"): Range(0, 1), ("lot_value", "lot_value"): Range(0, 1, words="sums")}
    )
    assert reliance(series, quiet).startswith("What you may rely on: choices and sums are whole numbers from 0 to 1. At")
    kept = replace(quiet, promises=(Promise("lots sell", bool), Promise("all do", bool)))
    assert " from 0 to 1. Lots sell. All do. At least " in reliance(series, kept)
