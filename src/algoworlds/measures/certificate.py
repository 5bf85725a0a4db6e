"""K(w), the certificate cost: the cheapest calls whose responses make the optimum of a world known, by implicit hitting sets.

If some calls leave the optimum unknown, a witness says so: an instance that answers them alike and has a better decision.
Whoever is to know the optimum must make one of the calls that the witness answers otherwise: a conflict. The cheapest calls
that hit all conflicts found so far bound K from below; if they make the optimum known, they are a certificate and K is what
they cost; if not, a witness against them is a new conflict. Nothing here depends on time: work is limited by questions.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from algoworlds.core.decision import Decision
from algoworlds.core.interface import Interface
from algoworlds.core.ranges import Ranges
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.errors import InputError
from algoworlds.measures.sufficiency.observed import Observed
from algoworlds.measures.sufficiency.oracle import Knowledge, Oracle, Risk
from algoworlds.worlds.world import World

QUESTIONS = 3_000
"""Questions to the oracle, each of one solve or a few, after which bounds are left as they are."""

_KEPT = 500
"""Questions whose answers, which are large, are kept at a time."""

_WORK = 60.0
"""CP-SAT's own deterministic measure of work for one hitting set."""

_TIE = 20
"""Bits by which equally cheap sets of calls are told apart, so that every version of the solver finds the same one."""

Calls = frozenset[Call]


@dataclass(frozen=True)
class Certificate:
    """Calls that make the optimum known, none of which can be left out, and how cheap any such calls can be."""

    calls: tuple[Call, ...]
    """In the order of the catalog."""
    cost: int
    """What they cost: K if the bounds meet, and else more than K or K."""
    least: int
    """No calls that cost less make the optimum known."""

    @property
    def exact(self) -> bool:
        """Whether the cost is K."""
        return self.cost == self.least


def certificate(
    world: World, optimum: Decision | None = None, ranges: Ranges | None = None, questions: int = QUESTIONS
) -> Certificate | None:
    """The cheapest calls that make a world's optimum known; None if nobody can say, or if no plan is known to do so."""
    if (ranges or world.ranges) is None or world.family.unknowns is None:
        return None
    decision = world.family.solve(world.instance).decision if optimum is None else optimum
    return _Search(world, decision, ranges, questions).result()


def informative(world: World) -> tuple[Call, ...]:
    """Every call that can tell something of an instance: the catalog, and what carries links where halves come apart."""
    carriers = world.family.carriers if world.interface is Interface.SPLIT else frozenset[str]()
    tools = [tool for tool in world.family.template.tools if tool.navigation and tool.name in carriers]
    listed = (Call.make(tool.name, each) for tool in tools for each in tool.argument.domain(world.public))
    return (*world.catalog, *listed)


@dataclass(eq=False)
class _Search:
    """What is known so far: the best set of calls that makes the optimum known, and conflicts that every such set hits."""

    world: World
    optimum: Decision
    ranges: Ranges | None
    questions: int
    """How many may still be asked."""
    best: Calls | None = None
    conflicts: list[Calls] = field(default_factory=list)
    presumed: list[Calls] = field(default_factory=list)
    """Conflicts that the oracle left undecided: they guide the search and bound nothing."""

    def __post_init__(self) -> None:
        self._oracle = Oracle.of(self.world, self.optimum, self.ranges)

    @cached_property
    def every(self) -> tuple[Call, ...]:
        """All calls, the cheapest first: what is left of a conflict is dear."""
        return tuple(sorted(informative(self.world), key=lambda call: self.world.prices[call.tool]))

    def result(self) -> Certificate | None:
        """Search until the bounds meet or the questions are used up."""
        self._begin()
        if self.best is None:
            return None
        chosen, least = Calls(), 0
        while self.questions > 0:
            chosen, bound = hitting([*self.conflicts, *self.presumed], self.world)
            least = bound if not self.presumed else least
            if bound >= self.world.cost(self.best):
                break
            risk = self.ask(chosen)
            if risk.knowledge is Knowledge.DETERMINED:
                self.best = chosen
                break
            self._learn(chosen, risk)
        else:
            self.best = min(self.best, self._reduced(chosen | self.best, chosen), key=self.world.cost)
        if self.presumed or self.questions <= 0:
            least = hitting(self.conflicts, self.world)[1]
        cost = self.world.cost(self.best)
        in_order = tuple(call for call in informative(self.world) if call in (self.best or ()))
        return Certificate(in_order, cost, min(least, cost))

    def _begin(self) -> None:
        """The cheapest plan that makes the optimum known, without the calls that it does not need."""
        known = frozenset(self.every)
        for plan in sorted(self.world.plans.values(), key=self.world.cost):
            calls = known.intersection(plan)
            if self.ask(calls).knowledge is Knowledge.DETERMINED:
                reduced = self._reduced(calls, frozenset())
                self.best = reduced if self.best is None else min(self.best, reduced, key=self.world.cost)

    def ask(self, calls: Calls) -> Risk:
        """Whether some calls make the optimum known; the worst witness is had by fewer solves than trying many rivals takes."""
        self.questions -= 1
        if self.questions % _KEPT == 0:
            self._oracle = Oracle.of(self.world, self.optimum, self.ranges)
        return self._oracle.worst_regret(self.optimum, Observed(tuple(call for call in self.every if call in calls)))

    def _reduced(self, calls: Calls, wanted: Calls) -> Calls:
        """Enough of some calls to know the optimum, as few as can be: dear ones go first, wanted ones last."""
        least, others = [[call for call in self.every[::-1] if (call in wanted) is last] for last in (True, False)]
        for call in (*others, *least):
            if call in calls and self.ask(calls - {call}).knowledge is Knowledge.DETERMINED:
                calls -= {call}
        return calls

    def _learn(self, chosen: Calls, risk: Risk) -> None:
        """A conflict that the chosen calls do not hit and of which no call can be left out, found by halving."""
        missing, sure = self._missing(chosen, risk), risk.knowledge is Knowledge.NOT_DETERMINED
        waiting = [call for call in self.every if call in missing]
        size = len(waiting)
        while waiting:
            size = max(1, min(size, len(waiting)) // 2)
            told = frozenset(self.every) - missing | frozenset(waiting[:size])
            risk = self.ask(told)
            if risk.knowledge is Knowledge.NOT_DETERMINED or (risk.knowledge is Knowledge.UNDECIDED and not sure):
                missing, sure = self._missing(told, risk), sure or risk.knowledge is Knowledge.NOT_DETERMINED
                waiting, size = [call for call in waiting if call in missing], 4 * size
            elif size == 1:
                waiting = waiting[1:]  # without this one the rest is not missed
        (self.conflicts if sure else self.presumed).append(missing)

    def _missing(self, told: Calls, risk: Risk) -> Calls:
        """The calls that a witness answers otherwise; all that were not made if there is none."""
        if risk.witness is None:
            return frozenset(self.every) - told
        other = World(self.world.coordinate, risk.witness.instance, self.world.interface)
        return frozenset(call for call in self.every if call not in told and other.revealed(call) != self._revealed[call])

    @cached_property
    def _revealed(self) -> dict[Call, object]:
        return {call: self.world.revealed(call) for call in self.every}


def hitting(conflicts: Iterable[Calls], world: World) -> tuple[Calls, int]:
    """The cheapest calls of which every conflict has one, and a bound from below on what any such calls cost."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        raise InputError("certificates need ortools: install algoworlds[certificates]") from None
    listed = list(conflicts)
    calls = sorted(frozenset[Call]().union(*listed))
    model, stream = cp_model.CpModel(), Stream("ties")
    taken = {call: model.new_bool_var("") for call in calls}
    for each in listed:
        model.add_bool_or([taken[call] for call in calls if call in each])
    weight = {call: (world.prices[call.tool] << 2 * _TIE) + stream.at("\n".join(call)) % (1 << _TIE) for call in calls}
    model.minimize(sum(weight[call] * taken[call] for call in calls))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers, solver.parameters.random_seed = 1, 0
    solver.parameters.max_deterministic_time = _WORK
    solver.solve(model)
    chosen = frozenset(call for call in calls if solver.boolean_value(taken[call]))
    return chosen, int(solver.best_objective_bound) >> 2 * _TIE
