"""Registers of streams: rows that certification bears out, the same bytes by any engine and after any interruption."""

import json
import os
import signal
import subprocess
import sys

import pytest

import algoworlds as aw
from algoworlds.errors import InputError
from algoworlds.suites import register as module
from algoworlds.suites.register import COLUMNS, register
from tests.command import COMMAND, ROOT, run, run_here, started, until
from tests.silence import silent

SMALL = {"seed": "register", "families": ("fleet_dispatch",), "levels": (0, 0.5)}
COUNT = 24
LARGE = 100_000


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(module, "PART", 5)


def written(out, count=COUNT, progress=silent):
    register(aw.stream(**SMALL), count, out, None, progress)
    return out.read_bytes()


def test_rows_say_what_certification_found(tmp_path, short):
    rows = [json.loads(line) for line in written(tmp_path / "register.jsonl").splitlines()]
    assert [row["position"] for row in rows] == list(range(COUNT))
    assert all({name: type(row[name]) for name in COLUMNS} == COLUMNS for row in rows)
    for row in rows[::7]:
        fresh = aw.stream(**SMALL)[row["position"]]
        assert (row["id"], row["optimum"], row["gap"]) == (fresh.id, fresh.key.optimum, fresh.key.reference_gap)
        assert (row["work"], row["digest"]) == (fresh.admitted.solution.work.total, fresh.admitted.instance.digest)
    assert list(tmp_path.iterdir()) == [tmp_path / "register.jsonl"]  # the parts are put away


def test_what_was_interrupted_goes_on_and_no_part_is_made_twice(tmp_path, short, monkeypatch):
    whole, made = written(tmp_path / "whole.jsonl"), []
    rows = module.rows

    def counted(stretch):
        made.append(stretch.positions.start)
        return rows(stretch)

    def stop(done, total):
        if done >= 10:
            raise KeyboardInterrupt

    monkeypatch.setattr(module, "rows", counted)
    with pytest.raises(KeyboardInterrupt):
        written(tmp_path / "cut.jsonl", progress=stop)
    assert written(tmp_path / "cut.jsonl") == whole
    assert made == [0, 5, 10, 15, 20]


def test_another_register_is_never_mixed_in(tmp_path, short):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        written(tmp_path / "cut.jsonl", progress=stop)
    with pytest.raises(InputError, match="holds parts of another register"):
        written(tmp_path / "cut.jsonl", count=COUNT + 1)


@pytest.mark.parametrize(
    ("name", "count", "message"),
    [
        ("register.csv", 1, "is neither .parquet nor .jsonl"),
        ("register.jsonl", 0, "--count counts from 1"),
        ("there.jsonl", 1, "is there already"),
    ],
)
def test_what_cannot_be_written_is_refused_before_work_begins(tmp_path, name, count, message):
    (tmp_path / "there.jsonl").write_text("")
    with pytest.raises(InputError, match=message):
        written(tmp_path / name, count=count)
    assert [path.name for path in tmp_path.iterdir()] == ["there.jsonl"]


KILLED = """
import os, signal, sys
from pathlib import Path
import algoworlds as aw
from algoworlds.suites import register as module
from tests.silence import silent
from tests.suites.test_register import COUNT, SMALL

rows, module.PART = module.rows, 5

def deadly(stretch):
    if stretch.positions.start == 10:
        os.kill(os.getpid(), signal.SIGKILL)
    return rows(stretch)

module.rows = deadly
module.register(aw.stream(**SMALL), COUNT, Path(sys.argv[1]), None, silent)
"""


def test_a_killed_process_leaves_whole_parts_that_the_next_one_goes_on_from(tmp_path, short):
    cut = tmp_path / "cut.jsonl"
    assert subprocess.run([sys.executable, "-c", KILLED, cut], cwd=ROOT).returncode == -signal.SIGKILL
    assert {path.name for path in tmp_path.glob(".cut.jsonl.parts/*.jsonl")} == {"0.jsonl", "5.jsonl"}
    assert written(cut) == written(tmp_path / "whole.jsonl")


def peak(*arguments):
    """The most memory that a command held, in kB."""
    process = subprocess.Popen([COMMAND, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss


@pytest.mark.full
def test_a_hundred_thousand_rows_come_out_the_same_though_the_command_is_killed(tmp_path):
    """And take no more memory than a hundredth of them, whether in one go or in two."""
    cut, whole = tmp_path / "cut.jsonl", tmp_path / "whole.jsonl"
    order = ("stream", "--seed", "killed", "--interfaces", "direct,mediated,split", "--count")
    assert run(*order, 30, "--out", tmp_path / "kernels.jsonl").returncode == 0  # compiling them takes more than all the rest
    few = peak(*order, LARGE // 100, "--out", tmp_path / "few.jsonl")
    process = started(COMMAND, *order, LARGE, "--out", cut)
    until(lambda: len(list(tmp_path.glob(".cut.jsonl.parts/*[0-9].jsonl"))) >= LARGE // module.PART // 4, process)
    process.kill()
    process.communicate()
    for out in (cut, whole):
        assert peak(*order, LARGE, "--out", out) < 1.25 * few
    assert cut.read_bytes() == whole.read_bytes()
    assert whole.read_bytes().count(b"\n") == LARGE


def test_the_command_writes_a_register(tmp_path):
    out = tmp_path / "register.jsonl"
    done = run_here("stream", "--count", 4, "--families", "fleet_dispatch", "--levels", "0.5", "--out", out, "--json")
    assert json.loads(done.stdout) == {"out": str(out), "worlds": 4}
    assert {json.loads(line)["difficulty"] for line in out.read_text().splitlines()} == {0.5}
    wrong = run_here("stream", "--levels", "hard", "--out", tmp_path / "x.jsonl")
    assert (wrong.returncode, wrong.stderr) == (2, "algoworlds: --levels takes numbers like 0,0.5, not 'hard'\n")
