"""The files of all tables: complete, the same bytes for any order of input, safe for any label, fast (B12, C7)."""

import csv
import itertools
import json
import random
import time
from dataclasses import replace

import pytest

from algoworlds.errors import InputError
from algoworlds.grid import Grid
from algoworlds.reports.output_folder import write_files
from algoworlds.reports.report import SUITE_SHEETS, build_report_files, fill_sheets, sheet_files
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION_COLUMN, Section, Sheet, SheetColumn, configuration_subjects
from algoworlds.reports.sheets import SHEETS
from tests.command import python
from tests.reports.synthetic import experiment, record, world_ids

PAPER = [
    "main_results",
    "conditional_outcomes",
    "task_results",
    "workload_results",
    "representation_results",
    "outcomes",
    "reference_quality",
    "conditional_outcome_counts",
    "task_diagnostics",
    "stability",
    "diagnostics",
    "acquisition_spend",
    "trajectory_examples",
]
ADDED = [
    "intervals",
    "comparisons",
    "interface_tests",
    "reliability",
    "small_cells",
    "drift",
    "information_use",
    "usage",
    "protocol",
    "stops",
]
SMALL = world_ids(families=("fleet_dispatch", "transit_routing"), levels=(1, 2), indices=(1, 2))


def names(sheets):
    """The names of sheets in the order of their files."""
    files = [name.removesuffix(".csv") for name in sheet_files(sheets) if name.endswith(".csv")]
    assert set(files) == set(sheets)
    return files


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_every_table_in_every_format(tmp_path):
    tables = fill_sheets(Results.from_records(experiment(("A", "B"), SMALL)))
    assert names(tables) == PAPER + ADDED
    write_files(sheet_files(tables), tmp_path)
    expected = {f"{name}.{ending}" for name in tables for ending in ("md", "csv", "tex")} | {"tables.md", "tables.json"}
    assert set(contents(tmp_path)) == expected
    raw = {load["name"]: load for load in json.loads((tmp_path / "tables.json").read_text())}
    exact = raw["main_results"]["rows"][0]["exact_optimality"]
    assert sum(exact["trials"]) / 3 == pytest.approx(exact["mean"])


def test_shuffled_input_gives_the_same_bytes(tmp_path):
    records = experiment(("A", "B", "C"), SMALL) + experiment(("oracle",), SMALL, kind="agent", trials=1)
    for place in range(3):
        shuffled = random.Random(place).sample(records, len(records))
        write_files(sheet_files(fill_sheets(Results.from_records(shuffled))), tmp_path / str(place))
    write_files(sheet_files(fill_sheets(Results.from_records(records))), tmp_path / "0")  # a second time, over the first
    assert contents(tmp_path / "0") == contents(tmp_path / "1") == contents(tmp_path / "2")


def test_hash_seed_does_not_change_bytes():
    code = """
import hashlib
from algoworlds.reports.results import Results
from algoworlds.reports.report import fill_sheets
from algoworlds.errors import InputError
from algoworlds.grid import to_markdown
from tests.reports.synthetic import experiment, world_ids
records = experiment(("A", "B"), world_ids(levels=(1,)))
print(hashlib.sha256("".join(map(to_markdown, fill_sheets(Results.from_records(records)).values())).encode()).hexdigest())
try:
    Results.from_records(records[30:])
except InputError as problem:
    print(problem)
"""
    output = {seed: python(code, PYTHONHASHSEED=seed) for seed in ("1", "2")}
    assert output["1"] == output["2"]
    assert "30 missing" in output["1"]


def test_all_sheets_of_a_full_experiment_take_seconds(tmp_path):
    records = experiment()
    begin = time.process_time()
    write_files(sheet_files(fill_sheets(Results.from_records(records))), tmp_path)
    assert time.process_time() - begin < 8


def test_one_trial_has_no_deviation_or_agreement():
    tables = fill_sheets(Results.from_records(experiment(("A", "B"), SMALL, trials=1)))
    assert all(cell.endswith(" ± -") for row in tables["main_results"].rows for cell in row[1:])
    assert "no deviation" in tables["main_results"].caption
    assert tables["stability"].head[1:] == ("T1", "0/1", "1/1", "Pairwise agreement")
    assert {row[-1] for row in tables["stability"].rows} == {"-"}
    assert tables["reliability"].head == ("Configuration", "pass^1")
    assert [row[1:] for row in tables["drift"].rows] == [("-", "-", "-", "-", "no test: records without their schedule")] * 2


def test_one_model_has_no_comparison():
    tables = fill_sheets(Results.from_records(experiment(("A",), SMALL)))
    assert names(tables) == [name for name in PAPER + ADDED if name != "comparisons"]


def test_one_interface_has_no_paired_tables():
    places = world_ids(families=("fleet_dispatch",), interfaces=("mediated",))
    tables = fill_sheets(Results.from_records(experiment(("A", "B"), places)))
    assert names(tables) == [name for name in PAPER + ADDED if name not in ("representation_results", "interface_tests")]
    assert [row[0] for row in tables["task_results"].rows] == ["Fleet Dispatch"]


def test_only_matched_instances_are_paired():
    places = [*SMALL, ("fleet_dispatch", 3, 1, "direct"), ("fleet_dispatch", 3, 2, "split")]
    tables = fill_sheets(Results.from_records(experiment(("A",), places)))
    row = tables["representation_results"].raw_rows[0]
    assert row["direct_wins"] + row["mediated_wins"] + row["ties"] == 3 * len(SMALL) / 2
    assert f"the {len(SMALL) // 2} instances" in tables["representation_results"].caption


def solving(label, solved):
    return [record(label, place, 1, "optimal" if solved(place) else "infeasible") for place in SMALL]


def test_models_are_compared_within_families():
    """Each model solves one family: within families all instances differ alike, so only their small number is uncertain."""
    fleet, transit = (
        solving("A", lambda place: place[0] == "fleet_dispatch"),
        solving("B", lambda place: place[0] != "fleet_dispatch"),
    )
    row = fill_sheets(Results.from_records(fleet + transit))["comparisons"].raw_rows[0]
    assert (row["delta"], row["p"], row["reading"]) == (0, 1, "undecided")
    assert row["interval"] == pytest.approx((-42.8, 42.8), abs=0.05)


def test_paired_interfaces_are_resampled_over_all_instances():
    """Direct wins one family, Mediated the other: the paper's bootstrap has no strata, so families vary in their share."""
    records = solving("A", lambda place: (place[0] == "fleet_dispatch") == (place[3] == "direct"))
    row = fill_sheets(Results.from_records(records))["representation_results"].raw_rows[0]
    assert row["delta"] == 0
    assert row["interval"] == (-75, 75)


def test_a_single_world():
    tables = fill_sheets(Results.from_records([record("A", ("fleet_dispatch", 1, 1, "direct"), 1, kind="agent")]))
    missing = {"representation_results", "interface_tests", "comparisons", "drift", "usage", "trajectory_examples"}
    assert names(tables) == [name for name in PAPER + ADDED if name not in missing]
    assert tables["main_results"].rows[0][1] == "100.00 ± -"
    assert tables["reference_quality"].rows[0][2:4] == ("-", "-")


def test_one_instance_per_family_has_no_interval_in_any_table():
    """Ten families, one instance each: A solves three more than B, which printed -15.0 [-15.0, -15.0]."""
    places = world_ids(levels=(1,), indices=(1,))
    records = [record("A", place, 1, "optimal" if place[0] < "f" else "infeasible") for place in places]
    records += [
        record("B", place, 1, "optimal" if place[0] < "b" or place[3] == "direct" else "infeasible") for place in places
    ]
    tables = fill_sheets(Results.from_records(records))
    note = "There is no interval: with one instance a family nothing is known of another one."
    for name in ("intervals", "comparisons", "interface_tests", "representation_results"):
        assert note in tables[name].caption
    assert {cell.split(" ", 1)[1] for row in tables["intervals"].rows for cell in row[1:]} == {"(no interval)"}
    assert {cell.split(" ", 1)[1] for row in tables["small_cells"].rows for cell in row[1:]} == {"(no interval)"}
    for name in ("comparisons", "interface_tests", "representation_results"):
        at = [place for place, head in enumerate(tables[name].head) if "interval" in head]
        assert {row[place] for row in tables[name].rows for place in at} == {"-"}
    assert tables["comparisons"].rows[0][-1] == "no interval"
    assert not [text for table in tables.values() for text in table.unrounded.head if text.endswith((" low", " high"))]


def test_rates_of_0_and_100_have_intervals_with_width():
    """All solved or none: the interval of eight instances reaches far, where [0.0, 0.0] was printed."""
    for category, cell in (("optimal", "100.0 [57.2, 100.0]"), ("infeasible", "0.0 [0.0, 42.8]")):
        tables = fill_sheets(Results.from_records([record("A", place, 1, category) for place in SMALL]))
        assert tables["intervals"].rows[0][1] == cell


def test_reading_says_when_interval_and_test_disagree():
    """If interval and test disagree about zero, the reading says so."""
    places = world_ids(families=("fleet_dispatch", "transit_routing", "machine_layout"), levels=(1, 2), indices=(1, 2))
    seen = set()
    for seed in range(12):
        tables = fill_sheets(Results.from_records(experiment(("A", "B", "C", "D"), places, trials=2, seed=seed)))
        for row in (*tables["comparisons"].raw_rows, *tables["interface_tests"].raw_rows):
            apart = not row["interval"].low <= 0 <= row["interval"].high
            disagree = apart != (row["p"] < 0.05)
            assert ("disagree" in row["reading"]) == disagree
            assert (row["reading"] in ("higher", "lower")) == (not disagree and apart and row["holm"] < 0.05)
            seen.add(row["reading"])
    assert {"undecided", "undecided: interval and test disagree"} <= seen


def test_scripted_agents_are_below_models():
    records = experiment(("Z", "Y"), SMALL) + experiment(("null", "oracle"), SMALL, kind="agent")
    tables = fill_sheets(Results.from_records(records, order=("oracle", "Y", "Z")))
    assert [row[0] for row in tables["main_results"].rows] == ["Y", "Z", "oracle", "null"]
    assert tables["task_results"].head == ("Task family", "Y", "Z", "oracle", "null")
    assert [row[:2] for row in tables["comparisons"].rows] == [("Y", "Z")]
    agents = fill_sheets(Results.from_records(experiment(("null", "greedy", "oracle"), SMALL, kind="agent")))
    assert len(agents["comparisons"].rows) == 3


def test_conditional_columns_without_a_denominator_are_empty():
    records = [record("A", place, trial, "infeasible", sufficient=False) for place in SMALL for trial in (1, 2)]
    tables = fill_sheets(Results.from_records(records))
    assert tables["conditional_outcomes"].rows[0] == ("A", "0.0", "-", "-", "-")
    assert tables["acquisition_spend"].rows[0][-2:] == ("-", "-")
    assert tables["acquisition_spend"].unrounded.rows[0][-2:] == ("", "")


HOSTILE = (
    "=HYPERLINK(1)",
    r"\input{/etc/passwd}",
    "a|b\nc",
    "<script>alert(1)</script>",
    "\x1b[31mred",
    "{worlds} {0} %s",
    "$x$ & y # z_1",
)


def test_hostile_labels_are_inert(tmp_path):
    records = [record for label in HOSTILE for record in experiment((label,), SMALL)]
    attempts = {HOSTILE[0]: [attempt(SMALL[0], 1, 1, 1, "</td>")]}
    write_files(sheet_files(fill_sheets(Results.from_records(records, order=HOSTILE).with_attempts(attempts))), tmp_path)
    for name, data in contents(tmp_path).items():
        text = data.decode()
        assert "\x1b" not in text
        if name.endswith(".md"):
            assert "<script>" not in text
            assert "</td>" not in text
        if name.endswith(".tex"):
            assert r"\input" not in text
    with (tmp_path / "main_results.csv").open(newline="", encoding="utf-8") as file:
        labels = [row[0] for row in csv.reader(file)][1:]
    assert labels[0] == "'=HYPERLINK(1)"
    assert labels[5] == "{worlds} {0} %s"
    lines = (tmp_path / "main_results.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 4 + len(HOSTILE)


def test_sheet_of_a_suite_is_written_without_raw_rows():
    text, figures = Grid("access", "", ("family", "facts"), (("fleet_dispatch", "12"),)), Grid("access", "", ("n",), (("1",),))
    files = sheet_files({"benchmark_statistics": SUITE_SHEETS[0].fill(text, figures)})
    assert files["benchmark_statistics.csv"] == b"n\n1\n"
    assert b"| Fleet Dispatch | 12 |" in files["benchmark_statistics.md"]
    assert json.loads(files["tables.json"]) == []


def test_cells_select_their_evaluations():
    results = Results.from_records(experiment(("A", "B"), SMALL))
    tables = fill_sheets(results)
    where = tables["outcomes"].cell_filter(1, 3)
    assert where == {"configuration": "B", "category": "infeasible"}
    found = [
        evaluation
        for evaluation in results.evaluations
        if all(getattr(evaluation, name) == value for name, value in where.items())
    ]
    assert len(found) / 3 == pytest.approx(tables["outcomes"].raw_rows[1]["infeasible"].mean)
    assert tables["task_results"].cell_filter(1, 2) == {"family": "fleet_dispatch", "configuration": "B"}
    example = tables["trajectory_examples"].cell_filter(0, 1)
    assert (
        len(
            [
                evaluation
                for evaluation in results.evaluations
                if all(getattr(evaluation, name) == value for name, value in example.items())
            ]
        )
        == 1
    )
    assert tables["workload_results"].cell_filter(0, 2) == {"configuration": "A", "level": 2}


# -- trajectories -----------------------------------------------------------------------------------------------------


def test_trajectory_examples_are_the_median_ones():
    cases = [
        *[
            record("A", place, 1, "no_decision", sufficient=False, seen=seen)
            for place, seen in zip(SMALL, (4, 14, 30), strict=False)
        ],
        record("A", SMALL[3], 1, "infeasible", sufficient=False, seen=2),
        *[record("A", place, 1, "infeasible", seen=seen) for place, seen in zip(SMALL[4:], (9, 8, 7), strict=False)],
        *[record("A", place, 1, "suboptimal", gap=gap) for place, gap in zip(SMALL[7:], (1, 2, 3, 4), strict=False)],
        *[record("A", place, 1) for place in SMALL[11:]],
    ]
    rows = fill_sheets(Results.from_records(cases))["trajectory_examples"].rows
    cells = [row[1] for row in rows]
    assert [row[0] for row in rows] == ["Archetype", "World", "Recorded calls", "Final result"] * 3
    assert cells[1] == "Fleet Dispatch, Mediated, L1, instance 1; A, trial 1"
    assert cells[2] == "read zone window (2); read zone (1)"
    assert cells[3] == "No decision; discovery coverage 35.0%"
    assert cells[5] == "Fleet Dispatch, Mediated, L2, instance 1; A, trial 1"
    assert cells[11].startswith("Feasible non-optimum; normalized regret 0.049")


# -- attempts ---------------------------------------------------------------------------------------------------------


def attempt(place, trial, turn, number, fault=None, waited=0.0):
    family, level, index, interface = place
    world = f"{family}-{level}-{index}-{interface}"
    status = 429 if fault else 200
    return {
        "world": world,
        "trial": trial,
        "turn": turn,
        "number": number,
        "status": status,
        "fault": fault,
        "seconds": 1.0,
        "waited": waited,
    }


def test_retries_are_counted_and_compared():
    records = [record("A", place, 1, "optimal" if place[3] == "direct" else "infeasible") for place in SMALL]
    attempts = [attempt(place, 1, 1, 1) for place in SMALL]
    attempts += [
        attempt(SMALL[0], 1, 2, 1, "rate"),
        attempt(SMALL[0], 1, 2, 2, "reset", 2.0),
        attempt(SMALL[0], 1, 2, 3, None, 4.5),
    ]
    table = fill_sheets(Results.from_records(records).with_attempts({"A": attempts}))["retries"]
    assert table.rows == (("A", "17", "1", "2", "rate 1, reset 1", "6", "100.0", "46.7"),)
    assert table.cell_filter(0, 0) == {"configuration": "A"}
    assert "retries" not in fill_sheets(Results.from_records(records).with_attempts({"A": []}))


def test_agents_that_were_started_again_are_counted_and_compared():
    records = [record("A", place, 1, "optimal" if place[3] == "direct" else "infeasible") for place in SMALL]
    results = Results.from_records(records)
    first, second = [evaluation.id for evaluation in results.evaluations if evaluation.exact][:2]
    table = fill_sheets(replace(results, starts={first: 2, second: 4}))["restarts"]
    assert table.rows == (("A", "2", "4", "100.0", "42.9"),)
    assert "restarts" not in fill_sheets(results)


def test_attempts_without_a_record_are_refused():
    records = [record("A", place, 1) for place in SMALL]
    with pytest.raises(InputError, match=r"1 evaluations have attempts but no record, the first 'A' .* trial 2"):
        Results.from_records(records).with_attempts({"A": [attempt(SMALL[0], 2, 1, 1)]})


def test_unwritable_folder_is_a_one_line_error(tmp_path):
    taken = tmp_path / "taken"
    taken.write_text("a file")
    with pytest.raises(InputError, match=r"cannot write .*taken.*; choose another place"):
        write_files(sheet_files(fill_sheets(Results.from_records([record("A", SMALL[0], 1)]))), taken)


def test_sheets_have_unique_names():
    names = [sheet.name for sheet in (*SHEETS, *SUITE_SHEETS)]
    assert len(set(names)) == len(names) == 38
    sections = [sheet.section for sheet in (*SHEETS, *SUITE_SHEETS)]
    assert [name for name, _ in itertools.groupby(section.anchor for section in sections)] == [
        "results",
        "knowledge",
        "tracks",
        "condition",
        "statistics",
        "details",
        "suite",
    ]


def test_a_new_sheet_is_one_value_in_one_list(no_figures, monkeypatch):
    """Files, raw values and page take name, title, section, caption and columns from the sheet."""
    solved = SheetColumn("solved", "Solved", str, lambda trials: sum(row.exact for trial in trials for row in trial))
    section = Section("new", "New section", "About it.")
    sheet = Sheet(
        "solved", "A new title", section, "Solved on {worlds} worlds.", configuration_subjects, (CONFIGURATION_COLUMN, solved)
    )
    monkeypatch.setattr("algoworlds.reports.report.SHEETS", (*SHEETS, sheet))
    results = Results.from_records([record("A", place, 1) for place in SMALL])
    sheets = fill_sheets(results)
    files = sheet_files(sheets) | build_report_files(results, sheets, {})
    assert files["solved.csv"] == b"Configuration,Solved\nA,16\n"
    assert json.loads(files["tables.json"])[-1]["rows"] == [{"configuration": "A", "solved": 16}]
    page = files["report.html"].decode()
    assert all(text in page for text in ("New section", "A new title", "Solved on 16 worlds.", "table-solved"))
