"""An evaluation in words: what was known, what was decided, and by which terms it missed."""

import pytest

from algoworlds.reports.verdict import verdict_text
from tests.reports.synthetic import judgement, record

PLACE = ("transit_routing", 1, 1, "direct")
ENOUGH = "It knew enough after call 10 of 21 (for 40 of the 100 that it spent)"


def missed(parts, optimal, **changes):
    """A feasible suboptimal record with these terms."""
    value, best = sum(parts.values()), sum(optimal.values())
    made = record("m", PLACE, 1, "suboptimal", gap=abs(value - best))
    return made | {"objective": value, "optimum": best, "parts": parts, "optimal_parts": optimal} | changes


def test_the_papers_example_is_told_in_one_sentence():
    told = verdict_text(missed({"travel": 43_409, "transfers": 72_686}, {"travel": 48_018, "transfers": 21_316}))
    assert told == (
        "Information was sufficient after call 12 of 21. The decision is feasible but 46,761 (67.4 %) worse than the "
        "optimum: it gains on travel (\N{MINUS SIGN}9.6 %) but loses more on transfers (+241.0 %)."
    )


def test_terms_without_a_gain_without_a_percentage_and_alone():
    told = verdict_text(missed({"travel": 100, "transfers": 30, "fees": 5}, {"travel": 90, "transfers": 0, "fees": 5}))
    assert told.endswith("worse than the optimum: it loses on transfers (+30) and travel (+11.1 %).")
    assert verdict_text(missed({"time": 11}, {"time": 10})).endswith("feasible but 1 (10.0 %) worse than the optimum.")
    best = {"profit": 100, "costs": -20}
    told = verdict_text(missed({"profit": 50, "costs": -10}, best, family="station_siting"))
    assert told.endswith("it gains on costs (+50.0 %) but loses more on profit (\N{MINUS SIGN}50.0 %).")


@pytest.mark.parametrize(
    ("category", "told"),
    [
        ("optimal", "The decision is globally optimal."),
        ("infeasible", "The decision is infeasible: capacity of v1 is exceeded."),
        ("no_decision", "No decision was submitted."),
        ("protocol_violation", "A decision was tried, but never in the required form."),
    ],
)
def test_every_outcome_has_its_words(category, told):
    made = record("m", PLACE, 1, category, sufficient=False) | {"reason": "capacity of v1 is exceeded"}
    known = "Information was never sufficient: 50.0 % of the nearest sufficient set was seen."
    assert verdict_text(made) == f"{known} {told}"


def test_who_knew_enough_and_missed_it_is_told_when():
    made = missed({"time": 11}, {"time": 10})
    told = verdict_text(made, judgement(made))
    assert told == (
        "It knew enough after call 10 of 21 (for 40 of the 100 that it spent) and still missed the optimum. "
        "The decision is feasible but 1 (10.0 %) worse than the optimum."
    )
    assert verdict_text(made, judgement(made, wasted_spend=0)).startswith("It knew enough after call 10 of 21 and still missed")
    assert verdict_text(made, judgement(made, determined_at=None)).startswith("It knew enough at the end and still missed")
    assert verdict_text(made, judgement(made, determined_at=0)).startswith("It knew enough from the beginning and still missed")


def test_luck_is_told_with_what_it_risked():
    made = record("m", PLACE, 1)
    told = verdict_text(made, judgement(made, "not determined", worst_regret=121))
    assert told == (
        "It guessed right: with what it had read, another decision could have been better by up to 12.0 %. "
        "The decision is globally optimal."
    )
    witness = {"rival": {}, "value": None, "rival_value": 5, "reason": "leg 3 does not exist", "cells": []}
    told = verdict_text(made, judgement(made, "not determined", worst_regret=None, may_be_infeasible=1, witness=witness))
    assert told.startswith("It guessed right: with what it had read, this decision could have been infeasible (leg 3 does not")
    told = verdict_text(made, judgement(made, "not determined", worst_regret=None))
    assert told.startswith("It guessed right: with what it had read, another decision could have been better. ")


@pytest.mark.parametrize(
    ("category", "knowledge", "told"),
    [
        (
            "optimal",
            "determined",
            f"{ENOUGH}. The decision is globally optimal.",
        ),
        (
            "infeasible",
            "determined",
            f"{ENOUGH} and still broke a rule. ",
        ),
        (
            "no_decision",
            "determined",
            f"{ENOUGH} and did not decide. ",
        ),
        (
            "suboptimal",
            "not determined",
            "It did not know enough: with what it had read, another decision could ",
        ),
        ("no_decision", "not determined", "It did not know enough. No decision was submitted."),
        ("optimal", "undecided", "Information was sufficient after call 12 of 21. The decision is globally optimal."),
        ("optimal", None, "Information was sufficient after call 12 of 21. The decision is globally optimal."),
    ],
)
def test_every_knowledge_has_its_words(category, knowledge, told):
    made = record("m", PLACE, 1, category, gap=int(category == "suboptimal"))
    assert verdict_text(made, judgement(made, knowledge)).startswith(told)
