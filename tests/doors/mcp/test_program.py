"""External programs: what they get, how their evaluations end, and that nothing of them stays."""

import json
import os
import random
import signal
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.session import Session
from algoworlds.runs.schedule import Slot
from algoworlds.suites.record import recorded_calls
from tests.command import COMMAND, PATIENCE, run, run_here, start_process, until
from tests.doors.test_contract import optimal

PROGRAM = f"{sys.executable} {Path(__file__).with_name('scripted_program.py')}"
FAMILY = "fleet_dispatch"
MAX_DELAY_SECONDS = 0.02
"""About the duration of a call: a process is killed before, during and after it."""


@pytest.fixture
def worlds(suite):
    return [entry.id for entry in suite.manifest.worlds if entry.family == FAMILY]


@pytest.fixture
def script(suite, worlds, tmp_path):
    """Writes the program's script: play the optimum, plus the given options."""

    def write(**more):
        calls = {suite.play(world).question: optimal(suite, world) for world in worlds}
        (tmp_path / "script.json").write_text(json.dumps({"calls": calls} | more))
        return {"SCRIPT": str(tmp_path / "script.json")}

    return write


def options(suite, out, command, *more):
    return ("run", suite.directory, "--out", out, "--families", FAMILY, "--trials", "1", "--command", command, *more)


def records(out, worlds):
    return [RunDirectory(out).read_record(Slot(world, 1)) for world in worlds]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except OSError:
        return False


def test_program_gets_all_values_and_leaves_a_regular_run(suite, worlds, script, tmp_path):
    out, command = tmp_path / "run", f"cat {{task}} && {PROGRAM} {{task}} {{mcp}} {{url}} {{folder}} '${{HOME}}'"
    done = run(*options(suite, out, command, "--concurrency", "2", "--label", "My program"), **script())
    assert done.returncode == 0, done.stderr
    for world, record in zip(worlds, records(out, worlds), strict=True):
        assert (record["exact"], record["kind"], record["configuration"]) == (1, "external", "My program")
        assert recorded_calls(record) == list(optimal(suite, world))
        printed = (out / "output" / f"{world}--1.txt").read_text()
        assert printed.startswith(suite.play(world).question)
        arguments, folder = printed.split("plays ")[1].splitlines()[0].rsplit(" ", 1)
        task, client, url, scratch, home = json.loads(arguments.replace("'", '"'))
        assert (task, client, scratch, home) == (f"{folder}/task.md", f"{folder}/mcp.json", folder, "${HOME}")
        assert url.startswith("http://127.0.0.1:")
        assert [secret for secret in (world, str(suite.directory), str(out)) if secret in arguments] == []
        assert not Path(folder).exists()
    assert run_here("verify-run", out).returncode == 0
    again = run_here(*options(suite, out, command, "--concurrency", "1", "--label", "My program"), **script(code=9))
    assert again.returncode == 0


@pytest.mark.parametrize(
    ("command", "reason", "message"),
    [
        ("true", "text_end", "it ended without an error"),
        ("exit 3", "agent_error", "its process left with exit code 3"),
        ("kill -SEGV $$", "agent_error", "its process was ended by SIGSEGV"),
        ("kill -40 $$", "agent_error", "its process was ended by signal 40"),
        (f"{sys.executable} -c 'import nope'", "agent_error", "ModuleNotFoundError: No module named 'nope'"),
    ],
)
def test_program_that_never_calls_halts_the_run_unless_told_to_keep_going(suite, worlds, tmp_path, command, reason, message):
    done = run_here(*options(suite, tmp_path / "run", command))
    assert (done.returncode, RunDirectory(tmp_path / "run").finished_slots) == (1, set())
    assert "stopped: the agent ended before its first call: " in done.stderr
    assert message in done.stderr
    assert run_here(*options(suite, tmp_path / "run", command, "--keep-going")).returncode == 0
    assert {record["stop_reason"] for record in records(tmp_path / "run", worlds)} == {reason}


def test_daemons_of_a_program_are_killed(suite, worlds, tmp_path):
    child = f"{tmp_path}/child"
    command = f"setsid env -i sleep 1000 & echo $! >> {child}; (setsid env -i sh -c 'sleep 1000 & echo $! >> {child}; wait') &"
    assert run_here(*options(suite, tmp_path / "run", command + " sleep 1", "--keep-going")).returncode == 0
    pids = Path(child).read_text().split()
    assert len(pids) == 2 * len(worlds)
    until(lambda: not any(map(alive, pids)))


def test_missing_program_is_not_scored(suite, worlds, tmp_path):
    done = run_here(*options(suite, tmp_path / "run", "no-such-program {mcp}"))
    assert (done.returncode, "no-such-program: not found" in done.stderr) == (1, True), done
    assert RunDirectory(tmp_path / "run").finished_slots == set()


def test_time_limit_kills_the_program_and_its_children(suite, worlds, tmp_path):
    child = f"{tmp_path}/child"
    command = f"sleep 1000 & echo $! >> {child}; printf '%2000000d' 7; trap '' TERM; sleep 1000"
    assert run_here(*options(suite, tmp_path / "run", command, "--time-limit", "3")).returncode == 0
    assert {record["stop_reason"] for record in records(tmp_path / "run", worlds)} == {"time_limit"}
    pids = Path(child).read_text().split()
    assert len(pids) == 2
    until(lambda: not any(map(alive, pids)))
    printed = (tmp_path / "run" / "output" / f"{worlds[0]}--1.txt").read_bytes()
    assert (len(printed) < 1_100_000, b"bytes left out" in printed) == (True, True)


@pytest.mark.parametrize("number", ["KILL", "TERM"])
def test_g3_program_killed_from_outside_is_not_scored(suite, worlds, script, tmp_path, number):
    flag = tmp_path / "flag"
    command = f"test -e {flag} && {PROGRAM} || {{ touch {flag}; kill -{number} $$; }}"
    lost = run(*options(suite, tmp_path / "run", command), **script())
    assert (lost.returncode, "left pending: 1 (lost" in lost.stderr) == (1, True), lost.stderr
    assert run_here(*options(suite, tmp_path / "run", command), **script()).returncode == 0
    assert [record["exact"] for record in records(tmp_path / "run", worlds)] == [1, 1]


@pytest.mark.parametrize("part", ["program", "shell", "watchdog", "run"])
@pytest.mark.parametrize("times", [1, pytest.param(8, marks=pytest.mark.full)])
def test_g3_kill_of_any_part_loses_nothing_and_restarts_the_program(suite, worlds, script, tmp_path, times, part):
    rng = random.Random(f"{part} {times}")
    for time in range(times):
        out, at, delay = tmp_path / f"run{time}", rng.randrange(1000), rng.random() * MAX_DELAY_SECONDS
        variables = script(cut=str(tmp_path / f"cut{time}"), part=part, at=at, delay=delay)
        arguments = options(suite, out, f"{PROGRAM}; exit $?", "--worlds", worlds[time % 2])
        assert run(*arguments, **variables).returncode == (-signal.SIGKILL if part == "run" else 1)
        assert run_here(*arguments, **variables).returncode == 0
        (record,) = records(out, [worlds[time % 2]])
        assert recorded_calls(record) == list(optimal(suite, worlds[time % 2]))
        assert [line["start"] for line in RunDirectory(out).read_journal(Slot(record["world"], 1)) if "start" in line] == [1, 2]
        assert run_here("verify-run", out).returncode == 0


def test_g6_disk_failure_is_not_scored(suite, worlds, script, tmp_path):
    arguments = options(suite, tmp_path / "run", PROGRAM, "--worlds", worlds[0])
    with patch.object(Session, "call", side_effect=OSError(28, "No space left on device", str(tmp_path))):
        done = run_here(*arguments, **script())
    assert (done.returncode, "No space left" in done.stderr) == (1, True), done
    assert RunDirectory(tmp_path / "run").finished_slots == set()
    printed = (tmp_path / "run" / "output" / f"{worlds[0]}--1.txt").read_text()
    assert str(tmp_path / "run") not in printed
    assert run_here(*arguments, **script()).returncode == 0
    assert [record["exact"] for record in records(tmp_path / "run", worlds[:1])] == [1]


def test_g3_killed_run_takes_its_program_along_and_resumes(suite, worlds, script, tmp_path):
    variables = script(child=str(tmp_path / "child"))
    arguments = options(
        suite, tmp_path / "run", PROGRAM + " & echo $! > " + str(tmp_path / "program") + "; wait $!", "--worlds", worlds[0]
    )
    process = start_process(COMMAND, *arguments, env=os.environ | variables)
    until(lambda: (tmp_path / "child").exists() and (tmp_path / "child").read_text(), process)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    pids = [(tmp_path / name).read_text().strip() for name in ("child", "program")]
    until(lambda: not any(map(alive, pids)))
    done = run_here(*arguments, **script())
    assert done.returncode == 0, done.stderr
    assert recorded_calls(records(tmp_path / "run", worlds[:1])[0]) == list(optimal(suite, worlds[0]))


def test_rejects_wrong_options_in_one_line(suite, tmp_path):
    wrong = [("--command", command) for command in (" ", "(", "'")]
    wrong += [("--command", "true", "--agent", "null"), ("--command", "true", "--max-cost", "1")]
    wrong += [("--command", "true", "--time-limit", "0")]
    for more in wrong:
        done = run_here("run", suite.directory, "--out", tmp_path / "run", *more)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done
