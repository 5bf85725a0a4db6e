"""Archives with one spelling: a tar of plain files whose every byte follows from the names and contents in it.

Whoever reads one predicts each header and compares, so that there is nothing to be interpreted: a link, a device, a sparse
file, a second spelling of a name, a byte behind the end all differ from what was predicted. Nothing is compressed: what an
archive holds is as long as it is, and its bytes depend on no compressor.
"""

from collections.abc import Iterable, Iterator
from tarfile import BLOCKSIZE, USTAR_FORMAT, TarInfo
from typing import IO, BinaryIO, NamedTuple

from algoworlds.errors import InputError, shown

LONGEST_MEMBER = 2**30
"""Bytes of one file in an archive: no journal comes near."""
LONGEST_FIRST = 2**26
"""Bytes of the first file, which is parsed before anything is known of it."""
END = bytes(2 * BLOCKSIZE)


class Member(NamedTuple):
    """A plain file in an archive."""

    name: str
    content: bytes


def header(name: str, size: int) -> bytes:
    """The block before a file's content: nobody's, of no time, to be read by all."""
    info = TarInfo(name)
    info.size, info.mode = size, 0o644
    return info.tobuf(USTAR_FORMAT, "ascii", "strict")


def padding(size: int) -> bytes:
    """What fills the last block of a content."""
    return bytes(-size % BLOCKSIZE)


def length(sizes: Iterable[int]) -> int:
    """Bytes of an archive of files of these sizes."""
    return sum(BLOCKSIZE + size + len(padding(size)) for size in sizes) + len(END)


def write(file: IO[bytes], members: Iterable[Member]) -> None:
    """Write an archive."""
    for name, content in members:
        if len(content) > LONGEST_MEMBER:
            raise InputError(f"{shown(name)} has {len(content):,} bytes, and a file in an archive at most {LONGEST_MEMBER:,}")
        file.write(header(name, len(content)) + content + padding(len(content)))
    file.write(END)


def read_first(file: BinaryIO, name: str) -> bytes:
    """The content of the first file, which must have that name."""
    block = file.read(BLOCKSIZE)
    digits = block[124:135]
    size = int(digits, 8) if digits.isdigit() and not set(digits) & set(b"89") else LONGEST_FIRST + 1
    if size > LONGEST_FIRST or block != header(name, size):
        raise InputError(f"it does not begin with {shown(name)} as an archive of algoworlds does")
    return _content(file, name, size)


def read_others(file: BinaryIO, sizes: Iterable[tuple[str, int]]) -> Iterator[Member]:
    """The files behind the first, which must have these names and sizes in this order, and then the end."""
    for name, size in sizes:
        if file.read(BLOCKSIZE) != header(name, size):
            raise InputError(f"where {shown(name)} should begin there is something else")
        yield Member(name, _content(file, name, size))
    if file.read(len(END) + 1) != END:
        raise InputError("it does not end as an archive of algoworlds does")


def _content(file: BinaryIO, name: str, size: int) -> bytes:
    content, filling = file.read(size), padding(size)
    if len(content) != size or file.read(len(filling)) != filling:
        raise InputError(f"{shown(name)} is cut off, or followed by what is no part of it")
    return content
