"""Every call is charged once: repeated, after a restart, concurrent, and after a fault on the server's side."""

import json
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import patch

import pytest

from algoworlds.adapters.mcp.protocol import META_PREFIX, UNAVAILABLE_MESSAGE
from algoworlds.adapters.mcp.service import Service
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.journal import Journal
from algoworlds.runs.schedule import Slot
from algoworlds.worlds.episode import Episode
from tests.doors.mcp.client import CLIENT_INFO, McpClient, call_body, post, request, response_text
from tests.doors.mcp.serving import begin_run, serve_in_thread
from tests.doors.test_contract import optimal


def job(suite, world):
    return {"job": suite.play(world).episode.world.public["job"][0]}


def charged_requests(directory, world):
    return [line.get("request") for line in directory.read_journal(Slot(world, 1)) if "tool" in line]


def test_g1_repeated_request_is_charged_once_even_after_a_restart(suite, world, tmp_path):
    directory = begin_run(suite, [world], tmp_path / "run")
    read, again = call_body(7, "read_job", job(suite, world)), call_body("7", "read_job", job(suite, world))
    with serve_in_thread(Service(directory, suite)) as urls:
        url = urls[f"{world}--1"]
        first = [response_text(post(url, read)) for _ in range(3)]
        assert len(set(first)) == 1
        assert response_text(post(url, again)) != first[0]
        assert response_text(post(url, call_body(7, "read_job", {}))) != first[0]
    with serve_in_thread(Service(directory, suite)) as urls:
        url = urls[f"{world}--1"]
        assert response_text(post(url, call_body(7, "read_job", {}))) == response_text(post(url, call_body(7, "read_job", {})))
        submit = call_body(8, *optimal(suite, world)[-1])
        assert {response_text(post(url, submit)) for _ in range(2)} == {'{"submitted":true}'}
    with serve_in_thread(Service(directory, suite)) as urls:
        assert response_text(post(urls[f"{world}--1"], submit)) == '{"submitted":true}'
    assert charged_requests(directory, world) == [7, "7", 7, 8]


def test_g1_concurrent_repeated_requests_are_charged_once(suite, world, tmp_path):
    directory = begin_run(suite, [world], tmp_path / "run")
    bodies = [call_body(number, "read_job", job(suite, world)) for number in range(12)] * 2
    with serve_in_thread(Service(directory, suite)) as urls, ThreadPoolExecutor(24) as pool:
        answers = list(pool.map(lambda body: response_text(post(urls[f"{world}--1"], body)), bodies))
    assert answers[:12] == answers[12:]
    assert sorted(charged_requests(directory, world)) == list(range(12))


def test_g1_request_ids_start_anew_with_a_new_connection(suite, world, tmp_path):
    directory = begin_run(suite, [world], tmp_path / "run")
    with serve_in_thread(Service(directory, suite)) as urls:
        for _ in range(2):
            client = McpClient.connect(urls[f"{world}--1"])
            for _ in range(3):
                client.call("read_job", job(suite, world))
    assert len(charged_requests(directory, world)) == 6


def test_g1_long_request_id_is_charged_once_and_stored_short(suite, world, tmp_path):
    directory = begin_run(suite, [world], tmp_path / "run")
    names = ["x" * 4_000_000, "y" * 4_000_000, 10**4000]
    with serve_in_thread(Service(directory, suite)) as urls:
        for name in [*names, *names]:
            response_text(post(urls[f"{world}--1"], call_body(name, "read_job", job(suite, world))))
    assert [len(name) for name in charged_requests(directory, world)] == [64] * 3


# -- faults on the server's side -------------------------------------------------------------------------------------------


def modern(number, tool, arguments):
    """A call without a handshake (protocol 2026-07-28), with its headers."""
    meta = {
        META_PREFIX + "protocolVersion": "2026-07-28",
        META_PREFIX + "clientInfo": CLIENT_INFO,
        META_PREFIX + "clientCapabilities": {},
    }
    body = request(number, "tools/call", name=tool, arguments=arguments, _meta=meta)
    return body, {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": tool}


def test_g6_server_fault_is_logged_and_hidden_from_agents(suite, world, tmp_path, caplog):
    directory = begin_run(suite, [world], tmp_path / "run")
    fault = OSError(28, "No space left on device", str(directory.path / "journal" / f"{world}--1.jsonl"))
    calls = [(call_body(1, "read_job", job(suite, world)), {}), modern(2, "read_job", job(suite, world))]
    with serve_in_thread(Service(directory, suite)) as urls:
        url = urls[f"{world}--1"]
        with patch.object(Journal, "append", side_effect=fault):
            answers = [post(url, body, **headers) for body, headers in calls * 2]
        assert {json.loads(content)["error"]["message"] for _, content in answers} == {UNAVAILABLE_MESSAGE}
        sent = b"".join(content for _, content in answers).decode()
        assert [secret for secret in (world, "space", str(tmp_path)) if secret in sent] == []
        for body, headers in calls * 2:
            assert "budget_left" in response_text(post(url, body, **headers))
    assert charged_requests(directory, world) == [1, 2]
    (logged,) = caplog.messages
    assert (logged.count("\n"), "No space left" in logged) == (0, True)


def test_g2_evaluation_that_ended_before_a_kill_gets_its_record_on_restart(suite, world, tmp_path):
    directory = begin_run(suite, [world], tmp_path / "run")
    with (
        serve_in_thread(Service(directory, suite)) as urls,
        patch.object(RunDirectory, "write_record", side_effect=OSError(5, "gone")),
    ):
        post(urls[f"{world}--1"], call_body(1, *optimal(suite, world)[-1]))
    assert directory.finished_slots == set()
    with directory.lock():
        service = Service(directory, suite)
        service.finalize_ended()
        assert service.seal()
    assert directory.read_record(Slot(world, 1))["exact"] == 1


@pytest.mark.parametrize(("episodes", "calls"), [(10, 40), pytest.param(50, 200, marks=pytest.mark.full)])
def test_g7_concurrent_episodes_lose_nothing_and_charge_once(suite, tmp_path, episodes, calls):
    directory = begin_run(suite, list(suite.entries), tmp_path / "run", trials=3)
    chosen = directory.schedule[:episodes]

    def play(slot):
        url, world = urls[slot.name], suite.play(slot.world).episode.world
        sent = [world.catalog[number % len(world.catalog)] for number in range(calls)]
        answers = [response_text(post(url, call_body(number, *call))) for number, call in enumerate(sent)]
        return sent, answers

    with serve_in_thread(Service(directory, suite)) as urls, ThreadPoolExecutor(episodes) as pool:
        played = list(pool.map(play, chosen))
    for slot, (sent, answers) in zip(chosen, played, strict=True):
        episode = Episode(suite.play(slot.world).episode.world)
        assert answers == [episode.call(*call).text for call in sent]
        journaled = [line for line in directory.read_journal(slot) if "tool" in line]
        assert [line["request"] for line in journaled] == list(range(calls))
