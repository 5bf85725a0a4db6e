"""Transit Routing without the exact algorithm: reference, random, local and by-hand decisions; blind instances."""

from collections.abc import Callable
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from algoworlds.core.kernel import require_memory
from algoworlds.families.declare import ChainSearchSpace, Detour, Hardness, Move, ResidueChain, Stream, group_pairs
from algoworlds.families.transit_routing.check import check
from algoworlds.families.transit_routing.instance import TransitRouting

Route = tuple[str, ...]


class TransitSearchSpace(ChainSearchSpace):
    """A route is a chain of legs; each adds its time and the transfer from the line before."""

    def __init__(self, instance: TransitRouting) -> None:
        super().__init__(self._chain_and_losses)
        self._instance = instance

    def _chain_and_losses(self) -> tuple[ResidueChain[str], Callable[[str | None, str], int]]:
        """The chain whose nodes are legs. All legs of a station share one list of moves: the legs of the next station."""
        instance, stages = self._instance, self._stages
        moves = {"": stages[0] if stages else []}
        for legs, after in zip(stages, [*stages[1:], []], strict=False):
            moves |= {move.choice: after for move in legs}
        goals = {move.choice for move in stages[-1]} if stages else {""}
        chain = ResidueChain(moves, "", goals, instance.target, instance.modulus)
        line = {leg: instance.line.index(name) for (_, leg), name in instance.membership.items()}
        time = {leg: minutes for (_, leg), minutes in instance.time.items()}
        transfer = list(instance.transfer.values())
        return chain, lambda before, leg: time[leg] + (transfer[line[before]][line[leg]] if before else 0)

    @cached_property
    def _stages(self) -> list[list[Move[str]]]:
        """The moves to the legs of every station."""
        into = {leg: Move(leg, residue, leg) for (_, leg), residue in self._instance.residue.items()}
        return [[into[leg] for leg in legs] for legs in group_pairs(self._instance.station, self._instance.time).values()]

    @cached_property
    def _residue(self) -> dict[str, int]:
        return {move.choice: move.residue for legs in self._stages for move in legs}

    @cached_property
    def _legs_by_residue(self) -> list[dict[int, list[str]]]:
        """Per station the legs of every residue."""
        stages: list[dict[int, list[str]]] = [{} for _ in self._stages]
        for legs, by_residue in zip(self._stages, stages, strict=True):
            for move in legs:
                by_residue.setdefault(move.residue, []).append(move.choice)
        return stages

    def random_neighbour(self, y: Route, stream: Stream) -> Route:
        """Another leg of a random station, and of the next station after a random one that can cancel the residue shift."""
        if not y:
            return y
        at, M = stream.below(len(y)), self._chain.modulus
        new = stream.choice(self._stages[at])
        shift, begin = (new.residue - self._residue[y[at]]) % M, stream.below(len(y))
        for other in (*range(begin, len(y)), *range(begin)) if shift else ():
            legs = self._legs_by_residue[other].get((self._residue[y[other]] - shift) % M)
            if legs and other != at:
                return _with_leg(_with_leg(y, at, new.choice), other, stream.choice(legs))
        return y if shift else _with_leg(y, at, new.choice)

    def _detours(self, y: Route) -> dict[int, list[Detour]]:
        """Every other leg of every station, by residue shift; cached for the last `y`."""
        if self._last_detours[0] != y:
            by_shift: dict[int, list[Detour]] = {}
            for at, (legs, taken) in enumerate(zip(self._stages, y, strict=True)):
                old = next(move.residue for move in legs if move.choice == taken)
                for move in legs:
                    if move.choice != taken:
                        shift = (move.residue - old) % self._chain.modulus
                        by_shift.setdefault(shift, []).append(Detour(at, at + 1, (move.choice,), shift))
            self._last_detours = y, by_shift
        return self._last_detours[1]


def _with_leg(y: Route, at: int, leg: str) -> Route:
    return (*y[:at], leg, *y[at + 1 :])


def reference(instance: TransitRouting) -> Route:
    """Station by station, the leg of least travel time plus transfer among those that can still meet the target."""
    line = {leg: line for (_, leg), line in instance.membership.items()}
    index = {line: at for at, line in enumerate(instance.line)}

    def cost(route: Route, leg: str) -> int:
        transfer = instance.transfer[line[route[-1]]][index[line[leg]]] if route else 0
        return int(instance.time[instance.station[len(route)], leg] + transfer)

    return _walk(instance, lambda route, legs: min(legs, key=lambda leg: cost(route, leg)))


def sample(instance: TransitRouting, stream: Stream) -> Route:
    """Station by station, a random leg among those that can still meet the target."""
    return _walk(instance, lambda route, legs: stream.choice(legs))


def _walk(instance: TransitRouting, choose: Callable[[Route, list[str]], str]) -> Route:
    """A route built leg by leg, in a chain whose nodes are how many stations have been left."""
    stages = enumerate(group_pairs(instance.station, instance.time).items())
    moves = {i: [Move(leg, instance.residue[station, leg], i + 1) for leg in legs] for i, (station, legs) in stages}
    end = len(moves)
    chain = ResidueChain(moves | {end: []}, 0, {end}, instance.target, instance.modulus)
    return chain.walk(choose, "no route meets the target")


NEVER = np.int64(2**60)
"""The change in cost of a move that does not exist or breaks the residue."""


class _Network(NamedTuple):
    """Legs by stage and position, short stages padded with legs of time `NEVER`; transfer costs; the modulus."""

    time: NDArray[np.int64]
    residue: NDArray[np.int64]
    line: NDArray[np.int64]
    transfer: NDArray[np.int64]
    M: int


def descend(instance: TransitRouting, start: Route) -> Route:
    """Steepest descent: change the leg of one station or of any two, with the same sum of residues."""
    if not check(instance, start).feasible:
        raise ValueError("descent starts from a feasible decision")
    stages = list(group_pairs(instance.station, instance.time).values())
    network = _network(instance, stages)
    y = np.array([legs.index(leg) for legs, leg in zip(stages, start, strict=True)], np.int64)
    while y.size and (move := _best_move(network, y)):
        y[list(move)] = list(move.values())
    return tuple(legs[e] for legs, e in zip(stages, y, strict=True))


def _network(instance: TransitRouting, stages: list[list[str]]) -> _Network:
    shape = (len(stages), max(map(len, stages), default=0))
    require_memory(8 * shape[0] * (instance.modulus + 4 * shape[1] * sum(shape)))  # gains by residue, moves of two stages
    time, residue, line = np.full(shape, NEVER), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for i, (station, legs) in enumerate(zip(instance.station, stages, strict=True)):
        time[i, : len(legs)] = [instance.time[station, leg] for leg in legs]
        residue[i, : len(legs)] = [instance.residue[station, leg] for leg in legs]
        line[i, : len(legs)] = [instance.line.index(instance.membership[station, leg]) for leg in legs]
    return _Network(time, residue, line, np.array(list(instance.transfer.values()), np.int64), instance.modulus)


def _best_move(net: _Network, y: NDArray[np.int64]) -> dict[int, int]:
    """The most improving move as {stage: new leg}: one stage, two neighbouring ones, or two further apart; {} if none improves.

    `gain` is the change in cost if one stage changes alone, `shift` the change in its residue.
    """
    stage = np.arange(len(y))
    line = net.line[stage, y]
    into, out = np.zeros_like(net.time), np.zeros_like(net.time)
    into[1:] = net.transfer[line[:-1, None], net.line[1:]]
    out[:-1] = net.transfer[net.line[:-1], line[1:, None]]
    cost = net.time + into + out
    gain = cost - cost[stage, y][:, None]
    shift = (net.residue - net.residue[stage, y][:, None]) % net.M

    # Two neighbouring stages: the transfer between them changes as well.
    between = net.transfer[net.line[:-1, :, None], net.line[1:, None, :]]
    near = (net.time + into)[:-1, :, None] + between + (net.time + out)[1:, None, :]
    near -= near[stage[:-1], y[:-1], y[1:]][:, None, None]
    near[(shift[:-1, :, None] + shift[1:, None, :]) % net.M != 0] = NEVER
    # Two stages further apart: gains add up. apart[i, a, j] pairs leg a of stage i with the best leg of stage j.
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


Array = NDArray[np.int64]


def _shift_lines(instance: TransitRouting) -> TransitRouting:
    """Memberships mixed up: every leg of a station gets the line of the next leg, the last leg that of the first."""
    stages = group_pairs(instance.station, ((station, line) for (station, _), line in instance.membership.items()))
    lines = chain.from_iterable(lines[1:] + lines[:1] for lines in stages.values())
    return instance.unchecked(membership=dict(zip(instance.membership, lines, strict=True)))


def _average_changes(C: Array) -> Array:
    """Pairs ignored: every change of line costs the mean; staying costs what it does."""
    changes = ~np.eye(len(C), dtype=np.bool_)
    return np.where(changes, C[changes].sum() // max(changes.sum(), 1), C)


def _change_transfers(change: Callable[[Array], Array]) -> Callable[[TransitRouting], TransitRouting]:
    """A function that replaces the matrix C of transfer costs by `change(C)`."""

    def erase(instance: TransitRouting) -> TransitRouting:
        p = len(instance.line)
        C = change(np.array(list(instance.transfer.values()), np.int64).reshape(p, p))
        return instance.unchecked(transfer=dict(zip(instance.line, map(tuple, C.tolist()), strict=True)))

    return erase


HARDNESS: Hardness[TransitRouting, tuple[str, ...]] = Hardness(
    blind={
        "times": {"time": 0},
        "residues": {"residue": 0, "target": 0, "modulus": 1},
        "memberships": _shift_lines,
        "transfers": _change_transfers(np.zeros_like),
        "transfer pairs": _change_transfers(_average_changes),
        "transfer directions": _change_transfers(lambda C: (C + C.T) // 2),
    },
    search_space=TransitSearchSpace,
    sample=sample,
    descend=descend,
)
