"""Kill a build at its k-th file operation, for some k: `python -m tests.suites.crash OUT [new] K ...`.

One process builds the worlds once and forks twice for each k: one child is killed by SIGKILL just before the operation, the
other builds again. It prints the number of operations, then the outcome of each k as a line of JSON. Numbers below one count
from the end. With `new`, each build draws its own secrets, and the second one must keep those that the killed one sealed.
"""

import json
import os
import signal
import sys
from pathlib import Path

from algoworlds.suites import build
from algoworlds.suites.commitment import commitment_problems, compute_commitment
from algoworlds.suites.manifest import integrity_problems
from algoworlds.suites.suite import PrivateSuiteDraft
from tests.runs.crash import child
from tests.silence import silent
from tests.suites.suites import SMALL, contents

OPERATIONS = ("mkdir", "open", "write", "replace", "unlink", "rmdir", "close")


def count_operations(kill_at: int = 0) -> list[str]:
    """Record every file operation from now on, and die just before number `kill_at`."""
    operations: list[str] = []

    def record(name, operation):
        def call(*arguments, **keywords):
            operations.append(name)
            if len(operations) == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            return operation(*arguments, **keywords)

        return call

    for name in OPERATIONS:
        setattr(os, name, record(name, getattr(os, name)))
    return operations


def read_secrets(out: Path) -> str | None:
    """The secrets that a build has sealed so far."""
    sealed = next((path for path in (out / ".build" / "suite", out / "sealed" / "suite.json") if path.is_file()), None)
    return sealed.read_text().strip() if sealed else None


def main(out: Path, points: list[int], new: bool) -> None:
    """Die at every point, and build again."""
    worlds = {task: build.build_worlds(task) for task in build.build_tasks(SMALL)}
    if not new:
        build.build_worlds = worlds.__getitem__

    def build_into(directory):
        build.build_suite(PrivateSuiteDraft(SMALL, None) if new else SMALL, directory, None, silent)

    def build_whole():
        operations = count_operations()
        build_into(out / "whole")
        Path(out / "operations").write_text(str(len(operations)))

    assert child(build_whole) == 0
    total, expected = int((out / "operations").read_text()), contents(out / "whole")
    print(json.dumps({"operations": total}), flush=True)
    for at in sorted({point % total or total for point in points} if points else range(1, total + 1)):
        target = out / str(at)

        def build_and_die(at=at, target=target):
            count_operations(at)
            build_into(target)

        died, complete = child(build_and_die), (target / "manifest.json").exists() and not (target / ".build").exists()
        sealed = read_secrets(target)
        resumed = 0 if complete else child(lambda target=target: build_into(target))
        if new:
            intact = commitment_problems(target, compute_commitment(target), None, silent) == []
            same = intact and sealed in (None, read_secrets(target))
        else:
            same = contents(target) == expected and integrity_problems(target, None) == []
        print(json.dumps({"at": at, "died": died, "resumed": resumed, "same": same, "sealed": sealed is not None}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(point) for point in sys.argv[2:] if point != "new"], "new" in sys.argv[2:])
