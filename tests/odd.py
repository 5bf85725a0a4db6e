"""Things that are not regular files and may lie where one is expected: pipes, folders, devices, links."""

import os
import signal
from contextlib import contextmanager

from tests.command import PATIENCE

ODD = ("pipe", "folder", "device", "loop", "away")


def put(path, kind):
    """Replace the file at `path` by something that is not a regular file; `kind` is one of `ODD`."""
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to({"device": "/dev/zero", "loop": path.name, "away": "/nowhere/at/all"}[kind])


@contextmanager
def without_waiting():
    """Kill the test process after `PATIENCE` seconds: code that opens a pipe by mistake would block forever."""
    signal.alarm(int(PATIENCE))
    try:
        yield
    finally:
        signal.alarm(0)
