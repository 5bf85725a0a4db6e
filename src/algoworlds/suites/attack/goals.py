"""The goals: what every family must withstand at every level, each one a value that says by how much it is missed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from algoworlds.suites.attack.standing import Standing

MOST_EXACT = {1: 50.0, 2: 25.0, 3: 10.0, 4: 10.0}
"""Percent that the best attacker may solve within the hand budget, by level."""
MOST_GUESSED = 10.0
LEAST_H50 = 1_000
FACTOR = 2
BLIND_AUC = (0.45, 0.55)


@dataclass(frozen=True)
class Goal:
    """A name, what it asks, and how a standing misses it, if it does; the standing of the level before may be known."""

    name: str
    meaning: str
    miss: Callable[[Standing, Standing | None], str | None]


@dataclass(frozen=True)
class Miss:
    """A goal that a family misses at a level, and how."""

    family: str
    level: int
    goal: str
    how: str


def missed(standings: Sequence[Standing]) -> list[Miss]:
    """Every goal that is missed; levels without goals, such as the warm-up, are not judged."""
    by_place = {(each.family, each.level): each for each in standings}
    return [
        Miss(each.family, each.level, goal.name, how)
        for each in standings
        if each.level in MOST_EXACT
        for goal in GOALS
        if (how := goal.miss(each, by_place.get((each.family, each.level - 1)))) is not None
    ]


def _by_hand(standing: Standing, before: Standing | None) -> str | None:
    name, share = standing.best(standing.hand_budget)
    most = MOST_EXACT[standing.level]
    return f"{share:.0f} % by {name}, at most {most:.0f} %" if share > most else None


def _guessed(standing: Standing, before: Standing | None) -> str | None:
    worst = max(standing.imputed.items(), key=lambda each: each[1], default=("", 0.0))
    return f"{worst[1]:.0f} % with {worst[0]}, at most {MOST_GUESSED:.0f} %" if worst[1] > MOST_GUESSED else None


def _half(standing: Standing, before: Standing | None) -> str | None:
    own = standing.h50
    if own is None:
        return None
    if standing.level == 1:
        return f"{own:,.0f}, more than {LEAST_H50:,} asked" if own <= LEAST_H50 else None
    if before is None:
        return None
    if before.h50 is None:
        return f"{own:,.0f}, the level before is never half solved"
    least = FACTOR * before.h50
    return f"{own:,.0f}, at least {least:,.0f} asked" if own < least else None


def _falling(standing: Standing, before: Standing | None) -> str | None:
    if before is None or standing.best_utility < before.best_utility:
        return None
    return f"{standing.best_utility:.1f}, not below the {before.best_utility:.1f} of the level before"


def _learned(standing: Standing, before: Standing | None) -> str | None:
    if standing.prior is None or standing.prior.exact <= MOST_GUESSED:
        return None
    return f"{standing.prior.exact:.0f} %, at most {MOST_GUESSED:.0f} %"


def _public(standing: Standing, before: Standing | None) -> str | None:
    low, high = BLIND_AUC
    if standing.prior is None or low <= standing.prior.public_auc <= high:
        return None
    return f"{standing.prior.public_auc:.3f}, outside {low} to {high}"


GOALS = (
    Goal("exact by hand", "the best attacker solves few instances within the hand budget", _by_hand),
    Goal("exact with a guessed column", "the exact solver fails when typical values replace a column", _guessed),
    Goal("H50", "half of the instances take many evaluations, twice as many at every further level", _half),
    Goal("utility by hand", "the best attacker's mean utility falls from level to level", _falling),
    Goal("learned prior", "other seeds teach no way to the optimum", _learned),
    Goal("public AUC", "what is public before anything is read tells nothing", _public),
)
