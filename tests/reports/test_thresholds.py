"""Results of measurements: differences, ties, failures, and the page."""

import json

import pytest

from algoworlds.core.interface import Interface
from algoworlds.measures.threshold import Outcome, posteriors
from algoworlds.reports.thresholds import (
    Evaluated,
    MeasurementResults,
    bin_evaluations,
    comparison_json,
    count_failures,
    describe_size,
    difference,
    threshold_grid,
    threshold_sheets,
    tie_groups,
)
from algoworlds.suites.suite import ScalePoint
from tests.command import run_here

FAMILIES = ("fleet_dispatch", "machine_layout")


def results(label, threshold, times=4):
    """A player who is exact below a threshold, in tenths of a bit."""
    evaluated = []
    for family in FAMILIES:
        for at in range(60, 240, 10):
            exact = at < threshold
            record = {"exact": int(exact), "outcome": "feasible", "utility": 100.0 * exact, "tokens": None, "cost": None}
            record |= {"trajectory": [{"charged": 3}, {"charged": 0}], "turns": 2}
            evaluated += [Evaluated(ScalePoint(family, at, 1, Interface.DIRECT), record, None)] * times
    return MeasurementResults(label, "agent", FAMILIES, tuple(evaluated), 1, True)


def test_thresholds_are_where_success_ends():
    found = results("x", 150)
    assert 14 < found.ability.value < 15.5
    assert all(14 < one.estimate.threshold.value < 15.5 for one in found.by_family.values())
    assert found.by_family["fleet_dispatch"].cost["calls"] == 1


def test_differences_add_up():
    strong, weak = results("strong", 180).by_family, results("weak", 110).by_family
    gap = difference(strong["fleet_dispatch"].posterior, weak["fleet_dispatch"].posterior)
    back = difference(weak["fleet_dispatch"].posterior, strong["fleet_dispatch"].posterior)
    assert 6 < gap.value < 8
    assert (gap.value, gap.low, gap.high) == pytest.approx((-back.value, -back.high, -back.low), abs=1e-6)
    assert gap.low > 0


def test_equal_players_are_tied_and_others_are_not():
    players = [results("weak", 110), results("strong", 180), results("equal", 180)]
    assert tie_groups(players) == [["equal", "strong"], ["weak"]]
    pairs = comparison_json(players)["pairs"]
    assert [pair["ability"]["low"] > 0 for pair in pairs] == [False, False, False]
    assert pairs[2]["ability"]["low"] < 0 < pairs[2]["ability"]["high"]
    assert pairs[0]["ability"]["high"] < 0


def test_failures_are_told_apart():
    point = ScalePoint("fleet_dispatch", 60, 1, Interface.DIRECT)
    outcomes = ["feasible", "infeasible", "no_decision", "protocol_violation", "feasible"]
    ones = [Evaluated(point, {"exact": int(at == 4), "outcome": name}, None) for at, name in enumerate(outcomes)]
    assert count_failures(ones) == {"evaluations": 5, "format": 1, "protocol": 2, "wrong": 1}


def test_bins_count_every_evaluation_once():
    found = results("x", 150)
    bins = bin_evaluations(found.evaluated)
    assert sum(part.evaluations for part in bins) == len(found.evaluated)
    assert [part.exact / part.evaluations for part in bins] == sorted(
        (part.exact / part.evaluations for part in bins), reverse=True
    )


def test_a_bound_is_said_to_be_one():
    found = results("never", 0)
    assert {one.side for one in found.by_family.values()} == {"below"}
    assert all(row[1].startswith("< ") for row in threshold_grid(found).rows[:-1])


def test_sizes_are_in_words():
    assert describe_size("machine_layout", 12.3) == "8 machines, 8 slots"
    assert posteriors(FAMILIES, [Outcome("fleet_dispatch", 100, True)]).keys() == set(FAMILIES)


def test_sheets_go_beside_the_tables_of_a_report():
    sheets = threshold_sheets([results("one", 150), results("two", 180)])
    assert list(sheets) == ["thresholds_1", "scale_1", "thresholds_2", "scale_2", "threshold_comparison"]
    assert threshold_sheets([]) == {}


def test_a_measurement_through_inspect_says_what_to_do(tmp_path):
    options = ("--inspect", "my model", "--families", "machine_layout", "--seed", "demo", "--evaluations", 2)
    done = run_here("measure", *options, "--out", tmp_path / "out")
    assert done.returncode == 1
    assert "inspect eval" in done.stderr
    assert "algoworlds import inspect LOG --label 'my model'" in done.stderr
    assert run_here("measure", *options, "--agent", "null", "--out", tmp_path / "out").returncode == 2


def test_judged_rounds_say_what_was_justified(tmp_path):
    options = ("--agent", "oracle", "--families", "machine_layout", "--seed", "demo", "--evaluations", 1)
    assert run_here("measure", *options, "--out", tmp_path / "one").returncode == 0
    assert run_here("judge", tmp_path / "one" / "rounds" / "001" / "run").returncode == 0
    found = json.loads(run_here("thresholds", tmp_path / "one", "--json").stdout)
    bins = found["measurements"][0]["families"][0]["bins"]
    assert [(part["exact"], part["justified"]) for part in bins] == [(1, 1.0)]


def test_the_page_shows_curves_and_example_worlds(tmp_path):
    options = ("--agent", "oracle", "--families", "machine_layout", "--seed", "demo", "--evaluations", 3)
    assert run_here("measure", *options, "--out", tmp_path / "one").returncode == 0
    done = run_here("thresholds", tmp_path / "one", tmp_path / "one", "--out", tmp_path / "page", "--json")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page" / "thresholds.html").read_text()
    assert page.count("<svg") == 2
    assert "machine_layout-b" in page
    assert "<details>" in page
    written = json.loads((tmp_path / "page" / "thresholds.json").read_text())
    assert written == json.loads(done.stdout)
