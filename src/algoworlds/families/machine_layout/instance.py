"""The formal problem of Machine Layout: its tables and their validity."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from algoworlds.errors import InstanceError, format_value
from algoworlds.families.declare import Id, Instance, Table, relation, roster

_PAIRS = {"flow": "machine", "distance": "slot"}
"""The tables over unordered pairs, and the rosters of these pairs."""


def _roster_line(tables: Mapping[str, Any]) -> dict[tuple[str, str], int]:
    """The default of `distance`: the slots stand in roster order."""
    return {(s, t): j - i for (i, s), (j, t) in combinations(enumerate(tables["slot"]), 2)}


class MachineLayout(Instance, family="machine_layout", sense="min"):
    """As many machines as slots; a flow per pair of machines, the distances of a unit line, adjustments.

    An unordered pair is one fact. It may be given in either order and is stored with its ends in roster order.
    """

    machine = roster(max_size=60)
    slot = roster(max_size=60)
    flow: Table = relation(Id("machine_a", "machine"), Id("machine_b", "machine"), value="flow", channel="flow")  # F_ab
    distance: Table = relation(
        Id("slot_a", "slot"), Id("slot_b", "slot"), value="distance", low=1, channel="distance", default=_roster_line
    )  # d_st
    adjustment: Table = relation("machine", "slot", value="adjustment", channel="settlement", complete=True)  # A_as

    @classmethod
    def canonical_tables(cls, tables: dict[str, Any]) -> dict[str, Any]:
        """Every pair with its ends in roster order."""
        return tables | {name: _orient(name, tables[name], tables.get(of)) for name, of in _PAIRS.items() if name in tables}

    def problems(self) -> Iterator[str]:
        """As many slots as machines, one value for every pair, and the distances of a unit line."""
        if len(self.machine) != len(self.slot):
            yield f"{len(self.machine)} machines need as many slots, not {len(self.slot)}"
        for name, of in _PAIRS.items():
            table = getattr(self, name)
            for a, b in table:
                if a == b:
                    yield f"{name}: {a} does not make a pair with itself"
            for a, b in combinations(getattr(self, of), 2):
                if (a, b) not in table:
                    yield f"{name} has no entry for the pair {a} {b}"
        position = {s: at for at, s in enumerate(self.line_order)}
        for (s, t), d in self.distance.items():
            if d != abs(position[s] - position[t]):
                yield f"distance: no order of the slots on a unit line has {s} and {t} at distance {d}"

    def magnitude(self) -> int:
        """Every pair's flow over the whole line (a cut adds at most four flows of a pair), and all adjustments."""
        flows: int = sum(map(abs, self.flow.values()))
        adjustments: int = sum(map(abs, self.adjustment.values()))
        return max(len(self.machine) - 1, 4) * flows + adjustments

    def flow_between(self, a: str, b: str) -> int:
        """The flow between two different machines."""
        return self.flow[(a, b) if (a, b) in self.flow else (b, a)]  # type: ignore[no-any-return]

    def distance_between(self, s: str, t: str) -> int:
        """The distance between two slots."""
        return 0 if s == t else self.distance[(s, t) if (s, t) in self.distance else (t, s)]

    @property
    def line_order(self) -> tuple[str, ...]:
        """The slots from one end to the other, starting at the end that the roster lists first."""
        if not self.slot:
            return ()
        end = max(self.slot, key=lambda s: max(self.distance_between(s, t) for t in self.slot))
        return tuple(sorted(self.slot, key=lambda s: self.distance_between(end, s)))


def _orient(name: str, table: Any, entities: Any) -> Any:
    """The table with the ends of every pair in roster order; a malformed table is returned unchanged, to be refused later."""
    oriented: dict[tuple[str, str], Any] = {}
    try:
        position = {entity: at for at, entity in enumerate(entities)}
        for (a, b), value in table.items():
            if type(value) is not int:
                return table
            if oriented.setdefault((a, b) if position[a] <= position[b] else (b, a), value) != value:
                pair = f"{format_value(a)} {format_value(b)}"
                raise InstanceError(f"{format_value(name)}: two different values for the pair {pair}")
    except (AttributeError, KeyError, TypeError, ValueError):
        return table
    return oriented
