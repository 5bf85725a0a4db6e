"""The generic attackers: each a patient person's method, over a family's hand and a counted budget of evaluations."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial as with_
from itertools import count
from math import exp
from typing import Any

from algoworlds.families.hand import Hand
from algoworlds.families.residues import Choices
from algoworlds.suites.attack.game import Game

WIDTHS = (1, 3, 10, 30, 100, 300)
_FINE = 1 << 30


@dataclass(frozen=True)
class Attacker:
    """A way to look for good decisions: its name, what it does, and the attack itself."""

    name: str
    meaning: str
    attack: Callable[[Game], None]


# -- from decision to decision ----------------------------------------------------------------------------------------


def restarts(game: Game) -> None:
    """First-improvement descents, the first from the reference decision and the others from random ones."""
    start = game.family.reference(game.instance)
    while True:
        descend(game, start)
        start = game.start()


def descend(game: Game, y: Any) -> Any:
    """Move to a better neighbour, looked for in random order, until there is none."""
    loss = game.loss(y)
    assert loss is not None
    here = None
    while here is not y:
        here = y
        for near in game.stream.shuffled(list(game.hand.neighbours(here))):
            found = game.loss(near)
            if found is not None and found < loss:
                y, loss = near, found
                break
    return y


def annealing(game: Game) -> None:
    """Random moves, worse ones taken ever more rarely: the temperature falls from a typical change to a hundredth of it."""
    for length in (game.budget // 20, game.budget // 4, game.budget):
        y = game.start()
        loss = game.loss(y)
        assert loss is not None
        warm = _typical_change(game, y, loss)
        for step in range(length):
            near = game.hand.neighbour(y, game.stream)
            found = game.loss(near)
            heat = warm * 0.01 ** (step / length)
            if found is not None and (found <= loss or game.stream.below(_FINE) < _FINE * exp((loss - found) / heat)):
                y, loss = near, found


def _typical_change(game: Game, y: Any, loss: int) -> float:
    """The mean change that ten random moves make."""
    found = [game.loss(game.hand.neighbour(y, game.stream)) for _ in range(10)]
    changes = [abs(each - loss) for each in found if each is not None]
    return max(1.0, sum(changes) / max(1, len(changes)))


def units(game: Game) -> None:
    """The family's visible units one after the other, then descents from the best of them."""
    tried = [(loss, number, y) for number, y in enumerate(game.hand.units()) if (loss := game.loss(y)) is not None]
    for _, _, y in sorted(tried, key=lambda each: each[:2]):
        descend(game, y)


# -- choice by choice -------------------------------------------------------------------------------------------------


def random_greedy(game: Game) -> None:
    """Decisions made choice by choice, each choice one of the best few at random; the first without chance."""
    for number in count():
        _built(game, {}, 1 + number % 5)


def ruin_and_recreate(game: Game) -> None:
    """Drop a random part of the best decision so far and make it anew, with a little chance."""
    best, loss = _built(game, {}, 1)
    while True:
        share = game.stream.integer(10, 50)
        kept = {at: choice for at, choice in enumerate(best) if game.stream.below(100) >= share}
        made, found = _built(game, kept, game.stream.integer(1, 3))
        if found is not None and (loss is None or found <= loss):
            best, loss = made, found


def _built(game: Game, kept: dict[int, str], breadth: int) -> tuple[Choices, int | None]:
    """A decision made choice by choice: kept choices where they fit, else one of the `breadth` best; with its loss."""
    partial: Choices = ()
    while ways := list(game.extended(partial)):
        wanted = kept.values() if game.hand.anywhere else [kept.get(len(partial))]
        again = [way for way, _ in ways if way[-1] in wanted]
        partial = again[0] if again else _one_of_the_best(game, ways, breadth)
    y = game.hand.decision(partial)
    return partial, None if y is None else game.loss(y)


def _one_of_the_best(game: Game, ways: Collection[tuple[Choices, int]], breadth: int) -> Choices:
    ranked = sorted(ways, key=lambda way: way[1] + game.hand.rest(way[0]))
    return game.stream.choice(ranked[:breadth])[0]


def beam(width: int, ahead: bool, game: Game, hand: Hand[Any] | None = None) -> None:
    """The `width` best partial decisions are extended together, ranked with what the rest could add if `ahead`."""
    hand = hand or game.hand
    level: list[tuple[int, int, Choices]] = [(0, 0, ())]
    while level:
        grown = []
        for _, loss, partial in level:
            ways = list(game.extended(partial, hand))
            if not ways and (y := hand.decision(partial)) is not None:
                game.loss(y)
            grown += [(loss + added + (hand.rest(way) if ahead else 0), loss + added, way) for way, added in ways]
        level = sorted(grown)[:width]


def beams_in_units(game: Game) -> None:
    """A small beam with lookahead in every visible unit, such as a set of open vehicles."""
    for part in game.hand.parts():
        beam(10, True, game, part)


ATTACKERS = (
    Attacker("restarts", "descents from the reference and from random decisions", restarts),
    Attacker("annealing", "random moves, worse ones ever more rarely", annealing),
    Attacker("random greedy", "decisions made choice by choice, each among the best few at random", random_greedy),
    Attacker("ruin and recreate", "parts of the best decision dropped and made anew", ruin_and_recreate),
    Attacker("visible units", "the units that the family's tables show, as wholes, then descents", units),
    Attacker("beams in units", "a beam of 10 with lookahead in every visible unit", beams_in_units),
    *(Attacker(f"beam {width}", f"the {width} best partial decisions together", with_(beam, width, False)) for width in WIDTHS),
    *(
        Attacker(f"beam {width} ahead", "the same, ranked with the least that the rest could add", with_(beam, width, True))
        for width in WIDTHS
    ),
)
