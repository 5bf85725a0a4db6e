"""`python -m bench.suite`: time of building and validating the development split, and of its kernels alone."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from algoworlds.suites.suite import default_suite
from algoworlds.worlds.admission import admit

COMMAND = str(Path(sys.executable).parent / "algoworlds")


def command_seconds(*arguments: str) -> float:
    """Wall-clock seconds of an algoworlds command, which must succeed."""
    start = time.perf_counter()
    subprocess.run([COMMAND, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def kernel_seconds() -> float:
    """CPU seconds of one solve and one verify of every instance of the development split."""
    spent = 0.0
    for coordinate in default_suite().coordinates:
        admitted = admit(coordinate)
        for algorithm in (admitted.family.solve, admitted.family.verify):
            start = time.process_time()
            algorithm(admitted.instance)
            spent += time.process_time() - start
    return spent


def main() -> None:
    """Measure with one process and with one per core."""
    print(f"one solve and one verify of each of the 120 instances: {kernel_seconds():.0f} s of CPU")
    for jobs in dict.fromkeys((1, os.cpu_count() or 1)):
        with tempfile.TemporaryDirectory() as directory:
            out = str(Path(directory) / "suite")
            build = command_seconds("build", "--out", out, "--jobs", str(jobs))
            validate = command_seconds("validate", out, "--jobs", str(jobs))
        print(f"{jobs} jobs: build {build:.0f} s, validate {validate:.0f} s, together {build + validate:.0f} s")


if __name__ == "__main__":
    main()
