"""A tiny suite, and models for the loopback server that play it."""

import json
from pathlib import Path
from threading import Event

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.model import ModelRun
from algoworlds.runs.providers.retry import Policy
from algoworlds.runs.schedule import Experiment, Wanted
from algoworlds.runs.totals import Totals
from algoworlds.suites.build import build_suite
from algoworlds.suites.opened import Opened, open_suite
from algoworlds.suites.record import Kind
from algoworlds.suites.suite import Suite
from tests.command import PATIENCE
from tests.runs.server import Script
from tests.runs.wire import Conversation, Reply
from tests.silence import silent

FAMILIES = ("fleet_dispatch", "machine_layout")  # whose worlds take the fewest calls
QUICK = Policy(seconds=PATIENCE, first=0.001, longest=0.002)
"""Waits too short to notice."""


def built(directory: Path) -> Opened:
    """A suite of four level-0 worlds."""
    build_suite(Suite("part", "evaluation tests", FAMILIES, (0,), 1), directory, None, silent)
    return open_suite(directory)


def solutions(suite: Opened) -> dict[str, list[tuple[str, str]]]:
    """By question, the calls that learn enough and submit the optimum: read from the sealed files, which no agent has."""
    found = {}
    for entry in suite.manifest.worlds:
        world, key = suite.world(entry), suite.key(entry)
        plan = [tuple(call) for call in min(world.plans.values(), key=len)]
        submit = (world.family.template.closing.submit, json.dumps(world.family.decision.arguments(key.decision)))
        found[world.question + world.interface.value] = [*plan, submit]
        found[world.question] = [*plan, submit]
    return found


def optimal(suite: Opened) -> Script:
    """A model that plays every world of the suite to the optimum."""
    known = solutions(suite)

    def script(conversation: Conversation) -> Reply:
        calls = known[conversation.question]
        made = len(conversation.turns)
        return Reply((calls[made],), text=f"step {made + 1}")

    return script


class Held:
    """A model that keeps one of its requests, counted from 1, waiting until it is let go."""

    def __init__(self, script: Script, at: int) -> None:
        self.script, self.left = script, at
        self.reached, self.released = Event(), Event()

    def __call__(self, conversation: Conversation) -> Reply:
        self.left -= 1
        if self.left == 0:
            self.reached.set()
            assert self.released.wait(PATIENCE), "nobody let go"
        return self.script(conversation)


def model_run(suite: Opened, out: Path, configuration, environment, *, trials=1, worlds="*", concurrency=1, **more) -> Totals:
    """Run a model as the command line does, in this process."""
    from dataclasses import asdict

    experiment = Experiment.of(configuration.label, Kind.MODEL, asdict(configuration), suite, Wanted(worlds).of(suite), trials)
    directory = RunDirectory(out)
    with directory.locked():
        directory.begin(experiment, suite.directory)
        totals = Totals.of(directory)
        ModelRun(directory, suite, configuration, environment, totals, concurrency, policy=QUICK, **more).run()
        if totals.finished == totals.scheduled:
            directory.seal()
    return totals


def records(out: Path) -> dict[str, bytes]:
    """The bytes of every finalized record."""
    return {path.name: path.read_bytes() for path in sorted((out / "records").glob("*.json"))}
