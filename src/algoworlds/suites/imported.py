"""Suites of instances that were not drawn here: solved, verified, compared with published optima, and written like a build."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algoworlds.batch import run_tasks
from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.disk import OWNER_ONLY_FILE, OWNER_ONLY_FOLDER, PUBLIC_FILE, PUBLIC_FOLDER, create_folder
from algoworlds.errors import InputError
from algoworlds.families.family import AnyFamily
from algoworlds.suites.build import build_manifest, encode_worlds, suite_files
from algoworlds.suites.bundle import build_plain_bundles
from algoworlds.suites.manifest import MANIFEST_NAME, Manifest, WorldEntry
from algoworlds.suites.suite import SuiteSpec
from algoworlds.worlds.admission import AdmittedInstance, Coordinate
from algoworlds.worlds.world import build_world

_REFERENCE_TRIES = 200


@dataclass(frozen=True)
class ImportedInstance:
    """An instance to import, and what its source says about it."""

    coordinate: Coordinate
    names: Mapping[str, str]
    """The world's name in the source, by interface."""
    instance: Any
    optimum: int
    """The certified optimum, as a value of our objective."""
    prices: Mapping[str, int]
    budget: int


def import_worlds(task: ImportedInstance) -> list[tuple[WorldEntry, dict[str, str]]] | str:
    """The worlds of an instance, after both algorithms found the certified optimum; why not, if it cannot be a world."""
    coordinate, name = task.coordinate, next(iter(task.names.values()))
    world = build_world(AdmittedInstance(coordinate, 0, task.instance, None, None, 0), Interface.DIRECT)  # type: ignore[arg-type]
    family: AnyFamily = world.family
    if task.instance.magnitude() >= JSON_INTEGER_LIMIT:
        return "its values sum to 2^53 or more"
    if dict(world.prices) != dict(task.prices):
        different = sorted(set(world.prices.items()) ^ set(task.prices.items()))[0][0]
        raise InputError(f"{name}: the price of {different} is not the one of this family's tools")
    if world.budget != task.budget:
        raise InputError(f"{name}: its budget is {task.budget}, but these tools and tables need {world.budget}")
    solution, second = family.solve(task.instance), family.verify(task.instance)
    if solution.value is None:
        raise InputError(f"{name}: it has no feasible decision, but a certified optimum")
    if not solution.agrees_with(second):
        raise InputError(f"{name}: the two exact algorithms disagree; please report this world")
    if solution.value != task.optimum:
        difference = solution.value - task.optimum
        raise InputError(f"{name}: the optimum is {difference:+,} away from the certified one, by both exact algorithms")
    if not solution.unique:
        return "its optimum is not unique"
    reference = _find_reference(family, task.instance, solution.value, coordinate.stream.child("reference"))
    if reference is None:
        return "no feasible decision below the optimum was found as its reference"
    admitted = AdmittedInstance(coordinate, 0, task.instance.without_cache(), solution, *reference)
    return encode_worlds(admitted, build_plain_bundles(admitted, list(map(Interface, task.names))))


def _find_reference(family: AnyFamily, instance: Any, optimum: int, stream: Stream) -> tuple[Any, int] | None:
    """The myopic decision and its value; where it is infeasible or optimal, the first random one that is neither."""
    sample = family.hardness.sample
    for attempt in range(_REFERENCE_TRIES):
        if attempt and sample is None:
            return None
        decision = sample(instance, stream.child(attempt)) if attempt and sample is not None else family.reference(instance)
        verdict = family.check(instance, decision)
        if verdict.value is not None and verdict.value != optimum:
            return decision, verdict.value
    return None


def build_imported_suite(
    spec: Callable[[Sequence[ImportedInstance], dict[str, str]], SuiteSpec],
    tasks: Sequence[ImportedInstance],
    left_out: Mapping[str, str],
    out: Path,
    executor: Executor | None,
    progress: Callable[[int, int], Any],
) -> tuple[Manifest, dict[str, str]]:
    """Write the suite of `tasks` into the new folder `out`; also returns why worlds were left out, by name in the source."""
    reasons = dict(left_out)
    worlds: dict[Coordinate, list[tuple[WorldEntry, dict[str, str]]]] = {}
    progress(0, len(tasks))
    for done, (task, result) in enumerate(run_tasks(import_worlds, tasks, executor), start=1):
        if isinstance(result, str):
            reasons |= dict.fromkeys(task.names.values(), result)
        else:
            worlds[task.coordinate] = result
        progress(done, len(tasks))
    if not worlds:
        raise InputError("none of these worlds can be imported: " + next(iter(reasons.values()), "there are none"))
    suite = spec([task for task in tasks if task.coordinate in worlds], reasons)
    manifest = build_manifest(suite, {coordinate: [entry for entry, _ in pairs] for coordinate, pairs in worlds.items()})
    files = {
        f"worlds/{entry.id}/{path}": text for pairs in worlds.values() for entry, texts in pairs for path, text in texts.items()
    }
    with create_folder(out, PUBLIC_FOLDER) as folder:
        for path, text in (files | suite_files(suite) | {MANIFEST_NAME: manifest.text}).items():
            file, is_sealed = folder / path, "sealed" in Path(path).parts
            file.parent.parent.mkdir(parents=True, exist_ok=True)
            file.parent.mkdir(mode=OWNER_ONLY_FOLDER if is_sealed else PUBLIC_FOLDER, exist_ok=True)
            file.write_bytes(text.encode())
            file.chmod(OWNER_ONLY_FILE if is_sealed else PUBLIC_FILE)
    return manifest, reasons
