"""The command line, and Python itself, in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

COMMAND = str(Path(sys.executable).parent / "algoworlds")
ROOT = Path(__file__).parents[1]


def run(*arguments, stdin=None, timeout=300, preexec_fn=None, **environment):
    """What the command line says and how it ends, with some environment variables set."""
    return subprocess.run(
        [COMMAND, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout,
        preexec_fn=preexec_fn,
        env=os.environ | environment,
    )


def python(code, **environment):
    """What a piece of Python prints in a fresh interpreter, where these tests can be imported."""
    order, variables = [sys.executable, "-c", code], os.environ | environment
    return subprocess.run(order, capture_output=True, text=True, check=True, cwd=ROOT, env=variables).stdout
