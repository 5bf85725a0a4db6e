"""Checking a family against its contracts: tiny instances by brute force, worlds of every level, and the family as a whole.

Families may come from outside, so any exception of a family counts as a breach of the contract that was being checked.
"""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from statistics import fmean
from types import ModuleType
from typing import Any, Literal, NamedTuple

from algoworlds.batch import run_tasks
from algoworlds.core.interface import Interface
from algoworlds.core.ranges import ColumnRef, Ranges
from algoworlds.core.stream import Stream
from algoworlds.core.work import WORK_BANDS, power_of_two, work_band
from algoworlds.families import load_family
from algoworlds.families.family import AnyFamily
from algoworlds.families.hardness import Hardness
from algoworlds.suites.bundle import build_bundles
from algoworlds.suites.claims.orders import OrderScore, order_leak_units, order_scores, position_correlations, position_scores
from algoworlds.suites.claims.panels import ShortcutResult, shortcut_problem, try_shortcuts
from algoworlds.suites.claims.registry import CLAIMS, InstanceCase, UnitResult
from algoworlds.suites.contracts.algorithms import TINY_CONTRACTS, NotApplicable, TinyContract, draw_tiny_instance
from algoworlds.suites.contracts.texts import check_stated_bounds, text_units
from algoworlds.suites.contracts.worlds import WORLD_CONTRACTS, search_space
from algoworlds.suites.suite import longest_first
from algoworlds.worlds.admission import AdmittedInstance, Candidate, Coordinate, admit, certify, find_broken_rule
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import build_world

INSTANCES_PER_LEVEL = 12
"""Instances of a level that are drawn to check its ranges."""
MIN_USED_SHARE = 0.25
"""Share of a range's width that these instances must span together: a wider range says too little."""
TINY_INSTANCES, LEVEL_0_INSTANCES, INSTANCES_PER_TASK = 200, 20, 50
"""Tiny instances to check, level-0 instances where a family has no tiny ones, and the batch size."""
ORDER_DRAWS, ORDER_LEVELS = 30, (0, 1)
"""Instances of each of these levels that are solved, admitted or not, to see whether positions reveal the optimum."""
MAX_POSITION_CORRELATION = 0.85
"""Mean rank correlation of a hidden number with a position in the question; sorted numbers have one near 1."""
REPRODUCED_INSTANCES = 3
"""Instances of each level that are drawn again in a new process."""
SCALE_WORLDS = 6
"""Difficulties of the continuous scale to check, evenly over the part with no more work than the highest checked level."""
MAX_ATTEMPTS = 20
"""Attempts at a coordinate; a generator that needs more until one is admitted is far from its level."""
CHECKED_LEVELS = (0, *WORK_BANDS)

_ALL_LEVELS = "all"
DECLARATION, TEXTS, ADMISSION, CERTIFICATE, CLAIMED = "Declaration", "Texts", "Admission", "Certificate", "Claims"
SCALE = "Scale"
SHORTCUTS, ORDERS, RANGES, SEARCH_SPACE, REPRODUCTION = "Shortcut panel", "Orders", "Ranges", "Search space", "Reproduction"


def check_ranges(family: AnyFamily, level: int, seed: str) -> Iterator[UnitResult]:
    """Instances of a level lie inside its ranges and keep its promises, and no range is much wider than they need."""
    declared = family.ranges_at(level)
    if declared is None:
        return
    streams = [Stream(seed, family.name, "ranges", level, at) for at in range(INSTANCES_PER_LEVEL)]
    instances = [family.generate(family.levels[level], stream) for stream in streams]
    unit = f"{family.name}-{level}"
    for at, instance in enumerate(instances):
        yield f"{unit} draw {at}", next(declared.violations(instance), None)
    yield f"{unit} constancy", None if family.ranges_at(level) == declared else "the ranges change with what is drawn"
    for column, share in used_share(declared, instances).items():
        name = ".".join(column)
        yield (
            f"{unit} {name}",
            f"the numbers span only {share:.0%} of the range of {name}" if share < MIN_USED_SHARE else None,
        )


def used_share(declared: Ranges, instances: list[Any]) -> dict[ColumnRef, float]:
    """By column, the share of a range's width that the numbers of `instances` span."""
    shares = {}
    for column, declared_range in declared.columns.items():
        pairs = (pair for instance in instances for pair in declared.values_with_ranges(instance, column))
        numbers = [number for number, range_ in pairs if range_ is declared_range]
        shares[column] = (max(numbers) - min(numbers)) / declared_range.width if declared_range.width else 1.0
    return shares


class Need(NamedTuple):
    """Fields of an optional block that a contract needs, what is skipped without them, and what declaring them is for."""

    block: Literal["hardness", "knowledge"]
    fields: tuple[str, ...]
    skipped: str
    purpose: str


NEEDS = {
    "Searches": Need("hardness", ("sample", "descend"), "random decisions and descents", "check them"),
    ADMISSION: Need("hardness", ("blind",), "blind solvers", "refuse instances that they solve"),
    SHORTCUTS: Need("hardness", ("blind", "sample", "descend"), "some shortcuts", "count how often they are exact"),
    RANGES: Need("knowledge", ("ranges",), "any level", "say when an optimum is known"),
    "Options": Need("knowledge", ("options",), "any instance", "say which decisions the facts seen allow"),
}
"""What each contract needs of a family's optional blocks."""


@dataclass(frozen=True)
class TinyBatch:
    """Some tiny instances of a family, by number."""

    family: str
    seed: str
    numbers: range


@dataclass(frozen=True)
class OrderTask:
    """Draws of one level whose positions are compared with their optimum and their hidden numbers."""

    family: str
    seed: str
    level: int


CheckTask = TinyBatch | OrderTask | Coordinate


@dataclass
class ContractReport:
    """The units of each contract by name, with what is wrong or None, and notes on what could not be checked."""

    units: dict[str, list[UnitResult]] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    levels: dict[tuple[str, str], str] = field(default_factory=dict)
    """The level or levels of each unit, by contract and unit; empty for tiny instances."""
    panel: list[ShortcutResult] = field(default_factory=list)
    orders: list[OrderScore] = field(default_factory=list)
    order_levels: set[int] = field(default_factory=set)

    def try_contract(
        self,
        contract: str,
        unit: str,
        check: Callable[..., Iterable[UnitResult]],
        *arguments: Any,
        level: str = "",
    ) -> None:
        """Add the units of `check(*arguments)`, which are of `level`; an exception is a breach, reported for `unit`."""
        units = self.units.setdefault(contract, [])
        before = len(units)
        try:
            units.extend(check(*arguments))
        except NotApplicable as problem:
            self.notes.setdefault(contract, f"{unit}: {problem}")
        except Exception as problem:  # foreign code may raise anything
            units.append((unit, f"{type(problem).__name__}: {' '.join(str(problem).split())[:300]}"))
        self.levels |= {(contract, name): level for name, _ in units[before:]}

    def add_orders(self, level: int, scores: Iterable[OrderScore]) -> None:
        """Collect scores of an instance of `level`."""
        self.orders += scores
        self.order_levels.add(level)

    def merge(self, other: "ContractReport") -> None:
        """Add the results of another report."""
        for name, units in other.units.items():
            self.units.setdefault(name, []).extend(units)
        self.notes = other.notes | self.notes
        self.levels |= other.levels
        self.panel += other.panel
        self.orders += other.orders
        self.order_levels |= other.order_levels

    @property
    def breaches(self) -> list[tuple[str, str, str]]:
        """Contract, unit and problem of every failing unit."""
        return [(name, unit, problem) for name, units in self.units.items() for unit, problem in units if problem is not None]


def check_family(
    name: str,
    seed: str,
    instances: int,
    executor: Executor | None,
    progress: Callable[[int, int], Any],
    levels: Collection[int] = CHECKED_LEVELS,
) -> ContractReport:
    """Check a family against every contract, with `instances` instances of each of `levels`."""
    report, family = ContractReport(), load_family(name)
    report.try_contract(DECLARATION, name, _declaration_units, name, level=_ALL_LEVELS)
    report.try_contract(TEXTS, name, text_units, family, level=_ALL_LEVELS)
    for contract, need in NEEDS.items():
        if lacking := family.lacking(need.block, *need.fields, purpose=need.purpose):
            report.notes[contract] = f"{need.skipped}: {lacking}"
    declared = sorted(level for level in set(levels) if level in family.levels)
    for level in declared:
        report.try_contract(RANGES, name, check_ranges, family, level, seed, level=str(level))
    numbers = range(TINY_INSTANCES if family.tiny is not None else LEVEL_0_INSTANCES)
    starts = range(0, len(numbers), INSTANCES_PER_TASK)
    batches = [TinyBatch(name, seed, numbers[start : start + INSTANCES_PER_TASK]) for start in starts]
    coordinates = [Coordinate(name, level, index, seed) for level in declared for index in range(1, instances + 1)]
    order_tasks = [OrderTask(name, seed, level) for level in declared if level in ORDER_LEVELS]
    coordinates += scale_coordinates(family, seed, max(declared, default=0))
    if not family.scale:
        report.notes[SCALE] = f"any difficulty: {name} declares no scale: add Family(scale=...) to measure players on it"
    tasks: list[CheckTask] = [*batches, *order_tasks, *coordinates]
    progress(0, len(tasks))
    results: dict[CheckTask, ContractReport] = {}
    longest_tasks_first: list[CheckTask] = [*batches, *order_tasks, *longest_first(coordinates)]
    for done, (task, result) in enumerate(run_tasks(_check_task, longest_tasks_first, executor), 1):
        results[task] = result
        progress(done, len(tasks))
    for task in tasks:
        report.merge(results[task])
    if report.panel:  # what only many instances can show
        unit, pooled = f"{name}, {len(report.panel)} instances", _format_levels(level for level in declared if level > 0)
        report.try_contract(SHORTCUTS, name, lambda: [(unit, shortcut_problem(report.panel, published=False))], level=pooled)
    report.try_contract(ORDERS, name, order_leak_units, report.orders, level=_format_levels(report.order_levels))
    return report


def scale_coordinates(family: AnyFamily, seed: str, level: int) -> list[Coordinate]:
    """Some difficulties of the family's continuous scale, the easiest one among them."""
    _, most = work_band(level)
    tenths = sorted(at for at in family.scale if power_of_two(Fraction(at, 10)) <= most)
    chosen = sorted({tenths[at * (len(tenths) - 1) // (SCALE_WORLDS - 1)] for at in range(SCALE_WORLDS)}) if tenths else []
    return [Coordinate.from_bits(family.name, at / 10, 1, seed) for at in chosen]


def draw_digests(name: str, seed: str, level: int) -> list[str]:
    """The digests of a few instances of a level."""
    return [Candidate(Coordinate(name, level, index, seed), 0).instance.digest for index in range(1, REPRODUCED_INSTANCES + 1)]


def check_reproduction(report: ContractReport, name: str, seed: str, levels: Iterable[int]) -> None:
    """Check that a new process with another hash seed draws the same instances, and add the result to `report`."""
    code = f"from {__name__} import draw_digests; import sys; print(draw_digests(sys.argv[1], sys.argv[2], int(sys.argv[3])))"
    hash_seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"

    def units(level: int) -> Iterator[UnitResult]:
        command = [sys.executable, "-c", code, name, seed, str(level)]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": hash_seed})
        problem = None
        if done.returncode:
            problem = f"a new process fails: {(done.stderr.strip().splitlines() or ['no message'])[-1][:300]}"
        elif done.stdout.strip() != str(draw_digests(name, seed, level)):
            problem = "a new process draws other instances: use the stream only, and never the order of a set"
        yield f"{name}-{level}", problem

    for level in sorted(set(levels) & set(load_family(name).levels)):
        report.try_contract(REPRODUCTION, f"{name}-{level}", units, level, level=str(level))


def _format_levels(levels: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(levels)))


def _check_task(task: CheckTask) -> ContractReport:
    if isinstance(task, Coordinate):
        return _check_scale(task) if task.tenths else _check_coordinate(task)
    if isinstance(task, OrderTask):
        return _check_orders(task)
    report, family = ContractReport(), load_family(task.family)
    level = str(min(family.levels)) if family.tiny is None else ""
    for contract, check in {**TINY_CONTRACTS, "Stated bounds": check_stated_bounds}.items():
        for number in task.numbers:
            report.try_contract(contract, f"tiny {number}", _tiny_unit, task, number, check, level=level)
    return report


def _check_scale(coordinate: Coordinate) -> ContractReport:
    """Check a difficulty of the continuous scale: it is admitted with the work that it states, in its ranges, and playable."""

    def units() -> Iterator[UnitResult]:
        admitted = admit(coordinate)
        declared = admitted.family.ranges_at(coordinate.difficulty)
        problem = None if declared is None else next(declared.violations(admitted.instance), None)
        if admitted.reference_gap == 0:
            problem = "the reference decision is optimal"
        for interface in Interface:
            world = build_world(admitted, interface)
            for plan, calls in world.plans.items():
                episode = Episode(world, calls)
                if problem is None and episode.facts != admitted.instance.facts:
                    problem = f"the plan {plan} does not reveal all facts in the interface {interface.value}"
        yield coordinate.name, problem

    report = ContractReport()
    report.try_contract(SCALE, coordinate.name, units)
    return report


def _check_orders(task: OrderTask) -> ContractReport:
    """Check that no hidden number follows a position, and collect where the optimum is; unsolvable draws are left out."""
    report, family = ContractReport(), load_family(task.family)

    def units() -> Iterator[UnitResult]:
        correlations: dict[tuple[str, str], list[float]] = {}
        for index in range(1, ORDER_DRAWS + 1):
            candidate = Candidate(Coordinate(task.family, task.level, index, task.seed), 0)
            for key, correlation in position_correlations(candidate.instance):
                correlations.setdefault(key, []).append(correlation)
            if candidate.solution.unique:
                report.add_orders(task.level, position_scores(family, candidate.instance, candidate.solution.decision))
        means = {key: round(fmean(values), 2) for key, values in correlations.items()}
        for (roster, name), mean in sorted(means.items(), key=lambda item: -abs(item[1])):  # the clearest first
            problem = f"{name} follows the position of its {roster} in the question (correlation {mean:.2f}): shuffle the list"
            yield f"{task.family}-{task.level} {name} by position", problem if abs(mean) > MAX_POSITION_CORRELATION else None

    report.try_contract(ORDERS, task.family, units, level=str(task.level))
    return report


def _tiny_unit(batch: TinyBatch, number: int, check: TinyContract) -> Iterator[UnitResult]:
    family = load_family(batch.family)
    stream = Stream(batch.seed, batch.family, "tiny", number)
    yield f"tiny {number}", check(family, draw_tiny_instance(family, stream), stream.child("contract"))


def _declaration_units(name: str) -> Iterator[UnitResult]:
    """What the types of a declaration cannot express."""
    family = load_family(name)
    missing = [level for level in CHECKED_LEVELS if level not in family.levels]
    yield "levels", f"there is no level {missing[0]}" if missing else None
    if family.hardness != Hardness():
        yield "blinds", None if family.hardness.blind else "no channel can be erased: name at least one blind"
    yield "channels", None if len(family.channels) > 1 else "there is only one channel of information"
    yield "mediation", None if family.template.mediation else "nothing is mediated, so the interfaces do not differ"
    yield "independence", next(_shared_modules(family), None)


def _shared_modules(family: AnyFamily) -> Iterator[str]:
    """How the two exact algorithms and the checker depend on each other, so that they could share a mistake."""
    homes = {"solve": family.solve.__module__, "verify": family.verify.__module__, "check": family.check.__module__}
    package = family.instance.__module__.rpartition(".")[0] + "."

    def imports(home: str) -> set[str]:
        """The modules of the family that the module `home` imports from, without the one of the instance."""
        values = vars(sys.modules[home]).values()
        names = {value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) for value in values}
        return {str(name) for name in names} - {home, family.instance.__module__}

    for (one, home), (other, other_home) in permutations(homes.items(), 2):
        if home == other_home:
            yield f"{one} and {other} are in one module"
        elif other_home in imports(home):
            yield f"{one} imports the module of {other}"
        for shared in sorted(imports(home) & imports(other_home)):
            if package != "." and shared.startswith(package):
                yield f"{one} and {other} both import {shared}, where a mistake would be common to both"


def _check_coordinate(coordinate: Coordinate) -> ContractReport:
    """Check one coordinate: admission, then the claims and contracts of its worlds."""
    report, level = ContractReport(), str(coordinate.level)
    admitted: list[AdmittedInstance] = []  # empty unless an attempt is admitted and certified
    cases: list[InstanceCase] = []  # empty unless all bundles can be built
    report.try_contract(ADMISSION, coordinate.name, _admission_units, coordinate, report, admitted, level=level)
    for instance in admitted:
        report.try_contract(CLAIMED, coordinate.name, _bundle_units, instance, cases, level=level)
    for case in cases:
        for claim in CLAIMS:
            report.try_contract(claim.name, coordinate.name, claim.check, case, level=level)
        has_search_space = case.family.hardness.search_space is not None
        for contract, check in (WORLD_CONTRACTS | ({SEARCH_SPACE: search_space} if has_search_space else {})).items():
            report.try_contract(contract, coordinate.name, check, case, level=level)
        report.try_contract(SHORTCUTS, coordinate.name, _collect_panel, case, report, level=level)
    return report


def _admission_units(coordinate: Coordinate, report: ContractReport, admitted: list[AdmittedInstance]) -> Iterator[UnitResult]:
    """One of the first attempts at a coordinate breaks no rule, and both exact algorithms certify it."""

    def certificate_units(candidate: Candidate) -> Iterator[UnitResult]:
        admitted.append(certify(candidate))
        yield coordinate.name, None

    reasons: Counter[str] = Counter()
    for attempt in range(MAX_ATTEMPTS):
        candidate = Candidate(coordinate, attempt)
        broken_rule = find_broken_rule(candidate)
        if broken_rule is None:
            report.try_contract(CERTIFICATE, coordinate.name, certificate_units, candidate, level=str(coordinate.level))
            yield coordinate.name, None
            return
        reasons[broken_rule] += 1
    reason, times = reasons.most_common(1)[0]
    yield coordinate.name, f"none of {MAX_ATTEMPTS} attempts is admitted; {times} of them: {reason}"


def _bundle_units(admitted: AdmittedInstance, cases: list[InstanceCase]) -> Iterator[UnitResult]:
    """All assertions of a released suite exist for the instance: plans, sufficient sets, counterfactuals."""
    cases.append(InstanceCase(tuple(build_bundles(admitted, list(Interface)))))
    yield admitted.coordinate.name, None


def _collect_panel(case: InstanceCase, report: ContractReport) -> Iterator[UnitResult]:
    """Collects shortcut results and order scores, which are judged over the whole family; yields no unit."""
    level = case.first_bundle.coordinate.level
    if level > 0:
        report.panel.append(try_shortcuts(case.family, case.first_bundle.instance, case.solution))
    for bundle, world in case.pairs:
        scores = order_scores(bundle, world)
        is_first = bundle is case.first_bundle
        report.add_orders(level, (score for score in scores if is_first or score.order.startswith("record")))
    yield from ()
