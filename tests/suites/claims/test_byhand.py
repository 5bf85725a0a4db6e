"""The attack panel in validation: how many instances attackers may solve in a fresh suite and in the development split."""

from dataclasses import replace
from itertools import product
from math import prod

import pytest

from algoworlds.families import FAMILIES
from algoworlds.families.hardness import Concession
from algoworlds.hardness.attackers import ATTACKERS
from algoworlds.suites.attack.summary import EXACT_BY_HAND
from algoworlds.suites.claims.panels import PANEL_ATTACKERS, attack_by_hand, attack_problem, max_likely_hits
from algoworlds.worlds.admission import Coordinate, admit

FAMILY = FAMILIES["series_portfolio"]


def suite(**solved):
    """Three instances per level; `solved` says how many each attacker solves at levels 1, 2, 3 and 4."""
    counts = {name: solved.get(name, (0, 0, 0, 0)) for name in ("one", "two")}
    return {level: [{name: at < counts[name][level - 1] for name in counts} for at in range(3)] for level in (1, 2, 3, 4)}


@pytest.mark.parametrize(
    ("solved", "problem"),
    [
        (suite(), None),
        (suite(one=(3, 0, 0, 0)), None),
        (suite(one=(3, 2, 0, 0)), None),
        (suite(one=(3, 2, 1, 0)), "6 of 12 solved by hand, more than 5"),
        (suite(one=(3, 2, 0, 0), two=(0, 0, 0, 1)), "6 of 12 solved by hand, more than 5"),
    ],
)
def test_the_development_split_fails_when_the_goals_are_in_doubt(solved, problem):
    assert attack_problem(FAMILY, solved, published=True) == problem


def test_a_fresh_suite_fails_only_when_the_goals_are_refuted():
    assert attack_problem(FAMILY, suite(one=(3, 2, 1, 1)), published=False) is None
    assert attack_problem(FAMILY, suite(one=(3, 3, 2, 1)), published=False) == "of 12 instances one solves 9, more than 8"
    assert attack_problem(FAMILY, {1: suite(one=(3, 0, 0, 0))[1]}, published=False) is None, "three instances refute nothing"


def test_a_concession_replaces_the_goal():
    concessions = (Concession(EXACT_BY_HAND, 1, 100.0, "small"),)
    conceding = replace(FAMILY, hardness=replace(FAMILY.hardness, concessions=concessions))
    assert attack_problem(conceding, suite(one=(3, 2, 1, 0)), published=True) is None
    assert attack_problem(conceding, suite(one=(3, 2, 1, 1)), published=True) == "7 of 12 solved by hand, more than 6"


def test_max_likely_hits_follows_independent_trials():
    rates = [0.5, 0.5, 0.25, 0.1]

    def chance(hits):
        outcomes = (outcome for outcome in product((0, 1), repeat=len(rates)) if sum(outcome) >= hits)
        return sum(prod(p if x else 1 - p for p, x in zip(rates, outcome, strict=True)) for outcome in outcomes)

    for refuted in (0.3, 0.05, 0.01):
        limit = max_likely_hits(rates, refuted)
        assert chance(limit) > refuted
        assert limit == len(rates) or chance(limit + 1) <= refuted


def test_panel_attackers_run_where_a_family_has_a_search_space():
    admitted = admit(Coordinate(FAMILY.name, 0, 1))
    assert set(PANEL_ATTACKERS) <= {attacker.name for attacker in ATTACKERS}
    solved = attack_by_hand(FAMILY, admitted.instance, admitted.optimum)
    assert set(solved) == set(PANEL_ATTACKERS)
    assert solved == attack_by_hand(FAMILY, admitted.instance, admitted.optimum)
    without_hand = replace(FAMILY, hardness=replace(FAMILY.hardness, search_space=None))
    assert attack_by_hand(without_hand, admitted.instance, admitted.optimum) == {}
