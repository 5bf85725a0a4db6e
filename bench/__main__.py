"""`python -m bench [FAMILY ...]`: kernels against C, verification against construction, and CP-SAT's time."""

import resource
import sys
import time
from collections.abc import Callable
from typing import Any

from rich.console import Console

from algoworlds.cli.tables import print_table
from algoworlds.families import FAMILIES
from algoworlds.grid import Grid
from algoworlds.worlds.admission import Coordinate, draw_instance
from bench.kernels import compile_c, run_c, solver
from tests.oracles import cp_sat

ROUNDS = 7
CP_SECONDS = 5.0
LEVELS = (1, 2, 3, 4)


def fastest(*tasks: Callable[[], Any]) -> list[float]:
    """The shortest time of each of `tasks` over interleaved rounds, in seconds."""
    times: list[list[float]] = [[] for _ in tasks]
    for _ in range(ROUNDS):
        for task, spent in zip(tasks, times, strict=True):
            start = time.perf_counter()
            task()
            spent.append(time.perf_counter() - start)
    return [min(spent) for spent in times]


def measure_row(name: str, level: int) -> tuple[str, ...]:
    """The table row of a family at a level, measured on its first instance."""
    family, instance = FAMILIES[name], draw_instance(Coordinate(name, level, 1), 0)
    module, function = solver(name), compile_c(name)
    solution = family.solve(instance)
    value, *_, counts = module.construct(*module.prepare(instance))
    assert (int(value), tuple(map(int, counts))) == run_c(function, module.prepare(instance)), "C and Numba disagree"
    arguments = module.prepare(instance)
    kernel, c = fastest(lambda: module.construct(*arguments), lambda: run_c(function, arguments))
    construction, verification = fastest(lambda: family.solve(instance.without_cache()), lambda: family.verify(instance))
    start = time.perf_counter()
    status, *_ = cp_sat(family, instance, CP_SECONDS)
    cp_time = f"{time.perf_counter() - start:.2f} s" if status == "OPTIMAL" else f"> {CP_SECONDS:.0f} s"
    work = solution.work.total
    return (
        name,
        str(level),
        f"{work:,}",
        f"{kernel * 1e3:.2f}",
        f"{kernel / c:.2f}",
        f"{kernel / work * 1e9:.2f}",
        f"{construction * 1e3:.1f}",
        f"{verification / construction:.2f}",
        cp_time,
    )


def main() -> None:
    """Measure the families named on the command line, or all of them."""
    heads = ("family", "level", "work", "kernel ms", "kernel / C", "ns / op", "solve ms", "verify / solve", "CP-SAT")
    rows = tuple(measure_row(name, level) for name in sys.argv[1:] or FAMILIES for level in LEVELS)
    console = Console(highlight=False)
    print_table(console, Grid("kernels", "", heads, rows))
    console.print(f"peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


if __name__ == "__main__":
    main()
