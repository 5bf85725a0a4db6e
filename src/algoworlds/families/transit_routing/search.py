"""Decisions of Transit Routing that need no exact algorithm: myopic, locally improved, random."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import within_memory
from algoworlds.core.relation import grouped
from algoworlds.core.stream import Stream
from algoworlds.families.residues import Chain, Choices, Move
from algoworlds.families.transit_routing.check import check
from algoworlds.families.transit_routing.instance import TransitRouting

NEVER = np.int64(2**60)
"""The change in cost of a move that does not exist or breaks the residue."""


def reference(instance: TransitRouting) -> Choices:
    """Station by station, the leg of least travel time plus transfer among those that can still meet the target."""
    line = {leg: line for (_, leg), line in instance.membership.items()}
    place = {line: at for at, line in enumerate(instance.line)}

    def step(route: Choices, leg: str) -> int:
        transfer = instance.transfer[line[route[-1]]][place[line[leg]]] if route else 0
        return int(instance.time[instance.station[len(route)], leg] + transfer)

    return _walk(instance, lambda route, legs: min(legs, key=lambda leg: step(route, leg)))


def sample(instance: TransitRouting, stream: Stream) -> Choices:
    """Station by station, a random leg among those that can still meet the target."""
    return _walk(instance, lambda route, legs: stream.choice(legs))


def descend(instance: TransitRouting, start: Choices) -> Choices:
    """Steepest descent: change the leg of one station or of any two, with the sum of residues kept."""
    if not check(instance, start).feasible:
        raise ValueError("descent starts from a feasible decision")
    stages = list(grouped(instance.station, instance.time).values())
    net, y = _arrays(instance, stages), np.array([legs.index(leg) for legs, leg in zip(stages, start, strict=True)], np.int64)
    while y.size and (move := _best_move(net, y)):
        y[list(move)] = list(move.values())
    return tuple(legs[e] for legs, e in zip(stages, y, strict=True))


def _walk(instance: TransitRouting, choose: Callable[[Choices, list[str]], str]) -> Choices:
    """A route made leg by leg; the places of its chain are how many stations have been left."""
    stages = enumerate(grouped(instance.station, instance.time).items())
    moves = {i: [Move(leg, instance.residue[at, leg], i + 1) for leg in legs] for i, (at, legs) in stages}
    end = len(moves)
    return Chain(moves | {end: []}, 0, {end}, instance.target, instance.modulus).walk(choose, "no route meets the target")


class _Net(NamedTuple):
    """Legs by stage and position, short stages filled up with legs that take for ever; transfer costs; the modulus."""

    time: NDArray[np.int64]
    residue: NDArray[np.int64]
    line: NDArray[np.int64]
    transfer: NDArray[np.int64]
    M: int


def _arrays(instance: TransitRouting, stages: list[list[str]]) -> _Net:
    shape = (len(stages), max(map(len, stages), default=0))
    within_memory(8 * shape[0] * (instance.modulus + 4 * shape[1] * sum(shape)))  # gains by residue, moves of two stages
    time, residue, line = np.full(shape, NEVER), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for i, (station, legs) in enumerate(zip(instance.station, stages, strict=True)):
        time[i, : len(legs)] = [instance.time[station, leg] for leg in legs]
        residue[i, : len(legs)] = [instance.residue[station, leg] for leg in legs]
        line[i, : len(legs)] = [instance.line.index(instance.membership[station, leg]) for leg in legs]
    return _Net(time, residue, line, np.array(list(instance.transfer.values()), np.int64), instance.modulus)


def _best_move(net: _Net, y: NDArray[np.int64]) -> dict[int, int]:
    """The stages that the most improving move changes, with their new legs: one stage, two neighbours, or two stages apart."""
    stage = np.arange(len(y))
    at = net.line[stage, y]
    came, went = np.zeros_like(net.time), np.zeros_like(net.time)
    came[1:] = net.transfer[at[:-1, None], net.line[1:]]
    went[:-1] = net.transfer[net.line[:-1], at[1:, None]]
    cost = net.time + came + went
    gain = cost - cost[stage, y][:, None]
    shift = (net.residue - net.residue[stage, y][:, None]) % net.M

    inner = net.transfer[net.line[:-1, :, None], net.line[1:, None, :]]
    near = (net.time + came)[:-1, :, None] + inner + (net.time + went)[1:, None, :]
    near -= near[stage[:-1], y[:-1], y[1:]][:, None, None]
    near[(shift[:-1, :, None] + shift[1:, None, :]) % net.M != 0] = NEVER
    least = np.full((len(y), net.M), NEVER)  # per stage and shift of the residue, the best gain
    np.minimum.at(least, (stage[:, None], shift), gain)
    apart = gain[:, :, None] + least[stage, -shift[:, :, None] % net.M]
    apart[np.broadcast_to(abs(stage[:, None, None] - stage) < 2, apart.shape)] = NEVER
    apart[stage, :, stage] = np.where(shift == 0, gain, NEVER)  # a stage with itself: one change alone

    best = apart if apart.min() <= near.min(initial=0) else near
    if best.min() >= 0:
        return {}
    i, a, b = map(int, np.unravel_index(best.argmin(), best.shape))
    if best is near:
        return {i: a, i + 1: b}
    partners = np.where((shift[b] + shift[i, a]) % net.M == 0, gain[b], NEVER)
    return {i: a} if b == i else {i: a, b: int(partners.argmin())}
