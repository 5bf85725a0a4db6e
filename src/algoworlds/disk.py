"""Files and folders: locks, atomic writes, and reads that refuse anything but a regular file."""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from algoworlds.errors import InputError, format_value


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on `folder`; InputError if another process holds it.

    The lock is on the folder itself: no lock file can be deleted, and the lock dies with its process. On a file system
    that cannot lock folders, nothing is locked.
    """
    with _open_handle(folder, os.O_RDONLY | os.O_DIRECTORY) as handle:
        with suppress(OSError):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                advice = "wait for it, or choose another --out"
                raise InputError(f"{format_value(folder)} is being written by another process: {advice}") from None
        yield


@contextmanager
def lock_file(path: Path) -> Iterator[None]:
    """Wait for an exclusive lock on the file `path`, created if missing; no lock where files cannot be locked."""
    with _open_handle(path, os.O_RDWR | os.O_CREAT) as handle:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def open_regular_file(path: Path) -> BinaryIO:
    """Open a regular file for reading; OSError for anything else: a pipe would block, a device has no end."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a plain file", str(path))
    return os.fdopen(handle, "rb")


def read_regular_file(path: Path) -> bytes:
    """Read the bytes of a regular file; OSError for anything else."""
    with open_regular_file(path) as file:
        return file.read()


def write_atomic(path: Path, content: bytes, temporary: Path | None = None, durable: bool = True, mode: int = 0o644) -> None:
    """Write a file whole or not at all, through `temporary` (default: a file beside it) and a rename.

    If not `durable`, the content survives the process but may be lost in a power failure.
    """
    temporary = temporary or _temporary_path(path)
    try:
        _write(temporary, content, durable, mode)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    if durable:
        sync_directory(path.parent)


def create_atomic(path: Path, content: bytes) -> None:
    """Create a file, whole and durable; FileExistsError if it exists."""
    temporary = _temporary_path(path)
    try:
        _write(temporary, content, durable=True)
        os.link(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_directory(path.parent)


def _temporary_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.partial")


def _write(path: Path, content: bytes, durable: bool, mode: int = 0o644) -> None:
    with _open_handle(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode) as handle:
        view = memoryview(content)
        while view:  # a full disk shows as a short count before it shows as an error
            view = view[os.write(handle, view) :]
        if durable:
            os.fsync(handle)


def sync_directory(folder: Path) -> None:
    """Make new names in `folder` durable."""
    with _open_handle(folder, os.O_RDONLY) as handle:
        os.fsync(handle)


@contextmanager
def _open_handle(path: Path, flags: int, mode: int = 0o644) -> Iterator[int]:
    handle = os.open(path, flags | os.O_CLOEXEC, mode)
    try:
        yield handle
    finally:
        os.close(handle)
