"""Attackers: searches that a patient person could do by hand, over a search space and with a budget of evaluations."""

from collections.abc import Callable, Iterator
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
    """An attack on one instance, with a budget of evaluations: of whole decisions, or of one extension of a partial one."""

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
        build = self.family.hardness.search_space
        if build is None:
            raise InputError(unattackable(self.family))
        self.space: SearchSpace[Any] = build(self.instance) if self.prepared_space is None else self.prepared_space
        self._sign = 1 if self.family.sense is Sense.MIN else -1
        self._evaluate = self.space.loss if isinstance(self.space, PricedSearchSpace) else self._loss_by_checker

    @property
    def found_at(self) -> int | None:
        """The evaluations after which the optimum was found; None if it was not."""
        return self.improvements[-1][0] if self.improvements and self.improvements[-1][1] == self.optimum else None

    def value_at(self, evaluations: int) -> int | None:
        """The value of the best decision found within the first `evaluations`."""
        return next((value for at, value in reversed(self.improvements) if at <= evaluations), None)

    def random_start(self) -> Any:
        """A feasible decision at random."""
        start, sample = self.space.random_start(self.stream), self.family.hardness.sample
        assert sample is not None  # `Hardness` requires it beside a search space
        return sample(self.instance, self.stream) if start is None else start

    def loss(self, y: Any) -> int | None:
        """The loss of a decision, None if it is infeasible; AttackEnded if it is optimal or the budget is spent."""
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

    def extensions(self, partial: Choices, space: SearchSpace[Any] | None = None) -> Iterator[tuple[Choices, int]]:
        """The extensions of a partial decision with the losses that they add; each counts as an evaluation."""
        extensions = (space or self.space).extensions(partial)
        self.spend(len(extensions))
        return (((*partial, choice), loss) for choice, loss in extensions)

    def spend(self, count: int) -> None:
        """Count evaluations; AttackEnded if the budget does not suffice."""
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
_CHANCES = 1 << 30
"""A probability is drawn as a whole number below this."""


@dataclass(frozen=True)
class Attacker:
    """A search for good decisions: its name, what it does, and the function that runs it."""

    name: str
    meaning: str
    attack: Callable[[Attack], None]


# -- from decision to decision ----------------------------------------------------------------------------------------


def restarts(attack: Attack) -> None:
    """First-improvement descents, first from the reference decision, then from random ones."""
    start = attack.family.reference(attack.instance)
    while True:
        first_improvement_descent(attack, start)
        start = attack.random_start()


def first_improvement_descent(attack: Attack, y: Any) -> Any:
    """Move to the first better neighbour in random order until none is better."""
    loss = attack.loss(y)
    assert loss is not None
    here = None
    while here is not y:
        here = y
        for neighbour in attack.stream.shuffled(list(attack.space.neighbours(here))):
            new_loss = attack.loss(neighbour)
            if new_loss is not None and new_loss < loss:
                y, loss = neighbour, new_loss
                break
    return y


def annealing(attack: Attack) -> None:
    """Simulated annealing; the temperature falls from a typical change to a hundredth of it."""
    for length in (attack.budget // 20, attack.budget // 4, attack.budget):
        y = attack.random_start()
        loss = attack.loss(y)
        assert loss is not None
        samples = [attack.loss(attack.space.random_neighbour(y, attack.stream)) for _ in range(10)]
        changes = [abs(value - loss) for value in samples if value is not None]
        start = max(1.0, sum(changes) / max(1, len(changes)))
        for step in range(length):
            neighbour = attack.space.random_neighbour(y, attack.stream)
            new = attack.loss(neighbour)
            heat = start * 0.01 ** (step / length)
            if new is not None and (new <= loss or attack.stream.below(_CHANCES) < _CHANCES * exp((loss - new) / heat)):
                y, loss = neighbour, new


def units(attack: Attack) -> None:
    """The visible units one after the other, then descents from the best of them."""
    tried = [(loss, number, y) for number, y in enumerate(attack.space.visible_units()) if (loss := attack.loss(y)) is not None]
    for _, _, y in sorted(tried, key=lambda entry: entry[:2]):
        first_improvement_descent(attack, y)


# -- choice by choice -------------------------------------------------------------------------------------------------


def random_greedy(attack: Attack) -> None:
    """Randomised greedy constructions: every choice is one of the best few at random; the first takes the best ones."""
    for number in count():
        _build_decision(attack, {}, 1 + number % 5)


def ruin_and_recreate(attack: Attack) -> None:
    """Large neighbourhood search: drop a random part of the best decision so far and build it again, slightly randomised."""
    best, loss = _build_decision(attack, {}, 1)
    while True:
        share = attack.stream.integer(10, 50)
        kept = {at: choice for at, choice in enumerate(best) if attack.stream.below(100) >= share}
        choices, new_loss = _build_decision(attack, kept, attack.stream.integer(1, 3))
        if new_loss is not None and (loss is None or new_loss <= loss):
            best, loss = choices, new_loss


def _build_decision(attack: Attack, kept: dict[int, str], breadth: int) -> tuple[Choices, int | None]:
    """Build a decision choice by choice: a kept one where it fits, else one of the `breadth` best. Return it with its loss."""
    partial: Choices = ()
    while ways := list(attack.extensions(partial)):
        wanted = kept.values() if attack.space.position_free else [kept.get(len(partial))]
        fitting = [way for way, _ in ways if way[-1] in wanted]
        if fitting:
            partial = fitting[0]
        else:
            ranked = sorted(ways, key=lambda way: way[1] + attack.space.remaining_lower_bound(way[0]))
            partial = attack.stream.choice(ranked[:breadth])[0]
    y = attack.space.to_decision(partial)
    return partial, None if y is None else attack.loss(y)


def beam_search(width: int, ahead: bool, attack: Attack, space: SearchSpace[Any] | None = None) -> None:
    """Extend the `width` best partial decisions together; `ahead` ranks them with a lower bound on the rest."""
    space = space or attack.space
    level: list[tuple[int, int, Choices]] = [(0, 0, ())]
    while level:
        grown = []
        for _, loss, partial in level:
            ways = list(attack.extensions(partial, space))
            if not ways and (y := space.to_decision(partial)) is not None:
                attack.loss(y)
            grown += [
                (loss + added + (space.remaining_lower_bound(way) if ahead else 0), loss + added, way) for way, added in ways
            ]
        level = sorted(grown)[:width]


def beams_in_units(attack: Attack) -> None:
    """A small beam with lookahead in every visible unit, such as a set of open vehicles."""
    for part in attack.space.subspaces():
        beam_search(10, True, attack, part)


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
