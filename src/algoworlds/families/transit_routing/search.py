"""Decisions of Transit Routing that need no exact algorithm: myopic, locally improved, random."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.families.residues import Chain, Step
from algoworlds.families.transit_routing.check import check
from algoworlds.families.transit_routing.instance import TransitRouting
from algoworlds.model.stream import Stream

Route = tuple[str, ...]
NEVER = np.int64(2**60)
"""The change in cost of a move that does not exist or breaks the residue."""


def reference(instance: TransitRouting) -> Route:
    """Station by station, the leg of least travel time plus transfer among those that can still meet the target."""
    column = {line: at for at, line in enumerate(instance.line)}
    line = {leg: line for (_, leg), line in instance.membership.items()}

    def step(route: Route, leg: str) -> int:
        transfer = instance.transfer[line[route[-1]]][column[line[leg]]] if route else 0
        return int(instance.time[instance.station[len(route)], leg] + transfer)

    return _walk(instance, lambda route, legs: min(legs, key=lambda leg: step(route, leg)))


def sample(instance: TransitRouting, stream: Stream) -> Route:
    """Station by station, a random leg among those that can still meet the target."""
    return _walk(instance, lambda route, legs: stream.choice(legs))


def descend(instance: TransitRouting, start: Route) -> Route:
    """Steepest descent: change the leg of one station or of any two, with the sum of residues kept."""
    if not check(instance, start).feasible:
        raise ValueError("descent starts from a feasible decision")
    stages = _departures(instance)
    net = _arrays(instance, stages)
    y = np.array([legs.index(leg) for legs, leg in zip(stages, start, strict=True)], np.int64)
    while y.size and (move := _best_move(net, y)):
        for i, e in move:
            y[i] = e
    return tuple(legs[e] for legs, e in zip(stages, y, strict=True))


def _departures(instance: TransitRouting) -> list[list[str]]:
    stages: dict[str, list[str]] = {station: [] for station in instance.station}
    for station, leg in instance.time:
        stages[station].append(leg)
    return list(stages.values())


def _walk(instance: TransitRouting, choose: Callable[[Route, list[str]], str]) -> Route:
    """A route made leg by leg; the places of its chain are how many stations have been left."""
    d = len(instance.station)
    steps: dict[int, list[Step[int]]] = {i: [] for i in range(d + 1)}
    stage = {station: i for i, station in enumerate(instance.station)}
    for (station, leg), rho in instance.residue.items():
        steps[stage[station]].append(Step(leg, rho, stage[station] + 1))
    return Chain(steps, 0, {d}, instance.target, instance.modulus).walk(choose, "no route meets the target residue")


class _Net(NamedTuple):
    """Legs by stage and position, short stages filled up with legs that take for ever; transfer costs; the modulus."""

    time: NDArray[np.int64]
    residue: NDArray[np.int64]
    line: NDArray[np.int64]
    transfer: NDArray[np.int64]
    M: int


def _arrays(instance: TransitRouting, stages: list[list[str]]) -> _Net:
    shape = (len(stages), max(map(len, stages), default=0))
    time, residue, line = np.full(shape, NEVER), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    column = {name: at for at, name in enumerate(instance.line)}
    for i, (station, legs) in enumerate(zip(instance.station, stages, strict=True)):
        time[i, : len(legs)] = [instance.time[station, leg] for leg in legs]
        residue[i, : len(legs)] = [instance.residue[station, leg] for leg in legs]
        line[i, : len(legs)] = [column[instance.membership[station, leg]] for leg in legs]
    return _Net(time, residue, line, np.array(list(instance.transfer.values()), np.int64), instance.modulus)


def _best_move(net: _Net, y: NDArray[np.int64]) -> list[tuple[int, int]]:
    """The (stage, leg) changes of the most improving move: one stage, two neighbours, or two stages apart."""
    stage = np.arange(len(y))
    at = net.line[stage, y]
    came, went = np.zeros_like(net.time), np.zeros_like(net.time)
    came[1:] = net.transfer[at[:-1, None], net.line[1:]]
    went[:-1] = net.transfer[net.line[:-1], at[1:, None]]
    cost = net.time + came + went
    gain = cost - cost[stage, y][:, None]
    shift = (net.residue - net.residue[stage, y][:, None]) % net.M

    one = np.where(shift == 0, gain, NEVER)
    inner = net.transfer[net.line[:-1, :, None], net.line[1:, None, :]]
    near = (net.time + came)[:-1, :, None] + inner + (net.time + went)[1:, None, :]
    near -= near[stage[:-1], y[:-1], y[1:]][:, None, None]
    near[(shift[:-1, :, None] + shift[1:, None, :]) % net.M != 0] = NEVER
    least = np.full((len(y), net.M), NEVER)  # per stage and shift of the residue, the best gain
    np.minimum.at(least, (stage[:, None], shift), gain)
    apart = gain[:, :, None] + least[stage, -shift[:, :, None] % net.M]
    apart[np.broadcast_to(abs(stage[:, None, None] - stage) < 2, apart.shape)] = NEVER

    moves = {"one": one, "near": near, "apart": apart}
    kind = min(moves, key=lambda name: moves[name].min(initial=0))
    if moves[kind].min(initial=0) >= 0:
        return []
    i, *rest = map(int, np.unravel_index(moves[kind].argmin(), moves[kind].shape))
    if kind == "one":
        return [(i, rest[0])]
    if kind == "near":
        return [(i, rest[0]), (i + 1, rest[1])]
    e, j = rest
    partners = np.where((shift[j] + shift[i, e]) % net.M == 0, gain[j], NEVER)
    return [(i, e), (j, int(partners.argmin()))]
