"""Ctrl-C at any moment ends a command with one line that says how to continue."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from signal import SIGINT
from threading import Timer
from typing import Any

RESUME_HINT = "run the same command again to go on from here"
RESUMABLE_COMMANDS = ("attack", "build", "judge", "measure", "run", "serve", "stream")
"""Commands that continue where they were interrupted."""
RETRY_SECONDS = 0.1
"""Delay before an interrupt that Python dropped is raised again."""


class Interrupted(Exception):
    """Ctrl-C ended a command that does not handle it itself."""


class OutputAbandoned(Exception):
    """The reader of the standard output has closed it, as `head` does."""


def interruption_message(words: list[str]) -> str:
    """The last line of an interrupted command, given its command line `words`."""
    command = next((word for word in words if not word.startswith("-")), "")
    is_recorded_game = command == "play" and any(word.split("=")[0] == "--out" for word in words)
    resumable = command in RESUMABLE_COMMANDS or is_recorded_game
    return f"interrupted: {RESUME_HINT if resumable else 'run the same command again to start over'}"


@contextmanager
def retry_dropped_interrupts() -> Iterator[None]:
    """Raise a KeyboardInterrupt again if Python had to drop it: in a finalizer, or in a callback from compiled code."""
    from _thread import interrupt_main

    previous_hook = sys.unraisablehook

    def hook(dropped: Any) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            timer = Timer(RETRY_SECONDS, interrupt_main, (SIGINT,))
            timer.daemon = True
            timer.start()
        else:
            previous_hook(dropped)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = previous_hook
