"""Agent processes: each under a watchdog in its own session and folder, with its output kept."""

import asyncio
import ctypes
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, STDOUT, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path

from algoworlds.runs.external import watchdog

HALF_OUTPUT_BYTES = 2**19
"""How much of the beginning, and of the end, of a process's output is kept."""
EXIT_GRACE_SECONDS = 10.0
"""How long a process that has reported its end may take to exit; no result depends on it."""
MAX_KILL_ROUNDS = 20
"""Rounds of searching for processes to kill, since some may start others meanwhile."""
PR_SET_DUMPABLE = 4
LOCATION_VARIABLES = ("PWD", "OLDPWD")
"""Environment variables that tell where the run was started, which an agent need not know."""


class ProcessOutput:
    """What a process prints on both streams, without the middle if it is too long."""

    def __init__(self) -> None:
        self._head, self._tail, self._omitted = bytearray(), bytearray(), 0

    @property
    def content(self) -> bytes:
        """The kept output, with a note where bytes were left out."""
        gap = f"\n... {self._omitted:,} bytes left out ...\n".encode() if self._omitted else b""
        return bytes(self._head) + gap + bytes(self._tail)

    async def read_stream(self, stream: asyncio.StreamReader) -> None:
        """Append everything from `stream` until its end, dropping bytes from the middle if necessary."""
        while piece := await stream.read(2**16):
            room = HALF_OUTPUT_BYTES - len(self._head)
            self._head += piece[:room]
            self._tail += piece[room:]
            if (excess := len(self._tail) - HALF_OUTPUT_BYTES) > 0:
                del self._tail[:excess]
                self._omitted += excess


@asynccontextmanager
async def start_process(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], descriptors: Sequence[int] = ()
) -> AsyncIterator[tuple[Process, ProcessOutput]]:
    """A watchdog that runs `command` in `folder`, in a fresh process that inherits only `descriptors`.

    At the end the watchdog kills everything that the command has started. Should the watchdog itself be gone, its process group
    is killed and, on Linux, every process whose environment names the folder.
    """
    async with _output_pipe() as (descriptor, output):
        reading, writing = os.pipe()
        with ExitStack() as stack:
            stack.callback(os.close, descriptor)
            stack.callback(os.close, reading)
            on_failure = stack.enter_context(ExitStack())
            on_failure.callback(os.close, writing)
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", watchdog.__file__, str(reading), *command),
                cwd=folder,
                env={**environment, "TMPDIR": str(folder)},
                stdin=DEVNULL,
                stdout=descriptor,
                stderr=STDOUT,
                start_new_session=True,
                pass_fds=(reading, *descriptors),
            )
            on_failure.pop_all()
        try:
            yield process, output
        finally:
            os.close(writing)
            await wait_for_exit(process)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            await asyncio.to_thread(kill_by_environment, str(folder))
            await process.wait()


@asynccontextmanager
async def _output_pipe() -> AsyncIterator[tuple[int, ProcessOutput]]:
    """A descriptor to print into, which the caller must close, and the output that is read from it.

    The pipe is not asyncio's, because asyncio takes a process for alive while any process holds its streams, and an agent may
    leave such processes behind.
    """
    reading, writing = os.pipe()
    stream, output = asyncio.StreamReader(), ProcessOutput()
    pipe, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(reading, "rb", 0)
    )
    task = asyncio.create_task(output.read_stream(stream))
    try:
        yield writing, output
        await asyncio.wait([task], timeout=EXIT_GRACE_SECONDS)  # a process that left the group may hold the stream for ever
    finally:
        task.cancel()
        pipe.close()


def kill_by_environment(folder: str) -> None:
    """Kill all processes whose environment mentions `folder`, which is unique to one evaluation; finds daemons too."""
    if not Path("/proc").is_dir():
        return
    for _ in range(MAX_KILL_ROUNDS):
        matches = []
        for path in Path("/proc").iterdir():
            with suppress(OSError):  # the process has ended meanwhile, or belongs to another user
                if path.name.isdigit() and folder.encode() in (path / "environ").read_bytes():
                    matches.append(int(path.name))
        for process_id in matches:
            with suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)
        if not matches:
            break


async def wait_for_exit(process: Process) -> int | None:
    """The exit code, or minus the signal number; None if the process is still alive after the grace period."""
    with suppress(TimeoutError):
        return await asyncio.wait_for(process.wait(), EXIT_GRACE_SECONDS)
    return None


def forbid_memory_reads() -> None:
    """On Linux, forbid processes of the same user to read this one's memory, environment and open files.

    Child processes stay readable, and root can read everything.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def scrub_environment(environment: Mapping[str, str], *hidden: Path) -> dict[str, str]:
    """`environment` without variables that mention a `hidden` path or where the run was started."""
    paths = [str(path.resolve()) for path in hidden]
    scrubbed = {
        name: value
        for name, value in environment.items()
        if name not in LOCATION_VARIABLES and not any(path in value for path in paths)
    }
    return scrubbed | {"PYTHONUNBUFFERED": "1"}
