"""Fleet Dispatch by hand: jobs moved one by one, placed heaviest first, or dealt to a set of open vehicles."""

from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate, combinations, takewhile

from algoworlds.core.stream import Stream
from algoworlds.families.fleet_dispatch.instance import FleetDispatch
from algoworlds.families.fleet_dispatch.search import Assignment, neighbours
from algoworlds.families.hand import Extension, Hand
from algoworlds.families.residues import Choices


class FleetHand(Hand[Assignment]):
    """Jobs by falling load; a partial decision names their vehicles."""

    def __init__(self, instance: FleetDispatch, opened: tuple[str, ...] | None = None) -> None:
        """Rank the jobs; if some vehicles are opened, they are paid and the others stay closed."""
        self._fleet, self._opened, self.constant = instance, opened, instance.offset
        self._jobs = sorted(instance.job, key=lambda j: -instance.load[j])
        self._able = {j: [v for v in opened or instance.vehicle if instance.eligible[v, j]] for j in instance.job}

    @cached_property
    def _ways(self) -> dict[str, list[tuple[int, str]]]:
        """The routes and vehicles of every job, the cheapest first."""
        return {j: sorted([(self._fleet.route_cost[v, j], v) for v in self._able[j]]) for j in self._jobs}

    @cached_property
    def _rest(self) -> list[int]:
        """The cheapest routes of the jobs that are open when so many are placed."""
        least = [found[0][0] if found else 0 for found in reversed(self._ways.values())]
        return list(accumulate(least, initial=0))[::-1]

    def neighbours(self, y: Assignment) -> Iterator[Assignment]:
        """One job moved, or the vehicles of two jobs exchanged."""
        return neighbours(self._fleet, y)

    def neighbour(self, y: Assignment, stream: Stream) -> Assignment:
        """A random job to another of its vehicles, or the vehicles of two random jobs exchanged."""
        i, j = stream.sample(self._fleet.job, 2)
        others = [v for v in self._able[j] if v != y[j]]
        return {**y, j: stream.choice(others)} if others and stream.below(2) else {**y, i: y[j], j: y[i]}

    def extensions(self, partial: Choices) -> list[Extension]:
        """The vehicles with room for the next job, at its route and, if it is the first job there, the activation."""
        if len(partial) == len(self._jobs):
            return []
        fleet, j = self._fleet, self._jobs[len(partial)]
        room = dict(fleet.capacity)
        for placed, v in zip(self._jobs, partial, strict=False):
            room[v] -= fleet.load[placed]
        fitting = [v for v in self._able[j] if room[v] >= fleet.load[j]]
        paid = self._opened or partial
        return [Extension(v, fleet.route_cost[v, j] + (0 if v in paid else fleet.activation[v])) for v in fitting]

    def decision(self, partial: Choices) -> Assignment | None:
        """The vehicle of every job."""
        return dict(zip(self._jobs, partial, strict=True)) if len(partial) == len(self._jobs) else None

    def rest(self, partial: Choices) -> int:
        """The cheapest route of every job that is still open, whatever room there is."""
        return self._rest[len(partial)]

    def choices(self, y: Assignment) -> Choices:
        """The vehicles of the jobs by falling load."""
        return tuple(y[j] for j in self._jobs)

    def _open_sets(self) -> Iterator[tuple[str, ...]]:
        """Every set of vehicles that could carry all loads, small ones first."""
        fleet, total = self._fleet, sum(self._fleet.load.values())
        sets = (opened for size in range(1, len(fleet.vehicle) + 1) for opened in combinations(fleet.vehicle, size))
        return (opened for opened in sets if sum(fleet.capacity[v] for v in opened) >= total)

    def units(self) -> Iterator[Assignment]:
        """For every open set: jobs dealt to it, the one with most to lose first."""
        return (dealt for opened in self._open_sets() if len(dealt := dict(self._deal(opened))) == len(self._jobs))

    def shows(self, y: Assignment) -> bool:
        """Whether it is one of these; a set is left once it is dealt a job otherwise, and not tried if it lacks a vehicle."""
        idle = [v for v in self._fleet.vehicle if v not in y.values()]
        sets = ((*y.values(), *more) for size in range(len(idle) + 1) for more in combinations(idle, size))
        return any(dict(takewhile(y.items().__contains__, self._deal(opened))) == y for opened in sets)

    def parts(self) -> Iterator[Hand[Assignment]]:
        """One open set each."""
        return (FleetHand(self._fleet, opened) for opened in self._open_sets())

    def _deal(self, opened: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Jobs and their vehicles, one after the other, until all are placed or no room is left for the next."""
        fleet, ways, room = self._fleet, self._ways, {v: self._fleet.capacity[v] for v in opened}
        while ways:
            ways = {j: [way for way in found if room.get(way[1], 0) >= fleet.load[j]] for j, found in ways.items()}
            regret = {j: found[1][0] - found[0][0] if len(found) > 1 else 2**53 for j, found in ways.items()}
            j = max(regret, key=regret.__getitem__)
            if not ways[j]:
                return
            v = ways.pop(j)[0][1]
            yield j, v
            room[v] -= fleet.load[j]
