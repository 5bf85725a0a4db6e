"""Potential-based reward shaping, which leaves optimal policies unchanged (Ng, Harada and Russell, 1999).

With a discount g, every step from s to s' pays g Phi(s') - Phi(s) on top of its reward, and Phi is 0 at the end. The discounted
sum of these payments is -Phi(start): a constant of the world, whatever the agent does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from algoworlds.errors import InputError, quote_value
from algoworlds.knowledge.sufficiency.observed import ObservedCalls
from algoworlds.measures.hindsight import Hindsight
from algoworlds.measures.key import AnswerKey
from algoworlds.measures.rewards import find_reward
from algoworlds.worlds.episode import Episode

MAX_REGRET_GAPS = 2
"""Cap on the regret in a potential, in reference gaps; a decision that may be infeasible counts as much."""


@dataclass(frozen=True)
class Shaping:
    """A potential Phi of the responses so far; at the end of an episode it is 0 by definition."""

    name: str
    meaning: str
    caution: str
    potential: Callable[[Hindsight], Fraction]


def _coverage_potential(hindsight: Hindsight) -> Fraction:
    """Minus the share of facts still missing from the most complete sufficient set."""
    facts = hindsight.episode.facts
    return max(Fraction(len(needed & facts), len(needed)) for needed in hindsight.key.sufficient_sets) - 1


def _regret_potential(hindsight: Hindsight) -> Fraction:
    """Minus the worst regret of the optimum over all instances with the same responses, in reference gaps, capped."""
    oracle = hindsight.judge.oracle
    if oracle is None:
        return Fraction(0)
    regret = oracle.worst_regret(oracle.optimum, ObservedCalls.from_episode(hindsight.episode)).low
    if regret == inf:
        return Fraction(-MAX_REGRET_GAPS)
    return -min(Fraction(MAX_REGRET_GAPS), Fraction(int(regret), hindsight.key.reference_gap))


SHAPINGS = {
    shaping.name: shaping
    for shaping in (
        Shaping(
            name="coverage",
            meaning="Phi = coverage - 1: from -1 to 0 as the facts of a sufficient set come in.",
            caution="Every fact counts alike, whether it decides or not. It costs next to nothing.",
            potential=_coverage_potential,
        ),
        Shaping(
            name="regret",
            meaning=f"Phi = -min({MAX_REGRET_GAPS}, worst regret of the optimum / reference gap) over all instances that "
            "answer alike: 0 if the optimum is known.",
            caution="It solves at every step. Flat at first: one fact less than needed may risk as much as all. Always 0 where "
            "a family does not say what is known.",
            potential=_regret_potential,
        ),
    )
}
"""Every potential by name."""


class StepRewards:
    """Step-by-step rewards of an episode: the reward at its end, plus what a shaping adds on the way, all exact.

    Call `step()` after every tool call, and `end()` once if the agent stops before the episode does.
    """

    def __init__(
        self, episode: Episode, key: AnswerKey, reward: str, shaping: str | None = None, discount: Fraction | int = 1
    ) -> None:
        if shaping is not None and shaping not in SHAPINGS:
            raise InputError(f"there is no shaping {quote_value(shaping)}; choose from {', '.join(SHAPINGS)}, or none")
        self._hindsight = Hindsight.from_episode(episode, key)
        self._reward, self._discount = find_reward(reward), Fraction(discount)
        self._shaping = None if shaping is None else SHAPINGS[shaping]
        self.initial_potential = self._previous = self._potential()
        """Phi(start): the discounted sum of all payments is the discounted reward minus this."""
        self._ended = False

    def _potential(self) -> Fraction:
        return Fraction(0) if self._shaping is None else self._shaping.potential(self._hindsight)

    def step(self) -> Fraction:
        """The payment for the last step; it includes the reward if the episode has ended."""
        if self._ended or self._hindsight.episode.stop is not None:
            return self.end()
        after = self._potential()
        payment = self._discount * after - self._previous
        self._previous = after
        return payment

    def end(self) -> Fraction:
        """The payment for ending the episode; every later payment is 0."""
        if self._ended:
            return Fraction(0)
        self._ended = True
        episode, key = self._hindsight.episode, self._hindsight.key
        return self._reward.compute(Hindsight(episode, key, judge=self._hindsight.judge)) - self._previous
