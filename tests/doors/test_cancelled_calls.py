"""A call whose client goes away while it is written to disk still counts, and its repetition gets the same answer."""

import asyncio
from threading import Event

import pytest

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.session import Session
from algoworlds.runs.journal import Journal
from algoworlds.runs.schedule import Experiment, Slot
from algoworlds.runs.worker_pool import write_in_thread
from algoworlds.suites.record import PlayerKind, recorded_calls
from algoworlds.worlds.episode import Episode
from tests.command import PATIENCE
from tests.doors.test_contract import optimal


@pytest.fixture
def session(suite, world, tmp_path):
    directory = RunDirectory(tmp_path / "run")
    with directory.lock():
        directory.create_or_resume(
            Experiment.from_suite("x", PlayerKind.EXTERNAL, {"door": "x"}, suite, [suite.entry(world)], 1), suite.directory
        )
        session = Session(directory, suite, Slot(world, 1))
        yield session
        session.close()


def test_call_cancelled_during_its_write_still_counts(suite, world, session, monkeypatch):
    started, release, append = Event(), Event(), Journal.append

    def wait_and_append(journal, line):
        started.set()
        assert release.wait(PATIENCE)
        append(journal, line)

    async def cancel_call(call):
        task = asyncio.create_task(write_in_thread(session.call, *call, 1))
        await asyncio.to_thread(started.wait, PATIENCE)
        task.cancel()
        await asyncio.sleep(0)
        assert not task.done()
        release.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await write_in_thread(session.call, *call, 1)

    first, *_, last = optimal(suite, world)
    monkeypatch.setattr(Journal, "append", wait_and_append)
    answer = asyncio.run(cancel_call(first))
    assert answer == Episode(suite.play(world).episode.world).call(*first)
    assert len(session.play.calls) == 1
    assert session.call(*last, 2).text == '{"submitted":true}'
    assert recorded_calls(session.record) == [first, last]
