"""Conflicts: sets of calls, one of which every determining set must contain, and the cheapest calls that hit all of them.

A witness differs from the hidden instance in more than its rival decision needs. The rows that calls reveal are restored to the
truth as long as the rival stays better; the calls that still distinguish the two instances are the conflict. This needs the
checker only, so a conflict costs one question to the oracle: the one that found the witness.

The cheapest hitting set is found by CP-SAT with clique cuts. Conflicts often require, of every two of many facts, that one is
known: then all but one must be known. The linear relaxation of the pairwise conflicts accepts one half of each and makes the
solver enumerate; the clique cut gives the full bound at once.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

from algoworlds.core.decision import Decision
from algoworlds.core.ranges import ColumnRef, Ranges
from algoworlds.core.relation import Fact, Row
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.errors import InputError, InstanceError
from algoworlds.families.knowledge import Unknowns
from algoworlds.knowledge.observed import WorldResponses
from algoworlds.knowledge.trial import Witness
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

    def differing_calls(self, instance: Any, calls: Iterable[Call]) -> list[Call]:
        """Those of `calls` that `instance` answers differently from the world, in order."""
        return list(self._responses.differing_calls(instance, calls))

    @cached_property
    def _responses(self) -> WorldResponses:
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

    def _restore(self, instance: Any, calls: Sequence[Call]) -> Any | None:
        """`instance` with the true rows wherever `calls` look; None if the result is not a possible instance."""
        other = World(self.world.coordinate, instance, self.world.interface)
        seen, true = other.facts(map(other.revealed_rows, calls)), self.world.facts(map(self.world.revealed_rows, calls))
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


MAX_CP_SAT_WORK = 10.0
"""Work of CP-SAT for one hitting set, in its deterministic unit."""

_TIE_BITS = 20
"""Bits that break ties between equally cheap sets, so that every version of the solver finds the same one."""


class HittingSet(NamedTuple):
    """Calls that hit every conflict; the cheapest ones if their cost equals `lower_bound`."""

    calls: CallSet
    lower_bound: int
    """No hitting set costs less."""
    work: float
    """Work of CP-SAT, in its deterministic unit."""


def cheapest_hitting_set(conflicts: Iterable[CallSet], world: World) -> HittingSet:
    """The cheapest calls that hit all `conflicts`, at the prices of `world`."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise InputError("certificates need ortools: install algoworlds[certificates]") from None
    minimal = minimal_conflicts(conflicts)
    calls = sorted(frozenset[Call]().union(*minimal))
    model, stream = cp_model.CpModel(), Stream("ties")
    taken = {call: model.new_bool_var("") for call in calls}
    for conflict in minimal:
        model.add_bool_or(taken[call] for call in sorted(conflict))
    for cut in clique_cuts(minimal):
        model.add(sum(times * taken[call] for call, times in sorted(cut.weights.items())) >= cut.lower_bound)
    weight = {
        call: (world.prices[call.tool] << 2 * _TIE_BITS) + stream.keyed_word("\n".join(call)) % (1 << _TIE_BITS)
        for call in calls
    }
    model.minimize(sum(weight[call] * taken[call] for call in calls))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers, solver.parameters.random_seed = 1, 0
    solver.parameters.max_deterministic_time, solver.parameters.linearization_level = MAX_CP_SAT_WORK, 2
    solver.solve(model)
    chosen = frozenset(call for call in calls if solver.boolean_value(taken[call]))
    return HittingSet(chosen, int(solver.best_objective_bound) >> 2 * _TIE_BITS, solver.response_proto.deterministic_time)


def minimal_conflicts(conflicts: Iterable[CallSet]) -> list[CallSet]:
    """The conflicts that contain no other one, smallest first."""
    minimal: list[CallSet] = []
    for conflict in sorted(frozenset(conflicts), key=lambda calls: (len(calls), sorted(calls))):
        if not any(other <= conflict for other in minimal):
            minimal.append(conflict)
    return minimal


class Cut(NamedTuple):
    """A linear constraint: the weights of the chosen calls must sum to at least `lower_bound`."""

    weights: dict[Call, int]
    lower_bound: int


def clique_cuts(conflicts: list[CallSet]) -> Iterator[Cut]:
    """Clique cuts: if every two of n facts are in conflict, n - 1 must be known, unless a call settles all conflicts at once.

    A fact is represented by a call; every call that occurs in all conflicts of that call reveals it as well.
    """
    equivalents = _equivalent_calls(conflicts)
    for settling, rivals in _conflict_graphs(conflicts, equivalents).items():
        for clique in _cliques(rivals):
            times = dict.fromkeys(settling, len(clique) - 1)
            for call in (call for one in clique for call in equivalents[one]):
                times[call] = times.get(call, 0) + 1
            yield Cut(times, len(clique) - 1)


Rivals = dict[Call, set[Call]]
"""Adjacency of a conflict graph: for every call the calls it is in conflict with."""


def _equivalent_calls(conflicts: list[CallSet]) -> dict[Call, CallSet]:
    """For every call the calls that occur in all conflicts in which it occurs, itself included."""
    equivalents: dict[Call, CallSet] = {}
    for conflict in conflicts:
        equivalents |= {call: equivalents.get(call, conflict) & conflict for call in conflict}
    return equivalents


def _conflict_graphs(conflicts: list[CallSet], equivalents: dict[Call, CallSet]) -> dict[CallSet, Rivals]:
    """Conflict graphs by the calls that settle a conflict in another way."""
    graphs: dict[CallSet, Rivals] = {}
    for conflict in conflicts:
        for one, other in combinations(sorted(conflict), 2):
            if equivalents[one].isdisjoint(equivalents[other]):
                rivals = graphs.setdefault(conflict - equivalents[one] - equivalents[other], {})
                rivals.setdefault(one, set()).add(other)
                rivals.setdefault(other, set()).add(one)
    return graphs


def _cliques(rivals: Rivals) -> Iterator[list[Call]]:
    """Greedy cliques of three or more calls that together cover every edge which is in such a clique."""
    left = {(one, other) for one in rivals for other in rivals[one] if one < other}
    while left:
        clique = list(min(left))
        candidates = rivals[clique[0]] & rivals[clique[1]]
        while candidates:
            clique.append(max(sorted(candidates), key=lambda call: len(candidates & rivals[call])))
            candidates = candidates & rivals[clique[-1]]
        left -= set(combinations(sorted(clique), 2))
        if len(clique) > 2:
            yield clique
