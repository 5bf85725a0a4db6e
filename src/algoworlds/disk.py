"""One writer at a time: a lock that dies with its process, so that nothing is ever left locked."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from algoworlds.errors import InputError


@contextmanager
def alone(lock: Path, place: Path) -> Iterator[None]:
    """Hold a lock file for as long as a place is written; InputError if another process holds it."""
    handle = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise InputError(f"{place} is being written by another process: wait for it, or choose another --out") from None
    try:
        yield
    finally:
        os.close(handle)
