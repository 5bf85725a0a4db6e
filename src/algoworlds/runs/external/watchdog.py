"""Watchdog process: runs one agent, and ends everything that the agent has started when it or the run is gone.

The run holds the write end of a pipe. It is closed when the evaluation or the run ends, however that happens. On Linux the
watchdog is a subreaper: orphans of the agent become its children, so it also finds daemons in sessions of their own. Started
as a file by an isolated interpreter: `watchdog.py DESCRIPTOR PROGRAM ARGUMENT...`. It ends as the program does: with the
same exit code or by the same signal.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread

PR_SET_CHILD_SUBREAPER = 36
PROCESSES = Path("/proc")
MAX_KILL_SECONDS = 5.0
"""Seconds of searching for processes to kill, since some may start others meanwhile."""


def find_descendants() -> list[int]:
    """All living descendants of this process; empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    for path in PROCESSES.glob("[0-9]*/stat"):
        with suppress(OSError):  # the process has ended meanwhile
            state, parent, *_ = path.read_bytes().rpartition(b")")[2].split()
            if state != b"Z":
                children.setdefault(int(parent), []).append(int(path.parent.name))

    def descendants(process: int) -> Iterator[int]:
        for child in children.get(process, ()):
            yield child
            yield from descendants(child)

    return list(descendants(os.getpid()))


def kill_descendants() -> None:
    """Kill everything that the agent has started."""
    deadline = time.monotonic() + MAX_KILL_SECONDS
    while (processes := find_descendants()) and time.monotonic() < deadline:
        for process in processes:
            with suppress(OSError):  # it has ended meanwhile, or belongs to another user
                os.kill(process, signal.SIGKILL)
        time.sleep(0.001)


def main(descriptor: int, command: list[str]) -> None:
    """Run `command` to its end; end of file on `descriptor` kills it with all its descendants."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    os.set_inheritable(descriptor, False)
    agent = subprocess.Popen(command, close_fds=False)
    for inherited in [int(path.name) for path in Path("/dev/fd").iterdir()]:
        if inherited not in (0, 1, 2, descriptor):  # the agent's connection must be closed when the agent is gone
            with suppress(OSError):
                os.close(inherited)

    def watch() -> None:
        os.read(descriptor, 1)
        kill_descendants()
        os.killpg(os.getpgrp(), signal.SIGKILL)

    Thread(target=watch, daemon=True).start()
    code = agent.wait()
    kill_descendants()
    if code < 0:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):  # some signals cannot be handled
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code % 256)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
