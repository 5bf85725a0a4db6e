"""The formal problem of Machine Layout: its tables, and what makes them an instance."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from algoworlds.core.column import Id, Int
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Roster, Table, relation, roster
from algoworlds.core.work import Sense
from algoworlds.errors import InstanceError, shown

_PAIRS = {"flow": "machine", "distance": "slot"}


def _roster_line(tables: Mapping[str, Any]) -> dict[tuple[str, str], int]:
    """Distances where none are given: the slots stand in roster order."""
    place = {s: at for at, s in enumerate(tables["slot"])}
    return {(s, t): place[t] - place[s] for s, t in combinations(tables["slot"], 2)}


class MachineLayout(Instance, family="machine_layout", sense=Sense.MIN):
    """As many machines as slots; a flow per pair of machines, the distances of a unit line, adjustments.

    A pair is unordered and one fact. It may be given either way round and is kept with its ends in roster order.
    """

    machine: Roster = roster(most=60)
    slot: Roster = roster(most=60)
    flow: Table = relation(Id("machine_a", "machine"), Id("machine_b", "machine"), value="flow", channel="flow")  # F_ab
    distance: Table = relation(
        Id("slot_a", "slot"), Id("slot_b", "slot"), value=Int("distance", low=1), channel="distance", default=_roster_line
    )  # d_st
    adjustment: Table = relation("machine", "slot", value="adjustment", channel="settlement", complete=True)  # A_as

    @classmethod
    def spelled(cls, tables: dict[str, Any]) -> dict[str, Any]:
        """Every pair with its ends in roster order."""
        return tables | {name: _oriented(name, tables[name], tables.get(of)) for name, of in _PAIRS.items() if name in tables}

    def problems(self) -> Iterator[str]:
        """As many slots as machines, one value for every pair, and distances that are those of a unit line."""
        if len(self.machine) != len(self.slot):
            yield f"{len(self.machine)} machines need as many slots, not {len(self.slot)}"
        for name, of in _PAIRS.items():
            yield from _pair_problems(name, getattr(self, name), getattr(self, of))
        place = {s: at for at, s in enumerate(self.line)}
        for (s, t), d in self.distance.items():
            if d != abs(place[s] - place[t]):
                yield f"distance: no order of the slots on a unit line has {s} and {t} at distance {d}"

    def magnitude(self) -> int:
        """Every pair's flow over the whole line (a cut adds at most four flows of a pair), and all adjustments."""
        flows: int = sum(map(abs, self.flow.values()))
        adjustments: int = sum(map(abs, self.adjustment.values()))
        return max(len(self.machine) - 1, 4) * flows + adjustments

    def F(self, a: str, b: str) -> int:
        """The flow between two different machines."""
        return self.flow[(a, b) if (a, b) in self.flow else (b, a)]  # type: ignore[no-any-return]

    def d(self, s: str, t: str) -> int:
        """The distance between two slots."""
        return 0 if s == t else self.distance[(s, t) if (s, t) in self.distance else (t, s)]

    @property
    def line(self) -> Roster:
        """The slots from one end to the other, starting at the end that the roster lists first."""
        if not self.slot:
            return ()
        end = max(self.slot, key=lambda s: max(self.d(s, t) for t in self.slot))
        return tuple(sorted(self.slot, key=lambda s: self.d(end, s)))


def _oriented(name: str, table: Any, entities: Any) -> Any:
    """Every pair with its ends in roster order; what is no table of pairs is left to the checks, which say why."""
    turned: dict[tuple[str, str], Any] = {}
    try:
        place = {item: at for at, item in enumerate(entities)}
        for (a, b), value in table.items():
            if type(value) is not int:
                return table
            if turned.setdefault((a, b) if place[a] <= place[b] else (b, a), value) != value:
                raise InstanceError(f"{shown(name)}: two different values for the pair {shown(a)} {shown(b)}")
    except (AttributeError, KeyError, TypeError, ValueError):
        return table
    return turned


def _pair_problems(name: str, table: Table, entities: Roster) -> Iterator[str]:
    for a, b in table:
        if a == b:
            yield f"{name}: {a} makes no pair with itself"
    for a, b in combinations(entities, 2):
        if (a, b) not in table:
            yield f"{name} has no entry for the pair {a} {b}"
