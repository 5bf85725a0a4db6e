"""K(w), the certificate cost: the cheapest calls whose responses determine the optimum of a world, by implicit hitting sets.

If a set of calls does not determine the optimum, a witness shows it: an instance with the same responses and a better decision.
Every determining set contains a call that the witness answers differently: these calls are a conflict. The cheapest calls that
hit all conflicts found so far are a lower bound on K. If they determine the optimum, they are a certificate and their cost is
K; if not, a witness against them is a new conflict. Limits count work, not time, so results do not depend on the machine.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from algoworlds.core.decision import Decision
from algoworlds.core.interface import Interface
from algoworlds.core.ranges import Ranges
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call
from algoworlds.families.knowledge import Unknowns
from algoworlds.knowledge.conflicts import CallSet, ConflictFinder, cheapest_hitting_set, nearby_instances
from algoworlds.knowledge.observed import ObservedCalls, spend_checkpoints
from algoworlds.knowledge.oracle import Determination, Oracle, Risk
from algoworlds.knowledge.trial import Witness
from algoworlds.worlds.world import World


def order_by_importance(world: World, optimum: Decision, calls: tuple[Call, ...], ranges: Ranges) -> tuple[Call, ...]:
    """`calls`, sorted by the risk of leaving out each one alone over its price, largest first."""
    oracle = Oracle.from_world(world, optimum, ranges)

    def importance(call: Call) -> float:
        others = ObservedCalls(tuple(other for other in calls if other != call))
        return oracle.worst_regret(optimum, others).low / world.prices[call.tool]

    return tuple(sorted(calls, key=importance, reverse=True))


def risk_by_spend(world: World, optimum: Decision, calls: tuple[Call, ...], ranges: Ranges) -> tuple[tuple[int, int], ...]:
    """Worst regret of the optimum by spend as `calls` are bought in turn; no point where it is infinite or undecided."""
    oracle, spent = Oracle.from_world(world, optimum, ranges), [world.cost(calls[:count]) for count in range(len(calls) + 1)]
    risks = [
        (spent[count], oracle.worst_regret(optimum, ObservedCalls(calls[:count])).regret)
        for count in spend_checkpoints(spent, world.budget)
    ]
    return tuple((spend, int(risk)) for spend, risk in risks if risk is not None and risk != float("inf"))


MAX_QUESTIONS = 3_000
"""Questions to the oracle per certificate, each of one or a few solves; after that the bounds stay as they are."""

MAX_SOLVER_WORK = 2**34
"""Counted operations of the exact solver per certificate: some 500 solves at the highest level."""

_MAX_CACHED_ANSWERS = 200
"""Answers of the oracle, which are large, that are cached at a time."""

_MAX_HITTING_SET_WORK = 120.0
"""Work of CP-SAT for all hitting sets of a certificate, in its deterministic unit."""


@dataclass(frozen=True)
class Certificate:
    """Calls that determine the optimum, none of which can be left out, and a lower bound on the cost of such calls."""

    calls: tuple[Call, ...]
    """In order of importance for their price."""
    cost: int
    """Their cost: K if the bounds meet, otherwise an upper bound on K."""
    least: int
    """No calls that cost less determine the optimum."""
    outlay: tuple[tuple[int, int], ...] = ()
    """Worst regret of the optimum by spend as the calls are bought in turn; no point where it may be infeasible."""

    @property
    def is_exact(self) -> bool:
        """Whether the cost is known to be K."""
        return self.cost == self.least


def find_certificate(world: World, optimum: Decision | None = None, ranges: Ranges | None = None) -> Certificate | None:
    """The cheapest calls that determine the optimum of `world`; None without ranges, or if no plan is shown to do so."""
    ranges = ranges or world.ranges
    if ranges is None or world.family.knowledge.unknowns is None:
        return None
    decision = world.family.solve(world.instance).decision if optimum is None else optimum
    return _Search(world, decision, ranges, MAX_QUESTIONS, MAX_SOLVER_WORK).run()


def informative_calls(world: World) -> tuple[Call, ...]:
    """Every call that can reveal something of an instance: the catalog, and in a split world the calls that carry links."""
    carriers = world.family.carriers if world.interface is Interface.SPLIT else frozenset[str]()
    tools = [tool for tool in world.family.template.tools if tool.navigation and tool.name in carriers]
    calls = (Call.from_arguments(tool.name, value) for tool in tools for value in tool.argument.domain(world.public))
    return (*world.catalog, *calls)


@dataclass(eq=False)
class _Search:
    """State of the search: the cheapest determining set of calls so far, and conflicts that every determining set hits."""

    world: World
    optimum: Decision
    ranges: Ranges
    questions: int
    """Questions to the oracle that are left."""
    work: int
    """Counted operations of the solver that are left."""
    hitting_set_work: float = _MAX_HITTING_SET_WORK
    """Work of CP-SAT that is left."""
    best: CallSet = frozenset()
    lower_bound: int = 0
    """Proven lower bound on the cost of calls that hit all conflicts."""
    conflicts: list[CallSet] = field(default_factory=list)
    presumed: list[CallSet] = field(default_factory=list)
    """Conflicts that the oracle left undecided: they guide the search and bound nothing."""

    def __post_init__(self) -> None:
        self._oracle = Oracle.from_world(self.world, self.optimum, self.ranges)
        self._finder = ConflictFinder(self.world, self.optimum, self.ranges)

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """All informative calls, cheapest first, so that reduced conflicts consist of expensive calls."""
        return tuple(sorted(informative_calls(self.world), key=lambda call: self.world.prices[call.tool]))

    def run(self) -> Certificate | None:
        """Search until the bounds meet or a limit is reached; None if no plan is shown to determine the optimum."""
        plans = [frozenset(self.calls).intersection(plan) for plan in self.world.plans.values()]
        determining = [plan for plan in plans if self.ask(plan).determination is Determination.DETERMINED]
        if not determining:
            return None
        self.best = min(determining, key=self.world.cost)
        for withheld in self._candidate_conflicts():
            self._withhold(withheld)
        for nearby in nearby_instances(self.world.instance, self.ranges, self.world.family.knowledge.unknowns or Unknowns()):
            self._compare(nearby)
        while self._may_ask:
            chosen, bound = self._hit([*self.conflicts, *self.presumed])
            if bound >= self.world.cost(self.best) or self._determines(chosen):
                break
        if self.presumed or not self._may_ask:
            self.best = self._drop_unneeded(self.best)
            self._hit(self.conflicts)
        cost = self.world.cost(self.best)
        ordered = tuple(call for call in informative_calls(self.world) if call in self.best)
        calls = order_by_importance(self.world, self.optimum, ordered, self.ranges)
        curve = risk_by_spend(self.world, self.optimum, calls, self.ranges)
        return Certificate(calls, cost, min(self.lower_bound, cost), curve)

    @property
    def _may_ask(self) -> bool:
        return self.questions > 0 and self.work > 0 and self.hitting_set_work > 0

    def _hit(self, conflicts: list[CallSet]) -> tuple[CallSet, int]:
        """The cheapest calls that hit all `conflicts`, and a lower bound on their cost."""
        hitting_set = cheapest_hitting_set(conflicts, self.world)
        self.hitting_set_work -= hitting_set.work
        if not self.presumed or conflicts is self.conflicts:
            self.lower_bound = max(self.lower_bound, hitting_set.lower_bound)
        return hitting_set.calls, hitting_set.lower_bound

    def _withhold(self, withheld: CallSet) -> None:
        """Learn a conflict if all calls but `withheld` leave the optimum unknown, unless a known conflict implies it."""
        if any(conflict <= withheld for conflict in self.conflicts):
            return
        others = frozenset(self.calls) - withheld
        risk = self.ask(others)
        if risk.witness is not None:
            self._learn(others, risk.witness)

    def _compare(self, nearby: Any) -> None:
        """Learn the calls that distinguish the instance `nearby` if its optimum is another decision, unless implied."""
        differing = frozenset(self._finder.differing_calls(nearby, self.calls)) if self._may_ask else frozenset[Call]()
        if differing and not any(conflict <= differing for conflict in self.conflicts):
            solution = self.world.family.solve(nearby)
            self.work -= solution.work.total
            if solution.feasible and self._finder.is_optimum_beaten(nearby, solution.decision):
                self.conflicts.append(differing)

    def _candidate_conflicts(self) -> list[CallSet]:
        """Sets of calls worth withholding: all that reveal one row, and all that reveal part of what one call reveals.

        The second kind only for calls without a finer one: what they reveal cannot be had in pieces.
        """
        revealing: dict[Fact, list[Call]] = {}
        for call in self.calls:
            for fact in sorted(self._facts[call]):
                revealing.setdefault(fact, []).append(call)
        related = {call: {call}.union(*(revealing[fact] for fact in self._facts[call])) for call in self.calls}
        finer = {
            call: [other for other in related[call] if frozenset() < self._facts[other] < self._facts[call]] for call in related
        }
        finest = [frozenset(related[call]) for call in self.calls if not finer[call]]
        return list(dict.fromkeys([*map(frozenset, revealing.values()), *finest]))

    @cached_property
    def _facts(self) -> dict[Call, frozenset[Fact]]:
        return {call: self.world.facts([self.world.revealed_rows(call)]) for call in self.calls}

    def _determines(self, chosen: CallSet) -> bool:
        """Whether `chosen` determines the optimum; if not, learn conflicts, adding one call for each, until it does."""
        calls, first = chosen, self._find_missed(chosen)
        missed = first
        while missed and self._may_ask:
            calls |= {min(missed, key=self.calls.index)}
            missed = self._find_missed(calls)
        if first and not missed:
            self._pare(calls)
        return not first

    def _pare(self, calls: CallSet) -> None:
        """Drop calls that are not needed from a determining set, and learn a conflict for each needed one, until undecided.

        Questions are cheaper than hitting sets, and this rules out many sets at once that differ in few calls.
        """
        for call in self.calls[::-1]:
            rest = calls - {call}
            implied = any(map(rest.isdisjoint, (*self.conflicts, *self.presumed)))
            if call not in calls or implied or not self._may_ask:
                continue
            risk = self.ask(rest)
            if risk.determination is Determination.DETERMINED:
                calls, self.best = rest, min(self.best, rest, key=self.world.cost)
            elif risk.witness is not None:
                self._learn(rest, risk.witness)
            else:
                break

    def _find_missed(self, calls: CallSet) -> CallSet:
        """A conflict that `calls` do not hit; empty if they determine the optimum."""
        risk = self.ask(calls)
        if risk.determination is Determination.DETERMINED:
            self.best = min(self.best, calls, key=self.world.cost)
            return frozenset()
        return self._presume(calls) if risk.witness is None else self._learn(calls, risk.witness)

    def ask(self, calls: CallSet) -> Risk:
        """Ask the oracle whether `calls` determine the optimum."""
        self.questions -= 1
        if self.questions % _MAX_CACHED_ANSWERS == 0:
            self._oracle = Oracle.from_world(self.world, self.optimum, self.ranges)
        before = self._oracle.work
        risk = self._oracle.optimum_risk(ObservedCalls(tuple(call for call in self.calls if call in calls)))
        self.work -= self._oracle.work - before
        return risk

    def _drop_unneeded(self, calls: CallSet) -> CallSet:
        """A determining subset of `calls` from which none can be dropped; expensive calls are tried first."""
        for call in self.calls[::-1]:
            if call in calls and self.ask(calls - {call}).determination is Determination.DETERMINED:
                calls -= {call}
        return calls

    def _learn(self, calls: CallSet, witness: Witness) -> CallSet:
        """Add the conflict that `witness` shows among the calls not in `calls`."""
        others = [call for call in self.calls if call not in calls]
        self.conflicts.append(self._finder.reduce_to_conflict(witness, others))
        return self.conflicts[-1]

    def _presume(self, calls: CallSet) -> CallSet:
        """Add calls without which the oracle stays undecided, found by bisection; a real conflict if a witness turns up."""
        waiting = [call for call in self.calls if call not in calls]
        size = len(waiting)
        while waiting:
            size = max(1, min(size, len(waiting)) // 2)
            more = calls | frozenset(waiting[:size])
            risk = self.ask(more)
            if risk.witness is not None:
                return self._learn(more, risk.witness)
            if risk.determination is Determination.UNDECIDED:
                calls, waiting, size = more, waiting[size:], 4 * size
            elif size == 1:
                waiting = waiting[1:]  # the optimum is determined with this call: it belongs to the presumed conflict
        self.presumed.append(frozenset(self.calls) - calls)
        return self.presumed[-1]
