"""`python -m bench.generation [FAMILY ...] [--levels 0,1] [--count 20]`: certified instances and steps a second on one core.

One line a family and level. Of the CPU time that goes into an instance, the shares of drawing it, of solving it, of holding
it to what gives an optimum away, and of verifying it, over all attempts. Steps are calls of the shorter plan, in
thousands a second: `calls` on a world that nobody has asked before, whose answers nobody reads, as where an episode is made
again to be scored; `fresh` on such a world with every answer read; and `warm` on the same one again. Reading takes as long as
an answer is large, since every record has a hash of its own that gives it its place: `rows` says how many a step shows, and
`krow/s` how many thousand of them are read in a second.
"""

import argparse
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import TypeVar

from algoworlds.collector import uncollected
from algoworlds.core.interface import Interface
from algoworlds.families import FAMILIES
from algoworlds.worlds.admit import Admitted, Candidate, Coordinate, certify, refusal
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import build

T = TypeVar("T")

HEADS = f"{'family':23} L inst/s tries draw solve blind verify rows krow/s calls fresh  warm"
START = """\
import time
start = time.process_time()
import algoworlds
print(f"importing the package: {1000 * (time.process_time() - start):.0f} ms of CPU")
from algoworlds.families import FAMILIES
from algoworlds.worlds.admit import Coordinate, instance_at
start = time.process_time()
FAMILIES["fleet_dispatch"].solve(instance_at(Coordinate("fleet_dispatch", 0, 1), 0))
print(f"importing Numba and loading kernels that are kept: {time.process_time() - start:.2f} s of CPU")
"""


class Clock:
    """CPU seconds by what they went into."""

    def __init__(self) -> None:
        self.spent = Counter[str]()

    def timed(self, name: str, task: Callable[[], T]) -> T:
        """Do something and note the time it takes."""
        start = time.process_time()
        done = task()
        self.spent[name] += time.process_time() - start
        return done


@uncollected()
def admitted(place: Coordinate, clock: Clock) -> Admitted:
    """A certified instance, as admission finds it, attempt by attempt."""
    for attempt in count():
        candidate = Candidate(place, attempt)
        clock.spent["tries"] += 1
        clock.timed("draw", lambda: candidate.instance)  # noqa: B023 - called at once
        clock.timed("solve", lambda: candidate.solution)  # noqa: B023
        if clock.timed("blind", lambda: refusal(candidate)) is None:  # noqa: B023
            break
    return clock.timed("verify", lambda: certify(candidate))


@uncollected()
def steps(instance: Admitted, clock: Clock) -> None:
    """A plan on two fresh worlds, unread and read, and once more."""
    unread, world = (build(instance, Interface.DIRECT) for _ in range(2))
    plan = min(world.plans.values(), key=len)
    clock.timed("calls", lambda: Episode(unread, plan))
    for name in ("fresh", "warm"):
        episode = Episode(world)
        clock.timed(name, lambda: [episode.call(*call).text for call in plan])  # noqa: B023
    clock.spent["steps"] += len(plan)
    clock.spent["rows"] += sum(len(part["rows"]) for call in plan for part in world.revealed(call).values())


def line(family: str, level: int, instances: int) -> str:
    """What making and playing some instances takes."""
    clock = Clock()
    for warm_up in (True, False):
        clock = Clock()
        for index in range(1, 2 if warm_up else instances + 1):
            steps(admitted(Coordinate(family, level, index, "generation"), clock), clock)
    parts = ("draw", "solve", "blind", "verify")
    total = sum(clock.spent[name] for name in parts)
    shares = " ".join(f"{clock.spent[name] / total:{len(name)}.0%}" for name in parts)
    calls, fresh, warm = (clock.spent["steps"] / clock.spent[name] / 1000 for name in ("calls", "fresh", "warm"))
    made = f"{instances / total:6.1f} {clock.spent['tries'] / instances:5.2f}"
    rows, shown = clock.spent["rows"] / clock.spent["steps"], clock.spent["rows"] / clock.spent["fresh"] / 1000
    return f"{family:23} {level} {made} {shares} {rows:4.0f} {shown:6.0f} {calls:4.0f}k {fresh:4.1f}k {warm:4.0f}k"


def main() -> None:
    """Measure the families named, or all of them."""
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("families", nargs="*", metavar="FAMILY")
    given.add_argument("--levels", default="0,1")
    given.add_argument("--count", type=int, default=20)
    asked = given.parse_args()
    subprocess.run([sys.executable, "-c", START], check=True)
    print(HEADS)
    for family in asked.families or FAMILIES:
        for level in map(int, asked.levels.split(",")):
            print(line(family, level, asked.count), flush=True)


if __name__ == "__main__":
    main()
