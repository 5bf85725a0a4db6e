"""`python -m bench.doors [MODULE]`: the time of a step through every adapter, from an agent's call to its response.

Agents are remote-controlled, as in the contract tests (`tests/doors`), which adds a little to each figure. Adapters that
need an extra are in their own modules and measured in that extra's environment: make bench does it.
"""

import os
import sys
import time
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from algoworlds.suites.build import build_suite
from algoworlds.suites.open import Suite, open_suite
from algoworlds.suites.suite import SuiteSpec
from tests.doors.doors import Door, Guest

STEPS = 100


def call_seconds(guest: Guest, call: tuple[str, Any]) -> float:
    """The seconds of one call."""
    start = time.perf_counter()
    guest.call(*call)
    return time.perf_counter() - start


def step_seconds(door: Door, suite: Suite, out: Path) -> list[float]:
    """The seconds of `STEPS` calls in one evaluation, in ascending order."""
    world = suite.manifest.worlds[0].id
    catalog = suite.play(world).episode.world.catalog
    with door.open(suite, [world], out) as party:
        return sorted(call_seconds(party.guests[world], tuple(catalog[number % len(catalog)])) for number in range(STEPS))


def main(module: str = "tests.doors.doors") -> None:
    """Print one line for each adapter of `module`."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        build_suite(SuiteSpec("part", "bench", ("fleet_dispatch",), (0,), 1), folder / "suite", None, lambda *progress: None)
        suite = open_suite(folder / "suite")
        for door in import_module(module).DOORS:
            times = step_seconds(door, suite, folder / door.name / "run")
            median, worst = 1000 * times[STEPS // 2], 1000 * times[-1]
            load = f"at a load of {os.getloadavg()[0]:.1f}"
            print(f"door {door.name:8} {median:8.3f} ms a step, {worst:8.3f} ms the worst of {STEPS}, {load}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
