"""One instance under all attackers: when each found the optimum, how good it was before, and which guessed columns sufficed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from itertools import chain
from typing import Any

from algoworlds.core.canonical import canonical_text
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.families.family import Family
from algoworlds.families.hand import Hand
from algoworlds.hardness.giveaway import Giveaway
from algoworlds.hardness.impute import imputed, nearby
from algoworlds.suites.attack.attackers import ATTACKERS, Attacker
from algoworlds.suites.attack.game import Game, unattackable
from algoworlds.suites.attack.ledger import Document
from algoworlds.worlds.admit import Admitted, Coordinate, admit

HAND_BUDGET = 2_000
"""Evaluations that a patient person, or a model that thinks for long without code, could make."""
BUDGETS = (10, 30, 100, 300, 1_000, 3_000, 10_000)
DEEPER = (30_000, 100_000, 300_000, 1_000_000)
SEED = "attack panel"
"""The instances of the panel are fresh: no suite has them."""


@dataclass(frozen=True)
class Assault:
    """One attacker on one instance: when it found the optimum, and its reference utility at every budget."""

    found_at: int | None
    utility: dict[int, float]


@dataclass(frozen=True)
class Siege:
    """One instance under all attackers, and which imputed columns still gave its optimum away."""

    coordinate: Coordinate
    attempt: int
    work: int
    reference_gap: float
    """The reference decision's distance from the optimum, in percent of the optimum."""
    descent: bool
    """Whether one descent from the reference decision ends in the optimum."""
    assaults: dict[str, Assault]
    imputations: dict[str, bool]

    @classmethod
    def read(cls, document: Document) -> "Siege":
        """A siege from its document."""
        assaults = {
            name: Assault(each["found_at"], {int(budget): value for budget, value in each["utility"].items()})
            for name, each in document["assaults"].items()
        }
        return cls(**document | {"coordinate": Coordinate(**document["coordinate"]), "assaults": assaults})


@dataclass(frozen=True)
class Target:
    """A siege to be laid: a coordinate and the budgets to report, of which the last is the most that is spent."""

    coordinate: Coordinate
    budgets: tuple[int, ...]

    @property
    def key(self) -> str:
        """All that a siege depends on; other attackers, other records or another version make another siege."""
        names = [*(each.name for each in ATTACKERS), *(each.name for each in fields(Siege))]
        return canonical_text([version("algoworlds"), asdict(self.coordinate), list(self.budgets), names])


def budgets_up_to(most: int) -> tuple[int, ...]:
    """The budgets that are reported up to the most that is spent, the hand budget among them."""
    return tuple(sorted({each for each in (*BUDGETS, *DEEPER, HAND_BUDGET) if each < most} | {most}))


def lay(target: Target) -> Document:
    """Attack the instance of a coordinate in every way."""
    admitted = admit(target.coordinate)
    family, instance, solution = admitted.family, admitted.instance, admitted.solution
    hardness = family.hardness
    if hardness.hand is None or hardness.descend is None:
        raise InputError(unattackable(family))
    hand = hardness.hand(instance)
    siege = Siege(
        coordinate=target.coordinate,
        attempt=admitted.attempt,
        work=solution.work.total,
        reference_gap=round(100 * admitted.reference_gap / max(1, abs(admitted.optimum)), 3),
        descent=hardness.descend(instance, admitted.reference) == solution.decision,
        assaults={each.name: assault(admitted, each, target.budgets, hand) for each in ATTACKERS},
        imputations=imputations(admitted),
    )
    return asdict(siege)


def assault(admitted: Admitted, attacker: Attacker, budgets: Sequence[int], hand: Hand[Any] | None = None) -> Assault:
    """One attacker on an admitted instance, with its utility at every budget."""
    game = attacked(admitted.family, admitted.instance, admitted.optimum, attacker, budgets[-1], hand)
    return Assault(game.found_at, {each: utility(admitted, game.value_at(each)) for each in budgets})


def attacked(
    family: Family[Any, Any], instance: Any, optimum: int, attacker: Attacker, budget: int, hand: Hand[Any] | None
) -> Game:
    """One attacker on an instance with a known optimum; its chances come from the instance alone."""
    stream = Stream("attack", attacker.name, instance.digest)
    return Game(family, instance, optimum, budget, stream, hand).play(attacker.attack)


def utility(admitted: Admitted, value: int | None) -> float:
    """Reference utility of a value: 100 at the optimum, 0 at the reference decision's and beyond."""
    if value is None:
        return 0.0
    return round(max(0.0, 100.0 * (1 - abs(value - admitted.optimum) / admitted.reference_gap)), 3)


def imputations(admitted: Admitted) -> dict[str, bool]:
    """Whether the exact solver finds the optimum with one column replaced by typical values, by what was replaced how."""
    family, level = admitted.family, admitted.coordinate.level
    giveaway = Giveaway(family, admitted.solution.decision)
    guessed = chain(imputed(family, level, admitted.instance), nearby(family, level, admitted.instance))
    return {name: giveaway.given_by(altered) for name, altered in guessed if altered.valid}
