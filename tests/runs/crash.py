"""A runner that dies at its k-th durable operation, for every STEP-th k.

Usage: `python -m tests.runs.crash SUITE OUT CONFIG STEP TRACK`.

One process loads everything once and forks twice for each k: a child that is killed with SIGKILL just before the operation, and
a child that resumes. It prints the result of each k as a line of JSON.
"""

import json
import os
import signal
import sys
from pathlib import Path

from algoworlds.runs.providers.configuration import Configuration
from algoworlds.suites.open import open_suite
from tests.runs.model_runs import run_model

OPERATIONS = ("write", "fsync", "link", "replace", "ftruncate")


def die_at_operation(at: int) -> None:
    """Count durable operations, and die at number `at`."""
    count = 0

    def count_calls(operation):
        def call(*arguments):
            nonlocal count
            count += 1
            if count == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return operation(*arguments)

        return call

    for name in OPERATIONS:
        setattr(os, name, count_calls(getattr(os, name)))


def child(work) -> int:
    """Run `work` in a fork, and return its wait status."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
            os._exit(0)
        except BaseException as problem:
            print(json.dumps({"problem": repr(problem)}), flush=True)
            os._exit(1)
    return os.waitpid(pid, 0)[1]


def main(suite: Path, out: Path, configuration: Configuration, step: int, track: str) -> None:
    """Die at every `step`-th operation until a run on a track survives to its end."""
    opened = open_suite(suite, track)
    from algoworlds.runs.providers.provider import Provider

    Provider(configuration, os.environ)  # loads the SDK once, before any fork
    at, survived = 1 - step, False
    while not survived:
        at += step
        folder = out / str(at)

        def run(folder=folder):
            run_model(opened, folder, configuration, os.environ, worlds="fleet*-direct")

        def run_and_die(at=at, run=run):
            die_at_operation(at)
            run()

        died = child(run_and_die)
        print(json.dumps({"at": at, "died": died, "resumed": child(run)}), flush=True)
        survived = died == 0


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Configuration(**json.loads(sys.argv[3])), int(sys.argv[4]), sys.argv[5])
