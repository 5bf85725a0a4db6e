"""A suite opened for evaluation: worlds to play and the sealed keys to score them with. Nothing here solves anything.

`open_suite(path).play(world_id)` is the seam that every door for agents and harnesses opens on.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Self

from algoworlds.core.canonical import digest
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Interface
from algoworlds.core.tool import Call
from algoworlds.core.work import Work
from algoworlds.disk import read_plain
from algoworlds.errors import InputError, shown
from algoworlds.families import family as family_named
from algoworlds.knowledge.certificate import Certificate
from algoworlds.measures.hindsight import Hindsight
from algoworlds.measures.key import Key
from algoworlds.measures.rewards import reward_named
from algoworlds.measures.scoring import score
from algoworlds.measures.shaping import Meter
from algoworlds.suites.documents import CERTIFICATE, read_certificate, read_facts
from algoworlds.suites.manifest import Entry
from algoworlds.suites.public import PublicSuite, open_public
from algoworlds.suites.record import Kind, Played, Whose, record
from algoworlds.suites.suite import Suite
from algoworlds.worlds.admit import Coordinate
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Observation
from algoworlds.worlds.world import World

KEPT = 16
"""Keys held in memory; the two worlds of a pair and the trials of a world often follow each other."""


NOBODY = Whose("", "play", Kind.EXTERNAL, 1)
"""Whose a record is that belongs to no run."""


class Stated(NamedTuple):
    """Figures of one instance's worlds: fact counts, calls and costs of the plans, budgets, catalogs, and the work."""

    facts: list[int]
    calls: list[int]
    costs: list[int]
    budgets: list[int]
    catalogs: list[int]
    work: Work


@dataclass(frozen=True)
class Opened(PublicSuite):
    """A suite on disk with its sealed half."""

    suite: Suite
    _keys: "OrderedDict[str, Key]" = field(default_factory=OrderedDict, repr=False, compare=False)
    _latest: "list[tuple[Any, Instance]]" = field(default_factory=list, repr=False, compare=False)
    """The instance read last with its document: the worlds of a pair, which often follow each other, share it."""

    def play(self, world_id: str, calls: Iterable[Call] = ()) -> "Play":
        """A world to be played and scored, by its id in this suite; calls made before are made again first."""
        entry = self.entry(world_id)
        return Play(self.key, entry, Episode(self.world(entry), calls))

    def coordinate(self, entry: Entry) -> Coordinate:
        """Where a world's instance stands."""
        return self.suite.coordinate(entry.family, entry.level, entry.index)

    def world(self, entry: Entry) -> World:
        """A world to play; refused if this version would present it otherwise than its bundle says."""
        document = self._document(entry, "sealed/instance.json")["instance"]
        world = World(self.coordinate(entry), self._instance(entry.family, document), Interface(entry.interface))
        asked, tools = self._document(entry, "question.json")["question"], self._document(entry, "tools.json")["tools"]
        if (world.id, world.question, world.tools) != (entry.id, asked, tools):
            raise InputError(f"{entry.id} reads differently in this version: use the version that built the suite")
        return world

    def _instance(self, family: str, document: Any) -> Instance:
        for known, instance in self._latest:
            if instance.family == family and known == document:
                return instance
        read: Instance = family_named(family).instance.from_json(document)
        self._latest[:] = [(document, read)]
        return read

    def key(self, entry: Entry) -> Key:
        """The key of a world."""
        key = self._keys.get(entry.id)
        if key is None:
            key = self._keys[entry.id] = self._read_key(entry)
            if len(self._keys) > KEPT:
                self._keys.popitem(last=False)
        return key

    def _read_key(self, entry: Entry) -> Key:
        scoring = self._document(entry, "sealed/scoring.json")
        listed = self._document(entry, "sealed/validation.json")["sufficient_sets"]
        decision = family_named(entry.family).decision.parse(scoring["decision"])
        sets = tuple(read_facts(each["facts"]) for each in listed)
        return Key(scoring["optimum"], decision, scoring["reference_value"], sets, self.certificate(entry))

    def certificate(self, entry: Entry) -> Certificate | None:
        """What knowing a world's optimum costs at least; None if the suite was built without, or if nobody can say."""
        return read_certificate(self._document(entry, CERTIFICATE)) if CERTIFICATE in entry.files else None

    def stated(self) -> "dict[Coordinate, Stated]":
        """The figures that the bundles state, by instance: what validation has proven, read back without proving it again."""
        found: dict[Coordinate, Stated] = {}
        for entry in self.manifest.worlds:
            world, work = self.world(entry), Work(**self._document(entry, "sealed/scoring.json")["work"])
            mine = found.setdefault(self.coordinate(entry), Stated([], [], [], [], [], work))
            listed = self._document(entry, "sealed/validation.json")["sufficient_sets"]
            mine.facts.extend(sum(map(len, each["facts"].values())) for each in listed)
            mine.calls.extend(map(len, world.plans.values()))
            mine.costs.extend(map(world.cost, world.plans.values()))
            mine.budgets.append(world.budget)
            mine.catalogs.append(world.cost(world.catalog))
        return found


@dataclass(frozen=True, eq=False)
class Play:
    """One world in play, and all that it takes to score it.

    `question`, `tools` and `budget` are what an agent is told, and `call` is all that it can do: whatever it gives is answered,
    nothing raises. `score()` and `record()` are for whoever evaluates it: they hold the optimum. Calls may come from several
    threads; each is answered and charged by itself. State is (world, calls): `suite.play(id, play.calls)` goes on elsewhere.
    """

    key: Callable[[Entry], Key]
    """Who holds the keys: a suite with its sealed half, or a world of a stream. No agent is shown one."""
    entry: Entry
    episode: Episode
    _lock: Any = field(default_factory=Lock, repr=False)

    @property
    def question(self) -> str:
        """The task as an agent reads it: the same text for everybody."""
        return self.episode.world.question

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools by name, description and JSON schema of their `parameters`; a new document whenever it is asked for."""
        return self.episode.world.tools

    @property
    def budget(self) -> int:
        """What may be spent on calls in all; every answer tells what is left."""
        return self.episode.world.budget

    def call(self, tool: str, arguments: Any = None) -> Observation:
        """Make a call, by parsed arguments or JSON text: its status, what it was charged, and the text that an agent sees."""
        with self._lock:
            return self.episode.call(tool, arguments)

    @property
    def done(self) -> bool:
        """Whether the episode has ended: by a submission or by a cap. Whatever is called now is refused."""
        return self.episode.stop is not None

    @property
    def calls(self) -> tuple[Call, ...]:
        """Every call made before the end, as it can be made again."""
        return tuple(self.episode.calls)

    def anew(self) -> Self:
        """The same world, not played yet."""
        return type(self)(self.key, self.entry, Episode(self.episode.world))

    def score(self) -> dict[str, Any]:
        """Every measure of the play as it stands, by name; `algoworlds.MEASURES` says what each means."""
        return score(self.episode, self.key(self.entry))

    def reward(self, name: str) -> Fraction:
        """What the play has earned as it stands, by the name of a reward; `algoworlds.REWARDS` says what each means."""
        return reward_named(name).of(Hindsight.of(self.episode, self.key(self.entry)))

    def meter(self, reward: str, shaping: str | None = None, discount: Fraction | int = 1) -> Meter:
        """What pays the play step by step, for who trains."""
        return Meter(self.episode, self.key(self.entry), reward, shaping, discount)

    def record(self, whose: Whose = NOBODY, stop_reason: str | None = None) -> dict[str, Any]:
        """The record that a run leaves of this evaluation; who stops before the end of an episode may say why."""
        return record(whose, self.entry, self.key(self.entry), Played.by_calls(self.episode, stop_reason))


def open_suite(directory: Path | str) -> Opened:
    """Open a suite with its sealed files, to play and to score."""
    public = open_public(directory)
    path = public.directory / "sealed" / "suite.json"
    try:
        text = read_plain(path).decode()
        suite = Suite.from_json(json.loads(text))
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{shown(directory)} has no readable sealed/suite.json: scoring needs the sealed files") from None
    if digest(text) != public.manifest.others.get("sealed/suite.json"):
        raise InputError(f"{shown(path)} is altered; algoworlds verify says what is wrong")
    return Opened(public.directory, public.manifest, suite)
