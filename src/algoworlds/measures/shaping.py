"""Dense rewards that change no policy: potentials of what is known, paid as they rise (Ng, Harada and Russell, 1999).

With a discount g every step from s to s' is paid g Phi(s') - Phi(s) beside its reward, and Phi is 0 at the end. So the
discounted sum of what is paid beside the rewards is -Phi(start): a constant of the world, whatever the agent does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from algoworlds.errors import InputError, quoted
from algoworlds.knowledge.sufficiency.observed import Observed
from algoworlds.measures.hindsight import Hindsight
from algoworlds.measures.key import Key
from algoworlds.measures.rewards import reward_named
from algoworlds.worlds.episode import Episode

WORST = 2
"""The most regret, in reference gaps, that a potential tells apart; what may be infeasible counts as much."""


@dataclass(frozen=True)
class Shaping:
    """A potential Phi of what an episode has been told so far; at the end it is 0 whatever it says."""

    name: str
    meaning: str
    caution: str
    of: Callable[[Hindsight], Fraction]


def _missing(hindsight: Hindsight) -> Fraction:
    """Less the share of facts that is missing of the sufficient set that is most complete."""
    facts = hindsight.episode.facts
    return max(Fraction(len(each & facts), len(each)) for each in hindsight.key.sets) - 1


def _risked(hindsight: Hindsight) -> Fraction:
    """Less what the optimum may lose in any instance that answers alike, in reference gaps."""
    oracle = hindsight.judge.oracle
    if oracle is None:
        return Fraction(0)
    risk = oracle.worst_regret(oracle.optimum, Observed.of(hindsight.episode)).low
    return Fraction(-WORST) if risk == inf else -min(Fraction(WORST), Fraction(int(risk), hindsight.key.reference_gap))


SHAPINGS = {
    each.name: each
    for each in (
        Shaping(
            name="coverage",
            meaning="Phi = coverage - 1: from -1 to 0 as the facts of a sufficient set come in.",
            caution="Every fact counts alike, whether it decides or not. It costs next to nothing.",
            of=_missing,
        ),
        Shaping(
            name="regret",
            meaning=f"Phi = -min({WORST}, worst regret of the optimum / reference gap) over all instances that answer alike: 0 "
            "if the optimum is known.",
            caution="It solves at every step. Flat at first: one fact less than needed may risk as much as all. Always 0 where "
            "a family does not say what is known.",
            of=_risked,
        ),
    )
}
"""Every potential by name."""


class Meter:
    """What an episode is paid, step by step: the reward at its end, and what a shaping adds on the way.

    Ask `step()` after every call; ask `end()` once if the agent stops before the episode does. Everything is exact.
    """

    def __init__(
        self, episode: Episode, key: Key, reward: str, shaping: str | None = None, discount: Fraction | int = 1
    ) -> None:
        if shaping is not None and shaping not in SHAPINGS:
            raise InputError(f"there is no shaping {quoted(shaping)}; choose from {', '.join(SHAPINGS)}, or none")
        self._hindsight, self._reward, self._discount = Hindsight.of(episode, key), reward_named(reward), Fraction(discount)
        self._shaping = None if shaping is None else SHAPINGS[shaping]
        self.start = self._before = self._potential()
        """Phi(start): the discounted sum of all that is paid is the discounted reward less this."""
        self._ended = False

    def _potential(self) -> Fraction:
        return Fraction(0) if self._shaping is None else self._shaping.of(self._hindsight)

    def step(self) -> Fraction:
        """What the last step is paid; the reward is part of it if the episode has ended."""
        if self._ended or self._hindsight.episode.stop is not None:
            return self.end()
        after = self._potential()
        paid = self._discount * after - self._before
        self._before = after
        return paid

    def end(self) -> Fraction:
        """What the step that ends the episode is paid, whoever ended it; nothing is paid after it."""
        if self._ended:
            return Fraction(0)
        self._ended = True
        episode, key = self._hindsight.episode, self._hindsight.key
        return self._reward.of(Hindsight(episode, key, judge=self._hindsight.judge)) - self._before
