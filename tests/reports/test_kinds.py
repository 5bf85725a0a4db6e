"""Models, external agents, people and scripted agents in one report: labels are marked, and captions name the protocol."""

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
    records = [
        record(label, place, trial, "suboptimal" if gaps[label] else "optimal", gap=gaps[label], kind=kind)
        for label, kind, place, trial in places
    ]
    return Results.from_records(records)


def test_external_agents_and_people_are_marked_in_every_sheet():
    found = results(**KINDS)
    assert found.configurations == ("Terra", "Mine (external)", "Another (external)", "Ada (human)", "oracle")
    assert found.candidates == ("Terra", "Mine (external)", "Another (external)", "Ada (human)")
    for sheet in fill_sheets(found).values():
        cells = [*sheet.head, *(cell for row in sheet.rows for cell in row)]
        assert not {"Mine", "Another", "Ada"} & set(cells), sheet.name
        assert sheet.caption.endswith(" ".join(" ".join(PROTOCOL_NOTES.values()).split())), sheet.name


def test_nothing_is_marked_if_all_played_by_the_same_protocol():
    found = results(oracle="agent", Terra="model")
    assert found.configurations == ("Terra", "oracle")
    assert not any(mark in sheet.caption for sheet in fill_sheets(found).values() for mark in KIND_MARKS.values())


def test_external_configurations_are_compared_and_drawn_as_candidates():
    found = results(oracle="agent", Mine="external", Another="external")
    (line,) = fill_sheets(found)["comparisons"].raw_rows
    assert (line["first"], line["second"]) == ("Mine (external)", "Another (external)")
    assert "exact_optimality_rates" in all_figures(found)


def test_unknown_kind_is_rejected():
    with pytest.raises(InputError, match="kind"):
        results(Terra="robot")
