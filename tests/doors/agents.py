"""Agents that fail, hang, print, exit, inspect their process, and sometimes play."""

import asyncio
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path


def nothing(world):
    """Returns at once."""


def submits(world, times=1):
    """Submits a well-formed but bad decision."""
    tool = world.tools[-1]
    name, schema = next(iter(tool["parameters"]["properties"].items()))
    for _ in range(times):
        world.call(tool["name"], {name: {} if schema["type"] == "object" else []})


def yields(world):
    """A generator: a mistake that could be taken for an idle agent."""
    yield world.call("fly", {})


async def yields_asynchronously(world):
    yield world.call("fly", {})


def fails(world):
    world.call("fly", {})
    print("so far, so good")
    raise ValueError("a slip of the agent's")


def fails_after_submitting(world):
    submits(world)
    raise ValueError("too late to matter")


async def fails_asynchronously(world):
    await asyncio.sleep(0)
    world.call("fly", {})
    raise ValueError("a slip of the agent's")


async def submits_asynchronously(world):
    await asyncio.sleep(0)
    submits(world)


def leaves(world):
    world.call("fly", {})
    sys.exit()


def exits_with_message(world):
    sys.exit("enough")


def vanishes(world):
    os._exit(3)


def imports_missing_module(world):
    import not_there  # noqa: F401


def dies(world):
    """Is killed before its first call."""
    os.kill(os.getpid(), signal.SIGKILL)


def dies_by_real_time_signal(world):
    """Is ended by a signal without a name."""
    world.call("fly", {})
    os.kill(os.getpid(), signal.SIGRTMIN + 3)


def sends_message_of_its_own(world):
    """Writes a well-formed message to its connection, whose answer it does not expect."""
    world.call("fly", {})
    os.write(connection(), b'{"tool": "swim", "arguments": "{}"}\n')
    time.sleep(10**6)


def shuts_its_connection_down(world):
    world.call("fly", {})
    with socket.socket(fileno=os.dup(connection())) as copy:
        copy.shutdown(socket.SHUT_RDWR)
    time.sleep(10**6)


def crashes(world):
    os.kill(os.getpid(), signal.SIGSEGV)


def is_killed_at_first(world):
    """Is killed the first time, as by an operator or the system."""
    world.call("fly", {})
    mark = Path(os.environ["MARKS"]) / str(hash(world.question))
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    submits(world)


def hangs(world):
    world.call("fly", {})
    time.sleep(10**6)


def hangs_after_submitting(world):
    submits(world)
    time.sleep(10**6)


def chatters(world):
    print("the beginning")
    for _ in range(3_000):
        print("x" * 1_000)
    print("the end", file=sys.stderr)
    submits(world)


def leaves_a_child(world):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(10**6)"])
    print(child.pid)
    submits(world)


def leaves_a_server(world):
    """Starts an orphan in another session, like a server that outlives its terminal."""
    code = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(10**6)']).pid)"
    subprocess.run([sys.executable, "-c", code], start_new_session=True, check=True)


def leaves_a_hidden_server(world):
    """Starts a daemon in a session of its own, whose environment says nothing."""
    command = "setsid env -i sleep 1000 > /dev/null 2>&1 & echo $!"
    print(subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, text=True, check=True).stdout, end="")


def writes_other_data(world):
    """Finds its connection and writes bytes that are not a message."""
    world.call("fly", {})
    os.write(connection(), b"\xff{]\n")
    time.sleep(10**6)


def connection():
    """The descriptor of the agent's connection to the run."""
    return next(int(name) for name, target in descriptors().items() if target.startswith("socket:"))


def descriptors():
    """The open files of this process, except the listing itself."""
    return {link.name: str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}


def plays(world):
    """Leaves a file with its process id, makes calls, then submits."""
    (Path(os.environ["MARKS"]) / f"pid-{os.getpid()}").touch()
    for _ in range(12):
        world.call(world.tools[0]["name"], "{")
    submits(world)


def looks_around(world):
    """Prints everything that it can find."""
    frames, frame = [], sys._getframe()
    while frame is not None:
        frames.append(frame.f_code.co_filename)
        frame = frame.f_back
    kinds = {f"{type(get_object).__module__}.{type(get_object).__qualname__}" for get_object in gc.get_objects()}
    report = {
        "modules": [name for name in sys.modules if name.split(".")[0] in ("algoworlds", "numpy", "numba")],
        "kinds": [name for name in kinds if name.startswith("algoworlds")],
        "descriptors": descriptors(),
        "environment": dict(os.environ),
        "frames": frames,
        "arguments": sys.argv,
        "path": sys.path,
        "folder": [str(Path.cwd()), list(map(str, Path.cwd().iterdir()))],
        "parent": os.getppid(),
        "group": os.getpgrp() == os.getpid(),
        "attributes": sorted(name for name in vars(world)),
    }
    print(json.dumps(report))
    submits(world)


class Holder:
    """An agent may be a static method."""

    @staticmethod
    def submits(world):
        submits(world)


number = 3
