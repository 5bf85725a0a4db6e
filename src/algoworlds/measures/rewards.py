"""Rewards for training: what an episode has earned, as exact numbers, each with what it rewards that nobody wants.

Nothing is earned before the binding submission: reading, evaluating, malformed calls and talk are worth nothing by themselves,
and only `thrift` falls while money is spent. What a reward needs of the hidden instance stays with whoever trains.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from algoworlds.core.decision import Decision
from algoworlds.errors import InputError, quoted
from algoworlds.measures.hindsight import Footing, Hindsight
from algoworlds.measures.outcomes import exact, feasible, gap
from algoworlds.worlds.world import World

PRICE = Fraction(1, 10)
"""What spending the whole budget costs in `thrift`, where the optimum is worth 1."""

DRAWS = 100
"""Feasible decisions drawn at random that a decision must beat in `gain`: another draw does so once in 101 times at most."""


@dataclass(frozen=True)
class Reward:
    """One reward of an episode, as it stands."""

    name: str
    low: Fraction
    high: Fraction
    meaning: str
    wrongly: str
    """What it rewards that nobody wants."""
    of: Callable[[Hindsight], Fraction]


def _exact(hindsight: Hindsight) -> Fraction:
    return Fraction(exact(hindsight.key, hindsight.verdict))


def _utility(hindsight: Hindsight) -> Fraction:
    distance = gap(hindsight.key, hindsight.verdict)
    return Fraction(0) if distance is None else max(Fraction(0), 1 - Fraction(distance, hindsight.key.reference_gap))


def _feasible(hindsight: Hindsight) -> Fraction:
    return Fraction(feasible(hindsight.verdict))


def _gain(hindsight: Hindsight) -> Fraction:
    if problem := hindsight.episode.world.family.lacking("hardness", "sample", purpose="reward gain or thrift"):
        raise InputError(problem)
    distance, key = gap(hindsight.key, hindsight.verdict), hindsight.key
    if distance is None or distance >= key.reference_gap:  # chance need not be asked
        return Fraction(0)
    scale = min(key.reference_gap, chance(hindsight.episode.world, key.optimum))
    return max(Fraction(0), 1 - Fraction(distance, scale)) if scale else Fraction(distance == 0)


@lru_cache(maxsize=16)
def chance(world: World, optimum: int) -> int:
    """The least distance from the optimum among some feasible decisions drawn at random: the same in all plays of a world."""
    decisions = world.family.hardness.samples(world.instance, world.coordinate.stream.child("chance"), DRAWS)
    return min(abs(_value(world, decision) - optimum) for decision in decisions)


def _value(world: World, decision: Decision) -> int:
    value = world.family.check(world.instance, decision).value
    assert value is not None
    return value


def _thrift(hindsight: Hindsight) -> Fraction:
    return _gain(hindsight) - PRICE * Fraction(hindsight.episode.spent, hindsight.episode.world.budget)


def _justified(hindsight: Hindsight) -> Fraction:
    """Asked in this order, for what could be known takes long to say."""
    return Fraction(bool(_exact(hindsight)) and hindsight.footing == Footing.JUSTIFIED.value)


_NOTHING, _ALL = Fraction(0), Fraction(1)

REWARDS = {
    each.name: each
    for each in (
        Reward(
            name="exact",
            low=_NOTHING,
            high=_ALL,
            meaning="1 if the submitted decision has the certified optimal value, else 0.",
            wrongly="A lucky guess as much as a proof; and nothing tells a near miss from no attempt, so that it is sparse.",
            of=_exact,
        ),
        Reward(
            name="utility",
            low=_NOTHING,
            high=_ALL,
            meaning="1 at the optimum, 0 at the myopic reference decision and at anything worse or infeasible; linear between.",
            wrongly="Chance, where a feasible decision at random beats the reference: up to a half of all in some families.",
            of=_utility,
        ),
        Reward(
            name="gain",
            low=_NOTHING,
            high=_ALL,
            meaning=f"1 at the optimum, 0 at the better of the reference and the best of {DRAWS} feasible decisions at random; "
            "linear between.",
            wrongly="Good guesses without proof; whoever is content with local search is paid well where it comes close.",
            of=_gain,
        ),
        Reward(
            name="feasible",
            low=_NOTHING,
            high=_ALL,
            meaning="1 if the submitted decision keeps every rule, else 0.",
            wrongly="Any feasible decision, however bad. Where every well-formed decision is feasible it is paid to who read "
            "nothing: to begin with, and never alone.",
            of=_feasible,
        ),
        Reward(
            name="thrift",
            low=-PRICE,
            high=_ALL,
            meaning=f"Gain less {PRICE} of the share of the budget that was spent.",
            wrongly="Not to read where success is unlikely: an agent that fails either way loses less by submitting at once.",
            of=_thrift,
        ),
        Reward(
            name="justified",
            low=_NOTHING,
            high=_ALL,
            meaning="1 if the decision is exact and the responses left no other optimum possible, else 0. It solves: it takes "
            "longer.",
            wrongly="Reading until nothing is left in doubt, whatever that costs; nothing is paid where that cannot be proven.",
            of=_justified,
        ),
    )
}
"""Every reward by name, in the order in which they are explained."""


def reward_named(name: str) -> Reward:
    """The reward of that name; InputError lists the names."""
    if name not in REWARDS:
        raise InputError(f"there is no reward {quoted(name)}; choose from {', '.join(REWARDS)}")
    return REWARDS[name]
