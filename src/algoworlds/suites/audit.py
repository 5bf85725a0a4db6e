"""The leak audit of the bytes on disk: every public file of a bundle, the suite's own files, and the salts of sealed ones."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from algoworlds.suites.build import readme
from algoworlds.suites.claims.claim import Unit
from algoworlds.suites.claims.leaks import Secrets, numbers, stated_numbers, told, unrelied
from algoworlds.suites.documents import CANARY, PUBLIC, public_documents
from algoworlds.suites.manifest import FORMAT, NAME, Inspected
from algoworlds.suites.suite import Suite
from algoworlds.worlds.world import World

_SALT = re.compile(r"[0-9a-f]{32}")


def bundle_leak(files: dict[str, str], secret: Secrets, world: World) -> str | None:
    """What the public files of a bundle tell, if anything: a secret, or more than the public tables give."""
    expected = public_documents(world)
    for name in PUBLIC:
        found = told(_stripped(unrelied(files[name], world), [world.id]), secret, stated_numbers(world))
        if found is not None:
            return f"{name} tells {found}"
        if files[name] != expected[name]:
            return f"{name} is not what the public tables give"
    return None


def _stripped(text: str, ids: list[str]) -> str:
    """A text without the canary and the names of worlds, whose digits are no numbers."""
    for known in (CANARY, *sorted(ids, key=len, reverse=True)):
        text = text.replace(known, " ")
    return text


def salts(documents: dict[str, Any]) -> list[str]:
    """The salts of a bundle's sealed files; one that lacks it counts as empty."""
    return [str(document.get("salt", "")) for name, document in documents.items() if name not in PUBLIC]


class SuiteAudit:
    """The files that belong to the whole suite, searched for the secrets of one world after the other."""

    def __init__(self, found: Inspected, suite: Suite) -> None:
        manifest = found.manifest
        ids = [entry.id for entry in manifest.worlds]
        places = {number for entry in manifest.worlds for number in (entry.level, entry.index, entry.attempt, FORMAT)}
        digests = frozenset([*manifest.paths.values(), manifest.root])
        texts = {"README.md": (found.text("README.md"), readme(suite)), NAME: (found.written, manifest.text)}
        stated = {"README.md": numbers(_stripped(readme(suite), ids)), NAME: places}
        known = {"README.md": frozenset[str](), NAME: digests}
        self._searched = {name: (_stripped(text, ids), stated[name], known[name]) for name, (text, _) in texts.items()}
        self._more = {name for name, (text, expected) in texts.items() if text != expected}
        self._told: dict[str, dict[str, str]] = {name: {} for name in texts}
        self._salts = Counter[str]()

    def search(self, world: str, secret: Secrets) -> None:
        """Look for what a file tells of a world."""
        for name, (text, stated, known) in self._searched.items():
            if (found := told(text, secret, stated, known)) is not None:
                self._told[name][world] = found

    def salted(self, salts: Iterable[str]) -> None:
        """Take in the salts of sealed files."""
        self._salts.update(salts)

    @property
    def units(self) -> list[Unit]:
        """One unit for each file, and one for the salts that keep digests from being guessed."""
        units: list[Unit] = []
        for name, worlds in self._told.items():
            problem = next((f"tells {worlds[world]} of {world}" for world in sorted(worlds)), None)
            units.append((name, problem or ("holds more than it should" if name in self._more else None)))
        guessable = any(count > 1 or not _SALT.fullmatch(salt) for salt, count in self._salts.items())
        return [*units, ("salts", "a sealed file has no salt of its own, so its digest can be guessed" if guessable else None)]
