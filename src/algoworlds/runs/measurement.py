"""A measurement: rounds of evaluations at difficulties that follow from the outcomes of the rounds before.

measure.json          the plan of the measurement and its identity
sealed/secrets.json   the seed and the pepper of its worlds, whose digest the plan states
rounds/001/suite      the worlds of a round, a suite like any other
rounds/001/run        their evaluations, a run like any other

A round holds what may be under way at the same time. It is chosen from the outcomes of all earlier rounds, so that the
sequence of worlds depends on the secrets and on outcomes, never on the time that an evaluation takes. Runs and suites are
continued as always; an interrupted measurement continues with its last round.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from algoworlds.core.canonical import JsonObject, canonical_json, sha256_hex
from algoworlds.core.interface import Interface
from algoworlds.disk import OWNER_ONLY_FILE, lock_folder, make_owner_only_folder, read_regular_file, write_atomic
from algoworlds.errors import InputError, format_value
from algoworlds.families import load_family
from algoworlds.measures.scoring import SCORING_VERSION
from algoworlds.measures.threshold import TRIVIAL_SHARE, Outcome, choose_points
from algoworlds.runs.directory import RunDirectory, indented_json
from algoworlds.runs.rescore import verify_run
from algoworlds.runs.schedule import PROTOCOL, differences
from algoworlds.suites.build import build_suite
from algoworlds.suites.manifest import integrity_problems
from algoworlds.suites.open import Suite, open_suite
from algoworlds.suites.record import PlayerKind
from algoworlds.suites.suite import ScalePoint, SuiteSpec
from algoworlds.tracks.track import BARE

MEASUREMENT_FORMAT = 1
MEASUREMENT_NAME, SECRETS_NAME = "measure.json", "sealed/secrets.json"
DEFAULT_EVALUATIONS, DEFAULT_ROUND, DEFAULT_WITHIN = 200, 20, 1.0
MAX_EVALUATIONS = 10_000
"""Evaluations of one measurement."""
Build = Callable[[SuiteSpec, Path], Any]
"""Builds the suite of a round."""


@dataclass(frozen=True)
class Secrets:
    """What the worlds of a measurement are drawn from."""

    seed: str
    pepper: str = ""

    @property
    def text(self) -> str:
        """The content of sealed/secrets.json."""
        return canonical_json({"pepper": self.pepper, "seed": self.seed}) + "\n"

    @property
    def commitment(self) -> str:
        """The digest that the plan states; publish it before a measurement to prove that its worlds were not chosen."""
        return sha256_hex(self.text)


@dataclass(frozen=True)
class MeasurementPlan:
    """Everything that determines a measurement, but its secrets and what the player does."""

    label: str
    kind: PlayerKind
    settings: JsonObject
    families: tuple[str, ...]
    interfaces: tuple[Interface, ...]
    evaluations: int
    """The most evaluations."""
    round_size: int
    """How many evaluations are chosen at a time, and may be under way at the same time."""
    within: float
    """The half-width in bits that ends the measurement of a family."""
    commitment: str
    track: str = BARE.name

    def __post_init__(self) -> None:
        if not self.families or not self.interfaces:
            raise InputError("a measurement needs at least one family and interface")
        for name in self.families:
            if not load_family(name).scale:
                raise InputError(f"{name} declares no scale: add Family(scale=...) to measure on it, or leave it out")
        if not 1 <= self.round_size <= self.evaluations <= MAX_EVALUATIONS:
            most = f"{MAX_EVALUATIONS:,}"
            raise InputError(f"a measurement has 1 to {most} --evaluations, and at most as many --in-flight")
        if not 0.1 <= self.within <= 20:
            raise InputError(f"--within must lie from 0.1 to 20 bits, not be {self.within:g}")

    @cached_property
    def difficulties(self) -> dict[str, tuple[int, ...]]:
        """The difficulties to choose from, by family, in tenths of a bit."""
        return {name: tuple(sorted(load_family(name).scale)) for name in self.families}

    @property
    def document(self) -> JsonObject:
        """The plan as JSON; its digest is the identity."""
        return {
            "format": MEASUREMENT_FORMAT,
            "protocol": PROTOCOL,
            "scoring": SCORING_VERSION,
            "label": self.label,
            "kind": self.kind.value,
            "settings": self.settings,
            "families": list(self.families),
            "difficulties": {name: list(tenths) for name, tenths in self.difficulties.items()},
            "interfaces": [interface.value for interface in self.interfaces],
            "evaluations": self.evaluations,
            "round": self.round_size,
            "within": self.within,
            "commitment": self.commitment,
            "track": self.track,
        }

    @property
    def identity(self) -> str:
        """The digest of the document."""
        return sha256_hex(canonical_json(self.document))

    def next_points(self, outcomes: Sequence[Outcome]) -> list[ScalePoint]:
        """The worlds of the next round after `outcomes`, all of finished rounds; empty when the measurement is over.

        The k-th world of a family has the index k, so that no world comes twice and the price profiles take turns. So do
        the interfaces; they change places after every easiest world, which would otherwise always come in the same one.
        """
        count = min(self.round_size, self.evaluations - len(outcomes))
        points = []
        plays = {name: sum(outcome.family == name for outcome in outcomes) for name in self.families}
        for family, tenths in choose_points(self.difficulties, outcomes, count, round(2000 * self.within)):
            turn = self.families.index(family) + plays[family] + plays[family] // TRIVIAL_SHARE
            plays[family] += 1
            points.append(ScalePoint(family, tenths, plays[family], self.interfaces[turn % len(self.interfaces)]))
        return points


@dataclass(frozen=True)
class Round:
    """One round: where its suite and its run are."""

    path: Path

    @property
    def suite_path(self) -> Path:
        """The folder of its suite."""
        return self.path / "suite"

    @cached_property
    def run(self) -> RunDirectory:
        """Its run."""
        return RunDirectory(self.path / "run")

    @property
    def is_begun(self) -> bool:
        """Whether its run exists."""
        return (self.path / "run" / "run.json").is_file()

    @property
    def is_finished(self) -> bool:
        """Whether all of its evaluations have a record."""
        return self.is_begun and len(self.run.finished_slots) == len(self.run.schedule)

    def open_suite(self, track: str) -> Suite:
        """Its suite, to play and to score."""
        return open_suite(self.suite_path, track)


@dataclass(frozen=True)
class MeasurementDirectory:
    """The files of one measurement."""

    path: Path

    @property
    def exists(self) -> bool:
        """Whether this is a measurement."""
        return (self.path / MEASUREMENT_NAME).is_file()

    @cached_property
    def plan(self) -> MeasurementPlan:
        """The plan; InputError if this is not a measurement that this version can read."""
        try:
            document = json.loads(read_regular_file(self.path / MEASUREMENT_NAME))
            plan, version = document["plan"], document["plan"]["format"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            raise InputError(f"{format_value(self.path)} is not a measurement: make one with algoworlds measure") from None
        if version != MEASUREMENT_FORMAT:
            stated = f"{format_value(self.path)} has format {format_value(version)}"
            raise InputError(f"{stated}, this version reads {MEASUREMENT_FORMAT}: update algoworlds")
        try:
            read = MeasurementPlan(
                plan["label"],
                PlayerKind(plan["kind"]),
                plan["settings"],
                tuple(plan["families"]),
                tuple(map(Interface, plan["interfaces"])),
                plan["evaluations"],
                plan["round"],
                plan["within"],
                plan["commitment"],
                plan["track"],
            )
            if changes := list(differences(read.document, plan)):
                raise InputError(f"{format_value(self.path)} was measured by another version: {changes[0]}")
            if read.identity != document["identity"]:
                raise ValueError
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{format_value(self.path / MEASUREMENT_NAME)} is altered: restore it") from None
        return read

    @cached_property
    def secrets(self) -> Secrets:
        """Seed and pepper; InputError unless they fit what the plan states."""
        path = self.path / SECRETS_NAME
        try:
            document = json.loads(read_regular_file(path))
            secrets = Secrets(document["seed"], document["pepper"])
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError(f"{format_value(path)} cannot be read: restore it") from None
        if secrets.commitment != self.plan.commitment:
            raise InputError(f"{format_value(path)} is altered: it does not fit the digest in {MEASUREMENT_NAME}")
        return secrets

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the measurement as its only writer."""
        try:
            if self.path.exists() and not self.path.is_dir():
                raise InputError(f"{format_value(self.path)} is not a directory: choose another --out")
            if self.path.is_dir() and not self.exists:
                names = {path.name for path in self.path.iterdir()} - {"sealed"}
                if not all(name.endswith(".partial") for name in names):
                    raise InputError(f"{format_value(self.path)} is not empty and not a measurement: choose another --out")
            if not self.path.exists():
                make_owner_only_folder(self.path)
        except OSError as problem:
            raise InputError(f"cannot write {format_value(self.path)}: {problem.strerror}; choose another --out") from None
        with lock_folder(self.path):
            for left_over in self.path.rglob(".*.partial"):  # of a process that was killed: only the writer gets here
                left_over.unlink()
            yield

    def sealed_secrets(self) -> Secrets | None:
        """The secrets that an earlier start has sealed, or None."""
        path = self.path / SECRETS_NAME
        if not path.is_file():
            return None
        try:
            document = json.loads(read_regular_file(path))
            return Secrets(document["seed"], document["pepper"])
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{format_value(path)} is damaged: restore it, or choose another --out") from None

    def create_or_resume(self, plan: MeasurementPlan, secrets: Secrets) -> None:
        """Create the measurement, or resume one with the same identity; InputError for a different one."""
        if self.exists:
            if self.plan.identity != plan.identity:
                changes = "; ".join(list(differences(plan.document, self.plan.document))[:5])
                raise InputError(
                    f"{format_value(self.path)} holds another measurement, choose another --out. It differs in {changes}"
                )
            _ = self.secrets
            return
        make_owner_only_folder(self.path / "sealed")
        write_atomic(self.path / SECRETS_NAME, secrets.text.encode(), mode=OWNER_ONLY_FILE)
        document = {"plan": plan.document, "identity": plan.identity}
        write_atomic(self.path / MEASUREMENT_NAME, indented_json(document), mode=OWNER_ONLY_FILE)

    def round(self, number: int) -> Round:
        """The round of a number, from 1, finished or not."""
        return Round(self.path / "rounds" / f"{number:03}")

    @property
    def finished_rounds(self) -> list[Round]:
        """The finished rounds, in order."""
        rounds: list[Round] = []
        while (one := self.round(len(rounds) + 1)).is_finished:
            rounds.append(one)
        return rounds

    def suite_spec(self, number: int, points: Sequence[ScalePoint]) -> SuiteSpec:
        """The suite of a round."""
        plan, secrets = self.plan, self.secrets
        families = tuple(dict.fromkeys(point.family for point in points))
        name = f"measure-{plan.identity[:8]}-{number:03}"
        interfaces = plan.interfaces
        return SuiteSpec(name, secrets.seed, families, (), 1, interfaces, secrets.pepper, points=tuple(points))

    def next_round(self, executor: Executor | None, progress: Callable[[int, int], Any]) -> Round | None:
        """The round to play next, with its suite complete; None when the measurement is over."""
        rounds = self.finished_rounds
        points = self.plan.next_points(outcomes_of(rounds))
        if not points:
            return None
        number = len(rounds) + 1
        current, spec = self.round(number), self.suite_spec(number, points)
        if (current.suite_path / "manifest.json").is_file() and not (current.suite_path / ".build").exists():
            if open_suite(current.suite_path).spec != spec:
                raise InputError(f"{format_value(current.suite_path)} is not the suite of its round: restore it, or remove it")
            return current
        build_suite(spec, current.suite_path, executor, progress)
        return current

    def records(self) -> Iterator[tuple[ScalePoint, JsonObject]]:
        """Every record of the finished rounds with the world that it is of, in order."""
        for one in self.finished_rounds:
            yield from read_round(one)


def read_round(one: Round) -> Iterator[tuple[ScalePoint, JsonObject]]:
    """The records of a finished round, in the order in which its worlds were chosen."""
    suite, by_world = one.open_suite(BARE.name), {record["world"]: record for record in one.run.read_records()}
    ids = {(entry.family, entry.tenths, entry.index): entry.id for entry in suite.manifest.worlds}
    if missing := [name for name in ids.values() if name not in by_world]:
        raise InputError(f"{format_value(one.run.path)} has no record of {format_value(missing[0])}: import the whole round")
    for point in suite.spec.points:
        yield point, by_world[ids[point.family, point.tenths, point.index]]


def outcomes_of(rounds: Sequence[Round]) -> list[Outcome]:
    """The outcomes of finished rounds, in order."""
    return [Outcome(point.family, point.tenths, bool(record["exact"])) for one in rounds for point, record in read_round(one)]


def verify_measurement(
    directory: MeasurementDirectory, executor: Executor | None, progress: Callable[[int, int], Any], recorded: bool = False
) -> list[str]:
    """Everything that is wrong with a measurement: its sequence chosen again, its suites checked, its runs replayed."""
    plan, problems = directory.plan, []
    rounds = directory.finished_rounds
    for number, one in enumerate(rounds, 1):
        name, suite = f"rounds/{number:03}", one.open_suite(plan.track)
        expected = directory.suite_spec(number, plan.next_points(outcomes_of(rounds[: number - 1])))
        if suite.spec != expected:
            problems.append(f"{name}/suite: its worlds are not those that follow from the outcomes before")
        problems += [f"{name}/suite/{problem}" for problem in integrity_problems(one.suite_path, None)]
        ours = one.run.document["plan"]
        states_settings = {name: ours["settings"].get(name) for name in plan.settings} == plan.settings  # imports state more
        if (ours["label"], ours["kind"]) != (plan.label, plan.kind.value) or not states_settings:
            problems.append(f"{name}/run: it is a run of another player than {MEASUREMENT_NAME} states")
        problems += [f"{name}/run/{problem}" for problem in verify_run(one.run, suite, executor, progress, recorded)]
    if plan.next_points(outcomes_of(rounds)):
        problems.append(f"the measurement is not finished: {len(rounds)} rounds are, and another one follows")
    if directory.round(len(rounds) + 2).path.exists():
        problems.append(f"rounds/{len(rounds) + 2:03} does not belong to the measurement")
    return problems
