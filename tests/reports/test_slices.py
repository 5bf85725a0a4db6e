"""Captions and columns state how many evaluations a number covers and why a value is undefined."""

import re

import pytest

from algoworlds.grid import fix_plurals
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.report import build_report_files, fill_sheets
from algoworlds.reports.results import Results
from algoworlds.reports.sheets.decisions import CONDITIONAL_OUTCOME_COUNTS, CONDITIONAL_OUTCOMES, REFERENCE_QUALITY
from algoworlds.reports.sheets.knowledge import REGRET_PARTS
from algoworlds.reports.sheets.slices import TASK_DIAGNOSTICS, TASK_RESULTS, WORKLOAD_RESULTS
from algoworlds.reports.sheets.uncertainty import SMALL_CELLS
from tests.reports.synthetic import experiment, judgement, record, world_ids

PLACES = world_ids(families=("fleet_dispatch", "transit_routing"), levels=(1, 2), indices=(1, 2))


def test_two_causes_of_undefined_regret_parts_are_separated():
    """Eight decisions of sixteen are explained, four are infeasible, and four rest on facts that determine none."""
    kinds = [("suboptimal", 0.25, 0.5)] * 8 + [("infeasible", 0.25, None)] * 3
    kinds += [("no_decision", None, None)] + [("suboptimal", None, None)] * 4
    evaluations = []
    for place, (kind, acquisition, reasoning) in zip(PLACES, kinds, strict=True):
        fields = record("A", place, 1, kind, gap=30)
        document = judgement(fields, acquisition_regret=acquisition, reasoning_regret=reasoning)
        evaluations.append(Evaluation.from_record(fields).with_judgement(document))
    sheet = REGRET_PARTS.fill(Results.from_evaluations(evaluations))
    assert sheet.head[1] == "n"
    assert sheet.rows[0][1] == "8"
    assert sheet.rows[0][3:] == ("0.250", "0.500", "25.0", "25.0")
    assert sheet.cell_filter(0, 5) == {"configuration": "A", "feasible": 0}


def test_captions_of_shares_say_that_they_add_up_before_rounding():
    results = Results.from_records(experiment(("A", "B"), PLACES))
    for sheet in (CONDITIONAL_OUTCOMES, CONDITIONAL_OUTCOME_COUNTS, REFERENCE_QUALITY):
        assert "before rounding" in sheet.fill(results).caption


@pytest.mark.parametrize("sheet", [TASK_RESULTS, TASK_DIAGNOSTICS, SMALL_CELLS], ids=lambda sheet: sheet.name)
def test_captions_by_family_state_the_size_of_a_slice(sheet):
    assert "8 worlds on 4 instances a family" in sheet.fill(Results.from_records(experiment(("A",), PLACES))).caption
    uneven = experiment(("A",), PLACES[:-1])
    assert "7-8 worlds on 4 instances a family" in sheet.fill(Results.from_records(uneven)).caption


def test_captions_by_level_state_the_size_of_a_slice():
    assert "8 worlds on 4 instances a level" in WORKLOAD_RESULTS.fill(Results.from_records(experiment(("A",), PLACES))).caption


def test_conditional_percentages_state_their_denominator():
    records = [record("A", place, trial, sufficient=place[1] == 1) for place in PLACES for trial in (1, 2)]
    records += [record("B", place, trial, sufficient=True) for place in PLACES for trial in (1, 2)]
    assert "(16-32 of a configuration's 32 evaluations)" in CONDITIONAL_OUTCOMES.fill(Results.from_records(records)).caption


def best_of(places):
    results = Results.from_records(experiment(("A", "B"), places) + experiment(("null",), places, kind="agent"))
    return build_report_files(results, fill_sheets(results), {})["report.html"].decode()


def test_best_model_has_an_interval(no_figures):
    text = best_of(PLACES)
    assert text.count("95 % interval [") == 1
    assert text.count("for new instances</span>") == 1
    assert "no interval: one instance a family" in best_of(world_ids(families=("fleet_dispatch",), levels=(1,), indices=(1,)))


def test_one_world_is_not_plural():
    place = world_ids(("fleet_dispatch",), (1,), (1,), ("direct",))
    results = Results.from_records([record("A", place[0], 1)])
    sheets = fill_sheets(results)
    page = " ".join(build_report_files(results, sheets, {})["report.html"].decode().split())
    assert "<dt>Worlds</dt><dd><bdi>1 on 1 instance of 1 family</bdi></dd>" in page
    texts = [*(sheet.caption for sheet in sheets.values()), page]
    assert [
        match for text in texts for match in re.findall(r"(?<![\w.,-])1 (?:world|instance|evaluation|pair|familie)s", text)
    ] == []


def test_only_the_number_one_is_singular():
    text = "1 worlds of 11 worlds, 0.1 worlds, 1,001 instances, level-1 worlds, 1 families"
    assert fix_plurals(text) == "1 world of 11 worlds, 0.1 worlds, 1,001 instances, level-1 worlds, 1 family"
