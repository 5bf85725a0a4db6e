"""A suite opened for evaluation: worlds to play and the sealed keys to score them with. Nothing here solves anything."""

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from algoworlds.core.canonical import digest
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Interface
from algoworlds.core.work import Work
from algoworlds.disk import read_plain
from algoworlds.errors import InputError, shown
from algoworlds.families import family as family_named
from algoworlds.measures.certificate import Certificate
from algoworlds.measures.key import Key
from algoworlds.suites.documents import CERTIFICATE, read_certificate, read_facts
from algoworlds.suites.manifest import Entry, Manifest, load, pinned
from algoworlds.suites.suite import Suite
from algoworlds.worlds.admit import Coordinate
from algoworlds.worlds.world import World

KEPT = 16
"""Keys held in memory; the two worlds of a pair and the trials of a world often follow each other."""


class Stated(NamedTuple):
    """Figures of one instance's worlds: fact counts, calls and costs of the plans, budgets, catalogs, and the work."""

    facts: list[int]
    calls: list[int]
    costs: list[int]
    budgets: list[int]
    catalogs: list[int]
    work: Work


@dataclass(frozen=True)
class Opened:
    """A suite on disk, every file held to the manifest's digest when it is read."""

    directory: Path
    manifest: Manifest
    suite: Suite
    _keys: "OrderedDict[str, Key]" = field(default_factory=OrderedDict, repr=False, compare=False)
    _latest: "list[tuple[Any, Instance]]" = field(default_factory=list, repr=False, compare=False)
    """The instance read last with its document: the worlds of a pair, which often follow each other, share it."""

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """The manifest's entries by world id."""
        return MappingProxyType({entry.id: entry for entry in self.manifest.worlds})

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
        self._latest[:] = [(document, family_named(family).instance.from_json(document))]
        return self._latest[0][1]

    def key(self, entry: Entry) -> Key:
        """The key of a world."""
        if entry.id not in self._keys:
            self._keys[entry.id] = self._read_key(entry)
            if len(self._keys) > KEPT:
                self._keys.popitem(last=False)
        return self._keys[entry.id]

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

    def _document(self, entry: Entry, path: str) -> Any:
        return json.loads(self._text(entry, path))

    def _text(self, entry: Entry, path: str) -> str:
        place = self.directory / "worlds" / entry.id / path
        try:
            text = read_plain(place).decode()
        except (OSError, UnicodeDecodeError):
            raise InputError(f"{shown(place)} cannot be read; algoworlds verify says what is wrong") from None
        if digest(text) != entry.files.get(path):
            raise InputError(f"{shown(place)} is altered; algoworlds verify says what is wrong")
        return text


def open_suite(directory: Path) -> Opened:
    """Open a suite; its manifest must state its own root, and the development split's the one built in."""
    manifest, stated = load(directory)
    expected = pinned().root if manifest.suite == "default" else stated
    if manifest.root != expected:
        raise InputError(
            f"the manifest of {shown(directory)} is altered: its root is not {expected[:16]}...; restore or rebuild it"
        )
    path = directory / "sealed" / "suite.json"
    try:
        text = read_plain(path).decode()
        suite = Suite.from_json(json.loads(text))
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{shown(directory)} has no readable sealed/suite.json: scoring needs the sealed files") from None
    if digest(text) != manifest.others.get("sealed/suite.json"):
        raise InputError(f"{shown(path)} is altered; algoworlds verify says what is wrong")
    return Opened(directory, manifest, suite)
