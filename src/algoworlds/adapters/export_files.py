"""The files of an export: written whole, and accepted as they are if an earlier start of the same command has written them."""

import os
from collections.abc import Mapping
from pathlib import Path

from algoworlds.disk import PUBLIC_FOLDER, create_folder, read_regular_file, write_atomic
from algoworlds.errors import InputError, format_value


def write_file(out: Path, content: bytes) -> None:
    """Write the file `out`; InputError if there is something else."""
    if not out.name or out.is_dir():
        raise InputError(f"{format_value(out)} is a directory: name a file with --out")
    for partial in out.parent.glob(f".{out.name}.*.partial"):  # of a start that was killed
        partial.unlink(missing_ok=True)
    if os.path.lexists(out):
        if not out.is_file() or read_regular_file(out) != content:
            raise InputError(f"{format_value(out)} exists: choose another --out")
        return
    write_atomic(out, content, durable=False)


def write_files(out: Path, files: Mapping[str, bytes], mode: int = PUBLIC_FOLDER) -> None:
    """Write `files` (paths below `out`) as the folder `out` of `mode`, all or none; InputError if there is something else."""
    out = out.parent.resolve() / out.name if out.name not in ("", "..") else out.resolve()
    require_free(out, files)
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.is_dir() and not any(out.iterdir()):
        out.rmdir()
    with create_folder(out, mode) as folder:
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_atomic(folder / name, content, durable=False)


def require_free(out: Path, files: Mapping[str, bytes]) -> None:
    """Raise InputError unless `out` is missing, empty, or the folder of these `files`."""
    if not os.path.lexists(out):
        return
    if out.is_symlink() or not out.is_dir():
        raise InputError(f"{format_value(out)} is not a directory: choose another --out")
    names = {Path(name) for name in files}
    names |= {folder for name in names for folder in name.parents}
    is_foreign = any(path.relative_to(out) not in names for path in out.rglob("*"))  # stops at the first
    if is_foreign or (any(out.iterdir()) and not _has_files(out, files)):
        raise InputError(f"{format_value(out)} exists and is not empty: choose another")


def _has_files(out: Path, files: Mapping[str, bytes]) -> bool:
    return all((out / name).is_file() and read_regular_file(out / name) == content for name, content in files.items())
