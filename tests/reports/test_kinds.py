"""Models, agents of others and scripted agents in one report: never without a mark, and what they were held to is said."""

import pytest

from algoworlds.errors import InputError
from algoworlds.reports.evaluation import KIND_MARKS
from algoworlds.reports.report import fill_sheets
from algoworlds.reports.result_figures import all_figures
from algoworlds.reports.results import PROTOCOL_NOTES, Results
from tests.reports.synthetic import record, world_ids

PLACES = world_ids(families=("fleet_dispatch", "basket_assembly"), levels=(1,), indices=(1, 2))
KINDS = {"oracle": "agent", "Terra": "model", "Mine": "external", "Another": "external", "Ada": "human"}


def results(**kinds):
    places = [(label, kind, place, trial) for label, kind in kinds.items() for place in PLACES for trial in (1, 2)]
    gaps = {"oracle": 0, "Terra": 7, "Mine": 3, "Another": 11, "Ada": 2}
    made = [
        record(label, place, trial, "suboptimal" if gaps[label] else "optimal", gap=gaps[label], kind=kind)
        for label, kind, place, trial in places
    ]
    return Results.from_records(made)


def test_an_external_configuration_and_a_person_are_marked_wherever_it_is_named():
    found = results(**KINDS)
    assert found.configurations == ("Terra", "Mine (external)", "Another (external)", "Ada (human)", "oracle")
    assert found.candidates == ("Terra", "Mine (external)", "Another (external)", "Ada (human)")
    for sheet in fill_sheets(found).values():
        cells = [*sheet.head, *(cell for row in sheet.rows for cell in row)]
        assert not {"Mine", "Another", "Ada"} & set(cells), sheet.name
        assert sheet.caption.endswith(" ".join(" ".join(PROTOCOL_NOTES.values()).split())), sheet.name


def test_nothing_is_marked_where_everybody_was_held_to_the_same():
    found = results(oracle="agent", Terra="model")
    assert found.configurations == ("Terra", "oracle")
    assert not any(mark in sheet.caption for sheet in fill_sheets(found).values() for mark in KIND_MARKS.values())


def test_external_configurations_are_compared_and_drawn_as_candidates():
    found = results(oracle="agent", Mine="external", Another="external")
    (line,) = fill_sheets(found)["comparisons"].raw_rows
    assert (line["first"], line["second"]) == ("Mine (external)", "Another (external)")
    assert "exact_optimality_rates" in all_figures(found)


def test_no_other_kind_is_read():
    with pytest.raises(InputError, match="kind"):
        results(Terra="robot")
