"""The folder of a report: all of its files are made before the first is written, and those of an earlier report go.

Nothing of others is touched: a folder that is neither empty nor a report is refused, as is one in a suite or a run, and of an
earlier report only what is still as it was written is taken away.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from algoworlds.disk import read_plain, write_whole
from algoworlds.errors import InputError, shown

LIST = "files.txt"
"""The digests and names of a report's files, as sha256sum writes and checks them: what the next report may take away."""

PLAYED = "panel"
"""The folder of the runs that a report plays itself."""

_NAME = r"(?:figures/)?[A-Za-z0-9_-]+\.(?:md|csv|tex|json|html|svg|pdf|png)|evaluations/[A-Za-z0-9_.-]+\.js"
_LINE = re.compile(rf"([0-9a-f]{{64}})  ({_NAME})")
"""A digest and a file of ours: a list with any other line is no report's."""

Listed = frozenset[tuple[str, str]]
"""Digests with the names of their files."""


def report_place(directory: Path) -> None:
    """InputError unless a report may be written into a directory: a new or empty one, or that of an earlier report."""
    try:
        for place in (directory.resolve(), *directory.resolve().parents):
            if (place / "run.json").exists() or ((place / "manifest.json").exists() and (place / "worlds").exists()):
                raise InputError(f"{shown(directory)} lies in {shown(place)}, which is a run or a suite: choose another --out")
        if directory.exists() and not directory.is_dir():
            raise InputError(f"{shown(directory)} is no directory: choose another --out")
        if directory.is_dir() and _listed(directory) is None and any(map(_foreign, directory.iterdir())):
            raise InputError(f"{shown(directory)} is not empty and no report: choose another --out")
    except OSError as problem:
        raise InputError(f"cannot write {shown(directory)}: {problem.strerror}; choose another place") from None


def write_files(files: Mapping[str, bytes], directory: Path) -> None:
    """Write files by their names in a directory; InputError, before any is written, if a folder stands in the way."""
    try:
        for folder in sorted({(directory / name).parent for name in files}):
            folder.mkdir(parents=True, exist_ok=True)
        taken = [directory / name for name in files if (directory / name).is_dir()]
        if taken:
            raise InputError(f"cannot write {shown(taken[0])}: it is a directory; choose another place")
        for name, content in files.items():
            write_whole(directory / name, content)
    except OSError as problem:
        raise InputError(
            f"cannot write {shown(problem.filename or directory)}: {problem.strerror}; choose another place"
        ) from None


def replace_files(files: Mapping[str, bytes], directory: Path) -> None:
    """Write a report's files and take away those which an earlier report listed and this one does not have."""
    report_place(directory)
    earlier, made = _listed(directory) or frozenset(), frozenset((_digest(content), name) for name, content in files.items())
    ours = {name for _, name in earlier}
    taken = [name for name in files if name not in ours and (directory / name).exists()]
    if taken:
        raise InputError(
            f"cannot write {shown(directory / taken[0])}: it exists and is no file of a report; choose another place"
        )
    write_files({LIST: _spelled(earlier | made)}, directory)  # an interrupted report is listed too
    write_files(files, directory)
    for digest, name in earlier:
        stale = directory / name
        if name not in files and stale.is_file() and _digest(read_plain(stale)) == digest:
            stale.unlink(missing_ok=True)
            _tidied(stale.parent, directory)
    write_files({LIST: _spelled(made)}, directory)


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def _tidied(folder: Path, directory: Path) -> None:
    """Take away a folder within a report that has nothing left in it."""
    if folder != directory and not any(folder.iterdir()):
        folder.rmdir()


def _foreign(path: Path) -> bool:
    """Whether a file is no trace of a report that was killed as it began."""
    return path.name != PLAYED and not (path.name.startswith(".") and path.name.endswith(".partial"))


def _spelled(listed: Listed) -> bytes:
    ordered = sorted(listed, key=lambda each: (each[1], each[0]))
    return "".join(f"{digest}  {name}\n" for digest, name in ordered).encode()


def _listed(directory: Path) -> Listed | None:
    """What a report's list says; None if there is none, or if it is somebody else's."""
    try:
        lines = [_LINE.fullmatch(line) for line in read_plain(directory / LIST).decode().splitlines()]
    except (OSError, ValueError):
        return None
    found = frozenset((line[1], line[2]) for line in lines if line is not None)
    return found if found and None not in lines else None
