"""Calls of many evaluations go to disk together, and none is answered or forgotten before it is there."""

import asyncio
import time
from threading import Barrier, Event, current_thread

import pytest

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.commits import TOGETHER, Commits
from algoworlds.runs.external.visit import Visit
from algoworlds.runs.journal import Journal, read
from algoworlds.runs.schedule import Experiment
from algoworlds.runs.slot import Slot
from algoworlds.suites.record import Kind, calls_of
from algoworlds.worlds.episode import Episode
from tests.command import PATIENCE
from tests.doors.test_contract import optimal


class Slow:
    """A journal that does as it is told while a line is on its way."""

    def __init__(self, meanwhile):
        self._meanwhile, self.threads = meanwhile, []

    def append(self, line):
        self.threads.append(current_thread())
        self._meanwhile()


def test_lines_that_wait_at_the_same_moment_go_in_one_thread_and_are_all_there(tmp_path):
    journals, threads = [Journal(tmp_path / f"{number}.jsonl") for number in range(8)], Slow(lambda: None)

    async def commit():
        written, counted = Commits(), Commits()
        await asyncio.gather(*(written.commit(each, {"turn": 1}) for each in journals))
        await asyncio.gather(*(counted.commit(threads, {}) for _ in range(8)))

    asyncio.run(commit())
    assert [read(tmp_path / f"{number}.jsonl")[0] for number in range(8)] == [[{"turn": 1}]] * 8
    assert len(set(threads.threads)) == 1
    for journal in journals:
        journal.close()


def test_on_a_slow_disk_lines_go_side_by_side():
    meeting = Barrier(4, timeout=PATIENCE)

    async def commit():
        commits = Commits()
        await commits.commit(Slow(lambda: time.sleep(2 * TOGETHER)), {})
        await asyncio.gather(*(commits.commit(Slow(meeting.wait), {}) for _ in range(4)))

    asyncio.run(commit())


def test_a_line_that_cannot_be_written_is_told_to_who_waits_for_it_and_to_nobody_else():
    def full():
        raise OSError(28, "No space left on device")

    async def commit():
        commits = Commits()
        lines = [commits.commit(Slow(meanwhile), {}) for meanwhile in (int, full, int)]
        return await asyncio.gather(*lines, return_exceptions=True)

    first, second, third = asyncio.run(commit())
    assert (first, third, type(second)) == (None, None, OSError)


@pytest.fixture
def visit(suite, world, tmp_path):
    directory = RunDirectory(tmp_path / "run")
    with directory.locked():
        directory.begin(Experiment.of("x", Kind.EXTERNAL, {"door": "x"}, suite, [suite.entry(world)], 1), suite.directory)
        visit = Visit(directory, suite, Slot(world, 1))
        yield visit
        visit.close()


def test_who_is_cut_off_while_a_call_goes_to_disk_has_made_it(suite, world, visit, tmp_path):
    going, go = Event(), Event()

    class Held(Commits):
        def commit(self, journal, line):
            def wait():
                going.set()
                assert go.wait(PATIENCE)
                journal.append(line)

            return super().commit(Slow(wait), line)

    async def cut_off(call):
        task = asyncio.create_task(visit.call_by(Held().commit, *call, 1))
        await asyncio.to_thread(going.wait, PATIENCE)
        task.cancel()
        await asyncio.sleep(0)
        assert not task.done()
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await visit.call_by(Commits().commit, *call, 1)

    first, *_, last = optimal(suite, world)
    answer = asyncio.run(cut_off(first))
    assert answer == Episode(suite.play(world).episode.world).call(*first)
    assert len(visit.play.calls) == 1
    assert asyncio.run(visit.call_by(Commits().commit, *last, 2)).text == '{"submitted":true}'
    assert calls_of(visit.document) == [first, last]
