"""The generic attackers: each a patient person's method, over a family's hand and a counted budget of evaluations."""

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial as with_
from itertools import count
from math import exp
from typing import Any

from algoworlds.core.stream import Stream
from algoworlds.core.work import Sense
from algoworlds.errors import InputError
from algoworlds.families.family import AnyFamily
from algoworlds.families.residues import Choices
from algoworlds.families.search_space import PricedSearchSpace, SearchSpace


def unattackable(family: AnyFamily) -> str:
    """What `family` leaves undeclared that an attack needs; empty if it can be attacked."""
    return family.lacking("hardness", "search_space", "sample", "descend", purpose="attack it")


class AttackEnded(Exception):
    """The attack has ended: it found the optimum, or its budget is spent."""


@dataclass
class Attack:
    """An instance under attack, with a budget of evaluations: of whole decisions, or of one step of a partial one."""

    family: AnyFamily
    instance: Any
    optimum: int
    budget: int
    stream: Stream
    prepared_space: SearchSpace[Any] | None = None
    """The search space of the instance if it was built already, since building can take as long as an attack."""
    evaluations: int = 0
    improvements: list[tuple[int, int]] = field(default_factory=list)
    """(evaluations, value) whenever a better decision than all before was found."""

    def __post_init__(self) -> None:
        hand = self.family.hardness.search_space
        if hand is None:
            raise InputError(unattackable(self.family))
        self.space: SearchSpace[Any] = hand(self.instance) if self.prepared_space is None else self.prepared_space
        self._sign = 1 if self.family.sense is Sense.MIN else -1
        self._evaluate = self.space.loss if isinstance(self.space, PricedSearchSpace) else self._loss_by_checker

    @property
    def found_at(self) -> int | None:
        """The evaluations after which the optimum was found; None if it was not."""
        return self.improvements[-1][0] if self.improvements and self.improvements[-1][1] == self.optimum else None

    def value_at(self, evaluations: int) -> int | None:
        """The value of the best decision found within so many evaluations."""
        return next((value for at, value in reversed(self.improvements) if at <= evaluations), None)

    def random_start(self) -> Any:
        """A feasible decision at random."""
        start, sample = self.space.random_start(self.stream), self.family.hardness.sample
        assert sample is not None  # no hand is declared without it
        return sample(self.instance, self.stream) if start is None else start

    def loss(self, y: Any) -> int | None:
        """Evaluate a decision; None if it is infeasible. Over when it is optimal or the budget is spent."""
        self.spend(1)
        loss = self._evaluate(y)
        if loss is not None and (not self.improvements or loss < self._sign * self.improvements[-1][1]):
            self.improvements.append((self.evaluations, self._sign * loss))
            if self._sign * loss == self.optimum:
                raise AttackEnded
        return loss

    def _loss_by_checker(self, y: Any) -> int | None:
        value = self.family.check(self.instance, y).value
        return None if value is None else self._sign * value

    def extensions(self, partial: Choices, hand: SearchSpace[Any] | None = None) -> Iterator[tuple[Choices, int]]:
        """The extensions of a partial decision in a hand with the losses they add, each counted as an evaluation."""
        extensions = (hand or self.space).extensions(partial)
        self.spend(len(extensions))
        return (((*partial, choice), loss) for choice, loss in extensions)

    def spend(self, count: int) -> None:
        """Count evaluations; Over when there are no more."""
        if self.evaluations + count > self.budget:
            self.evaluations = self.budget
            raise AttackEnded
        self.evaluations += count

    def run(self, attack: Callable[["Attack"], None]) -> "Attack":
        """Let an attack run to its end."""
        with suppress(AttackEnded):
            attack(self)
        return self


BEAM_WIDTHS = (1, 3, 10, 30, 100, 300)
_FINE = 1 << 30


@dataclass(frozen=True)
class Attacker:
    """A way to look for good decisions: its name, what it does, and the attack itself."""

    name: str
    meaning: str
    attack: Callable[[Attack], None]


# -- from decision to decision ----------------------------------------------------------------------------------------


def restarts(game: Attack) -> None:
    """First-improvement descents, the first from the reference decision and the others from random ones."""
    start = game.family.reference(game.instance)
    while True:
        first_improvement_descent(game, start)
        start = game.random_start()


def first_improvement_descent(game: Attack, y: Any) -> Any:
    """Move to a better neighbour, looked for in random order, until there is none."""
    loss = game.loss(y)
    assert loss is not None
    here = None
    while here is not y:
        here = y
        for near in game.stream.shuffled(list(game.space.neighbours(here))):
            found = game.loss(near)
            if found is not None and found < loss:
                y, loss = near, found
                break
    return y


def annealing(game: Attack) -> None:
    """Random moves, worse ones taken ever more rarely: the temperature falls from a typical change to a hundredth of it."""
    for length in (game.budget // 20, game.budget // 4, game.budget):
        y = game.random_start()
        loss = game.loss(y)
        assert loss is not None
        warm = _typical_change(game, y, loss)
        for step in range(length):
            near = game.space.random_neighbour(y, game.stream)
            found = game.loss(near)
            heat = warm * 0.01 ** (step / length)
            if found is not None and (found <= loss or game.stream.below(_FINE) < _FINE * exp((loss - found) / heat)):
                y, loss = near, found


def _typical_change(game: Attack, y: Any, loss: int) -> float:
    """The mean change that ten random moves make."""
    found = [game.loss(game.space.random_neighbour(y, game.stream)) for _ in range(10)]
    changes = [abs(value - loss) for value in found if value is not None]
    return max(1.0, sum(changes) / max(1, len(changes)))


def units(game: Attack) -> None:
    """The family's visible units one after the other, then descents from the best of them."""
    tried = [(loss, number, y) for number, y in enumerate(game.space.visible_units()) if (loss := game.loss(y)) is not None]
    for _, _, y in sorted(tried, key=lambda entry: entry[:2]):
        first_improvement_descent(game, y)


# -- choice by choice -------------------------------------------------------------------------------------------------


def random_greedy(game: Attack) -> None:
    """Decisions made choice by choice, each choice one of the best few at random; the first without chance."""
    for number in count():
        _build_decision(game, {}, 1 + number % 5)


def ruin_and_recreate(game: Attack) -> None:
    """Drop a random part of the best decision so far and make it anew, with a little chance."""
    best, loss = _build_decision(game, {}, 1)
    while True:
        share = game.stream.integer(10, 50)
        kept = {at: choice for at, choice in enumerate(best) if game.stream.below(100) >= share}
        made, found = _build_decision(game, kept, game.stream.integer(1, 3))
        if found is not None and (loss is None or found <= loss):
            best, loss = made, found


def _build_decision(game: Attack, kept: dict[int, str], breadth: int) -> tuple[Choices, int | None]:
    """A decision made choice by choice: kept choices where they fit, else one of the `breadth` best; with its loss."""
    partial: Choices = ()
    while ways := list(game.extensions(partial)):
        wanted = kept.values() if game.space.position_free else [kept.get(len(partial))]
        again = [way for way, _ in ways if way[-1] in wanted]
        partial = again[0] if again else _one_of_the_best(game, ways, breadth)
    y = game.space.to_decision(partial)
    return partial, None if y is None else game.loss(y)


def _one_of_the_best(game: Attack, ways: Collection[tuple[Choices, int]], breadth: int) -> Choices:
    ranked = sorted(ways, key=lambda way: way[1] + game.space.remaining_lower_bound(way[0]))
    return game.stream.choice(ranked[:breadth])[0]


def beam_search(width: int, ahead: bool, game: Attack, hand: SearchSpace[Any] | None = None) -> None:
    """The `width` best partial decisions are extended together, ranked with what the rest could add if `ahead`."""
    hand = hand or game.space
    level: list[tuple[int, int, Choices]] = [(0, 0, ())]
    while level:
        grown = []
        for _, loss, partial in level:
            ways = list(game.extensions(partial, hand))
            if not ways and (y := hand.to_decision(partial)) is not None:
                game.loss(y)
            grown += [
                (loss + added + (hand.remaining_lower_bound(way) if ahead else 0), loss + added, way) for way, added in ways
            ]
        level = sorted(grown)[:width]


def beams_in_units(game: Attack) -> None:
    """A small beam with lookahead in every visible unit, such as a set of open vehicles."""
    for part in game.space.subspaces():
        beam_search(10, True, game, part)


ATTACKERS = (
    Attacker("restarts", "descents from the reference and from random decisions", restarts),
    Attacker("annealing", "random moves, worse ones ever more rarely", annealing),
    Attacker("random greedy", "decisions made choice by choice, each among the best few at random", random_greedy),
    Attacker("ruin and recreate", "parts of the best decision dropped and made anew", ruin_and_recreate),
    Attacker("visible units", "the units that the family's tables show, as wholes, then descents", units),
    Attacker("beams in units", "a beam of 10 with lookahead in every visible unit", beams_in_units),
    *(
        Attacker(f"beam {width}", f"the {width} best partial decisions together", with_(beam_search, width, False))
        for width in BEAM_WIDTHS
    ),
    *(
        Attacker(
            f"beam {width} ahead", "the same, ranked with the least that the rest could add", with_(beam_search, width, True)
        )
        for width in BEAM_WIDTHS
    ),
)
