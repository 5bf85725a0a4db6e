"""Attempts and waits (A1), against a real server with simulated time."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from algoworlds.runs.providers.faults import Misconfigured, RequestTruncated, Transient, parse_retry_after
from algoworlds.runs.providers.provider import RetryPolicy
from tests.runs.client import API_NAMES, CALLS, Client
from tests.runs.server import Server, always, answer_with, cut_after, model_that_calls


def http_date(seconds):
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


RETRY_AFTER = {
    "zero": (lambda: "0", 0, 0),
    "seconds": (lambda: "30", 30, 30),
    "date": (lambda: http_date(60), 59, 60),
    "past": (lambda: http_date(-86400), 0, 0),
    "absurd": (lambda: "1000000000", 120, 120),
    "illegible": (lambda: "soon", 0, 0),
    "negative": (lambda: "-5", 0, 0),
    "missing": (lambda: None, 0, 0),
}


@pytest.mark.parametrize("api", API_NAMES)
@pytest.mark.parametrize("name", RETRY_AFTER)
def test_a1_wait_follows_retry_after_up_to_a_bound(api, name):
    header, least, most = RETRY_AFTER[name]
    start = datetime.now(UTC)
    with Server(model_that_calls(CALLS), {2: answer_with(429, header())}) as server:
        client = Client(server, api).run()
    assert [attempt.status for attempt in client.attempts] == [200, 429, 200, 200, 200]
    (wait,) = client.clock.waits
    passed = (datetime.now(UTC) - start).total_seconds() if name == "date" else 0
    assert least - passed <= wait <= most + RetryPolicy().first
    assert client.attempts[2].waited == wait
    assert client.attempts[2].number == 2


@pytest.mark.parametrize("api", API_NAMES)
def test_a1_retried_request_has_the_same_bytes(api):
    plan = {1: answer_with(503), 2: cut_after(-1), 3: cut_after(200), 4: answer_with(429, "1"), 7: answer_with(529)}
    with Server(model_that_calls(CALLS)) as server:
        undisturbed = Client(server, api).run()
        undisturbed_bodies = [request.body for request in server.requests]
    with Server(model_that_calls(CALLS), plan) as server:
        disturbed = Client(server, api).run()
        bodies = [request.body for request in server.requests]
    assert disturbed.turns == undisturbed.turns
    assert bodies[:5] == [bodies[0]] * 5
    assert list(dict.fromkeys(bodies)) == undisturbed_bodies


@pytest.mark.parametrize("api", API_NAMES)
def test_a1_retries_end_with_the_last_fault(api):
    with Server(model_that_calls(CALLS), always(answer_with(503, "100"))) as server:
        client = Client(server, api, RetryPolicy(seconds=1000))
        with pytest.raises(Transient, match="http_503: not now"):
            client.run()
    assert 5 <= len(client.attempts) <= 10
    assert client.clock.now <= 1000
    assert {attempt.fault for attempt in client.attempts} == {"http_503"}
    assert [attempt.number for attempt in client.attempts] == list(range(1, len(client.attempts) + 1))


def test_a1_backoff_doubles_with_full_jitter():
    fault = Transient("http_500")
    policy = RetryPolicy()
    for number in (1, 2, 5, 50, 5000):
        waits = [policy.wait_seconds(number, fault) for _ in range(300)]
        bound = min(policy.longest, 2.0 ** min(number - 1, 30))
        assert 0 <= min(waits) < bound / 10
        assert bound * 0.9 < max(waits) <= bound


@pytest.mark.parametrize("api", API_NAMES)
def test_truncated_bodies_are_tried_three_times(api):
    complaint = b'{"error": {"message": "We could not parse the JSON body of your request."}}'
    with Server(model_that_calls(CALLS), always(answer_with(400, None, complaint))) as server:
        client = Client(server, api)
        with pytest.raises(RequestTruncated):
            client.run()
    assert len(client.attempts) == 3


@pytest.mark.parametrize("api", API_NAMES)
def test_misconfigured_request_is_tried_once(api):
    with Server(model_that_calls(CALLS), always(answer_with(401))) as server:
        client = Client(server, api)
        with pytest.raises(Misconfigured):
            client.run()
    (attempt,) = client.attempts
    assert (attempt.status, attempt.fault, client.clock.waits) == (401, "http_401", [])
    assert datetime.fromisoformat(attempt.date).utcoffset() == timedelta(0)


def test_infinite_or_nan_retry_after_is_ignored():
    assert parse_retry_after({"retry-after": "nan"}) is None
    assert (
        RetryPolicy().wait_seconds(1, Transient("x", retry_after=float("inf"))) <= RetryPolicy().longest + RetryPolicy().first
    )
