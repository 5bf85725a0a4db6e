"""Transit Routing by hand: legs exchanged with the residue kept, or chosen from station to station."""

from functools import cached_property

from algoworlds.core.relation import grouped
from algoworlds.core.stream import Stream
from algoworlds.families.chain_hand import ChainHand, ChainLoss
from algoworlds.families.residues import Chain, Choices, Detour, Move
from algoworlds.families.transit_routing.instance import TransitRouting


class TransitHand(ChainHand):
    """A route is a chain of legs; each adds its time and the transfer from the line before."""

    def __init__(self, instance: TransitRouting) -> None:
        """The legs of a station can be followed by all legs of the next, so they share their list of moves."""
        super().__init__(lambda: _laid(instance, self._stages))
        self._instance = instance

    @cached_property
    def _stages(self) -> list[list[Move[str]]]:
        """The moves to the legs of every station."""
        into = {leg: Move(leg, residue, leg) for (_, leg), residue in self._instance.residue.items()}
        return [[into[leg] for leg in legs] for legs in grouped(self._instance.station, self._instance.time).values()]

    @cached_property
    def _residue(self) -> dict[str, int]:
        return {move.choice: move.residue for legs in self._stages for move in legs}

    @cached_property
    def _of(self) -> list[dict[int, list[str]]]:
        """Station by station the legs of every residue."""
        found: list[dict[int, list[str]]] = [{} for _ in self._stages]
        for legs, by_residue in zip(self._stages, found, strict=True):
            for move in legs:
                by_residue.setdefault(move.residue, []).append(move.choice)
        return found

    def neighbour(self, y: Choices, stream: Stream) -> Choices:
        """Another leg of a random station, and of the next station from a random one on that can make up for its residue."""
        at, M = stream.below(len(y)), self._chain.modulus
        one = stream.choice(self._stages[at])
        shift, begin = (one.residue - self._residue[y[at]]) % M, stream.below(len(y))
        for other in (*range(begin, len(y)), *range(begin)) if shift else ():
            legs = self._of[other].get((self._residue[y[other]] - shift) % M)
            if legs and other != at:
                return self._with(self._with(y, at, one.choice), other, stream.choice(legs))
        return y if shift else self._with(y, at, one.choice)

    def _with(self, y: Choices, at: int, leg: str) -> Choices:
        return (*y[:at], leg, *y[at + 1 :])

    def _detours(self, y: Choices) -> dict[int, list[Detour]]:
        """Every other leg of every station."""
        if self._seen[0] != y:
            by_shift: dict[int, list[Detour]] = {}
            for at, (legs, taken) in enumerate(zip(self._stages, y, strict=True)):
                old = next(move.residue for move in legs if move.choice == taken)
                for move in legs:
                    if move.choice != taken:
                        shift = (move.residue - old) % self._chain.modulus
                        by_shift.setdefault(shift, []).append(Detour(at, at + 1, (move.choice,), shift))
            self._seen = y, by_shift
        return self._seen[1]


def _laid(instance: TransitRouting, stages: list[list[Move[str]]]) -> tuple[Chain[str], ChainLoss]:
    line = {leg: instance.line.index(name) for (_, leg), name in instance.membership.items()}
    time = {leg: minutes for (_, leg), minutes in instance.time.items()}
    rows = list(instance.transfer.values())
    moves = {"": stages[0]}
    for legs, after in zip(stages, [*stages[1:], []], strict=True):
        moves |= {move.choice: after for move in legs}
    goals = {move.choice for move in stages[-1]}
    chain = Chain(moves, "", goals, instance.target, instance.modulus)
    return chain, lambda u, v: time[v] + (rows[line[u]][line[v]] if u else 0)
