"""The cheapest calls of which every conflict has one, by CP-SAT, which is told what cliques of conflicts amount to.

Conflicts often say of each two of many things that one of them must be known: then all but one must be. A solver that sees
conflicts alone finds halves of each cheap enough and has to look at all ways; one that is told so sees it at once.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.errors import InputError
from algoworlds.knowledge.conflict import Calls
from algoworlds.worlds.world import World

WORK = 10.0
"""What CP-SAT may do for one set, in its own deterministic measure."""

_TIE = 20
"""Bits by which equally cheap sets of calls are told apart, so that every version of the solver finds the same one."""


class Hitting(NamedTuple):
    """Calls of which every conflict has one, the cheapest ones unless the bound says otherwise."""

    calls: Calls
    least: int
    """No such calls cost less."""
    work: float
    """What CP-SAT did, in its own deterministic measure."""


def hitting(conflicts: Iterable[Calls], world: World) -> Hitting:
    """The cheapest calls of which every conflict has one."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise InputError("certificates need ortools: install algoworlds[certificates]") from None
    listed = least(conflicts)
    calls = sorted(frozenset[Call]().union(*listed))
    model, stream = cp_model.CpModel(), Stream("ties")
    taken = {call: model.new_bool_var("") for call in calls}
    for each in listed:
        model.add_bool_or(taken[call] for call in sorted(each))
    for cut in cuts(listed):
        model.add(sum(times * taken[call] for call, times in sorted(cut.times.items())) >= cut.least)
    weight = {call: (world.prices[call.tool] << 2 * _TIE) + stream.at("\n".join(call)) % (1 << _TIE) for call in calls}
    model.minimize(sum(weight[call] * taken[call] for call in calls))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers, solver.parameters.random_seed = 1, 0
    solver.parameters.max_deterministic_time, solver.parameters.linearization_level = WORK, 2
    solver.solve(model)
    chosen = frozenset(call for call in calls if solver.boolean_value(taken[call]))
    return Hitting(chosen, int(solver.best_objective_bound) >> 2 * _TIE, solver.response_proto.deterministic_time)


def least(conflicts: Iterable[Calls]) -> list[Calls]:
    """The conflicts that hold no other one, the smallest first."""
    kept: list[Calls] = []
    for each in sorted(frozenset(conflicts), key=lambda calls: (len(calls), sorted(calls))):
        if not any(other <= each for other in kept):
            kept.append(each)
    return kept


class Cut(NamedTuple):
    """What conflicts amount to: calls count so many times each, and must count so much in all."""

    times: dict[Call, int]
    least: int


def cuts(conflicts: list[Calls]) -> Iterator[Cut]:
    """Of some things each two of which are in conflict all but one must be known, unless a call is made that settles all.

    A thing is known by a call or by any other that stands wherever that stands.
    """
    known_by = _known_by(conflicts)
    for settling, rivals in _graphs(conflicts, known_by).items():
        for clique in _cliques(rivals):
            times = dict.fromkeys(settling, len(clique) - 1)
            for call in (call for one in clique for call in known_by[one]):
                times[call] = times.get(call, 0) + 1
            yield Cut(times, len(clique) - 1)


Rivals = dict[Call, set[Call]]
"""For calls those that they are in conflict with, both ways."""


def _known_by(conflicts: list[Calls]) -> dict[Call, Calls]:
    """For every call those that stand in all conflicts that it stands in, itself included."""
    known_by: dict[Call, Calls] = {}
    for each in conflicts:
        known_by |= {call: known_by.get(call, each) & each for call in each}
    return known_by


def _graphs(conflicts: list[Calls], known_by: dict[Call, Calls]) -> dict[Calls, Rivals]:
    """Which two things are in conflict, by the calls that settle it otherwise."""
    graphs: dict[Calls, Rivals] = {}
    for each in conflicts:
        for one, other in combinations(sorted(each), 2):
            if known_by[one].isdisjoint(known_by[other]):
                rivals = graphs.setdefault(each - known_by[one] - known_by[other], {})
                rivals.setdefault(one, set()).add(other)
                rivals.setdefault(other, set()).add(one)
    return graphs


def _cliques(rivals: Rivals) -> Iterator[list[Call]]:
    """Cliques of three or more that hold every edge that is in one of them, each made as large as it gets greedily."""
    left = {(one, other) for one in rivals for other in rivals[one] if one < other}
    while left:
        clique = list(min(left))
        able = rivals[clique[0]] & rivals[clique[1]]
        while able:
            clique.append(max(sorted(able), key=lambda call: len(able & rivals[call])))
            able = able & rivals[clique[-1]]
        left -= set(combinations(sorted(clique), 2))
        if len(clique) > 2:
            yield clique
