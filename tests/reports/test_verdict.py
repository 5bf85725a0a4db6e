"""An evaluation in words: what was known, what was decided, and which terms missed the optimum."""

import pytest

from algoworlds.reports.verdict import verdict_text
from tests.reports.synthetic import judgement, record

PLACE = ("transit_routing", 1, 1, "direct")
ENOUGH = "It knew enough after call 10 of 21 (for 40 of the 100 that it spent)"


def suboptimal_record(parts, optimal, **changes):
    """A feasible suboptimal record with these terms."""
    value, best = sum(parts.values()), sum(optimal.values())
    scored = record("m", PLACE, 1, "suboptimal", gap=abs(value - best))
    return scored | {"objective": value, "optimum": best, "parts": parts, "optimal_parts": optimal} | changes


def test_verdict_on_the_paper_example():
    verdict = verdict_text(suboptimal_record({"travel": 43_409, "transfers": 72_686}, {"travel": 48_018, "transfers": 21_316}))
    assert verdict == (
        "Information was sufficient after call 12 of 21. The decision is feasible but 46,761 (67.4 %) worse than the "
        "optimum: it gains on travel (\N{MINUS SIGN}9.6 %) but loses more on transfers (+241.0 %)."
    )


def test_verdict_without_gain_without_percentage_and_with_one_term():
    verdict = verdict_text(
        suboptimal_record({"travel": 100, "transfers": 30, "fees": 5}, {"travel": 90, "transfers": 0, "fees": 5})
    )
    assert verdict.endswith("worse than the optimum: it loses on transfers (+30) and travel (+11.1 %).")
    assert verdict_text(suboptimal_record({"time": 11}, {"time": 10})).endswith(
        "feasible but 1 (10.0 %) worse than the optimum."
    )
    best = {"profit": 100, "costs": -20}
    verdict = verdict_text(suboptimal_record({"profit": 50, "costs": -10}, best, family="station_siting"))
    assert verdict.endswith("it gains on costs (+50.0 %) but loses more on profit (\N{MINUS SIGN}50.0 %).")


@pytest.mark.parametrize(
    ("category", "verdict"),
    [
        ("optimal", "The decision is globally optimal."),
        ("infeasible", "The decision is infeasible: capacity of v1 is exceeded."),
        ("no_decision", "No decision was submitted."),
        ("protocol_violation", "A decision was tried, but never in the required form."),
    ],
)
def test_verdict_of_every_outcome(category, verdict):
    scored = record("m", PLACE, 1, category, sufficient=False) | {"reason": "capacity of v1 is exceeded"}
    known = "Information was never sufficient: 50.0 % of the nearest sufficient set was seen."
    assert verdict_text(scored) == f"{known} {verdict}"


def test_verdict_says_when_the_optimum_was_determined():
    scored = suboptimal_record({"time": 11}, {"time": 10})
    verdict = verdict_text(scored, judgement(scored))
    assert verdict == (
        "It knew enough after call 10 of 21 (for 40 of the 100 that it spent) and still missed the optimum. "
        "The decision is feasible but 1 (10.0 %) worse than the optimum."
    )
    assert verdict_text(scored, judgement(scored, wasted_spend=0)).startswith(
        "It knew enough after call 10 of 21 and still missed"
    )
    assert verdict_text(scored, judgement(scored, determined_at=None)).startswith("It knew enough at the end and still missed")
    assert verdict_text(scored, judgement(scored, determined_at=0)).startswith(
        "It knew enough from the beginning and still missed"
    )


def test_verdict_says_what_a_guess_risked():
    scored = record("m", PLACE, 1)
    verdict = verdict_text(scored, judgement(scored, "not determined", worst_regret=121))
    assert verdict == (
        "It guessed right: with what it had read, another decision could have been better by up to 12.0 %. "
        "The decision is globally optimal."
    )
    witness = {"rival": {}, "value": None, "rival_value": 5, "reason": "leg 3 does not exist", "cells": []}
    verdict = verdict_text(scored, judgement(scored, "not determined", worst_regret=None, may_be_infeasible=1, witness=witness))
    assert verdict.startswith(
        "It guessed right: with what it had read, this decision could have been infeasible (leg 3 does not"
    )
    verdict = verdict_text(scored, judgement(scored, "not determined", worst_regret=None))
    assert verdict.startswith("It guessed right: with what it had read, another decision could have been better. ")


@pytest.mark.parametrize(
    ("category", "knowledge", "verdict"),
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
def test_verdict_of_every_determination(category, knowledge, verdict):
    scored = record("m", PLACE, 1, category, gap=int(category == "suboptimal"))
    assert verdict_text(scored, judgement(scored, knowledge)).startswith(verdict)
