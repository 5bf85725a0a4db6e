"""K(w), the certificate cost: the cheapest calls whose responses make the optimum of a world known, by implicit hitting sets.

If some calls leave the optimum unknown, a witness says so: an instance that answers them alike and has a better decision.
Whoever is to know the optimum must make one of the calls that the witness answers otherwise: a conflict. The cheapest calls
that hit all conflicts found so far bound K from below; if they make the optimum known, they are a certificate and K is what
they cost; if not, a witness against them is a new conflict. Nothing here depends on time: work is counted, and limited.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from algoworlds.core.decision import Decision
from algoworlds.core.interface import Interface
from algoworlds.core.ranges import Ranges
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call
from algoworlds.families.unknowns import Unknowns
from algoworlds.knowledge.conflict import Calls, Truth
from algoworlds.knowledge.hitting import hitting
from algoworlds.knowledge.nearness import nearest
from algoworlds.knowledge.outlay import missed_first, outlay
from algoworlds.knowledge.sufficiency.observed import Observed
from algoworlds.knowledge.sufficiency.oracle import Knowledge, Oracle, Risk
from algoworlds.knowledge.sufficiency.trial import Witness
from algoworlds.worlds.world import World

QUESTIONS = 3_000
"""Questions to the oracle, each of one solve or a few, after which bounds are left as they are."""

WORK = 2**34
"""What the exact solver may do for a certificate, in its own counted operations: some 500 solves at the highest level."""

_KEPT = 200
"""Questions whose answers, which are large, are kept at a time."""

_SETS = 120.0
"""What CP-SAT may do for all hitting sets of a certificate, in its own deterministic measure of work."""


@dataclass(frozen=True)
class Certificate:
    """Calls that make the optimum known, none of which can be left out, and how cheap any such calls can be."""

    calls: tuple[Call, ...]
    """Those first that are missed most for their price."""
    cost: int
    """What they cost: K if the bounds meet, and else more than K or K."""
    least: int
    """No calls that cost less make the optimum known."""
    outlay: tuple[tuple[int, int], ...] = ()
    """By spend, what the optimum risks when the calls are bought in turn; no point where it may be infeasible."""

    @property
    def exact(self) -> bool:
        """Whether the cost is K."""
        return self.cost == self.least


def certificate(world: World, optimum: Decision | None = None, ranges: Ranges | None = None) -> Certificate | None:
    """The cheapest calls that make a world's optimum known; None if nobody can say, or if no plan is known to do so."""
    stated = ranges or world.ranges
    if stated is None or world.family.knowledge.unknowns is None:
        return None
    decision = world.family.solve(world.instance).decision if optimum is None else optimum
    return _Search(world, decision, stated, QUESTIONS, WORK).result()


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
    ranges: Ranges
    questions: int
    """How many may still be asked."""
    work: int
    """What may still be solved, in counted operations."""
    sets: float = _SETS
    """What may still be done for hitting sets."""
    best: Calls = frozenset()
    least: int = 0
    """What any calls cost that hit all conflicts, as far as that has been shown."""
    conflicts: list[Calls] = field(default_factory=list)
    presumed: list[Calls] = field(default_factory=list)
    """Conflicts that the oracle left undecided: they guide the search and bound nothing."""

    def __post_init__(self) -> None:
        self._oracle = Oracle.of(self.world, self.optimum, self.ranges)
        self._truth = Truth(self.world, self.optimum, self.ranges)

    @cached_property
    def every(self) -> tuple[Call, ...]:
        """All calls, the cheapest first: what is left of a conflict is dear."""
        return tuple(sorted(informative(self.world), key=lambda call: self.world.prices[call.tool]))

    def result(self) -> Certificate | None:
        """Search until the bounds meet or the questions are used up."""
        plans = [frozenset(self.every).intersection(plan) for plan in self.world.plans.values()]
        telling = [plan for plan in plans if self.ask(plan).knowledge is Knowledge.DETERMINED]
        if not telling:
            return None
        self.best = min(telling, key=self.world.cost)
        for withheld in self._doubts():
            self._doubt(withheld)
        for near in nearest(self.world.instance, self.ranges, self.world.family.knowledge.unknowns or Unknowns()):
            self._meet(near)
        while self._may_ask:
            chosen, bound = self._hitting([*self.conflicts, *self.presumed])
            if bound >= self.world.cost(self.best) or self._tried(chosen):
                break
        if self.presumed or not self._may_ask:
            self.best = self._reduced(self.best)
            self._hitting(self.conflicts)
        cost = self.world.cost(self.best)
        listed = tuple(call for call in informative(self.world) if call in self.best)
        calls = missed_first(self.world, self.optimum, listed, self.ranges)
        return Certificate(calls, cost, min(self.least, cost), outlay(self.world, self.optimum, calls, self.ranges))

    @property
    def _may_ask(self) -> bool:
        return self.questions > 0 and self.work > 0 and self.sets > 0

    def _hitting(self, conflicts: list[Calls]) -> tuple[Calls, int]:
        """The cheapest calls of which every conflict has one, and what such calls cost at least."""
        found = hitting(conflicts, self.world)
        self.sets -= found.work
        if not self.presumed or conflicts is self.conflicts:
            self.least = max(self.least, found.least)
        return found.calls, found.least

    def _doubt(self, withheld: Calls) -> None:
        """Learn whether the optimum can be known without some calls, unless a conflict among them says so."""
        if any(each <= withheld for each in self.conflicts):
            return
        others = frozenset(self.every) - withheld
        risk = self.ask(others)
        if risk.witness is not None:
            self._learn(others, risk.witness)

    def _meet(self, near: Any) -> None:
        """Learn the calls that tell an instance apart in which the optimum is beaten, unless a conflict among them says so."""
        apart = frozenset(self._truth.apart(near, self.every)) if self._may_ask else frozenset[Call]()
        if apart and not any(each <= apart for each in self.conflicts):
            solution = self.world.family.solve(near)
            self.work -= solution.work.total
            if solution.feasible and self._truth.beaten(near, solution.decision):
                self.conflicts.append(apart)

    def _doubts(self) -> list[Calls]:
        """What may have to be told: each row, by any call that tells it, and all that a call tells, by any that tells of it.

        Only of calls of which no other one tells a part: what they tell cannot be had in pieces.
        """
        tellers: dict[Fact, list[Call]] = {}
        for call in self.every:
            for fact in sorted(self._told[call]):
                tellers.setdefault(fact, []).append(call)
        near = {call: {call}.union(*(tellers[fact] for fact in self._told[call])) for call in self.every}
        parts = {call: [each for each in near[call] if frozenset() < self._told[each] < self._told[call]] for call in near}
        finest = [frozenset(near[call]) for call in self.every if not parts[call]]
        return list(dict.fromkeys([*map(frozenset, tellers.values()), *finest]))

    @cached_property
    def _told(self) -> dict[Call, frozenset[Fact]]:
        return {call: self.world.facts([self.world.revealed(call)]) for call in self.every}

    def _tried(self, chosen: Calls) -> bool:
        """Whether some calls are enough; if not, conflicts are learnt until they are with one more call for each.

        Who may ask no more tries no more.
        """
        told, first = chosen, self._missed(chosen)
        missed = first
        while missed and self._may_ask:
            told |= {min(missed, key=self.every.index)}
            missed = self._missed(told)
        if first and not missed:
            self._pare(told)
        return not first

    def _pare(self, told: Calls) -> None:
        """Leave out any call that can be left out of enough, and learn a conflict for each that cannot, until one is undecided.

        Questions are cheaper than hitting sets, and this rules out many sets at once that differ in few calls.
        """
        for call in self.every[::-1]:
            rest = told - {call}
            if call not in told or not self._hits(rest) or not self._may_ask:
                continue
            risk = self.ask(rest)
            if risk.knowledge is Knowledge.DETERMINED:
                told, self.best = rest, min(self.best, rest, key=self.world.cost)
            elif risk.witness is not None:
                self._learn(rest, risk.witness)
            else:
                break

    def _hits(self, calls: Calls) -> bool:
        """Whether nothing says yet that some calls are not enough."""
        return not any(map(calls.isdisjoint, (*self.conflicts, *self.presumed)))

    def _missed(self, told: Calls) -> Calls:
        """A conflict that some calls do not hit; nothing if they are enough."""
        risk = self.ask(told)
        if risk.knowledge is Knowledge.DETERMINED:
            self.best = min(self.best, told, key=self.world.cost)
            return frozenset()
        return self._presume(told) if risk.witness is None else self._learn(told, risk.witness)

    def ask(self, calls: Calls) -> Risk:
        """Whether some calls make the optimum known."""
        self.questions -= 1
        if self.questions % _KEPT == 0:
            self._oracle = Oracle.of(self.world, self.optimum, self.ranges)
        before = self._oracle.work
        risk = self._oracle.known(Observed(tuple(call for call in self.every if call in calls)))
        self.work -= self._oracle.work - before
        return risk

    def _reduced(self, calls: Calls) -> Calls:
        """Enough of some calls to know the optimum, none of which can be left out: dear ones go first."""
        for call in self.every[::-1]:
            if call in calls and self.ask(calls - {call}).knowledge is Knowledge.DETERMINED:
                calls -= {call}
        return calls

    def _learn(self, told: Calls, witness: Witness) -> Calls:
        """A conflict of calls that were not made."""
        self.conflicts.append(self._truth.conflict(witness, [call for call in self.every if call not in told]))
        return self.conflicts[-1]

    def _presume(self, told: Calls) -> Calls:
        """A conflict of calls without which nobody could decide, found by halving; a true one if a witness turns up."""
        waiting = [call for call in self.every if call not in told]
        size = len(waiting)
        while waiting:
            size = max(1, min(size, len(waiting)) // 2)
            more = told | frozenset(waiting[:size])
            risk = self.ask(more)
            if risk.witness is not None:
                return self._learn(more, risk.witness)
            if risk.knowledge is Knowledge.UNDECIDED:
                told, waiting, size = more, waiting[size:], 4 * size
            elif size == 1:
                waiting = waiting[1:]  # without this one the rest is not missed
        self.presumed.append(frozenset(self.every) - told)
        return self.presumed[-1]
