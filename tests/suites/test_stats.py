"""The tables of a suite beside the paper's: equal figures are marked, in every format, within 80 columns."""

import copy
import csv
import io
import json
from importlib.resources import files

import pytest
from rich.console import Console

from algoworlds.cli.tables import print_statistics
from algoworlds.families import FAMILIES
from algoworlds.grid import to_csv, to_latex, to_markdown
from algoworlds.suites.paper_tables import ACCESS_COLUMNS, numeric_tables, text_tables

PAPER = json.loads((files("algoworlds.suites") / "paper.json").read_text())
UNITS = ("Hidden instance", "Direct-Mediated pair")
SAME = {
    "access": [{"family": name} | PAPER["access"][name] for name in FAMILIES],
    "work": [
        {"family": name, "level": int(level), "range": bounds}
        for name in FAMILIES
        for level, bounds in PAPER["work"][name].items()
    ],
    "validation": [
        {"row": name, "unit": UNITS[at % 2], "count": count, "passed": count}
        for at, (name, count) in enumerate(PAPER["validation"].items())
    ],
}


@pytest.fixture
def other():
    """The paper's figures, with one figure of each table changed."""
    data = copy.deepcopy(SAME)
    data["access"][3]["budget"][1] += 1
    data["work"][5]["range"][0] -= 1
    data["validation"][2] |= {"count": 1_000, "passed": 999}
    return data


def print_lines(data, width=80):
    text = io.StringIO()
    print_statistics(Console(file=text, width=width, force_terminal=True, color_system=None), text_tables(data))
    return text.getvalue().splitlines()


def test_the_papers_figures_are_consistent():
    """Ranges over all levels are those of the levels together, and the counts follow from 240 worlds."""
    for name in FAMILIES:
        levels = PAPER["work"][name].values()
        assert PAPER["access"][name]["work"] == [min(low for low, _ in levels), max(high for _, high in levels)]
        assert PAPER["access"][name]["info_groups"] == len(FAMILIES[name].channels)
    assert list(PAPER["validation"].values()) == [120, 120, 240, 240, 480, 240, 648, 1_464, 120, 240]
    assert PAPER["validation"]["Channel counterfactual"] == 24 * sum(len(family.channels) for family in FAMILIES.values())
    assert PAPER["validation"]["Response isolation"] == 24 * sum(len(family.tools) + 1 for family in FAMILIES.values())


def test_every_equal_figure_is_marked():
    for table in text_tables(SAME).values():
        paper = [row for row in table.rows if "source" not in table.head or row[1] == "paper"]
        marked = [cell for row in paper for cell in (row[2:] if "source" in table.head else row[-1:])]
        assert marked
        assert all(cell.startswith("= ") for cell in marked)
    assert all(row[-1] == "yes" for table in numeric_tables(SAME).values() for row in table.rows)


def test_a_different_figure_has_no_mark(other):
    access, work, validation = text_tables(other).values()
    at = access.head.index("budget")
    assert [row[0] for row in access.rows if row[1] == "paper" and not row[at].startswith("= ")] == [list(FAMILIES)[3]]
    assert sum(not cell.startswith("= ") for row in access.rows[1::2] for cell in row[2:]) == 1
    assert [row[:2] for row in work.rows if not row[-1].startswith("= ")] == [(list(FAMILIES)[1], "2")]
    assert [row[2:] for row in validation.rows if not row[-1].startswith("= ")] == [("1,000", "999", "240")]


def test_a_row_that_the_paper_lacks_has_an_empty_paper_cell(other):
    other["validation"].append({"row": "Leak audit", "unit": "Algorithmic world", "count": 7, "passed": 7})
    other["work"].append({"family": "fleet_dispatch", "level": 0, "range": [1, 2]})
    assert text_tables(other)["validation"].rows[-1][-1] == text_tables(other)["work"].rows[-1][-1] == ""
    assert numeric_tables(other)["validation"].rows[-1][-2:] == ("", "")
    assert numeric_tables(other)["work"].rows[-1][-5:] == ("1", "2", "", "", "")


def test_the_text_fits_a_terminal_of_80_columns(other):
    lines = print_lines(other)
    assert max(map(len, lines)) <= 80
    at = lines.index("authorization_planning, 3 groups of information (paper = 3)")
    assert lines[at + 1].split() == ["ours", "2,633-7,781", "17-73", "99-291", "120-297", "729-1,257", "43,747-35,313,268"]
    assert lines[at + 2].split() == ["paper", "=", "=", "=", "120-296", "=", "="]
    assert [len(line) for line in lines[at + 1 : at + 3]] == [len(lines[at + 1])] * 2  # columns are aligned
    assert any(line.split()[-4:] == ["1,464", "1,464", "=", "1,464"] for line in lines)


def test_a_narrow_terminal_loses_nothing(other):
    wide, narrow = print_lines(other), print_lines(other, 40)
    assert "".join("".join(narrow).split()).count("50,737") == "".join("".join(wide).split()).count("50,737")


def test_csv_holds_one_plain_number_per_cell(other):
    for table in numeric_tables(other).values():
        head, *rows = csv.reader(io.StringIO(to_csv(table)))
        for row in rows:
            figures = dict(zip(head, row, strict=True))
            numbers = [cell for name, cell in figures.items() if name.endswith(("_min", "_max", "count", "passed"))]
            assert all(cell.isdigit() for cell in numbers)
    assert len(numeric_tables(other)["access"].rows) == 10 * len(ACCESS_COLUMNS)


def test_markdown_and_latex_hold_both_figures(other):
    markdown = to_markdown(text_tables(other)["access"])
    assert "| authorization_planning | ours | 3 | 2,633-7,781 | 17-73 | 99-291 | 120-297 |" in markdown
    assert "| authorization_planning | paper | = 3 | = 2,633-7,781 | = 17-73 | = 99-291 | 120-296 |" in markdown
    assert r"authorization\_planning & paper & = 3 & = 2,633--7,781 &" in to_latex(text_tables(other)["access"])


def test_a_family_that_the_paper_lacks_has_only_our_figures():
    data = copy.deepcopy(SAME)
    data["access"].append(data["access"][0] | {"family": "stranger"})
    data["work"].append({"family": "stranger", "level": 1, "range": [40_000, 50_000]})
    texts, figures = text_tables(data), numeric_tables(data)
    assert [row[1] for row in texts["access"].rows if row[0] == "stranger"] == ["ours"]
    assert texts["work"].rows[-1] == ("stranger", "1", "40,000-50,000", "")
    assert figures["work"].rows[-1] == ("stranger", "1", "40000", "50000", "", "", "")
    assert {row[4:] for row in figures["access"].rows if row[0] == "stranger"} == {("", "", "")}
    assert any(line.startswith("stranger, ") and "paper" not in line for line in print_lines(data))
