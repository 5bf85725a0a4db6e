"""Details of evaluations beyond their records: thinking by turn, how far they are, and why they ended."""

import json

import pytest

from algoworlds.errors import InputError
from algoworlds.runs.details import STOP_REASON_TEXTS, EvaluationDetails, TurnThinking, count_rejected_calls
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.session import Session
from algoworlds.runs.journal import encode_line
from algoworlds.runs.outcome import Event
from algoworlds.runs.panel import play_panel
from algoworlds.runs.providers import APIS
from algoworlds.runs.schedule import Experiment, Slot
from algoworlds.runs.status import repeated_starts, run_status
from algoworlds.suites.record import PlayerKind
from tests.runs.model_runs import BlockedModel, optimal_model, run_model
from tests.runs.server import answer_with
from tests.runs.wire import Reply, reasoning_text

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
    [{}, {"turn": 2, "response": None}, {"turn": 2, "response": {}}, {"turn": 2, "response": {"choices": [3]}}],
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


def test_every_final_event_has_a_text():
    assert {event.value for event in Event if event.is_final} | {"unfinished"} == set(STOP_REASON_TEXTS)


def test_finished_evaluation_says_why_it_ended_in_the_words_of_the_provider(server, suite, tmp_path):
    server.plan = {2: answer_with(503), 4: answer_with(400, body=b'{"error": {"message": "prompt is too long: 9 > 8"}}')}
    run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds=WORLD)
    directory = RunDirectory(tmp_path / "run")
    state = EvaluationDetails(directory).state(directory.schedule[0])
    assert (state.state, state.stop_reason) == ("finished", "context_overflow")
    assert state.explanation == "the conversation no longer fits the model's context: prompt is too long: 9 > 8"
    assert (state.faults, state.output) == ({"context_overflow": 1, "http_503": 1}, "")
    assert json.loads(json.dumps(state._asdict()))["state"] == "finished"


def test_rejected_calls_are_counted_by_kind_before_and_after_the_end(server, suite, tmp_path):
    replies = [(("nothing", "{}"),), (("read_job", "{"),), (("read_job", "{"), ("nothing", "{}")), ()]
    server.script = lambda conversation: Reply(replies[len(conversation.call_turns)], text="x")
    server.plan = {4: answer_with(401, body=b'{"error": {"message": "bad key"}}')}
    configuration = server.configuration("chat")
    run_model(suite, tmp_path / "run", configuration, server.environment, worlds=WORLD)
    directory = RunDirectory(tmp_path / "run")
    slot, expected = directory.schedule[0], {"bad_arguments": 2, "not_first": 1, "unknown_tool": 1}
    details = EvaluationDetails(directory)
    unfinished = details.unfinished_record(slot, suite)
    assert (unfinished["stop_reason"], unfinished["outcome"], unfinished["turns"]) == ("unfinished", "no_decision", 3)
    assert count_rejected_calls(unfinished) == expected
    state = details.state(slot)
    assert (state.state, state.stop_reason) == ("unfinished", None)
    assert state.explanation == "it has not ended yet: the last failed request: http_401: bad key"
    server.plan = {}
    run_model(suite, tmp_path / "run", configuration, server.environment, worlds=WORLD)
    record = directory.read_record(slot)
    assert record.keys() == unfinished.keys()
    assert count_rejected_calls(record) == expected
    details = EvaluationDetails(directory)
    assert details.unfinished_record(slot, suite) is None
    assert details.state(slot).explanation == "it ended without a call"


def test_external_agent_error_comes_with_its_message_and_traceback(suite, tmp_path):
    worlds = list(suite.manifest.worlds)[:2]
    directory = RunDirectory(tmp_path / "run")
    with directory.lock():
        directory.create_or_resume(Experiment.from_suite("own", PlayerKind.EXTERNAL, {}, suite, worlds, 1), suite.directory)
        failed, unfinished = directory.schedule
        session = Session(directory, suite, failed)
        session.call("nothing")
        session.end(Event.AGENT_ERROR, "ZeroDivisionError: division by zero")
        directory.write_output(failed, b"x" * 9000 + b"\nTraceback (most recent call last):\nZeroDivisionError")
        other = Session(directory, suite, unfinished)
        details = EvaluationDetails(directory)
        assert details.state(unfinished).state == "not started"
        assert details.unfinished_record(unfinished, suite) is None
        other.call("nothing")
    state = details.state(failed)
    assert state.explanation == "the agent failed: ZeroDivisionError: division by zero"
    assert len(state.output) == 4000
    assert state.output.endswith("Traceback (most recent call last):\nZeroDivisionError")
    assert details.state(unfinished).state == "unfinished"
    assert count_rejected_calls(details.unfinished_record(unfinished, suite)) == {"unknown_tool": 1}
    journal = directory.path / "journal" / f"{unfinished.name}.jsonl"
    journal.write_bytes(journal.read_bytes() + encode_line({"tool": 3}))
    with pytest.raises(InputError, match="is not one of an agent's journal"):
        details.unfinished_record(unfinished, suite)


@pytest.mark.parametrize("line", [None, 7, [], "x"], ids=str)
def test_journal_line_that_is_not_an_object_is_named(suite, tmp_path, line):
    """Wherever the journal of an external agent is read; its digest fits."""
    directory = RunDirectory(tmp_path / "run")
    with directory.lock():
        worlds = list(suite.manifest.worlds)[:1]
        directory.create_or_resume(Experiment.from_suite("own", PlayerKind.EXTERNAL, {}, suite, worlds, 1), suite.directory)
        (slot,) = directory.schedule
        Session(directory, suite, slot).call("nothing")
        journal = directory.path / "journal" / f"{slot.name}.jsonl"
        journal.write_bytes(journal.read_bytes() + encode_line(line))
        readers = (
            lambda: Session(directory, suite, slot),
            lambda: run_status(directory),
            lambda: repeated_starts(directory),
            lambda: EvaluationDetails(directory).state(slot),
        )
        for read in readers:
            with pytest.raises(InputError, match=r"line 3 is .*, not an object: the journal is damaged"):
                read()
