"""Scripted agents play a real suite, and the tables show the results that follow from their definitions (E1, E2, E3)."""

import pytest

from algoworlds.reports.report import fill_sheets
from algoworlds.reports.results import Results
from algoworlds.runs.agents import AGENTS
from algoworlds.runs.scripted import ScriptedTask, play_task
from algoworlds.suites.build import build_suite
from algoworlds.suites.open import open_suite
from algoworlds.suites.suite import SuiteSpec


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    out = tmp_path_factory.mktemp("suite") / "suite"
    suite = SuiteSpec("tiny", "tables", ("fleet_dispatch", "basket_assembly"), levels=(0,), instances=2)
    build_suite(suite, out, None, lambda done, total: None)
    opened = open_suite(out)
    tasks = [
        ScriptedTask(out, opened.manifest.root, "0", name, name, world, (1, 2), "bare")
        for name in AGENTS
        for world in opened.entries
    ]
    return Results.from_records(record for task in tasks for record in play_task(task))


def rows(table):
    return {row[0]: row[1:] for row in table.rows}


def test_floor_and_ceiling(results):
    assert results.configurations == ("certifier", "oracle", "thrifty", "random", "local_search", "greedy", "null")
    main = rows(fill_sheets(results)["main_results"])
    assert main["oracle"] == ("100.00 ± 0.00",) * 5
    assert main["greedy"] == ("0.00 ± 0.00", "100.00 ± 0.00", "0.00 ± 0.00", "100.00 ± 0.00", "100.00 ± 0.00")
    assert main["null"] == ("0.00 ± 0.00",) * 5


def test_greed_is_the_reference(results):
    quality = rows(fill_sheets(results)["reference_quality"])
    assert quality["greedy"][1:] == ("1.000", "1.000", "0.0", "0.0", "8.0", "0.0")
    assert quality["null"][1:] == ("-", "-", "0.0", "0.0", "0.0", "8.0")


def test_fresh_worlds_pair_by_instance(results):
    assert len(results.instances) == 4
    paired = rows(fill_sheets(results)["representation_results"])
    assert paired["oracle"] == ("100.0", "100.0", "+0.0", "[+0.0, +0.0]", "0", "0", "8")


def test_endings_and_calls(results):
    tables = fill_sheets(results)
    stops = {row["configuration"]: row for row in tables["stops"].raw_rows}
    assert stops["oracle"]["stop submitted"] == 16
    assert stops["null"]["stop submitted"] == 0
    assert tables["information_use"].raw_rows[0]["rejected_calls"].mean == 0
    assert "usage" not in tables
