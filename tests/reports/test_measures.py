"""A measure is one value in one list: the reader, the page and the glossary take it from there."""

import json

import pytest

from algoworlds.errors import InputError
from algoworlds.measures.judging import JUDGED_MEASURES
from algoworlds.measures.scoring import MEASURES
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.sheets.decisions import MAIN_RESULTS
from tests.command import python
from tests.reports.synthetic import judgement, record

PLACE = ("fleet_dispatch", 1, 1, "direct")


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
def test_every_measure_of_a_record_is_read_and_checked(measure):
    scored = record("A", PLACE, 1)
    with pytest.raises(InputError, match=f"cannot be used: {measure.name} is missing"):
        Evaluation.from_record({name: value for name, value in scored.items() if name != measure.name})
    with pytest.raises(InputError, match=f"cannot be used: {measure.name} is n"):
        Evaluation.from_record(scored | {measure.name: False})


@pytest.mark.parametrize("measure", JUDGED_MEASURES, ids=lambda measure: measure.name)
def test_every_judged_measure_is_read_and_checked(measure):
    scored = record("A", PLACE, 1)
    judged, read = judgement(scored), Evaluation.from_record(scored)
    with pytest.raises(InputError, match=f"cannot be used: {measure.name} is missing"):
        read.with_judgement({name: value for name, value in judged.items() if name != measure.name})
    with pytest.raises(InputError, match=f"cannot be used: {measure.name} is n"):
        read.with_judgement(judged | {measure.name: False})
    assert read.judged_value(measure.name) is None
    assert read.with_judgement(judged).judged_value(measure.name) == judged[measure.name]


@pytest.mark.parametrize("category", ["optimal", "suboptimal", "infeasible", "no_decision"])
def test_footing_that_contradicts_its_record_is_rejected(category):
    scored = record("A", PLACE, 1, category, gap=int(category == "suboptimal"))
    judged, read = judgement(scored), Evaluation.from_record(scored)
    assert read.with_judgement(judged).judged_value("footing") == judged["footing"]
    for other in ("lucky", "premature", "undecided", "protocol_violation", None):
        with pytest.raises(InputError, match="footing contradicts the rest of the record"):
            read.with_judgement(judged | {"footing": other})


def test_malformed_witness_is_rejected():
    scored = record("A", PLACE, 1)
    witness = {"rival": {"route": ["c"]}, "value": 5, "rival_value": 4, "reason": None, "cells": []}
    read = Evaluation.from_record(scored)
    assert read.with_judgement(judgement(scored, "not determined", witness=witness)).judged_value("witness") == witness
    for name in witness:
        left = judgement(scored, "not determined", witness={key: value for key, value in witness.items() if key != name})
        with pytest.raises(InputError, match=f"cannot be used: {name} is missing"):
            read.with_judgement(left)
    spoiled = judgement(scored, "not determined", witness=witness | {"cells": [{"table": "x"}]})
    with pytest.raises(InputError, match="cells is not a list of objects"):
        read.with_judgement(spoiled)


def test_headline_sheet_has_the_titles_of_measures():
    titles = {measure.name: measure.title for measure in MEASURES}
    heads = [column.head for column in MAIN_RESULTS.columns[1:]]
    assert heads == [titles[name] for name in ("exact", "feasible", "utility", "sufficiency", "coverage")]


ADDED = """
import json, os
from pathlib import Path
from algoworlds.measures import scoring
from algoworlds.measures.measure import Number
from algoworlds.measures.measure import Measure

haste = Measure("haste", "Haste", "share, 0 to 1", "One call's share of all.", "Not skill.", Number(1.0),
                lambda evidence: 1 / max(1, evidence.episode.attempts))
scoring.MEASURES = (*scoring.MEASURES, haste)

from algoworlds.errors import InputError
from algoworlds.reports import result_figures
from algoworlds.reports.report import build_report_files
from algoworlds.reports.page.glossary import explanations_for
from algoworlds.reports.page.payload import evaluation_detail
from algoworlds.reports.page.payload import REPLAYS_WITHOUT_SUITE
from algoworlds.reports.results import Results
from algoworlds.reports.report import fill_sheets
from tests.reports.sample import panel

result_figures.all_figures = lambda *arguments: {}
records = [record for record in panel(Path(os.environ["PLACE"]), 1) if record["configuration"] == "oracle"]
results = Results.from_records(records)
try:
    Results.from_records([records[0] | {"haste": 2.0}, *records[1:]])
    fault = None
except InputError as problem:
    fault = str(problem)
page = build_report_files(results, fill_sheets(results), {})["report.html"].decode()
print(json.dumps({
    "record": [1 / record["attempted_calls"] == record["haste"] for record in records],
    "fault": fault,
    "glossary": explanations_for(("Haste",)),
    "explained": "<b>Haste</b> (share, 0 to 1). One call&#39;s share of all. Not skill." in page,
    "listed": '["haste","Haste","share, 0 to 1"' in page.replace("&#34;", '"'),
    "detail": evaluation_detail(results.evaluations[0], REPLAYS_WITHOUT_SUITE)["haste"] > 0,
}))
"""


def test_a_new_measure_is_added_in_one_place(tmp_path):
    """Records, reader, glossary and page include the new measure without further edits."""
    output = json.loads(python(ADDED, PLACE=str(tmp_path / "suite")))
    assert all(output.pop("record"))
    assert "cannot be used: haste is not in 0..1: 2.0" in output.pop("fault")
    assert output == {
        "glossary": ["Haste: one call's share of all. Not skill."],
        "explained": True,
        "listed": True,
        "detail": True,
    }
