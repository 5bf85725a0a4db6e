"""Suites on disk: the public half, which agents may see, and the whole suite, to play and score. Nothing here solves.

`open_suite(path).play(world_id)` is the interface that every adapter for agents and harnesses builds on.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any, NamedTuple, Self

from algoworlds.core.canonical import JsonObject, sha256_hex
from algoworlds.core.condition import CLEAR
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Interface
from algoworlds.core.tool import Call
from algoworlds.core.work import Work
from algoworlds.disk import read_regular_file
from algoworlds.errors import InputError, format_value, quote_value
from algoworlds.families import load_family
from algoworlds.knowledge.certificate import Certificate
from algoworlds.measures.hindsight import Hindsight
from algoworlds.measures.key import AnswerKey
from algoworlds.measures.rewards import StepRewards, find_reward
from algoworlds.measures.scoring import score
from algoworlds.suites.bundle import CERTIFICATE_FILE, read_certificate, read_facts
from algoworlds.suites.manifest import Manifest, WorldEntry, load_manifest, pinned_root
from algoworlds.suites.record import FinishedTrajectory, PlayerKind, Provenance, build_record
from algoworlds.suites.suite import SuiteSpec
from algoworlds.tracks.track import BARE, Computed, Track, find_track
from algoworlds.worlds.admission import Coordinate
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Observation
from algoworlds.worlds.world import World


@dataclass(frozen=True)
class PublicWorld:
    """All that an agent may see of a world before its first call, with the world's manifest entry."""

    entry: WorldEntry
    question: str
    tools: list[JsonObject]
    """Every tool by name, description and the JSON schema of its `parameters`."""
    prices: dict[str, int]
    """Prices of the tools that are not free."""
    budget: int
    call_cap: int
    """Information calls that may be executed."""
    attempt_cap: int
    """Calls of any kind that may be made."""

    def __repr__(self) -> str:
        return f"<PublicWorld {self.entry.id}, budget {self.budget:,}>"


@dataclass(frozen=True)
class PublicSuite:
    """The public half of a suite on disk; every file is compared with its digest in the manifest when it is read."""

    directory: Path
    manifest: Manifest

    def __repr__(self) -> str:
        name, count = quote_value(self.manifest.suite), len(self.entries)
        return f"<{type(self).__name__} {name}, {count:,} worlds in {format_value(self.directory)}>"  # without the seed

    @cached_property
    def entries(self) -> Mapping[str, WorldEntry]:
        """The manifest's entries by world id, in its order."""
        return MappingProxyType({entry.id: entry for entry in self.manifest.worlds})

    def entry(self, world_id: str) -> WorldEntry:
        """The entry of a world; InputError if `world_id` is unknown."""
        if world_id not in self.entries:
            hint = f"the first of its {len(self.entries)} is {self.manifest.worlds[0].id}" if self.entries else "it has none"
            raise InputError(f"{format_value(self.directory)} has no world {quote_value(world_id)}; {hint}")
        return self.entries[world_id]

    def public_world(self, world_id: str) -> PublicWorld:
        """What an agent may see of a world; a new document at every call."""
        entry = self.entry(world_id)
        question, access = self._document(entry, "question.json"), self._document(entry, "tools.json")
        fields = {name: access[name] for name in ("tools", "prices", "budget", "call_cap", "attempt_cap")}
        return PublicWorld(entry, question["question"], **fields)

    def _document(self, entry: WorldEntry, path: str) -> Any:
        """A JSON file of a world, after comparing it with its digest."""
        file = self.directory / "worlds" / entry.id / path
        try:
            text = read_regular_file(file).decode()
        except (OSError, UnicodeDecodeError):
            raise InputError(f"{format_value(file)} cannot be read; algoworlds verify says what is wrong") from None
        if sha256_hex(text) != entry.files.get(path):
            raise InputError(f"{format_value(file)} is altered; algoworlds verify says what is wrong")
        return json.loads(text)


def extend_public_world(world: PublicWorld, track: Track) -> PublicWorld:
    """What an agent may see of a world on a track."""
    if track is BARE:
        return world
    question = track.extend_question(world.question, load_family(world.entry.family).instance.relations)
    return replace(world, question=question, tools=[*world.tools, *track.tools])


def open_public_suite(directory: Path | str) -> PublicSuite:
    """Open the public half of a suite. The manifest must match the root it states, or the pinned one if it is the default."""
    directory = Path(directory)
    manifest, stated = load_manifest(directory)
    expected = pinned_root(manifest.suite) or stated
    if manifest.root != expected:
        raise InputError(
            f"the manifest of {format_value(directory)} is altered: its root is not {expected[:16]}...; restore or rebuild it"
        )
    return PublicSuite(directory, manifest)


MAX_CACHED_KEYS = 16
"""Answer keys cached per suite: the worlds of a pair and the trials of a world often follow each other."""

NO_RUN = Provenance("", "play", PlayerKind.EXTERNAL, 1)
"""The provenance of a record that belongs to no run."""


class InstanceFigures(NamedTuple):
    """Figures of one instance's worlds for the tables of a suite."""

    facts: list[int]
    """Sizes of the sufficient sets."""
    calls: list[int]
    """Number of calls of each plan."""
    costs: list[int]
    """Cost of each plan."""
    budgets: list[int]
    catalogs: list[int]
    """Cost of the full catalog of each world."""
    work: Work


@dataclass(frozen=True, repr=False)
class Suite(PublicSuite):
    """A suite on disk with its sealed half."""

    spec: SuiteSpec
    track: Track = BARE
    """What agents may use beside the tools of its worlds."""
    _keys: "OrderedDict[str, AnswerKey]" = field(default_factory=OrderedDict, repr=False, compare=False)
    _latest: "list[tuple[Any, Instance]]" = field(default_factory=list, repr=False, compare=False)
    """The last instance read, with its document: the worlds of a pair share it."""

    def play(self, world_id: str, calls: Iterable[Call] = (), programs: Iterable[Computed] = ()) -> "Play":
        """A world to play and score; earlier `calls` are made again first, with the known results of their `programs`."""
        entry = self.entry(world_id)
        return Play(self.key, entry, Episode(self.world(entry), calls, programs))

    def coordinate(self, entry: WorldEntry) -> Coordinate:
        """The coordinate of a world, with its condition."""
        if entry.tenths:
            return self.spec.point_coordinate(entry.family, entry.tenths, entry.index)
        return self.spec.coordinate(entry.family, entry.level, entry.index, entry.condition)

    def world(self, entry: WorldEntry) -> World:
        """A world to play; InputError if this version presents it differently from its bundle."""
        document = self._document(entry, "sealed/instance.json")["instance"]
        world = World(self.coordinate(entry), self._instance(entry.family, document), Interface(entry.interface))
        question, tools = self._document(entry, "question.json")["question"], self._document(entry, "tools.json")["tools"]
        if (world.id, world.question, world.tools) != (entry.id, question, tools):
            raise InputError(f"{entry.id} reads differently in this version: use the version that built the suite")
        return world if self.track is BARE else replace(world, track=self.track)

    def on_track(self, name: str) -> Self:
        """The same suite on another track."""
        return replace(self, track=find_track(name))

    def public_world(self, world_id: str) -> PublicWorld:
        """What an agent may see of a world, with what the track adds; a new document at every call."""
        return extend_public_world(super().public_world(world_id), self.track)

    def _instance(self, family: str, document: Any) -> Instance:
        for latest_document, latest in self._latest:
            if latest.family == family and latest_document == document:
                return latest
        instance: Instance = load_family(family).instance.from_json(document)
        self._latest[:] = [(document, instance)]
        return instance

    def key(self, entry: WorldEntry) -> AnswerKey:
        """The answer key of a world."""
        key = self._keys.get(entry.id)
        if key is None:
            scoring = self._document(entry, "sealed/scoring.json")
            sufficient_sets = self._document(entry, "sealed/validation.json")["sufficient_sets"]
            parse = load_family(entry.family).decision.parse
            decision, others = parse(scoring["decision"]), tuple(map(parse, scoring.get("optima", ())))[1:]
            facts = tuple(read_facts(sufficient["facts"]) for sufficient in sufficient_sets)
            value, reference = scoring["optimum"], scoring["reference_value"]
            key = AnswerKey(value, decision, reference, facts, self.certificate(entry), others)
            self._keys[entry.id] = key
            if len(self._keys) > MAX_CACHED_KEYS:
                self._keys.popitem(last=False)
        return key

    def certificate(self, entry: WorldEntry) -> Certificate | None:
        """The minimum cost of knowing a world's optimum; None if the suite was built without or it is unknown."""
        return read_certificate(self._document(entry, CERTIFICATE_FILE)) if CERTIFICATE_FILE in entry.files else None

    def stated_figures(self) -> dict[Coordinate, InstanceFigures]:
        """The figures that the bundles state, by instance; validation proves them, here they are only read."""
        by_coordinate: dict[Coordinate, InstanceFigures] = {}
        for entry in self.manifest.worlds:
            world, work = self.world(entry), Work(**self._document(entry, "sealed/scoring.json")["work"])
            coordinate = replace(self.coordinate(entry), condition=CLEAR)
            figures = by_coordinate.setdefault(coordinate, InstanceFigures([], [], [], [], [], work))
            sufficient_sets = self._document(entry, "sealed/validation.json")["sufficient_sets"]
            figures.facts.extend(sum(map(len, sufficient["facts"].values())) for sufficient in sufficient_sets)
            figures.calls.extend(map(len, world.plans.values()))
            figures.costs.extend(map(world.cost, world.plans.values()))
            figures.budgets.append(world.budget)
            figures.catalogs.append(world.cost(world.catalog))
        return by_coordinate


@dataclass(frozen=True, eq=False)
class Play:
    """One world in play, and all that it takes to score it.

    An agent gets `question`, `tools` and `budget`, and acts by `call`, which answers any input and never raises. `score()` and
    `record()` are for the evaluator: they hold the optimum. `call` is thread-safe. The state of a play is (world, calls), so
    `suite.play(id, play.calls)` continues it elsewhere.
    """

    load_key: Callable[[WorldEntry], AnswerKey]
    """Loads the answer key, from the sealed half of a suite or a world of a stream. Agents never see it."""
    entry: WorldEntry
    episode: Episode
    _lock: Any = field(default_factory=Lock, repr=False)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.entry.id}, {len(self.calls):,} calls>"

    @property
    def question(self) -> str:
        """The task as every agent reads it."""
        return self.episode.world.question

    @property
    def tools(self) -> list[JsonObject]:
        """The tools by name, description and JSON schema of their `parameters`; a new document at every access."""
        return self.episode.world.tools

    @property
    def budget(self) -> int:
        """The total that may be spent on calls; every answer states what is left."""
        return self.episode.world.budget

    def call(self, tool: str, arguments: Any = None) -> Observation:
        """Make a call with parsed arguments or JSON text; returns its status, its charge, and the text that an agent sees."""
        with self._lock:
            return self.episode.call(tool, arguments)

    @property
    def done(self) -> bool:
        """Whether the episode has ended, by a submission or by a cap; later calls are refused."""
        return self.episode.stop is not None

    @property
    def calls(self) -> tuple[Call, ...]:
        """Every call that the agent made before the end, to be replayed; the calls of programs follow from them."""
        return tuple(self.episode.own_calls)

    @property
    def programs(self) -> tuple[Computed, ...]:
        """What the programs of the play came to, to be replayed with its calls."""
        return tuple(self.episode.computed.values())

    def restart(self) -> Self:
        """The same world, not played yet."""
        return type(self)(self.load_key, self.entry, Episode(self.episode.world, mode=self.episode.mode))

    def score(self) -> JsonObject:
        """Every measure of the play so far, by name; `algoworlds.MEASURES` defines them."""
        return score(self.episode, self.load_key(self.entry))

    def reward(self, name: str) -> Fraction:
        """The reward `name` of the play so far; `algoworlds.REWARDS` defines them."""
        return find_reward(name).compute(Hindsight.from_episode(self.episode, self.load_key(self.entry)))

    def step_rewards(self, reward: str, shaping: str | None = None, discount: Fraction | int = 1) -> StepRewards:
        """The rewards of the play step by step, for training."""
        return StepRewards(self.episode, self.load_key(self.entry), reward, shaping, discount)

    def record(self, provenance: Provenance = NO_RUN, stop_reason: str | None = None) -> JsonObject:
        """The record of this evaluation, as a run writes it; `stop_reason` says why a play stopped before its end."""
        trajectory = FinishedTrajectory.from_episode(self.episode, stop_reason)
        return build_record(provenance, self.entry, self.load_key(self.entry), trajectory)


def open_suite(directory: Path | str, track: str = BARE.name) -> Suite:
    """Open a suite with its sealed files, to play and to score; `track` says what agents may use beside the tools."""
    public = open_public_suite(directory)
    path = public.directory / "sealed" / "suite.json"
    try:
        text = read_regular_file(path).decode()
        spec = SuiteSpec.from_json(json.loads(text))
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(
            f"{format_value(directory)} has no readable sealed/suite.json: scoring needs the sealed files"
        ) from None
    if sha256_hex(text) != public.manifest.suite_files.get("sealed/suite.json"):
        raise InputError(f"{format_value(path)} is altered; algoworlds verify says what is wrong")
    return Suite(public.directory, public.manifest, spec, find_track(track))
