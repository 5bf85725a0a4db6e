"""Ctrl-C at any moment of any command: exit code 130, no traceback, and one line that says how to go on (B3)."""

import os
import signal

import pytest

from algoworlds import batch
from algoworlds.cli.interruption import second_thoughts
from algoworlds.core.kernel import kernel
from algoworlds.errors import interrupted
from algoworlds.worlds import admit
from tests.command import COMMAND, PATIENCE, run_here, started, until, waiting_signals
from tests.runs.play import built

ON, ANEW = "run the same command again to go on from here", "run the same command again to start over"
SMALL = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "2")


@pytest.fixture(autouse=True)
def heard():
    """Interruptions are heard, however the tests were started: in the background a shell has them ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A small suite with a run that nobody has judged."""
    root = tmp_path_factory.mktemp("interrupted")
    built(root / "suite")
    done = run_here("run", "--suite", root / "suite", "--agent", "greedy", "--out", root / "greedy", "--trials", 1)
    assert done.returncode == 0, done.stderr
    return root


COMMANDS = {
    "build": (("build", "--out", "{new}", *SMALL), ON),
    "validate": (("validate", "{place}/suite"), ANEW),
    "stats": (("stats", "{place}/suite"), ANEW),
    "attack": (("attack", "--out", "{new}", *SMALL[:4], "--instances", "1", "--budget", "10", "--no-prior"), ON),
    "judge": (("judge", "{place}/greedy"), ON),
    "report": (("report", "{place}/greedy", "--out", "{new}"), ANEW),
    "verify-run": (("verify-run", "{place}/greedy"), ANEW),
    "rescore": (("rescore", "{place}/greedy"), ANEW),
    "family check": (("family", "check", "fleet_dispatch", "--levels", "0", "--instances", "1"), ANEW),
    "stream": (("stream", "--families", "fleet_dispatch", "--levels", "0", "--count", "2", "--out", "{new}.jsonl"), ON),
    "demo": (("demo", "--jobs", "1", "--out", "{new}"), ANEW),
    "generate": (("generate", "fleet_dispatch", "--level", "0"), ANEW),
    "world show": (("world", "show", "fleet_dispatch-0-1"), ANEW),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_an_interruption_is_one_line(name, place, tmp_path, monkeypatch):
    """In the first task of whatever works task by task, and in admission, which everything else begins with."""
    words, how = COMMANDS[name]
    heard = []

    def ctrl_c(*_):
        heard.append(name)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(batch, "_undisturbed", ctrl_c)
    monkeypatch.setattr(admit, "admit", ctrl_c)
    done = run_here(*(word.format(place=place, new=tmp_path / "new") for word in words))
    assert (heard, done.returncode) == ([name], 130)
    assert done.stderr.splitlines()[-1] == f"algoworlds: interrupted: {how}"
    assert "Traceback" not in done.stderr + done.stdout


def test_a_run_that_is_interrupted_says_how_to_go_on(place, tmp_path, monkeypatch):
    monkeypatch.setattr(batch, "_undisturbed", lambda *_: signal.raise_signal(signal.SIGINT))
    done = run_here("run", "--suite", place / "suite", "--agent", "greedy", "--out", tmp_path / "run")
    assert (done.returncode, done.stderr) == (130, f"stopped: interrupted\n{ON}\n")


@pytest.mark.parametrize("disguise", [SystemError, ValueError])
def test_compiled_code_hides_no_interruption(disguise):
    """Numba's dispatcher ends in a SystemError whose cause is the interruption; its compiler wraps that once more."""

    def disguised():
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as problem:
            raise disguise("returned a result with an exception set") from problem

    made = kernel(disguised)
    made._compiled = disguised
    with pytest.raises(KeyboardInterrupt):
        made()
    made._compiled = lambda: 1 // 0
    with pytest.raises(ZeroDivisionError):
        made()


def test_what_was_no_interruption_stays_what_it_was():
    assert not interrupted(None)
    assert not interrupted(SystemError())


def test_an_interruption_that_python_drops_comes_again():
    class Dropping:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    with second_thoughts():
        Dropping()  # what its finalizer raises cannot leave it
        with pytest.raises(KeyboardInterrupt):
            until(lambda: False)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_build_is_interrupted_wherever_it_is(jobs, tmp_path):
    """In a process of its own, as from a terminal, while kernels are compiled or run."""
    order = ("build", "--out", tmp_path / "suite", "--jobs", jobs, "--levels", "1", "--instances", "40")
    process = started(COMMAND, *order, start_new_session=True)
    until(lambda: (tmp_path / "suite" / ".build" / "suite").is_file() and not waiting_signals(process), process)
    os.killpg(process.pid, signal.SIGINT)
    told, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, told) == (130, "")
    assert errors.splitlines()[-1:] == [f"algoworlds: interrupted: {ON}"]
    assert "Traceback" not in errors
