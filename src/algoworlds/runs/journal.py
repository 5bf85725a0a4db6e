"""Append-only journals: one line is `sha256[:16] SP json LF`, on disk before anything is done with what it says.

An unterminated last line is the trace of a crash and is cut off; a terminated line whose digest does not fit is
corruption and is refused: nothing behind it can be trusted, and nothing is ever silently dropped.
"""

import json
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from algoworlds.core.canonical import compact_text
from algoworlds.disk import open_plain
from algoworlds.errors import InputError, shown

_DIGEST = 16
LONGEST_LINE = 64 * 2**20
"""Bytes; no provider response comes near."""


def line(value: Any) -> bytes:
    """A journal line."""
    body = compact_text(value).encode()
    return sha256(body).hexdigest()[:_DIGEST].encode() + b" " + body + b"\n"


def read(path: Path) -> tuple[list[Any], int]:
    """The values of a journal and the length in bytes of its sound part; InputError names a corrupt line."""
    try:
        file = open_plain(path)
    except OSError:
        raise InputError(f"{shown(path)} cannot be read: the journal is missing or no plain file, restore it") from None
    values: list[Any] = []
    sound = 0
    with file:
        while raw := file.readline(LONGEST_LINE):
            if not raw.endswith(b"\n"):
                if len(raw) == LONGEST_LINE:
                    raise InputError(f"{shown(path)}: line {len(values) + 1} is too long: the journal is damaged, restore it")
                break
            values.append(_value(path, len(values) + 1, raw))
            sound += len(raw)
    return values, sound


def held(path: Path) -> tuple[list[Any], int]:
    """The same of a journal that there may be; a link that leads nowhere is none that was never begun."""
    return read(path) if path.is_symlink() or path.exists() else ([], 0)


def _value(path: Path, number: int, raw: bytes) -> Any:
    stated, _, body = raw[:-1].partition(b" ")
    try:
        if sha256(body).hexdigest()[:_DIGEST].encode() == stated:
            return json.loads(body)
    except (ValueError, RecursionError):
        pass
    raise InputError(f"{shown(path)}: line {number} does not fit its digest: the journal is damaged, restore it") from None


class Journal:
    """A journal open for appending; on any failure to write it is cut back to its last good line.

    `recorded` holds what it said when it was opened. Without `durable` a line may be lost with the machine's power, not
    with the process, until `sync` is called.
    """

    def __init__(self, path: Path, durable: bool = True) -> None:
        """Open or create a journal, cutting off the torn line that a crash may have left."""
        self._durable, self._lock = durable, Lock()
        self.recorded, self._sound = held(path)
        self._handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        os.ftruncate(self._handle, self._sound)

    def append(self, value: Any) -> None:
        """Add a value; when this returns, it is on disk."""
        content = line(value)
        if len(content) >= LONGEST_LINE:
            raise InputError(f"a line of {len(content):,} bytes is too long for a journal, which could not be read again")
        with self._lock:
            try:
                self._write(content)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(self._handle, self._sound)
                raise
            self._sound += len(content)

    def _write(self, content: bytes) -> None:
        view = memoryview(content)
        while view:  # a full disk shows as a short count before it shows as an error
            view = view[os.write(self._handle, view) :]
        if self._durable:
            os.fsync(self._handle)

    def sync(self) -> None:
        """Bring every line to disk that was appended so far."""
        os.fsync(self._handle)

    def close(self) -> None:
        """Close the file, after a line that is being written."""
        with self._lock:
            os.close(self._handle)
            self._handle = -1
