"""Files and folders: one writer at a time, whole files or none, and nothing read that is no plain file."""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from algoworlds.errors import InputError, shown


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold a folder for as long as it is written; InputError if another process holds it.

    The lock is on the folder itself, so that there is no file that somebody could delete meanwhile, and it dies with its
    process. A file system that cannot lock folders is written all the same.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):
            _lock(handle, folder)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, folder: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(f"{shown(folder)} is being written by another process: wait for it, or choose another --out") from None


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """Wait until no other process holds a file, and hold it; it is made for that. Where files cannot be locked nobody waits."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def open_plain(path: Path) -> BinaryIO:
    """A plain file to be read; OSError for anything else: a pipe would be waited for, a device has no end."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a plain file", str(path))
    return os.fdopen(handle, "rb")


def read_plain(path: Path) -> bytes:
    """The bytes of a plain file; OSError for anything else."""
    with open_plain(path) as file:
        return file.read()


def write_whole(path: Path, content: bytes, partial: Path | None = None, durable: bool = True, mode: int = 0o644) -> None:
    """Write a file whole or not at all, by way of a partial one beside it or where it is told.

    What is not durable may be lost with the machine's power, not with the process.
    """
    partial = partial or _partial(path)
    try:
        _write(partial, content, durable, mode)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    if durable:
        sync_directory(path.parent)


def write_once(path: Path, content: bytes) -> None:
    """Create a file, whole and durable; FileExistsError if it is there."""
    partial = _partial(path)
    try:
        _write(partial, content, durable=True)
        os.link(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    sync_directory(path.parent)


def _partial(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.partial")


def _write(path: Path, content: bytes, durable: bool, mode: int = 0o644) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    try:
        view = memoryview(content)
        while view:  # a full disk shows as a short count before it shows as an error
            view = view[os.write(handle, view) :]
        if durable:
            os.fsync(handle)
    finally:
        os.close(handle)


def sync_directory(folder: Path) -> None:
    """Make a folder's new names durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
