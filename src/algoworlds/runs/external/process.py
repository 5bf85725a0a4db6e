"""A process that plays: in a session and a folder of its own, with what it prints kept, ended with all that it has started."""

import asyncio
import ctypes
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, STDOUT, Process
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

HALF = 2**19
"""Bytes of the beginning and of the end of what a process prints that are kept."""
GRACE = 10.0
"""Seconds that a process which says that it is done has for leaving by itself; nothing depends on whether it does."""
ROUNDS = 20
"""Of looking for processes to end: whoever starts others meanwhile is looked for again."""
PR_SET_DUMPABLE = 4
PLACES = ("PWD", "OLDPWD")
"""Variables of the environment that say where the run was started, which is none of the agent's business."""


class Output:
    """What a process prints, on both streams, without the middle of what is too much."""

    def __init__(self) -> None:
        self._head, self._tail, self._left_out = bytearray(), bytearray(), 0

    def add(self, piece: bytes) -> None:
        """Take in what comes next."""
        room = HALF - len(self._head)
        self._head += piece[:room]
        self._tail += piece[room:]
        if (over := len(self._tail) - HALF) > 0:
            del self._tail[:over]
            self._left_out += over

    @property
    def content(self) -> bytes:
        """What is kept."""
        gap = f"\n... {self._left_out:,} bytes left out ...\n".encode() if self._left_out else b""
        return bytes(self._head) + gap + bytes(self._tail)

    async def read(self, stream: asyncio.StreamReader) -> None:
        """Take in a stream to its end."""
        while piece := await stream.read(2**16):
            self.add(piece)


@asynccontextmanager
async def process(
    order: Sequence[str], folder: Path, environment: Mapping[str, str], descriptors: Sequence[int] = ()
) -> AsyncIterator[tuple[Process, Output]]:
    """A process under way, started anew and not as a copy of this one; it inherits nothing but the given descriptors.

    At the end it is killed, and so is whatever it has started: its session's group, and on Linux all that know its folder.
    """
    async with _printing() as (writing, output):
        try:
            started = await asyncio.create_subprocess_exec(
                *order,
                cwd=folder,
                env={**environment, "TMPDIR": str(folder)},
                stdin=DEVNULL,
                stdout=writing,
                stderr=STDOUT,
                start_new_session=True,
                pass_fds=descriptors,
            )
        finally:
            os.close(writing)
        try:
            yield started, output
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(started.pid, signal.SIGKILL)
            await asyncio.to_thread(end_all, str(folder))
            await started.wait()


@asynccontextmanager
async def _printing() -> AsyncIterator[tuple[int, Output]]:
    """A pipe to print into, and what comes of it; whoever prints closes our copy of its end.

    The pipe is ours and not asyncio's, which takes a process for alive as long as anybody holds its streams: a program that
    ends may leave others behind that do.
    """
    reading, writing = os.pipe()
    stream, output = asyncio.StreamReader(), Output()
    pipe, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(reading, "rb", 0)
    )
    task = asyncio.create_task(output.read(stream))
    try:
        yield writing, output
        await asyncio.wait([task], timeout=GRACE)  # whoever has left the group may hold the stream for ever
    finally:
        task.cancel()
        pipe.close()


def end_all(place: str) -> None:
    """Kill whoever has the place in the environment, which only one evaluation has: also servers in sessions of their own."""
    for _ in range(ROUNDS):
        for process_id in (found := list(_knowing(place.encode()))):
            with suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)
        if not found:
            break


def _knowing(place: bytes) -> Iterator[int]:
    for path in Path("/proc").iterdir() if Path("/proc").is_dir() else ():
        with suppress(OSError):  # the process has ended meanwhile, or belongs to another user
            if path.name.isdigit() and place in (path / "environ").read_bytes():
                yield int(path.name)


async def left(started: Process) -> int | None:
    """The code that a process leaves with by itself, or minus the number of the signal that ended it; None if it stays."""
    with suppress(TimeoutError):
        return await asyncio.wait_for(started.wait(), GRACE)
    return None


def unreadable() -> None:
    """Keep other processes of the same user from reading this one's memory, environment and open files, where Linux can.

    What is started from here is readable as ever. The superuser reads everything.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def scrubbed(environment: Mapping[str, str], *places: Path) -> dict[str, str]:
    """An environment without the variables that mention a place which an agent need not know, or where the run was started."""
    hidden = [str(place.resolve()) for place in places]
    kept = {name: value for name, value in environment.items() if not any(place in value for place in hidden)}
    return {name: value for name, value in kept.items() if name not in PLACES} | {"PYTHONUNBUFFERED": "1"}
