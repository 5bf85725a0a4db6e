"""The release of the paper's authors: its files become instances of ours, and decisions become its submissions.

The format is read as its facts are known, strictly where a value matters and tolerantly otherwise: additional fields are
ignored, and tables are found by the fields of their rows. Every file is compared with its digest, and both interfaces of a pair
must describe the same instance.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from algoworlds.core.canonical import JSON_INTEGER_LIMIT, JsonObject, canonical_json, strict_loads
from algoworlds.core.interface import Interface
from algoworlds.disk import read_regular_file
from algoworlds.errors import InputError, Malformed, format_value, quote_value
from algoworlds.families import FAMILIES
from algoworlds.families.published import Converted, Problem, Published
from algoworlds.suites.imported import ImportedInstance, build_imported_suite
from algoworlds.suites.manifest import Manifest
from algoworlds.suites.open import Suite
from algoworlds.suites.suite import SuiteSpec
from algoworlds.worlds.admission import Coordinate

SUITE_NAME = "release"
"""The name of the suite that a release becomes."""
MANIFEST_PATH = "benchmark/MANIFEST.json"
MANIFEST_SCHEMA = "algoworlds_benchmark_manifest/"
CERTIFICATE_SCHEMA = "algoworlds_exact_certificate/1"
INSTANCE_SCHEMA = "algoworlds_frozen_instance/1"
SUBMISSIONS_SCHEMA = "algoworlds_submissions/1"
ATTRIBUTION = {
    "title": "AlgoWorlds: Benchmarking Tool Use for Global Optimization in Algorithmic Worlds (released instances)",
    "creators": "Zixiang Xu, Jiaan Wang, Fandong Meng; Weixin AI",
    "license": "CC BY 4.0",
    "url": "https://xzx34.github.io/AlgoWorlds/",
    "changes": "tables converted to the format of this package; questions and answers are worded by this package",
}
_WORLD_ID = re.compile(r"algoworlds/([a-z_]+)/L([1-4])/instance-([1-3])/(direct|mediated)")
_INSTANCE_PATH = re.compile(r"arm_([01])/r([1-4])_w([0-2])\.json$")


@dataclass(frozen=True)
class PublishedWorld:
    """One world of the release."""

    id: str
    family: str
    level: int
    index: int
    interface: Interface
    path: str
    prices: dict[str, int]
    budget: int
    optimum: int
    latent_digest: str
    converted: Converted | None
    """None if a value is 2^53 or more."""


@dataclass(frozen=True)
class PublishedInstance:
    """A hidden instance of the release, with its worlds."""

    family: str
    level: int
    index: int
    worlds: tuple[PublishedWorld, ...]
    instance: Any
    """None if a value is 2^53 or more: this package computes with exact integers below that."""
    shift: int = 0
    edges: dict[str, list[str]] = field(default_factory=dict)
    """The edges in the Mediated interface that make up an arc."""


@dataclass(frozen=True)
class Release:
    """A checkout of the release whose files are intact."""

    digest: str
    """SHA-256 of its manifest."""
    instances: tuple[PublishedInstance, ...]


def published_format(family: str) -> Published:
    """How the published instances of a family become ours."""
    published: Published = import_module(f"algoworlds.families.{family}.published").PUBLISHED
    return published


# -- files ----------------------------------------------------------------------------------------------------------------


def read_release(directory: Path) -> Release:
    """Read a checkout; InputError names the first file that is missing, altered or not as published."""
    root = directory if (directory / MANIFEST_PATH).is_file() else directory.parent
    manifest_path = root / MANIFEST_PATH
    if not manifest_path.is_file():
        raise InputError(f"{format_value(directory)} is not a release: it has no {MANIFEST_PATH}")
    content = read_regular_file(manifest_path)
    files = _read_file(MANIFEST_PATH, lambda: _manifest_files(_parse(content)))
    texts: dict[str, bytes] = {}
    for path, digest in files.items():
        texts[path] = _read_published(root, path)
        if sha256(texts[path]).hexdigest() != digest:
            raise InputError(f"{format_value(path)} is altered: its SHA-256 is not the one in {MANIFEST_PATH}")
    by_digest = {digest: path for path, digest in files.items() if "/certificates/" not in path}
    worlds: dict[tuple[str, int, int], dict[Interface, PublishedWorld]] = {}
    for path in sorted(path for path in files if "/certificates/" in path):
        world = _read_file(path, lambda path=path: _read_world(path, texts, by_digest))  # type: ignore[misc]
        pair = worlds.setdefault((world.family, world.level, world.index), {})
        if world.interface in pair:
            raise InputError(f"{format_value(path)}: there is another certificate of {world.id}")
        pair[world.interface] = world
    if len(by_digest) != sum(map(len, worlds.values())):
        raise InputError(f"{MANIFEST_PATH} lists {len(by_digest)} instances and {sum(map(len, worlds.values()))} certificates")
    order = list(FAMILIES)
    keys = sorted(worlds, key=lambda key: (order.index(key[0]), *key[1:]))
    return Release(sha256(content).hexdigest(), tuple(_join_pair(worlds[key]) for key in keys))


def _read_file(path: str, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except Problem as problem:
        raise InputError(f"{format_value(path)}: {problem}") from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as problem:
        what = f"the field {problem}" if isinstance(problem, KeyError) else str(problem)
        raise InputError(f"{format_value(path)} is not as published: {what} is missing or wrong") from None


def _read_published(root: Path, path: str) -> bytes:
    if Path(path).is_absolute() or ".." in Path(path).parts:
        raise InputError(f"{MANIFEST_PATH} names the file {quote_value(path)}, which lies outside the release")
    file = next((file for file in (root / path, root / "benchmark" / path) if file.is_file()), None)
    if file is None or not file.resolve().is_relative_to(root.resolve()):
        raise InputError(f"{format_value(path)} is missing: get the whole release")
    try:
        return read_regular_file(file)
    except OSError:
        raise InputError(f"{format_value(path)} cannot be read: get the whole release") from None


def _parse(content: bytes) -> Any:
    try:
        document = strict_loads(content.decode())
    except (Malformed, UnicodeDecodeError) as problem:
        raise Problem(f"it is not JSON ({problem})") from None
    if not isinstance(document, dict):
        raise Problem("it is not a JSON object")
    return document


def _manifest_files(document: JsonObject) -> dict[str, str]:
    schema = document.get("schema_version", MANIFEST_SCHEMA)
    if not str(schema).startswith(MANIFEST_SCHEMA):
        raise Problem(f"its schema is {quote_value(schema)}, not {MANIFEST_SCHEMA}...")
    files: dict[str, str] = {}
    for kind in ("instances", "certificates"):
        listed = document["artifact_integrity"][kind]
        if listed["count"] != len(listed["files"]):
            raise Problem(f"it counts {listed['count']} {kind} and lists {len(listed['files'])}")
        if wrong := [path for path, digest in listed["files"].items() if not re.fullmatch("[0-9a-f]{64}", str(digest))]:
            raise Problem(f"{format_value(wrong[0])} has no SHA-256 digest")
        files |= listed["files"]
    return files


def _read_world(path: str, texts: Mapping[str, bytes], by_digest: Mapping[str, str]) -> PublishedWorld:
    """The world of the certificate at `path`."""
    certificate = _parse(texts[path])
    match = _WORLD_ID.fullmatch(certificate["algorithmic_world_id"])
    if match is None or match[1] not in FAMILIES:
        raise Problem(f"{quote_value(certificate['algorithmic_world_id'])} is not a world of the release")
    family, level, index, interface = match[1], int(match[2]), int(match[3]), Interface(match[4])
    if certificate["schema_version"] != CERTIFICATE_SCHEMA:
        raise Problem(f"its schema is {quote_value(certificate['schema_version'])}, not {CERTIFICATE_SCHEMA}")
    sense = FAMILIES[family].sense.value
    if certificate["objective_sense"] != sense:
        raise Problem(f"its sense is {quote_value(certificate['objective_sense'])}, not {sense}")
    if type(certificate["certified_optimum"]) is not int:
        raise Problem("its optimum is not an integer")
    source = by_digest.get(certificate["instance_sha256"])
    if source is None:
        raise Problem("no instance file has the digest that it certifies")
    place = _INSTANCE_PATH.search(source)
    arm = int(interface is Interface.MEDIATED)
    if place is not None and tuple(map(int, place.groups())) != (arm, level, index - 1):
        raise Problem(f"it certifies {format_value(source)}, which is another world than {match[0]}")
    document = _read_file(source, lambda: _parse(texts[source]))
    prices, budget, converted = _read_file(source, lambda: _read_instance(document, family, arm))
    return PublishedWorld(
        match[0],
        family,
        level,
        index,
        interface,
        source,
        prices,
        budget,
        certificate["certified_optimum"],
        str(certificate["latent_instance_sha256"]),
        converted,
    )


def _read_instance(document: JsonObject, family: str, arm: int) -> tuple[dict[str, int], int, Converted | None]:
    if document["schema_version"] != INSTANCE_SCHEMA:
        raise Problem(f"its schema is {quote_value(document['schema_version'])}, not {INSTANCE_SCHEMA}")
    if document["arm_index"] != arm:
        raise Problem(f"its arm_index is {quote_value(document['arm_index'])}, not {arm}")
    payload = document["payload"]
    prices = payload.get("cost_vector", payload.get("query_costs"))
    if not isinstance(prices, dict) or not all(type(price) is int for price in prices.values()):
        raise Problem("its cost_vector is not an object of integers")
    too_large = any(abs(number) >= JSON_INTEGER_LIMIT for number in _integers(payload))
    return prices, payload["cost_budget"], None if too_large else published_format(family).convert(payload)


def _join_pair(pair: Mapping[Interface, PublishedWorld]) -> PublishedInstance:
    """The hidden instance behind both interfaces; InputError unless they describe the same one."""
    first = next(iter(pair.values()))
    if set(pair) != {Interface.DIRECT, Interface.MEDIATED}:
        raise InputError(f"{first.id} has no counterpart in the other interface: get the whole release")
    direct, mediated = pair[Interface.DIRECT], pair[Interface.MEDIATED]
    name = f"{direct.id} and {mediated.interface.value}"
    same = (direct.optimum, direct.latent_digest) == (mediated.optimum, mediated.latent_digest)
    if not same or (direct.prices, direct.budget) != (mediated.prices, mediated.budget):
        raise InputError(f"{name} have different optima, latent digests, prices or budgets")
    worlds = (direct, mediated)
    if direct.converted is None or mediated.converted is None:
        return PublishedInstance(direct.family, direct.level, direct.index, worlds, None)
    one, other = direct.converted, mediated.converted
    published = published_format(direct.family)
    if published.comparable(one) != published.comparable(other):
        raise InputError(f"{name} are different instances: {format_value(mediated.path)} does not fit the other")
    kind = FAMILIES[direct.family].instance
    instance = _read_file(direct.path, lambda: kind(**one.tables))
    return PublishedInstance(
        direct.family, direct.level, direct.index, worlds, instance, one.shift, published.join_edges(one, other)
    )


def _integers(value: Any) -> Iterator[int]:
    if type(value) is int:
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _integers(item)
    elif isinstance(value, list):
        for item in value:
            yield from _integers(item)


# -- submissions ----------------------------------------------------------------------------------------------------------


def encode_submissions(source: JsonObject, decisions: Mapping[str, JsonObject | None], label: str) -> bytes:
    """The file submissions.json of a trial: `decisions` by world id of ours; worlds without one have a null decision."""
    published: dict[str, JsonObject | None] = dict.fromkeys((*source["ids"].values(), *source["left_out"]))
    for world, name in source["ids"].items():
        decision = decisions.get(world)
        if decision is not None:
            key = FAMILIES[name.split("/")[1]].decision.argument_specs[0].argument
            published[name] = {key: _published_value(source, world, name, decision[key])}
    entries = [
        {"algorithmic_world_id": name, "final_decision": decision} for name, decision in sorted(published.items(), key=_order)
    ]
    document = {
        "schema_version": SUBMISSIONS_SCHEMA,
        "benchmark_manifest_sha256": source["manifest_sha256"],
        "entries": entries,
        "metadata": {"model_label": label},
    }
    return json.dumps(document, indent=1).encode() + b"\n"


def _order(item: tuple[str, Any]) -> tuple[int, str]:
    return list(FAMILIES).index(item[0].split("/")[1]), item[0]


def _published_value(source: JsonObject, world: str, name: str, value: Any) -> Any:
    edges = source["edges"].get(name.rpartition("/")[0])
    if edges is None or not name.endswith("/mediated"):
        return value
    return [edge for arc in value for edge in edges.get(arc, [arc])]


# -- suites ---------------------------------------------------------------------------------------------------------------


def import_release(
    release: Release, out: Path, executor: Executor | None, progress: Callable[[int, int], Any]
) -> tuple[Manifest, dict[str, str]]:
    """Write the release as a suite into `out`; also returns why worlds were left out, by their published id."""
    seed, left_out, tasks = f"release {release.digest}", dict[str, str](), []
    for published in release.instances:
        if published.instance is None:
            left_out |= dict.fromkeys((world.id for world in published.worlds), "it holds a value of 2^53 or more")
            continue
        first = published.worlds[0]
        tasks.append(
            ImportedInstance(
                Coordinate(published.family, published.level, published.index, seed, imported=True),
                {world.interface.value: world.id for world in published.worlds},
                published.instance,
                first.optimum - published.shift,
                first.prices,
                first.budget,
            )
        )
    edges = {published.worlds[0].id.rpartition("/")[0]: published.edges for published in release.instances if published.edges}

    def describe(imported: Sequence[ImportedInstance], reasons: dict[str, str]) -> SuiteSpec:
        names = {f"{task.coordinate.name}-{interface}": name for task in imported for interface, name in task.names.items()}
        kept = {name.rpartition("/")[0] for name in names.values()}
        source = {
            "attribution": ATTRIBUTION,
            "manifest_sha256": release.digest,
            "ids": names,
            "left_out": reasons,
            "edges": {name: edges[name] for name in edges if name in kept},
        }
        places = tuple((task.coordinate.family, task.coordinate.level, task.coordinate.index) for task in imported)
        families, levels = dict.fromkeys(place[0] for place in places), sorted({place[1] for place in places})
        count = max(place[2] for place in places)
        return SuiteSpec(
            SUITE_NAME, seed, tuple(families), tuple(levels), count, imported=places, source=canonical_json(source)
        )

    return build_imported_suite(describe, tasks, left_out, out, executor, progress)


def submissions_of_run(suite: Suite, records: Iterable[JsonObject], trial: int, label: str) -> tuple[bytes, int]:
    """The file submissions.json of one trial of a run on an imported release, and how many of its decisions are not null."""
    if not suite.spec.imported:
        raise InputError(f"{format_value(suite.directory)} is not an imported release: make one with algoworlds import release")
    decisions = {record["world"]: record["decision"] for record in records if record["trial"] == trial}
    if not decisions:
        raise InputError(f"the run has no evaluation of trial {trial}: choose another --trial")
    count = sum(decision is not None for decision in decisions.values())
    return encode_submissions(json.loads(suite.spec.source), decisions, label), count
