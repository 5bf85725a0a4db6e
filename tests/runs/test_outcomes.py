"""The outcome table, one test for each event: what is finalized, what is retried, what halts the run."""

import pytest

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.outcome import Event, event_from_fault
from algoworlds.runs.providers.faults import (
    ContentFiltered,
    ContextOverflow,
    ConversationRejected,
    Misconfigured,
    RequestTruncated,
    Transient,
)
from tests.runs.model_runs import QUICK_RETRIES, run_model, solution_calls
from tests.runs.server import always, answer_with
from tests.runs.wire import Reply

WORLD = "fleet_dispatch-0-1*-direct"
OVERFLOW = b'{"error": {"code": "context_length_exceeded", "message": "too long for the context window"}}'
TRUNCATED_BODY = b'{"error": {"message": "could not parse the JSON body of your request: unexpected end"}}'
LATER_EVENTS = (Event.ATTEMPT_CAP, Event.CONTEXT_OVERFLOW, Event.TEXT_END, Event.REJECTED)
"""Events that need earlier turns."""
AGENT_EVENTS = (Event.AGENT_ERROR, Event.TIME_LIMIT, Event.LOST)
"""Events of external agents only: see tests/doors/test_python.py."""


def solving_calls(suite):
    entry = next(world for world in suite.manifest.worlds if world.id.startswith("fleet") and world.interface == "direct")
    return solution_calls(suite)[suite.world(entry).question]


def model_and_plan(event, suite):
    """A model and a plan of faults that lead to `event`."""
    calls = solving_calls(suite)
    cheap = calls[0]
    return {
        Event.SUBMITTED: (lambda conversation: Reply((calls[-1],)), {}),
        Event.CALL_CAP: (None, {}),
        Event.ATTEMPT_CAP: (lambda conversation: Reply((("nothing", "{}"),)), {}),
        Event.TEXT_END: (lambda conversation: Reply(text="no") if conversation.call_turns else Reply((cheap,)), {}),
        Event.OUTPUT_CAP: (lambda conversation: Reply(finish="length"), {}),
        Event.CONTEXT_OVERFLOW: (lambda conversation: Reply((cheap,)), {2: answer_with(400, body=OVERFLOW)}),
        Event.REFUSAL: (lambda conversation: Reply(finish="refusal", text="I cannot"), {}),
        Event.CONTENT_FILTER: (lambda conversation: Reply(finish="content_filter"), {}),
        Event.TRANSIENT: (lambda conversation: Reply((calls[-1],)), always(answer_with(503))),
        Event.TRUNCATED: (lambda conversation: Reply((calls[-1],)), always(answer_with(400, body=TRUNCATED_BODY))),
        Event.REJECTED: (lambda conversation: Reply((cheap,)), {2: answer_with(400)}),
        Event.MISCONFIGURED: (lambda conversation: Reply((calls[-1],)), always(answer_with(401))),
        Event.HARNESS: (lambda conversation: Reply((calls[-1],)), {}),
    }[event]


@pytest.mark.parametrize(
    "event",
    [event for event in Event if event not in (Event.CALL_CAP, *AGENT_EVENTS)],
    ids=lambda event: "A22 attempt_cap" if event is Event.ATTEMPT_CAP else event.value,
)
def test_event_has_the_outcome_of_the_table(server, suite, tmp_path, monkeypatch, event):
    server.script, server.plan = model_and_plan(event, suite)
    if event is Event.TRANSIENT:
        monkeypatch.setattr("tests.runs.model_runs.QUICK_RETRIES", QUICK_RETRIES._replace(seconds=0.05))
    if event is Event.HARNESS:
        monkeypatch.setattr("algoworlds.runs.model_run.build_record", None)
    if event is Event.ATTEMPT_CAP:  # lowered; the cap itself is tested on episodes
        monkeypatch.setattr("algoworlds.worlds.world.ATTEMPT_CAP", 100)
        monkeypatch.setattr("algoworlds.suites.open.Suite.world", load_world_with_stated_cap(suite))
    totals = run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds=WORLD)
    documents = list(RunDirectory(tmp_path / "run").read_records())
    assert len(documents) == event.is_final
    assert bool(totals.halted) == event.halts
    if event is not Event.TRANSIENT and event not in LATER_EVENTS:
        assert len(server.requests) == (3 if event is Event.TRUNCATED else 1), "attempts at the first request"
    if event is Event.ATTEMPT_CAP:
        assert (documents[0]["attempted_calls"], documents[0]["executed_calls"]) == (100, 0)
    if event.is_final:
        assert documents[0]["stop_reason"] == event.value
        scored = {name: documents[0][name] for name in ("exact", "feasible", "utility")}
        assert (scored == {"exact": 0, "feasible": 0, "utility": 0.0}) == (event is not Event.SUBMITTED)
        assert (documents[0]["outcome"] == "no_decision") == (event is not Event.SUBMITTED)
        assert documents[0]["coverage"] > 0 or not documents[0]["executed_calls"], "diagnostics come from the trace"
    else:
        assert totals.pending == {event.value: 1}
        assert not (tmp_path / "run" / "manifest.json").exists()


def test_call_cap_ends_the_evaluation_without_a_decision(server, suite, tmp_path, monkeypatch):
    """255 cheap calls exceed a tiny world's budget, so the cap is lowered; the boundary is tested on episodes."""
    calls = solving_calls(suite)
    monkeypatch.setattr("algoworlds.worlds.world.CALL_CAP", 2)
    monkeypatch.setattr("algoworlds.suites.open.Suite.world", load_world_with_stated_cap(suite))
    server.script = lambda conversation: Reply((calls[0],))
    run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds=WORLD)
    (document,) = RunDirectory(tmp_path / "run").read_records()
    assert (document["stop_reason"], document["call_cap"], document["outcome"]) == ("call_cap", 1, "no_decision")
    assert (document["executed_calls"], document["attempted_calls"]) == (2, 3)


def load_world_with_stated_cap(suite):
    """`Suite.world` whose worlds state the original caps in their question, as their bundles do."""
    from algoworlds.suites.open import Suite

    load_world = Suite.world

    def load_with_full_cap(self, entry):
        from unittest.mock import patch

        with patch("algoworlds.worlds.world.CALL_CAP", 255), patch("algoworlds.worlds.world.ATTEMPT_CAP", 512):
            world = load_world(self, entry)
            _ = world.question
        return world

    return load_with_full_cap


def test_every_fault_has_its_row():
    assert event_from_fault(Transient("x")) is Event.TRANSIENT
    assert event_from_fault(RequestTruncated("x")) is Event.TRUNCATED
    assert event_from_fault(Misconfigured("x")) is Event.MISCONFIGURED
    assert event_from_fault(ContextOverflow("x")) is Event.CONTEXT_OVERFLOW
    assert event_from_fault(ContentFiltered("x")) is Event.CONTENT_FILTER
    assert event_from_fault(ConversationRejected("x")) is Event.REJECTED
    assert event_from_fault(ValueError("x")) is Event.HARNESS
    final = {"submitted", "call_cap", "attempt_cap", "text_end", "output_cap", "context_overflow", "refusal", "content_filter"}
    assert {event.value for event in Event if event.is_final} == final | {"agent_error", "time_limit"}
    assert [event for event in Event if event.halts] == [Event.MISCONFIGURED]
