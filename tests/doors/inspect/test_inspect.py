"""The worlds as a task of Inspect, played by a mock model, and its log made into a run again."""

import json
import subprocess
import sys

import pytest
from inspect_ai import eval as evaluate
from inspect_ai.model import get_model
from inspect_ai.tool import ToolCall

from algoworlds.adapters.inspecting import SCORED, algoworlds
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.runs.agents import AGENTS
from algoworlds.runs.conversation import LATER_CALL
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.rescore import verify_run
from algoworlds.suites.record import Kind
from algoworlds.worlds.episode import Episode
from tests.command import PATIENCE, run_here
from tests.doors.inspect.voices import THEIRS, calling, shown, talking
from tests.silence import silent

pytestmark = pytest.mark.filterwarnings(*THEIRS)


@pytest.fixture(scope="module")
def plans(suite):
    """By question and interface, the oracle's calls and what they are answered with."""
    found = {}
    for entry in suite.manifest.worlds:
        episode = Episode(suite.world(entry))
        AGENTS["oracle"](episode, Stream("inspect"))
        found.setdefault(episode.world.question, []).append(episode)
    return found


def oracle(plans, twice=False):
    """A model that plays the oracle's calls, of the world whose answers it has seen so far."""

    def answer(messages, tools, choice, config):
        heard = [each.text for each in messages if each.role == "tool" and each.text != LATER_CALL]
        fitting = (each for each in plans[messages[0].text] if [seen.text for seen in each.observations[: len(heard)]] == heard)
        call = next(fitting).calls[len(heard)]
        times = ("once", "twice") if twice else ("once",)
        return calling(*(ToolCall(id=each, function=call.tool, arguments=json.loads(call.arguments)) for each in times))

    return get_model("mockllm/model", custom_outputs=answer)


def played(suite, model, tmp_path, epochs=1, **options):
    task = algoworlds(str(suite.directory), **options)
    (log,) = evaluate(task, model=model, log_dir=str(tmp_path / "logs"), display="none", epochs=epochs)
    assert log.status == "success", log.error
    return log


@pytest.fixture(scope="module")
def log(suite, plans, tmp_path_factory):
    return played(suite, oracle(plans), tmp_path_factory.mktemp("inspect"))


def test_scores_are_our_measures(suite, plans, log):
    assert len(log.samples) == 2 * len(FAMILIES)
    for sample in log.samples:
        (score,) = sample.scores.values()
        made = next(each for found in plans.values() for each in found if each.world.id == sample.id)
        ours = suite.play(sample.id, made.calls).score()
        assert score.value == {name: ours[name] for name in SCORED}
        assert score.value["exact"] == 1
    metrics = {each.name: each.metrics for each in log.results.scores}
    assert metrics["exact"]["mean"].value == 1
    assert metrics["exact"]["algoworlds/paired"].value == 0


def test_nothing_from_which_an_optimum_follows_is_in_the_log(log):
    told = [score.value.keys() | score.metadata.keys() for sample in log.samples for score in sample.scores.values()]
    assert not set().union(*told) & {"optimum", "objective", "gap", "regret", "optimal_decision", "parts"}


def test_a_log_comes_back_as_a_run_that_verifies(suite, log, tmp_path):
    done = run_here("import", "inspect", log.location, "--out", tmp_path / "run", "--label", "mock")
    assert done.returncode == 0, done.stderr
    run = RunDirectory(tmp_path / "run")
    assert (run.kind, len(run.schedule)) == (Kind.EXTERNAL, 2 * len(FAMILIES))
    assert verify_run(run, suite, None, silent) == []
    assert {each["exact"] for each in run.records()} == {1}


def test_one_call_a_turn_is_executed_and_epochs_are_trials(suite, plans, tmp_path):
    log = played(suite, oracle(plans, twice=True), tmp_path, epochs=2, families="fleet_dispatch", interfaces="direct")
    for sample in log.samples:
        (score,) = sample.scores.values()
        assert score.value["exact"] == 1
        later = sum(each.role == "tool" and each.text == LATER_CALL for each in sample.messages)
        assert later == score.value["executed_calls"] + 1
    assert run_here("import", "inspect", log.location, "--out", tmp_path / "run").returncode == 0
    assert [slot.trial for slot in sorted(RunDirectory(tmp_path / "run").schedule, key=str)] == [1, 2]
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


def test_a_model_that_only_talks_scores_nothing_under_the_task_s_public_name(suite, tmp_path):
    model, told = (
        get_model("mockllm/model", custom_outputs=lambda *asked: talking()),
        {"suite": str(suite.directory), "families": "fleet_dispatch"},
    )
    (log,) = evaluate("algoworlds/algoworlds", task_args=told, model=model, log_dir=str(tmp_path), display="none")
    assert len(log.samples) == 2
    for sample in log.samples:
        (score,) = sample.scores.values()
        assert (score.value["exact"], score.value["spend"], len(sample.messages)) == (0, 0, 2)


COMMAND = """
from inspect_ai._cli.main import main
from inspect_ai.model import ModelUsage
from inspect_ai.model._providers.mockllm import MockLLM

async def told(self, output, *asked):
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)

MockLLM._ensure_default_usage = told
main()
"""
"""Inspect's own command, whose mock model tells its tokens: counting them needs a vocabulary from the network."""


def test_inspect_s_own_command_evaluates_its_mock_model_and_the_log_is_a_run(suite, tmp_path):
    order = [sys.executable, "-c", COMMAND, "eval", "algoworlds/algoworlds", "-T", f"suite={suite.directory}"]
    order += ["-T", "families=fleet_dispatch,machine_layout", "-T", "interfaces=direct", "--model", "mockllm/model"]
    order += ["--epochs", "2", "--log-dir", str(tmp_path / "logs"), "--display", "plain"]
    done = subprocess.run(order, capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (log,) = (tmp_path / "logs").glob("*.eval")
    assert run_here("import", "inspect", log, "--out", tmp_path / "run").returncode == 0
    told = [(each["trial"], each["stop_reason"], each["exact"]) for each in RunDirectory(tmp_path / "run").records()]
    assert told == [(1, "text_end", 0), (2, "text_end", 0)] * 2
    assert run_here("verify-run", tmp_path / "run").returncode == 0


def test_the_model_is_shown_our_schemas(suite, tmp_path):
    seen = []

    def look(messages, tools, choice, config):
        seen.append(shown(tools))
        return talking()

    log = played(suite, get_model("mockllm/model", custom_outputs=look), tmp_path, interfaces="direct")
    ours = [suite.presented(sample.id).tools for sample in log.samples]
    assert sorted(map(json.dumps, map(plain, seen))) == sorted(map(json.dumps, map(plain, ours)))


def plain(tools):
    return json.loads(json.dumps(tools, sort_keys=True))
