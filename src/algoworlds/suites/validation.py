"""Validating a suite on disk: every claim of the validation summary, proven again from the bundles."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from algoworlds.batch import run_tasks
from algoworlds.core.canonical import JsonObject
from algoworlds.core.interface import Interface
from algoworlds.core.work import WORK_BANDS
from algoworlds.errors import AlgoWorldsError, InputError, format_value
from algoworlds.families import load_family
from algoworlds.suites.build import suite_readme
from algoworlds.suites.bundle import CANARY, PUBLIC_FILES, decode_bundle, encode_public_files
from algoworlds.suites.claims import leaks
from algoworlds.suites.claims.errors import ErrorScores, error_scores, error_units
from algoworlds.suites.claims.orders import OrderScore, order_leak_units, order_scores
from algoworlds.suites.claims.panels import ShortcutResult, attack_by_hand, attack_problem, shortcut_problem, try_shortcuts
from algoworlds.suites.claims.registry import CLAIMS, InstanceCase, UnitResult
from algoworlds.suites.manifest import MANIFEST_FORMAT, MANIFEST_NAME, Manifest, SuiteInspection, WorldEntry, inspect_suite
from algoworlds.suites.open import InstanceFigures
from algoworlds.suites.suite import DEFAULT_SUITE_NAME, SuiteSpec, longest_first
from algoworlds.worlds.admission import Coordinate
from algoworlds.worlds.world import World

_SALT = re.compile(r"[0-9a-f]{32}")


def find_bundle_leak(files: dict[str, str], secrets: leaks.WorldSecrets, world: World) -> str | None:
    """What the public files of a bundle leak, if anything: a secret, or text that the public tables do not give."""
    expected = encode_public_files(world)
    for name in PUBLIC_FILES:
        text = _without_names(leaks.without_stated_paragraphs(files[name], world), [world.id])
        if (leak := leaks.find_leaked_secret(text, secrets, leaks.stated_numbers(world))) is not None:
            return f"{name} reveals {leak}"
        if files[name] != expected[name]:
            return f"{name} is not what the public tables give"
    return None


def _without_names(text: str, world_ids: list[str]) -> str:
    """A text without the canary and world ids, whose digits are not numbers."""
    for name in (CANARY, *sorted(world_ids, key=len, reverse=True)):
        text = text.replace(name, " ")
    return text


class SuiteAudit:
    """Searches the files of the whole suite for the secrets of one world after the other."""

    def __init__(self, inspection: SuiteInspection, suite: SuiteSpec) -> None:
        manifest, readme = inspection.manifest, suite_readme(suite)
        ids = [entry.id for entry in manifest.worlds]
        numbers = {number for entry in manifest.worlds for number in (entry.level, entry.index, entry.attempt, MANIFEST_FORMAT)}
        numbers |= leaks.numbers_in_text(suite.edition or "")
        digests = frozenset([*manifest.digests.values(), manifest.root])
        texts = {"README.md": inspection.read_text("README.md"), MANIFEST_NAME: inspection.manifest_text}
        expected = {"README.md": readme, MANIFEST_NAME: manifest.text}
        self._unexpected = {name for name in texts if texts[name] != expected[name]}
        texts = {name: _without_names(text, ids) for name, text in texts.items()}
        # By file: the text to search, and the numbers and digests that it may state.
        self._searched: dict[str, tuple[str, set[int], frozenset[str]]] = {
            "README.md": (texts["README.md"], leaks.numbers_in_text(_without_names(readme, ids)), frozenset()),
            MANIFEST_NAME: (texts[MANIFEST_NAME], numbers, digests),
        }
        self._leaks: dict[str, dict[str, str]] = {name: {} for name in texts}
        self._salts = Counter[str]()

    def search_secrets(self, world_id: str, secrets: leaks.WorldSecrets) -> None:
        """Note which files leak a secret of a world."""
        for name, (text, numbers, digests) in self._searched.items():
            if (leak := leaks.find_leaked_secret(text, secrets, numbers, digests)) is not None:
                self._leaks[name][world_id] = leak

    def add_salts(self, salts: Iterable[str]) -> None:
        """Count the salts of sealed files."""
        self._salts.update(salts)

    @property
    def units(self) -> list[UnitResult]:
        """One unit per file, and one for the salts that keep digests from being guessed."""
        units: list[UnitResult] = []
        for name, by_world in self._leaks.items():
            problem = next((f"reveals {leak} of {world}" for world, leak in sorted(by_world.items())), None)
            units.append((name, problem or ("holds more than it should" if name in self._unexpected else None)))
        guessable = any(count > 1 or not _SALT.fullmatch(salt) for salt, count in self._salts.items())
        return [*units, ("salts", "a sealed file has no salt of its own, so its digest can be guessed" if guessable else None)]


_INTEGRITY = ("Release integrity", "World bundle")
_SHORTCUTS = ("Shortcut panel", "Task family")
_ATTACKS = ("Attack panel", "Task family")
_LEAKS = "Leak audit"
_CHANCE = ("Chance of errors", "Family and condition")
_MAX_PENDING_INSTANCES = 100
"""Instances read ahead of their validation: enough for every worker, however large the suite is."""


WorldKey = tuple[str, str]
"""The condition and the interface of a world."""


@dataclass(frozen=True)
class InstanceFiles:
    """The texts of one instance's worlds, so that workers need no shared disk."""

    coordinate: Coordinate
    files: dict[WorldKey, dict[str, str]]
    """By condition and interface, then by path inside the bundle."""


@dataclass(frozen=True)
class Findings:
    """What validating one instance found, and its figures for the tables."""

    units: dict[str, list[UnitResult]]
    secrets: dict[str, leaks.WorldSecrets]
    salts: list[str]
    """Salts of the sealed files; empty where a file has none."""
    order_scores: list[OrderScore]
    error_scores: list[ErrorScores]
    """Of every condition, what its errors add up to."""
    ranges_paragraphs: list[tuple[str, str]]
    """Family and level of every world, with the ranges that its question states."""
    shortcuts: ShortcutResult
    solved_by_hand: dict[str, bool]
    """Which attackers solved it within the hand budget; empty for warm-ups and families without a hand protocol."""
    figures: InstanceFigures


@dataclass
class ValidationReport:
    """The validation summary of a suite, and the figures that its tables need."""

    units: dict[tuple[str, str], list[UnitResult]] = field(default_factory=dict)
    """By claim and kind of unit."""
    findings: dict[Coordinate, Findings] = field(default_factory=dict)

    @property
    def summary(self) -> list[JsonObject]:
        """The summary: claim, kind of unit, number of units and how many pass."""
        return [
            {"row": name, "unit": unit, "count": len(units), "passed": sum(problem is None for _, problem in units)}
            for (name, unit), units in self.units.items()
        ]

    @property
    def failures(self) -> list[str]:
        """Every failing unit by name, with its reason."""
        results = ((name, *result) for (name, _), units in self.units.items() for result in units)
        return [f"{name}: {unit}: {problem}" for name, unit, problem in results if problem is not None]


def validate_instance(instance_files: InstanceFiles) -> Findings:
    """Prove every claim about the worlds of one instance."""
    documents = {
        key: {path: json.loads(text) for path, text in files.items() if path.endswith(".json")}
        for key, files in instance_files.files.items()
    }
    bundles = tuple(
        decode_bundle(replace(instance_files.coordinate, condition=condition), Interface(interface), parsed)
        for (condition, interface), parsed in documents.items()
    )
    case = InstanceCase(bundles)
    units = {claim.name: list(claim.check(case)) for claim in CLAIMS}
    worlds = [world for _, world in case.pairs]
    secrets = {world.id: leaks.world_secrets(bundle, world) for bundle, world in zip(bundles, worlds, strict=True)}
    file_leaks = [
        find_bundle_leak(files, secrets[world.id], world)
        for files, world in zip(instance_files.files.values(), worlds, strict=True)
    ]
    units[_LEAKS] = [(unit, problem or leak) for (unit, problem), leak in zip(units[_LEAKS], file_leaks, strict=True)]
    # Twins share ids, links and the order of exact records, so only the worlds of one condition count.
    first = [pair for pair in case.pairs if pair[0].coordinate.condition == bundles[0].coordinate.condition]
    first_scores, *other_scores = (order_scores(bundle, world) for bundle, world in first)
    by_condition = {bundle.coordinate.condition: (bundle, world) for bundle, world in case.pairs if world.law is not None}
    optimum, is_warm_up = case.solution.value, instance_files.coordinate.level not in WORK_BANDS
    plans = [plan for world in worlds for plan in world.plans.values()]
    return Findings(
        units=units,
        secrets=secrets,
        salts=[
            str(document.get("salt", ""))
            for parsed in documents.values()
            for path, document in parsed.items()
            if path not in PUBLIC_FILES
        ],
        # The worlds of a pair share ids and positions, so only their record orders count separately.
        order_scores=first_scores + [score for scores in other_scores for score in scores if score.order.startswith("record")],
        error_scores=[error_scores(bundle, world) for bundle, world in by_condition.values()],
        ranges_paragraphs=list(map(leaks.ranges_paragraph, bundles)),
        shortcuts=try_shortcuts(case.family, case.first_bundle.instance, case.solution, case.optima),
        solved_by_hand=(
            {} if is_warm_up or optimum is None else attack_by_hand(case.family, case.first_bundle.instance, optimum)
        ),
        figures=InstanceFigures(
            [len(sufficient_set) for bundle in bundles for sufficient_set in bundle.sufficient_sets.values()],
            list(map(len, plans)),
            list(map(worlds[0].cost, plans)),
            [world.budget for world in worlds],
            [world.cost(world.catalog) for world in worlds],
            case.solution.work,
        ),
    )


def validate_suite(
    directory: Path, executor: Executor | None, progress: Callable[[int, int], Any], root: str | None = None
) -> ValidationReport:
    """Prove all claims of the validation summary of a suite on disk."""
    inspection = inspect_suite(directory, root)
    suite, manifest = _read_spec(inspection), inspection.manifest
    if suite.points:
        advice = "algoworlds verify checks its files, algoworlds family check the scale"
        raise InputError(f"{format_value(directory)} is on the continuous scale, whose worlds claim nothing to prove: {advice}")
    if suite.imported:
        advice = "import has compared its optima; algoworlds verify checks its files"
        raise InputError(f"{format_value(directory)} was imported, so the claims of a build do not hold for it: {advice}")
    entries = _entries_by_coordinate(inspection, suite)
    report, audit = ValidationReport(), SuiteAudit(inspection, suite)
    progress(0, len(entries))
    tasks = (
        _read_instance_files(inspection, coordinate, entries[coordinate]) for coordinate in longest_first(suite.coordinates)
    )
    for done, (task, findings) in enumerate(run_tasks(_validate_or_name, tasks, executor, _MAX_PENDING_INSTANCES), 1):
        for world_id, secrets in findings.secrets.items():
            audit.search_secrets(world_id, secrets)
        audit.add_salts(findings.salts)
        report.findings[task.coordinate] = replace(findings, secrets={}, salts=[])
        progress(done, len(entries))
    report.findings = {coordinate: report.findings[coordinate] for coordinate in suite.coordinates}
    for claim in CLAIMS:
        units = [unit for findings in report.findings.values() for unit in findings.units[claim.name]]
        if units:  # a suite without certificates claims nothing of them
            report.units[claim.name, claim.unit] = units
    # The leak audit is the last row, together with what only many worlds show.
    leak_row = next(key for key in report.units if key[0] == _LEAKS)
    every = report.findings.values()
    orders = order_leak_units([score for findings in every for score in findings.order_scores])
    ranges = leaks.range_units(paragraph for findings in every for paragraph in findings.ranges_paragraphs)
    leak_units = report.units.pop(leak_row) + audit.units + orders + ranges
    if scores := [score for findings in every for score in findings.error_scores]:
        report.units[_CHANCE] = error_units(scores)
    is_published = manifest.suite == DEFAULT_SUITE_NAME
    report.units[_INTEGRITY] = _integrity_units(manifest, suite, inspection.problems)
    report.units[_SHORTCUTS] = _shortcut_units(report, is_published)
    report.units[_ATTACKS] = _attack_units(report, is_published)
    report.units[leak_row] = leak_units
    return report


def _validate_or_name(instance_files: InstanceFiles) -> Findings:
    """`validate_instance`, with errors that name the coordinate."""
    name = instance_files.coordinate.name
    try:
        return validate_instance(instance_files)
    except AlgoWorldsError as problem:
        raise AlgoWorldsError(f"{name}: the bundle cannot be validated: {problem}") from None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        advice = "its files do not have the form that a build gives them; build the suite again, or restore it"
        raise AlgoWorldsError(f"{name}: the bundle cannot be validated: {advice}") from None


def _read_spec(inspection: SuiteInspection) -> SuiteSpec:
    try:
        document = json.loads(inspection.read_text("sealed/suite.json"))
    except (InputError, ValueError):
        document = None
    try:
        return SuiteSpec.from_json(document)
    except (ValueError, KeyError, TypeError):
        raise InputError("the suite has no readable sealed/suite.json: validation needs the sealed files") from None


def _world_ids(suite: SuiteSpec, coordinate: Coordinate) -> dict[str, WorldKey]:
    """The ids of the worlds of a coordinate, with their conditions and interfaces."""
    keys = [(condition, interface.value) for condition in suite.conditions for interface in suite.interfaces]
    names = {condition: replace(coordinate, condition=condition).name for condition in suite.conditions}
    return {f"{names[condition]}-{interface}": (condition, interface) for condition, interface in keys}


def _entries_by_coordinate(inspection: SuiteInspection, suite: SuiteSpec) -> dict[Coordinate, dict[WorldKey, WorldEntry]]:
    """The entries of a suite by coordinate, condition and interface; InputError if a world or file is missing."""
    by_id = {entry.id: entry for entry in inspection.manifest.worlds}
    entries: dict[Coordinate, dict[WorldKey, WorldEntry]] = {}
    for coordinate in suite.coordinates:
        world_ids = _world_ids(suite, coordinate)
        if not world_ids.keys() <= by_id.keys():
            raise InputError(f"the manifest lacks worlds of {coordinate.name}: build the suite again")
        entries[coordinate] = {key: by_id[world_id] for world_id, key in world_ids.items()}
        for path in (f"worlds/{world_id}/{path}" for world_id in world_ids for path in by_id[world_id].files):
            if path not in inspection.unread_files:
                raise InputError(f"{format_value(path)} is not a regular file of the suite; algoworlds verify names it")
    return entries


def _read_instance_files(
    inspection: SuiteInspection, coordinate: Coordinate, entries: dict[WorldKey, WorldEntry]
) -> InstanceFiles:
    files = {
        key: {path: inspection.read_text(f"worlds/{entry.id}/{path}") for path in entry.files} for key, entry in entries.items()
    }
    return InstanceFiles(coordinate, files)


def _integrity_units(manifest: Manifest, suite: SuiteSpec, problems: list[str]) -> list[UnitResult]:
    """One unit per bundle; a problem that belongs to no world is a failing unit of its own."""
    expected = {world_id for coordinate in suite.coordinates for world_id in _world_ids(suite, coordinate)}
    strays = [entry.id for entry in manifest.worlds if entry.id not in expected]
    problems = problems + [f"worlds/{world_id}/: not in the inventory of the suite" for world_id in strays]
    units: list[UnitResult] = []
    others = problems
    for entry in manifest.worlds:
        own = [problem for problem in problems if problem.startswith(f"worlds/{entry.id}/")]
        units.append((entry.id, "; ".join(own) or None))
        others = [problem for problem in others if problem not in own]
    return units + [("suite", problem) for problem in others]


def _shortcut_units(report: ValidationReport, is_published: bool) -> list[UnitResult]:
    """One unit per family; warm-up levels are left out."""
    panels: dict[str, list[ShortcutResult]] = {}
    for coordinate, findings in report.findings.items():
        if coordinate.level > 0:
            panels.setdefault(coordinate.family, []).append(findings.shortcuts)
    return [(name, shortcut_problem(panel, is_published)) for name, panel in panels.items()]


def _attack_units(report: ValidationReport, is_published: bool) -> list[UnitResult]:
    """One unit per family with a hand protocol; warm-up levels are left out."""
    by_family: dict[str, dict[int, list[dict[str, bool]]]] = {}
    for coordinate, findings in report.findings.items():
        if findings.solved_by_hand:
            by_family.setdefault(coordinate.family, {}).setdefault(coordinate.level, []).append(findings.solved_by_hand)
    return [(name, attack_problem(load_family(name), solved, is_published)) for name, solved in by_family.items()]
