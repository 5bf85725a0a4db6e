"""Certificates, in suites that have them: calls that make the optimum known, at the cost that they state."""

from collections.abc import Iterator

from algoworlds.measures.certificate import Certificate, informative
from algoworlds.measures.sufficiency.observed import Observed
from algoworlds.measures.sufficiency.oracle import Knowledge, Oracle
from algoworlds.suites.claims.claim import Case, Claim, Unit
from algoworlds.worlds.world import World


def certification(case: Case) -> Iterator[Unit]:
    """The oracle finds the optimum known from the calls; that no cheaper ones will do is not proven again."""
    for bundle, world in zip(case.bundles, case.worlds.values(), strict=True):
        if bundle.certificate is not None:
            yield world.id, _problem(bundle.certificate, world, case)


def _problem(found: Certificate, world: World, case: Case) -> str | None:
    if not set(found.calls) <= set(informative(world)) or len(set(found.calls)) < len(found.calls):
        return "the certificate holds a call twice, or one that tells nothing"
    if world.cost(found.calls) != found.cost or not 0 <= found.least <= found.cost:
        return "the certificate states another cost than its calls have"
    oracle = Oracle.of(world, case.solution.decision)
    known = oracle.known(Observed(found.calls)).knowledge is Knowledge.DETERMINED
    return None if known else "the certificate does not make the optimum known"


CERTIFICATION = Claim("Certificate", "Algorithmic world", certification)
