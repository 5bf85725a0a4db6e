"""Every predetermined coordinate yields its reproducible instance."""

from collections.abc import Iterator

from algoworlds.suites.claims.claim import Case, Claim, Unit
from algoworlds.worlds.admit import Candidate, instance_at, refusal


def membership(case: Case) -> Iterator[Unit]:
    """Each predetermined coordinate yields its reproducible instance: the first of its attempts that is admitted."""
    place, attempt = case.first.coordinate, case.first.attempt
    drawn = instance_at(place, attempt)
    same = all(each.attempt == attempt for each in case.bundles) and all(each == drawn for each in case.instances)
    first = same and all(refusal(Candidate(place, earlier)) is not None for earlier in range(attempt))
    yield place.name, None if first else "the coordinate yields another instance"


MEMBERSHIP = Claim("Fixed construction membership", "Hidden instance", membership)
