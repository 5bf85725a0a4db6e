"""Journals and exclusive records: torn tails, flipped bits, full disks, races (B2, B4, B11)."""

import errno
import json
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from algoworlds.errors import InputError
from algoworlds.runs.journal import Journal, line, read
from algoworlds.runs.slot import Slot, finalize
from tests.runs.play import model_run
from tests.runs.racing import race

VALUES = [{"turn": 1, "response": {"text": "naïve \u2028 \ud800 line"}}, {"turn": 2, "n": 2**53}, {"turn": 3, "event": "x"}]


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / "a.jsonl"
    made = Journal(path)
    for value in VALUES:
        made.append(value)
    made.close()
    return path


def test_a_journal_gives_back_what_it_was_told(journal):
    assert read(journal) == (VALUES, journal.stat().st_size)
    assert journal.read_bytes().isascii()


def test_b2_truncated_at_every_byte_it_gives_the_exact_prefix(journal, tmp_path):
    whole = journal.read_bytes()
    ends = [0]
    for value in VALUES:
        ends.append(ends[-1] + len(line(value)))
    for at in range(len(whole) + 1):
        path = tmp_path / "torn.jsonl"
        path.write_bytes(whole[:at])
        kept = sum(end <= at for end in ends[1:])
        torn = Journal(path)
        assert torn.recorded == VALUES[:kept]
        torn.append(VALUES[-1])
        torn.close()
        assert read(path)[0] == [*VALUES[:kept], VALUES[-1]]


def test_b2_every_flipped_bit_is_refused_or_read_as_a_torn_tail(journal, tmp_path):
    whole = journal.read_bytes()
    path = tmp_path / "flipped.jsonl"
    refused = 0
    for at in range(len(whole)):
        for bit in range(8):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
            try:
                values, _ = read(path)
            except InputError:
                refused += 1
            else:
                assert values == VALUES[:2]
                assert at == len(whole) - 1, "only the last line feed can look like a torn tail"
    assert refused == 8 * (len(whole) - 1)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("taken", [0, 1, 20])
def test_b4_a_disk_that_takes_only_a_part_leaves_no_part(journal, monkeypatch, code, taken):
    before = journal.read_bytes()
    made = Journal(journal)
    write = os.write

    def full(handle, data):
        if not taken or os.fstat(handle).st_size > len(before):
            raise OSError(code, os.strerror(code))
        return write(handle, bytes(data[:taken]))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match=os.strerror(code)):
        made.append({"turn": 4})
    monkeypatch.undo()
    assert journal.read_bytes() == before
    made.append({"turn": 4})
    made.close()
    assert read(journal)[0] == [*VALUES, {"turn": 4}]


def test_c8_a_line_without_an_end_is_refused_in_bounded_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("algoworlds.runs.journal.LONGEST_LINE", 1000)
    path = tmp_path / "long.jsonl"
    path.write_bytes(b"x" * 5000)
    with pytest.raises(InputError, match="too long"):
        read(path)


def test_a_line_that_could_not_be_read_again_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr("algoworlds.runs.journal.LONGEST_LINE", 100)
    journal = Journal(tmp_path / "journal.jsonl")
    journal.append("x" * 50)
    with pytest.raises(InputError, match="too long for a journal"):
        journal.append("x" * 100)
    journal.append("y")
    journal.close()
    assert read(tmp_path / "journal.jsonl")[0] == ["x" * 50, "y"]


def test_b11_of_many_finalizers_exactly_one_wins(tmp_path):
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        results = list(pool.map(race, [(tmp_path, number) for number in range(16)]))
    assert sorted(results) == ["made"] + ["refused"] * 15
    (path,) = tmp_path.iterdir()
    assert json.loads(path.read_bytes())["writer"] == results.index("made")


def test_finalizing_the_same_record_again_is_no_error(tmp_path):
    for _ in range(2):
        finalize(tmp_path, Slot("w", 1), {"same": 1})
    assert [path.name for path in tmp_path.iterdir()] == ["w--1.json"]


def test_the_attempts_at_a_turn_are_on_disk_before_the_turn(server, suite, tmp_path, monkeypatch):
    """Nobody could tell otherwise how a turn that is kept was asked for."""
    synced, sync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino) or sync(handle))
    model_run(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds="fleet*-direct")
    (journal,) = (tmp_path / "run" / "journal").iterdir()
    _, *turns = (at for at, each in enumerate(synced) if each == journal.stat().st_ino)  # the heading comes first
    assert len(turns) > 2
    assert {synced[at - 1] for at in turns} == {(tmp_path / "run" / "attempts.jsonl").stat().st_ino}
