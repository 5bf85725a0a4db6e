"""Registers of streams: rows match certification, and the bytes are the same after any interruption."""

import json
import os
import signal
import subprocess
import sys

import pytest

import algoworlds as aw
from algoworlds.errors import InputError, format_value
from algoworlds.suites import register
from algoworlds.suites.register import COLUMNS, write_register
from tests.command import COMMAND, ROOT, run, run_here, start_process, until
from tests.silence import silent

SMALL = {"seed": "register", "families": ("fleet_dispatch",), "levels": (0, 0.5)}
COUNT = 24
LARGE = 100_000


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(register, "WORLDS_PER_PART", 5)


def write(out, count=COUNT, progress=silent):
    write_register(aw.stream(**SMALL), count, out, None, progress)
    return out.read_bytes()


def test_rows_hold_what_certification_found(tmp_path, small_parts):
    rows = [json.loads(line) for line in write(tmp_path / "register.jsonl").splitlines()]
    assert [row["position"] for row in rows] == list(range(COUNT))
    assert all({name: type(row[name]) for name in COLUMNS} == COLUMNS for row in rows)
    for row in rows[::7]:
        world = aw.stream(**SMALL)[row["position"]]
        assert (row["id"], row["optimum"], row["gap"]) == (world.id, world.key.optimum, world.key.reference_gap)
        assert (row["work"], row["digest"]) == (world.admitted.solution.work.total, world.admitted.instance.digest)
    assert list(tmp_path.iterdir()) == [tmp_path / "register.jsonl"]  # the parts are deleted


def test_resume_computes_no_part_twice(tmp_path, small_parts, monkeypatch):
    whole, computed = write(tmp_path / "whole.jsonl"), []
    register_lines = register.register_lines

    def record_part(part):
        computed.append(part.positions.start)
        return register_lines(part)

    def stop(done, total):
        if done >= 10:
            raise KeyboardInterrupt

    monkeypatch.setattr(register, "register_lines", record_part)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "cut.jsonl", progress=stop)
    assert write(tmp_path / "cut.jsonl") == whole
    assert computed == [0, 5, 10, 15, 20]


def test_does_not_resume_another_register(tmp_path, small_parts):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "cut.jsonl", progress=stop)
    with pytest.raises(InputError, match="holds parts of another register"):
        write(tmp_path / "cut.jsonl", count=COUNT + 1)


@pytest.mark.parametrize(
    ("name", "count", "message"),
    [
        ("register.csv", 1, "must end in .parquet or .jsonl"),
        ("register.jsonl", 0, "--count must be at least 1, not 0"),
        ("there.jsonl", 1, "exists already"),
    ],
)
def test_rejects_bad_arguments_before_it_starts(tmp_path, name, count, message):
    (tmp_path / "there.jsonl").write_text("")
    with pytest.raises(InputError, match=message):
        write(tmp_path / name, count=count)
    assert [path.name for path in tmp_path.iterdir()] == ["there.jsonl"]


KILLED = """
import os, signal, sys
from pathlib import Path
import algoworlds as aw
from algoworlds.suites import register
from tests.silence import silent
from tests.suites.test_register import COUNT, SMALL

register_lines, register.WORLDS_PER_PART = register.register_lines, 5

def die_at_third_part(part):
    if part.positions.start == 10:
        os.kill(os.getpid(), signal.SIGKILL)
    return register_lines(part)

register.register_lines = die_at_third_part
register.write_register(aw.stream(**SMALL), COUNT, Path(sys.argv[1]), None, silent)
"""


def test_resume_uses_the_parts_of_a_killed_process(tmp_path, small_parts):
    cut = tmp_path / "cut.jsonl"
    assert subprocess.run([sys.executable, "-c", KILLED, cut], cwd=ROOT).returncode == -signal.SIGKILL
    assert {path.name for path in tmp_path.glob(".cut.jsonl.parts/*.jsonl")} == {"0.jsonl", "5.jsonl"}
    assert write(cut) == write(tmp_path / "whole.jsonl")


def interrupt_after_ten(tmp_path):
    """The folder of parts of a register that was interrupted after two parts."""

    def stop(done, total):
        if done >= 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "cut.jsonl", progress=stop)
    return tmp_path / ".cut.jsonl.parts"


def swap_parts(folder):
    (folder / "0.jsonl").rename(folder / "other")
    (folder / "5.jsonl").rename(folder / "0.jsonl")
    (folder / "other").rename(folder / "5.jsonl")


DAMAGE = {
    "cut short": lambda folder: (folder / "5.jsonl").write_bytes((folder / "5.jsonl").read_bytes()[:300]),
    "cut at a line": lambda folder: (folder / "5.jsonl").write_text(
        "\n".join((folder / "5.jsonl").read_text().split("\n")[:3])
    ),
    "edited": lambda folder: (folder / "5.jsonl").write_text((folder / "5.jsonl").read_text().replace('"gap":', '"gap":1', 1)),
    "empty": lambda folder: (folder / "5.jsonl").write_text(""),
    "not text": lambda folder: (folder / "5.jsonl").write_bytes(b"\xff" * 100),
    "a link to nothing": lambda folder: (folder / "5.jsonl").unlink() or (folder / "5.jsonl").symlink_to("nowhere"),
    "a pipe": lambda folder: (folder / "5.jsonl").unlink() or os.mkfifo(folder / "5.jsonl"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_part_is_named_and_computed_again(tmp_path, small_parts, damage):
    whole, warnings = write(tmp_path / "whole.jsonl"), []
    folder = interrupt_after_ten(tmp_path)
    DAMAGE[damage](folder)
    write_register(aw.stream(**SMALL), COUNT, tmp_path / "cut.jsonl", None, silent, warnings.append)
    assert (tmp_path / "cut.jsonl").read_bytes() == whole
    assert warnings == [f"{format_value(folder / '5.jsonl')} is damaged: its 5 worlds are computed again"]


def test_swapped_parts_are_named_and_computed_again(tmp_path, small_parts):
    whole, warnings = write(tmp_path / "whole.jsonl"), []
    swap_parts(interrupt_after_ten(tmp_path))
    write_register(aw.stream(**SMALL), COUNT, tmp_path / "cut.jsonl", None, silent, warnings.append)
    assert (tmp_path / "cut.jsonl").read_bytes() == whole
    assert len(warnings) == 2


def test_the_command_names_a_damaged_part(tmp_path, small_parts):
    DAMAGE["cut short"](interrupt_after_ten(tmp_path))
    options = ("--seed", "register", "--families", "fleet_dispatch", "--levels", "0,0.5", "--count", COUNT)
    done = run_here("stream", *options, "--out", tmp_path / "cut.jsonl")
    assert done.returncode == 0
    assert "5.jsonl is damaged: its 5 worlds are computed again\n" in done.stderr


KILLED_AT = """
import os, sys
from pathlib import Path
import algoworlds as aw
from algoworlds.suites import register
from tests.silence import silent
from tests.suites.crash import count_operations
from tests.suites.test_register import COUNT, SMALL

register.WORLDS_PER_PART = 5
parts = [aw.stream(**SMALL)[at : min(at + 5, COUNT)] for at in range(0, COUNT, 5)]
rows = {part.positions: register.register_lines(part) for part in parts}
register.register_lines = lambda part: rows[part.positions]
out = Path(sys.argv[1])

def build(target, kill_at=0):
    pid = os.fork()
    if not pid:
        operations = count_operations(kill_at)
        register.write_register(aw.stream(**SMALL), COUNT, target, None, silent)
        (out / "operations").write_text(str(len(operations)))
        os._exit(0)
    return os.waitpid(pid, 0)[1]

assert build(out / "whole.jsonl") == 0
total, whole = int((out / "operations").read_text()), (out / "whole.jsonl").read_bytes()
(out / "operations").unlink()
for at in range(1, total):
    target = out / f"{at}.jsonl"
    killed = build(target, at)
    if not target.exists():
        assert build(target) == 0, at
    assert killed and target.read_bytes() == whole, at
    (out / "operations").unlink(missing_ok=True)
left = {path.name for path in out.iterdir()} - {f"{at}.jsonl" for at in range(1, total)} - {"whole.jsonl"}
assert not left, left
print(total)
"""


def test_a_register_killed_at_any_file_operation_is_finished_and_leaves_nothing(tmp_path):
    done = subprocess.run([sys.executable, "-c", KILLED_AT, tmp_path], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 40


def peak_memory(*arguments):
    """The peak memory of a command, in kB."""
    process = subprocess.Popen([COMMAND, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss


@pytest.mark.full
def test_a_killed_command_of_a_hundred_thousand_rows_resumes_to_the_same_bytes(tmp_path):
    """It takes no more memory than a hundredth of the rows, whether interrupted or not."""
    cut, whole = tmp_path / "cut.jsonl", tmp_path / "whole.jsonl"
    command = ("stream", "--seed", "killed", "--interfaces", "direct,mediated,split", "--count")
    assert run(*command, 30, "--out", tmp_path / "kernels.jsonl").returncode == 0  # compiling takes the most memory
    few = peak_memory(*command, LARGE // 100, "--out", tmp_path / "few.jsonl")
    process = start_process(COMMAND, *command, LARGE, "--out", cut)
    until(lambda: len(list(tmp_path.glob(".cut.jsonl.parts/*[0-9].jsonl"))) >= LARGE // register.WORLDS_PER_PART // 4, process)
    process.kill()
    process.communicate()
    for out in (cut, whole):
        assert peak_memory(*command, LARGE, "--out", out) < 1.25 * few
    assert cut.read_bytes() == whole.read_bytes()
    assert whole.read_bytes().count(b"\n") == LARGE


def test_the_command_writes_a_register(tmp_path):
    out = tmp_path / "register.jsonl"
    done = run_here("stream", "--count", 4, "--families", "fleet_dispatch", "--levels", "0.5", "--out", out, "--json")
    assert json.loads(done.stdout) == {"out": str(out), "worlds": 4}
    assert {json.loads(line)["difficulty"] for line in out.read_text().splitlines()} == {0.5}
    wrong = run_here("stream", "--levels", "hard", "--out", tmp_path / "x.jsonl")
    assert (wrong.returncode, wrong.stderr) == (2, "algoworlds: --levels takes numbers like 0,0.5, not 'hard'\n")
