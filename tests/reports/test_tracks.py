"""Assisted tracks in a report: losses of an agent whose faults are planned, and paper tables without assisted runs."""

import numpy as np
import pytest

from algoworlds.core.stream import Stream
from algoworlds.reports.report import fill_sheets
from algoworlds.reports.result_figures import all_figures
from algoworlds.reports.results import Results
from algoworlds.reports.sheets.tracks import ASSISTED_RESULTS, LOSSES, ladders, stage_losses
from algoworlds.tracks.track import LADDER
from tests.reports.synthetic import record, world_ids

PLAN = {"compute": 24, "search": 18, "model": 24, "read": 12, "gather": 12}
"""Of 120 instances, those that fail in one stage; the others fail in none."""
STAGES = ("gather", "read", "model", "search", "compute")
LEFT = dict(zip((track.name for track in LADDER), (5, 4, 3, 2, 1), strict=True)) | {"calls": 4}
"""By track, how many of the stages are left to the agent."""


def planned_records(tracks=tuple(LEFT)[:5], label="Planned"):
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


def test_sheets_of_the_planned_agent_are_right_to_the_digit(results):
    """Numbers computed by another program from the plan and the deal of the faults."""
    sheet = LOSSES.fill(results)
    assert [row[1:5] for row in sheet.rows] == [
        ("compute", "bare to code", "+20.0", "[12.7, 27.3]"),
        ("search", "code to solver", "+15.0", "[8.4, 21.6]"),
        ("model", "solver to tables", "+20.0", "[12.8, 27.2]"),
        ("read", "tables to facts", "+10.0", "[4.5, 15.5]"),
        ("gather", "facts to 100 %", "+10.0", "[5.8, 16.7]"),
        ("total", "bare to 100 %", "+75.0", "[66.3, 82.0]"),
    ]
    points = {raw["stages"]: raw["points"] for raw in sheet.raw_rows}
    assert sum(points.values()) - points["total"] == pytest.approx(points["total"])
    assert [row[1:3] for row in ASSISTED_RESULTS.fill(results).rows] == [
        ("bare", "25.0 [18.0, 33.7]"),
        ("code", "45.0 [36.5, 53.8]"),
        ("solver", "60.0 [51.1, 68.3]"),
        ("tables", "80.0 [71.8, 86.2]"),
        ("facts", "90.0 [83.3, 94.2]"),
    ]


def test_intervals_of_the_planned_agent_hold_the_planned_losses(results):
    (tracks,) = ladders(results).values()
    for loss in stage_losses(tracks):
        planned = 100 * (PLAN.get(loss.stages) or sum(PLAN.values())) / 120
        assert loss.interval.low < planned < loss.interval.high
        assert 6 < loss.interval.high - loss.interval.low < 20
        assert (loss.p is None) == (loss.stages in ("gather", "total"))


def test_figure_stacks_the_losses_from_what_is_solved_to_100(results):
    (axes,) = all_figures(results)["stage_losses"].axes
    segments = [(round(bar.get_x(), 9), round(bar.get_width(), 9)) for bar in axes.patches]
    assert segments == [(0, 25), (25, 20), (45, 15), (60, 20), (80, 10), (90, 10)]
    drawn = [line.get_xdata() for line in axes.lines if len(line.get_xdata()) == 2]
    *losses, _ = stage_losses(*ladders(results).values())
    starts = (25, 45, 60, 80)
    expected = [[start + bound for bound in loss.interval] for start, loss in zip(starts, losses, strict=False)]
    assert np.array(drawn) == pytest.approx(
        np.array([*expected, [100 - losses[-1].interval.high, 100 - losses[-1].interval.low]])
    )


@pytest.mark.parametrize("tracks", [("bare",), ("code",), ("bare", "calls")])
def test_one_track_of_the_ladder_has_no_figure(tracks):
    assert "stage_losses" not in all_figures(Results.from_records(planned_records(tracks)))


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
