"""The three standard streams as a command finds them: closed, in ASCII, or with nobody at the other end."""

import os
import re
import sys
from contextlib import suppress
from io import TextIOWrapper

from algoworlds.errors import LONGEST, shown
from algoworlds.grid import one_line

_LONG = re.compile(rf"[^\s'\"(),:;]{{{LONGEST + 1},}}")
"""What no message repeats whole, should it be the parser's of the command line, a server's or the name of a stray file."""


def complain(message: str) -> None:
    """One line on stderr, whatever it repeats."""
    print(one_line(_LONG.sub(lambda word: shown(word[0]), message)), file=sys.stderr, flush=True)


def settle_streams() -> None:
    """Make every stream usable: one that is closed leads nowhere, and a letter that a terminal lacks is spelled out.

    A closed descriptor is taken at once, because the next file that is opened would get its number and whatever is
    printed. A closed standard input stays None: who reads it says so.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(number, "w", encoding="utf-8", closefd=False))  # noqa: SIM115 - for good
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def leave_streams() -> None:
    """Send what is still to be written nowhere, so that the interpreter does not complain about it at its end."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
