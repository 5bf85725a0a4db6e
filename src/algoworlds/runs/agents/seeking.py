"""Agents that know what they know: they buy calls until the optimum is proven, or until little can be lost.

They know what the question says and what they have read, and nothing else. They make up the rest (`imagining`), solve what
they have made up, and ask the oracle what the decision may lose in any instance that fits: it answers alike for the hidden
instance and for any other that gives the same responses, so that it can be asked about the made-up one. Then they buy what
tells most, for its price, between the decision and the rival that beats it by most.

They buy from the cheapest calls that tell everything, whose price and number no world's budget and cap are below: whatever
they buy first, they can afford to read all the rest.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from algoworlds.core.decision import CLAIM, Assurance, Decision
from algoworlds.core.relation import Fact
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.knowledge.sufficiency.observed import Observed
from algoworlds.knowledge.sufficiency.oracle import Oracle, Risk
from algoworlds.knowledge.sufficiency.trial import Witness
from algoworlds.knowledge.sufficiency.uses import Uses
from algoworlds.runs.agents.covering import cover, told
from algoworlds.runs.agents.imagining import Imagination
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World

SPARED = 0.05
"""The share of the reference gap that the thrifty agent risks."""

Weights = dict[Fact, float]
"""How much it matters to know a row."""


@dataclass(frozen=True, eq=False)
class Guess:
    """A made-up world that answers as the hidden one has, its optimum, and what that may lose."""

    world: World
    decision: Decision
    risk: Risk

    def within(self, share: float) -> bool:
        """Whether it may lose no more than a share of the gap to the reference decision, both in the made-up instance."""
        family, instance = self.world.family, self.world.instance
        own, reference = (family.check(instance, each).value or 0 for each in (self.decision, family.reference(instance)))
        return self.risk.high is not None and self.risk.high <= share * abs(own - reference)

    def rated(self, calls: Iterable[Call], read: frozenset[Fact]) -> dict[Call, float]:
        """What calls would tell for their price if the made-up world were the hidden one."""
        weights = {} if self.risk.witness is None else self._weights(self.risk.witness, read)
        facts = {call: self.world.facts([self.world.revealed(call)]) for call in calls}
        return {call: sum(weights.get(fact, 0) for fact in facts[call]) / self.world.prices[call.tool] for call in facts}

    def _weights(self, witness: Witness, read: frozenset[Fact]) -> Weights:
        """How much each unread row matters between the decision and a rival: as much as it can move, the most being 1."""
        numbers = {fact: weight for fact, weight in self._numbers(witness.rival).items() if weight and fact not in read}
        most = max(numbers.values(), default=1)
        return {fact: weight / most for fact, weight in numbers.items()} | {
            fact: 1 for fact in self._ranked(witness.rival) if fact not in read
        }

    def _numbers(self, rival: Decision) -> Weights:
        """How far the numbers of a row can move the difference between the decision and a rival; those that bind were read."""
        uses, weights = Uses(self.world.family, self.world.instance), Weights()
        columns = {} if self.world.ranges is None else self.world.ranges.columns
        unknowns = self.world.family.knowledge.unknowns
        for place, box in columns.items():
            if unknowns is not None and place in unknowns.binding:
                continue
            own, theirs = uses.of(self.decision, place), uses.of(rival, place)
            for spot in own.keys() | theirs.keys():
                fact = Fact(spot.relation, spot.row)
                weights[fact] = weights.get(fact, 0) + abs(own.get(spot, 0) - theirs.get(spot, 0)) * box.width
        return weights

    def _ranked(self, rival: Decision) -> set[Fact]:
        """Rows whose ids count and that only one of the two rests on."""
        ids, unknowns = self.world.family.decision.ids, self.world.family.knowledge.unknowns
        apart = ids(self.decision) ^ ids(rival)
        names = set() if unknowns is None else {name for name, _ in unknowns.ranked}
        listed = (Fact(name, row) for name in names for row in self.world.instance.rows(name))
        return {fact for fact in listed if not apart.isdisjoint(fact.row)}


@dataclass(eq=False)
class Seeker:
    """One episode of an agent that stops as soon as its decision may lose no more than a share of the reference gap."""

    episode: Episode
    share: float

    def __post_init__(self) -> None:
        self._made: list[Call] = []
        self._left = list(cover(self.episode.world))

    def play(self) -> None:
        """Buy until a guess is good enough or everything is known, and submit."""
        world = self.episode.world
        guess = self._sought()
        decision = world.family.solve(world.rebuild(self.episode.facts)).decision if guess is None else guess.decision
        said = Assurance.PROVEN if guess is None or guess.risk.high == 0 else Assurance.GUESS
        arguments = world.family.decision.arguments(decision) | {CLAIM: said.value}
        self.episode.call(world.family.template.closing.submit, arguments)

    def _sought(self) -> Guess | None:
        """The first guess that is good enough; None if everything has been read before there was one."""
        world = self.episode.world
        if world.ranges is None or world.family.knowledge.unknowns is None:
            self._buy(self._left)
            return None
        mind = Imagination(world, world.ranges, world.family.knowledge.unknowns)
        self._buy([call for call in self._left if not mind.unimaginable.isdisjoint(told(world, call.tool))])
        while self._left:
            guess = self._guess(mind)
            if guess is not None and guess.within(self.share):
                return guess
            rated = dict.fromkeys(self._left, 0.0) if guess is None else guess.rated(self._left, self.episode.facts)
            self._buy([max(rated, key=rated.__getitem__)])
        return None

    def _buy(self, calls: list[Call]) -> None:
        for call in list(calls):
            self.episode.call(*call)
            self._made.append(call)
            self._left.remove(call)

    def _guess(self, mind: Imagination) -> Guess | None:
        """The optimum of what can be imagined, and what it may lose; None if nothing feasible can be."""
        hidden = self.episode.world
        instance = mind.imagined(self.episode.facts, self._made)
        decision = None if instance is None else hidden.family.solve(instance).decision
        if decision is None:
            return None
        place = replace(hidden.coordinate, seed="imagined", pepper="", split="")
        world = World(place, instance, hidden.interface)
        return Guess(world, decision, Oracle.of(world, decision).worst_regret(decision, Observed(tuple(self._made))))


def certifier(episode: Episode, stream: Stream) -> None:
    """Buys calls until its decision is proven optimal."""
    Seeker(episode, 0).play()


def thrifty(episode: Episode, stream: Stream) -> None:
    """Buys calls until its decision can lose a twentieth of the reference gap at most, as that is in what it has made up."""
    Seeker(episode, SPARED).play()
