"""The manifest: every file of a suite by digest, and one root digest over all of them."""

import json
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from algoworlds.errors import InputError
from algoworlds.model.canonical import canonical_text, digest
from algoworlds.release.bundle import CANARY

FORMAT = 1
NAME = "manifest.json"


@dataclass(frozen=True)
class Entry:
    """One world of a suite: where it stands, at which attempt it was admitted, and its files' digests."""

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

    @property
    def paths(self) -> dict[str, str]:
        """Every file of the suite but the manifest, with its digest."""
        return self.others | {
            f"worlds/{entry.id}/{path}": value for entry in self.worlds for path, value in entry.files.items()
        }


def parse(text: str) -> tuple[Manifest, str]:
    """A manifest and the root that it states; InputError if this is none that we can read."""
    try:
        document = json.loads(text)
        if document["format"] != FORMAT:
            raise InputError(f"the suite has format {document['format']}, this version reads {FORMAT}: update algoworlds")
        worlds = tuple(Entry(**each) for each in document["worlds"])
        return Manifest(document["suite"], worlds, document["files"]), document["root"]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError("manifest.json is damaged: build the suite again, or restore it") from None


def load(directory: Path) -> tuple[Manifest, str]:
    """The manifest of a suite on disk."""
    path = directory / NAME
    if not path.is_file():
        raise InputError(f"{directory} is no suite: it has no {NAME}; make one with algoworlds build --out {directory}")
    return parse(path.read_text(encoding="utf-8"))


def pinned() -> Manifest:
    """The default suite's manifest, as it came with this package."""
    return parse((package_files("algoworlds.release") / "default.json").read_text(encoding="utf-8"))[0]


def file_digest(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    return sha256(path.read_bytes()).hexdigest()


def integrity(directory: Path, root: str | None) -> list[str]:
    """Every way in which a directory differs from its manifest, or the manifest from the pinned root; paths named."""
    manifest, stated = load(directory)
    expected = root or (pinned().root if manifest.suite == "default" else stated)
    problems = [f"{NAME}: its root is {manifest.root[:16]}..., not {expected[:16]}..."] if manifest.root != expected else []
    problems += [f"{NAME}: it states another root than its entries have"] if stated != manifest.root else []
    present = {
        path.relative_to(directory).as_posix(): path for path in directory.rglob("*") if path.is_symlink() or not path.is_dir()
    }
    for name, value in manifest.paths.items():
        path = present.pop(name, None)
        if path is None:
            problems.append(f"{name}: missing")
        elif path.is_symlink() or not path.is_file():
            problems.append(f"{name}: not a plain file")
        elif path.stat().st_size == 0:
            problems.append(f"{name}: empty")
        elif file_digest(path) != value:
            problems.append(f"{name}: altered")
    return problems + [f"{name}: not in the manifest" for name in sorted(present) if name != NAME]
