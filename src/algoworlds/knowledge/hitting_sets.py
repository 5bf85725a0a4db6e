"""The cheapest hitting set of conflicts, by CP-SAT with clique cuts.

Conflicts often require, of every two of many facts, that one is known: then all but one must be known. The linear relaxation of
the pairwise conflicts accepts one half of each and makes the solver enumerate; the clique cut gives the full bound at once.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.errors import InputError
from algoworlds.knowledge.conflicts import CallSet
from algoworlds.worlds.world import World

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
