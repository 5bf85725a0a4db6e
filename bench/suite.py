"""`python -m bench.suite`: building and validating the development split, beside the time its kernels take by themselves."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from algoworlds.suites.suite import default_suite
from algoworlds.worlds.admit import admit

COMMAND = str(Path(sys.executable).parent / "algoworlds")


def seconds(*arguments: str) -> float:
    """Wall-clock time of a command of ours, which must succeed."""
    start = time.perf_counter()
    subprocess.run([COMMAND, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def kernels() -> float:
    """CPU seconds of one construction and one verification of every instance of the development split."""
    spent = 0.0
    for coordinate in default_suite().coordinates:
        admitted = admit(coordinate)
        for algorithm in (admitted.family.solve, admitted.family.verify):
            start = time.process_time()
            algorithm(admitted.instance)
            spent += time.process_time() - start
    return spent


def main() -> None:
    """Measure with one process and with as many as there are cores."""
    print(f"one solve and one verify of each of the 120 instances: {kernels():.0f} s of CPU")
    for jobs in dict.fromkeys((1, os.cpu_count() or 1)):
        with tempfile.TemporaryDirectory() as directory:
            out = str(Path(directory) / "suite")
            built = seconds("build", "--out", out, "--jobs", str(jobs))
            checked = seconds("validate", out, "--jobs", str(jobs))
        print(f"{jobs} jobs: build {built:.0f} s, validate {checked:.0f} s, together {built + checked:.0f} s")


if __name__ == "__main__":
    main()
