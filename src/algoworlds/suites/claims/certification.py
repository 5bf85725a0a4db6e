"""Certificates, in suites that have them: calls that make the optimum known, at the cost that they state."""

from collections.abc import Iterator

from algoworlds.knowledge.certificate import Certificate, informative
from algoworlds.knowledge.outlay import outlay
from algoworlds.knowledge.sufficiency.observed import Observed
from algoworlds.knowledge.sufficiency.oracle import Knowledge, Oracle
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
    if oracle.known(Observed(found.calls)).knowledge is not Knowledge.DETERMINED:
        return "the certificate does not make the optimum known"
    assert world.ranges is not None  # it has a certificate
    told = outlay(world, case.solution.decision, found.calls, world.ranges)
    return None if found.outlay == told else "the certificate states other risks than its calls leave"


CERTIFICATION = Claim("Certificate", "Algorithmic world", certification)
