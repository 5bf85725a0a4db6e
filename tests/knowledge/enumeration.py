"""Truth by enumeration: the instances of a tiny universe with the same answers, and what decisions risk in them."""

from collections import Counter
from functools import cache
from math import inf

from algoworlds.core.interface import Interface
from algoworlds.core.tool import Call
from algoworlds.families import load_family
from algoworlds.worlds.admission import Coordinate
from algoworlds.worlds.world import World
from tests.knowledge.universes import OPEN_UNIVERSES, UNIVERSES
from tests.oracles import oracle as enumerator

QUESTIONS = 20
SHARES = (8, 30, 60, 90)
"""Percent of all calls that are made, in turn."""


class Universe:
    """All instances of a universe, their answers, and the values of decisions in them."""

    def __init__(self, name, registry=UNIVERSES | OPEN_UNIVERSES, decisions=None):
        """`decisions` lists every decision of an instance that could be feasible; by default, the third opinion does."""
        family, self.ranges, function, self._always = registry[name]
        self.family = load_family(family)
        self.decisions = decisions or enumerator(family).decisions
        self.worlds = [World(Coordinate(family, 0, 1), instance, Interface.DIRECT) for instance in function()]
        self.answers = {}
        self.solution = cache(lambda at: self.family.solve(self.worlds[at].instance))
        self.feasible = cache(self._feasible)
        self.table_numbers = cache(self._table_numbers)
        self.same_answers = cache(self._same_answers)
        self.member_indices = {}
        self.cached_answers = Counter()

    def _table_numbers(self, tool):
        """For every instance, a number that it shares with all instances whose tables behind `tool` are the same."""
        parts, numbers = self.family.layouts[Interface.DIRECT].parts_by_tool[tool], {}
        tables = [tuple(world.instance.rows(part.relation) for part in parts) for world in self.worlds]
        return [numbers.setdefault(table, len(numbers)) for table in tables]

    def answer(self, at, call):
        """The answer of instance `at` to `call`, computed once for all instances with the same tables behind the tool."""
        key = call, self.table_numbers(call.tool)[at]
        if key not in self.answers:
            self.answers[key] = self.worlds[at].revealed_rows(call)
        return self.answers[key]

    def members(self, truth, calls, evaluated=None):
        """The completions that have feasible decisions: the instances with the same answers, the evaluation included."""
        key = truth, tuple(calls), repr(evaluated)
        if key not in self.member_indices:
            members = self.same_answers(truth, tuple(calls))
            if evaluated is not None:
                value = self.value(truth, evaluated)
                members = [at for at in members if self.value(at, evaluated) == value]
            self.member_indices[key] = [at for at in members if self.solution(at).feasible]
        return self.member_indices[key]

    def _same_answers(self, truth, calls):
        """The instances with the same answers; calls whose answers are cached for many instances are compared first."""
        same = range(len(self.worlds))
        for call in sorted(calls, key=lambda call: self.cached_answers[call], reverse=True):
            self.cached_answers[call] = max(self.cached_answers[call], len(same))
            answer, numbers = self.answer(truth, call), self.table_numbers(call.tool)
            examples = {numbers[at]: at for at in same}
            equal = {number for number, at in examples.items() if self.answer(at, call) == answer}
            same = [at for at in same if numbers[at] in equal]
        return same

    def value(self, at, decision):
        """The value of `decision` in instance `at`; None if it is infeasible."""
        return self.family.check(self.worlds[at].instance, decision).value

    def is_always_made(self, call):
        """Whether `call`, or every call of its tool, is always made."""
        return call in self._always or call.tool in self._always

    def _feasible(self, at):
        """Every feasible decision of instance `at`."""
        instance = self.worlds[at].instance
        return [decision for decision in self.decisions(instance) if self.family.check(instance, decision).feasible]

    def regret(self, at, decision):
        """The loss of `decision` against the optimum in instance `at`; infinite if it is infeasible."""
        value = self.value(at, decision)
        return inf if value is None else abs(value - self.solution(at).value)

    def names_unseen_id(self, truth, calls, decision):
        """Whether `decision` names an id that no response shows, so that a completion may use another id."""
        instance = self.worlds[truth].instance
        hidden = {
            entity
            for name, relation in instance.relations.items()
            if relation.is_roster and not relation.public
            for entity in getattr(instance, name)
        }
        text = "".join(map(self.worlds[truth].records, calls))
        return any(f'"{entity}"' not in text for entity in self.family.decision.ids(decision) & hidden)

    def worst_regret(self, truth, calls, decision, evaluated=None):
        """The worst regret of `decision` over all completions of instance `truth`."""
        if self.names_unseen_id(truth, calls, decision):
            return inf
        return max(self.regret(at, decision) for at in self.members(truth, calls, evaluated))


def questions(universe, stream, count=QUESTIONS, decisions=2):
    """Random instances with at least so many feasible `decisions`, each with random calls."""
    for number in range(count):
        truth = stream.below(len(universe.worlds))
        while len(universe.feasible(truth)) < decisions:
            truth = stream.below(len(universe.worlds))
        share, calls = SHARES[number % len(SHARES)], every_call(universe.worlds[truth])
        yield truth, tuple(call for call in calls if universe.is_always_made(call) or stream.below(100) < share)


def every_call(world):
    """Every admissible call, navigation included."""
    tools = world.family.template.tools
    return [Call.from_arguments(tool.name, arguments) for tool in tools for arguments in tool.argument.domain(world.public)]


def decisions_to_evaluate(universe, truth, calls, stream):
    """Up to three decisions whose ids the responses show: the optimum, a feasible decision and any other."""
    decisions = list(universe.decisions(universe.worlds[truth].instance))
    named = [decision for decision in decisions if not universe.names_unseen_id(truth, calls, decision)]
    feasible = [decision for decision in named if universe.value(truth, decision) is not None]
    best = [decision for decision in feasible if universe.regret(truth, decision) == 0]
    return [stream.choice(group) for group in (best, feasible, named) if group]


def assert_witness_holds(world, ranges, calls, decision, risk):
    """Assert that a witness is within all ranges, answers with the same bytes, and has the stated regret by the checker."""
    if risk.witness is None:
        assert risk.low == 0
        return
    instance, rival, regret = risk.witness
    assert list(ranges.violations(instance)) == []
    other = World(world.coordinate, instance, world.interface)
    assert [other.records(call) for call in calls] == [world.records(call) for call in calls]
    assert other.question == world.question
    own, theirs = world.family.check(instance, decision), world.family.check(instance, rival)
    assert theirs.feasible
    assert regret == (abs(theirs.value - own.value) if own.feasible else inf)
    assert not own.feasible or world.family.sense.is_better(theirs.value, than=own.value)
