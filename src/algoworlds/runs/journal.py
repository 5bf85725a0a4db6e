"""Append-only journals: each line is `sha256[:16] SP json LF` and is on disk before anything acts on it.

An unterminated last line is left by a crash and is cut off. A terminated line whose digest is wrong is corruption: the journal
is refused, because nothing after that line can be trusted, and nothing is dropped silently.
"""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

from algoworlds.core.canonical import compact_json
from algoworlds.disk import BINARY, OWNER_ONLY_FILE, name_file_in_errors, open_regular_file
from algoworlds.errors import InputError, format_value
from algoworlds.tracks.track import Computed

_DIGEST_LENGTH = 16
MAX_LINE_BYTES = 64 * 2**20
"""Far more than any provider response."""


def encode_line(value: Any) -> bytes:
    """The journal line of a JSON value."""
    body = compact_json(value).encode()
    return sha256(body).hexdigest()[:_DIGEST_LENGTH].encode() + b" " + body + b"\n"


def read_journal(path: Path) -> tuple[list[Any], int]:
    """The values of a journal and the byte length of its complete lines; InputError names a corrupt line."""
    try:
        file = open_regular_file(path)
    except OSError:
        raise InputError(
            f"{format_value(path)} cannot be read: the journal is missing or not a plain file, restore it"
        ) from None
    values: list[Any] = []
    length = 0
    with file:
        while line := file.readline(MAX_LINE_BYTES):
            if not line.endswith(b"\n"):
                if len(line) == MAX_LINE_BYTES:
                    raise InputError(
                        f"{format_value(path)}: line {len(values) + 1} is too long: the journal is damaged, restore it"
                    )
                break
            values.append(_decode_line(path, len(values) + 1, line))
            length += len(line)
    return values, length


def read_journal_if_exists(path: Path) -> tuple[list[Any], int]:
    """`read_journal`, or no values if there is no file; a dangling symbolic link is refused, not taken as missing."""
    return read_journal(path) if path.is_symlink() or path.exists() else ([], 0)


def _decode_line(path: Path, number: int, line: bytes) -> Any:
    digest, _, body = line[:-1].partition(b" ")
    with suppress(ValueError, RecursionError):
        if sha256(body).hexdigest()[:_DIGEST_LENGTH].encode() == digest:
            return json.loads(body, parse_constant=_refuse_constant)
    raise InputError(f"{format_value(path)}: line {number} does not fit its digest: the journal is damaged, restore it")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")  # no line that was written here holds NaN or an infinity


def pair_results(lines: Iterable[Any]) -> Iterator[tuple[Any, Computed | None]]:
    """Each line of a journal with the result of the program that it ran: the line after it, if that holds one."""
    following = [*lines, None]
    for line, after in pairwise(following):
        if not _holds_result(line):
            yield line, Computed.from_json(after["computed"]) if _holds_result(after) else None


def _holds_result(line: Any) -> bool:
    return isinstance(line, dict) and "computed" in line


class Journal:
    """A journal open for appending; a failed write is truncated back to the last complete line.

    `values_at_open` holds the values that were there when it was opened. Without `durable`, a line survives a crash of the
    process, but survives a power failure only once `sync` was called.
    """

    def __init__(self, path: Path, durable: bool = True) -> None:
        """Open or create a journal, cutting off an incomplete last line."""
        self._path, self._durable, self._lock = path, durable, Lock()
        self.values_at_open, self._length = read_journal_if_exists(path)
        with name_file_in_errors(path):
            self._handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | BINARY, OWNER_ONLY_FILE)
            os.ftruncate(self._handle, self._length)

    def append(self, value: Any) -> None:
        """Append a value; it is on disk when this returns."""
        content = encode_line(value)
        if len(content) >= MAX_LINE_BYTES:
            raise InputError(f"a line of {len(content):,} bytes is too long for a journal, which could not be read again")
        with self._lock, name_file_in_errors(self._path):
            try:
                view = memoryview(content)
                while view:  # a full disk returns a short count before it raises
                    view = view[os.write(self._handle, view) :]
                if self._durable:
                    os.fsync(self._handle)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(self._handle, self._length)
                raise
            self._length += len(content)

    def sync(self) -> None:
        """Flush all appended lines to disk."""
        with name_file_in_errors(self._path):
            os.fsync(self._handle)

    def close(self) -> None:
        """Close the file; waits for a line that is being written."""
        with self._lock:
            os.close(self._handle)
            self._handle = -1
