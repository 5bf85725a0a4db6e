"""The manifest: the digest of every file of a suite, and one root digest over all of them."""

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from algoworlds.core.canonical import JsonObject, canonical_json, sha256_hex, strict_loads
from algoworlds.core.condition import CLEAR, find_condition
from algoworlds.core.work import Bits
from algoworlds.disk import read_regular_file
from algoworlds.errors import InputError, Malformed, format_value, quote_value, require_printable
from algoworlds.suites.bundle import CANARY, CERTIFICATE_FILE, PUBLIC_FILES, SEALED_FILES

MANIFEST_FORMAT = 1
MANIFEST_NAME = "manifest.json"
SUITE_FILES = ("README.md", "sealed/suite.json")
"""The files that belong to no single world."""

WORLD_ID_PATTERN = re.compile(r"(?=.{1,128}\Z)[a-z0-9_-]+(-b[0-9]+\.[0-9]-[a-z0-9_-]+)?")
"""Ids of worlds, which name folders and files: the longest, of a private suite, has 68 characters. Only bits have a dot."""
_TAG = r"(-[0-9a-hjkmnp-tv-z]{10})?"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_REPAIR = "build the suite again, or restore it"


@dataclass(frozen=True)
class WorldEntry:
    """One world of a suite: its coordinate, the attempt at which it was admitted, and its files' digests.

    The attempt is public and reveals nothing: attempts are independent draws, so the admitted instance has the same
    distribution whatever its number is, and refused attempts share no number and no id with it.
    """

    id: str
    family: str
    level: int
    index: int
    interface: str
    attempt: int
    files: dict[str, str]
    tenths: int = 0
    """Tenths of a bit of work of a world of the continuous scale, which belongs to no level; otherwise 0."""
    condition: str = CLEAR

    def __repr__(self) -> str:
        return f"<WorldEntry {self.id}>"

    @property
    def json(self) -> JsonObject:
        """The entry as it is written in the manifest."""
        optional = {"tenths": 0, "condition": CLEAR}
        return {name: value for name, value in vars(self).items() if name not in optional or value != optional[name]}

    @property
    def difficulty(self) -> str:
        """The part of the id between family and index: the level, or bits of work."""
        return str(Bits.from_tenths(self.tenths) if self.tenths else self.level)


@dataclass(frozen=True)
class Manifest:
    """The inventory of a suite."""

    suite: str
    worlds: tuple[WorldEntry, ...]
    suite_files: dict[str, str]
    """Digests of the files that belong to no single world."""
    edition: str | None = None
    """The edition of the development split; None in every other suite."""
    attribution: JsonObject | None = None
    """Title, creators, licence, address and changes of worlds that come from elsewhere; None in suites that were drawn here."""

    def __repr__(self) -> str:
        return f"<Manifest of {quote_value(self.suite)}, {len(self.worlds):,} worlds>"

    @property
    def root(self) -> str:
        """The digest that binds every byte of the suite."""
        return sha256_hex(canonical_json(self._body))

    @property
    def _body(self) -> JsonObject:
        worlds = [entry.json for entry in self.worlds]
        body = {"format": MANIFEST_FORMAT, "canary": CANARY, "suite": self.suite, "worlds": worlds, "files": self.suite_files}
        optional = {"edition": self.edition, "attribution": self.attribution}
        return body | {name: value for name, value in optional.items() if value is not None}

    @property
    def text(self) -> str:
        """The text of the manifest file."""
        return json.dumps(self._body | {"root": self.root}, indent=1, sort_keys=True) + "\n"

    @cached_property
    def digests(self) -> dict[str, str]:
        """The digest of every file of the suite except the manifest, by path."""
        return self.suite_files | {
            f"worlds/{entry.id}/{path}": digest for entry in self.worlds for path, digest in entry.files.items()
        }


def parse_entry(document: Any) -> WorldEntry:
    """A manifest entry; InputError unless its id and paths are ones that a build writes."""
    entry = WorldEntry(**document)
    numbers = (entry.level, entry.index, entry.attempt, entry.tenths)
    are_counts = all(type(number) is int and number >= 0 for number in numbers)
    coordinate = "-".join(re.escape(str(part)) for part in (entry.family, entry.difficulty, entry.index))
    condition = f"-{re.escape(entry.condition)}" if entry.condition else ""
    id_pattern = f"{coordinate}{_TAG}{condition}(-tied)?-{re.escape(entry.interface)}"
    if entry.condition != CLEAR and find_condition(entry.condition) is None:
        raise InputError(f"{MANIFEST_NAME} names the unknown condition {quote_value(entry.condition)}: update algoworlds")
    if not are_counts or not WORLD_ID_PATTERN.fullmatch(entry.id) or not re.fullmatch(id_pattern, entry.id):
        raise InputError(f"{MANIFEST_NAME} lists the world {quote_value(entry.id)}, an id that no build gives: {_REPAIR}")
    optional = [CERTIFICATE_FILE] if CERTIFICATE_FILE in entry.files else []
    _check_files(entry.files, (*PUBLIC_FILES, *SEALED_FILES, *optional))
    return entry


def _check_files(digests: Any, paths: tuple[str, ...]) -> None:
    """Refuse `digests` unless it has exactly these paths, before any of them is read."""
    if set(digests) != set(paths):
        wrong = sorted(set(digests) ^ set(paths))[0]
        raise InputError(f"{MANIFEST_NAME} is wrong about the file {quote_value(wrong)}: {_REPAIR}")
    if not all(_DIGEST.fullmatch(digest) for digest in digests.values()):
        raise InputError(f"{MANIFEST_NAME} holds a value that is not a SHA-256 digest: {_REPAIR}")


def parse_manifest(text: str) -> tuple[Manifest, str]:
    """A manifest and the root that it states; InputError if it is damaged or has another format."""
    try:
        document = strict_loads(text)
        if document["format"] != MANIFEST_FORMAT:
            stated = quote_value(document["format"])
            raise InputError(f"the suite has format {stated}, this version reads {MANIFEST_FORMAT}: update algoworlds")
        worlds = tuple(map(parse_entry, document["worlds"]))
        _check_files(document["files"], SUITE_FILES)
        if len({entry.id for entry in worlds}) != len(worlds):
            raise InputError(f"{MANIFEST_NAME} lists a world twice: {_REPAIR}")
        name = require_printable(f"the suite's name in {MANIFEST_NAME}", document["suite"])
        edition = None
        if "edition" in document:
            if name != "default":
                raise InputError(f"{MANIFEST_NAME} names an edition, which only the development split has: {_REPAIR}")
            edition = require_printable(f"the edition in {MANIFEST_NAME}", document["edition"])
        attribution = document.get("attribution")
        for key, value in {} if attribution is None else attribution.items():
            require_printable(f"the attribution in {MANIFEST_NAME}", f"{key}{value}")
        return Manifest(name, worlds, document["files"], edition, attribution), str(document["root"])
    except (Malformed, ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{MANIFEST_NAME} is damaged: {_REPAIR}") from None


def load_manifest(directory: Path) -> tuple[Manifest, str]:
    """The manifest of the suite in `directory`, and the root that it states."""
    return parse_manifest(_read_manifest_text(directory))


def _read_manifest_text(directory: Path) -> str:
    path = directory / MANIFEST_NAME
    if not path.is_file():
        raise InputError(f"{format_value(directory)} is not a suite: it has no {MANIFEST_NAME}; make one with algoworlds build")
    try:
        return read_regular_file(path).decode()
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{format_value(path)} cannot be read: {_REPAIR}") from None


def default_manifest() -> Manifest:
    """The development split's manifest, as shipped with this package."""
    return parse_manifest((package_files("algoworlds.suites") / "default.json").read_text(encoding="utf-8"))[0]


def pinned_root(suite: str) -> str | None:
    """The root of the public suite called `suite`, as shipped with this package; None for any other suite."""
    if suite == "default":
        return default_manifest().root
    if suite == "conditioned":
        document = json.loads((package_files("algoworlds.suites") / "conditioned.json").read_text(encoding="utf-8"))
        return str(document["root"]) if document["root"] else None
    return None


@dataclass(eq=False)
class SuiteInspection:
    """A suite on disk. Each file is read once, on demand, compared with its digest, and not kept."""

    manifest: Manifest
    manifest_text: str
    unread_files: dict[str, Path]
    """Files in the directory that have not been read yet, by path inside it."""
    manifest_problems: list[str]
    """What is wrong with the manifest itself."""
    file_problems: dict[str, str | None] = field(default_factory=dict)
    """What is wrong with each file that has been read, by path; None if nothing."""

    def read_text(self, path: str) -> str:
        """The text of a file; InputError if it is not a regular file of the suite or not UTF-8."""
        content = self._read(path)
        if content is None:
            raise InputError(f"{format_value(path)} is not a regular file of the suite; algoworlds verify names it")
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise InputError(f"{format_value(path)} cannot be read; algoworlds verify names what is wrong") from None

    def _read(self, path: str) -> bytes | None:
        """The bytes of a file, or None; notes its problem. Links are not followed: nothing outside the suite is read."""
        file = self.unread_files.pop(path, None)
        content, problem = None, "missing" if file is None else "not a plain file"
        if file is not None and not file.is_symlink() and file.is_file():
            try:
                content = read_regular_file(file)
            except OSError:
                problem = "cannot be read"
        if content is None:
            self.file_problems[path] = problem
            return None
        is_intact = sha256(content).hexdigest() == self.manifest.digests.get(path)
        self.file_problems[path] = "empty" if not content else None if is_intact else "altered"
        return content

    @property
    def problems(self) -> list[str]:
        """Every difference between directory, manifest and pinned root, with the path."""
        for path in self.manifest.digests:
            if path not in self.file_problems:
                self._read(path)
        problems = {path: self.file_problems[path] for path in self.manifest.digests}
        damaged = [f"{path}: {problem}" for path, problem in problems.items() if problem is not None]
        return self.manifest_problems + damaged + [f"{path}: not in the manifest" for path in sorted(self.unread_files)]


def integrity_problems(directory: Path, root: str | None) -> list[str]:
    """What is wrong with the suite in `directory`, compared with `root` if given."""
    return inspect_suite(directory, root).problems


def inspect_suite(directory: Path, root: str | None) -> SuiteInspection:
    """The suite in `directory`, ready to be compared with its manifest; `root` overrides the expected root."""
    text = _read_manifest_text(directory)
    manifest, stated = parse_manifest(text)
    expected = (pinned_root(manifest.suite) or stated) if root is None else root
    files = {
        path.relative_to(directory).as_posix(): path for path in directory.rglob("*") if path.is_symlink() or not path.is_dir()
    }
    checks = {
        f"its root is {manifest.root[:16]}..., not {expected[:16]}...": manifest.root == expected,
        "it states another root than its entries have": stated == manifest.root,
        "it is not written as a build writes it": text == manifest.text,
        "not a plain file": not files.pop(MANIFEST_NAME).is_symlink(),
    }
    problems = [f"{MANIFEST_NAME}: {problem}" for problem, passed in checks.items() if not passed]
    return SuiteInspection(manifest, text, files, problems)
