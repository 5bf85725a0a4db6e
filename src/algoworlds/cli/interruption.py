"""Ctrl-C at any moment: one line that says how to go on."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from signal import SIGINT
from threading import Timer
from typing import Any

AGAIN = "run the same command again to go on from here"
"""What is said after whatever has kept what was done."""
KEEPING = ("attack", "build", "judge", "run", "serve", "stream")
"""Commands that go on where they were."""
LATER = 0.1
"""Seconds until an interruption that nobody could hear is tried again."""


class Interrupted(Exception):
    """Somebody has ended a command that had nothing to say about it."""


def farewell(words: list[str]) -> str:
    """The last line of a command, given by its words, that was interrupted."""
    command = next((word for word in words if not word.startswith("-")), "")
    kept = command in KEEPING or (command == "play" and any(word.split("=")[0] == "--out" for word in words))
    return f"interrupted: {AGAIN if kept else 'run the same command again to start over'}"


@contextmanager
def second_thoughts() -> Iterator[None]:
    """Repeat an interruption that came where Python has to drop it: in a finalizer, or in what compiled code calls back."""
    before = sys.unraisablehook

    def hook(dropped: Any) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            again = Timer(LATER, _interrupt)
            again.daemon = True
            again.start()
        else:
            before(dropped)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def _interrupt() -> None:
    from _thread import interrupt_main

    interrupt_main(SIGINT)
