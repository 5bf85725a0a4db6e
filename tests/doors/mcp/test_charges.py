"""Every call is charged once: repeated, repeated after a restart, by many at once, and when something fails on our side."""

import json
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import patch

import pytest

from algoworlds.adapters.mcp.protocol import META, UNABLE
from algoworlds.adapters.mcp.serving import Service
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.journal import Journal
from algoworlds.runs.slot import Slot
from algoworlds.worlds.episode import Episode
from tests.doors.mcp.served import begun, in_thread
from tests.doors.mcp.wire import OFFERED, Wire, called, posted, request, text_of
from tests.doors.test_contract import optimal


def job(suite, world):
    return {"job": suite.play(world).episode.world.public["job"][0]}


def charged(directory, world):
    return [line.get("request") for line in directory.journaled(Slot(world, 1)) if "tool" in line]


def test_g1_a_request_that_is_repeated_is_charged_once_also_after_a_restart(suite, world, tmp_path):
    directory = begun(suite, [world], tmp_path / "run")
    read, again = called(7, "read_job", job(suite, world)), called("7", "read_job", job(suite, world))
    with in_thread(Service(directory, suite)) as found:
        url = found[f"{world}--1"]
        first = [text_of(posted(url, read)) for _ in range(3)]
        assert len(set(first)) == 1
        assert text_of(posted(url, again)) != first[0]
        assert text_of(posted(url, called(7, "read_job", {}))) != first[0]
    with in_thread(Service(directory, suite)) as found:
        url = found[f"{world}--1"]
        assert text_of(posted(url, called(7, "read_job", {}))) == text_of(posted(url, called(7, "read_job", {})))
        submit = called(8, *optimal(suite, world)[-1])
        assert {text_of(posted(url, submit)) for _ in range(2)} == {'{"submitted":true}'}
    with in_thread(Service(directory, suite)) as found:
        assert text_of(posted(found[f"{world}--1"], submit)) == '{"submitted":true}'
    assert charged(directory, world) == [7, "7", 7, 8]


def test_g1_requests_that_were_sent_together_and_all_are_repeated_are_charged_once(suite, world, tmp_path):
    directory = begun(suite, [world], tmp_path / "run")
    bodies = [called(number, "read_job", job(suite, world)) for number in range(12)] * 2
    with in_thread(Service(directory, suite)) as found, ThreadPoolExecutor(24) as pool:
        answers = list(pool.map(lambda body: text_of(posted(found[f"{world}--1"], body)), bodies))
    assert answers[:12] == answers[12:]
    assert sorted(charged(directory, world)) == list(range(12))


def test_g1_who_connects_anew_numbers_anew_and_is_charged(suite, world, tmp_path):
    directory = begun(suite, [world], tmp_path / "run")
    with in_thread(Service(directory, suite)) as found:
        for _ in range(2):
            wire = Wire.at(found[f"{world}--1"])
            for _ in range(3):
                wire.call("read_job", job(suite, world))
    assert len(charged(directory, world)) == 6


def test_g1_a_request_of_a_long_name_is_charged_once_and_leaves_little_on_disk(suite, world, tmp_path):
    directory = begun(suite, [world], tmp_path / "run")
    names = ["x" * 4_000_000, "y" * 4_000_000, 10**4000]
    with in_thread(Service(directory, suite)) as found:
        for name in [*names, *names]:
            text_of(posted(found[f"{world}--1"], called(name, "read_job", job(suite, world))))
    assert [len(name) for name in charged(directory, world)] == [64] * 3


# -- what goes wrong on our side -------------------------------------------------------------------------------------------


def modern(number, tool, arguments):
    """A call in the younger era of the protocol, with its headers."""
    meta = {META + "protocolVersion": "2026-07-28", META + "clientInfo": OFFERED, META + "clientCapabilities": {}}
    body = request(number, "tools/call", name=tool, arguments=arguments, _meta=meta)
    return body, {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": tool}


def test_g6_a_fault_of_ours_is_told_to_whoever_serves_and_to_nobody_else(suite, world, tmp_path, caplog):
    directory = begun(suite, [world], tmp_path / "run")
    fault = OSError(28, "No space left on device", str(directory.path / "journal" / f"{world}--1.jsonl"))
    calls = [(called(1, "read_job", job(suite, world)), {}), modern(2, "read_job", job(suite, world))]
    with in_thread(Service(directory, suite)) as found:
        url = found[f"{world}--1"]
        with patch.object(Journal, "append", side_effect=fault):
            answers = [posted(url, body, **headers) for body, headers in calls * 2]
        assert {json.loads(content)["error"]["message"] for _, content in answers} == {UNABLE}
        told = b"".join(content for _, content in answers).decode()
        assert [secret for secret in (world, "space", str(tmp_path)) if secret in told] == []
        for body, headers in calls * 2:
            assert "budget_left" in text_of(posted(url, body, **headers))
    assert charged(directory, world) == [1, 2]
    (said,) = caplog.messages
    assert (said.count("\n"), "No space left" in said) == (0, True)


def test_g2_an_evaluation_that_ended_as_the_server_was_killed_gets_its_record_when_it_goes_on(suite, world, tmp_path):
    directory = begun(suite, [world], tmp_path / "run")
    with in_thread(Service(directory, suite)) as found, patch.object(RunDirectory, "finalize", side_effect=OSError(5, "gone")):
        posted(found[f"{world}--1"], called(1, *optimal(suite, world)[-1]))
    assert directory.finished == set()
    with directory.locked():
        service = Service(directory, suite)
        service.settle()
        assert service.seal()
    assert directory.record(Slot(world, 1))["exact"] == 1


@pytest.mark.parametrize(("episodes", "calls"), [(10, 40), pytest.param(50, 200, marks=pytest.mark.full)])
def test_g7_many_episodes_at_once_lose_nothing_and_charge_nothing_twice(suite, tmp_path, episodes, calls):
    directory = begun(suite, list(suite.entries), tmp_path / "run", trials=3)
    chosen = directory.schedule[:episodes]

    def play(slot):
        url, world = found[slot.name], suite.play(slot.world).episode.world
        told = [world.catalog[number % len(world.catalog)] for number in range(calls)]
        answers = [text_of(posted(url, called(number, *call))) for number, call in enumerate(told)]
        return told, answers

    with in_thread(Service(directory, suite)) as found, ThreadPoolExecutor(episodes) as pool:
        played = list(pool.map(play, chosen))
    for slot, (told, answers) in zip(chosen, played, strict=True):
        episode = Episode(suite.play(slot.world).episode.world)
        assert answers == [episode.call(*call).text for call in told]
        journaled = [line for line in directory.journaled(slot) if "tool" in line]
        assert [line["request"] for line in journaled] == list(range(calls))
