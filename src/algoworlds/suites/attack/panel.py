"""The attack panel on one instance: when each attacker finds the optimum, how good it is before, and which guesses suffice."""

import json
import os
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, TypeVar

from algoworlds.batch import run_tasks
from algoworlds.core.canonical import JsonObject, canonical_json, sha256_hex
from algoworlds.core.stream import Stream
from algoworlds.disk import read_regular_file, write_atomic
from algoworlds.errors import InputError, format_value
from algoworlds.families.family import AnyFamily
from algoworlds.families.search_space import SearchSpace
from algoworlds.hardness.algorithms import ALGORITHMS
from algoworlds.hardness.attackers import ATTACKERS, Attack, Attacker, unattackable
from algoworlds.hardness.giveaway import GiveawayCheck, extra_imputed_instances, imputed_instances
from algoworlds.worlds.admission import AdmittedInstance, Coordinate, admit


class KeyedTask(Protocol):
    """A task with a key by which its stored result is found again."""

    @property
    def key(self) -> str:
        """All that the result depends on, as text."""


K = TypeVar("K", bound=KeyedTask)


def run_resumable(
    work: Callable[[K], JsonObject],
    tasks: Sequence[K],
    checkpoint: Path,
    executor: Executor | None,
    progress: Callable[[int, int], Any],
    warn: Callable[[str], Any] = warnings.warn,
) -> list[JsonObject]:
    """The results of all tasks, in order; those that the file `checkpoint` holds from an earlier run are not computed again.

    Every line has a digest. `warn` gets the number of every damaged line, whose task is computed again.
    """
    done: dict[str, JsonObject] = {}
    kept: list[bytes] = []
    lines = read_regular_file(checkpoint).split(b"\n") if checkpoint.exists() else []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            entry = json.loads(line)
            intact = entry["digest"] == _digest(entry["key"], entry["result"])
            done |= {entry["key"]: entry["result"]} if intact else {}
        except (ValueError, KeyError, TypeError, RecursionError):
            intact = False
        if intact:
            kept.append(line)
        else:
            warn(f"line {number} of {format_value(checkpoint)} is damaged: what it held is computed again")
    if len(kept) < sum(map(bool, lines)):
        write_atomic(checkpoint, b"\n".join([b"", *kept]))
    todo = [task for task in tasks if task.key not in done]
    progress(len(tasks) - len(todo), len(tasks))
    with checkpoint.open("a", encoding="utf-8") as file:
        for count, (task, result) in enumerate(run_tasks(work, todo, executor), start=1):
            text = json.dumps({"key": task.key, "result": result, "digest": _digest(task.key, result)}, sort_keys=True)
            done[task.key] = json.loads(text)["result"]  # the same whether it was computed now or earlier
            file.write(f"\n{text}")  # the newline comes first: it ends a line that an interruption left incomplete
            file.flush()
            os.fsync(file.fileno())
            progress(len(tasks) - len(todo) + count, len(tasks))
    return [done[task.key] for task in tasks]


def _digest(key: str, result: JsonObject) -> str:
    return sha256_hex(json.dumps([key, result], sort_keys=True))


HAND_BUDGET = 2_000
"""Evaluations that a patient person, or a model that thinks for long without code, could make."""
REPORTED_BUDGETS = (10, 30, 100, 300, 1_000, 3_000, 10_000)
DEEP_BUDGETS = (30_000, 100_000, 300_000, 1_000_000)
PANEL_SEED = "attack panel"
"""Seed of the panel's instances, which no suite contains."""


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
    results: dict[str, AttackResult]
    """By attacker: first shortcuts, then better algorithms."""
    imputations: dict[str, bool]
    """Whether the exact solver finds the optimum with one column replaced by typical values, by what was replaced how."""

    @classmethod
    def from_json(cls, document: JsonObject) -> "AttackRun":
        """The run that `document`, as `asdict` gives it, describes."""
        results = {
            name: AttackResult(result["found_at"], {int(budget): value for budget, value in result["utility"].items()})
            for name, result in document["results"].items()
        }
        return cls(**document | {"coordinate": Coordinate(**document["coordinate"]), "results": results})


ATTACKERS_BY_KIND = {"shortcut": ATTACKERS, "algorithm": ALGORITHMS}
"""Shortcuts do not optimize globally; better algorithms do, with fewer evaluations than the certified one."""


@dataclass(frozen=True)
class AttackTask:
    """A coordinate to attack, the kinds of attackers, and the budgets to report; attackers stop at the last one."""

    coordinate: Coordinate
    budgets: tuple[int, ...]
    kinds: tuple[str, ...] = tuple(ATTACKERS_BY_KIND)

    @property
    def attackers(self) -> list[Attacker]:
        """The attackers of these kinds."""
        return [attacker for kind in self.kinds for attacker in ATTACKERS_BY_KIND[kind]]

    @property
    def key(self) -> str:
        """All that the result depends on: version, coordinate, budgets, attackers and fields."""
        names = [*(attacker.name for attacker in self.attackers), *(field.name for field in fields(AttackRun))]
        return canonical_json([version("algoworlds"), asdict(self.coordinate), list(self.budgets), names])


def budgets_up_to(most: int) -> tuple[int, ...]:
    """The budgets to report if attackers stop at `most`: the usual ones below it, the hand budget, and `most` itself."""
    return tuple(sorted({budget for budget in (*REPORTED_BUDGETS, *DEEP_BUDGETS, HAND_BUDGET) if budget < most} | {most}))


def run_attack_task(task: AttackTask) -> JsonObject:
    """Attack the instance of a coordinate in every way."""
    admitted = admit(task.coordinate)
    family, instance, solution = admitted.family, admitted.instance, admitted.solution
    hardness, level = family.hardness, task.coordinate.level
    if hardness.search_space is None or hardness.descend is None:
        raise InputError(unattackable(family))
    space = hardness.search_space(instance)
    giveaway = GiveawayCheck(family, solution.decision)
    guesses = chain(imputed_instances(family, level, instance), extra_imputed_instances(family, level, instance))
    run = AttackRun(
        coordinate=task.coordinate,
        attempt=admitted.attempt,
        work=solution.work.total,
        reference_gap=round(100 * admitted.reference_gap / max(1, abs(admitted.optimum)), 3),
        descent=hardness.descend(instance, admitted.reference) == solution.decision,
        results={attacker.name: attack_admitted(admitted, attacker, task.budgets, space) for attacker in task.attackers},
        imputations={
            name: giveaway.finds_optimum(guess) for name, guess in guesses if guess.valid and "shortcut" in task.kinds
        },
    )
    return asdict(run)


def attack_admitted(
    admitted: AdmittedInstance, attacker: Attacker, budgets: Sequence[int], space: SearchSpace[Any] | None = None
) -> AttackResult:
    """One attacker on an admitted instance, with its reference utility at every budget.

    Reference utility is 100 at the optimum, and 0 at the value of the reference decision and beyond.
    """

    def utility(value: int | None) -> float:
        if value is None:
            return 0.0
        return round(max(0.0, 100.0 * (1 - abs(value - admitted.optimum) / admitted.reference_gap)), 3)

    attack = run_attacker(admitted.family, admitted.instance, admitted.optimum, attacker, budgets[-1], space)
    return AttackResult(attack.found_at, {budget: utility(attack.value_at(budget)) for budget in budgets})


def run_attacker(
    family: AnyFamily, instance: Any, optimum: int, attacker: Attacker, budget: int, space: SearchSpace[Any] | None
) -> Attack:
    """One attacker on an instance with a known optimum; its random numbers depend on the instance alone."""
    stream = Stream("attack", attacker.name, instance.digest)
    return Attack(family, instance, optimum, budget, stream, space).run(attacker.attack)
