"""A run received as an archive: put back as a folder, every byte of it held to the label, the label to its root.

The archive is a stranger's. Its names are taken from a short list of forms, its sizes are known before anything is written,
its headers are predicted and compared, and everything goes to a new folder that has its name only once all is well.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from algoworlds.core.canonical import canonical_text, digest, strict_loads
from algoworlds.disk import open_plain, read_plain, write_whole
from algoworlds.errors import InputError, Malformed, quoted, shown
from algoworlds.runs.archive import LONGEST_MEMBER, Member, length, read_first, read_others
from algoworlds.runs.directory import RunDirectory, indented
from algoworlds.runs.inventory import unreplayed
from algoworlds.runs.rescore import verify_run
from algoworlds.runs.submission import FORMAT, LABEL, handed_over, labelled
from algoworlds.suites.opened import Opened
from algoworlds.suites.record import spelled

MOST_BYTES = 2**38
"""Of all files of an archive: far more than a million evaluations take."""

_SLOT = r"[a-z0-9_-]{1,64}--[1-9][0-9]{0,6}"
_NAME = re.compile(
    rf"run\.json|manifest\.json|attempts\.jsonl|records/{_SLOT}\.json|judgements/{_SLOT}\.json|journal/{_SLOT}\.jsonl"
)
_DIGEST = re.compile(r"[0-9a-f]{64}")
_ODD = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)
"""What reading a document of the wrong form ends in."""


@contextmanager
def received(archive: Path, out: Path | None, root: str | None) -> Iterator[RunDirectory]:
    """The run in an archive, in a folder that becomes `out` if the block ends well and is gone otherwise."""
    with TemporaryDirectory(prefix=".unpack.", dir=_parent(out)) as place:
        folder = Path(place) / "run"
        try:
            with open_plain(archive) as file:
                label = _unpacked(file, folder, root)
        except InputError as problem:
            raise InputError(f"{shown(archive)} is damaged or no archive of a run: {problem}") from None
        except OSError as problem:
            raise InputError(f"{shown(problem.filename or archive)}: {problem.strerror or 'cannot be read'}") from None
        try:
            _require_own(RunDirectory(folder), label)
        except InputError as problem:
            told = str(problem).replace(shown(folder), shown(archive.name))
            raise InputError(f"{shown(archive)} holds no whole run: {told}") from None
        yield RunDirectory(folder)
        if out is not None:
            _place(folder, out)


def _parent(out: Path | None) -> Path | None:
    if out is None:
        return None
    if out.exists() or out.is_symlink():
        raise InputError(f"{shown(out)} exists: choose another --out")
    if not out.parent.is_dir():
        raise InputError(f"{shown(out.parent)} is no directory: choose another --out")
    return out.parent


def _place(folder: Path, out: Path) -> None:
    try:
        folder.chmod(0o755)
        folder.rename(out)
    except OSError as problem:
        raise InputError(f"cannot write {shown(out)}: {problem.strerror}; choose another --out") from None


def _unpacked(file: BinaryIO, folder: Path, root: str | None) -> dict[str, Any]:
    """Write an archive's files into a new folder; its label."""
    first = read_first(file, LABEL)
    label = _label(first)
    if root is not None and label["root"] != root:
        raise InputError(f"its root is {shown(label['root'][:16])}..., not {shown(root[:16])}...")
    sizes = [(name, each["bytes"]) for name, each in sorted(label["files"].items())]
    if os.fstat(file.fileno()).st_size != length([len(first), *(size for _, size in sizes)]):
        raise InputError("it is not as long as its label says")
    for name in ("", "records", "journal", "judgements"):
        (folder / name).mkdir()
    for member in read_others(file, sizes):
        _write(folder, member, label["files"][member.name]["sha256"])
    return label


def _label(content: bytes) -> dict[str, Any]:
    """The label, spelled as it must be, with names and sizes that an archive can have."""
    try:
        label: dict[str, Any] = strict_loads(content.decode("ascii"))
        if label["format"] != FORMAT:
            raise InputError(f"it has format {shown(label['format'])}, this version reads {FORMAT}: update algoworlds")
        body = {name: value for name, value in label.items() if name != "root"}
        if digest(canonical_text(body)) != label["root"] or spelled(label) != content:
            raise InputError(f"{LABEL} is altered: it does not fit its root")
        for name, each in label["files"].items():
            _require_file(name, each)
        if sum(each["bytes"] for each in label["files"].values()) > MOST_BYTES:
            raise InputError(f"its files have more than {MOST_BYTES:,} bytes")
    except (Malformed, *_ODD):
        raise InputError(f"{LABEL} has not the form of one") from None
    return label


def _require_file(name: str, listed: Any) -> None:
    if not _NAME.fullmatch(name):
        raise InputError(f"{LABEL} lists {quoted(name)}, which no archive of a run holds")
    size, stated = listed["bytes"], listed["sha256"]
    if set(listed) != {"bytes", "sha256"} or type(size) is not int or not 0 <= size <= LONGEST_MEMBER:
        raise InputError(f"{LABEL} lists {quoted(name)} with a size that no file of a run has")
    if not _DIGEST.fullmatch(stated):
        raise InputError(f"{LABEL} lists {quoted(name)} with something that is no SHA-256 digest")


def _write(folder: Path, member: Member, stated: str) -> None:
    if sha256(member.content).hexdigest() != stated:
        raise InputError(f"{shown(member.name)} is altered")
    with (folder / member.name).open("xb") as file:
        file.write(member.content)


def _require_own(directory: RunDirectory, label: dict[str, Any]) -> None:
    """That the folder is what packing the run in it hands over, no file and no field more, and that the label is its own."""
    try:
        files = handed_over(directory, public=False)
        if set(files) != set(label["files"]):
            odd = min(set(files) ^ set(label["files"]))
            raise InputError(f"{shown(odd)} is {'missing' if odd in files else 'none of its files'}")
        for name in ("run.json", "manifest.json"):
            if files[name]() != read_plain(directory.path / name):
                raise InputError(f"{name} is not written as packing writes it")
        told = labelled(directory, False, label["files"])
        if any(told[name] != label[name] for name in told.keys() - {"algoworlds", "root"}) or told.keys() != label.keys():
            raise InputError(f"{LABEL} is of another run")
        if problems := unreplayed(directory):
            raise InputError(problems[0])
    except _ODD:
        raise InputError("run.json has not the form of one") from None


def verified(
    directory: RunDirectory, suite: Opened, executor: Executor | None, progress: Callable[[int, int], Any]
) -> list[str]:
    """Everything that is wrong with a received run, every record replayed against the suite."""
    try:
        return verify_run(directory, suite, executor, progress)
    except _ODD:
        return ["a file of the run has not the form that it should have"]


def settle(directory: RunDirectory, suite: Path | None) -> None:
    """Tell a received run where its suite is here, so that nobody has to be asked again."""
    if suite is not None:
        document = json.loads(read_plain(directory.path / "run.json")) | {"suite": str(suite.resolve())}
        write_whole(directory.path / "run.json", indented(document))
