"""The folder of a report: all of its files are made before the first is written, and those of an earlier report go."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from algoworlds.disk import write_whole
from algoworlds.errors import InputError

LIST = "files.txt"
"""The names of a report's files, one a line, so that the next report in the folder knows which it may take away."""

_OURS = re.compile(r"(figures/)?[A-Za-z0-9_-]+\.(md|csv|tex|json|html|svg|pdf|png)")
"""How our files are named: whatever a list says, nothing else is taken away."""


def write_files(files: Mapping[str, bytes], directory: Path) -> None:
    """Write files by their names in a directory; InputError, before any is written, if a folder stands in the way."""
    try:
        for folder in sorted({(directory / name).parent for name in files}):
            folder.mkdir(parents=True, exist_ok=True)
        taken = [directory / name for name in files if (directory / name).is_dir()]
        if taken:
            raise InputError(f"cannot write {taken[0]}: it is a directory; choose another place")
        for name, content in files.items():
            write_whole(directory / name, content)
    except OSError as problem:
        raise InputError(f"cannot write {problem.filename or directory}: {problem.strerror}; choose another place") from None


def replace_files(files: Mapping[str, bytes], directory: Path) -> None:
    """Write a report's files and take away those which an earlier report listed and this one does not have."""
    stale = _listed(directory) - files.keys()
    write_files({LIST: _spelled({*files, *stale}), **files}, directory)  # an interrupted report is listed too
    for name in stale:
        (directory / name).unlink(missing_ok=True)
    write_files({LIST: _spelled(files)}, directory)


def _spelled(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in sorted(names)).encode()


def _listed(directory: Path) -> set[str]:
    try:
        names = (directory / LIST).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return set()
    return {name for name in names if _OURS.fullmatch(name) and (directory / name).is_file()}
