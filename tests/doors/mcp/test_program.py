"""A program of somebody's own: what it is given, how its evaluations end, and that nothing of it stays."""

import json
import os
import random
import signal
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.commits import Commits
from algoworlds.runs.slot import Slot
from algoworlds.suites.record import calls_of
from tests.command import COMMAND, PATIENCE, run, run_here, started, until
from tests.doors.test_contract import optimal

PLAYS = f"{sys.executable} {Path(__file__).with_name('plays.py')}"
FAMILY = "fleet_dispatch"
LATEST = 0.02
"""Seconds, about what a call takes: somebody is killed before, in and after the call that is made meanwhile."""


@pytest.fixture
def worlds(suite):
    return [entry.id for entry in suite.manifest.worlds if entry.family == FAMILY]


@pytest.fixture
def told(suite, worlds, tmp_path):
    """What the program is told to do: to play well, and more."""

    def tell(**more):
        calls = {suite.play(world).question: optimal(suite, world) for world in worlds}
        (tmp_path / "told.json").write_text(json.dumps({"calls": calls} | more))
        return {"PLAYS": str(tmp_path / "told.json")}

    return tell


def options(suite, out, command, *more):
    return ("run", "--suite", suite.directory, "--out", out, "--families", FAMILY, "--trials", "1", "--command", command, *more)


def records(out, worlds):
    return [RunDirectory(out).record(Slot(world, 1)) for world in worlds]


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except OSError:
        return False


def test_a_program_is_told_everything_and_leaves_a_run_like_any_other(suite, worlds, told, tmp_path):
    out, command = tmp_path / "run", f"cat {{task}} && {PLAYS} {{task}} {{mcp}} {{url}} {{folder}} '${{HOME}}'"
    done = run(*options(suite, out, command, "--concurrency", "2", "--label", "My program"), **told())
    assert done.returncode == 0, done.stderr
    for world, record in zip(worlds, records(out, worlds), strict=True):
        assert (record["exact"], record["kind"], record["configuration"]) == (1, "external", "My program")
        assert calls_of(record) == list(optimal(suite, world))
        printed = (out / "output" / f"{world}--1.txt").read_text()
        assert printed.startswith(suite.play(world).question)
        given, folder = printed.split("plays ")[1].splitlines()[0].rsplit(" ", 1)
        task, client, url, scratch, home = json.loads(given.replace("'", '"'))
        assert (task, client, scratch, home) == (f"{folder}/task.md", f"{folder}/mcp.json", folder, "${HOME}")
        assert url.startswith("http://127.0.0.1:")
        assert [secret for secret in (world, str(suite.directory), str(out)) if secret in given] == []
        assert not Path(folder).exists()
    assert run_here("verify-run", out).returncode == 0
    again = run_here(*options(suite, out, command, "--concurrency", "1", "--label", "My program"), **told(code=9))
    assert again.returncode == 0


@pytest.mark.parametrize(
    ("command", "reason"),
    [("true", "text_end"), ("exit 3", "agent_error"), ("kill -SEGV $$", "agent_error")],
)
def test_a_program_that_does_not_decide_has_not_decided(suite, worlds, tmp_path, command, reason):
    assert run_here(*options(suite, tmp_path / "run", command)).returncode == 0
    assert {record["stop_reason"] for record in records(tmp_path / "run", worlds)} == {reason}


def test_a_program_that_is_not_there_is_no_agent_s_failure(suite, worlds, tmp_path):
    done = run_here(*options(suite, tmp_path / "run", "no-such-program {mcp}"))
    assert (done.returncode, "no-such-program: not found" in done.stderr) == (1, True), done
    assert RunDirectory(tmp_path / "run").finished == set()


def test_a_program_that_takes_too_long_is_ended_with_all_that_it_has_started(suite, worlds, tmp_path):
    child = f"{tmp_path}/child"
    command = f"sleep 1000 & echo $! >> {child}; printf '%2000000d' 7; trap '' TERM; sleep 1000"
    assert run_here(*options(suite, tmp_path / "run", command, "--time-limit", "3")).returncode == 0
    assert {record["stop_reason"] for record in records(tmp_path / "run", worlds)} == {"time_limit"}
    pids = Path(child).read_text().split()
    assert len(pids) == 2
    until(lambda: not any(map(alive, pids)))
    kept = (tmp_path / "run" / "output" / f"{worlds[0]}--1.txt").read_bytes()
    assert (len(kept) < 1_100_000, b"bytes left out" in kept) == (True, True)


@pytest.mark.parametrize("number", ["KILL", "TERM"])
def test_g3_a_program_that_is_ended_from_outside_is_not_scored(suite, worlds, told, tmp_path, number):
    flag = tmp_path / "flag"
    command = f"test -e {flag} && {PLAYS} || {{ touch {flag}; kill -{number} $$; }}"
    lost = run(*options(suite, tmp_path / "run", command), **told())
    assert (lost.returncode, "left pending: 1 (lost" in lost.stderr) == (1, True), lost.stderr
    assert run_here(*options(suite, tmp_path / "run", command), **told()).returncode == 0
    assert [record["exact"] for record in records(tmp_path / "run", worlds)] == [1, 1]


@pytest.mark.parametrize("who", ["program", "shell", "leash", "run"])
@pytest.mark.parametrize("times", [1, pytest.param(8, marks=pytest.mark.full)])
def test_g3_whoever_is_killed_at_any_moment_nothing_is_lost_and_the_program_plays_anew(
    suite, worlds, told, tmp_path, times, who
):
    chance = random.Random(f"{who} {times}")
    for time in range(times):
        out, at, moment = tmp_path / f"run{time}", chance.randrange(1000), chance.random() * LATEST
        variables = told(cut=str(tmp_path / f"cut{time}"), who=who, at=at, moment=moment)
        order = options(suite, out, f"{PLAYS}; exit $?", "--worlds", worlds[time % 2])
        assert run(*order, **variables).returncode == (-signal.SIGKILL if who == "run" else 1)
        assert run_here(*order, **variables).returncode == 0
        (record,) = records(out, [worlds[time % 2]])
        assert calls_of(record) == list(optimal(suite, worlds[time % 2]))
        assert [line["start"] for line in RunDirectory(out).journaled(Slot(record["world"], 1)) if "start" in line] == [1, 2]
        assert run_here("verify-run", out).returncode == 0


def test_g6_a_disk_that_fails_is_no_fault_of_the_program_s(suite, worlds, told, tmp_path):
    order = options(suite, tmp_path / "run", PLAYS, "--worlds", worlds[0])
    with patch.object(Commits, "commit", side_effect=OSError(28, "No space left on device", str(tmp_path))):
        done = run_here(*order, **told())
    assert (done.returncode, "No space left" in done.stderr) == (1, True), done
    assert RunDirectory(tmp_path / "run").finished == set()
    printed = (tmp_path / "run" / "output" / f"{worlds[0]}--1.txt").read_text()
    assert str(tmp_path / "run") not in printed
    assert run_here(*order, **told()).returncode == 0
    assert [record["exact"] for record in records(tmp_path / "run", worlds[:1])] == [1]


def test_g3_when_the_run_is_killed_so_is_the_program_and_the_run_goes_on(suite, worlds, told, tmp_path):
    variables = told(child=str(tmp_path / "child"))
    order = options(
        suite, tmp_path / "run", PLAYS + " & echo $! > " + str(tmp_path / "program") + "; wait $!", "--worlds", worlds[0]
    )
    process = started(COMMAND, *order, env=os.environ | variables)
    until(lambda: (tmp_path / "child").exists() and (tmp_path / "child").read_text(), process)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    pids = [(tmp_path / name).read_text().strip() for name in ("child", "program")]
    until(lambda: not any(map(alive, pids)))
    done = run_here(*order, **told())
    assert done.returncode == 0, done.stderr
    assert calls_of(records(tmp_path / "run", worlds[:1])[0]) == list(optimal(suite, worlds[0]))


def test_mistakes_are_one_line_each(suite, tmp_path):
    wrong = [("--command", each) for each in (" ", "(", "'")]
    wrong += [("--command", "true", "--agent", "null"), ("--command", "true", "--max-cost", "1")]
    wrong += [("--command", "true", "--time-limit", "0")]
    for more in wrong:
        done = run_here("run", "--suite", suite.directory, "--out", tmp_path / "run", *more)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done
