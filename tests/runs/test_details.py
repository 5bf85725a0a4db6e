"""Details of evaluations beyond their records: the model's thinking, turn by turn."""

import json

import pytest

from algoworlds.errors import InputError
from algoworlds.runs.details import EvaluationDetails, TurnThinking
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.journal import encode_line
from algoworlds.runs.panel import play_panel
from algoworlds.runs.providers import APIS
from algoworlds.runs.schedule import Slot
from tests.runs.model_runs import BlockedModel, optimal_model, run_model
from tests.runs.server import answer_with
from tests.runs.wire import reasoning_text

WORLD = "fleet_dispatch-0-1*-direct"


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_thinking_of_every_turn_has_text_tokens_and_seconds(server, suite, tmp_path, api, stream):
    server.plan = {2: answer_with(503)}
    run_model(suite, tmp_path / "run", server.configuration(api, stream=stream), server.environment, worlds=WORLD)
    directory = RunDirectory(tmp_path / "run")
    (slot,) = directory.finished_slots
    thinking = EvaluationDetails(directory).thinking(slot)
    assert [turn.turn for turn in thinking] == list(range(1, directory.read_record(slot)["turns"] + 1))
    expected = {"chat": reasoning_text, "messages": reasoning_text, "responses": lambda index: ""}[api]
    assert [turn.text for turn in thinking] == [expected(index) for index in range(len(thinking))]
    assert {turn.is_encrypted for turn in thinking} == {api != "chat"}
    assert {turn.tokens for turn in thinking} == {300}
    assert all(turn.seconds > 0 for turn in thinking)
    assert json.loads(json.dumps(thinking[0]._asdict()))["turn"] == 1


VENDOR_MESSAGES = {
    "DeepSeek": ({"reasoning_content": "hm"}, "hm", False),
    "vLLM": ({"reasoning": "hm"}, "hm", False),
    "OpenRouter": (
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "a"}, {"text": "b"}, {"data": "xyz"}]},
        "a\n\nb",
        True,
    ),
    "both fields": ({"reasoning": "hm", "reasoning_details": [{"text": "hm"}]}, "hm", False),
    "none": ({"content": "plain"}, "", False),
}


@pytest.mark.parametrize("name", VENDOR_MESSAGES)
def test_chat_thinking_is_found_in_the_fields_of_each_vendor(name):
    message, text, is_encrypted = VENDOR_MESSAGES[name]
    assert APIS["chat"].read_thinking({"choices": [{"message": message}]}) == (text, is_encrypted)


def test_responses_thinking_is_the_summary_or_the_plain_reasoning():
    summary = {"type": "reasoning", "summary": [{"text": "a"}, {"text": "b"}], "encrypted_content": "xyz"}
    plain = {"type": "reasoning", "content": [{"type": "reasoning_text", "text": "c"}], "summary": None}
    assert APIS["responses"].read_thinking({"output": [summary, plain]}) == ("a\n\nb\n\nc", True)
    assert APIS["responses"].read_thinking({"output": [plain]}) == ("c", False)


def test_messages_thinking_without_text_is_encrypted():
    blocks = [{"type": "thinking", "thinking": "", "signature": "s"}, {"type": "text", "text": "x"}]
    assert APIS["messages"].read_thinking({"content": blocks}) == ("", True)
    assert APIS["messages"].read_thinking({"content": blocks[1:]}) == ("", False)


def test_thinking_of_an_unfinished_evaluation_is_readable(server, suite, tmp_path):
    server.script = BlockedModel(optimal_model(suite), at=3)
    server.plan = {3: answer_with(401)}
    run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds=WORLD)
    directory = RunDirectory(tmp_path / "run")
    assert directory.finished_slots == set()
    assert [turn.text for turn in EvaluationDetails(directory).thinking(directory.schedule[0])] == [
        reasoning_text(0),
        reasoning_text(1),
    ]


@pytest.mark.parametrize(
    "line",
    [None, 7, {}, {"turn": 2, "response": None}, {"turn": 2, "response": {}}, {"turn": 2, "response": {"choices": [3]}}],
    ids=str,
)
def test_edited_journal_lines_do_not_break_the_reader(server, suite, tmp_path, line):
    run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds=WORLD)
    directory = RunDirectory(tmp_path / "run")
    slot = directory.schedule[0]
    path = directory.path / "journal" / f"{slot.name}.jsonl"
    path.write_bytes(path.read_bytes() + encode_line(line))
    turns = directory.read_record(slot)["turns"]
    assert [turn.text for turn in EvaluationDetails(directory).thinking(slot)][:turns] == list(
        map(reasoning_text, range(turns))
    )
    path.write_bytes(path.read_bytes() + b"garbage\n")
    with pytest.raises(InputError, match="the journal is damaged"):
        EvaluationDetails(directory).thinking(slot)


def test_scripted_agents_and_unplayed_evaluations_have_no_thinking(suite, tmp_path):
    (run,) = play_panel(["greedy"], [], [suite.manifest.worlds[0].id], suite, tmp_path / "panel")
    assert EvaluationDetails(run).thinking(run.schedule[0]) == []
    assert TurnThinking._fields == ("turn", "text", "is_encrypted", "tokens", "seconds")
    assert EvaluationDetails(run).thinking(Slot("other", 1)) == []
