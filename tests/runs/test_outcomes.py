"""The outcome table, one test a row: what is finalized, what is retried, what halts the run."""

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
from tests.runs.play import QUICK, model_run, solutions
from tests.runs.server import repeated, status
from tests.runs.wire import Reply

WORLD = "fleet_dispatch-0-1*-direct"
OVERFLOW = b'{"error": {"code": "context_length_exceeded", "message": "too long for the context window"}}'
TORN = b'{"error": {"message": "could not parse the JSON body of your request: unexpected end"}}'
LATER = (Event.ATTEMPT_CAP, Event.CONTEXT_OVERFLOW, Event.TEXT_END, Event.REJECTED)
"""Events that come after other turns."""
OF_AGENTS = (Event.AGENT_ERROR, Event.TIME_LIMIT, Event.LOST)
"""Events that no model brings about: tests/doors/test_python.py has them."""


def calls_of(suite):
    entry = next(world for world in suite.manifest.worlds if world.id.startswith("fleet") and world.interface == "direct")
    return solutions(suite)[suite.world(entry).question]


def behaviour(event, suite):
    """A model and a plan of faults that bring an event about."""
    calls = calls_of(suite)
    cheap = calls[0]
    return {
        Event.SUBMITTED: (lambda talk: Reply((calls[-1],)), {}),
        Event.CALL_CAP: (None, {}),
        Event.ATTEMPT_CAP: (lambda talk: Reply((("nothing", "{}"),)), {}),
        Event.TEXT_END: (lambda talk: Reply(text="no") if talk.call_turns else Reply((cheap,)), {}),
        Event.OUTPUT_CAP: (lambda talk: Reply(finish="length"), {}),
        Event.CONTEXT_OVERFLOW: (lambda talk: Reply((cheap,)), {2: status(400, body=OVERFLOW)}),
        Event.REFUSAL: (lambda talk: Reply(finish="refusal", text="I cannot"), {}),
        Event.CONTENT_FILTER: (lambda talk: Reply(finish="content_filter"), {}),
        Event.TRANSIENT: (lambda talk: Reply((calls[-1],)), repeated(status(503))),
        Event.TRUNCATED: (lambda talk: Reply((calls[-1],)), repeated(status(400, body=TORN))),
        Event.REJECTED: (lambda talk: Reply((cheap,)), {2: status(400)}),
        Event.MISCONFIGURED: (lambda talk: Reply((calls[-1],)), repeated(status(401))),
        Event.HARNESS: (lambda talk: Reply((calls[-1],)), {}),
    }[event]


@pytest.mark.parametrize(
    "event",
    [event for event in Event if event not in (Event.CALL_CAP, *OF_AGENTS)],
    ids=lambda event: "A22 attempt_cap" if event is Event.ATTEMPT_CAP else event.value,
)
def test_a_row_of_the_table(server, suite, tmp_path, monkeypatch, event):
    server.script, server.plan = behaviour(event, suite)
    if event is Event.TRANSIENT:
        monkeypatch.setattr("tests.runs.play.QUICK", QUICK._replace(seconds=0.05))
    if event is Event.HARNESS:
        monkeypatch.setattr("algoworlds.runs.model_run.build_record", None)
    if event is Event.ATTEMPT_CAP:  # lowered, for every request holds all turns before it; the cap itself is the episode's test
        monkeypatch.setattr("algoworlds.worlds.episode.ATTEMPT_CAP", 100)
    totals = model_run(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds=WORLD)
    documents = list(RunDirectory(tmp_path / "run").read_records())
    assert len(documents) == event.is_final
    assert bool(totals.halted) == event.halts
    if event is not Event.TRANSIENT and event not in LATER:
        assert len(server.requests) == (3 if event is Event.TRUNCATED else 1), "tries at the same request"
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


def test_the_call_cap_ends_the_run_without_a_decision(server, suite, tmp_path, monkeypatch):
    """255 cheap calls do not fit a tiny world's budget, so the cap is lowered; the boundary itself is the episode's test."""
    calls = calls_of(suite)
    for module in ("worlds.episode", "worlds.world"):
        monkeypatch.setattr(f"algoworlds.{module}.CALL_CAP", 2)
    monkeypatch.setattr("algoworlds.suites.open.Suite.world", without_caps(suite))
    server.script = lambda talk: Reply((calls[0],))
    model_run(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds=WORLD)
    (document,) = RunDirectory(tmp_path / "run").read_records()
    assert (document["stop_reason"], document["call_cap"], document["outcome"]) == ("call_cap", 1, "no_decision")
    assert (document["executed_calls"], document["attempted_calls"]) == (2, 3)


def without_caps(suite):
    """A world whose question states the lowered cap, which no bundle does."""
    from algoworlds.suites.open import Suite

    built = Suite.world

    def world(self, entry):
        from unittest.mock import patch

        with patch("algoworlds.worlds.world.CALL_CAP", 255):
            made = built(self, entry)
            _ = made.question
        return made

    return world


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
