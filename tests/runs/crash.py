"""A runner that dies at its k-th durable operation, for every k or some: `python -m tests.runs.crash SUITE OUT CONFIG STEP`.

One process loads everything once and forks for each k: a child that is killed with SIGKILL just before the operation,
which is just after the one before it, and a child that resumes. It prints what each k came to as a line of JSON.
"""

import json
import os
import signal
import sys
from pathlib import Path

from algoworlds.runs.providers.configuration import Configuration
from algoworlds.suites.opened import open_suite
from tests.runs.play import model_run

OPERATIONS = ("write", "fsync", "link", "replace", "ftruncate")


def dying(at: int) -> None:
    """Count durable operations and die at one of them."""
    made = 0

    def counted(operation):
        def call(*arguments):
            nonlocal made
            made += 1
            if made == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return operation(*arguments)

        return call

    for name in OPERATIONS:
        setattr(os, name, counted(getattr(os, name)))


def child(work) -> int:
    """Run in a fork; its wait status."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        except BaseException as problem:
            print(json.dumps({"problem": repr(problem)}), flush=True)
            os._exit(1)
    return os.waitpid(pid, 0)[1]


def main(suite: Path, out: Path, configuration: Configuration, step: int) -> None:
    """Die at every operation, or at one of every few, until a run survives to its end."""
    opened = open_suite(suite)
    from algoworlds.runs.providers.provider import Provider

    Provider(configuration, os.environ)  # loads the SDK once, before any fork
    at, survived = 1 - step, False
    while not survived:
        at += step
        place = out / str(at)

        def run(place=place):
            model_run(opened, place, configuration, os.environ, worlds="fleet*-direct")

        def doomed(at=at, run=run):
            dying(at)
            run()

        died = child(doomed)
        print(json.dumps({"at": at, "died": died, "resumed": child(run)}), flush=True)
        survived = died == 0


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Configuration(**json.loads(sys.argv[3])), int(sys.argv[4]))
