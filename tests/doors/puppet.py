"""A remote-controlled agent: it receives its calls through the socket in the environment variable PUPPET."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Client
from pathlib import Path


def play(world):
    with Client(os.environ["PUPPET"], "AF_UNIX") as strings:
        strings.send({"question": world.question, "tools": world.tools, "budget": world.budget, "pid": os.getpid()})
        while (order := strings.recv()) is not None:
            if order == "memory":
                strings.send(list(memory()))
                continue
            with ThreadPoolExecutor(len(order)) as pool:
                strings.send([observation.text for observation in pool.map(lambda call: world.call(*call), order)])


def memory():
    """Every writable page of this process, and so everything that Python holds."""
    with Path("/proc/self/maps").open() as maps:
        places = [re.match(r"([0-9a-f]+)-([0-9a-f]+) rw\S+ \S+ \S+ \S+\s*(.*)", line) for line in maps]
    with Path("/proc/self/mem").open("rb") as mem:
        for place in places:
            if place is not None and not place[3].startswith("[v"):
                mem.seek(int(place[1], 16))
                yield mem.read(int(place[2], 16) - int(place[1], 16))
