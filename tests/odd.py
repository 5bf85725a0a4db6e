"""What may lie where a plain file should: pipes, folders, devices, links."""

import os
import signal
from contextlib import contextmanager

from tests.command import PATIENCE

ODD = ("pipe", "folder", "device", "loop", "away")


def put(path, what):
    """Something that is no plain file, in the place of one."""
    path.unlink(missing_ok=True)
    if what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    else:
        path.symlink_to({"device": "/dev/zero", "loop": path.name, "away": "/nowhere/at/all"}[what])


@contextmanager
def without_waiting():
    """A pipe that is waited for would hold up the tests for ever: the system ends them when patience does."""
    signal.alarm(int(PATIENCE))
    try:
        yield
    finally:
        signal.alarm(0)
