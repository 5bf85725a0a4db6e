"""An evaluation in words: what was known, what was decided, and by which terms it missed."""

import pytest

from algoworlds.reports.verdict import verdict
from tests.reports.synthetic import record

PLACE = ("transit_routing", 1, 1, "direct")


def missed(parts, optimal, **changes):
    """A feasible suboptimal record with these terms."""
    value, best = sum(parts.values()), sum(optimal.values())
    made = record("m", PLACE, 1, "suboptimal", gap=abs(value - best))
    return made | {"objective": value, "optimum": best, "parts": parts, "optimal_parts": optimal} | changes


def test_the_papers_example_is_told_in_one_sentence():
    told = verdict(missed({"travel": 43_409, "transfers": 72_686}, {"travel": 48_018, "transfers": 21_316}))
    assert told == (
        "Information was sufficient after call 12 of 21. The decision is feasible but 46,761 (67.4 %) worse than the "
        "optimum: it gains on travel (\N{MINUS SIGN}9.6 %) but loses more on transfers (+241.0 %)."
    )


def test_terms_without_a_gain_without_a_percentage_and_alone():
    told = verdict(missed({"travel": 100, "transfers": 30, "fees": 5}, {"travel": 90, "transfers": 0, "fees": 5}))
    assert told.endswith("worse than the optimum: it loses on transfers (+30) and travel (+11.1 %).")
    assert verdict(missed({"time": 11}, {"time": 10})).endswith("feasible but 1 (10.0 %) worse than the optimum.")
    best = {"profit": 100, "costs": -20}
    told = verdict(missed({"profit": 50, "costs": -10}, best, family="station_siting"))
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
    assert verdict(made) == f"{known} {told}"
