"""Small suites for tests, and helpers to forge one: alter its files, then rewrite its manifest to agree."""

import json
from dataclasses import replace

from algoworlds.core.canonical import sha256_hex
from algoworlds.suites.manifest import MANIFEST_NAME, load_manifest
from algoworlds.suites.suite import SuiteSpec

FAMILIES = ("basket_assembly", "fleet_dispatch")
SUITE = SuiteSpec("part", "test seed", FAMILIES, (0,), 2)
SEED = "0f8e7d6c5b4a39281706f5e4d3c2b1a0"
PEPPER = "00112233445566778899aabbccddeeff"
SMALL = SuiteSpec("fresh", SEED, ("fleet_dispatch",), (0,), 1, pepper=PEPPER)


def contents(directory):
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def rewrite_manifest(directory):
    """Rewrite the manifest so that it agrees with the current files."""
    manifest, _ = load_manifest(directory)
    now = {path: sha256_hex((directory / path).read_text()) for path in manifest.digests}
    worlds = tuple(
        replace(entry, files={path: now[f"worlds/{entry.id}/{path}"] for path in entry.files}) for entry in manifest.worlds
    )
    suite_files = {path: now[path] for path in manifest.suite_files}
    (directory / MANIFEST_NAME).write_text(replace(manifest, worlds=worlds, suite_files=suite_files).text)


def read_json(directory, name):
    """A JSON file of the first bundle."""
    return json.loads(first_file(directory, name).read_text())


def first_file(directory, name):
    return sorted(directory.glob(f"worlds/*/{name}"))[0]
