"""Standard streams that are closed, in ASCII, on a full disk, or closed by their reader."""

import json
import os
import subprocess
from functools import cache
from itertools import product

import pytest

from tests.command import COMMAND, run, run_here

CLOSED = {"stdin": "<&-", "stdout": ">&-", "stderr": "2>&-"}
FLEET = {
    "family": "fleet_dispatch",
    "vehicle": ["v"],
    "job": ["größe"],
    "capacity": {"v": 1},
    "activation": {"v": 1},
    "load": {"größe": 1},
    "route_cost": {"v": {"größe": 4}},
}


def shell(line, **environment):
    """Run a line of shell in which $0 is our command."""
    order = ["bash", "-c", line, COMMAND]
    return subprocess.run(order, capture_output=True, timeout=300, env=os.environ | environment, check=False)


cached_shell = cache(shell)
"""The reference with all streams open, run once."""


def test_closed_standard_input_is_one_line():
    done = shell("$0 solve - <&-")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"algoworlds: cannot read -: standard input is closed\n"


def test_play_without_standard_input_ends_without_decision():
    done = shell("$0 play fleet_dispatch-0-1 --json <&-")
    assert (done.returncode, json.loads(done.stdout)["outcome"]) == (0, "no_decision")


EXIT_CODES = {"$0 families": 0, "$0 solve nowhere": 2, "$0 fly": 2}
DEFAULT_CASES = {("$0 families", "stdin"), ("$0 families", "stdout"), ("$0 solve nowhere", "stderr")}


@pytest.mark.parametrize(
    ("line", "closed"),
    [pytest.param(*case, marks=() if case in DEFAULT_CASES else pytest.mark.full) for case in product(EXIT_CODES, CLOSED)],
)
def test_closed_stream_changes_nothing_else(line, closed):
    done, reference = shell(f"{line} {CLOSED[closed]}"), cached_shell(line)
    assert done.returncode == reference.returncode == EXIT_CODES[line]
    assert done.stdout == (b"" if closed == "stdout" else reference.stdout)
    assert done.stderr == (b"" if closed == "stderr" else reference.stderr)


def test_no_file_gets_the_number_of_a_closed_stream(tmp_path):
    """Otherwise the first file that a command opens would become its standard error and receive what is printed."""
    suite = tmp_path / "suite"
    done = shell(f"$0 build --out {suite} --families fleet_dispatch --levels 0 --instances 1 --seed short --weak-seed >&- 2>&-")
    assert done.returncode == 0
    assert run("verify", suite).returncode == 0


def test_reader_that_closes_the_pipe_is_no_error():
    done = shell("set -o pipefail; $0 families --json | head -c 1 >/dev/null")
    assert (done.returncode, done.stderr) == (0, b"")


def test_exit_code_stays_if_stderr_has_no_reader():
    done = shell("exec 2> >(exec <&-; sleep 0); wait $!; $0 solve nowhere; echo $?")
    assert done.stdout == b"2\n"


def test_full_disk_is_one_line():
    done = shell("$0 families > /dev/full")
    assert (done.returncode, done.stderr) == (1, b"algoworlds: No space left on device\n")


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        pytest.param({"PYTHONIOENCODING": "ascii"}, marks=pytest.mark.full),
    ],
)
def test_ascii_terminal_gets_escaped_letters(tmp_path, environment):
    path = tmp_path / "größe.json"
    path.write_text(json.dumps(FLEET), encoding="utf-8")
    done = shell(f"$0 solve '{path}'", **environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"gr\\xf6\\xdfe" in done.stdout
    path.write_text("{", encoding="utf-8")
    assert shell(f"$0 solve '{path}x'", **environment).returncode == 2


@pytest.mark.parametrize("locale", ["C", pytest.param("C.UTF-8", marks=pytest.mark.full)])
def test_standard_input_must_be_utf_8(locale):
    done = shell(r"printf '{\"family\": \"\xff\"}' | $0 solve -", LC_ALL=locale)
    assert (done.returncode, done.stderr) == (2, b"algoworlds: cannot read -: it is not UTF-8 text\n")


def test_odd_paths_are_one_line(tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for path in (tmp_path / "loop", "x" * 5_000, "a\x1b[31m\nb", tmp_path / "a" / "b", "/dev/null/x"):
        done = run_here("solve", path)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), path
        assert done.stderr.startswith("algoworlds: cannot read ")
        assert len(done.stderr) < 200
        assert "\x1b" not in done.stderr


def test_long_words_of_the_command_line_are_shortened():
    for words in (["x" * 5_000], ["generate", "x" * 5_000], ["play", "y" * 5_000], ["solve", "a", "--" + "x" * 5_000]):
        done = run_here(*words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert len(done.stderr) < 500
