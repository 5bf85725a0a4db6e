"""A program on a leash: the run that started it holds the other end of a pipe, and when the run is gone, so is the program.

Started as a file by an interpreter that needs nothing else: `leash.py DESCRIPTOR PROGRAM ARGUMENT...`. What the program
leaves with, this leaves with; a signal that ended it is told as shells do, by 128 and its number.
"""

import os
import signal
import subprocess
import sys
from threading import Thread


def main(descriptor: int, order: list[str]) -> int:
    """Start the program and wait for it; the end of the leash ends the whole group."""

    def hold() -> None:
        os.read(descriptor, 1)
        os.killpg(os.getpgrp(), signal.SIGKILL)

    Thread(target=hold, daemon=True).start()
    code = subprocess.call(order)
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
