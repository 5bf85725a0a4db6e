"""Progress of long work on stderr: a bar on a terminal, a line every few seconds in a pipe."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from algoworlds.cli.output import print_stderr
from algoworlds.errors import InputError, quote_value
from algoworlds.grid import to_one_line

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from algoworlds.runs.worker_pool import Totals

INTERVAL_VARIABLE = "ALGOWORLDS_PROGRESS_SECONDS"
"""Environment variable: the seconds between two lines of progress in a pipe."""
DEFAULT_INTERVAL_SECONDS = 5.0
OnProgress = Callable[[int, int], None]
"""Takes the number of tasks that are done, and of all tasks."""


class Throttle:
    """Allows one line per interval, and none before the first interval is over, so that short work prints nothing."""

    def __init__(self) -> None:
        text = os.environ.get(INTERVAL_VARIABLE, str(DEFAULT_INTERVAL_SECONDS))
        try:
            self._seconds = float(text)
        except ValueError:
            raise InputError(f"{INTERVAL_VARIABLE} must be a number of seconds, not {quote_value(text)}") from None
        self._last = time.monotonic()

    def is_due(self) -> bool:
        """Whether an interval has passed; if so, the next one starts now."""
        now = time.monotonic()
        due = now - self._last >= self._seconds
        self._last = now if due else self._last
        return due


@contextmanager
def progress_bar(label: str) -> Iterator[OnProgress]:
    """Show progress; yields the function to call with (done, total)."""
    if not sys.stderr.isatty():
        start, throttle = time.monotonic(), Throttle()

        def print_line(done: int, total: int) -> None:
            if throttle.is_due():
                print_stderr(f"{label}: {done} of {total}, {format_duration(time.monotonic() - start)} gone")

        yield print_line
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(label), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def workers_with_progress(label: str, jobs: int, executor: str | None = None) -> "Iterator[tuple[Executor | None, OnProgress]]":
    """Worker processes for long work, and the function to call with (done, total)."""
    from algoworlds.batch import open_executor

    with open_executor(jobs, executor) as workers, progress_bar(label) as progress:
        yield workers, progress


def format_duration(seconds: float) -> str:
    """A duration for people, such as `2 h 05 min`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


@contextmanager
def run_progress(totals: "Totals", first_line: str = "") -> "Iterator[Callable[[Totals], Any]]":
    """Show the progress of a run: outcomes, tokens, cost, retries and their reasons, and the time left.

    In a pipe `first_line` is printed at once, if given.
    """
    start, finished_before = time.monotonic(), totals.finished
    if not sys.stderr.isatty():
        if first_line:
            print_stderr(first_line)
        yield _run_progress_lines(start, finished_before)
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), refresh_per_second=4, transient=True) as screen:

        def on_progress(totals: "Totals") -> None:
            screen.update(_render_run_progress(totals, time.monotonic() - start, totals.finished - finished_before))

        on_progress(totals)
        yield on_progress


def _run_progress_lines(start: float, finished_before: int) -> "Callable[[Totals], Any]":
    """Print lines in a pipe. A new kind of failure is printed at once, because a run may retry for an hour."""
    printed_kinds: set[str] = set()
    throttle = Throttle()

    def on_progress(totals: "Totals") -> None:
        for kind in sorted(set(totals.faults) - printed_kinds):
            printed_kinds.add(kind)
            print_stderr(f"request failed: {totals.reasons[kind]}")
        if throttle.is_due():
            progress = _format_run_progress(totals, time.monotonic() - start, totals.finished - finished_before)
            print_stderr("; ".join([progress, *_format_faults(totals)]))

    return on_progress


def _format_run_progress(totals: "Totals", seconds: float, newly_finished: int) -> str:
    left = (totals.scheduled - totals.finished) * seconds / newly_finished if newly_finished else None
    estimate = "no estimate yet" if left is None else f"about {format_duration(left)} left"
    evaluations = f"{totals.finished} of {totals.scheduled} evaluations, {totals.running} running"
    requests = f", {totals.requests:,} requests, {totals.tokens:,} tokens" if totals.requests else ""
    return f"{evaluations}{requests}, {format_duration(seconds)} gone, {estimate}"


def _format_faults(totals: "Totals") -> list[str]:
    """One line on the failed requests, if any."""
    counts = ", ".join(f"{kind} {count:,}" for kind, count in sorted(totals.faults.items()))
    return [f"failed requests: {counts}; the last: {to_one_line([*totals.reasons.values()][-1])}"] if counts else []


def _render_run_progress(totals: "Totals", seconds: float, newly_finished: int) -> Any:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    outcomes = "  ".join(f"{name.replace('_', ' ')} {count}" for name, count in sorted(totals.outcomes.items()))
    lines = [_format_run_progress(totals, seconds, newly_finished), outcomes or "no outcome yet"]
    if totals.requests:
        lines.append(
            f"retries {totals.retries:,}  cost {totals.cost:.2f} USD"
            + (f" at most ({totals.turns_without_tokens} answers reported no tokens)" if totals.turns_without_tokens else "")
        )
    lines += _format_faults(totals)
    if totals.pending:
        lines.append("left for later: " + ", ".join(f"{kind} {count}" for kind, count in totals.pending.items()))
    if totals.halted:
        lines.append(f"stopping: {to_one_line(totals.halted)}; finishing open requests (press Ctrl-C again to stop at once)")
    return Group(*map(Text, lines), ProgressBar(total=totals.scheduled, completed=totals.finished))
