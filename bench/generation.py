"""`python -m bench.generation [FAMILY ...] [--levels 0,1] [--count 20]`: certified instances and steps a second on one core.

One line per family and level. `draw`, `solve`, `blind` (give-away checks) and `verify` are shares of the CPU time of an
instance, over all attempts. Steps are calls of the shorter plan, in thousands per second: `calls` on a new world without
reading the answers, as when an episode is replayed to be scored; `fresh` on a new world with every answer read; `warm` on the
same world again. The time to read an answer grows with its size, because every record is ordered by a hash: `rows` is the
number of records per step, and `krow/s` how many thousand records are read per second.
"""

import argparse
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import TypeVar

from algoworlds.batch import pause_gc
from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES
from algoworlds.worlds.admission import AdmittedInstance, Candidate, Coordinate, certify, find_broken_rule
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import build_world

T = TypeVar("T")

HEADS = f"{'family':23} L inst/s tries draw solve blind verify rows krow/s calls fresh  warm"
START = """\
import time
start = time.process_time()
import algoworlds
print(f"importing the package: {1000 * (time.process_time() - start):.0f} ms of CPU")
from algoworlds.families import FAMILIES
from algoworlds.worlds.admission import Coordinate, draw_instance
start = time.process_time()
FAMILIES["fleet_dispatch"].solve(draw_instance(Coordinate("fleet_dispatch", 0, 1), 0))
print(f"importing Numba and loading cached kernels: {time.process_time() - start:.2f} s of CPU")
"""


class Clock:
    """CPU seconds and counts by name."""

    def __init__(self) -> None:
        self.totals = Counter[str]()

    def measure(self, name: str, task: Callable[[], T]) -> T:
        """Run `task` and add its CPU seconds to `name`."""
        start = time.process_time()
        result = task()
        self.totals[name] += time.process_time() - start
        return result


@pause_gc()
def admit(place: Coordinate, clock: Clock) -> AdmittedInstance:
    """A certified instance, found attempt by attempt like in `algoworlds.worlds.admission.admit`."""
    for attempt in count():
        candidate = Candidate(place, attempt)
        clock.totals["tries"] += 1
        clock.measure("draw", lambda: candidate.instance)  # noqa: B023 - called at once
        clock.measure("solve", lambda: candidate.solution)  # noqa: B023
        if clock.measure("blind", lambda: find_broken_rule(candidate)) is None:  # noqa: B023
            break
    return clock.measure("verify", lambda: certify(candidate))


@pause_gc()
def play(instance: AdmittedInstance, clock: Clock) -> None:
    """Play a plan on two new worlds, without and with reading the answers, and on the second one again."""
    unread, world = (build_world(instance, Interface.DIRECT) for _ in range(2))
    plan = min(world.plans.values(), key=len)
    clock.measure("calls", lambda: Episode(unread, plan))
    for name in ("fresh", "warm"):
        episode = Episode(world)
        clock.measure(name, lambda: [episode.call(*call).text for call in plan])  # noqa: B023
    clock.totals["steps"] += len(plan)
    clock.totals["rows"] += sum(len(part["rows"]) for call in plan for part in world.revealed_rows(call).values())


def format_line(family: str, level: int, instances: int) -> str:
    """The line of a family and level, after admitting and playing `instances` instances."""
    clock = Clock()
    for warm_up in (True, False):
        clock = Clock()
        for index in range(1, 2 if warm_up else instances + 1):
            play(admit(Coordinate(family, level, index, "generation"), clock), clock)
    parts = ("draw", "solve", "blind", "verify")
    total = sum(clock.totals[name] for name in parts)
    shares = " ".join(f"{clock.totals[name] / total:{len(name)}.0%}" for name in parts)
    calls, fresh, warm = (clock.totals["steps"] / clock.totals[name] / 1000 for name in ("calls", "fresh", "warm"))
    rates = f"{instances / total:6.1f} {clock.totals['tries'] / instances:5.2f}"
    rows, rows_read = clock.totals["rows"] / clock.totals["steps"], clock.totals["rows"] / clock.totals["fresh"] / 1000
    return f"{family:23} {level} {rates} {shares} {rows:4.0f} {rows_read:6.0f} {calls:4.0f}k {fresh:4.1f}k {warm:4.0f}k"


def main() -> None:
    """Measure the named families, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="*", metavar="FAMILY")
    parser.add_argument("--levels", default="0,1")
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()
    subprocess.run([sys.executable, "-c", START], check=True)
    print(HEADS)
    for family in options.families or FAMILIES:
        for level in map(int, options.levels.split(",")):
            print(format_line(family, level, options.count), flush=True)


if __name__ == "__main__":
    main()
