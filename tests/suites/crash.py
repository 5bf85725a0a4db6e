"""A build that dies at its k-th operation on files, for some k: `python -m tests.suites.crash OUT [new] K ...`.

One process makes the worlds once and forks for each k: a child that is killed with SIGKILL just before the operation, which is
just after the one before it, and a child that builds again. It prints how many operations there are, and then what each k
came to as a line of JSON. Numbers below one count from the end. With `new`, each build draws secrets of its own, and the one
that goes on must keep those that the killed one has sealed.
"""

import json
import os
import signal
import sys
from pathlib import Path

from algoworlds.suites import build
from algoworlds.suites.commitment import commitment, revealed
from algoworlds.suites.manifest import integrity
from algoworlds.suites.private import Unsealed
from tests.runs.crash import child
from tests.silence import silent
from tests.suites.suites import SMALL, contents

OPERATIONS = ("mkdir", "open", "write", "replace", "unlink", "rmdir", "close")


def counted(at: int = 0) -> list[str]:
    """Note every operation on files from now on, and die just before one of them."""
    made: list[str] = []

    def noted(name, operation):
        def call(*arguments, **named):
            made.append(name)
            if len(made) == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return operation(*arguments, **named)

        return call

    for name in OPERATIONS:
        setattr(os, name, noted(name, getattr(os, name)))
    return made


def secrets(place: Path) -> str | None:
    """What a build has sealed so far."""
    sealed = next((each for each in (place / ".build" / "suite", place / "sealed" / "suite.json") if each.is_file()), None)
    return sealed.read_text().strip() if sealed else None


def main(out: Path, points: list[int], new: bool) -> None:
    """Die at every point, and build again."""
    worlds = {order: build.make(order) for order in (build.Order(place, SMALL.interfaces) for place in SMALL.coordinates)}
    if not new:
        build.make = worlds.__getitem__

    def built(place):
        build.build_suite(Unsealed(SMALL, None) if new else SMALL, place, None, silent)

    def whole():
        made = counted()
        built(out / "whole")
        Path(out / "operations").write_text(str(len(made)))

    assert child(whole) == 0
    total, wanted = int((out / "operations").read_text()), contents(out / "whole")
    print(json.dumps({"operations": total}), flush=True)
    for at in sorted({point % total or total for point in points} if points else range(1, total + 1)):
        place = out / str(at)

        def doomed(at=at, place=place):
            counted(at)
            built(place)

        died, left = child(doomed), (place / "manifest.json").exists() and not (place / ".build").exists()
        sealed = secrets(place)
        resumed = 0 if left else child(lambda place=place: built(place))
        if new:
            same = sealed in (None, secrets(place)) and revealed(place, commitment(place), None, silent) == []
        else:
            same = contents(place) == wanted and integrity(place, None) == []
        print(json.dumps({"at": at, "died": died, "resumed": resumed, "same": same, "sealed": sealed is not None}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [int(each) for each in sys.argv[2:] if each != "new"], "new" in sys.argv[2:])
