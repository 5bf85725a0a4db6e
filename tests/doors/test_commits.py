"""Group commit: lines of many journals are written together, and no call is answered before it is on disk."""

import asyncio
import time
from threading import Barrier, Event, current_thread

import pytest

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.group_commit import MAX_BATCH_SECONDS, GroupCommit
from algoworlds.runs.external.session import Session
from algoworlds.runs.journal import Journal, read_journal
from algoworlds.runs.schedule import Experiment, Slot
from algoworlds.suites.record import PlayerKind, recorded_calls
from algoworlds.worlds.episode import Episode
from tests.command import PATIENCE
from tests.doors.test_contract import optimal


class HookedJournal:
    """A journal that notes its thread and calls `hook` instead of writing."""

    def __init__(self, hook):
        self._hook, self.threads = hook, []

    def append(self, line):
        self.threads.append(current_thread())
        self._hook()


def test_lines_that_wait_together_are_written_by_one_thread(tmp_path):
    journals, hooked = [Journal(tmp_path / f"{number}.jsonl") for number in range(8)], HookedJournal(lambda: None)

    async def commit():
        written, counted = GroupCommit(), GroupCommit()
        await asyncio.gather(*(written.commit(journal, {"turn": 1}) for journal in journals))
        await asyncio.gather(*(counted.commit(hooked, {}) for _ in range(8)))

    asyncio.run(commit())
    assert [read_journal(tmp_path / f"{number}.jsonl")[0] for number in range(8)] == [[{"turn": 1}]] * 8
    assert len(set(hooked.threads)) == 1
    for journal in journals:
        journal.close()


def test_slow_disk_spreads_lines_over_threads():
    barrier = Barrier(4, timeout=PATIENCE)

    async def commit():
        commits = GroupCommit()
        await commits.commit(HookedJournal(lambda: time.sleep(2 * MAX_BATCH_SECONDS)), {})
        await asyncio.gather(*(commits.commit(HookedJournal(barrier.wait), {}) for _ in range(4)))

    asyncio.run(commit())


def test_failed_line_fails_only_its_own_commit():
    def fail():
        raise OSError(28, "No space left on device")

    async def commit():
        commits = GroupCommit()
        lines = [commits.commit(HookedJournal(hook), {}) for hook in (int, fail, int)]
        return await asyncio.gather(*lines, return_exceptions=True)

    first, second, third = asyncio.run(commit())
    assert (first, third, type(second)) == (None, None, OSError)


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


def test_call_cancelled_during_commit_still_counts(suite, world, session):
    started, release = Event(), Event()

    class HeldCommit(GroupCommit):
        def commit(self, journal, line):
            def wait():
                started.set()
                assert release.wait(PATIENCE)
                journal.append(line)

            return super().commit(HookedJournal(wait), line)

    async def cancel_call(call):
        task = asyncio.create_task(session.call_with_commit(HeldCommit().commit, *call, 1))
        await asyncio.to_thread(started.wait, PATIENCE)
        task.cancel()
        await asyncio.sleep(0)
        assert not task.done()
        release.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await session.call_with_commit(GroupCommit().commit, *call, 1)

    first, *_, last = optimal(suite, world)
    answer = asyncio.run(cancel_call(first))
    assert answer == Episode(suite.play(world).episode.world).call(*first)
    assert len(session.play.calls) == 1
    assert asyncio.run(session.call_with_commit(GroupCommit().commit, *last, 2)).text == '{"submitted":true}'
    assert recorded_calls(session.record) == [first, last]
