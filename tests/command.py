"""Run the command line and Python in processes of their own, and wait for them."""

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, chdir
from functools import cache
from io import BytesIO, TextIOWrapper
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

COMMAND = str(Path(sys.executable).parent / "algoworlds")
ROOT = Path(__file__).parents[1]
PATIENCE = 900.0
"""Seconds after which a wait counts as a hang; far more than any correct run takes under load."""
HEARD = ("env", "--default-signal=INT,TERM,HUP")
"""Command prefix that restores default signal handling, in case the tests were started with signals ignored (nohup)."""


def run(*arguments, stdin=None, preexec_fn=None, cwd=None, **environment):
    """Run the command line in a new process with extra environment variables; return its output and exit code."""
    return subprocess.run(
        [COMMAND, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        preexec_fn=preexec_fn,
        cwd=cwd,
        env=os.environ | environment,
    )


def run_here(*arguments, stdin="", cwd=".", **environment):
    """Like `run`, but in this process, which saves the one or two seconds of starting Python.

    For the many tests of one-line errors. How a command starts is tested by `run`.
    """
    from algoworlds.batch import STOP_SIGNALS
    from algoworlds.cli import main

    streams = {"stdin": _stream(stdin), "stdout": _stream(), "stderr": _stream()}
    handlers, commands = {number: signal.getsignal(number) for number in STOP_SIGNALS}, _commands()
    with chdir(cwd), ExitStack() as stack:
        for name, value in streams.items():
            stack.enter_context(patch.object(sys, name, value))
        stack.enter_context(patch("typer.main.get_command", lambda app: commands))
        stack.enter_context(patch.object(sys, "argv", [COMMAND, *map(str, arguments)]))
        stack.enter_context(patch.dict(os.environ, environment))
        try:
            main()
        except SystemExit as end:
            code = end.code
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    return CompletedProcess(arguments, code, _text(streams["stdout"]), _text(streams["stderr"]))


@cache
def _commands():
    """Build all commands once: typer does it at every call, which takes longer than most of these tests."""
    from typer.main import get_command

    from algoworlds.cli import app

    return get_command(app)


def _stream(text=""):
    return TextIOWrapper(BytesIO(text.encode()), encoding="utf-8")


def _text(stream):
    stream.flush()
    return stream.buffer.getvalue().decode()


def start_process(*arguments, **options):
    """Start a process with default signal handling and captured output."""
    command = [*HEARD, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def python(code, **environment):
    """Run `code` in a fresh Python that can import these tests; return what it prints."""
    command, variables = [sys.executable, "-c", code], os.environ | environment
    result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=variables)
    assert result.returncode == 0, result.stderr
    return result.stdout


def until(condition, process=None):
    """Wait until `condition()` holds; fail if `process` ends before."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < end, "the condition never became true"
        time.sleep(0.03)


def waiting_signals(process):
    """Return the bit mask of signals that are pending for `process` or blocked by it."""
    fields = dict(line.split(":\t", 1) for line in Path(f"/proc/{process.pid}/status").read_text().splitlines())
    return int(fields["SigPnd"], 16) | int(fields["ShdPnd"], 16) | int(fields["SigBlk"], 16)
