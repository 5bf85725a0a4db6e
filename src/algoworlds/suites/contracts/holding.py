"""Holding a family to its contracts: tiny instances by brute force, worlds of every level, and the family as a whole.

A family from outside may do anything, so whatever it raises is a breach of the contract that was being tried.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field
from itertools import permutations
from sys import modules
from typing import Any, Literal, NamedTuple

from algoworlds.batch import results
from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.core.work import BANDS
from algoworlds.families import family as family_named
from algoworlds.families.family import Family
from algoworlds.families.hardness import Hardness
from algoworlds.suites.bundle import bundles
from algoworlds.suites.claims.claim import Case, Unit
from algoworlds.suites.claims.listed import CLAIMS
from algoworlds.suites.claims.orders import Ranks, order_leaks, ranks
from algoworlds.suites.claims.shortcuts import Shortcuts, shortcuts, too_often
from algoworlds.suites.contracts.formal import FORMAL, Check, NotPossible, tiny_instance
from algoworlds.suites.contracts.playing import PLAYING
from algoworlds.suites.contracts.reliance import ranges_kept
from algoworlds.suites.suite import longest_first
from algoworlds.worlds.admit import Admitted, Candidate, Coordinate, certify, refusal

TINY, DRAWN, CHUNK = 200, 20, 50
"""Tiny instances that are tried, level-0 ones in their stead where a family has none, and how many at a time."""
ATTEMPTS = 20
"""Attempts at a coordinate of which one must be admitted: a generator that needs more is far from its level."""
LEVELS = (0, *BANDS)

DECLARATION, ADMISSION, CERTIFICATE, CLAIMED = "Declaration", "Admission", "Certificate", "Claims"
SHORTCUTS, ORDERS, RANGES = "Shortcut panel", "Orders", "Ranges"


class Need(NamedTuple):
    """Fields of an optional block, what of a contract is not tried without them, and what declaring them is for."""

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
"""By contract, what it needs of a family's optional blocks."""


@dataclass(frozen=True)
class Draws:
    """Some tiny instances of a family, by number."""

    family: str
    seed: str
    numbers: range


@dataclass
class Held:
    """What was tried of each contract: units by name with what is wrong, if anything; and what could not be tried."""

    units: dict[str, list[Unit]] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    panel: list[Shortcuts] = field(default_factory=list)
    orders: list[Ranks] = field(default_factory=list)

    def attempt(self, contract: str, unit: str, units: Callable[..., Iterator[Unit]], *arguments: Any) -> None:
        """Try a contract; whatever it raises is its breach."""
        tried = self.units.setdefault(contract, [])
        try:
            tried.extend(units(*arguments))
        except NotPossible as problem:
            self.notes.setdefault(contract, f"{unit}: {problem}")
        except Exception as problem:  # a stranger's code
            tried.append((unit, f"{type(problem).__name__}: {' '.join(str(problem).split())[:300]}"))

    def join(self, other: "Held") -> None:
        """Take in what was found elsewhere."""
        for name, units in other.units.items():
            self.units.setdefault(name, []).extend(units)
        self.notes = other.notes | self.notes
        self.panel += other.panel
        self.orders += other.orders

    @property
    def breaches(self) -> list[tuple[str, str, str]]:
        """Contract, unit and problem of all that is wrong."""
        return [(name, unit, problem) for name, units in self.units.items() for unit, problem in units if problem is not None]


def hold(
    name: str,
    seed: str,
    instances: int,
    executor: Executor | None,
    progress: Callable[[int, int], Any],
    levels: Collection[int] = LEVELS,
) -> Held:
    """Hold a family to every contract, with some instances of some levels."""
    held = Held()
    held.attempt(DECLARATION, name, _declaration, name)
    held.notes |= _undeclared(family_named(name))
    known = [level for level in levels if level in family_named(name).levels]
    for level in known:
        held.attempt(RANGES, f"{name}, level {level}", ranges_kept, family_named(name), level, seed)
    wanted = range(TINY if family_named(name).tiny is not None else DRAWN)
    tiny = [Draws(name, seed, wanted[at : at + CHUNK]) for at in range(0, len(wanted), CHUNK)]
    places = longest_first([Coordinate(name, level, index, seed) for level in known for index in range(1, instances + 1)])
    total = len(tiny) + len(places)
    progress(0, total)
    found: dict[Draws | Coordinate, Held] = {}
    todo: list[Draws | Coordinate] = [*tiny, *places]
    for done, (task, each) in enumerate(results(_held, todo, executor), 1):
        found[task] = each
        progress(done, total)
    in_order: list[Draws | Coordinate] = [*tiny, *sorted(places, key=lambda place: (place.level, place.index))]
    for each in map(found.__getitem__, in_order):
        held.join(each)
    _hold_together(held, name, instances)
    return held


def _held(task: Draws | Coordinate) -> Held:
    return _hold_tiny(task) if isinstance(task, Draws) else _hold_world(task)


def _declaration(name: str) -> Iterator[Unit]:
    """What the types of a declaration cannot say."""
    family = family_named(name)
    missing = [level for level in LEVELS if level not in family.levels]
    yield "levels", f"there is no level {missing[0]}" if missing else None
    if family.hardness != Hardness():
        yield "blinds", None if family.hardness.blind else "no channel can be erased: name at least one blind"
    yield "channels", None if len(family.channels) > 1 else "there is only one channel of information"
    yield "mediation", None if family.template.mediation else "nothing is mediated, so the interfaces do not differ"
    yield "independence", next(_shared(family), None)
    yield "tools", None if all(tool.description for tool in family.template.tools) else "a tool has no description"


def _undeclared(family: Family[Any, Any]) -> dict[str, str]:
    """By contract, what cannot be tried because the family leaves out a block, and what to add."""
    found = {name: family.lacking(need.block, *need.fields, purpose=need.purpose) for name, need in NEEDS.items()}
    return {name: f"{NEEDS[name].skipped}: {problem}" for name, problem in found.items() if problem}


def _shared(family: Family[Any, Any]) -> Iterator[str]:
    """What the two exact algorithms and the checker have in common beside the instance, where a mistake could hide."""
    homes = {"solve": family.solve.__module__, "verify": family.verify.__module__, "check": family.check.__module__}
    for (one, home), (other, place) in permutations(homes.items(), 2):
        used = {getattr(each, "__module__", None) for each in vars(modules[home]).values()}
        if home == place:
            yield f"{one} and {other} stand in one module"
        elif place in used or modules[place] in vars(modules[home]).values():
            yield f"{one} imports the module of {other}"


def _hold_tiny(draws: Draws) -> Held:
    held = Held()
    for contract, check in FORMAL.items():
        for number in draws.numbers:
            held.attempt(contract, f"tiny {number}", _tiny_unit, draws, number, check)
    return held


def _tiny_unit(draws: Draws, number: int, check: Check) -> Iterator[Unit]:
    family = family_named(draws.family)
    stream = Stream(draws.seed, draws.family, "tiny", number)
    yield f"tiny {number}", check(family, tiny_instance(family, stream), stream.child("contract"))


def _hold_world(place: Coordinate) -> Held:
    held = Held()
    admitted: list[Admitted] = []
    cases: list[Case] = []
    held.attempt(ADMISSION, place.name, _admission, place, held, admitted)
    for each in admitted:
        held.attempt(CLAIMED, place.name, _claimed, each, cases)
    for case in cases:
        for claim in CLAIMS:
            held.attempt(claim.name, place.name, claim.check, case)
        for contract, check in PLAYING.items():
            held.attempt(contract, place.name, check, case)
        held.attempt(SHORTCUTS, place.name, _panel, case, held)
    return held


def _admission(place: Coordinate, held: Held, admitted: list[Admitted]) -> Iterator[Unit]:
    """One of the first attempts at a coordinate breaks no rule; then both exact algorithms certify it."""
    refused: Counter[str] = Counter()
    for attempt in range(ATTEMPTS):
        candidate = Candidate(place, attempt)
        broken = refusal(candidate)
        if broken is None:
            held.attempt(CERTIFICATE, place.name, _certificate, candidate, admitted)
            yield place.name, None
            return
        refused[broken] += 1
    reason, times = refused.most_common(1)[0]
    yield place.name, f"none of {ATTEMPTS} attempts is admitted; {times} of them: {reason}"


def _certificate(candidate: Candidate, admitted: list[Admitted]) -> Iterator[Unit]:
    admitted.append(certify(candidate))
    yield candidate.coordinate.name, None


def _claimed(admitted: Admitted, cases: list[Case]) -> Iterator[Unit]:
    """All that a released suite says about its worlds can be said: plans, sufficient sets, counterfactuals."""
    cases.append(Case(tuple(bundles(admitted, list(Interface)))))
    yield admitted.coordinate.name, None


def _panel(case: Case, held: Held) -> Iterator[Unit]:
    """Nothing is judged here: how often shortcuts and orders tell the optimum is for the whole family to say."""
    if case.first.coordinate.level > 0:
        held.panel.append(shortcuts(case.family, case.first.instance, case.solution))
    for bundle, world in zip(case.bundles, case.worlds.values(), strict=True):
        found = ranks(bundle, world)
        held.orders += found if bundle is case.first else [each for each in found if each.order.startswith("record")]
    yield from ()


def _hold_together(held: Held, name: str, instances: int) -> None:
    """What only many instances can tell."""
    if held.panel:
        tried = f"{name}, {len(held.panel)} instances"
        held.attempt(SHORTCUTS, name, iter, [(tried, too_often(held.panel, published=False))])
    held.attempt(ORDERS, name, iter, order_leaks(held.orders))
