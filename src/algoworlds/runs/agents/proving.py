"""Agents that bound their regret: they buy calls until the optimum is proven, or until little can be lost.

They use the question and what they have read, and nothing else. They complete the instance (`CompletionBuilder`), solve the
completion, and ask the oracle for the worst regret of that decision in any instance consistent with the responses. The oracle
answers the same for the hidden instance and for the completion, because both give the same responses. Then they buy the call
that reveals most, for its price, about the difference between the decision and the rival that beats it by most.

They buy from the cheapest calls that reveal everything. Budget and call cap of every world allow all of these, so whatever they
buy first, they can afford to read all the rest. Under a condition these are the calls of a plan, read again until they are
exact: each further look is the one that narrows most, for its price, the numbers in which the decision and its rival differ.
Where numbers change once, everything that is not measured is read first.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, product
from typing import Any

from algoworlds.core.column import Column, Flag, Id, Int, Ints
from algoworlds.core.condition import Spot
from algoworlds.core.decision import CLAIM_ARGUMENT, Confidence, Decision
from algoworlds.core.interface import Interface
from algoworlds.core.ranges import Ranges
from algoworlds.core.relation import Fact, Relation, Row
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call, Refusal, expand_plan
from algoworlds.errors import InstanceError
from algoworlds.families.knowledge import Unknowns
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Oracle, Risk
from algoworlds.knowledge.sensitivity import ValueSensitivity
from algoworlds.knowledge.trial import Witness
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World

THRIFTY_REGRET_SHARE = 0.05
"""The share of the reference gap that the thrifty agent risks."""
ReadScopes = frozenset[tuple[str, tuple[str, str] | None]]
"""What was read completely: a relation, with a roster and the entity of it whose rows were read, or None for all rows."""
RowWeights = dict[Fact, float]
"""How much it matters to know a row."""


def hidden_relations(world: World) -> dict[str, Relation]:
    """The relations whose rows must be read; entities of hidden rosters appear in them."""
    relations = world.family.instance.relations.items()
    return {name: relation for name, relation in relations if relation.fact and not relation.public and not relation.is_roster}


def revealed_relations(world: World, tool: str) -> frozenset[str]:
    """The relations whose rows `tool` reveals."""
    return frozenset(name for name in world.family.tools[tool].reveals if isinstance(name, str))


def _selected_entities(world: World, call: Call) -> frozenset[str]:
    selection = world.selection(call)
    return frozenset() if selection is None or isinstance(selection, Refusal) else selection


# -- completions ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class CompletionBuilder:
    """Builds instances that are consistent with what was read, without looking at the hidden instance."""

    world: World
    ranges: Ranges
    unknowns: Unknowns

    @cached_property
    def _relations(self) -> Mapping[str, Relation]:
        return hidden_relations(self.world)

    @cached_property
    def relations_to_read(self) -> frozenset[str]:
        """The relations that must be read in full before a completion can be built."""
        binding = {name for name, _ in self.unknowns.binding}
        return frozenset(
            name for name, relation in self._relations.items() if name in binding or not self._can_invent(relation)
        )

    def _can_invent(self, relation: Relation) -> bool:
        """Whether the keys of the rows follow from other relations, and every value has a range or a ranking."""
        rosters = [key.roster_name for key in relation.keys]
        keys_follow = self._key_source(relation) != relation.name and len(set(rosters)) == len(rosters)
        has_domains = all(self._has_domain(relation.name, column) for column in relation.values)
        return bool(relation.values) and keys_follow and has_domains

    def _has_domain(self, relation: str, column: Column) -> bool:
        if isinstance(column, Ints):
            return column.over in self.world.public
        return isinstance(column, Int | Flag) or (relation, column.name) in self.unknowns.ranked

    def _key_source(self, relation: Relation) -> str | None:
        """The relation that determines which rows exist: the first with the same keys; None if the question says it."""
        if all(key.roster_name in self.world.public for key in relation.keys):
            return None
        return next(name for name, other in self._relations.items() if other.keys == relation.keys)

    def build_completion(self, facts: frozenset[Fact], calls: Iterable[Call]) -> Any | None:
        """An instance with all `facts`, and the middle of the ranges elsewhere; None if that is not an instance."""
        scopes = self._read_scopes(calls)
        unread = (relation for name, relation in self._relations.items() if name not in self.relations_to_read)
        invented = (Fact(relation.name, row) for relation in unread for row in self._invent_rows(relation, facts, scopes))
        try:
            instance = self.world.instance_from_facts(facts.union(invented))
        except InstanceError:
            return None
        return instance if next(self.ranges.violations(instance), None) is None else None

    def _read_scopes(self, calls: Iterable[Call]) -> ReadScopes:
        scopes: set[tuple[str, tuple[str, str] | None]] = set()
        for call in calls:
            tool, selection = self.world.family.tools[call.tool], self.world.selection(call)
            if isinstance(selection, Refusal):
                continue
            names = revealed_relations(self.world, call.tool)
            if selection is None:
                scopes.update((name, None) for name in names)
            else:
                scopes.update((name, (tool.argument.roster or "", entity)) for name in names for entity in selection)
        return frozenset(scopes)

    def _invent_rows(self, relation: Relation, facts: frozenset[Fact], scopes: ReadScopes) -> Iterator[Row]:
        """Rows for the keys that were not read; within `scopes` every row is known, so none is added."""
        width = len(relation.keys)
        read = {row[:width] for name, row in facts if name == relation.name}
        source = self._key_source(relation)
        keys: Iterable[Row] = (
            product(*(self.world.public[key.roster_name] for key in relation.keys))
            if source is None
            else sorted({row[:width] for name, row in facts if name == source})
        )
        for key in keys:
            entities = [None, *((column.roster_name, entity) for column, entity in zip(relation.keys, key, strict=True))]
            if key not in read and scopes.isdisjoint((relation.name, entity) for entity in entities):
                yield (*key, *(self._invent_value(relation.name, column, key, facts) for column in relation.values))

    def _invent_value(self, relation: str, column: Column, key: Row, facts: frozenset[Fact]) -> Any:
        reference = relation, column.name
        if isinstance(column, Flag):
            return True
        if isinstance(column, Id):
            return self._median_id(self.unknowns.ranked[reference], column.roster_name, facts)
        box = self.ranges.columns[reference]
        middle = (box.low + box.high) // 2
        if not isinstance(column, Ints):
            return middle
        entities = self.world.public[column.over or ""]
        return tuple(box.diagonal if box.diagonal is not None and entity in key else middle for entity in entities)

    def _median_id(self, ranking: str, roster: str, facts: frozenset[Fact]) -> str:
        """The middle id of `roster` in the order of the relation `ranking`."""
        relation = self._relations[ranking]
        position, width = [key.roster_name for key in relation.keys].index(roster), len(relation.keys)
        ranked = sorted((row[width:], row[position]) for name, row in facts if name == ranking)
        return str(ranked[len(ranked) // 2][1])


# -- the cheapest calls that reveal everything ------------------------------------------------------------------------------


def cheapest_cover(world: World) -> tuple[Call, ...]:
    """The cheapest calls that reveal everything: a plan, or steps of both plans that together reveal every relation."""
    wanted, choices = frozenset(hidden_relations(world)), list(world.plans.values())
    plans = [
        [
            (revealed_relations(world, step.tool) & wanted, expand_plan((step,), world.family.tools, world.public))
            for step in plan
        ]
        for plan in world.family.template.steps.values()
    ]
    # steps can be mixed if each relation is revealed by one step of a plan, and so in full
    once = all(sum(len(names) for names, _ in plan) == len(wanted) for plan in plans)
    if world.interface is not Interface.SPLIT and once:
        parts = [(names, cheapest_calls(world, names, calls)) for plan in plans for names, calls in plan if names]
        steps = [(names, calls) for calls, names in {calls: names for names, calls in parts}.items()]
        subsets = chain.from_iterable(combinations(steps, size) for size in range(1, len(steps) + 1))
        covers = [subset for subset in subsets if wanted.issubset(chain.from_iterable(names for names, _ in subset))]
        choices += [tuple(chain.from_iterable(calls for _, calls in cover)) for cover in covers]
    return min((calls for calls in choices if len(calls) <= world.call_cap), key=world.cost)


def cheapest_calls(world: World, relations: frozenset[str], calls: tuple[Call, ...]) -> tuple[Call, ...]:
    """The cheapest calls that reveal `relations` for all entities that `calls` select, in any mix of tools.

    A call selects consecutive entities of its roster, so the best cover of the first i entities follows a recurrence:
    f(i) = min(f(i - 1) if entity i is not wanted, f(a) + price of a call that selects a + 1 .. b with a < i <= b).
    """
    first = world.family.tools[calls[0].tool]
    if first.argument.roster is None:
        return calls
    position = {entity: index for index, entity in enumerate(world.public[first.argument.roster])}
    wanted = {position[entity] for call in calls for entity in _selected_entities(world, call)}
    spans = []
    for name, tool in world.family.tools.items():
        same_selection = (tool.argument.roster, tool.self_join) == (first.argument.roster, first.self_join)
        if same_selection and relations <= revealed_relations(world, name):
            options = (Call.from_arguments(name, arguments) for arguments in tool.argument.domain(world.public))
            spans += [([position[entity] for entity in _selected_entities(world, call)], call) for call in options]
    best: list[tuple[int, int, tuple[Call, ...]]] = [(0, 0, ())]  # f(i) as cost, number of calls, calls
    for index in range(len(position)):
        ways = [(*best[min(span)], call) for span, call in spans if min(span) <= index <= max(span)]
        bought = [(cost + world.prices[call.tool], count + 1, (*earlier, call)) for cost, count, earlier, call in ways]
        best.append(min(bought if index in wanted else [best[index], *bought]))
    return best[-1][2]


# -- playing --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Guess:
    """A completed world that gives the responses read so far, its optimal decision, and the worst regret of that."""

    world: World
    decision: Decision
    risk: Risk

    def is_within(self, share: float) -> bool:
        """Whether the worst regret is at most `share` of the completion's gap to the reference decision."""
        family, instance = self.world.family, self.world.instance
        decisions = (self.decision, family.reference(instance))
        own, reference = (family.check(instance, decision).value or 0 for decision in decisions)
        return self.risk.high is not None and self.risk.high <= share * abs(own - reference)

    def rate_calls(self, calls: Iterable[Call], read: frozenset[Fact]) -> dict[Call, float]:
        """What each call would reveal for its price, if the completion were the hidden world."""
        weights = {} if self.risk.witness is None else self._row_weights(self.risk.witness, read)
        facts = {call: self.world.facts([self.world.revealed_rows(call)]) for call in calls}
        return {call: sum(weights.get(fact, 0) for fact in facts[call]) / self.world.prices[call.tool] for call in facts}

    def weigh_numbers(self) -> dict[Spot, int]:
        """By number, how far a unit of it moves the decision against the rival that beats it by most; empty without a rival."""
        sensitivity, weights = ValueSensitivity(self.world.family, self.world.instance), dict[Spot, int]()
        for column in self.world.family.conditions.measured if self.risk.witness is not None else ():
            assert self.risk.witness is not None
            own, theirs = (sensitivity.column_effects(y, column) for y in (self.decision, self.risk.witness.rival))
            keys = len(self.world.instance.relations[column[0]].keys)
            for ref in own.keys() | theirs.keys():
                spot = Spot(*column, ref.row[:keys], ref.list_index)
                weights[spot] = abs(own.get(ref, 0) - theirs.get(ref, 0))
        return weights

    def _row_weights(self, witness: Witness, read: frozenset[Fact]) -> RowWeights:
        """By unread row, how far it can move the decision against the rival of `witness`; the largest weight is 1."""
        moves = {fact: move for fact, move in self._value_moves(witness.rival).items() if move and fact not in read}
        largest = max(moves.values(), default=1)
        ranked = {fact: 1 for fact in self._ranked_facts(witness.rival) if fact not in read}
        return {fact: move / largest for fact, move in moves.items()} | ranked

    def _value_moves(self, rival: Decision) -> RowWeights:
        """How far the numbers of each row can move the difference to `rival`; binding columns were read before."""
        sensitivity, moves = ValueSensitivity(self.world.family, self.world.instance), RowWeights()
        columns = {} if self.world.ranges is None else self.world.ranges.columns
        unknowns = self.world.family.knowledge.unknowns
        for column, box in columns.items():
            if unknowns is not None and column in unknowns.binding:
                continue
            own, theirs = (sensitivity.column_effects(decision, column) for decision in (self.decision, rival))
            for cell in own.keys() | theirs.keys():
                fact = Fact(cell.relation, cell.row)
                moves[fact] = moves.get(fact, 0) + abs(own.get(cell, 0) - theirs.get(cell, 0)) * box.width
        return moves

    def _ranked_facts(self, rival: Decision) -> set[Fact]:
        """Rows with ranked ids that only one of the two decisions depends on."""
        ids, unknowns = self.world.family.decision.ids, self.world.family.knowledge.unknowns
        different = ids(self.decision) ^ ids(rival)
        names = set() if unknowns is None else {name for name, _ in unknowns.ranked}
        facts = (Fact(name, row) for name in names for row in self.world.instance.rows(name))
        return {fact for fact in facts if not different.isdisjoint(fact.row)}


@dataclass(eq=False)
class RegretBoundedPlayer:
    """Plays one episode until its decision can lose at most `share` of the reference gap."""

    episode: Episode
    share: float

    def __post_init__(self) -> None:
        world = self.episode.world
        self._calls: list[Call] = []
        self._remaining = list(cheapest_cover(world) if world.law is None else dict.fromkeys(world.safe_plan))

    def play(self) -> None:
        """Buy calls until a guess is good enough or everything is read, and submit."""
        world, guess = self.episode.world, self._find_guess()
        if guess is None:
            decision = world.family.solve(world.instance_from_facts(self.episode.estimated_facts)).decision
        else:
            decision = guess.decision
        claim = Confidence.PROVEN if guess is None or guess.risk.high == 0 else Confidence.GUESS
        arguments = world.family.decision.arguments(decision) | {CLAIM_ARGUMENT: claim.value}
        self.episode.call(world.family.template.decision_tools.submit, arguments)

    def _find_guess(self) -> Guess | None:
        """The first guess that is good enough; None if everything was read before."""
        world = self.episode.world
        if world.ranges is None or world.family.knowledge.unknowns is None:
            self._buy(self._remaining)
            return None
        builder = CompletionBuilder(world, world.ranges, world.family.knowledge.unknowns)
        required = builder.relations_to_read
        law, measuring = world.law, world.family.measuring_tools
        if law is not None and law.condition.changes_once:
            self._buy([call for call in self._remaining if call.tool not in measuring])
        self._buy([call for call in self._remaining if not required.isdisjoint(revealed_relations(world, call.tool))])
        while self._remaining or self._inexact_calls():
            guess = self._guess(builder)
            if guess is None:
                self._buy((self._remaining or self._inexact_calls())[:1])
                continue
            if guess.is_within(self.share):
                return guess
            if self._remaining:
                ratings = guess.rate_calls(self._remaining, self.episode.estimated_facts)
            else:
                ratings = self._rate_looks(guess)
            self._buy([max(ratings, key=ratings.__getitem__)])
        return None

    def _inexact_calls(self) -> list[Call]:
        """The calls whose last answer showed numbers with errors."""
        law = self.episode.world.law
        last = {look.call: look.phase for look in self.episode.looks}
        return [] if law is None else [call for call, phase in last.items() if law.widths[phase]]

    def _rate_looks(self, guess: Guess) -> dict[Call, float]:
        """How much a further look at each call narrows the lead of the decision over its rival, for its price."""
        world, boxes = self.episode.world, self.episode.boxes
        law, last = world.law, {look.call: look.phase for look in self.episode.looks}
        assert law is not None
        weights, shown = guess.weigh_numbers(), {look.call: reading for look, reading in self.episode.readings}
        ratings: dict[Call, float] = {}
        for call in self._inexact_calls():
            next_width, gain = law.widths[last[call] + 1], 0
            for spot in shown[call]:
                shrink = max(boxes[spot].width - 2 * next_width, 0) if spot in boxes else 0
                gain += shrink * (weights.get(spot, 0) if weights else 1)
            ratings[call] = gain / world.prices[call.tool]
        return ratings

    def _buy(self, calls: list[Call]) -> None:
        for call in list(calls):
            self.episode.call(*call)
            self._calls.append(call)
            if call in self._remaining:
                self._remaining.remove(call)

    def _guess(self, builder: CompletionBuilder) -> Guess | None:
        """The optimum of a completion and its worst regret; None if no feasible completion can be built."""
        hidden = self.episode.world
        instance = builder.build_completion(self.episode.estimated_facts, self._calls)
        decision = None if instance is None else hidden.family.solve(instance).decision
        if decision is None:
            return None
        world = World(replace(hidden.coordinate, seed="imagined", pepper="", split=""), instance, hidden.interface)
        boxes = None if hidden.law is None else self.episode.boxes
        risk = Oracle.from_world(world, decision, boxes=boxes).worst_regret(decision, ObservedCalls(tuple(self._calls)))
        return Guess(world, decision, risk)


def certifier_agent(episode: Episode, stream: Stream) -> None:
    """Buys calls until its decision is proven optimal."""
    RegretBoundedPlayer(episode, 0).play()


def thrifty_agent(episode: Episode, stream: Stream) -> None:
    """Buys calls until its decision can lose at most 5 % of the completion's reference gap."""
    RegretBoundedPlayer(episode, THRIFTY_REGRET_SHARE).play()
