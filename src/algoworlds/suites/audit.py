"""The leak audit of the bytes on disk: every public file of a bundle, the suite's own files, and the salts of sealed ones."""

import re
from collections import Counter
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


def suite_leaks(found: Inspected, suite: Suite, secrets: dict[str, Secrets], salted: list[str]) -> list[Unit]:
    """One unit for each file that belongs to the whole suite, and one for the salts that keep digests from being guessed."""
    manifest = found.manifest
    ids = [entry.id for entry in manifest.worlds]
    places = {number for entry in manifest.worlds for number in (entry.level, entry.index, entry.attempt, FORMAT)}
    digests = frozenset([*manifest.paths.values(), manifest.root])
    texts = {
        "README.md": (found.text("README.md"), readme(suite), numbers(_stripped(readme(suite), ids)), frozenset()),
        NAME: (found.text(NAME), manifest.text, places, digests),
    }
    units: list[Unit] = []
    for name, (text, expected, stated, known) in texts.items():
        bare = _stripped(text, ids)
        told_of = ((world, told(bare, secret, stated, known)) for world, secret in secrets.items())
        problem = next((f"tells {found} of {world}" for world, found in told_of if found), None)
        units.append((name, problem or (None if text == expected else "holds more than it should")))
    guessable = [salt for salt, count in Counter(salted).items() if count > 1 or not _SALT.fullmatch(salt)]
    return [*units, ("salts", "a sealed file has no salt of its own, so its digest can be guessed" if guessable else None)]
