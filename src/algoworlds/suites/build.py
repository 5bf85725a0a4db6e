"""Building a suite: one task a coordinate, files written atomically, a killed build finished by running it again."""

import json
import shutil
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from algoworlds.batch import results
from algoworlds.core.canonical import canonical_text, digest
from algoworlds.core.interface import Interface
from algoworlds.disk import alone, read_plain, sync_directory, write_whole
from algoworlds.errors import InputError, shown
from algoworlds.suites.bundle import bundles
from algoworlds.suites.documents import CANARY, documents
from algoworlds.suites.manifest import NAME, Entry, Manifest, entry_from, load
from algoworlds.suites.private import Unsealed
from algoworlds.suites.suite import Suite, longest_first
from algoworlds.worlds.admit import Coordinate, admit
from algoworlds.worlds.world import build

_WORK, _PARTIAL, _MARK = ".build", "partial", "suite"
_SEALED = "sealed/suite.json"

_README = """\
# AlgoWorlds suite: {name}

{worlds} worlds. `worlds/ID/` holds a world's public files and, under `sealed/`, what only scoring and validation may see.
`manifest.json` binds every file by SHA-256. `algoworlds verify DIR` checks it; `algoworlds validate DIR` proves every claim.

{canary}
"""


def readme(suite: Suite) -> str:
    """The text that stands beside the worlds."""
    return _README.format(name=suite.name, worlds=len(suite.coordinates) * len(suite.interfaces), canary=CANARY)


@dataclass(frozen=True)
class Order:
    """A task: one coordinate, the interfaces to present it in, and whether to say what knowing the optimum costs."""

    coordinate: Coordinate
    interfaces: tuple[Interface, ...]
    certificates: bool = False


def orders(suite: Suite) -> list[Order]:
    """The tasks of a suite, the longest first."""
    return [Order(place, suite.interfaces, suite.certificates) for place in longest_first(suite.coordinates)]


def make(order: Order) -> list[tuple[Entry, dict[str, str]]]:
    """The worlds of a coordinate: manifest entries and files."""
    admitted = admit(order.coordinate)
    made = []
    for each in bundles(admitted, list(order.interfaces), order.certificates):
        files = documents(each)
        place = order.coordinate
        entry = Entry(
            build(admitted, each.interface).id,
            place.family,
            place.level,
            place.index,
            each.interface.value,
            admitted.attempt,
            {path: digest(text) for path, text in files.items()},
        )
        made.append((entry, files))
    return made


def build_suite(suite: Suite | Unsealed, out: Path, executor: Executor | None, progress: Callable[[int, int], Any]) -> Manifest:
    """Build a suite into a directory, continuing what an interrupted build of the same suite left there.

    A draft's secrets are drawn here, where the directory is held: an interrupted build goes on with those it has sealed.
    """
    try:
        if out.exists() and not out.is_dir():
            raise InputError(f"{shown(out)} is no directory: choose another --out")
        out.mkdir(parents=True, exist_ok=True)
        with alone(out):
            settled = suite.settled(_begun(out)) if isinstance(suite, Unsealed) else suite
            return _build_suite(settled, out, executor, progress)
    except OSError as problem:
        raise InputError(f"cannot write {shown(problem.filename or out)}: {problem.strerror}; free it and run again") from None


def _build_suite(suite: Suite, out: Path, executor: Executor | None, progress: Callable[[int, int], Any]) -> Manifest:
    work, mark = out / _WORK, canonical_text(suite.json)
    if not ((work / _MARK).is_file() and read_plain(work / _MARK).decode() == mark):  # no build of this suite is under way
        if _finished(out, work, mark):
            shutil.rmtree(work)
            return load(out)[0]
        if not _untouched(out):
            found = _occupied(out, suite)
            raise InputError(f"{shown(out)} {found}: choose another --out, or empty it")
        work.mkdir(exist_ok=True)
        _write(work / _MARK, mark, work, durable=True)
        sync_directory(out)
    return _build_into(suite, out, work, executor, progress)


def _begun(out: Path) -> str | None:
    """The suite that is being built in a directory, as its build sealed it: in its mark, at the end in the suite itself."""
    sealed = next((path for path in (out / _WORK / _MARK, out / _SEALED) if path.is_file()), None)
    return None if sealed is None else read_plain(sealed).decode(errors="replace")


def _occupied(out: Path, wanted: Suite) -> str:
    """What is to be found in a directory that a suite cannot be built into; of seeds no more than that they differ."""
    try:
        there = json.loads(_begun(out) or "").items()
    except (ValueError, AttributeError):
        return "is not empty"
    ours, theirs = ({**each, "certificates": each.get("certificates", False)} for each in (wanted.json, dict(there)))
    differing = [
        f"{name} {_listed(theirs.get(name))} instead of {_listed(ours[name])}"
        for name in ("families", "levels", "instances", "interfaces", "certificates")
        if theirs.get(name) != ours[name]
    ]
    differing += ["another seed"] if any(theirs.get(name) != ours.get(name) for name in ("seed", "pepper")) else []
    return f"holds another suite ({'; '.join(differing)})" if differing else "holds this very suite, and it is complete"


def _listed(value: Any) -> str:
    return shown(",".join(map(str, value)) if isinstance(value, list) else value)


def _finished(out: Path, work: Path, mark: str) -> bool:
    """Whether a build of this suite was killed as it put its tools away: the mark goes first, the suite is complete."""
    sealed = out / _SEALED
    complete = work.is_dir() and not (work / _MARK).exists() and (out / NAME).is_file() and sealed.is_file()
    return complete and read_plain(sealed).decode() == mark + "\n"


def _untouched(out: Path) -> bool:
    """Whether a directory is empty, but for the beginnings of a build that was killed before it left its mark."""
    begun = [path.name for path in out.iterdir()]
    return not begun or (begun == [_WORK] and {path.name for path in (out / _WORK).iterdir()} <= {_PARTIAL})


def _build_into(
    suite: Suite, out: Path, work: Path, executor: Executor | None, progress: Callable[[int, int], Any]
) -> Manifest:
    coordinates = suite.coordinates
    entries = {place: kept for place in coordinates if (kept := _kept(out, work / f"{place.name}.json")) is not None}
    todo = [order for order in orders(suite) if order.coordinate not in entries]
    progress(len(entries), len(coordinates))
    for order, made in results(make, todo, executor):
        for entry, files in made:
            for path, text in files.items():
                _write(out / "worlds" / entry.id / path, text, work)
        entries[order.coordinate] = [entry for entry, _ in made]
        _write(work / f"{order.coordinate.name}.json", json.dumps([asdict(entry) for entry, _ in made]), work)
        progress(len(entries), len(coordinates))
    for path, text in _others(suite).items():
        _write(out / path, text, work, durable=path == _SEALED)
    manifest = inventory(suite, entries)
    _write(out / NAME, manifest.text, work)
    (work / _MARK).unlink()
    shutil.rmtree(work)
    return manifest


def _others(suite: Suite) -> dict[str, str]:
    """The files that belong to no world."""
    return {"README.md": readme(suite), _SEALED: canonical_text(suite.json) + "\n"}


def inventory(suite: Suite, entries: dict[Coordinate, list[Entry]]) -> Manifest:
    """The manifest of a suite all of whose worlds are made."""
    worlds = tuple(entry for place in suite.coordinates for entry in entries[place])
    return Manifest(suite.name, worlds, {path: digest(text) for path, text in _others(suite).items()})


def _kept(out: Path, record: Path) -> list[Entry] | None:
    """The entries of a finished coordinate, if all of its files are there as recorded."""
    if not record.is_file():
        return None
    try:
        entries = [entry_from(each) for each in json.loads(read_plain(record))]
    except (InputError, ValueError, TypeError):
        return None
    for entry in entries:
        for path, value in entry.files.items():
            file = out / "worlds" / entry.id / path
            if not file.is_file() or sha256(read_plain(file)).hexdigest() != value:
                return None
    return entries


def _write(path: Path, text: str, work: Path, durable: bool = False) -> None:
    """Write a file whole or not at all; what a lost power supply took is found by its digest and made again.

    Drawn secrets cannot be made again: what holds them is durable before anything depends on it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text.encode(), partial=work / _PARTIAL, durable=durable)
