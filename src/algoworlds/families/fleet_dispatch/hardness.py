"""Fleet Dispatch without the exact algorithm: reference, random, local and by-hand decisions; blind instances."""

from collections.abc import Callable, Hashable, Iterator
from functools import cached_property, partial
from itertools import accumulate, combinations, takewhile
from operator import itemgetter

from algoworlds.families.declare import Concession, Hardness, SearchSpace, Stream, depth_first_search, fit_line
from algoworlds.families.fleet_dispatch.instance import FleetDispatch

Assignment = dict[str, str]


def reference(instance: FleetDispatch) -> Assignment:
    """Greedy: in roster order, each job takes the cheapest eligible vehicle with room; backtracks if later jobs do not fit."""
    return _first_assignment(instance, lambda j, vehicles: sorted(vehicles, key=lambda v: instance.route_cost[v, j]))


def sample(instance: FleetDispatch, stream: Stream) -> Assignment:
    """In roster order, each job takes a random eligible vehicle with room; backtracks if later jobs do not fit."""
    return _first_assignment(instance, lambda j, vehicles: stream.shuffled(vehicles))


def neighbours(instance: FleetDispatch, y: Assignment) -> Iterator[Assignment]:
    """Move one job to another eligible vehicle, or swap the vehicles of two jobs."""
    jobs = instance.job
    yield from ({**y, j: v} for j in jobs for v in instance.vehicle if instance.eligible[v, j] and v != y[j])
    yield from ({**y, i: y[j], j: y[i]} for at, i in enumerate(jobs) for j in jobs[at + 1 :] if y[i] != y[j])


def _first_assignment(instance: FleetDispatch, rank: Callable[[str, list[str]], list[str]]) -> Assignment:
    """Depth-first search for an assignment: jobs in roster order, the vehicles with room for a job as `rank` orders them."""

    def branches(state: tuple[int, ...]) -> Iterator[tuple[str, tuple[int, ...]]]:
        at, room = state[0], dict(zip(instance.vehicle, state[1:], strict=True))
        j = instance.job[at]
        for v in rank(j, [v for v in instance.vehicle if instance.eligible[v, j] and room[v] >= instance.load[j]]):
            yield v, (at + 1, *(room | {v: room[v] - instance.load[j]}).values())

    start, failure = (0, *map(instance.capacity.__getitem__, instance.vehicle)), "no assignment satisfies the constraints"
    chosen = depth_first_search(start, lambda state: state[0] == len(instance.job), branches, failure)
    return dict(zip(instance.job, chosen, strict=True))


PRICE_STEPS, FIRST_PRICE_STEP = 30, 1_000
"""Number of subgradient steps for the prices of load, and the size of the first one."""


class FleetSearchSpace(SearchSpace[Assignment]):
    """Assign jobs by falling load; a partial decision lists their vehicles."""

    def __init__(self, instance: FleetDispatch, opened: tuple[str, ...] | None = None) -> None:
        """If `opened` is given, these vehicles are paid for and all others stay closed."""
        self._fleet, self._opened = instance, opened
        self.constant_loss = instance.offset + sum(instance.activation[v] for v in opened or ())
        self._jobs = sorted(instance.job, key=lambda j: -instance.load[j])
        self._able = {j: [v for v in opened or instance.vehicle if instance.eligible[v, j]] for j in instance.job}

    @property
    def vehicles(self) -> tuple[str, ...]:
        """The vehicles that may be opened."""
        return self._opened or self._fleet.vehicle

    @cached_property
    def _routes(self) -> dict[str, list[tuple[int, str]]]:
        """(route cost, vehicle) of each job, cheapest first."""
        return {j: sorted([(self._fleet.route_cost[v, j], v) for v in self._able[j]]) for j in self._jobs}

    @cached_property
    def _bounds(self) -> list[int]:
        """At index k, the sum of the cheapest routes of all jobs but the first k."""
        least = [routes[0][0] if routes else 0 for routes in reversed(self._routes.values())]
        return list(accumulate(least, initial=0))[::-1]

    def neighbours(self, y: Assignment) -> Iterator[Assignment]:
        """Move one job, or swap the vehicles of two jobs."""
        return neighbours(self._fleet, y)

    def random_neighbour(self, y: Assignment, stream: Stream) -> Assignment:
        """Move a random job to another eligible vehicle, or swap the vehicles of two random jobs."""
        if len(y) < 2:
            return super().random_neighbour(y, stream)
        i, j = stream.sample(self._fleet.job, 2)
        others = [v for v in self._able[j] if v != y[j]]
        return {**y, j: stream.choice(others)} if others and stream.below(2) else {**y, i: y[j], j: y[i]}

    def extensions(self, partial: tuple[str, ...]) -> list[tuple[str, int]]:
        """The vehicles with room for the next job, at its route cost plus activation if the vehicle is not paid for yet."""
        if len(partial) == len(self._jobs):
            return []
        fleet, j = self._fleet, self._jobs[len(partial)]
        room = dict(fleet.capacity)
        for placed, v in zip(self._jobs, partial, strict=False):
            room[v] -= fleet.load[placed]
        fitting = [v for v in self._able[j] if room[v] >= fleet.load[j]]
        paid = self._opened or partial
        return [(v, fleet.route_cost[v, j] + (0 if v in paid else fleet.activation[v])) for v in fitting]

    def state(self, partial: tuple[str, ...]) -> Hashable:
        """The loads of all vehicles."""
        loads = dict.fromkeys(self._fleet.vehicle, 0)
        for j, v in zip(self._jobs, partial, strict=False):
            loads[v] += self._fleet.load[j]
        return tuple(loads.values())

    def to_decision(self, partial: tuple[str, ...]) -> Assignment | None:
        """The vehicle of each job, once all are assigned."""
        return dict(zip(self._jobs, partial, strict=True)) if len(partial) == len(self._jobs) else None

    def remaining_lower_bound(self, partial: tuple[str, ...]) -> int:
        """The cheapest route of every open job, ignoring capacities."""
        return self._bounds[len(partial)]

    @cached_property
    def _load_prices(self) -> dict[str, int]:
        """What a unit of load costs on every vehicle so that jobs, each on its cheapest vehicle, hardly exceed the capacities.

        Subgradient ascent on the capacities, from prices at which all vehicles are equally dear: those with the largest bound.
        """
        fleet, vehicles = self._fleet, self.vehicles
        load = max(sum(fleet.load.values()), 1)
        dear = {v: sum(fleet.route_cost[v, j] for j in self._jobs if v in self._able[j]) * len(fleet.job) for v in vehicles}
        dear = {v: cost // max(1, sum(v in able for able in self._able.values())) // load for v, cost in dear.items()}
        prices = {v: max(dear.values()) - cost for v, cost in dear.items()}
        best = self._priced_bound(prices), prices
        for turn in range(1, PRICE_STEPS + 1):
            excess = {v: -fleet.capacity[v] for v in vehicles}
            for j in self._jobs:
                if self._able[j]:
                    excess[min(self._able[j], key=lambda v: fleet.route_cost[v, j] + prices[v] * fleet.load[j])] += fleet.load[
                        j
                    ]
            prices = {v: max(0, price + FIRST_PRICE_STEP * excess[v] // turn) for v, price in prices.items()}
            best = max(best, (self._priced_bound(prices), prices), key=itemgetter(0))
        return best[1]

    def _priced_bound(self, prices: dict[str, int]) -> int:
        """The cost of every job on its cheapest vehicle at these prices of load, less what the capacities are worth."""
        worth: int = sum(prices[v] * self._fleet.capacity[v] for v in prices)
        return sum(self._priced_route(j, prices) for j in self._jobs) - worth

    def _priced_route(self, j: str, prices: dict[str, int]) -> int:
        fleet = self._fleet
        costs: list[int] = [fleet.route_cost[v, j] + prices[v] * fleet.load[j] for v in self._able[j]]
        return min(costs, default=0)

    @cached_property
    def _priced_bounds(self) -> list[int]:
        """At index k, the routes of all jobs but the first k at the prices of load."""
        least = [self._priced_route(j, self._load_prices) for j in reversed(self._jobs)]
        return list(accumulate(least, initial=0))[::-1]

    def tight_bound(self, partial: tuple[str, ...]) -> int:
        """The cheapest route of every open job, with a price on load, less what the free capacity is worth."""
        fleet, prices = self._fleet, self._load_prices
        used: int = sum(prices[v] * fleet.load[j] for j, v in zip(self._jobs, partial, strict=False))
        worth: int = sum(price * fleet.capacity[v] for v, price in prices.items()) - used
        return max(self._bounds[len(partial)], self._priced_bounds[len(partial)] - worth)

    @property
    def bound_steps(self) -> int:
        """One for each relaxed assignment."""
        return PRICE_STEPS

    def to_choices(self, y: Assignment) -> tuple[str, ...]:
        """The vehicles of the jobs, ordered by falling load."""
        return tuple(y[j] for j in self._jobs)

    def _open_sets(self) -> Iterator[tuple[str, ...]]:
        """All sets of vehicles with enough capacity in total, smaller sets first."""
        fleet, total = self._fleet, sum(self._fleet.load.values())
        sets = (opened for size in range(1, len(fleet.vehicle) + 1) for opened in combinations(fleet.vehicle, size))
        return (opened for opened in sets if sum(fleet.capacity[v] for v in opened) >= total)

    def visible_units(self) -> Iterator[Assignment]:
        """One assignment per open set, built by largest regret first."""
        return (y for opened in self._open_sets() if len(y := dict(self._deal(opened))) == len(self._jobs))

    def is_visible_unit(self, y: Assignment) -> bool:
        """Whether `y` is one of `visible_units`; tries only supersets of its vehicles, each until a job differs."""
        idle = [v for v in self._fleet.vehicle if v not in y.values()]
        sets = ((*y.values(), *more) for size in range(len(idle) + 1) for more in combinations(idle, size))
        return any(dict(takewhile(y.items().__contains__, self._deal(opened))) == y for opened in sets)

    def subspaces(self) -> Iterator[SearchSpace[Assignment]]:
        """One search space per open set."""
        return (FleetSearchSpace(self._fleet, opened) for opened in self._open_sets())

    def parts(self) -> Iterator[SearchSpace[Assignment]]:
        """One search space per open set."""
        return self.subspaces()

    def _deal(self, opened: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Yield (job, vehicle) by largest regret until all jobs are assigned or the next one does not fit."""
        fleet, routes, room = self._fleet, self._routes, {v: self._fleet.capacity[v] for v in opened}
        while routes:
            routes = {j: [(cost, v) for cost, v in left if room.get(v, 0) >= fleet.load[j]] for j, left in routes.items()}
            regret = {j: left[1][0] - left[0][0] if len(left) > 1 else 2**53 for j, left in routes.items()}
            j = max(regret, key=regret.__getitem__)
            if not routes[j]:
                return
            v = routes.pop(j)[0][1]
            yield j, v
            room[v] -= fleet.load[j]


def _average_capacities(instance: FleetDispatch) -> FleetDispatch:
    """Replace all capacities by their mean, rounded up."""
    mean = -(-sum(instance.capacity.values()) // max(len(instance.vehicle), 1))
    return instance.unchecked(capacity=dict.fromkeys(instance.vehicle, mean))


def _route_means(instance: FleetDispatch) -> list[int]:
    """The mean of the route costs that each vehicle has, rounded down; 0 if it has none."""
    costs = [[cost for (v, _), cost in instance.route_cost.items() if v == vehicle] for vehicle in instance.vehicle]
    return [sum(own) // max(len(own), 1) for own in costs]


def _fit_to_routes(instance: FleetDispatch) -> FleetDispatch:
    """Predict activation costs by a line fitted to the mean route costs."""
    guesses = fit_line(_route_means(instance), [instance.activation[v] for v in instance.vehicle])
    return instance.unchecked(activation=dict(zip(instance.vehicle, guesses, strict=True)))


def _match_route_savings(instance: FleetDispatch) -> FleetDispatch:
    """Let contracts give back what routes save: contract and routes of a full vehicle cost the same per unit of capacity."""
    jobs, load, total = len(instance.job), sum(instance.load.values()), sum(instance.capacity.values())
    full = {
        v: mean * instance.capacity[v] * jobs // max(load, 1)
        for v, mean in zip(instance.vehicle, _route_means(instance), strict=True)
    }
    cost = sum(instance.activation.values()) + sum(full.values())
    return instance.unchecked(
        activation={v: max(0, cost * instance.capacity[v] // max(total, 1) - routes) for v, routes in full.items()}
    )


def _average_routes(instance: FleetDispatch) -> FleetDispatch:
    """Replace the route costs of each vehicle by their mean."""
    mean = dict(zip(instance.vehicle, _route_means(instance), strict=True))
    return instance.unchecked(route_cost={(v, j): mean[v] for v, j in instance.route_cost})


_FEW_SETS = "five to seven vehicles leave few sets that can stay idle, and guesses made from all contracts rank them"

HARDNESS: Hardness[FleetDispatch, dict[str, str]] = Hardness(
    blind={
        "capacities": _average_capacities,
        "contracts": {"activation": 0},
        "loads": {"load": 1},
        "eligibility": {"eligible": True},
        "routes": {"route_cost": 0},
    },
    fits={
        "activation_cost: fitted from route means": _fit_to_routes,
        "activation_cost: as far apart as routes save": _match_route_savings,
        "route_cost: the vehicle's mean": _average_routes,
    },
    search_space=FleetSearchSpace,
    concessions=tuple(
        Concession("exact with a guessed column", level, share, _FEW_SETS)
        for level, share in ((1, 25.0), (2, 20.0), (3, 20.0), (4, 20.0))
    ),
    sample=sample,
    neighbourhood=lambda instance: partial(neighbours, instance),
)
