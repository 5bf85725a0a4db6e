"""Killed at any moment, a server loses nothing that it has answered, and charges nothing twice."""

import random
import time
from contextlib import suppress
from http.client import HTTPException
from threading import Thread

import pytest

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.slot import Slot
from algoworlds.suites.record import calls_of
from algoworlds.worlds.episode import Episode
from tests.command import run_here
from tests.doors.mcp.served import by_command, urls
from tests.doors.mcp.wire import called, posted, text_of
from tests.doors.test_contract import optimal

LATEST = 0.02
"""Seconds, about what a call takes: a server is killed before, in and after the call that it is asked for."""


def torn(url, body, process, chance):
    """Ask, and kill at some moment meanwhile; whether an answer comes all the same is left to chance."""

    def ask():
        with suppress(OSError, HTTPException):
            posted(url, body)

    thread = Thread(target=ask)
    thread.start()
    time.sleep(chance.random() * LATEST)
    process.kill()
    thread.join()


@pytest.mark.parametrize("kills", [3, pytest.param(30, marks=pytest.mark.full)])
def test_g2_a_killed_server_goes_on_with_every_call_charged_once(suite, world, tmp_path, kills):
    chance = random.Random(kills)
    presented = suite.play(world).episode.world
    reads = [("read_job", {"job": job}) for job in presented.public["job"]]
    calls = [reads[number % len(reads)] for number in range(2 * kills)] + [optimal(suite, world)[-1]]
    moments = sorted(chance.sample(range(len(calls)), kills))
    options, port, at, told = (suite.directory, "--out", tmp_path / "run", "--worlds", world), "0", 0, []
    while at < len(calls):
        with by_command(*options, "--port", port) as process:
            url, port = urls(RunDirectory(tmp_path / "run"))[f"{world}--1"], process.base.rsplit(":")[-1]
            while at < len(calls):
                if moments and moments[0] == at:
                    torn(url, called(at, *calls[at]), process, chance)
                    moments.pop(0)
                    break
                told.append(text_of(posted(url, called(at, *calls[at]))))
                at += 1
    episode = Episode(presented)
    assert told == [episode.call(*call).text for call in calls]
    directory = RunDirectory(tmp_path / "run")
    record = directory.record(Slot(world, 1))
    assert calls_of(record) == episode.calls
    assert record["spend"] == episode.spent
    assert [line["request"] for line in directory.journaled(Slot(world, 1)) if "tool" in line] == list(range(len(calls)))
    assert run_here("tickets", tmp_path / "run").returncode == 0
    assert moments == []
