"""Rewards for training: what an episode has earned, as exact numbers, each with its known loophole.

Nothing is earned before the binding submission: reading, evaluating, malformed calls and talk are worth nothing by themselves,
and only `thrift` falls as the agent spends. Rewards read the hidden instance, so they are computed on the trainer's side.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from algoworlds.core.decision import Decision
from algoworlds.errors import InputError, quote_value
from algoworlds.measures.hindsight import Footing, Hindsight
from algoworlds.measures.scoring import exactness, feasibility, optimality_gap
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


def _feasible(hindsight: Hindsight) -> Fraction:
    return Fraction(feasibility(hindsight.verdict))


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
    return min(abs(_value(world, decision) - optimum) for decision in decisions)


def _value(world: World, decision: Decision) -> int:
    value = world.family.check(world.instance, decision).value
    assert value is not None
    return value


def _thrift(hindsight: Hindsight) -> Fraction:
    return _gain(hindsight) - BUDGET_PENALTY * Fraction(hindsight.episode.spent, hindsight.episode.world.budget)


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
            loophole="A lucky guess as much as a proof; and nothing tells a near miss from no attempt, so that it is sparse.",
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
            loophole="Good guesses without proof; whoever is content with local search is paid well where it comes close.",
            compute=_gain,
        ),
        Reward(
            name="feasible",
            low=_NOTHING,
            high=_ALL,
            meaning="1 if the submitted decision keeps every rule, else 0.",
            loophole="Any feasible decision, however bad. Where every well-formed decision is feasible it is paid to who read "
            "nothing: to begin with, and never alone.",
            compute=_feasible,
        ),
        Reward(
            name="thrift",
            low=-BUDGET_PENALTY,
            high=_ALL,
            meaning=f"Gain less {BUDGET_PENALTY} of the share of the budget that was spent.",
            loophole="Not to read where success is unlikely: an agent that fails either way loses less by submitting at once.",
            compute=_thrift,
        ),
        Reward(
            name="justified",
            low=_NOTHING,
            high=_ALL,
            meaning="1 if the decision is exact and the responses left no other optimum possible, else 0. It solves: it takes "
            "longer.",
            loophole="Reading until nothing is in doubt, whatever that costs; nothing is paid where that cannot be proven.",
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
