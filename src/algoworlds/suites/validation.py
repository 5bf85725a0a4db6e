"""Validating a suite on disk: every claim of the summary, proven anew from the bundles."""

import json
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from algoworlds.batch import results
from algoworlds.core.interface import Interface
from algoworlds.core.work import BANDS, Work
from algoworlds.errors import AlgoWorldsError, InputError, shown
from algoworlds.families import family
from algoworlds.suites.audit import SuiteAudit, bundle_leak, salts
from algoworlds.suites.bundle import Bundle
from algoworlds.suites.claims.byhand import solved_by_hand, too_easy
from algoworlds.suites.claims.claim import Case, Unit
from algoworlds.suites.claims.leaks import Secrets, relied_on, secrets, uneven_ranges
from algoworlds.suites.claims.listed import CLAIMS
from algoworlds.suites.claims.orders import Ranks, order_leaks, ranks
from algoworlds.suites.claims.shortcuts import Shortcuts, shortcuts, too_often
from algoworlds.suites.documents import read
from algoworlds.suites.manifest import Entry, Inspected, Manifest, inspected
from algoworlds.suites.suite import DEFAULT, Suite, longest_first
from algoworlds.worlds.admit import Coordinate
from algoworlds.worlds.world import World

INTEGRITY = ("Release integrity", "World bundle")
SHORTCUTS = ("Shortcut panel", "Task family")
ATTACKS = ("Attack panel", "Task family")
LEAKS = "Leak audit"
AHEAD = 100
"""How many instances are read before their turn: enough for every worker, however large the suite."""


@dataclass(frozen=True)
class Dossier:
    """The files of one instance's worlds, as texts, so that proving them needs no shared disk."""

    coordinate: Coordinate
    files: dict[str, dict[str, str]]
    """By interface, then by path inside the bundle."""


@dataclass(frozen=True)
class Findings:
    """What validating one instance found, and its figures for the tables."""

    units: dict[str, list[Unit]]
    secrets: dict[str, Secrets]
    salts: list[str]
    ranks: list[Ranks]
    relied: list[tuple[str, str]]
    """Family and level of every world, with what its question lets an agent rely on."""
    shortcuts: Shortcuts
    by_hand: dict[str, bool]
    """Which attackers solved it within the hand budget; nothing for warm-ups and families without a hand."""
    facts: list[int]
    calls: list[int]
    costs: list[int]
    budgets: list[int]
    catalogs: list[int]
    work: Work


@dataclass
class Report:
    """The validation summary of a suite and the figures that its tables need."""

    units: dict[tuple[str, str], list[Unit]] = field(default_factory=dict)
    findings: dict[Coordinate, Findings] = field(default_factory=dict)

    @property
    def summary(self) -> list[dict[str, Any]]:
        """The summary: claim, unit, how many units there are and how many pass."""
        return [
            {"row": name, "unit": unit, "count": len(units), "passed": sum(problem is None for _, problem in units)}
            for (name, unit), units in self.units.items()
        ]

    @property
    def failures(self) -> list[str]:
        """Every failing unit by name, with its reason."""
        return [
            f"{name}: {unit}: {problem}"
            for (name, _), units in self.units.items()
            for unit, problem in units
            if problem is not None
        ]


def examine(dossier: Dossier) -> Findings:
    """Prove every claim about the worlds of one instance."""
    documents = {
        name: {path: json.loads(text) for path, text in files.items() if path.endswith(".json")}
        for name, files in dossier.files.items()
    }
    bundles = _bundles(dossier.coordinate, documents)
    case = Case(bundles)
    units = {claim.name: list(claim.check(case)) for claim in CLAIMS}
    worlds = list(case.worlds.values())
    secret = {world.id: secrets(bundle, world) for bundle, world in zip(bundles, worlds, strict=True)}
    told = [bundle_leak(files, secret[world.id], world) for files, world in zip(dossier.files.values(), worlds, strict=True)]
    units[LEAKS] = [(unit, problem or more) for (unit, problem), more in zip(units[LEAKS], told, strict=True)]
    plans = [plan for world in worlds for plan in world.plans.values()]
    return Findings(
        units=units,
        secrets=secret,
        salts=[salt for each in documents.values() for salt in salts(each)],
        ranks=_ranks(bundles, worlds),
        relied=list(map(relied_on, bundles)),
        shortcuts=shortcuts(case.family, case.first.instance, case.solution, case.rivals),
        by_hand=_by_hand(case),
        facts=[len(each) for bundle in bundles for each in bundle.sets.values()],
        calls=[len(plan) for plan in plans],
        costs=[worlds[0].cost(plan) for plan in plans],
        budgets=[world.budget for world in worlds],
        catalogs=[world.cost(world.catalog) for world in worlds],
        work=case.solution.work,
    )


def _by_hand(case: Case) -> dict[str, bool]:
    """The attackers' success; the warm-up has no goal."""
    optimum = case.solution.value
    if case.first.coordinate.level not in BANDS or optimum is None:
        return {}
    return solved_by_hand(case.family, case.first.instance, optimum)


def _bundles(coordinate: Coordinate, documents: dict[str, dict[str, Any]]) -> tuple[Bundle, ...]:
    """The bundle of every world; the worlds of a pair carry the same instance, which is read once."""
    found: list[Bundle] = []
    first: Any = None
    for name, parsed in documents.items():
        document = parsed["sealed/instance.json"]["instance"]
        first = first or document
        same = found[0].instance if found and document == first else None
        found.append(read(coordinate, Interface(name), parsed, same))
    return tuple(found)


def _ranks(bundles: tuple[Bundle, ...], worlds: list[World]) -> list[Ranks]:
    """The standing of the optimum: ids and positions once, since the worlds of a pair share them; record orders for each."""
    found = [ranks(bundle, world) for bundle, world in zip(bundles, worlds, strict=True)]
    return found[0] + [each for later in found[1:] for each in later if each.order.startswith("record")]


def validate_suite(
    directory: Path, executor: Executor | None, progress: Callable[[int, int], Any], root: str | None = None
) -> Report:
    """All claims of the validation summary of a suite on disk."""
    inspection = inspected(directory, root)
    suite, manifest = _suite(inspection), inspection.manifest
    homes = _homes(inspection, suite)
    report, audit = Report(), SuiteAudit(inspection, suite)
    progress(0, len(homes))
    dossiers = (_dossier(inspection, place, homes[place]) for place in longest_first(suite.coordinates))
    for done, (dossier, found) in enumerate(results(_examined, dossiers, executor, AHEAD), 1):
        for world, secret in found.secrets.items():
            audit.search(world, secret)
        audit.salted(found.salts)
        report.findings[dossier.coordinate] = replace(found, secrets={}, salts=[])
        progress(done, len(homes))
    report.findings = {place: report.findings[place] for place in suite.coordinates}
    for claim in CLAIMS:
        units = [unit for each in report.findings.values() for unit in each.units[claim.name]]
        if units:  # a suite without certificates claims nothing of them
            report.units[claim.name, claim.unit] = units
    leak = next(key for key in report.units if key[0] == LEAKS)
    leaks = report.units.pop(leak) + audit.units + _uneven(list(report.findings.values()))
    report.units[INTEGRITY] = _integrity_units(manifest, inspection.problems + _strays(manifest, suite))
    report.units[SHORTCUTS] = _shortcut_units(report, manifest.suite == DEFAULT)
    report.units[ATTACKS] = _attack_units(report, manifest.suite == DEFAULT)
    report.units[leak] = leaks
    return report


def _uneven(findings: list[Findings]) -> list[Unit]:
    """What only many worlds together tell: orders in which the optimum stands out, and ranges that know an instance."""
    order = order_leaks([each for found in findings for each in found.ranks])
    return order + uneven_ranges(each for found in findings for each in found.relied)


def _examined(dossier: Dossier) -> Findings:
    try:
        return examine(dossier)
    except AlgoWorldsError as problem:
        raise AlgoWorldsError(f"{dossier.coordinate.name}: the bundle cannot be validated: {problem}") from None
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        advice = "its files have not the form that a build gives them; build the suite again, or restore it"
        raise AlgoWorldsError(f"{dossier.coordinate.name}: the bundle cannot be validated: {advice}") from None


def _suite(inspection: Inspected) -> Suite:
    try:
        document = json.loads(inspection.text("sealed/suite.json"))
    except (InputError, ValueError):
        document = None
    try:
        return Suite.from_json(document)
    except (ValueError, KeyError, TypeError):
        raise InputError("the suite has no readable sealed/suite.json: validation needs the sealed files") from None


def _ids(suite: Suite, place: Coordinate) -> dict[str, str]:
    """The interface of every world of a coordinate, by the world's id."""
    return {f"{place.name}-{interface.value}": interface.value for interface in suite.interfaces}


def _strays(manifest: Manifest, suite: Suite) -> list[str]:
    known = {world for place in suite.coordinates for world in _ids(suite, place)}
    return [f"worlds/{entry.id}/: not in the inventory of the suite" for entry in manifest.worlds if entry.id not in known]


def _homes(inspection: Inspected, suite: Suite) -> dict[Coordinate, dict[str, Entry]]:
    """By coordinate, the entries of its worlds by interface; whatever is missing is missed before anything is proven."""
    entries = {entry.id: entry for entry in inspection.manifest.worlds}
    homes: dict[Coordinate, dict[str, Entry]] = {}
    for place in suite.coordinates:
        wanted = _ids(suite, place)
        if not wanted.keys() <= entries.keys():
            raise InputError(f"the manifest lacks worlds of {place.name}: build the suite again")
        homes[place] = {interface: entries[world] for world, interface in wanted.items()}
        for path in (f"worlds/{world}/{path}" for world in wanted for path in entries[world].files):
            if path not in inspection.present:
                raise InputError(f"{shown(path)} is no plain file of the suite; algoworlds verify names it")
    return homes


def _dossier(inspection: Inspected, place: Coordinate, home: dict[str, Entry]) -> Dossier:
    def texts(entry: Entry) -> dict[str, str]:
        return {path: inspection.text(f"worlds/{entry.id}/{path}") for path in entry.files}

    return Dossier(place, {interface: texts(entry) for interface, entry in home.items()})


def _integrity_units(manifest: Manifest, broken: list[str]) -> list[Unit]:
    """One unit a bundle; what belongs to no world fails a unit of its own."""
    units: list[Unit] = []
    for entry in manifest.worlds:
        mine = [problem for problem in broken if problem.startswith(f"worlds/{entry.id}/")]
        units.append((entry.id, "; ".join(mine) or None))
    strays = [problem for problem in broken if not any(problem.startswith(f"worlds/{entry.id}/") for entry in manifest.worlds)]
    return units + [("suite", problem) for problem in strays]


def _shortcut_units(report: Report, published: bool) -> list[Unit]:
    """One unit a family; warm-up levels are left out."""
    units: list[Unit] = []
    for name in dict.fromkeys(place.family for place in report.findings):
        panel = [found.shortcuts for place, found in report.findings.items() if place.family == name and place.level > 0]
        if not panel:
            continue
        units.append((name, too_often(panel, published)))
    return units


def _attack_units(report: Report, published: bool) -> list[Unit]:
    """One unit a family that has a hand; warm-up levels are left out."""
    by_family: dict[str, dict[int, list[dict[str, bool]]]] = {}
    for place, found in report.findings.items():
        if found.by_hand:
            by_family.setdefault(place.family, {}).setdefault(place.level, []).append(found.by_hand)
    return [(name, too_easy(family(name), found, published)) for name, found in by_family.items()]
