"""The worlds as a task of Inspect, played by a mock model, and its log made into a run again."""

import json

import pytest
from inspect_ai import eval as evaluate
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
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
from tests.command import run_here
from tests.silence import silent

pytestmark = pytest.mark.filterwarnings("ignore:The 'initial' parameter:DeprecationWarning")  # its own, of its own library
USED = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
"""Said by the mock itself: counting needs a vocabulary from the network."""


@pytest.fixture(scope="module")
def plans(suite):
    """By question and interface, the oracle's calls and what they are answered with."""
    found = {}
    for entry in suite.manifest.worlds:
        episode = Episode(suite.world(entry))
        AGENTS["oracle"](episode, Stream("inspect"))
        found.setdefault(episode.world.question, []).append(episode)
    return found


def said(calls):
    made = [
        ToolCall(id=f"call_{at}", function=call.tool, arguments=json.loads(call.arguments)) for at, call in enumerate(calls)
    ]
    message = ChatMessageAssistant(content="let me see", tool_calls=made)
    return ModelOutput(model="mock", choices=[{"message": message, "stop_reason": "tool_calls"}], usage=USED)


def talking(messages, tools, choice, config):
    return ModelOutput.from_content("mock", "I would rather not.").model_copy(update={"usage": USED})


def oracle(plans, twice=False):
    """A model that plays the oracle's calls, of the world whose answers it has seen so far."""

    def answer(messages, tools, choice, config):
        heard = [each.text for each in messages if each.role == "tool" and each.text != LATER_CALL]
        fitting = (each for each in plans[messages[0].text] if [seen.text for seen in each.observations[: len(heard)]] == heard)
        call = next(fitting).calls[len(heard)]
        return said([call, call] if twice else [call])

    return get_model("mockllm/model", custom_outputs=answer)


def played(suite, model, tmp_path, **options):
    (log,) = evaluate(
        algoworlds(str(suite.directory), **options), model=model, log_dir=str(tmp_path / "logs"), display="none", epochs=2
    )
    assert log.status == "success", log.error
    return log


@pytest.fixture(scope="module")
def log(suite, plans, tmp_path_factory):
    return played(suite, oracle(plans), tmp_path_factory.mktemp("inspect"))


def test_scores_are_our_measures(suite, plans, log):
    assert len(log.samples) == 2 * 2 * len(FAMILIES)
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
    done = run_here("import", "inspect", log.location, "--suite", suite.directory, "--out", tmp_path / "run", "--label", "mock")
    assert done.returncode == 0, done.stderr
    run = RunDirectory(tmp_path / "run")
    assert (run.kind, run.document["plan"]["trials"], len(run.schedule)) == (Kind.EXTERNAL, 2, 2 * 2 * len(FAMILIES))
    assert verify_run(run, suite, None, silent) == []
    assert {each["exact"] for each in run.records()} == {1}


def test_one_call_a_turn_is_executed(suite, plans, tmp_path):
    log = played(suite, oracle(plans, twice=True), tmp_path, families="fleet_dispatch", interfaces="direct")
    for sample in log.samples:
        (score,) = sample.scores.values()
        assert score.value["exact"] == 1
        assert (
            sum(each.role == "tool" and each.text == LATER_CALL for each in sample.messages)
            == score.value["executed_calls"] + 1
        )


def test_a_model_that_only_talks_scores_nothing_under_the_task_s_public_name(suite, tmp_path):
    model, told = (
        get_model("mockllm/model", custom_outputs=talking),
        {"suite": str(suite.directory), "families": "fleet_dispatch"},
    )
    (log,) = evaluate("algoworlds/algoworlds", task_args=told, model=model, log_dir=str(tmp_path), display="none")
    assert len(log.samples) == 2
    for sample in log.samples:
        (score,) = sample.scores.values()
        assert (score.value["exact"], score.value["spend"], len(sample.messages)) == (0, 0, 2)


def test_the_model_is_shown_our_schemas(suite, tmp_path):
    shown = []

    def look(messages, tools, choice, config):
        shown.append(
            [
                {
                    "name": each.name,
                    "description": each.description,
                    "parameters": each.parameters.model_dump(exclude_none=True),
                }
                for each in tools
            ]
        )
        return talking(messages, tools, choice, config)

    log = played(suite, get_model("mockllm/model", custom_outputs=look), tmp_path, interfaces="direct")
    ours = [suite.presented(sample.id).tools for sample in log.samples]
    assert sorted(map(json.dumps, map(plain, shown))) == sorted(map(json.dumps, map(plain, ours)))


def plain(tools):
    return json.loads(json.dumps(tools, sort_keys=True))
