"""The public half of a suite: what agents may see of its worlds, read without any sealed file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from algoworlds.core.canonical import sha256_hex
from algoworlds.disk import read_regular_file
from algoworlds.errors import InputError, format_value, quote_value
from algoworlds.suites.manifest import Manifest, WorldEntry, default_manifest, load_manifest


@dataclass(frozen=True)
class PublicWorld:
    """All that an agent may see of a world before its first call, with the world's manifest entry."""

    entry: WorldEntry
    question: str
    tools: list[dict[str, Any]]
    """Every tool by name, description and the JSON schema of its `parameters`."""
    prices: dict[str, int]
    """Prices of the tools that are not free."""
    budget: int
    call_cap: int
    """Information calls that may be executed."""
    attempt_cap: int
    """Calls of any kind that may be made."""


@dataclass(frozen=True)
class PublicSuite:
    """The public half of a suite on disk; every file is compared with its digest in the manifest when it is read."""

    directory: Path
    manifest: Manifest

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


def open_public_suite(directory: Path | str) -> PublicSuite:
    """Open the public half of a suite. The manifest must match the root it states, or the pinned one if it is the default."""
    directory = Path(directory)
    manifest, stated = load_manifest(directory)
    expected = default_manifest().root if manifest.suite == "default" else stated
    if manifest.root != expected:
        raise InputError(
            f"the manifest of {format_value(directory)} is altered: its root is not {expected[:16]}...; restore or rebuild it"
        )
    return PublicSuite(directory, manifest)
