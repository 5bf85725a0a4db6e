"""The folder of a report: files are written after all of them have been computed, and stale files are deleted.

Files of others are never touched. A folder that is neither empty nor a report is rejected, as is one inside a suite or a run;
a file of an earlier report is deleted only if it is unchanged.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from algoworlds.disk import read_regular_file, write_atomic
from algoworlds.errors import InputError, format_value

FILE_LIST = "files.txt"
"""Lists the files of a report with their digests, in the format of sha256sum; the next report may delete these files."""

PANEL_FOLDER = "panel"
"""The folder of the scripted runs that `algoworlds panel` plays for a report."""

_FILE_NAME = r"(?:figures/)?[A-Za-z0-9_-]+\.(?:md|csv|tex|json|html|svg|pdf|png)|evaluations/[A-Za-z0-9_.-]+\.js"
_LIST_LINE = re.compile(rf"([0-9a-f]{{64}})  ({_FILE_NAME})")
"""A digest and a report file; a list with any other line was not written by a report."""

ListedFiles = frozenset[tuple[str, str]]
"""Pairs of digest and file name."""


def check_report_folder(directory: Path) -> None:
    """InputError unless `directory` is new, empty or an earlier report, and outside of every run and suite."""
    try:
        for folder in (directory.resolve(), *directory.resolve().parents):
            if (folder / "run.json").exists() or ((folder / "manifest.json").exists() and (folder / "worlds").exists()):
                raise InputError(
                    f"{format_value(directory)} is inside {format_value(folder)}, a run or a suite: choose another --out"
                )
        if directory.exists() and not directory.is_dir():
            raise InputError(f"{format_value(directory)} is not a directory: choose another --out")
        if directory.is_dir() and _read_list(directory) is None and any(map(_is_foreign, directory.iterdir())):
            raise InputError(f"{format_value(directory)} is neither empty nor a report: choose another --out")
    except OSError as problem:
        raise InputError(f"cannot write {format_value(directory)}: {problem.strerror}; choose another place") from None


def write_files(files: Mapping[str, bytes], directory: Path) -> None:
    """Write `files` by name into `directory`; InputError, before any file is written, if a folder has one of the names."""
    try:
        for folder in sorted({(directory / name).parent for name in files}):
            folder.mkdir(parents=True, exist_ok=True)
        blocked = [directory / name for name in files if (directory / name).is_dir()]
        if blocked:
            raise InputError(f"cannot write {format_value(blocked[0])}: it is a directory; choose another place")
        for name, content in files.items():
            write_atomic(directory / name, content)
    except OSError as problem:
        location = format_value(problem.filename or directory)
        raise InputError(f"cannot write {location}: {problem.strerror}; choose another place") from None


def replace_report_files(files: Mapping[str, bytes], directory: Path) -> None:
    """Write the `files` of a report and delete those that an earlier report listed and this one does not have."""
    check_report_folder(directory)
    earlier, current = _read_list(directory) or frozenset(), frozenset((_digest(files[name]), name) for name in files)
    listed_names = {name for _, name in earlier}
    foreign = [name for name in files if name not in listed_names and (directory / name).exists()]
    if foreign:
        location = format_value(directory / foreign[0])
        raise InputError(f"cannot write {location}: it exists and is not a file of a report; choose another place")
    write_files({FILE_LIST: _encode_list(earlier | current)}, directory)  # covers both, in case this report is interrupted
    write_files(files, directory)
    for digest, name in earlier:
        stale = directory / name
        if name not in files and stale.is_file() and _digest(read_regular_file(stale)) == digest:
            stale.unlink(missing_ok=True)
            if stale.parent != directory and not any(stale.parent.iterdir()):
                stale.parent.rmdir()
    write_files({FILE_LIST: _encode_list(current)}, directory)


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def _is_foreign(path: Path) -> bool:
    """Whether `path` is neither the panel nor a temporary file of a report that was killed while it began."""
    return path.name != PANEL_FOLDER and not (path.name.startswith(".") and path.name.endswith(".partial"))


def _encode_list(files: ListedFiles) -> bytes:
    return "".join(f"{digest}  {name}\n" for name, digest in sorted((name, digest) for digest, name in files)).encode()


def _read_list(directory: Path) -> ListedFiles | None:
    """The file list in `directory`; None if it is missing or not a report's."""
    try:
        matches = [_LIST_LINE.fullmatch(line) for line in read_regular_file(directory / FILE_LIST).decode().splitlines()]
    except (OSError, ValueError):
        return None
    files = frozenset((match[1], match[2]) for match in matches if match is not None)
    return files if files and None not in matches else None
