"""The worlds of a pair ask the same and hold the same, in different structures."""

from collections.abc import Iterator

from algoworlds.core.canonical import canonical_text
from algoworlds.suites.claims.claim import Case, Claim, Unit


def pairing(case: Case) -> Iterator[Unit]:
    """Complete private records rebuild the same instance while their relational structures differ."""
    worlds = list(case.worlds.values())
    shared = {canonical_text([world.question, world.tools, dict(world.prices), world.budget]) for world in worlds}
    claimed = {canonical_text([each.question, each.tools, each.prices, each.budget]) for each in case.bundles}
    collections = [world.store.collected for world in worlds]
    problem = None
    if len(shared) != 1 or claimed != shared:
        problem = "the worlds differ in question, tools, prices or budget"
    elif any(
        case.rebuilt(world, world.facts([each])) != case.first.instance for world, each in zip(worlds, collections, strict=True)
    ):
        problem = "a record collection does not rebuild the instance"
    elif len(worlds) > 1 and set(collections[0]) == set(collections[1]):
        problem = "the interfaces present the same relational structure"
    yield case.first.coordinate.name, problem


PAIRING = Claim("Paired-interface equivalence", "Direct-Mediated pair", pairing)
