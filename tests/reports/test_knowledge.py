"""Sheets of what could be known: partitions, conditions and counts are as stated, and captions count what is not judged."""

import pytest

from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.page.glossary import explanations_for
from algoworlds.reports.report import fill_sheets
from algoworlds.reports.results import Results
from algoworlds.reports.sheets.knowledge import (
    CLAIMS,
    DETERMINED_OUTCOMES,
    FOOTING,
    FOOTING_TITLES,
    INFORMATION_PRICE,
    JUSTIFIED_OPTIMA,
)
from tests.reports.synthetic import experiment, judgement, record, world_ids

PLACES = world_ids(families=("fleet_dispatch", "transit_routing"), levels=(1,), indices=(1, 2))
KINDS = (
    ("optimal", "determined"),
    ("optimal", "not determined"),
    ("suboptimal", "determined"),
    ("suboptimal", "not determined"),
    ("optimal", "undecided"),
    ("infeasible", "determined"),
    ("no_decision", "not determined"),
    ("protocol_violation", "not determined"),
)
"""One evaluation for every footing, in the order of the columns."""


def read(scored, knowledge, **changes):
    return Evaluation.from_record(scored).with_judgement(judgement(scored, knowledge, **changes))


def each_footing(label="A", **changes):
    decided = zip(PLACES, KINDS, strict=True)
    return [
        read(record(label, place, 1, kind, gap=int(kind == "suboptimal")), known, **changes) for place, (kind, known) in decided
    ]


def cells(sheet, row=0):
    return dict(zip(sheet.head[1:], sheet.rows[row][1:], strict=True))


def test_footings_partition_the_evaluations():
    sheet = FOOTING.fill(Results.from_evaluations(each_footing()))
    assert cells(sheet) == dict.fromkeys(FOOTING_TITLES.values(), "12.5")
    assert sheet.cell_filter(0, 2) == {"configuration": "A", "footing": "lucky"}
    assert "Of 8 evaluations 1 undecided." in sheet.caption


@pytest.mark.parametrize("seed", range(5))
def test_footings_add_up_for_random_experiments(seed):
    """The columns add up to 100 percent."""
    records = experiment(("A",), world_ids(levels=(1,), indices=(1,)), trials=2, seed=seed)
    known = ("determined", "not determined", "undecided")
    evaluations = [read(item, known[(at + seed) % 3]) for at, item in enumerate(records)]
    (line,) = FOOTING.fill(Results.from_evaluations(evaluations)).raw_rows
    assert sum(line[name].mean for name in FOOTING_TITLES) == pytest.approx(100)


def test_unjudged_and_undefined_evaluations_are_counted_and_left_out():
    silent = [Evaluation.from_record(record("A", place, 2)) for place in PLACES[:2]]
    silent += [read(record("A", place, 2), None) for place in PLACES[2:]]
    sheet = FOOTING.fill(Results.from_evaluations(each_footing() + silent))
    assert "Of 16 evaluations 2 not judged, 6 undefined (no ranges declared), 1 undecided." in sheet.caption
    assert cells(sheet)["Justified"] == "12.5"
    unjudged = fill_sheets(Results.from_records(experiment(("A",), PLACES, trials=1)))
    names = {sheet.name for sheet in (FOOTING, JUSTIFIED_OPTIMA, DETERMINED_OUTCOMES, CLAIMS, INFORMATION_PRICE)}
    assert not names & set(unjudged)


def test_optima_are_split_by_family():
    sheet = JUSTIFIED_OPTIMA.fill(Results.from_evaluations(each_footing()))
    found = {row[0]: row[1] for row in sheet.rows}
    assert found == {"Fleet Dispatch": "25.0 / 25.0", "Transit Routing": "0.0 / 0.0"}


def test_outcomes_given_determination_add_up():
    sheet = DETERMINED_OUTCOMES.fill(Results.from_evaluations(each_footing()))
    assert sheet.rows[0][1:] == ("37.5", "33.3", "33.3", "33.3")
    assert sheet.cell_filter(0, 1) == {"configuration": "A", "knowledge": "determined"}


def test_how_often_a_claim_of_proof_was_true():
    """Two of four claims of proof were claimed when the optimum was determined, and one of them of the optimum."""
    claims = ("proven", "proven", "proven", "proven", "best guess", None, None, "unclear")
    evaluations = []
    for place, (_, knowledge), claim in zip(PLACES, KINDS, claims, strict=True):
        kind = "optimal" if knowledge != "determined" or place is PLACES[0] else "suboptimal"
        claimed = record("A", place, 1, kind, gap=int(kind == "suboptimal")) | ({} if claim is None else {"claim": claim})
        evaluations.append(read(claimed, knowledge))
    found = cells(CLAIMS.fill(Results.from_evaluations(evaluations)))
    assert (found["Claimed proven"], found["Proven: determined (%)"], found["Proven: justified (%)"]) == ("4", "50.0", "25.0")
    assert (found["Claimed best guess"], found["Best guess: determined (%)"]) == ("1", "0.0")
    assert (found["No claim"], found["Unclear"]) == ("2", "1")


def test_claims_are_counted_without_judgements():
    found = cells(CLAIMS.fill(Results.from_records([record("A", PLACES[0], 1) | {"claim": "proven"}])))
    assert (found["Claimed proven"], found["Proven: determined (%)"]) == ("1", "-")


def test_information_price_covers_evaluations_that_define_it():
    sheet = INFORMATION_PRICE.fill(Results.from_evaluations(each_footing()))
    assert sheet.rows[0][1:5] == ("10.0", "40.0", "60.0", "-")
    rated = INFORMATION_PRICE.fill(Results.from_evaluations(each_footing(query_ratio=1.25)))
    assert rated.rows[0][4] == "1.25"


def test_heads_are_explained_by_their_measures():
    (explanation,) = explanations_for(("Justified", "Lucky"))
    assert explanation.startswith("Footing of the decision: decision and knowledge together.")
    assert any(
        text.startswith("Wasted spend:")
        for text in explanations_for(INFORMATION_PRICE.fill(Results.from_evaluations(each_footing())).head)
    )
