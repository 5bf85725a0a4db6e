"""A remote-controlled agent: it receives its calls through the socket in the environment variable REMOTE_AGENT."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Client
from pathlib import Path


def play(world):
    with Client(os.environ["REMOTE_AGENT"], "AF_UNIX") as connection:
        connection.send({"question": world.question, "tools": world.tools, "budget": world.budget, "pid": os.getpid()})
        while (command := connection.recv()) is not None:
            if command == "memory":
                connection.send(list(memory()))
                continue
            with ThreadPoolExecutor(len(command)) as pool:
                connection.send([observation.text for observation in pool.map(lambda call: world.call(*call), command)])


def memory():
    """Every writable page of this process, and so everything that Python holds."""
    with Path("/proc/self/maps").open() as maps:
        regions = [re.match(r"([0-9a-f]+)-([0-9a-f]+) rw\S+ \S+ \S+ \S+\s*(.*)", line) for line in maps]
    with Path("/proc/self/mem").open("rb") as mem:
        for region in regions:
            if region is not None and not region[3].startswith("[v"):
                mem.seek(int(region[1], 16))
                yield mem.read(int(region[2], 16) - int(region[1], 16))
