"""Watchdog process: kills the program it runs, with its process group, when the run that started it is gone.

The run holds the write end of a pipe. It is closed when the run ends, however it ends. Started as a file by an
isolated interpreter: `watchdog.py DESCRIPTOR PROGRAM ARGUMENT...`. Exits with the program's exit code, or with 128 plus
the signal number, as shells do.
"""

import os
import signal
import subprocess
import sys
from threading import Thread


def main(descriptor: int, command: list[str]) -> int:
    """Run `command` to its end; end of file on `descriptor` kills the whole process group."""

    def watch() -> None:
        os.read(descriptor, 1)
        os.killpg(os.getpgrp(), signal.SIGKILL)

    Thread(target=watch, daemon=True).start()
    code = subprocess.call(command)
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
