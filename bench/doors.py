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
from tests.doors.adapters import Adapter, ConnectedAgent

STEPS = 100


def call_seconds(agent: ConnectedAgent, call: tuple[str, Any]) -> float:
    """The seconds of one call."""
    start = time.perf_counter()
    agent.call(*call)
    return time.perf_counter() - start


def step_seconds(adapter: Adapter, suite: Suite, out: Path) -> list[float]:
    """The seconds of `STEPS` calls in one evaluation, in ascending order."""
    world = suite.manifest.worlds[0].id
    catalog = suite.play(world).episode.world.catalog
    with adapter.connect(suite, [world], out) as group:
        return sorted(call_seconds(group.agents[world], tuple(catalog[number % len(catalog)])) for number in range(STEPS))


def main(module: str = "tests.doors.adapters") -> None:
    """Print one line for each adapter of `module`."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        build_suite(SuiteSpec("part", "bench", ("fleet_dispatch",), (0,), 1), folder / "suite", None, lambda *progress: None)
        suite = open_suite(folder / "suite")
        for adapter in import_module(module).ADAPTERS:
            times = step_seconds(adapter, suite, folder / adapter.name / "run")
            median, worst = 1000 * times[STEPS // 2], 1000 * times[-1]
            load = f"at a load of {os.getloadavg()[0]:.1f}"
            print(f"adapter {adapter.name:8} {median:8.3f} ms a step, {worst:8.3f} ms the worst of {STEPS}, {load}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
