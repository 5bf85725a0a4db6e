"""The files of an export: written whole, and accepted as they are if an earlier start of the same command has written them."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from algoworlds.disk import read_regular_file, write_atomic
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


def write_files(out: Path, files: Mapping[str, bytes]) -> None:
    """Write `files` as the folder `out`, all of them or none; InputError if there is something else."""
    out = out.parent.resolve() / out.name if out.name not in ("", "..") else out.resolve()
    partial = out.parent / f".{out.name}.partial"  # of a start that was killed, if it exists
    shutil.rmtree(partial, ignore_errors=True)
    if os.path.lexists(out):
        if out.is_symlink() or not out.is_dir():
            raise InputError(f"{format_value(out)} is not a directory: choose another --out")
        present = {path.name: path for path in out.iterdir()}
        if present.keys() == files.keys() and all(read_regular_file(present[name]) == files[name] for name in files):
            return
        if present:
            raise InputError(f"{format_value(out)} exists and is not empty: choose another")
    partial.mkdir(parents=True)
    for name, content in files.items():
        write_atomic(partial / name, content, durable=False)
    partial.replace(out)
