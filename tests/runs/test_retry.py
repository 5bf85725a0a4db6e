"""Attempts and waits (A1), against a real server with simulated time."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from algoworlds.runs.providers.faults import Misconfigured, RequestTruncated, Transient, parse_retry_after
from algoworlds.runs.providers.provider import RetryPolicy
from tests.runs.server import Server, cut, playing, repeated, status
from tests.runs.talk import APIS, CALLS, Talk


def http_date(seconds):
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


ASKED = {
    "zero": (lambda: "0", 0, 0),
    "seconds": (lambda: "30", 30, 30),
    "date": (lambda: http_date(60), 59, 60),
    "past": (lambda: http_date(-86400), 0, 0),
    "absurd": (lambda: "1000000000", 120, 120),
    "illegible": (lambda: "soon", 0, 0),
    "negative": (lambda: "-5", 0, 0),
    "missing": (lambda: None, 0, 0),
}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("name", ASKED)
def test_a1_waits_are_as_asked_and_bounded(api, name):
    asked, least, most = ASKED[name]
    begun = datetime.now(UTC)
    with Server(playing(CALLS), {2: status(429, asked())}) as server:
        talk = Talk(server, api).run()
    assert [attempt.status for attempt in talk.attempts] == [200, 429, 200, 200, 200]
    (wait,) = talk.clock.deadline_timer
    passed = (datetime.now(UTC) - begun).total_seconds() if name == "date" else 0
    assert least - passed <= wait <= most + RetryPolicy().first
    assert talk.attempts[2].waited == wait
    assert talk.attempts[2].number == 2


@pytest.mark.parametrize("api", APIS)
def test_a1_a_retried_request_has_the_same_bytes(api):
    plan = {1: status(503), 2: cut(-1), 3: cut(200), 4: status(429, "1"), 7: status(529)}
    with Server(playing(CALLS)) as server:
        calm = Talk(server, api).run()
        undisturbed = [request.body for request in server.requests]
    with Server(playing(CALLS), plan) as server:
        rough = Talk(server, api).run()
        bodies = [request.body for request in server.requests]
    assert rough.call_turns == calm.call_turns
    assert bodies[:5] == [bodies[0]] * 5
    assert list(dict.fromkeys(bodies)) == undisturbed


@pytest.mark.parametrize("api", APIS)
def test_a1_patience_ends_with_the_last_fault(api):
    with Server(playing(CALLS), repeated(status(503, "100"))) as server:
        talk = Talk(server, api, RetryPolicy(seconds=1000))
        with pytest.raises(Transient, match="http_503: not now"):
            talk.run()
    assert 5 <= len(talk.attempts) <= 10
    assert talk.clock.now <= 1000
    assert {attempt.fault for attempt in talk.attempts} == {"http_503"}
    assert [attempt.number for attempt in talk.attempts] == list(range(1, len(talk.attempts) + 1))


def test_a1_without_advice_the_backoff_doubles_with_full_jitter():
    fault = Transient("http_500")
    policy = RetryPolicy()
    for number in (1, 2, 5, 50, 5000):
        waits = [policy.wait_seconds(number, fault) for _ in range(300)]
        bound = min(policy.longest, 2.0 ** min(number - 1, 30))
        assert 0 <= min(waits) < bound / 10
        assert bound * 0.9 < max(waits) <= bound


@pytest.mark.parametrize("api", APIS)
def test_truncated_bodies_are_tried_three_times(api):
    complaint = b'{"error": {"message": "We could not parse the JSON body of your request."}}'
    with Server(playing(CALLS), repeated(status(400, None, complaint))) as server:
        talk = Talk(server, api)
        with pytest.raises(RequestTruncated):
            talk.run()
    assert len(talk.attempts) == 3


@pytest.mark.parametrize("api", APIS)
def test_what_cannot_succeed_is_tried_once(api):
    with Server(playing(CALLS), repeated(status(401))) as server:
        talk = Talk(server, api)
        with pytest.raises(Misconfigured):
            talk.run()
    (attempt,) = talk.attempts
    assert (attempt.status, attempt.fault, talk.clock.deadline_timer) == (401, "http_401", [])
    assert datetime.fromisoformat(attempt.date).utcoffset() == timedelta(0)


def test_an_infinite_or_undefined_wait_is_no_advice():
    assert parse_retry_after({"retry-after": "nan"}) is None
    assert (
        RetryPolicy().wait_seconds(1, Transient("x", retry_after=float("inf"))) <= RetryPolicy().longest + RetryPolicy().first
    )
