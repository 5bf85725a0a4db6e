"""Ctrl-C at any moment of any command: exit code 130, no traceback, and one line that says how to continue (B3)."""

import os
import signal

import pytest

from algoworlds import batch
from algoworlds.cli.interruption import retry_dropped_interrupts
from algoworlds.core.kernel import kernel
from algoworlds.errors import is_interrupt
from algoworlds.worlds import admission
from tests.command import COMMAND, PATIENCE, run_here, start_process, until, waiting_signals
from tests.runs.model_runs import build_small_suite

RESUME, RESTART = "run the same command again to go on from here", "run the same command again to start over"
SMALL = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "2")


@pytest.fixture(autouse=True)
def interrupts_enabled():
    """Handle SIGINT even if the tests run in the background of a shell, which has it ignored."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a small suite and a run that is not judged."""
    root = tmp_path_factory.mktemp("interrupted")
    build_small_suite(root / "suite")
    done = run_here("run", root / "suite", "--agent", "greedy", "--out", root / "greedy", "--trials", 1)
    assert done.returncode == 0, done.stderr
    return root


COMMANDS = {
    "build": (("build", "--out", "{new}", *SMALL), RESUME),
    "validate": (("validate", "{place}/suite"), RESTART),
    "stats": (("stats", "{place}/suite"), RESTART),
    "attack": (("attack", "--out", "{new}", *SMALL[:4], "--instances", "1", "--budget", "10", "--no-prior"), RESUME),
    "judge": (("judge", "{place}/greedy"), RESUME),
    "panel": (("panel", "{place}/greedy", "--out", "{new}"), RESTART),
    "verify-run": (("verify-run", "{place}/greedy"), RESTART),
    "rescore": (("rescore", "{place}/greedy"), RESTART),
    "family check": (("family", "check", "fleet_dispatch", "--levels", "0", "--instances", "1"), RESTART),
    "stream": (("stream", "--families", "fleet_dispatch", "--levels", "0", "--count", "2", "--out", "{new}.jsonl"), RESUME),
    "demo": (("demo", "--jobs", "1", "--out", "{new}"), RESTART),
    "generate": (("generate", "fleet_dispatch", "--level", "0"), RESTART),
    "world show": (("world", "show", "fleet_dispatch-0-1"), RESTART),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_interruption_is_one_line(name, place, tmp_path, monkeypatch):
    """In the first task of commands that work task by task, and in admission, with which all others begin."""
    words, advice = COMMANDS[name]
    interrupted = []

    def ctrl_c(*_):
        interrupted.append(name)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(batch, "_run_without_gc", ctrl_c)
    monkeypatch.setattr(admission, "admit", ctrl_c)
    done = run_here(*(word.format(place=place, new=tmp_path / "new") for word in words))
    assert (interrupted, done.returncode) == ([name], 130)
    assert done.stderr.splitlines()[-1] == f"algoworlds: interrupted: {advice}"
    assert "Traceback" not in done.stderr + done.stdout


def test_interrupted_run_says_how_to_continue(place, tmp_path, monkeypatch):
    monkeypatch.setattr(batch, "_run_without_gc", lambda *_: signal.raise_signal(signal.SIGINT))
    done = run_here("run", place / "suite", "--agent", "greedy", "--out", tmp_path / "run")
    assert (done.returncode, done.stderr) == (130, f"stopped: interrupted\n{RESUME}\n")


@pytest.mark.parametrize("disguise", [SystemError, ValueError])
def test_compiled_code_hides_no_interrupt(disguise):
    """Numba's dispatcher raises a SystemError caused by the KeyboardInterrupt; its compiler wraps that once more."""

    def raise_disguised():
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as problem:
            raise disguise("returned a result with an exception set") from problem

    compiled = kernel(raise_disguised)
    compiled._compiled = raise_disguised
    with pytest.raises(KeyboardInterrupt):
        compiled()
    compiled._compiled = lambda: 1 // 0
    with pytest.raises(ZeroDivisionError):
        compiled()


def test_other_errors_are_not_interrupts():
    assert not is_interrupt(None)
    assert not is_interrupt(SystemError())


def test_interrupt_that_python_drops_is_raised_again():
    class Dropping:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    with retry_dropped_interrupts():
        Dropping()  # Python drops what a finalizer raises
        with pytest.raises(KeyboardInterrupt):
            until(lambda: False)


@pytest.mark.parametrize("jobs", [1, 2])
def test_build_can_be_interrupted_at_any_time(jobs, tmp_path):
    """In its own process, as from a terminal, while kernels are compiled or run."""
    order = ("build", "--out", tmp_path / "suite", "--jobs", jobs, "--levels", "1", "--instances", "40")
    process = start_process(COMMAND, *order, start_new_session=True)
    until(lambda: (tmp_path / "suite" / ".build" / "suite").is_file() and not waiting_signals(process), process)
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, output) == (130, "")
    assert errors.splitlines()[-1:] == [f"algoworlds: interrupted: {RESUME}"]
    assert "Traceback" not in errors
