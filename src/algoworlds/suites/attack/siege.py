"""The panel on many instances: who was exact after how many evaluations, how good the best was before, who guessed a column."""

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from algoworlds.batch import results
from algoworlds.core.canonical import canonical_text
from algoworlds.core.stream import Stream
from algoworlds.families.impute import imputed
from algoworlds.suites.attack.attackers import ATTACKERS, Attacker
from algoworlds.suites.attack.game import Game
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
    assaults: dict[str, Assault]
    imputations: dict[str, bool]


@dataclass(frozen=True)
class Target:
    """A siege to be laid: a coordinate and the budgets to report, of which the last is the most that is spent."""

    coordinate: Coordinate
    budgets: tuple[int, ...]


def lay(order: Target) -> Siege:
    """Attack the instance of a coordinate in every way."""
    admitted = admit(order.coordinate)
    assaults = {each.name: assault(admitted, each, order.budgets) for each in ATTACKERS}
    return Siege(order.coordinate, admitted.attempt, assaults, imputations(admitted))


def assault(admitted: Admitted, attacker: Attacker, budgets: Sequence[int]) -> Assault:
    """One attacker on an admitted instance; its chances come from the instance alone."""
    family, instance = admitted.family, admitted.instance
    stream = Stream("attack", attacker.name, instance.digest)
    game = Game(family, instance, admitted.optimum, budgets[-1], stream).play(attacker.attack)
    return Assault(game.found_at, {each: _utility(admitted, game.value_at(each)) for each in budgets})


def _utility(admitted: Admitted, value: int | None) -> float:
    """Reference utility of a value: 100 at the optimum, 0 at the reference decision's and beyond."""
    if value is None:
        return 0.0
    return max(0.0, 100.0 * (1 - abs(value - admitted.optimum) / admitted.reference_gap))


def imputations(admitted: Admitted) -> dict[str, bool]:
    """Whether the exact solver finds the optimum with one column replaced by typical values, by what was replaced how."""
    family, level = admitted.family, admitted.coordinate.level
    found = {name: family.solve(instance).decision for name, instance in imputed(family, level, admitted.instance)}
    return {name: decision == admitted.solution.decision for name, decision in found.items()}


def besiege(
    coordinates: Sequence[Coordinate],
    budgets: tuple[int, ...],
    journal: Path,
    executor: Executor | None,
    progress: Callable[[int, int], Any],
) -> list[Siege]:
    """Lay siege to every coordinate, going on where an interrupted panel left off; in the order of the coordinates."""
    done = {each.coordinate: each for each in _kept(journal, budgets)}
    todo = [Target(place, budgets) for place in sorted(coordinates, key=lambda each: -each.level) if place not in done]
    progress(len(coordinates) - len(todo), len(coordinates))
    with journal.open("a", encoding="utf-8") as file:
        for order, siege in results(lay, todo, executor):
            done[order.coordinate] = siege
            file.write(canonical_text(_spelled(siege)) + "\n")
            file.flush()
            progress(sum(place in done for place in coordinates), len(coordinates))
    return [done[place] for place in coordinates]


def _spelled(siege: Siege) -> dict[str, Any]:
    """A siege as plain JSON; utilities in thousandths, since canonical JSON holds whole numbers."""
    document = asdict(siege)
    for each in document["assaults"].values():
        each["utility"] = {str(budget): round(1_000 * value) for budget, value in each["utility"].items()}
    return document


def _kept(journal: Path, budgets: tuple[int, ...]) -> Iterator[Siege]:
    """The sieges that a journal holds whole, made with the same budgets; a torn last line is no siege."""
    if not journal.is_file():
        return
    for line in journal.read_text(encoding="utf-8").splitlines():
        try:
            document = json.loads(line)
        except ValueError:
            continue
        assaults = {
            name: Assault(each["found_at"], {int(budget): value / 1_000 for budget, value in each["utility"].items()})
            for name, each in document["assaults"].items()
        }
        if all(tuple(each.utility) == budgets for each in assaults.values()):
            yield Siege(Coordinate(**document["coordinate"]), document["attempt"], assaults, document["imputations"])
