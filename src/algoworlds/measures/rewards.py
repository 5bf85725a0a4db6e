"""Rewards for training: what an episode has earned, as exact numbers, each with its known loophole.

Nothing is earned before the binding submission: reading, evaluating, malformed calls and talk are worth nothing by themselves,
and only `thrift` falls as the agent spends. Rewards read the hidden instance, so they are computed on the trainer's side.

Potential-based shaping spreads a reward over the steps and leaves optimal policies unchanged (Ng, Harada and Russell, 1999).
With a discount g, every step from s to s' pays g Phi(s') - Phi(s) on top of its reward, and Phi is 0 at the end. The discounted
sum of these payments is -Phi(start): a constant of the world, whatever the agent does.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf

from algoworlds.errors import InputError, quote_value
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.measures.hindsight import Footing, Hindsight
from algoworlds.measures.key import AnswerKey
from algoworlds.measures.scoring import exactness, feasibility, optimality_gap
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World

BUDGET_PENALTY = Fraction(1, 10)
"""What spending the whole budget costs in `thrift`, where the optimum is worth 1."""

RANDOM_DECISIONS = 100
"""Random feasible decisions that a decision must beat in `gain`; one more random draw beats them once in 101 times at most."""


@dataclass(frozen=True)
class Reward:
    """One reward of an episode."""

    name: str
    low: Fraction
    high: Fraction
    meaning: str
    loophole: str
    """Unwanted behaviour that it also rewards."""
    compute: Callable[[Hindsight], Fraction]


def _exact(hindsight: Hindsight) -> Fraction:
    return Fraction(exactness(hindsight.key, hindsight.verdict))


def _utility(hindsight: Hindsight) -> Fraction:
    distance = optimality_gap(hindsight.key, hindsight.verdict)
    return Fraction(0) if distance is None else max(Fraction(0), 1 - Fraction(distance, hindsight.key.reference_gap))


def _gain(hindsight: Hindsight) -> Fraction:
    if problem := hindsight.episode.world.family.lacking("hardness", "sample", purpose="reward gain or thrift"):
        raise InputError(problem)
    distance, key = optimality_gap(hindsight.key, hindsight.verdict), hindsight.key
    if distance is None or distance >= key.reference_gap:  # no need to sample random decisions
        return Fraction(0)
    scale = min(key.reference_gap, best_random_gap(hindsight.episode.world, key.optimum))
    return max(Fraction(0), 1 - Fraction(distance, scale)) if scale else Fraction(distance == 0)


@lru_cache(maxsize=16)
def best_random_gap(world: World, optimum: int) -> int:
    """The smallest distance from `optimum` among random feasible decisions, which are the same in all plays of `world`."""
    decisions = world.family.hardness.samples(world.instance, world.coordinate.stream.child("chance"), RANDOM_DECISIONS)
    values = [world.family.check(world.instance, decision).value for decision in decisions]
    return min(abs(value - optimum) for value in values if value is not None)


def _justified_reward(hindsight: Hindsight) -> Fraction:
    """Exactness is tested first, because the footing takes long to compute."""
    return Fraction(bool(_exact(hindsight)) and hindsight.footing == Footing.JUSTIFIED.value)


_NOTHING, _ALL = Fraction(0), Fraction(1)

REWARDS = {
    reward.name: reward
    for reward in (
        Reward(
            name="exact",
            low=_NOTHING,
            high=_ALL,
            meaning="1 if the submitted decision has the certified optimal value, else 0.",
            loophole="A lucky guess as much as a proof. It is sparse: a near miss and no attempt are worth the same.",
            compute=_exact,
        ),
        Reward(
            name="utility",
            low=_NOTHING,
            high=_ALL,
            meaning="1 at the optimum, 0 at the myopic reference decision and at anything worse or infeasible; linear between.",
            loophole="Chance, where a feasible decision at random beats the reference: up to a half of all in some families.",
            compute=_utility,
        ),
        Reward(
            name="gain",
            low=_NOTHING,
            high=_ALL,
            meaning="1 at the optimum, 0 at the better of the reference and the best of "
            f"{RANDOM_DECISIONS} feasible decisions at random; linear between.",
            loophole="Good guesses without proof: local search alone is paid well where it comes close.",
            compute=_gain,
        ),
        Reward(
            name="feasible",
            low=_NOTHING,
            high=_ALL,
            meaning="1 if the submitted decision keeps every rule, else 0.",
            loophole="Any feasible decision, however bad. Where every well-formed decision is feasible it needs no "
            "reading: use it at the beginning of training, and never alone.",
            compute=lambda hindsight: Fraction(feasibility(hindsight.verdict)),
        ),
        Reward(
            name="thrift",
            low=-BUDGET_PENALTY,
            high=_ALL,
            meaning=f"Gain less {BUDGET_PENALTY} of the share of the budget that was spent.",
            loophole="Not reading where success is unlikely: an agent that fails either way loses less by submitting at once.",
            compute=lambda hindsight: (
                _gain(hindsight) - BUDGET_PENALTY * Fraction(hindsight.episode.spent, hindsight.episode.world.budget)
            ),
        ),
        Reward(
            name="justified",
            low=_NOTHING,
            high=_ALL,
            meaning="1 if the decision is exact and the responses left no other optimum possible, else 0. It solves: it takes "
            "longer.",
            loophole="Reading until nothing is in doubt, whatever that costs; what the oracle leaves undecided pays nothing.",
            compute=_justified_reward,
        ),
    )
}
"""Every reward by name, in the order in which they are explained."""


def find_reward(name: str) -> Reward:
    """The reward of that name; InputError lists the names."""
    if name not in REWARDS:
        raise InputError(f"there is no reward {quote_value(name)}; choose from {', '.join(REWARDS)}")
    return REWARDS[name]


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
            caution="It solves at every step. Flat at first: one missing fact may risk as much as all of them. Always 0 where "
            "a family declares no ranges.",
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
