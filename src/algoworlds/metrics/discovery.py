"""Trajectory diagnostics: what the executed fact-revealing calls amount to."""

from collections.abc import Iterable

from algoworlds.model.relation import Fact
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World


def sufficient_sets(world: World) -> list[frozenset[Fact]]:
    """S(w): the facts that each acquisition plan yields."""
    found = []
    for plan in world.plans.values():
        episode = Episode(world, plan)
        found.append(episode.facts)
    return found


def coverage(facts: frozenset[Fact], sets: Iterable[frozenset[Fact]]) -> float:
    """D in 0..1: the largest share of any sufficient set that the facts contain."""
    return max(len(facts & each) / len(each) for each in sets)


def sufficient(facts: frozenset[Fact], sets: Iterable[frozenset[Fact]]) -> int:
    """C: 1 if the facts contain a complete sufficient set, else 0."""
    return int(any(each <= facts for each in sets))
