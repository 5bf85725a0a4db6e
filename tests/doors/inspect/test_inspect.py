"""The Inspect task, played by a mock model, and its log imported as a run."""

import json
import subprocess
import sys

import pytest
from inspect_ai import eval as evaluate
from inspect_ai.model import get_model
from inspect_ai.tool import ToolCall

from algoworlds.adapters.inspect_log import suite_path_from_log
from algoworlds.adapters.inspect_task import NUMERIC_MEASURES, algoworlds
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.runs.agents import AGENTS, TRACK_AGENTS
from algoworlds.runs.conversation import LATER_CALL_ANSWER
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.rescore import verify_run
from algoworlds.suites import development
from algoworlds.suites.record import PlayerKind
from algoworlds.suites.suite import SuiteSpec
from algoworlds.worlds.episode import Episode
from tests.command import PATIENCE, run_here
from tests.doors.inspect.adapter import FOREIGN_WARNINGS, call_turn, text_turn, tool_schemas
from tests.json_schema import require_schema
from tests.silence import silent

pytestmark = pytest.mark.filterwarnings(*FOREIGN_WARNINGS)


@pytest.fixture(scope="module")
def plans(suite):
    """The oracle's episodes, by question."""
    episodes = {}
    for entry in suite.manifest.worlds:
        episode = Episode(suite.world(entry))
        AGENTS["oracle"](episode, Stream("inspect"))
        episodes.setdefault(episode.world.question, []).append(episode)
    return episodes


def oracle(plans, twice=False):
    """A model that makes the oracle's calls in the world whose responses it has seen so far."""

    def answer(messages, tools, choice, config):
        responses = [message.text for message in messages if message.role == "tool" and message.text != LATER_CALL_ANSWER]
        fitting = (
            episode
            for episode in plans[messages[0].text]
            if [seen.text for seen in episode.observations[: len(responses)]] == responses
        )
        call = next(fitting).calls[len(responses)]
        times = ("once", "twice") if twice else ("once",)
        return call_turn(*(ToolCall(id=time, function=call.tool, arguments=json.loads(call.arguments)) for time in times))

    return get_model("mockllm/model", custom_outputs=answer)


def evaluate_suite(suite, model, tmp_path, epochs=1, **options):
    task = algoworlds(str(suite.directory), **options)
    (log,) = evaluate(task, model=model, log_dir=str(tmp_path / "logs"), display="none", epochs=epochs)
    assert log.status == "success", log.error
    return log


@pytest.fixture(scope="module")
def log(suite, plans, tmp_path_factory):
    return evaluate_suite(suite, oracle(plans), tmp_path_factory.mktemp("inspect"))


def test_scores_are_our_measures(suite, plans, log):
    assert len(log.samples) == 2 * len(FAMILIES)
    for sample in log.samples:
        (score,) = sample.scores.values()
        oracle_episode = next(episode for pair in plans.values() for episode in pair if episode.world.id == sample.id)
        ours = suite.play(sample.id, oracle_episode.calls).score()
        assert score.value == {name: ours[name] for name in NUMERIC_MEASURES}
        assert score.value["exact"] == 1
    metrics = {score.name: score.metrics for score in log.results.scores}
    assert metrics["exact"]["mean"].value == 1
    assert metrics["exact"]["algoworlds/paired"].value == 0


def test_log_reveals_no_optimum(log):
    names = [score.value.keys() | score.metadata.keys() for sample in log.samples for score in sample.scores.values()]
    assert not set().union(*names) & {"optimum", "objective", "gap", "regret", "optimal_decision", "parts"}


def test_imported_log_verifies(suite, log, tmp_path):
    done = run_here("import", "inspect", log.location, "--out", tmp_path / "run", "--label", "mock", "--json")
    assert done.returncode == 0, done.stderr
    require_schema("import inspect", json.loads(done.stdout))
    run = RunDirectory(tmp_path / "run")
    assert (run.kind, len(run.schedule)) == (PlayerKind.EXTERNAL, 2 * len(FAMILIES))
    assert verify_run(run, suite, None, silent) == []
    assert {record["exact"] for record in run.read_records()} == {1}


def test_executes_one_call_per_turn_and_epochs_are_trials(suite, plans, tmp_path):
    log = evaluate_suite(suite, oracle(plans, twice=True), tmp_path, epochs=2, families="fleet_dispatch", interfaces="direct")
    for sample in log.samples:
        (score,) = sample.scores.values()
        assert score.value["exact"] == 1
        later = sum(message.role == "tool" and message.text == LATER_CALL_ANSWER for message in sample.messages)
        assert later == score.value["executed_calls"] + 1
    assert run_here("import", "inspect", log.location, "--out", tmp_path / "run").returncode == 0
    assert [slot.trial for slot in sorted(RunDirectory(tmp_path / "run").schedule, key=str)] == [1, 2]
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


def test_model_without_calls_scores_zero(suite, tmp_path):
    model, arguments = (
        get_model("mockllm/model", custom_outputs=lambda *arguments: text_turn()),
        {"suite": str(suite.directory), "families": "fleet_dispatch"},
    )
    (log,) = evaluate("algoworlds/algoworlds", task_args=arguments, model=model, log_dir=str(tmp_path), display="none")
    assert len(log.samples) == 2
    for sample in log.samples:
        (score,) = sample.scores.values()
        assert (score.value["exact"], score.value["spend"], len(sample.messages)) == (0, 0, 2)


COMMAND = """
from inspect_ai._cli.main import main
from inspect_ai.model import ModelUsage
from inspect_ai.model._providers.mockllm import MockLLM

async def set_usage(self, output, *arguments):
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)

MockLLM._ensure_default_usage = set_usage
main()
"""
"""Inspect's command with a mock model that reports its tokens: counting needs a vocabulary from the network."""


def test_log_of_inspects_command_can_be_imported(suite, tmp_path):
    arguments = [sys.executable, "-c", COMMAND, "eval", "algoworlds/algoworlds", "-T", f"suite={suite.directory}"]
    arguments += ["-T", "families=fleet_dispatch,machine_layout", "-T", "interfaces=direct", "--model", "mockllm/model"]
    arguments += ["--epochs", "2", "--log-dir", str(tmp_path / "logs"), "--display", "plain"]
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (log,) = (tmp_path / "logs").glob("*.eval")
    assert run_here("import", "inspect", log, "--out", tmp_path / "run").returncode == 0
    outcomes = [
        (record["trial"], record["stop_reason"], record["exact"]) for record in RunDirectory(tmp_path / "run").read_records()
    ]
    assert outcomes == [(1, "text_end", 0), (2, "text_end", 0)] * 2
    assert run_here("verify-run", tmp_path / "run").returncode == 0


def test_model_sees_our_schemas(suite, tmp_path):
    seen = []

    def look(messages, tools, choice, config):
        seen.append(tool_schemas(tools))
        return text_turn()

    log = evaluate_suite(suite, get_model("mockllm/model", custom_outputs=look), tmp_path, interfaces="direct")
    ours = [suite.public_world(sample.id).tools for sample in log.samples]
    assert sorted(map(json.dumps, map(plain, seen))) == sorted(map(json.dumps, map(plain, ours)))


def plain(tools):
    return json.loads(json.dumps(tools, sort_keys=True))


def test_programs_run_on_a_track_and_their_results_are_kept(suite, tmp_path, monkeypatch):
    """The score uses the results that the log holds, and the log becomes a run that can be verified."""
    assisted = suite.on_track("code")
    world = next(entry.id for entry in suite.manifest.worlds if entry.family == "fleet_dispatch")
    episode = Episode(assisted.world(assisted.entry(world)))
    TRACK_AGENTS["coder"](episode, Stream("inspect"))
    calls = iter(episode.own_calls)

    def answer(messages, tools, choice, config):
        assert tool_schemas(tools)[-1]["name"] == "python"
        call = next(calls)
        return call_turn(ToolCall(id="one", function=call.tool, arguments=json.loads(call.arguments)))

    model = get_model("mockllm/model", custom_outputs=answer)
    log = evaluate_suite(suite, model, tmp_path, worlds=world, track="code")
    (sample,) = log.samples
    assert [score.value["exact"] for score in sample.scores.values()] == [1]
    assert log.eval.metadata["track"]["name"] == "code"
    assert run_here("import", "inspect", log.location, "--out", tmp_path / "run").returncode == 0
    record = next(RunDirectory(tmp_path / "run").read_records())
    assert (record["track"], record["programs"], record["exact"]) == ("code", 1, 1)
    assert verify_run(RunDirectory(tmp_path / "run"), assisted, None, silent) == []


def test_the_name_alone_plays_the_development_split_which_is_built_once(tmp_path, monkeypatch, capfd):
    spec = SuiteSpec("part", "algoworlds-1", ("fleet_dispatch",), (0,), 1)
    monkeypatch.setattr(development, "default_suite", lambda: spec)
    monkeypatch.setattr(development, "cache_directory", lambda: tmp_path / "cache")
    model = get_model("mockllm/model", custom_outputs=lambda *arguments: text_turn())
    for _ in range(2):
        (log,) = evaluate("algoworlds/algoworlds", model=model, log_dir=str(tmp_path / "logs"), display="none")
        assert log.status == "success", log.error
        assert {sample.id for sample in log.samples} == {"fleet_dispatch-0-1-direct", "fleet_dispatch-0-1-mediated"}
    assert capfd.readouterr().err.count("building the development split") == 1
    path = next((tmp_path / "logs").glob("*.eval"))
    assert suite_path_from_log(path) == development.development_split()
    assert (
        run_here("import", "inspect", path, "--suite", development.development_split(), "--out", tmp_path / "run").returncode
        == 0
    )
