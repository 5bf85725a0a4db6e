"""Conflicts: sets of calls, one of which every determining set must contain, reduced as far as a witness allows.

A witness differs from the hidden instance in more than its rival decision needs. The rows that calls reveal are restored to the
truth as long as the rival stays better; the calls that still distinguish the two instances are the conflict. This needs the
checker only, so a conflict costs one question to the oracle: the one that found the witness.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

from algoworlds.core.decision import Decision
from algoworlds.core.interface import Response
from algoworlds.core.ranges import ColumnRef, Ranges
from algoworlds.core.relation import Fact, Row
from algoworlds.core.tool import Call
from algoworlds.errors import InstanceError
from algoworlds.families.unknowns import Unknowns
from algoworlds.knowledge.sufficiency.observed import WorldResponses
from algoworlds.knowledge.sufficiency.trial import Witness
from algoworlds.worlds.world import World

MAX_DIFFERING_ROWS = 2
"""Rows by which two entities may differ that exchange their rows."""


def nearby_instances(instance: Any, ranges: Ranges, unknowns: Unknowns) -> Iterator[Any]:
    """Instances within `ranges` in which two entities exchange nearly equal rows, or one row mentions another entity."""
    changes = [
        *((column, _row_exchanges(instance, column)) for column in sorted(unknowns.exchanges)),
        *((column, _row_moves(instance, column)) for column in sorted(unknowns.moves)),
    ]
    for (name, _), row_changes in changes:
        relation, rows = instance.relations[name], instance.rows(name)
        for change in row_changes:
            changed = instance.unchecked(**{name: relation.from_rows([change.get(row, row) for row in rows])})
            if changed.valid and next(ranges.violations(changed, instance), None) is None:
                yield changed


def _row_exchanges(instance: Any, column: ColumnRef) -> Iterator[dict[Row, Row]]:
    """For every two entities of a key `column` with nearly equal rows: the rows in which they differ, exchanged."""
    rows, at = instance.rows(column[0]), instance.relations[column[0]].position(column[1])
    rows_of: dict[str, set[Row]] = {}
    for row in rows:
        rows_of.setdefault(row[at], set()).add((*row[:at], *row[at + 1 :]))
    for one, other in combinations(rows_of, 2):
        differing = rows_of[one] ^ rows_of[other]
        if 0 < len(differing) <= MAX_DIFFERING_ROWS:
            swap = {one: other, other: one}
            changed = [row for row in rows if row[at] in swap and (*row[:at], *row[at + 1 :]) in differing]
            yield {row: (*row[:at], swap[row[at]], *row[at + 1 :]) for row in changed}


def _row_moves(instance: Any, column: ColumnRef) -> Iterator[dict[Row, Row]]:
    """One row with any other entity in a key `column`."""
    relation = instance.relations[column[0]]
    at, rows = relation.position(column[1]), instance.rows(column[0])
    for row in rows:
        for entity in getattr(instance, relation.columns[at].roster_name):
            moved = (*row[:at], entity, *row[at + 1 :])
            if moved not in rows:
                yield {row: moved}


CallSet = frozenset[Call]


@dataclass(frozen=True, eq=False)
class ConflictFinder:
    """Reduces witnesses against the optimum of one world to conflicts."""

    world: World
    optimum: Decision
    ranges: Ranges
    _responses: dict[Call, Response] = field(default_factory=dict, init=False, repr=False)

    def differing_calls(self, instance: Any, calls: Iterable[Call]) -> list[Call]:
        """Those of `calls` that `instance` answers differently from the world, in order."""
        return list(self._world_responses.differing_calls(instance, calls))

    @cached_property
    def _world_responses(self) -> WorldResponses:
        return WorldResponses(self.world, self.ranges)

    def reduce_to_conflict(self, witness: Witness, calls: Sequence[Call]) -> CallSet:
        """Those of `calls` that distinguish `witness` after restoring as many as possible to the truth, first ones first."""
        instance = witness.instance
        waiting = differing = self.differing_calls(instance, calls)
        size = len(waiting)
        while waiting:
            size = max(1, min(size, len(waiting)) // 2)
            nearer = self._restore(instance, waiting[:size])
            if nearer is not None and self.is_optimum_beaten(nearer, witness.rival):
                instance, waiting, size = nearer, waiting[size:], 4 * size
            elif size == 1:
                waiting = waiting[1:]
        return frozenset(self.differing_calls(instance, differing))

    def _response(self, call: Call) -> Response:
        if call not in self._responses:
            self._responses[call] = self.world.revealed_rows(call)
        return self._responses[call]

    def _restore(self, instance: Any, calls: Sequence[Call]) -> Any | None:
        """`instance` with the true rows wherever `calls` look; None if the result is not a possible instance."""
        other = World(self.world.coordinate, instance, self.world.interface)
        seen, true = other.facts(map(other.revealed_rows, calls)), self.world.facts(map(self._response, calls))
        tables = {}
        for name in sorted({fact.relation for fact in seen ^ true}):
            unseen = [row for row in instance.rows(name) if Fact(name, row) not in seen]
            tables[name] = instance.relations[name].from_rows([*unseen, *(row for relation, row in true if relation == name)])
        try:
            restored = instance.replace(**tables) if tables else instance
        except InstanceError:
            return None
        return restored if all(promise.holds(restored) for promise in self.ranges.promises) else None

    def is_optimum_beaten(self, instance: Any, rival: Decision) -> bool:
        """Whether `rival` is better in `instance` than the optimum of the world, or feasible where that is not."""
        own, other = (self.world.family.check(instance, y).value for y in (self.optimum, rival))
        return other is not None and (own is None or self.world.family.sense.is_better(other, than=own))
