"""Files and folders: locks, atomic writes, and reads that refuse anything but a regular file."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from filecmp import cmp
from pathlib import Path
from shutil import rmtree
from typing import IO, Any, BinaryIO

from algoworlds.errors import InputError, format_value

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
"""Flags for `os.open`: without the first, Windows would write line ends of its own."""

PUBLIC_FILE, PUBLIC_FOLDER = 0o644, 0o755
OWNER_ONLY_FILE, OWNER_ONLY_FOLDER = 0o600, 0o700
"""Modes of what holds optima or secrets: sealed files, records, journals. No other user may read them."""


def make_owner_only_folder(folder: Path) -> None:
    """Create `folder` and its missing parents; no other user may read or enter `folder`, even if it existed."""
    folder.mkdir(mode=OWNER_ONLY_FOLDER, parents=True, exist_ok=True)
    if stat.S_IMODE(folder.stat().st_mode) != OWNER_ONLY_FOLDER:
        with suppress(PermissionError):  # it belongs to another user, or the file system has no modes
            folder.chmod(OWNER_ONLY_FOLDER)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on `folder`; InputError if another process holds it.

    The lock is on the folder itself: no lock file can be deleted, and the lock dies with its process. On a file system
    that cannot lock folders, nothing is locked. Windows cannot lock folders: there the lock is a file beside it.
    """
    if fcntl is None:
        if not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
        with _lock_beside(folder, wait=False):
            yield
        return
    with _open_handle(folder, os.O_RDONLY | os.O_DIRECTORY) as handle:
        with suppress(OSError):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise _folder_in_use(folder) from None
        yield


@contextmanager
def lock_file(path: Path) -> Iterator[None]:
    """Wait for an exclusive lock on the file `path`, created if missing; no lock where files cannot be locked.

    On Windows a locked file cannot be written through another handle: there the lock is a file beside it.
    """
    if fcntl is None:
        with _lock_beside(path, wait=True):
            yield
        return
    with _open_handle(path, os.O_RDWR | os.O_CREAT) as handle:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _folder_in_use(folder: Path) -> InputError:
    return InputError(f"{format_value(folder)} is being written by another process: wait for it, or choose another --out")


@contextmanager
def _lock_beside(path: Path, wait: bool) -> Iterator[None]:
    """Hold an exclusive lock on a file beside `path`; without `wait`, InputError if another process holds it."""
    from filelock import FileLock, Timeout

    resolved = path.resolve()
    lock = FileLock(resolved.with_name(f".{resolved.name}.lock"), timeout=-1 if wait else 0)
    try:
        lock.acquire()
    except Timeout:
        raise _folder_in_use(path) from None
    try:
        yield
    finally:
        lock.release()


def open_regular_file(path: Path) -> BinaryIO:
    """Open a regular file for reading; OSError for anything else: a pipe would block, a device has no end."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | BINARY)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a plain file", str(path))
    return os.fdopen(handle, "rb")


def read_regular_file(path: Path) -> bytes:
    """Read the bytes of a regular file; OSError for anything else."""
    with open_regular_file(path) as file:
        return file.read()


def write_atomic(
    path: Path, content: bytes, temporary: Path | None = None, durable: bool = True, mode: int = PUBLIC_FILE
) -> None:
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


def create_atomic(path: Path, content: bytes, mode: int = PUBLIC_FILE) -> None:
    """Create a file, whole and durable; FileExistsError if it exists."""
    temporary = _temporary_path(path)
    try:
        _write(temporary, content, durable=True, mode=mode)
        os.link(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_directory(path.parent)


def create_repeatable(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Create a file, whole and durable, from what `write` writes to it; FileExistsError if it has other content.

    If a command was killed, the same command completes its work: a finished file is accepted if it has the same bytes, and
    the temporary file, which has a fixed name beside it, is overwritten.
    """
    temporary = path.with_name(f".{path.name}.partial")
    with lock_file(temporary):
        try:
            with temporary.open("w+b") as file:
                write(file)
                file.flush()
                temporary.chmod(PUBLIC_FILE)
                os.fsync(file.fileno())
            try:
                os.link(temporary, path)
            except FileExistsError:
                if not path.is_file() or not cmp(temporary, path, shallow=False):
                    raise
        finally:
            temporary.unlink(missing_ok=True)
    sync_directory(path.parent)


@contextmanager
def create_folder(out: Path, mode: int = OWNER_ONLY_FOLDER) -> Iterator[Path]:
    """Yield a new folder, by default for its owner only, which becomes `out` if the block ends without an error.

    InputError if `out` has other content. If a command was killed, the same command completes its work: an `out` with the
    same files is accepted, and the temporary folder, which has a fixed name beside `out`, is deleted first.
    """
    if os.path.lexists(out) and (out.is_symlink() or not out.is_dir() or not any(out.iterdir())):
        raise InputError(f"{format_value(out)} exists: choose another --out")
    if not out.parent.is_dir():
        raise InputError(f"{format_value(out.parent)} is not a directory: choose another --out")
    temporary = out.with_name(f".{out.name}.partial")
    try:
        temporary.mkdir(mode=mode, exist_ok=True)
        with lock_folder(temporary):
            for path in temporary.iterdir():
                rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
            try:
                yield temporary
                _sync_tree(temporary)
                if not out.exists():
                    temporary.rename(out)
                elif not _is_same_tree(temporary, out):
                    raise InputError(f"{format_value(out)} exists: choose another --out")
            finally:
                rmtree(temporary, ignore_errors=True)
        sync_directory(out.parent)
    except BrokenPipeError:  # of the output of a command
        raise
    except OSError as problem:
        reason = f"{format_value(problem.filename)}: {problem.strerror}" if problem.filename else problem.strerror
        raise InputError(f"cannot write {format_value(out)} ({reason}): choose another --out") from None


def _sync_tree(folder: Path) -> None:
    """Make all files and names below `folder` durable."""
    for path in (folder, *folder.rglob("*")):
        sync_directory(path)


def _is_same_tree(one: Path, other: Path) -> bool:
    """Whether two folders hold the same files with the same bytes."""
    names = {path.relative_to(one) for path in one.rglob("*")}
    if names != {path.relative_to(other) for path in other.rglob("*")}:
        return False
    return all(((one / name).is_dir() and (other / name).is_dir()) or _is_same_file(one / name, other / name) for name in names)


def _is_same_file(one: Path, other: Path) -> bool:
    return one.is_file() and other.is_file() and not other.is_symlink() and cmp(one, other, shallow=False)


def _temporary_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.partial")


def _write(path: Path, content: bytes, durable: bool, mode: int) -> None:
    path.unlink(missing_ok=True)  # a killed process may have left one with another mode
    with _open_handle(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode) as handle:
        view = memoryview(content)
        while view:  # a full disk shows as a short count before it shows as an error
            view = view[os.write(handle, view) :]
        if durable:
            os.fsync(handle)


def sync_directory(folder: Path) -> None:
    """Make the names in `folder` durable; for a file, its content. Windows syncs files only, and those that it may write."""
    if fcntl is None and folder.is_dir():
        return
    with _open_handle(folder, os.O_RDONLY if fcntl is not None else os.O_RDWR) as handle:
        os.fsync(handle)


@contextmanager
def _open_handle(path: Path, flags: int, mode: int = PUBLIC_FILE) -> Iterator[int]:
    with name_file_in_errors(path):
        handle = os.open(path, flags | BINARY, mode)
        try:
            yield handle
        finally:
            os.close(handle)


@contextmanager
def name_file_in_errors(path: Path) -> Iterator[None]:
    """Add `path` to every OSError that names no file, as those of writes and syncs do."""
    try:
        yield
    except OSError as problem:
        problem.filename = problem.filename or str(path)
        raise
