"""Deterministic tar archives: every byte follows from the names and contents of the files.

A reader computes each header and compares, so nothing has to be interpreted: a link, a device, a sparse file, a second form of
a name or a byte after the end differs from what is expected. Nothing is compressed, so the size of the contents is known in
advance and the bytes depend on no compressor.
"""

from collections.abc import Iterable, Iterator
from tarfile import BLOCKSIZE, USTAR_FORMAT, TarInfo
from typing import IO, BinaryIO, NamedTuple

from algoworlds.errors import InputError, format_value

MAX_MEMBER_BYTES = 2**30
"""Far more than any journal."""
MAX_FIRST_MEMBER_BYTES = 2**26
"""Bound on the first file, which is parsed before anything about the archive is known."""
END_BLOCKS = bytes(2 * BLOCKSIZE)


class Member(NamedTuple):
    """A plain file in an archive."""

    name: str
    content: bytes


def member_header(name: str, size: int) -> bytes:
    """The header block of a file, without owner and time."""
    info = TarInfo(name)
    info.size, info.mode = size, 0o644
    return info.tobuf(USTAR_FORMAT, "ascii", "strict")


def block_padding(size: int) -> bytes:
    """The zeros that fill the last block of a content of `size` bytes."""
    return bytes(-size % BLOCKSIZE)


def archive_length(sizes: Iterable[int]) -> int:
    """The bytes of an archive whose files have these sizes."""
    return sum(BLOCKSIZE + size + len(block_padding(size)) for size in sizes) + len(END_BLOCKS)


def write_archive(file: IO[bytes], members: Iterable[Member]) -> None:
    """Write an archive."""
    for name, content in members:
        size = len(content)
        if size > MAX_MEMBER_BYTES:
            raise InputError(f"{format_value(name)} has {size:,} bytes; an archive takes files of at most {MAX_MEMBER_BYTES:,}")
        file.write(member_header(name, size) + content + block_padding(size))
    file.write(END_BLOCKS)


def read_first_member(file: BinaryIO, name: str) -> bytes:
    """The content of the first file, which must be called `name`."""
    block = file.read(BLOCKSIZE)
    digits = block[124:135]  # the size, in octal
    size = int(digits, 8) if digits.isdigit() and not set(digits) & set(b"89") else MAX_FIRST_MEMBER_BYTES + 1
    if size > MAX_FIRST_MEMBER_BYTES or block != member_header(name, size):
        raise InputError(f"it does not begin with {format_value(name)} as an archive of algoworlds does")
    return _read_content(file, name, size)


def read_other_members(file: BinaryIO, sizes: Iterable[tuple[str, int]]) -> Iterator[Member]:
    """The files after the first: exactly these names and sizes in this order, then the end."""
    for name, size in sizes:
        if file.read(BLOCKSIZE) != member_header(name, size):
            raise InputError(f"where {format_value(name)} should begin there is something else")
        yield Member(name, _read_content(file, name, size))
    if file.read(len(END_BLOCKS) + 1) != END_BLOCKS:
        raise InputError("it does not end as an archive of algoworlds does")


def _read_content(file: BinaryIO, name: str, size: int) -> bytes:
    content, padding = file.read(size), block_padding(size)
    if len(content) != size or file.read(len(padding)) != padding:
        raise InputError(f"{format_value(name)} is cut off, or its padding is not empty")
    return content
