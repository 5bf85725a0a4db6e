"""The live view of a run: one screen on a terminal, and in a pipe nothing but new kinds of trouble."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from algoworlds.cli.streams import complain
from algoworlds.grid import one_line

if TYPE_CHECKING:
    from algoworlds.runs.totals import Totals


@contextmanager
def live(totals: "Totals") -> "Iterator[Callable[[Totals], Any]]":
    """Show how a run goes while it does: progress, outcomes, tokens, cost, retries, why, and the time it will take."""
    if not sys.stderr.isatty():
        yield _quiet()
        return
    from rich.console import Console
    from rich.live import Live

    began, before = time.monotonic(), totals.finished
    with Live(console=Console(stderr=True), refresh_per_second=4, transient=True) as screen:

        def watch(totals: "Totals") -> None:
            screen.update(_picture(totals, time.monotonic() - began, totals.finished - before))

        watch(totals)
        yield watch


def _quiet() -> "Callable[[Totals], Any]":
    """Where nobody watches: a line when requests fail in a way that is new, for a run may go on trying for an hour."""
    seen: set[str] = set()

    def watch(totals: "Totals") -> None:
        for kind in sorted(set(totals.faults) - seen):
            seen.add(kind)
            complain(f"request failed: {totals.reasons[kind]}")

    return watch


def _picture(totals: "Totals", seconds: float, made: int) -> Any:
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    left = (totals.scheduled - totals.finished) * seconds / made if made else None
    outcomes = "  ".join(f"{name.replace('_', ' ')} {count}" for name, count in sorted(totals.outcomes.items()))
    lines = [
        f"{totals.finished} of {totals.scheduled} evaluations, {totals.running} running, {clock(seconds)} gone, "
        + ("no estimate yet" if left is None else f"about {clock(left)} left"),
        outcomes or "no outcome yet",
    ]
    if totals.requests:
        lines.append(
            f"requests {totals.requests:,}  retries {totals.retries:,}  tokens {totals.tokens:,}  cost {totals.cost:.2f} USD"
            + (f" at most ({totals.untold} answers told no tokens)" if totals.untold else "")
        )
    if totals.faults:
        counted = ", ".join(f"{kind} {count:,}" for kind, count in sorted(totals.faults.items()))
        lines.append(f"failed requests: {counted}; the last: {one_line([*totals.reasons.values()][-1])}")
    if totals.pending:
        lines.append("left for later: " + ", ".join(f"{kind} {count}" for kind, count in totals.pending.items()))
    if totals.halted:
        lines.append(f"stopping: {one_line(totals.halted)}; requests under way are being finished (again Ctrl-C stops at once)")
    return Group(*map(Text, lines), ProgressBar(total=totals.scheduled, completed=totals.finished))


def clock(seconds: float) -> str:
    """A span of time as a person says it."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
