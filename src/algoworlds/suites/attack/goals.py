"""The goals: what every family must withstand at every level, each one a value that says by how much it is missed.

A goal is judged by what was measured. Of a few instances that may be chance, so a miss also says whether it is beyond chance:
whether worlds that just meet the goal would do as badly in less than one panel of a thousand.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from statistics import variance
from typing import NamedTuple

from algoworlds.families import family
from algoworlds.suites.attack.standing import Standing
from algoworlds.suites.claims.shortcuts import likely_hits

BY_HAND = "exact by hand"
MOST_EXACT = {1: 50.0, 2: 25.0, 3: 10.0, 4: 10.0}
"""Percent that the best attacker may solve within the hand budget, by level."""
MOST_GUESSED = 10.0
LEAST_H50 = 1_000
FACTOR = 2
BLIND_AUC = 0.05
"""How far the AUC of public features may be from one half."""
ERRORS = 3.29
"""Standard errors that chance exceeds once in a thousand times, on either side."""


class Missing(NamedTuple):
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
    miss: Callable[[Standing, Standing | None, float | None], Missing | None]


@dataclass(frozen=True)
class Miss:
    """A goal that a family misses at a level, how, whether beyond chance, and why if the family concedes as much."""

    family: str
    level: int
    goal: str
    how: str
    sure: bool
    conceded: str


def missed(standings: Sequence[Standing]) -> list[Miss]:
    """Every goal that is missed; levels without goals, such as the warm-up, are not judged."""
    by_place = {(each.family, each.level): each for each in standings}
    return [
        Miss(each.family, each.level, goal.name, *found, _conceded(goal, each, before))
        for each in standings
        if each.level in MOST_EXACT
        for goal in GOALS
        for before in [by_place.get((each.family, each.level - 1))]
        if (found := goal.miss(each, before, None)) is not None
    ]


def _conceded(goal: Goal, standing: Standing, before: Standing | None) -> str:
    """Why a family misses a goal, if it says so and stays within what it says; nothing otherwise."""
    said = family(standing.family).hardness.conceded(goal.name, standing.level)
    return "" if said is None or goal.miss(standing, before, said.limit) is not None else said.why


def _share(standing: Standing, share: float, most: float, by: str) -> Missing | None:
    """A share of instances that must not be larger."""
    if share <= most:
        return None
    count = len(standing.sieges)
    return Missing(f"{share:.0f} %{by}, at most {most:.0f} %", share * count / 100 > likely_hits([most / 100] * count))


def _by_hand(standing: Standing, before: Standing | None, limit: float | None) -> Missing | None:
    name, share = standing.best(standing.hand_budget)
    return _share(standing, share, MOST_EXACT[standing.level] if limit is None else limit, f" by {name}")


def _guessed(standing: Standing, before: Standing | None, limit: float | None) -> Missing | None:
    name, share = max(standing.imputed.items(), key=lambda each: each[1], default=("", 0.0))
    return _share(standing, share, MOST_GUESSED if limit is None else limit, f" with {name}")


def _half(standing: Standing, before: Standing | None, limit: float | None) -> Missing | None:
    """H50 is above a number at level 1, and at least twice that of the level before at every other."""
    own, asked = standing.h50, _asked(standing, before) if limit is None else limit
    if own is None or asked is None or own > asked or (own == asked and standing.level > 1):
        return None
    if asked == inf:
        return Missing(f"{own:,.0f}, the level before is never half solved", False)
    count = len(standing.sieges)
    solved = standing.best(int(asked))[1] * count / 100
    return Missing(f"{own:,.0f}, asked for {asked:,.0f}", solved > likely_hits([0.5] * count))


def _asked(standing: Standing, before: Standing | None) -> float | None:
    """The least H50 at a level; None if the level before was not attacked."""
    if standing.level == 1:
        return LEAST_H50
    return None if before is None else inf if before.h50 is None else FACTOR * before.h50


def _falling(standing: Standing, before: Standing | None, limit: float | None) -> Missing | None:
    """The best utility by hand falls from level to level; or stays below a limit."""
    if before is None:
        return None
    own, most = standing.best_utility, before.best_utility if limit is None else limit
    if own < most:
        return None
    spread = sum(variance(each.best_utilities) / len(each.sieges) for each in (standing, before) if len(each.sieges) > 1)
    return Missing(f"{own:.1f}, not below the {most:.1f} of the level before", own - most > ERRORS * sqrt(spread))


def _learned(standing: Standing, before: Standing | None, limit: float | None) -> Missing | None:
    most = MOST_GUESSED if limit is None else limit
    return None if standing.prior is None else _share(standing, standing.prior.exact, most, "")


def _public(standing: Standing, before: Standing | None, limit: float | None) -> Missing | None:
    """An AUC near one half: missed only beyond chance, since any AUC is off by some errors of its own."""
    if standing.prior is None:
        return None
    auc, error = standing.prior.public_auc, standing.prior.public_error
    far, most = round(abs(auc - 0.5), 6), BLIND_AUC if limit is None else limit - 0.5
    if far <= most or far <= ERRORS * error:
        return None
    return Missing(f"{auc:.3f} (standard error {error:.3f}), outside {0.5 - most:.2f} to {0.5 + most:.2f}", True)


GOALS = (
    Goal(BY_HAND, "the best attacker solves few instances within the hand budget", _by_hand),
    Goal("exact with a guessed column", "the exact solver fails when typical values replace a column", _guessed),
    Goal("H50", "half of the instances take many evaluations, twice as many at every further level", _half),
    Goal("utility by hand", "the best attacker's mean utility falls from level to level", _falling),
    Goal("learned prior", "other seeds teach no way to the optimum", _learned),
    Goal("public AUC", "what is public before anything is read tells nothing", _public),
)
