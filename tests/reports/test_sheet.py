"""How numbers are formatted, for people and for programs."""

import pytest

from algoworlds.reports.aggregate import Interval, Summary
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import (
    RowSubject,
    Section,
    Sheet,
    SheetColumn,
    decimals,
    format_interval,
    format_mean_sd,
    format_p_value,
    format_signed,
    format_signed_interval,
    leading_number,
    side_by_side,
)
from algoworlds.reports.sheets.decisions import MAIN_RESULTS
from algoworlds.reports.sheets.slices import STABILITY, TASK_RESULTS
from algoworlds.reports.sheets.uncertainty import RELIABILITY
from tests.reports.synthetic import experiment, record, world_ids


@pytest.mark.parametrize(("value", "text"), [(-0.04, "+0.0"), (0.0, "+0.0"), (-0.06, "-0.1"), (4.7222, "+4.7")])
def test_there_is_no_negative_zero(value, text):
    assert format_signed(value) == text
    assert format_signed_interval(Interval(value, value)) == f"[{text}, {text}]"


def test_formatters():
    assert format_mean_sd(Summary(26.388888, 1.3394, ())) == "26.39 ± 1.34"
    assert format_mean_sd(Summary(26.388888, None, ())) == "26.39 ± -"
    assert decimals(1)(Summary(16.25, None, ())) == "16.2"  # halves go to the even digit, as the paper's do
    assert decimals(1)(38.75) == "38.8"
    assert decimals(2)(-0.001) == "0.00"
    assert side_by_side(decimals(1), decimals(1))({"a": 1.0, "b": None}) == "1.0 / -"
    assert format_interval(Interval(0.0, 24.25)) == "[0.0, 24.2]"
    assert [format_p_value(value) for value in (0.00004, 0.0002, 1.0)] == ["< 0.0001", "0.0002", "1.0000"]


def test_csv_has_one_number_per_cell():
    columns = (
        SheetColumn("a", "A", decimals(1)),
        SheetColumn("b", "B", format_interval),
        SheetColumn("c", "C", str),
        SheetColumn("d", "D", str),
    )
    rows = [
        {"a": Summary(1 / 3, None, (1 / 3,)), "b": None, "c": 7, "d": None},
        {"a": Summary(2e-12, 0.5, (0.0, 1.0)), "b": Interval(-1.0, 2.0), "c": "x", "d": None},
    ]
    results = Results.from_records([record("M", ("fleet_dispatch", 1, 1, "direct"), 1)])
    sheet = Sheet(
        "made",
        "Made",
        Section("here", "Here", ""),
        "Of {worlds} world.",
        lambda results: [RowSubject(row, None) for row in rows],
        columns,
    )
    table = sheet.fill(results)
    assert table.caption == "Of 1 world."
    assert table.rows == (("0.3", "-", "7", "-"), ("0.0", "[-1.0, 2.0]", "x", "-"))
    assert table.unrounded.head == ("A", "A SD", "B low", "B high", "C", "D")
    assert table.unrounded.rows == (("0.333333333", "", "", "", "7", ""), ("2e-12", "0.5", "-1.0", "2.0", "x", ""))
    assert table.json["rows"][1]["a"] == {"mean": 2e-12, "sd": 0.5, "trials": [0.0, 1.0]}


def test_fewer_trials_leave_cells_empty():
    places = world_ids(families=("fleet_dispatch",), levels=(1,))
    results = Results.from_records(experiment(("A",), places, trials=3) + experiment(("B",), places, trials=2))
    reliable, stable = (next(row for row in sheet.fill(results).rows if row[0] == "B") for sheet in (RELIABILITY, STABILITY))
    assert [cell == "-" for cell in reliable] == [False, False, False, True, False, True]
    assert stable[3] == "-"
    assert stable[4:8] == ("-",) * 4
    assert stable[8] != "-"


def test_best_of_a_column_is_bold_among_models_only():
    places = world_ids(("fleet_dispatch",), (1,), (1, 2))
    counts = {"good": 3, "fair": 2, "fair too": 2}
    records = [
        record(label, place, 1, "optimal" if at < solved else "suboptimal", gap=0 if at < solved else 60)
        for label, solved in counts.items()
        for at, place in enumerate(places)
    ]
    records += [record("oracle", place, 1, kind="agent") for place in places]
    main = MAIN_RESULTS.fill(Results.from_records(records))
    best = {(main.rows[row][0], main.head[column]) for row, column in main.bold}
    assert best == {("good", "Exact optimality"), ("good", "Reference utility")}  # the others are alike in all
    assert "In bold the best of a column, scripted agents aside." in main.caption
    families = TASK_RESULTS.fill(Results.from_records(records))
    assert {(families.rows[row][0], families.head[column]) for row, column in families.bold} == {("Fleet Dispatch", "good")}
    alone = MAIN_RESULTS.fill(Results.from_records([row for row in records if row["configuration"].startswith("fair")]))
    assert alone.bold == frozenset()
    assert "In bold" not in alone.caption


def test_values_that_print_the_same_are_equally_good():
    assert [leading_number(text) for text in ("38.61 ± 0.24", "1,204", "-", "38.6 / 71.2", "-0.25")] == [
        38.61,
        1204,
        None,
        38.6,
        -0.25,
    ]
