"""Small suites on disk for tests, and how to forge one: alter its files, then make its manifest agree."""

import json
from dataclasses import replace

from algoworlds.core.canonical import digest
from algoworlds.suites.manifest import NAME, load
from algoworlds.suites.suite import Suite

FAMILIES = ("basket_assembly", "fleet_dispatch")
SUITE = Suite("part", "test seed", FAMILIES, (0,), 2)
SEED = "0f8e7d6c5b4a39281706f5e4d3c2b1a0"
PEPPER = "00112233445566778899aabbccddeeff"
SMALL = Suite("fresh", SEED, ("fleet_dispatch",), (0,), 1, pepper=PEPPER)


def contents(directory):
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def remade(directory):
    """Write the manifest anew, so that it agrees with the files as they are now."""
    manifest, _ = load(directory)
    now = {path: digest((directory / path).read_text()) for path in manifest.paths}
    worlds = tuple(
        replace(entry, files={path: now[f"worlds/{entry.id}/{path}"] for path in entry.files}) for entry in manifest.worlds
    )
    others = {path: now[path] for path in manifest.others}
    (directory / NAME).write_text(replace(manifest, worlds=worlds, others=others).text)


def parsed(directory, name):
    """A JSON file of the first bundle."""
    return json.loads(first(directory, name).read_text())


def first(directory, name):
    return sorted(directory.glob(f"worlds/*/{name}"))[0]
