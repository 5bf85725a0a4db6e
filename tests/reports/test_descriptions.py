"""The tables that describe the benchmark agree with the declarations and leave none out."""

import json

import pytest

from algoworlds.core.work import COUNTER_MEANINGS, Work
from algoworlds.families import FAMILIES
from algoworlds.measures.judging import ALL_MEASURES
from algoworlds.reports.descriptions import DESCRIPTIONS, complexity_summary, description_tables
from algoworlds.runs.providers.configuration_file import shipped_configurations
from tests.command import run_here

TABLES = description_tables()
TITLES = [family.title for family in FAMILIES.values()]


@pytest.mark.parametrize("name", ["families", "controls", "components", "verification", "drivers"])
def test_every_family_has_a_row_without_empty_cells(name):
    rows = {row[0]: row for row in TABLES[name].rows}
    assert set(TITLES) <= set(rows)
    assert all(cell for title in TITLES for cell in rows[title])


def test_tables_contain_every_declaration():
    assert tuple(COUNTER_MEANINGS) == Work._fields
    assert [row[1] for row in TABLES["metrics"].rows] == [measure.name for measure in ALL_MEASURES]
    assert len(TABLES["subjects"].rows) == len(shipped_configurations())
    rows = {(row[0], row[1]) for row in TABLES["tools"].rows}
    assert rows >= {(family.title, name) for family in FAMILIES.values() for name in family.tools}
    assert {row[1] for row in TABLES["levels"].rows if row[0] == "Fleet Dispatch"} == set("01234")


def test_the_two_algorithms_of_a_family_are_not_described_alike():
    assert all(construction != verification for _, construction, verification in TABLES["verification"].rows)
    assert all("O(" in complexity_summary(family) for family in FAMILIES.values())


def test_command_prints_tables_in_every_format():
    assert list(json.loads(run_here("describe", "--json").stdout)) == [description.__name__ for description in DESCRIPTIONS]
    assert run_here("describe", "bands", "--format", "csv").stdout.splitlines()[1] == '1,"32,768","131,072"'
    assert "| 1 | 32,768 | 131,072 |" in run_here("describe", "bands", "--format", "markdown").stdout
    assert r"\label{tab:bands}" in run_here("describe", "bands", "--format", "latex").stdout
    text = run_here("describe", COLUMNS="80").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert "read_dispatch_window" in text.split()
    wrong = run_here("describe", "nothing")
    assert (wrong.returncode, wrong.stderr.startswith("algoworlds: there is no table 'nothing'; choose from families")) == (
        2,
        True,
    )
