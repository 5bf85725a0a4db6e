"""The public half of a suite: what agents may see of its worlds, read without any sealed file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from algoworlds.core.canonical import digest
from algoworlds.disk import read_plain
from algoworlds.errors import InputError, quoted, shown
from algoworlds.suites.manifest import Entry, Manifest, load, pinned


@dataclass(frozen=True)
class Presented:
    """All that an agent may see of a world before its first call, and where the world stands in its suite."""

    entry: Entry
    question: str
    tools: list[dict[str, Any]]
    """Every tool by name, description and the JSON schema of its `parameters`."""
    prices: dict[str, int]
    """Of the tools that cost anything."""
    budget: int
    call_cap: int
    """Information calls that may be executed."""
    attempt_cap: int
    """Calls of any kind that may be made."""


@dataclass(frozen=True)
class PublicSuite:
    """The public half of a suite on disk, every file held to the manifest's digest when it is read."""

    directory: Path
    manifest: Manifest

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """The manifest's entries by world id, in its order."""
        return MappingProxyType({entry.id: entry for entry in self.manifest.worlds})

    def entry(self, world_id: str) -> Entry:
        """The entry of a world; InputError if the suite has none of that id."""
        if world_id not in self.entries:
            known = f"the first of its {len(self.entries)} is {self.manifest.worlds[0].id}" if self.entries else "it has none"
            raise InputError(f"{shown(self.directory)} has no world {quoted(world_id)}; {known}")
        return self.entries[world_id]

    def presented(self, world_id: str) -> Presented:
        """What an agent may see of a world; a new document whenever it is asked for."""
        entry = self.entry(world_id)
        told = self._document(entry, "tools.json")
        asked = {name: told[name] for name in ("tools", "prices", "budget", "call_cap", "attempt_cap")}
        return Presented(entry, self._document(entry, "question.json")["question"], **asked)

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


def open_public(directory: Path | str) -> PublicSuite:
    """Open the public half of a suite; its manifest must state its own root, and the development split's the one built in."""
    directory = Path(directory)
    manifest, stated = load(directory)
    expected = pinned().root if manifest.suite == "default" else stated
    if manifest.root != expected:
        raise InputError(
            f"the manifest of {shown(directory)} is altered: its root is not {expected[:16]}...; restore or rebuild it"
        )
    return PublicSuite(directory, manifest)
