"""Tables need complete, finalized, current records; all others are rejected by name (B10, B12, C8)."""

import random

import pytest

from algoworlds.errors import InputError
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.results import Results
from tests.reports.synthetic import experiment, record, world_ids

PLACES = world_ids(families=("fleet_dispatch", "transit_routing"), levels=(1, 2), indices=(1, 2))
ONE = ("fleet_dispatch", 1, 1, "direct")


def small(**options):
    return experiment(("A", "B"), PLACES, **options)


def schedule(records):
    return [(row["configuration"], row["world"], row["trial"]) for row in records]


def refusal(records, expected=None):
    with pytest.raises(InputError) as caught:
        Results.from_records(records, expected)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("scheduled", [False, True])
def test_complete_experiment_is_accepted(scheduled):
    records = experiment()
    results = Results.from_records(records, schedule(records) if scheduled else None)
    assert len(results.evaluations) == 5040
    assert len(results.worlds) == 240
    assert len(results.instances) == 120
    assert [len(trial) for trial in results.trials("Sol")] == [240, 240, 240]


@pytest.mark.parametrize("scheduled", [False, True])
def test_missing_record_is_named(scheduled):
    records = experiment(("Terra", "Sol"))
    lost = records.pop(700)
    message = refusal(records, schedule([*records, lost]) if scheduled else None)
    assert f"1 missing ({lost['configuration']!r} {lost['world']} trial {lost['trial']})" in message


def test_extra_record_is_rejected():
    records = experiment(("Terra",))
    assert "1 duplicate ('Terra' transit_routing-1-1-direct trial 1)" in refusal([*records, records[0]])
    assert "1 duplicate" in refusal([*records, records[0]], schedule(records))
    stranger = record("Terra", ("fleet_dispatch", 1, 9, "direct"), 1)
    assert "1 foreign ('Terra' fleet_dispatch-1-9-direct trial 1)" in refusal([*records, stranger], schedule(records))
    assert "2 missing ('Terra' fleet_dispatch-1-9-direct trial 2" in refusal([*records, stranger])


def test_a_copy_with_another_outcome_is_still_a_duplicate():
    records = small()
    assert "1 duplicate" in refusal([*records, records[0] | {"texts": [{"turn": 1, "text": "other"}]}])


@pytest.mark.parametrize("outcome", [None, "pending"])
def test_pending_records_are_rejected(outcome):
    records = small()
    records[3] = records[3] | {"outcome": outcome}
    assert f"1 pending ('A' {records[3]['world']} trial 1)" in refusal(records)


@pytest.mark.parametrize(("field", "what"), [("format", "of another format"), ("scoring", "of another scoring version")])
@pytest.mark.parametrize("other", [lambda version: version - 1, lambda version: version + 1, lambda version: None])
def test_records_of_other_versions_are_rejected(field, what, other):
    records = small()
    records[5] = records[5] | {field: other(records[5][field])}
    assert f"1 {what} ('A' {records[5]['world']} trial 1)" in refusal(records)


def test_long_lists_are_shortened_and_counted():
    records = small()
    message = refusal(records[:20], schedule(records))
    assert f"{len(records) - 20} missing" in message
    assert message.count("trial") == 10
    assert ", ...)" in message


def test_missing_trial_and_world_are_noticed_without_a_schedule():
    records = small()
    assert "missing" in refusal([row for row in records if row["trial"] != 2])
    assert "missing" in refusal([row for row in records if (row["configuration"], row["index"]) != ("B", 2)])


def test_records_of_different_suites_are_rejected():
    records = small()
    records[0] = records[0] | {"budget": records[0]["budget"] + 1}
    assert "of another suite" in refusal(records)


def test_configuration_with_two_kinds_is_rejected():
    records = small()
    records[-1] = records[-1] | {"kind": "agent"}
    assert "1 of another kind ('B'" in refusal(records)


def test_empty_input_is_rejected():
    assert "no finalized records" in refusal([])
    assert "not a JSON object" in refusal([["not", "a", "record"]])


@pytest.mark.parametrize("trials", [1, 2, 4])
def test_configurations_may_differ_in_trials(trials):
    results = Results.from_records(experiment(("A",), PLACES, trials=trials) + experiment(("B",), PLACES, trials=3))
    assert len(results.trials("A")) == trials
    assert len(results.trials("B")) == 3


def by_exactness(labels, records):
    """Models first, and of each kind the best first."""
    by_label = {label: [row for row in records if row["configuration"] == label] for label in labels}
    return tuple(
        sorted(
            by_label, key=lambda label: (by_label[label][0]["kind"] == "agent", -sum(row["exact"] for row in by_label[label]))
        )
    )


def test_order_of_evaluations_is_canonical():
    records = experiment(("B", "A"), PLACES) + experiment(("oracle", "null"), PLACES, kind="agent", seed=1)
    shuffled = random.Random(3).sample(records, len(records))
    results = Results.from_records(records)
    assert results == Results.from_records(shuffled)
    assert results.configurations == by_exactness(results.configurations, records)
    assert Results.from_records(shuffled, order=("oracle", "null", "B", "A")).configurations == ("B", "A", "oracle", "null")
    assert results.families == ("transit_routing", "fleet_dispatch")
    assert results.worlds[:3] == ("transit_routing-1-1-direct", "transit_routing-1-1-mediated", "transit_routing-1-2-direct")
    with pytest.raises(InputError, match="no configuration 'C'"):
        Results.from_records(records, order=("C",))


BAD = {
    "format": [True, 1.0, 2],
    "scoring": [True, "1"],
    "configuration": ["", 3, None],
    "kind": ["robot"],
    "world": ["fleet_dispatch-1-2-direct", "fleet_dispatch-1-11-direct", "fleet_dispatch-1-1-mediated", "../x", 7],
    "family": ["nonsense"],
    "level": ["1", 1.0, True, -1],
    "index": [0, None],
    "interface": ["telepathy"],
    "trial": [0, 1.5, "1"],
    "outcome": ["won", 1],
    "exact": [2, True, 0.0, 0],
    "feasible": [0, "1"],
    "objective": [None, 1.5],
    "gap": [1, None, -1, 0.0],
    "regret": [0.5, None, "0"],
    "utility": [99.0, 101.0, float("nan"), float("inf"), 10**400, None],
    "cost": [10**400, -(10**400), float("nan"), "1"],
    "parts": [{"time": 10**400}, {"time": 1.0}, [], None],
    "optimal_parts": [{"time": 10**400}, None],
    "sufficiency": [0, 2],
    "coverage": [1.01, -0.1, True],
    "grounding": [1.1, "all"],
    "sufficient_at": ["12", 1.5],
    "redundant_calls": [-1, None],
    "executed_calls": [None, 2**53],
    "attempted_calls": ["9"],
    "spend": [10**6, -1],
    "budget": [0, None],
    "call_cap": [2, False],
    "budget_cap": [None],
    "optimum": ["1", 2**53],
    "reference_gap": [0, 1.0],
    "stop_reason": [None, ""],
}


@pytest.mark.parametrize(("field", "value"), [(field, value) for field, values in BAD.items() for value in values])
def test_a_bad_field_is_named(field, value):
    with pytest.raises(InputError, match=field):
        Evaluation.from_record(record("A", ONE, 1) | {field: value})


@pytest.mark.parametrize("field", BAD)
def test_a_missing_field_is_named(field):
    fields = record("A", ONE, 1)
    del fields[field]
    with pytest.raises(InputError, match=f"{field} is missing"):
        Evaluation.from_record(fields)


def test_sufficiency_means_full_coverage():
    with pytest.raises(InputError, match="sufficiency contradicts"):
        Evaluation.from_record(record("A", ONE, 1, coverage=0.99))


@pytest.mark.parametrize(("category", "parts"), [("suboptimal", None), ("optimal", None), ("infeasible", {"time": 1})])
def test_parts_belong_to_a_feasible_decision(category, parts):
    with pytest.raises(InputError, match="parts contradicts"):
        Evaluation.from_record(record("A", ONE, 1, category) | {"parts": parts})


def test_world_of_a_fresh_suite_has_its_tag():
    fields = record("A", ONE, 1, world="fleet_dispatch-1-1-wqnnpcw33w-direct")
    assert Evaluation.from_record(fields).instance == "fleet_dispatch-1-1-wqnnpcw33w"
    assert Evaluation.from_record(record("A", ONE, 1)).instance == "fleet_dispatch-1-1"


def test_categories_partition():
    cases = [("optimal", 0), ("suboptimal", 5), ("infeasible", 0), ("no_decision", 0), ("protocol_violation", 0)]
    for category, gap in cases:
        assert Evaluation.from_record(record("A", ONE, 1, category, gap=gap)).category == category


@pytest.mark.parametrize("claim", ["proven", "best guess", "unclear"])
def test_claim_is_optional(claim):
    plain = record("A", ONE, 1)
    assert "claim" not in plain
    assert Evaluation.from_record(plain | {"claim": claim}) == Evaluation.from_record(plain)


def test_claim_is_a_known_word_and_needs_a_decision():
    plain = record("A", ONE, 1)
    for claim in ("sure", None, 1):
        with pytest.raises(InputError, match="claim is n"):
            Evaluation.from_record(plain | {"claim": claim})
    undecided = record("A", ONE, 1, "no_decision")
    assert Evaluation.from_record(undecided)
    with pytest.raises(InputError, match="claim contradicts the rest of the record"):
        Evaluation.from_record(undecided | {"claim": "proven"})
