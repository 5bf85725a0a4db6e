"""Progress of long work on stderr: a bar on a terminal, a line now and then in a pipe."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from algoworlds.cli.streams import complain
from algoworlds.errors import InputError, quoted

PAUSE = "ALGOWORLDS_PROGRESS_SECONDS"
"""The environment variable that says how many seconds lie between two lines of progress in a pipe."""
USUAL = 5.0


class Pauses:
    """When it is time for another line: some seconds after the last one, so that short work says nothing at all."""

    def __init__(self) -> None:
        self._seconds = _seconds(os.environ.get(PAUSE, str(USUAL)))
        self._last = time.monotonic()

    def over(self) -> bool:
        """Whether a pause is over; the next one then begins."""
        now = time.monotonic()
        ended = now - self._last >= self._seconds
        self._last = now if ended else self._last
        return ended


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{PAUSE} is {quoted(text)}: say how many seconds lie between two lines of progress") from None


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show how much of some work is done."""
    if not sys.stderr.isatty():
        yield _lines(what)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _lines(what: str) -> Callable[[int, int], None]:
    began, pauses = time.monotonic(), Pauses()

    def tell(done: int, total: int) -> None:
        if pauses.over():
            complain(f"{what}: {done} of {total}, {clock(time.monotonic() - began)} gone")

    return tell


def clock(seconds: float) -> str:
    """A span of time as a person says it."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
