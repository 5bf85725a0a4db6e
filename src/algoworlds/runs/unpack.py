"""Unpacking the archive of a run: every byte is checked against the label, and the label against its root.

The archive is not trusted. Its names must match a few patterns, its sizes are known before anything is written, its headers are
computed and compared, and the files go to a new folder that is renamed to its final name once everything is checked.
"""

import json
import os
import re
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from algoworlds.core.canonical import canonical_json, sha256_hex, strict_loads
from algoworlds.disk import open_regular_file, read_regular_file, write_atomic
from algoworlds.errors import InputError, Malformed, format_value, quote_value
from algoworlds.runs.archive import MAX_MEMBER_BYTES, archive_length, read_first_member, read_other_members
from algoworlds.runs.directory import RunDirectory, indented_json
from algoworlds.runs.integrity import problems_without_replay
from algoworlds.runs.judgement import Progress
from algoworlds.runs.pack import ARCHIVE_FORMAT, LABEL_FILE, build_label, files_to_pack
from algoworlds.runs.rescore import verify_run
from algoworlds.suites.open import Suite
from algoworlds.suites.record import encode_record

MAX_ARCHIVE_BYTES = 2**38
"""Bytes of all files together: far more than a million evaluations take."""

_SLOT = r"[a-z0-9_-]{1,64}--[1-9][0-9]{0,6}"
_NAME = re.compile(
    rf"run\.json|manifest\.json|attempts\.jsonl|records/{_SLOT}\.json|judgements/{_SLOT}\.json|journal/{_SLOT}\.jsonl"
)
_DIGEST = re.compile(r"[0-9a-f]{64}")
_WRONG_FORM = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)
"""What reading a document of the wrong form raises."""


@contextmanager
def unpack_run(archive: Path, out: Path | None, root: str | None) -> Iterator[RunDirectory]:
    """The run in `archive`, in a temporary folder that becomes `out` if the block ends without an error."""
    if out is not None and (out.exists() or out.is_symlink()):
        raise InputError(f"{format_value(out)} exists: choose another --out")
    if out is not None and not out.parent.is_dir():
        raise InputError(f"{format_value(out.parent)} is not a directory: choose another --out")
    with TemporaryDirectory(prefix=".unpack.", dir=out and out.parent) as temporary:
        folder = Path(temporary) / "run"
        try:
            with open_regular_file(archive) as file:
                label = _write_members(file, folder, root)
        except InputError as problem:
            raise InputError(f"{format_value(archive)} is damaged or not an archive of a run: {problem}") from None
        except OSError as problem:
            raise InputError(f"{format_value(problem.filename or archive)}: {problem.strerror or 'cannot be read'}") from None
        try:
            _check_run(RunDirectory(folder), label)
        except InputError as problem:
            text = str(problem).replace(format_value(folder), format_value(archive.name))
            raise InputError(f"{format_value(archive)} does not hold a whole run: {text}") from None
        yield RunDirectory(folder)
        if out is not None:
            try:
                folder.chmod(0o755)
                folder.rename(out)
            except OSError as problem:
                raise InputError(f"cannot write {format_value(out)}: {problem.strerror}; choose another --out") from None


def _write_members(file: BinaryIO, folder: Path, root: str | None) -> dict[str, Any]:
    """Write the files of an archive into a new folder, and return its label."""
    first = read_first_member(file, LABEL_FILE)
    label = _read_label(first)
    if root is not None and label["root"] != root:
        raise InputError(f"its root is {format_value(label['root'][:16])}..., not {format_value(root[:16])}...")
    sizes = [(name, entry["bytes"]) for name, entry in sorted(label["files"].items())]
    if os.fstat(file.fileno()).st_size != archive_length([len(first), *(size for _, size in sizes)]):
        raise InputError("it is not as long as its label says")
    for name in ("", "records", "journal", "judgements"):
        (folder / name).mkdir()
    for name, content in read_other_members(file, sizes):
        if sha256(content).hexdigest() != label["files"][name]["sha256"]:
            raise InputError(f"{format_value(name)} is altered")
        with (folder / name).open("xb") as target:
            target.write(content)
    return label


def _read_label(content: bytes) -> dict[str, Any]:
    """The label, in canonical form, with names and sizes that an archive can have."""
    try:
        label: dict[str, Any] = strict_loads(content.decode("ascii"))
        if label["format"] != ARCHIVE_FORMAT:
            raise InputError(
                f"it has format {format_value(label['format'])}, this version reads {ARCHIVE_FORMAT}: update algoworlds"
            )
        body = {name: value for name, value in label.items() if name != "root"}
        if sha256_hex(canonical_json(body)) != label["root"] or encode_record(label) != content:
            raise InputError(f"{LABEL_FILE} is altered: it does not fit its root")
        for name, entry in label["files"].items():
            _check_entry(name, entry)
        if sum(entry["bytes"] for entry in label["files"].values()) > MAX_ARCHIVE_BYTES:
            raise InputError(f"its files have more than {MAX_ARCHIVE_BYTES:,} bytes")
    except (Malformed, *_WRONG_FORM):
        raise InputError(f"{LABEL_FILE} has not the form of one") from None
    return label


def _check_entry(name: str, entry: Any) -> None:
    """InputError if the label lists a file with a name, size or digest that it cannot have."""
    if not _NAME.fullmatch(name):
        raise InputError(f"{LABEL_FILE} lists {quote_value(name)}, which is not a file of a run")
    size, digest = entry["bytes"], entry["sha256"]
    if set(entry) != {"bytes", "sha256"} or type(size) is not int or not 0 <= size <= MAX_MEMBER_BYTES:
        raise InputError(f"{LABEL_FILE} lists {quote_value(name)} with a size that no file of a run has")
    if not _DIGEST.fullmatch(digest):
        raise InputError(f"{LABEL_FILE} lists {quote_value(name)} with a digest that is not SHA-256")


def _check_run(directory: RunDirectory, label: dict[str, Any]) -> None:
    """InputError unless the folder is exactly what packing its run gives, and the label belongs to it."""
    try:
        files = files_to_pack(directory, public=False)
        if set(files) != set(label["files"]):
            odd = min(set(files) ^ set(label["files"]))
            raise InputError(f"{format_value(odd)} is {'missing' if odd in files else 'not one of its files'}")
        for name in ("run.json", "manifest.json"):
            if files[name]() != read_regular_file(directory.path / name):
                raise InputError(f"{name} is not written as packing writes it")
        own = build_label(directory, False, label["files"])
        if any(own[name] != label[name] for name in own.keys() - {"algoworlds", "root"}) or own.keys() != label.keys():
            raise InputError(f"{LABEL_FILE} is of another run")
        if problems := problems_without_replay(directory):
            raise InputError(problems[0])
    except _WRONG_FORM:
        raise InputError("run.json has not the form of one") from None


def verify_unpacked_run(directory: RunDirectory, suite: Suite, executor: Executor | None, progress: Progress) -> list[str]:
    """Everything that is wrong with an unpacked run; every record is replayed against the suite."""
    try:
        return verify_run(directory, suite, executor, progress)
    except _WRONG_FORM:
        return ["a file of the run has not the form that it should have"]


def set_suite_path(directory: RunDirectory, suite: Path | None) -> None:
    """Note in an unpacked run where its suite is on this machine, so that later commands find it."""
    if suite is not None:
        document = json.loads(read_regular_file(directory.path / "run.json")) | {"suite": str(suite.resolve())}
        write_atomic(directory.path / "run.json", indented_json(document))
