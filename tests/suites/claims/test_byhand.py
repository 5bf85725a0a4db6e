"""The attack panel as a row of validation: what a fresh suite may lose to attackers, what the development split may."""

from dataclasses import replace
from itertools import product
from math import prod

import pytest

from algoworlds.families import FAMILIES
from algoworlds.families.hardness import Concession
from algoworlds.suites.attack.attackers import ATTACKERS
from algoworlds.suites.attack.goals import BY_HAND
from algoworlds.suites.claims.byhand import SENTRIES, solved_by_hand, too_easy
from algoworlds.suites.claims.shortcuts import likely_hits
from algoworlds.worlds.admit import Coordinate, admit

FAMILY = FAMILIES["series_portfolio"]


def suite(**solved):
    """Three instances a level, of which the named attacker solves so many at levels 1, 2, 3 and 4; the others none."""
    counts = {name: solved.get(name, (0, 0, 0, 0)) for name in ("one", "two")}
    return {level: [{name: at < counts[name][level - 1] for name in counts} for at in range(3)] for level in (1, 2, 3, 4)}


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        (suite(), None),
        (suite(one=(3, 0, 0, 0)), None),
        (suite(one=(3, 2, 0, 0)), None),
        (suite(one=(3, 2, 1, 0)), "6 of 12 solved by hand, more than 5"),
        (suite(one=(3, 2, 0, 0), two=(0, 0, 0, 1)), "6 of 12 solved by hand, more than 5"),
    ],
)
def test_the_development_split_fails_when_the_goals_are_in_doubt(found, problem):
    assert too_easy(FAMILY, found, published=True) == problem


def test_a_fresh_suite_fails_only_when_the_goal_is_refuted():
    assert too_easy(FAMILY, suite(one=(3, 2, 1, 1)), published=False) is None
    assert too_easy(FAMILY, suite(one=(3, 3, 2, 1)), published=False) == "of 12 instances one solves 9, more than 8"
    assert too_easy(FAMILY, {1: suite(one=(3, 0, 0, 0))[1]}, published=False) is None, "three instances refute nothing"


def test_what_a_family_concedes_counts_in_place_of_the_goal():
    concessions = (Concession(BY_HAND, 1, 100.0, "small"),)
    conceding = replace(FAMILY, hardness=replace(FAMILY.hardness, concessions=concessions))
    assert too_easy(conceding, suite(one=(3, 2, 1, 0)), published=True) is None
    assert too_easy(conceding, suite(one=(3, 2, 1, 1)), published=True) == "7 of 12 solved by hand, more than 6"


def test_hits_are_likely_by_the_law_of_independent_trials():
    rates = [0.5, 0.5, 0.25, 0.1]

    def chance(hits):
        worlds = product((0, 1), repeat=len(rates))
        return sum(prod(p if x else 1 - p for p, x in zip(rates, each, strict=True)) for each in worlds if sum(each) >= hits)

    for refuted in (0.3, 0.05, 0.01):
        most = likely_hits(rates, refuted)
        assert chance(most) > refuted
        assert most == len(rates) or chance(most + 1) <= refuted


def test_sentries_are_attackers_of_the_panel_and_try_what_has_a_hand():
    admitted = admit(Coordinate(FAMILY.name, 0, 1))
    assert set(SENTRIES) <= {each.name for each in ATTACKERS}
    found = solved_by_hand(FAMILY, admitted.instance, admitted.optimum)
    assert set(found) == set(SENTRIES)
    assert found == solved_by_hand(FAMILY, admitted.instance, admitted.optimum)
    assert (
        solved_by_hand(replace(FAMILY, hardness=replace(FAMILY.hardness, hand=None)), admitted.instance, admitted.optimum) == {}
    )
