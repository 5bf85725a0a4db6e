"""`python -m bench.doors [MODULE]`: what a step costs through every door, from an agent's call to its answer.

Agents are led by the hand, as in the contract of all doors (`tests/doors`): a little of each figure is the hand's.
Doors that need an extra are in a module of their own, measured in that extra's environment: make bench does it.
"""

import os
import sys
import time
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from algoworlds.suites.build import build_suite
from algoworlds.suites.opened import Opened, open_suite
from algoworlds.suites.suite import Suite
from tests.doors.doors import Door, Guest

STEPS = 100


def seconds(guest: Guest, call: tuple[str, Any]) -> float:
    """How long an answer takes."""
    began = time.perf_counter()
    guest.call(*call)
    return time.perf_counter() - began


def steps(door: Door, suite: Opened, out: Path) -> list[float]:
    """The seconds of some calls in one evaluation, least first."""
    world = suite.manifest.worlds[0].id
    catalog = suite.play(world).episode.world.catalog
    with door.opened(suite, [world], out) as party:
        return sorted(seconds(party.guests[world], tuple(catalog[at % len(catalog)])) for at in range(STEPS))


def main(module: str = "tests.doors.doors") -> None:
    """Print one line a door."""
    with TemporaryDirectory() as place:
        build_suite(Suite("part", "bench", ("fleet_dispatch",), (0,), 1), Path(place) / "suite", None, lambda *told: None)
        suite = open_suite(Path(place) / "suite")
        for door in import_module(module).DOORS:
            found = steps(door, suite, Path(place) / door.name / "run")
            median, worst = 1000 * found[STEPS // 2], 1000 * found[-1]
            load = f"at a load of {os.getloadavg()[0]:.1f}"
            print(f"door {door.name:8} {median:8.3f} ms a step, {worst:8.3f} ms the worst of {STEPS}, {load}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
