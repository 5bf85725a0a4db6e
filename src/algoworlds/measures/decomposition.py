"""Regret in two parts: what was lost because facts were never seen, and what was lost in spite of the facts seen.

This is offline analysis with the exact solver; it looks at hidden data and reveals nothing to an agent.
"""

from dataclasses import dataclass

from algoworlds.core.decision import Verdict
from algoworlds.core.instance import Instance
from algoworlds.core.options import restricted
from algoworlds.core.relation import Fact
from algoworlds.measures.key import Key
from algoworlds.measures.outcomes import gap
from algoworlds.worlds.world import World


@dataclass(frozen=True)
class Decomposition:
    """The two parts of normalized regret; the reasoning part is negative where an agent guessed well."""

    acquisition: float | None
    """Regret of the best decision made only of options whose facts were all seen; None if there is none."""
    reasoning: float | None
    """The rest of the submitted decision's regret; None if either of the two is undefined."""


def known(world: World, facts: frozenset[Fact]) -> Instance | None:
    """The world's instance with only those options whose facts were all seen; None if something indispensable was not."""
    return restricted(world.instance, facts, world.family.knowledge.options)


def acquisition_gap(world: World, facts: frozenset[Fact], optimum: int) -> int | None:
    """How far the best decision made only of known options lies from the optimum; None if there is no such decision."""
    instance = known(world, facts)
    if instance is None:
        return None
    if instance is world.instance:
        return 0
    decision = world.family.solve(instance).decision
    if decision is None:
        return None
    value, priced = (world.family.check(each, decision).value for each in (world.instance, instance))
    assert value is not None
    assert priced is not None
    makeshift = world.family.sense.better(value, than=priced)  # it pays for an option that is excluded by its price
    return None if makeshift else abs(value - optimum)


def decompose(unseen: int | None, key: Key, verdict: Verdict) -> Decomposition:
    """The two parts of a submitted decision's normalized regret, given the acquisition gap of what its agent had seen."""
    whole = gap(key, verdict)
    acquisition = None if unseen is None else unseen / key.reference_gap
    reasoning = None if unseen is None or whole is None else (whole - unseen) / key.reference_gap
    return Decomposition(acquisition, reasoning)
