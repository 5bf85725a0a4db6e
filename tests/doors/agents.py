"""Agents that behave as agents do: they fail, hang, print, leave, look around, and sometimes play."""

import asyncio
import gc
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def nothing(world):
    """Returns at once."""


def submits(world, times=1):
    """Submits some decision, which is well-formed and no good."""
    tool = world.tools[-1]
    name, schema = next(iter(tool["parameters"]["properties"].items()))
    for _ in range(times):
        world.call(tool["name"], {name: {} if schema["type"] == "object" else []})


def yields(world):
    """A mistake that would pass for an agent that does nothing."""
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


def leaves_angrily(world):
    sys.exit("enough")


def vanishes(world):
    os._exit(3)


def crashes(world):
    os.kill(os.getpid(), signal.SIGSEGV)


def is_killed_at_first(world):
    """Ends by what an operator or the system would send, unless it is the second time."""
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
    """As servers are started that outlive a terminal, and then orphaned."""
    code = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(10**6)']).pid)"
    subprocess.run([sys.executable, "-c", code], start_new_session=True, check=True)


def writes_rubbish(world):
    """Finds its connection and writes what is no message."""
    world.call("fly", {})
    socket = next(int(name) for name, place in descriptors().items() if place.startswith("socket:"))
    os.write(socket, b"\xff{]\n")
    time.sleep(10**6)


def descriptors():
    """What this process has open, but for the listing itself."""
    return {each.name: str(each.readlink()) for each in Path("/proc/self/fd").iterdir() if each.is_symlink()}


def plays(world):
    """Reads what it is told to, then submits; says who it is before."""
    (Path(os.environ["MARKS"]) / f"pid-{os.getpid()}").touch()
    for _ in range(12):
        world.call(world.tools[0]["name"], "{")
    submits(world)


def looks_around(world):
    """Tells all that it can find."""
    frames, frame = [], sys._getframe()
    while frame is not None:
        frames.append(frame.f_code.co_filename)
        frame = frame.f_back
    kinds = {f"{type(each).__module__}.{type(each).__qualname__}" for each in gc.get_objects()}
    found = {
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
    print(json.dumps(found))
    submits(world)


class Holder:
    """Functions may stand anywhere in their module."""

    @staticmethod
    def submits(world):
        submits(world)


number = 3
