"""The drift alarm: it follows the schedule, is corrected for the number of models, and is silent where there is no test."""

import random

import pytest

from algoworlds.reports.results import Results
from algoworlds.reports.sheets.decisions import MAIN_RESULTS
from algoworlds.reports.sheets.uncertainty import DRIFT
from algoworlds.reports.statistics import measure_drift
from tests.reports.synthetic import experiment, record, world_ids

PLACES = world_ids(families=("fleet_dispatch", "transit_routing"), levels=(1, 2, 3), indices=(1, 2))
SLOTS = [(place, trial) for place in PLACES for trial in (1, 2, 3)]


def world_id(place):
    return "-".join(map(str, place))


def shuffled_slots(label):
    return random.Random(label).sample(SLOTS, len(SLOTS))


def play(labels, fails, kind="model"):
    """Results of configurations that fail at the given positions of their own schedules."""
    records, planned = [], []
    for label in labels:
        for position, (place, trial) in enumerate(shuffled_slots(label)):
            lost = fails(label, position, place)
            records.append(record(label, place, trial, "infeasible" if lost else "optimal", kind=kind))
            planned.append((label, world_id(place), trial))
    return Results.from_records(records, planned, order=labels)


def failing_late(label, position, place):
    return position >= len(SLOTS) / 2 if label == "faded" else position % 3 == 0


def test_drop_halfway_raises_an_alarm_for_its_configuration():
    results = play(("steady", "faded", "other"), failing_late)
    found = measure_drift(results)
    assert {label: drift.alarm_text for label, drift in found.items()} == {"steady": "none", "faded": "drift", "other": "none"}
    assert (found["faded"].early, found["faded"].late) == (100, 0)
    assert found["faded"].holm == pytest.approx(3 * found["faded"].p)
    caption = MAIN_RESULTS.fill(results).caption
    assert "Changed in the course of its run: faded (100.0 % early, 0.0 % late, p < 0.0001)" in caption
    assert "steady" not in caption


def test_halves_follow_the_schedule_and_not_the_trial_number():
    """The third trial of every world fails: trials differ as much as possible, and time plays no role."""
    slots = shuffled_slots("A")
    records = [record("A", place, trial, "infeasible" if trial == 3 else "optimal") for place, trial in slots]
    results = Results.from_records(records, [("A", world_id(place), trial) for place, trial in slots])
    assert measure_drift(results)["A"].alarm_text == "none"


def test_alarms_are_corrected_for_all_models():
    """A change that is an alarm for one model alone need not be one among seven."""

    def fails(label, position, place):
        every = {"tired": 4 if position < len(SLOTS) / 2 else 2}.get(label, 3)
        return position % every == 0

    others = tuple("abcdef")
    alone, among = (measure_drift(play(labels, fails))["tired"] for labels in (("tired",), ("tired", *others)))
    assert 0.05 / 7 < alone.p == among.p < 0.05
    assert (alone.alarm_text, among.alarm_text) == ("drift", "none")
    assert alone.holm == alone.p
    assert among.holm == pytest.approx(min(1.0, 7 * alone.p))


def test_records_without_schedule_are_not_tested():
    results = Results.from_records(experiment(("A", "B"), PLACES))
    assert DRIFT.fill(results).rows == tuple(
        (label, "-", "-", "-", "-", "no test: records without their schedule") for label in "AB"
    )


def test_one_trial_and_no_change_are_not_tested():
    once = [("A", world_id(place), 1) for place in PLACES]
    assert (
        measure_drift(Results.from_records([record("A", place, 1) for place in PLACES], once))["A"].alarm_text
        == "no test: one trial"
    )
    always = measure_drift(play(("A",), lambda label, position, place: place[1] == 1))["A"]
    assert (always.p, always.alarm_text) == (None, "no test: no world changed")
    assert always.early is not None


def test_scripted_agents_are_not_tested_for_drift():
    assert DRIFT.fill(play(("oracle",), failing_late, kind="agent")) is None
