"""A server killed at any moment loses no answered call and charges none twice."""

import random
import time
from contextlib import suppress
from http.client import HTTPException
from threading import Thread

import pytest

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.schedule import Slot
from algoworlds.suites.record import recorded_calls
from algoworlds.worlds.episode import Episode
from tests.command import run_here
from tests.doors.mcp.client import call_body, post, response_text
from tests.doors.mcp.serving import serve_by_command, urls
from tests.doors.test_contract import optimal

MAX_DELAY_SECONDS = 0.02
"""About the duration of a call: the server is killed before, during and after it."""


def post_and_kill(url, body, process, rng):
    """Send a request and kill the server at a random moment."""

    def ask():
        with suppress(OSError, HTTPException):
            post(url, body)

    thread = Thread(target=ask)
    thread.start()
    time.sleep(rng.random() * MAX_DELAY_SECONDS)
    process.kill()
    thread.join()


@pytest.mark.parametrize("kills", [3, pytest.param(30, marks=pytest.mark.full)])
def test_g2_killed_server_resumes_with_every_call_charged_once(suite, world, tmp_path, kills):
    rng = random.Random(kills)
    presented = suite.play(world).episode.world
    reads = [("read_job", {"job": job}) for job in presented.public["job"]]
    calls = [reads[number % len(reads)] for number in range(2 * kills)] + [optimal(suite, world)[-1]]
    moments = sorted(rng.sample(range(len(calls)), kills))
    options, port, at, responses = (suite.directory, "--out", tmp_path / "run", "--worlds", world), "0", 0, []
    while at < len(calls):
        with serve_by_command(*options, "--port", port) as process:
            url, port = urls(RunDirectory(tmp_path / "run"))[f"{world}--1"], process.base.rsplit(":")[-1]
            while at < len(calls):
                if moments and moments[0] == at:
                    post_and_kill(url, call_body(at, *calls[at]), process, rng)
                    moments.pop(0)
                    break
                responses.append(response_text(post(url, call_body(at, *calls[at]))))
                at += 1
    episode = Episode(presented)
    assert responses == [episode.call(*call).text for call in calls]
    directory = RunDirectory(tmp_path / "run")
    record = directory.read_record(Slot(world, 1))
    assert recorded_calls(record) == episode.calls
    assert record["spend"] == episode.spent
    assert [line["request"] for line in directory.read_journal(Slot(world, 1)) if "tool" in line] == list(range(len(calls)))
    assert run_here("tickets", tmp_path / "run").returncode == 0
    assert moments == []
