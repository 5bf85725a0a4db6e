"""The agent's side of the door for Python: a process of its own, which is told question, tools and budget and nothing else.

`python -m algoworlds.runs.external.seat DESCRIPTOR` reads what to play from a socket that it has inherited, loads the agent's
function, lets it play, and says how that ended. Calls go through the socket one by one. When whoever started the process is
gone, so is the process, with all that it has started.
"""

import asyncio
import json
import os
import signal
import sys
import traceback
from functools import reduce
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import isasyncgenfunction, isawaitable, isgeneratorfunction
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from socket import socket
from threading import Lock, Thread
from types import ModuleType
from typing import Any

from algoworlds.core.given import given, shortened
from algoworlds.worlds.observation import Observation, Status


class Cord:
    """The socket to whoever evaluates: questions and their answers, paired by number, from any thread."""

    def __init__(self, connected: socket) -> None:
        connected.set_inheritable(False)
        self._socket, self._lines = connected, connected.makefile("rb")
        self._lock, self._numbers = Lock(), count()
        self._waiting: dict[int, SimpleQueue[dict[str, Any]]] = {}

    def opening(self) -> dict[str, Any]:
        """What is to be played; from now on the end of the cord is the end of this process."""
        told: dict[str, Any] = json.loads(self._lines.readline() or b"{}")
        Thread(target=self._listen, daemon=True).start()
        return told

    def _listen(self) -> None:
        try:
            for line in self._lines:
                answer = json.loads(line)
                self._waiting.pop(answer["number"]).put(answer)
        finally:  # the cord is cut, or was reset by somebody who died before hearing us out
            os.killpg(os.getpgrp(), signal.SIGKILL)

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """The answer to a message."""
        number, answered = next(self._numbers), SimpleQueue[dict[str, Any]]()
        self._waiting[number] = answered
        self.tell({"number": number} | message)
        return answered.get()

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message that has no answer."""
        with self._lock:
            self._socket.sendall(json.dumps(message).encode() + b"\n")


class Seat:
    """A world as an agent meets it: `question`, `tools` and `budget` to read, `call` to act, and `done` once it is over.

    `tools` are name, description and the JSON schema of the `parameters`, as model APIs take them.
    """

    def __init__(self, cord: Cord, question: str, tools: list[dict[str, Any]], budget: int) -> None:
        self._cord, self.question, self.tools, self.budget, self.done = cord, question, tools, budget, False

    def call(self, tool: str, arguments: Any = None) -> Observation:
        """Make a call, by parsed arguments or JSON text: its `status`, what was `charged`, and the answer as `text` and `json`.

        Whatever is given is answered; nothing raises. Threads may call at the same time: each call is made and charged.
        """
        answer = self._cord.ask(shortened(given(tool, arguments))._asdict())
        self.done = answer["done"]
        return Observation(Status(answer["status"]), answer["charged"], answer["text"])


def loaded(place: str, folder: str) -> ModuleType:
    """The module of an agent: a file, or a name that is looked for in a folder first."""
    sys.path.insert(0, folder)
    if not place.endswith(".py"):
        return import_module(place)
    name = Path(place).stem
    spec = spec_from_file_location(name, place)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(descriptor: int) -> None:
    """Play what the cord tells, and say how it ended."""
    cord = Cord(socket(fileno=descriptor))
    told = cord.opening()
    try:
        module: Any = loaded(told["place"], told["folder"])
        function = reduce(getattr, told["function"].split("."), module)
        if isgeneratorfunction(function) or isasyncgenfunction(function):
            raise TypeError("it yields, and nobody would go on with it: make every call and return")
        if "question" not in told:
            cord.tell({"file": module.__file__, "callable": callable(function)})
            return
        result = function(Seat(cord, told["question"], told["tools"], told["budget"]))
        if isawaitable(result):
            asyncio.run(_awaited(result))
    except BaseException as problem:
        if not (isinstance(problem, SystemExit) and problem.code in (None, 0)):
            traceback.print_exc()
            cord.tell({"failed": "".join(traceback.format_exception_only(problem)).strip()})
            return
    sys.stdout.flush()
    cord.tell({"over": True})


async def _awaited(result: Any) -> None:
    await result


if __name__ == "__main__":
    main(int(sys.argv.pop()))
