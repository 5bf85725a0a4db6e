"""A small suite, scripted models that play it, and runs of them against the loopback server."""

import json
from pathlib import Path
from threading import Event

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.model_run import ModelRun
from algoworlds.runs.providers.provider import RetryPolicy
from algoworlds.runs.schedule import Experiment, WorldFilter
from algoworlds.runs.worker_pool import Totals
from algoworlds.suites.build import build_suite
from algoworlds.suites.open import Suite, open_suite
from algoworlds.suites.record import PlayerKind
from algoworlds.suites.suite import SuiteSpec
from tests.command import PATIENCE
from tests.runs.server import Script
from tests.runs.wire import Conversation, Reply
from tests.silence import silent

FAMILIES = ("fleet_dispatch", "machine_layout")
"""Families whose worlds take the fewest calls."""
QUICK_RETRIES = RetryPolicy(seconds=PATIENCE, first=0.001, longest=0.002)
"""Retries with almost no waiting."""


def build_small_suite(directory: Path) -> Suite:
    """A suite of four level-0 worlds."""
    build_suite(SuiteSpec("part", "evaluation tests", FAMILIES, (0,), 1), directory, None, silent)
    return open_suite(directory)


def solution_calls(suite: Suite) -> dict[str, list[tuple[str, str]]]:
    """By question, calls of a plan and the submission of the optimum, from the sealed files."""
    calls = {}
    for entry in suite.manifest.worlds:
        world, key = suite.world(entry), suite.key(entry)
        plan = [tuple(call) for call in min(world.plans.values(), key=len)]
        submit = (world.family.template.decision_tools.submit, json.dumps(world.family.decision.arguments(key.decision)))
        calls[world.question + world.interface.value] = [*plan, submit]
        calls[world.question] = [*plan, submit]
    return calls


def optimal_model(suite: Suite) -> Script:
    """A model that submits the optimum of every world of `suite`."""
    calls = solution_calls(suite)

    def script(conversation: Conversation) -> Reply:
        turn = len(conversation.call_turns)
        return Reply((calls[conversation.question][turn],), text=f"step {turn + 1}")

    return script


class BlockedModel:
    """A model that answers request number `at` only after `released` is set; `reached` is set when it arrives."""

    def __init__(self, script: Script, at: int) -> None:
        self.script, self.remaining = script, at
        self.reached, self.released = Event(), Event()

    def __call__(self, conversation: Conversation) -> Reply:
        self.remaining -= 1
        if self.remaining == 0:
            self.reached.set()
            assert self.released.wait(PATIENCE), "the request was never released"
        return self.script(conversation)


def run_model(suite: Suite, out: Path, configuration, environment, *, trials=1, worlds="*", concurrency=1, **more) -> Totals:
    """Run a model as the command line does, in this process."""
    from dataclasses import asdict

    experiment = Experiment.from_suite(
        configuration.label, PlayerKind.MODEL, asdict(configuration), suite, WorldFilter(worlds).select(suite), trials
    )
    directory = RunDirectory(out)
    with directory.lock():
        directory.create_or_resume(experiment, suite.directory)
        totals = Totals.from_directory(directory)
        ModelRun(directory, suite, configuration, environment, totals, concurrency, policy=QUICK_RETRIES, **more).run()
        if totals.finished == totals.scheduled:
            directory.write_manifest()
    return totals


def record_bytes(out: Path) -> dict[str, bytes]:
    """The bytes of every finalized record."""
    return {path.name: path.read_bytes() for path in sorted((out / "records").glob("*.json"))}
