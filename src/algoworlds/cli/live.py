"""The live view of a run: a screen on a terminal; in a pipe a line now and then, and one for each new kind of trouble."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from algoworlds.cli.progress import Pauses, clock
from algoworlds.cli.streams import complain
from algoworlds.grid import one_line

if TYPE_CHECKING:
    from algoworlds.runs.totals import Totals


@contextmanager
def live(totals: "Totals") -> "Iterator[Callable[[Totals], Any]]":
    """Show how a run goes while it does: progress, outcomes, tokens, cost, retries, why, and the time it will take."""
    began, before = time.monotonic(), totals.finished
    if not sys.stderr.isatty():
        yield _lines(began, before)
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(stderr=True), refresh_per_second=4, transient=True) as screen:

        def watch(totals: "Totals") -> None:
            screen.update(_picture(totals, time.monotonic() - began, totals.finished - before))

        watch(totals)
        yield watch


def _lines(began: float, before: int) -> "Callable[[Totals], Any]":
    """Where nobody watches: how far it is, and at once what fails in a way that is new, for a run may try again for an hour."""
    seen: set[str] = set()
    pauses = Pauses()

    def watch(totals: "Totals") -> None:
        for kind in sorted(set(totals.faults) - seen):
            seen.add(kind)
            complain(f"request failed: {totals.reasons[kind]}")
        if pauses.over():
            lines = [_going(totals, time.monotonic() - began, totals.finished - before), *_failing(totals)]
            complain("; ".join(lines))

    return watch


def _going(totals: "Totals", seconds: float, made: int) -> str:
    left = (totals.scheduled - totals.finished) * seconds / made if made else None
    return f"{totals.finished} of {totals.scheduled} evaluations, {totals.running} running, {clock(seconds)} gone, " + (
        "no estimate yet" if left is None else f"about {clock(left)} left"
    )


def _failing(totals: "Totals") -> list[str]:
    """Why requests are tried again, if any are."""
    counted = ", ".join(f"{kind} {count:,}" for kind, count in sorted(totals.faults.items()))
    return [f"failed requests: {counted}; the last: {one_line([*totals.reasons.values()][-1])}"] if counted else []


def _picture(totals: "Totals", seconds: float, made: int) -> Any:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    outcomes = "  ".join(f"{name.replace('_', ' ')} {count}" for name, count in sorted(totals.outcomes.items()))
    lines = [_going(totals, seconds, made), outcomes or "no outcome yet"]
    if totals.requests:
        lines.append(
            f"requests {totals.requests:,}  retries {totals.retries:,}  tokens {totals.tokens:,}  cost {totals.cost:.2f} USD"
            + (f" at most ({totals.untold} answers told no tokens)" if totals.untold else "")
        )
    lines += _failing(totals)
    if totals.pending:
        lines.append("left for later: " + ", ".join(f"{kind} {count}" for kind, count in totals.pending.items()))
    if totals.halted:
        lines.append(f"stopping: {one_line(totals.halted)}; requests under way are being finished (again Ctrl-C stops at once)")
    return Group(*map(Text, lines), ProgressBar(total=totals.scheduled, completed=totals.finished))
