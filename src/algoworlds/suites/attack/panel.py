"""One instance under all attackers: when each found the optimum, how good it was before, and which guessed columns sufficed."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, TypeVar

from algoworlds.batch import run_tasks
from algoworlds.core.canonical import canonical_json
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.families.family import Family
from algoworlds.families.search_space import SearchSpace
from algoworlds.hardness.attackers import ATTACKERS, Attack, Attacker, unattackable
from algoworlds.hardness.giveaway import GiveawayCheck, extra_imputed_instances, imputed_instances
from algoworlds.worlds.admission import AdmittedInstance, Coordinate, admit

JsonObject = dict[str, Any]
"""What a task found, as plain JSON."""


class KeyedTask(Protocol):
    """A task that says by what its result can be known again."""

    @property
    def key(self) -> str:
        """All that the result depends on, as text."""


K = TypeVar("K", bound=KeyedTask)


def run_resumable(
    work: Callable[[K], JsonObject],
    tasks: Sequence[K],
    ledger: Path,
    executor: Executor | None,
    progress: Callable[[int, int], Any],
) -> list[JsonObject]:
    """The result of every task, in the order of the tasks; those that a ledger holds are not done again."""
    done = _read_checkpoint(ledger)
    todo = [task for task in tasks if task.key not in done]
    progress(len(tasks) - len(todo), len(tasks))
    with ledger.open("a", encoding="utf-8") as file:
        for count, (task, found) in enumerate(run_tasks(work, todo, executor), start=1):
            line = json.dumps({"key": task.key, "found": found}, sort_keys=True)
            done[task.key] = json.loads(line)["found"]
            file.write(f"\n{line}")  # the line's end comes first: it closes a line that an interruption tore
            file.flush()
            progress(len(tasks) - len(todo) + count, len(tasks))
    return [done[task.key] for task in tasks]


def _read_checkpoint(ledger: Path) -> dict[str, JsonObject]:
    """What a ledger holds whole; a torn line is nothing."""
    kept: dict[str, JsonObject] = {}
    for line in ledger.read_text(encoding="utf-8").splitlines() if ledger.is_file() else ():
        try:
            entry = json.loads(line)
            kept[entry["key"]] = entry["found"]
        except (ValueError, KeyError, TypeError):
            continue
    return kept


HAND_BUDGET = 2_000
"""Evaluations that a patient person, or a model that thinks for long without code, could make."""
REPORTED_BUDGETS = (10, 30, 100, 300, 1_000, 3_000, 10_000)
DEEP_BUDGETS = (30_000, 100_000, 300_000, 1_000_000)
PANEL_SEED = "attack panel"
"""The instances of the panel are fresh: no suite has them."""


@dataclass(frozen=True)
class AttackResult:
    """One attacker on one instance: when it found the optimum, and its reference utility at every budget."""

    found_at: int | None
    utility: dict[int, float]


@dataclass(frozen=True)
class AttackRun:
    """One instance under all attackers, and which imputed columns still gave its optimum away."""

    coordinate: Coordinate
    attempt: int
    work: int
    reference_gap: float
    """The reference decision's distance from the optimum, in percent of the optimum."""
    descent: bool
    """Whether one descent from the reference decision ends in the optimum."""
    assaults: dict[str, AttackResult]
    imputations: dict[str, bool]

    @classmethod
    def from_json(cls, document: JsonObject) -> "AttackRun":
        """A siege from its document."""
        assaults = {
            name: AttackResult(result["found_at"], {int(budget): value for budget, value in result["utility"].items()})
            for name, result in document["assaults"].items()
        }
        return cls(**document | {"coordinate": Coordinate(**document["coordinate"]), "assaults": assaults})


@dataclass(frozen=True)
class AttackTask:
    """A siege to be laid: a coordinate and the budgets to report, of which the last is the most that is spent."""

    coordinate: Coordinate
    budgets: tuple[int, ...]

    @property
    def key(self) -> str:
        """All that a siege depends on; other attackers, other records or another version make another siege."""
        names = [*(attacker.name for attacker in ATTACKERS), *(field.name for field in fields(AttackRun))]
        return canonical_json([version("algoworlds"), asdict(self.coordinate), list(self.budgets), names])


def budgets_up_to(most: int) -> tuple[int, ...]:
    """The budgets that are reported up to the most that is spent, the hand budget among them."""
    return tuple(sorted({budget for budget in (*REPORTED_BUDGETS, *DEEP_BUDGETS, HAND_BUDGET) if budget < most} | {most}))


def run_attack_task(target: AttackTask) -> JsonObject:
    """Attack the instance of a coordinate in every way."""
    admitted = admit(target.coordinate)
    family, instance, solution = admitted.family, admitted.instance, admitted.solution
    hardness = family.hardness
    if hardness.search_space is None or hardness.descend is None:
        raise InputError(unattackable(family))
    hand = hardness.search_space(instance)
    siege = AttackRun(
        coordinate=target.coordinate,
        attempt=admitted.attempt,
        work=solution.work.total,
        reference_gap=round(100 * admitted.reference_gap / max(1, abs(admitted.optimum)), 3),
        descent=hardness.descend(instance, admitted.reference) == solution.decision,
        assaults={attacker.name: attack_admitted(admitted, attacker, target.budgets, hand) for attacker in ATTACKERS},
        imputations=solved_by_imputation(admitted),
    )
    return asdict(siege)


def attack_admitted(
    admitted: AdmittedInstance, attacker: Attacker, budgets: Sequence[int], hand: SearchSpace[Any] | None = None
) -> AttackResult:
    """One attacker on an admitted instance, with its utility at every budget."""
    game = run_attacker(admitted.family, admitted.instance, admitted.optimum, attacker, budgets[-1], hand)
    return AttackResult(game.found_at, {budget: reference_utility(admitted, game.value_at(budget)) for budget in budgets})


def run_attacker(
    family: Family[Any, Any], instance: Any, optimum: int, attacker: Attacker, budget: int, hand: SearchSpace[Any] | None
) -> Attack:
    """One attacker on an instance with a known optimum; its chances come from the instance alone."""
    stream = Stream("attack", attacker.name, instance.digest)
    return Attack(family, instance, optimum, budget, stream, hand).run(attacker.attack)


def reference_utility(admitted: AdmittedInstance, value: int | None) -> float:
    """Reference utility of a value: 100 at the optimum, 0 at the reference decision's and beyond."""
    if value is None:
        return 0.0
    return round(max(0.0, 100.0 * (1 - abs(value - admitted.optimum) / admitted.reference_gap)), 3)


def solved_by_imputation(admitted: AdmittedInstance) -> dict[str, bool]:
    """Whether the exact solver finds the optimum with one column replaced by typical values, by what was replaced how."""
    family, level = admitted.family, admitted.coordinate.level
    giveaway = GiveawayCheck(family, admitted.solution.decision)
    guessed = chain(
        imputed_instances(family, level, admitted.instance), extra_imputed_instances(family, level, admitted.instance)
    )
    return {name: giveaway.finds_optimum(altered) for name, altered in guessed if altered.valid}
