"""Transit Routing by hand: legs exchanged with the residue kept, or chosen from station to station."""

from algoworlds.core.relation import grouped
from algoworlds.families.hand import ChainHand
from algoworlds.families.residues import Chain, Detour, Move
from algoworlds.families.transit_routing.instance import TransitRouting


class TransitHand(ChainHand):
    """A route is a chain of legs; each adds its time and the transfer from the line before."""

    def __init__(self, instance: TransitRouting) -> None:
        """The legs of a station can be followed by all legs of the next, so they share their list of moves."""
        line = {leg: instance.line.index(name) for (_, leg), name in instance.membership.items()}
        time = {leg: minutes for (_, leg), minutes in instance.time.items()}
        into = {leg: Move(leg, residue, leg) for (_, leg), residue in instance.residue.items()}
        rows = list(instance.transfer.values())
        stages = [[into[leg] for leg in legs] for legs in grouped(instance.station, instance.time).values()]
        moves = {"": stages[0]}
        for legs, after in zip(stages, [*stages[1:], []], strict=True):
            moves |= {move.choice: after for move in legs}
        goals = {move.choice for move in stages[-1]}
        super().__init__(
            Chain(moves, "", goals, instance.target, instance.modulus),
            lambda u, v: time[v] + (rows[line[u]][line[v]] if u else 0),
        )
        self._stages = stages

    def _detours(self, y: tuple[str, ...]) -> dict[int, list[Detour]]:
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
