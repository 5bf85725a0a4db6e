"""The goals: what every family must withstand at every level, each one a value that says by how much it is missed.

A goal is judged by what was measured. Of a few instances that may be chance, so a miss also says whether it is beyond chance:
whether worlds that just meet the goal would do as badly in less than one panel of a thousand.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from statistics import variance
from typing import NamedTuple

from algoworlds.families import load_family
from algoworlds.suites.attack.summary import HardnessSummary
from algoworlds.suites.claims.shortcuts import max_likely_hits

EXACT_BY_HAND = "exact by hand"
MAX_EXACT_PERCENT = {1: 50.0, 2: 25.0, 3: 10.0, 4: 10.0}
"""Percent that the best attacker may solve within the hand budget, by level."""
MAX_GUESSED_PERCENT = 10.0
MIN_H50 = 1_000
MIN_H50_GROWTH = 2
MAX_AUC_DEVIATION = 0.05
"""How far the AUC of public features may be from one half."""
MAX_STANDARD_ERRORS = 3.29
"""Standard errors that chance exceeds once in a thousand times, on either side."""


class Shortfall(NamedTuple):
    """How a goal is missed, and whether by more than chance explains."""

    how: str
    sure: bool


@dataclass(frozen=True)
class Goal:
    """A name, what it asks, and how a standing misses it, if it does.

    The standing of the level before may be known, and another figure may be allowed than the goal's own.
    """

    name: str
    meaning: str
    shortfall: Callable[[HardnessSummary, HardnessSummary | None, float | None], Shortfall | None]


@dataclass(frozen=True)
class MissedGoal:
    """A goal that a family misses at a level, how, whether beyond chance, and why if the family concedes as much."""

    family: str
    level: int
    goal: str
    how: str
    sure: bool
    conceded: str


def missed_goals(standings: Sequence[HardnessSummary]) -> list[MissedGoal]:
    """Every goal that is missed; levels without goals, such as the warm-up, are not judged."""
    by_place = {(standing.family, standing.level): standing for standing in standings}
    return [
        MissedGoal(standing.family, standing.level, goal.name, *found, _concession_reason(goal, standing, before))
        for standing in standings
        if standing.level in MAX_EXACT_PERCENT
        for goal in GOALS
        for before in [by_place.get((standing.family, standing.level - 1))]
        if (found := goal.shortfall(standing, before, None)) is not None
    ]


def _concession_reason(goal: Goal, standing: HardnessSummary, before: HardnessSummary | None) -> str:
    """Why a family misses a goal, if it says so and stays within what it says; nothing otherwise."""
    said = load_family(standing.family).hardness.concession_for(goal.name, standing.level)
    return "" if said is None or goal.shortfall(standing, before, said.limit) is not None else said.why


def _share_shortfall(standing: HardnessSummary, share: float, most: float, by: str) -> Shortfall | None:
    """A share of instances that must not be larger."""
    if share <= most:
        return None
    count = len(standing.runs)
    return Shortfall(f"{share:.0f} %{by}, at most {most:.0f} %", share * count / 100 > max_likely_hits([most / 100] * count))


def _hand_shortfall(standing: HardnessSummary, before: HardnessSummary | None, limit: float | None) -> Shortfall | None:
    name, share = standing.best_attacker(standing.hand_budget)
    return _share_shortfall(standing, share, MAX_EXACT_PERCENT[standing.level] if limit is None else limit, f" by {name}")


def _imputation_shortfall(standing: HardnessSummary, before: HardnessSummary | None, limit: float | None) -> Shortfall | None:
    name, share = max(standing.imputed_percent.items(), key=lambda item: item[1], default=("", 0.0))
    return _share_shortfall(standing, share, MAX_GUESSED_PERCENT if limit is None else limit, f" with {name}")


def _h50_shortfall(standing: HardnessSummary, before: HardnessSummary | None, limit: float | None) -> Shortfall | None:
    """H50 is above a number at level 1, and at least twice that of the level before at every other."""
    own, asked = standing.h50, _required_h50(standing, before) if limit is None else limit
    if own is None or asked is None or own > asked or (own == asked and standing.level > 1):
        return None
    if asked == inf:
        return Shortfall(f"{own:,.0f}, the level before is never half solved", False)
    count = len(standing.runs)
    solved = standing.best_attacker(int(asked))[1] * count / 100
    return Shortfall(f"{own:,.0f}, asked for {asked:,.0f}", solved > max_likely_hits([0.5] * count))


def _required_h50(standing: HardnessSummary, before: HardnessSummary | None) -> float | None:
    """The least H50 at a level; None if the level before was not attacked."""
    if standing.level == 1:
        return MIN_H50
    return None if before is None else inf if before.h50 is None else MIN_H50_GROWTH * before.h50


def _utility_shortfall(standing: HardnessSummary, before: HardnessSummary | None, limit: float | None) -> Shortfall | None:
    """The best utility by hand falls from level to level; or stays below a limit."""
    if before is None:
        return None
    own, most = standing.best_utility, before.best_utility if limit is None else limit
    if own < most:
        return None
    spread = sum(
        variance(summary.best_utilities) / len(summary.runs) for summary in (standing, before) if len(summary.runs) > 1
    )
    return Shortfall(
        f"{own:.1f}, not below the {most:.1f} of the level before", own - most > MAX_STANDARD_ERRORS * sqrt(spread)
    )


def _prior_shortfall(standing: HardnessSummary, before: HardnessSummary | None, limit: float | None) -> Shortfall | None:
    most = MAX_GUESSED_PERCENT if limit is None else limit
    return None if standing.prior is None else _share_shortfall(standing, standing.prior.exact, most, "")


def _public_shortfall(standing: HardnessSummary, before: HardnessSummary | None, limit: float | None) -> Shortfall | None:
    """An AUC near one half: missed only beyond chance, since any AUC is off by some errors of its own."""
    if standing.prior is None:
        return None
    auc, error = standing.prior.public_auc, standing.prior.public_error
    far, most = round(abs(auc - 0.5), 6), MAX_AUC_DEVIATION if limit is None else limit - 0.5
    if far <= most or far <= MAX_STANDARD_ERRORS * error:
        return None
    return Shortfall(f"{auc:.3f} (standard error {error:.3f}), outside {0.5 - most:.2f} to {0.5 + most:.2f}", True)


GOALS = (
    Goal(EXACT_BY_HAND, "the best attacker solves few instances within the hand budget", _hand_shortfall),
    Goal("exact with a guessed column", "the exact solver fails when typical values replace a column", _imputation_shortfall),
    Goal("H50", "half of the instances take many evaluations, twice as many at every further level", _h50_shortfall),
    Goal("utility by hand", "the best attacker's mean utility falls from level to level", _utility_shortfall),
    Goal("learned prior", "other seeds teach no way to the optimum", _prior_shortfall),
    Goal("public AUC", "what is public before anything is read tells nothing", _public_shortfall),
)
