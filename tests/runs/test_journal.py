"""Journals and exclusive records: incomplete lines, flipped bits, full disks, races (B2, B4, B11)."""

import errno
import json
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from algoworlds.errors import InputError
from algoworlds.runs.directory import write_final_file
from algoworlds.runs.journal import Journal, encode_line, read_journal
from algoworlds.runs.schedule import Slot
from tests.runs.model_runs import run_model
from tests.runs.record_race import try_to_write

VALUES = [{"turn": 1, "response": {"text": "naïve \u2028 \ud800 line"}}, {"turn": 2, "n": 2**53}, {"turn": 3, "event": "x"}]


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / "a.jsonl"
    journal = Journal(path)
    for value in VALUES:
        journal.append(value)
    journal.close()
    return path


def test_reads_back_what_was_appended(journal):
    assert read_journal(journal) == (VALUES, journal.stat().st_size)
    assert journal.read_bytes().isascii()


def test_b2_truncated_at_any_byte_gives_the_complete_lines(journal, tmp_path):
    whole = journal.read_bytes()
    ends = [0]
    for value in VALUES:
        ends.append(ends[-1] + len(encode_line(value)))
    for length in range(len(whole) + 1):
        path = tmp_path / "truncated.jsonl"
        path.write_bytes(whole[:length])
        complete = sum(end <= length for end in ends[1:])
        truncated = Journal(path)
        assert truncated.values_at_open == VALUES[:complete]
        truncated.append(VALUES[-1])
        truncated.close()
        assert read_journal(path)[0] == [*VALUES[:complete], VALUES[-1]]


def test_b2_any_flipped_bit_is_refused_or_cuts_the_last_line(journal, tmp_path):
    whole = journal.read_bytes()
    path = tmp_path / "flipped.jsonl"
    refused = 0
    for at in range(len(whole)):
        for bit in range(8):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
            try:
                values, _ = read_journal(path)
            except InputError:
                refused += 1
            else:
                assert values == VALUES[:2]
                assert at == len(whole) - 1, "only the last line feed can look like an incomplete line"
    assert refused == 8 * (len(whole) - 1)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("written", [0, 1, 20])
def test_b4_partial_write_leaves_no_trace(journal, monkeypatch, code, written):
    before = journal.read_bytes()
    reopened = Journal(journal)
    write = os.write

    def write_partly(handle, data):
        if not written or os.fstat(handle).st_size > len(before):
            raise OSError(code, os.strerror(code))
        return write(handle, bytes(data[:written]))

    monkeypatch.setattr(os, "write", write_partly)
    with pytest.raises(OSError, match=os.strerror(code)):
        reopened.append({"turn": 4})
    monkeypatch.undo()
    assert journal.read_bytes() == before
    reopened.append({"turn": 4})
    reopened.close()
    assert read_journal(journal)[0] == [*VALUES, {"turn": 4}]


def test_c8_endless_line_is_refused_in_bounded_memory(tmp_path, monkeypatch):
    monkeypatch.setattr("algoworlds.runs.journal.MAX_LINE_BYTES", 1000)
    path = tmp_path / "long.jsonl"
    path.write_bytes(b"x" * 5000)
    with pytest.raises(InputError, match="too long"):
        read_journal(path)


def test_refuses_to_append_a_line_too_long_to_read(tmp_path, monkeypatch):
    monkeypatch.setattr("algoworlds.runs.journal.MAX_LINE_BYTES", 100)
    journal = Journal(tmp_path / "journal.jsonl")
    journal.append("x" * 50)
    with pytest.raises(InputError, match="too long for a journal"):
        journal.append("x" * 100)
    journal.append("y")
    journal.close()
    assert read_journal(tmp_path / "journal.jsonl")[0] == ["x" * 50, "y"]


def test_b11_exactly_one_of_many_writers_creates_the_record(tmp_path):
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        results = list(pool.map(try_to_write, [(tmp_path, number) for number in range(16)]))
    assert sorted(results) == ["refused"] * 15 + ["written"]
    (path,) = tmp_path.iterdir()
    assert json.loads(path.read_bytes())["writer"] == results.index("written")


def test_writing_the_same_record_again_is_allowed(tmp_path):
    for _ in range(2):
        write_final_file(tmp_path, Slot("w", 1), {"same": 1})
    assert [path.name for path in tmp_path.iterdir()] == ["w--1.json"]


def test_attempts_at_a_turn_are_on_disk_before_the_turn(server, suite, tmp_path, monkeypatch):
    """Otherwise a journal could hold a turn without a log of its requests."""
    synced, sync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_ino) or sync(handle))
    run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds="fleet*-direct")
    (journal,) = (tmp_path / "run" / "journal").iterdir()
    _, *turns = (at for at, inode in enumerate(synced) if inode == journal.stat().st_ino)  # the heading comes first
    assert len(turns) > 2
    assert {synced[at - 1] for at in turns} == {(tmp_path / "run" / "attempts.jsonl").stat().st_ino}
