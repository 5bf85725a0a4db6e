"""The manifest: every file of a suite by digest, and one root digest over all of them."""

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from algoworlds.core.canonical import canonical_text, digest, strict_loads
from algoworlds.disk import read_plain
from algoworlds.errors import InputError, Malformed, quoted, shown
from algoworlds.suites.documents import CANARY, CERTIFICATE, PUBLIC, SEALED

FORMAT = 1
NAME = "manifest.json"
OTHERS = ("README.md", "sealed/suite.json")
"""The files of a suite that belong to no world."""

_PLAIN = re.compile(r"[a-z0-9_-]{1,64}")
_TAG = r"(-[0-9a-hjkmnp-tv-z]{10})?"
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Entry:
    """One world of a suite: where it stands, at which attempt it was admitted, and its files' digests.

    The attempt is public and tells nothing: attempts are independent draws, so the admitted one has the same law
    whichever it is, and what was refused before it shares no number and no id with it.
    """

    id: str
    family: str
    level: int
    index: int
    interface: str
    attempt: int
    files: dict[str, str]

    @property
    def json(self) -> dict[str, Any]:
        """The entry as it stands in the manifest."""
        return {name: getattr(self, name) for name in ("id", "family", "level", "index", "interface", "attempt", "files")}


@dataclass(frozen=True)
class Manifest:
    """The inventory of a suite."""

    suite: str
    worlds: tuple[Entry, ...]
    others: dict[str, str]
    """Digests of files that belong to no world."""

    @property
    def root(self) -> str:
        """The digest that binds every byte of the suite."""
        return digest(canonical_text(self._body))

    @property
    def _body(self) -> dict[str, Any]:
        worlds = [entry.json for entry in self.worlds]
        return {"format": FORMAT, "canary": CANARY, "suite": self.suite, "worlds": worlds, "files": self.others}

    @property
    def text(self) -> str:
        """The manifest file."""
        return json.dumps(self._body | {"root": self.root}, indent=1, sort_keys=True) + "\n"

    @cached_property
    def paths(self) -> dict[str, str]:
        """Every file of the suite but the manifest, with its digest."""
        return self.others | {
            f"worlds/{entry.id}/{path}": value for entry in self.worlds for path, value in entry.files.items()
        }


def entry_from(document: Any) -> Entry:
    """An entry as it stands in a manifest; InputError unless its id and paths are such as a build gives."""
    entry = Entry(**document)
    place = (entry.family, entry.level, entry.index)
    name = f"{'-'.join(re.escape(str(each)) for each in place)}{_TAG}-{re.escape(entry.interface)}"
    numbered = all(type(number) is int and number >= 0 for number in (entry.level, entry.index, entry.attempt))
    if not numbered or not _PLAIN.fullmatch(entry.id) or not re.fullmatch(name, entry.id):
        raise InputError(
            f"{NAME} names the world {quoted(entry.id)}, which no build makes: build the suite again, or restore it"
        )
    _check_files(entry.files, (*PUBLIC, *SEALED, *(name for name in (CERTIFICATE,) if name in entry.files)))
    return entry


def _check_files(files: Any, names: tuple[str, ...]) -> None:
    """Refuse paths that no suite has, before anything is read from them."""
    if set(files) != set(names):
        odd = sorted(set(files) ^ set(names))[0]
        raise InputError(f"{NAME} is wrong about the file {quoted(odd)}: build the suite again, or restore it")
    if not all(_DIGEST.fullmatch(value) for value in files.values()):
        raise InputError(f"{NAME} holds something that is no SHA-256 digest: build the suite again, or restore it")


def parse(text: str) -> tuple[Manifest, str]:
    """A manifest and the root that it states; InputError if this is none that we can read."""
    try:
        document = strict_loads(text)
        if document["format"] != FORMAT:
            raise InputError(
                f"the suite has format {quoted(document['format'])}, this version reads {FORMAT}: update algoworlds"
            )
        worlds = tuple(entry_from(each) for each in document["worlds"])
        _check_files(document["files"], OTHERS)
        if len({entry.id for entry in worlds}) != len(worlds):
            raise InputError(f"{NAME} names a world twice: build the suite again, or restore it")
        return Manifest(str(document["suite"]), worlds, document["files"]), str(document["root"])
    except (Malformed, ValueError, KeyError, TypeError, AttributeError):
        raise InputError("manifest.json is damaged: build the suite again, or restore it") from None


def load(directory: Path) -> tuple[Manifest, str]:
    """The manifest of a suite on disk."""
    return parse(text_of(directory))


def text_of(directory: Path) -> str:
    """The manifest file of a suite as it stands on disk."""
    path = directory / NAME
    if not path.is_file():
        raise InputError(f"{shown(directory)} is no suite: it has no {NAME}; make one with algoworlds build")
    try:
        return read_plain(path).decode()
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{shown(path)} cannot be read: build the suite again, or restore it") from None


def pinned() -> Manifest:
    """The development split's manifest, as it came with this package."""
    return parse((package_files("algoworlds.suites") / "default.json").read_text(encoding="utf-8"))[0]


@dataclass(eq=False)
class Inspected:
    """A suite as it lies on disk: every file is read once, when it is asked for, held to its digest and given away."""

    manifest: Manifest
    written: str
    """The manifest's own text."""
    present: dict[str, Path]
    """What lies in the directory and has not been read yet, by path inside it."""
    faults: list[str]
    """What is wrong with the manifest itself."""
    found: dict[str, str | None] = field(default_factory=dict)
    """By path, what is wrong with a file that has been read."""

    def text(self, path: str) -> str:
        """A file's text; InputError if there is no such plain file, or no text in it."""
        content = self._read(path)
        if content is None:
            raise InputError(f"{shown(path)} is no plain file of the suite; algoworlds verify names it")
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise InputError(f"{shown(path)} cannot be read; algoworlds verify names what is wrong") from None

    def _read(self, path: str) -> bytes | None:
        content = _content(self.present.pop(path, None))
        if isinstance(content, str):
            self.found[path] = content
            return None
        digested = sha256(content).hexdigest() == self.manifest.paths.get(path)
        self.found[path] = "empty" if not content else None if digested else "altered"
        return content

    @property
    def problems(self) -> list[str]:
        """Every way in which the directory differs from its manifest, or the manifest from the pinned root; paths named."""
        for path in self.manifest.paths:
            if path not in self.found:
                self._read(path)
        broken = [f"{path}: {self.found[path]}" for path in self.manifest.paths if self.found[path] is not None]
        return self.faults + broken + [f"{path}: not in the manifest" for path in sorted(self.present)]


def integrity(directory: Path, root: str | None) -> list[str]:
    """What is wrong with a suite on disk."""
    return inspected(directory, root).problems


def inspected(directory: Path, root: str | None) -> Inspected:
    """A suite on disk, to be held to its manifest."""
    text = text_of(directory)
    manifest, stated = parse(text)
    expected = root or (pinned().root if manifest.suite == "default" else stated)
    faults = [f"{NAME}: its root is {manifest.root[:16]}..., not {expected[:16]}..."] if manifest.root != expected else []
    faults += [f"{NAME}: it states another root than its entries have"] if stated != manifest.root else []
    faults += [f"{NAME}: it is not written as a build writes it"] if text != manifest.text else []
    present = {
        path.relative_to(directory).as_posix(): path for path in directory.rglob("*") if path.is_symlink() or not path.is_dir()
    }
    faults += [f"{NAME}: not a plain file"] if present.pop(NAME).is_symlink() else []
    return Inspected(manifest, text, present, faults)


def _content(path: Path | None) -> bytes | str:
    """The bytes of a plain file, or why there are none; links are not followed: nothing outside of the suite is read."""
    if path is None:
        return "missing"
    if path.is_symlink() or not path.is_file():
        return "not a plain file"
    try:
        return read_plain(path)
    except OSError:
        return "cannot be read"
