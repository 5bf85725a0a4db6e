"""Decisions of Fleet Dispatch that need no exact algorithm: myopic, locally improved, random."""

from collections.abc import Callable, Iterator

from algoworlds.core.stream import Stream
from algoworlds.families.backtrack import first_leaf
from algoworlds.families.descent import steepest
from algoworlds.families.fleet_dispatch.check import check
from algoworlds.families.fleet_dispatch.instance import FleetDispatch

Assignment = dict[str, str]


def reference(instance: FleetDispatch) -> Assignment:
    """In roster order, each job goes to the cheapest-route eligible vehicle with room that leaves a completion."""
    return _completed(instance, lambda j, v: sorted(v, key=lambda v: instance.route_cost[v, j]))


def sample(instance: FleetDispatch, stream: Stream) -> Assignment:
    """In roster order, each job goes to a random eligible vehicle with room that leaves a completion."""
    return _completed(instance, lambda j, v: stream.shuffled(v))


def descend(instance: FleetDispatch, start: Assignment) -> Assignment:
    """Steepest descent: move one job to another vehicle, or swap the vehicles of two jobs."""
    return steepest(lambda y: check(instance, y), instance.sense, start, lambda y: neighbours(instance, y))


def neighbours(instance: FleetDispatch, y: Assignment) -> Iterator[Assignment]:
    """One job moved to another of its vehicles, or the vehicles of two jobs exchanged."""
    jobs = instance.job
    yield from ({**y, j: v} for j in jobs for v in instance.vehicle if instance.eligible[v, j] and v != y[j])
    yield from ({**y, i: y[j], j: y[i]} for at, i in enumerate(jobs) for j in jobs[at + 1 :] if y[i] != y[j])


def _completed(instance: FleetDispatch, ranked: Callable[[str, list[str]], list[str]]) -> Assignment:
    """The first complete assignment, jobs in roster order and the vehicles with room for each as ranked."""

    def branches(state: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
        at, room = state[0], dict(zip(instance.vehicle, state[1:], strict=True))
        j = instance.job[at]
        for v in ranked(j, [v for v in instance.vehicle if instance.eligible[v, j] and room[v] >= instance.load[j]]):
            yield v, (at + 1, *(room | {v: room[v] - instance.load[j]}).values())

    start = (0, *(instance.capacity[v] for v in instance.vehicle))
    failure = "no assignment satisfies the constraints"
    chosen = first_leaf(start, lambda state: state[0] == len(instance.job), branches, failure)
    return dict(zip(instance.job, chosen, strict=True))
