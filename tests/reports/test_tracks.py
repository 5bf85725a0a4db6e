"""Assisted tracks in a report: losses of an agent whose faults are planned, and paper tables without assisted runs."""

import pytest

from algoworlds.core.stream import Stream
from algoworlds.reports.report import fill_sheets
from algoworlds.reports.results import Results
from algoworlds.reports.sheets.tracks import ASSISTED_RESULTS, LOSSES, ladders, stage_losses
from algoworlds.tracks.track import LADDER
from tests.reports.synthetic import record, world_ids

PLAN = {"compute": 24, "search": 18, "model": 24, "read": 12, "gather": 12}
"""Of 120 instances, those that fail in one stage; the others fail in none."""
STAGES = ("gather", "read", "model", "search", "compute")
LEFT = dict(zip((track.name for track in LADDER), (5, 4, 3, 2, 1), strict=True))
"""By track, how many of the stages are left to the agent."""


def planned_records(tracks=tuple(LEFT), label="Planned"):
    deck = [stage for stage, count in PLAN.items() for _ in range(count)]
    deck += [None] * (120 - len(deck))
    instances = list(dict.fromkeys(place[:3] for place in world_ids()))
    faults = dict(zip(instances, Stream("worked").shuffled(deck), strict=True))
    for track in tracks:
        fields = {} if track == "bare" else {"track": track, "programs": 0, "computed": 0}
        for place in world_ids():
            fault = faults[place[:3]]
            fails = fault is not None and STAGES.index(fault) < LEFT[track]
            yield record(label, place, 1, "suboptimal" if fails else "optimal", gap=7 * fails, **fields)


@pytest.fixture(scope="module")
def results():
    return Results.from_records(planned_records())


def test_losses_of_the_planned_agent_are_those_of_its_plan(results):
    sheet = LOSSES.fill(results)
    rows = {row[1]: (row[2], row[3]) for row in sheet.rows}
    assert rows == {
        "compute": ("bare to code", "+20.0"),
        "search": ("code to solver", "+15.0"),
        "model": ("solver to tables", "+20.0"),
        "read": ("tables to facts", "+10.0"),
        "gather": ("facts to 100 %", "+10.0"),
        "total": ("bare to 100 %", "+75.0"),
    }
    points = {raw["stages"]: raw["points"] for raw in sheet.raw_rows}
    assert sum(points.values()) - points["total"] == pytest.approx(points["total"])


def test_intervals_of_the_planned_agent_hold_the_planned_losses(results):
    (tracks,) = ladders(results).values()
    for loss in stage_losses(tracks):
        planned = 100 * (PLAN.get(loss.stages) or sum(PLAN.values())) / 120
        assert loss.interval.low < planned < loss.interval.high
        assert 6 < loss.interval.high - loss.interval.low < 20
        assert (loss.p is None) == (loss.stages in ("gather", "total"))


def test_exact_optimality_on_each_track(results):
    sheet = ASSISTED_RESULTS.fill(results)
    exact = {row[1]: row[2].split()[0] for row in sheet.rows}
    assert exact == {"bare": "25.0", "code": "45.0", "solver": "60.0", "tables": "80.0", "facts": "90.0"}


def test_paper_tables_have_no_assisted_configuration(results):
    sheets = fill_sheets(results)
    assert results.configurations == ("Planned",)
    assert set(results.assisted.configurations) == {f"Planned + {name}" for name in ("code", "solver", "tables", "facts")}
    for name, sheet in sheets.items():
        assert name in ("assisted_results", "losses") or not any("Planned +" in cell for row in sheet.rows for cell in row)
    assert {"assisted_results", "losses"} <= sheets.keys()


def test_a_missing_track_joins_its_neighbours():
    losses = LOSSES.fill(Results.from_records(planned_records(("bare", "tables"))))
    assert [row[1:4] for row in losses.rows] == [
        ("compute + search + model", "bare to tables", "+55.0"),
        ("read + gather", "tables to 100 %", "+20.0"),
        ("total", "bare to 100 %", "+75.0"),
    ]


def test_a_report_without_assisted_runs_has_no_section_of_tracks():
    sheets = fill_sheets(Results.from_records(planned_records(("bare",))))
    assert not {"assisted_results", "losses"} & sheets.keys()


def test_assisted_runs_without_bare_ones_are_marked():
    sheets = fill_sheets(Results.from_records(planned_records(("code",))))
    assert "Without a run on bare: Planned." in sheets["losses"].caption
    assert "cannot be compared with those of the paper" in sheets["main_results"].caption


def test_two_configurations_share_no_ladder():
    records = [*planned_records(("bare", "code")), *planned_records(("code",), "Other")]
    tracks = ladders(Results.from_records(records))
    assert {name: [track_results.track for track_results in own] for name, own in tracks.items()} == {
        "Planned": ["bare", "code"],
        "Other": ["code"],
    }
