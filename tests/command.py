"""The command line, and Python itself, in processes of their own; and how to wait for what they do."""

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
"""Seconds after which a wait is a hang. No test measures a machine by it: whatever is right comes long before, at any load."""
HEARD = ("env", "--default-signal=INT,TERM,HUP")
"""Before a command: it hears the signals that whoever started the tests had them ignore, as nohup does."""


def run(*arguments, stdin=None, preexec_fn=None, cwd=None, **environment):
    """What the command line says and how it ends, with some environment variables set."""
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
    """As `run`, in this process: the same command, streams and exit code, without a second or two of starting Python.

    For what lies behind the start: the many mistakes that are one line each. How a command starts is `run`'s to show.
    """
    from algoworlds.batch import INTERRUPTIONS
    from algoworlds.cli import main

    streams = {"stdin": _stream(stdin), "stdout": _stream(), "stderr": _stream()}
    handlers, commands = {number: signal.getsignal(number) for number in INTERRUPTIONS}, _commands()
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
    """All commands, put together once: typer does it at every call, which takes longer than most mistakes."""
    from typer.main import get_command

    from algoworlds.cli import app

    return get_command(app)


def _stream(text=""):
    return TextIOWrapper(BytesIO(text.encode()), encoding="utf-8")


def _text(stream):
    stream.flush()
    return stream.buffer.getvalue().decode()


def started(*order, **options):
    """A process under way that hears signals; what it says is kept."""
    command = [*HEARD, *map(str, order)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def python(code, **environment):
    """What a piece of Python prints in a fresh interpreter, where these tests can be imported."""
    order, variables = [sys.executable, "-c", code], os.environ | environment
    done = subprocess.run(order, capture_output=True, text=True, check=False, cwd=ROOT, env=variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def until(condition, process=None):
    """Wait until a condition holds, while the process that is to bring it about goes on."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < end, "this never came about"
        time.sleep(0.03)


def waiting_signals(process):
    """The signals, as bits, that were sent to a process and have not reached it yet, or that it holds off."""
    told = dict(line.split(":\t", 1) for line in Path(f"/proc/{process.pid}/status").read_text().splitlines())
    return int(told["SigPnd"], 16) | int(told["ShdPnd"], 16) | int(told["SigBlk"], 16)
