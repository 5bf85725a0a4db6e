"""Work that goes on where an interrupted command left off: one line a finished task, in the order in which they finish."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Protocol, TypeVar

from algoworlds.batch import results

Document = dict[str, Any]
"""What a task found, as plain JSON."""


class Keyed(Protocol):
    """A task that says by what its result can be known again."""

    @property
    def key(self) -> str:
        """All that the result depends on, as text."""


K = TypeVar("K", bound=Keyed)


def resumed(
    work: Callable[[K], Document],
    tasks: Sequence[K],
    ledger: Path,
    executor: Executor | None,
    progress: Callable[[int, int], Any],
) -> list[Document]:
    """The result of every task, in the order of the tasks; those that a ledger holds are not done again."""
    done = _kept(ledger)
    todo = [task for task in tasks if task.key not in done]
    progress(len(tasks) - len(todo), len(tasks))
    with ledger.open("a", encoding="utf-8") as file:
        for count, (task, found) in enumerate(results(work, todo, executor), start=1):
            line = json.dumps({"key": task.key, "found": found}, sort_keys=True)
            done[task.key] = json.loads(line)["found"]
            file.write(f"\n{line}")  # the line's end comes first: it closes a line that an interruption tore
            file.flush()
            progress(len(tasks) - len(todo) + count, len(tasks))
    return [done[task.key] for task in tasks]


def _kept(ledger: Path) -> dict[str, Document]:
    """What a ledger holds whole; a torn line is nothing."""
    kept: dict[str, Document] = {}
    for line in ledger.read_text(encoding="utf-8").splitlines() if ledger.is_file() else ():
        try:
            entry = json.loads(line)
            kept[entry["key"]] = entry["found"]
        except (ValueError, KeyError, TypeError):
            continue
    return kept
