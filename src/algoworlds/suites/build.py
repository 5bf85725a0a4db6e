"""Building a suite: one task per coordinate, files written atomically, a killed build continued by running it again.

While a build runs, `.build/` in its directory holds `suite` (what is built, written first and removed first), one JSON file per
finished coordinate, and the file that is being written. The manifest is written last, so a suite without one is incomplete.
"""

import json
import shutil
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from algoworlds.batch import run_tasks
from algoworlds.core.canonical import canonical_json, sha256_hex
from algoworlds.core.condition import CLEAR, CLEAR_NAME
from algoworlds.core.interface import Interface
from algoworlds.disk import (
    OWNER_ONLY_FILE,
    PUBLIC_FILE,
    lock_folder,
    make_owner_only_folder,
    read_regular_file,
    sync_directory,
    write_atomic,
)
from algoworlds.errors import InputError, format_value
from algoworlds.suites.bundle import CANARY, Bundle, build_bundles, encode_bundle
from algoworlds.suites.manifest import MANIFEST_NAME, Manifest, WorldEntry, load_manifest, parse_entry
from algoworlds.suites.suite import LATER_NONCE, PrivateSuiteDraft, SuiteSpec, longest_first
from algoworlds.worlds.admission import AdmittedInstance, Coordinate, admit

_WORK_DIR, _PARTIAL_FILE, _SPEC_FILE = ".build", "partial", "suite"
_SEALED_FOLDER = "sealed"
_SEALED_SPEC = f"{_SEALED_FOLDER}/suite.json"

_README = """\
# AlgoWorlds suite: {name}

{worlds} worlds. `worlds/ID/` holds a world's public files and, under `sealed/`, what only scoring and validation may see.
`manifest.json` binds every file by SHA-256. `algoworlds verify DIR` checks it; `algoworlds validate DIR` proves every claim.

{canary}
"""

_IMPORTED = """\
The instances were not drawn by this package: {title}, by {creators}, {license}, {url}. Changes: {changes}.
"""


def suite_readme(suite: SuiteSpec) -> str:
    """The README.md of a suite."""
    text = _README.format(name=suite.name, worlds=suite.world_count, canary=CANARY)
    if not suite.imported:
        return text
    return text + "\n" + _IMPORTED.format(**json.loads(suite.source)["attribution"])


@dataclass(frozen=True)
class BuildTask:
    """One coordinate to build, its interfaces and conditions, and whether to search certificates."""

    coordinate: Coordinate
    interfaces: tuple[Interface, ...]
    certificates: bool = False
    conditions: tuple[str, ...] = (CLEAR,)


def build_tasks(suite: SuiteSpec) -> list[BuildTask]:
    """The tasks of a suite, the longest first."""
    interfaces = suite.interfaces_by_coordinate
    coordinates = longest_first(suite.coordinates)
    return [BuildTask(at, interfaces[at], suite.certificates, suite.conditions) for at in coordinates]


def build_worlds(task: BuildTask) -> list[tuple[WorldEntry, dict[str, str]]]:
    """The worlds of a coordinate: manifest entries and files."""
    admitted = admit(task.coordinate)
    return encode_worlds(admitted, build_bundles(admitted, task.interfaces, task.certificates, task.conditions))


def encode_worlds(admitted: AdmittedInstance, bundles: list[Bundle]) -> list[tuple[WorldEntry, dict[str, str]]]:
    """Manifest entries and files of the worlds of an instance."""
    worlds, coordinate = [], admitted.coordinate
    for bundle in bundles:
        files = encode_bundle(bundle)
        digests = {path: sha256_hex(text) for path, text in files.items()}
        address = coordinate.family, coordinate.level, coordinate.index, bundle.interface.value
        condition = bundle.coordinate.condition
        entry = WorldEntry(bundle.world.id, *address, admitted.attempt, digests, coordinate.tenths, condition)
        worlds.append((entry, files))
    return worlds


def build_suite(
    suite: SuiteSpec | PrivateSuiteDraft, out: Path, executor: Executor | None, progress: Callable[[int, int], Any]
) -> Manifest:
    """Build a suite into `out`, continuing an interrupted build of the same suite.

    The secrets of a draft are drawn under the lock on `out`: an interrupted build continues with those that it sealed.
    """
    try:
        if out.exists() and not out.is_dir():
            raise InputError(f"{format_value(out)} is not a directory: choose another --out")
        out.mkdir(parents=True, exist_ok=True)
        with lock_folder(out):
            spec = suite.resolve(_read_sealed_spec(out)) if isinstance(suite, PrivateSuiteDraft) else suite
            if _is_finished(out, spec):
                shutil.rmtree(out / _WORK_DIR)
                return load_manifest(out)[0]
            _begin(out, spec)
            return _build_into(spec, out, executor, progress)
    except OSError as problem:
        raise InputError(
            f"cannot write {format_value(problem.filename or out)}: {problem.strerror}; free it and run again"
        ) from None


def begin_suite(draft: PrivateSuiteDraft, out: Path) -> SuiteSpec:
    """Draw and seal the secrets of a suite that waits for its nonce; the same ones if it was begun before."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with lock_folder(out):
            spec = draft.resolve(_read_sealed_spec(out))
            _begin(out, spec)
            return spec
    except OSError as problem:
        raise InputError(
            f"cannot write {format_value(problem.filename or out)}: {problem.strerror}; free it and run again"
        ) from None


def _is_finished(out: Path, suite: SuiteSpec) -> bool:
    """Whether a build of this suite was killed while it removed `.build/`: the suite is complete."""
    work, sealed = out / _WORK_DIR, out / _SEALED_SPEC
    complete = work.is_dir() and not (work / _SPEC_FILE).exists() and (out / MANIFEST_NAME).is_file() and sealed.is_file()
    return complete and read_regular_file(sealed).decode() == canonical_json(suite.json) + "\n"


def _begin(out: Path, suite: SuiteSpec) -> None:
    """Start a build in an empty directory, or continue one of the same suite; InputError for any other directory."""
    work, text = out / _WORK_DIR, canonical_json(suite.json)
    if (work / _SPEC_FILE).is_file() and read_regular_file(work / _SPEC_FILE).decode() == text:
        return
    waiting = canonical_json(replace(suite, nonce=LATER_NONCE).json) if suite.nonce else None
    if (work / _SPEC_FILE).is_file() and read_regular_file(work / _SPEC_FILE).decode() == waiting:
        _write(work / _SPEC_FILE, text, work, durable=True)
        return
    names = [path.name for path in out.iterdir()]
    # A build killed before it wrote its spec leaves at most `.build/partial`.
    if names and not (names == [_WORK_DIR] and {path.name for path in work.iterdir()} <= {_PARTIAL_FILE}):
        content = _describe_content(out, suite)
        raise InputError(f"{format_value(out)} {content}: choose another --out, or empty it")
    make_owner_only_folder(work)
    _write(work / _SPEC_FILE, text, work, durable=True)
    sync_directory(out)


def _read_sealed_spec(out: Path) -> str | None:
    """The suite specification that a build in `out` has written so far, or None."""
    path = next((path for path in (out / _WORK_DIR / _SPEC_FILE, out / _SEALED_SPEC) if path.is_file()), None)
    return None if path is None else read_regular_file(path).decode(errors="replace")


def _describe_content(out: Path, suite: SuiteSpec) -> str:
    """How the suite in `out` differs from `suite`; of seeds it says only that they differ."""
    try:
        present = dict(json.loads(_read_sealed_spec(out) or "").items())
    except (ValueError, AttributeError):
        return "is not empty"
    unsaid = {"certificates": False, "conditions": [CLEAR_NAME], "tied": False}
    ours, theirs = (unsaid | spec for spec in (suite.json, present))

    def text(value: Any) -> str:
        return format_value(",".join(map(str, value)) if isinstance(value, list) else value)

    differences = [
        f"{name} {text(theirs.get(name))} instead of {text(ours[name])}"
        for name in ("families", "levels", "instances", "interfaces", "certificates", "conditions", "tied")
        if theirs.get(name) != ours[name]
    ]
    differences += ["another seed"] if any(theirs.get(name) != ours.get(name) for name in ("seed", "pepper")) else []
    return f"holds another suite ({'; '.join(differences)})" if differences else "holds this very suite, and it is complete"


def _build_into(suite: SuiteSpec, out: Path, executor: Executor | None, progress: Callable[[int, int], Any]) -> Manifest:
    work, coordinates = out / _WORK_DIR, suite.coordinates
    finished = {coordinate: _read_finished(out, work / f"{coordinate.name}.json") for coordinate in coordinates}
    entries = {coordinate: worlds for coordinate, worlds in finished.items() if worlds is not None}
    tasks = [task for task in build_tasks(suite) if task.coordinate not in entries]
    progress(len(entries), len(coordinates))
    for task, worlds in run_tasks(build_worlds, tasks, executor):
        for entry, files in worlds:
            for path, text in files.items():
                _write(out / "worlds" / entry.id / path, text, work)
        entries[task.coordinate] = [entry for entry, _ in worlds]
        _write(work / f"{task.coordinate.name}.json", json.dumps([entry.json for entry, _ in worlds]), work)
        progress(len(entries), len(coordinates))
    for path, text in suite_files(suite).items():
        _write(out / path, text, work, durable=path == _SEALED_SPEC)
    manifest = build_manifest(suite, entries)
    _write(out / MANIFEST_NAME, manifest.text, work)
    (work / _SPEC_FILE).unlink()
    shutil.rmtree(work)
    return manifest


def suite_files(suite: SuiteSpec) -> dict[str, str]:
    """The files of a suite that belong to no world, by path."""
    return {"README.md": suite_readme(suite), _SEALED_SPEC: canonical_json(suite.json) + "\n"}


def build_manifest(suite: SuiteSpec, entries: dict[Coordinate, list[WorldEntry]]) -> Manifest:
    """The manifest of `suite`, from the entries of all its coordinates."""
    worlds = tuple(entry for coordinate in suite.coordinates for entry in entries[coordinate])
    digests = {path: sha256_hex(text) for path, text in suite_files(suite).items()}
    attribution = json.loads(suite.source)["attribution"] if suite.imported else None
    return Manifest(suite.name, worlds, digests, suite.edition, attribution)


def _read_finished(out: Path, record: Path) -> list[WorldEntry] | None:
    """The entries of a finished coordinate; None if it has no valid `record` or a file differs from its digest."""
    if not record.is_file():
        return None
    try:
        entries = list(map(parse_entry, json.loads(read_regular_file(record))))
    except (InputError, ValueError, TypeError):
        return None
    for entry in entries:
        for path, digest in entry.files.items():
            file = out / "worlds" / entry.id / path
            if not file.is_file() or sha256(read_regular_file(file)).hexdigest() != digest:
                return None
    return entries


def _write(path: Path, text: str, work: Path, durable: bool = False) -> None:
    """Write a file atomically. A file lost to a power failure is noticed by its digest and built again.

    Random secrets cannot be built again, so the files that hold them are written with `durable`. Sealed folders and files
    are for their owner only, and so is all of the folder `work`.
    """
    is_sealed = path.parent.name == _SEALED_FOLDER or path.parent == work
    if is_sealed:
        path.parent.parent.mkdir(parents=True, exist_ok=True)
        make_owner_only_folder(path.parent)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
    mode = OWNER_ONLY_FILE if is_sealed else PUBLIC_FILE
    write_atomic(path, text.encode(), temporary=work / _PARTIAL_FILE, durable=durable, mode=mode)
