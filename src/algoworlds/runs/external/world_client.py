"""The agent's side of a Python evaluation: its own process, which receives question, tools and budget and nothing else.

`python -m algoworlds.runs.external.world_client DESCRIPTOR` reads what to play from an inherited socket, loads the agent's
function, lets it play, and reports how that ended. Calls go through the socket one by one. The watchdog that started this
process ends it when the run is gone.
"""

import asyncio
import json
import os
import sys
import traceback
from contextlib import suppress
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

from algoworlds.core.canonical import JsonObject
from algoworlds.core.tool import call_from_input, truncate_call
from algoworlds.worlds.observation import Observation, Status


class Connection:
    """The socket to the parent process: requests and answers, paired by number, from any thread."""

    def __init__(self, connected: socket) -> None:
        connected.set_inheritable(False)
        self._socket, self._lines = connected, connected.makefile("rb")
        self._lock, self._numbers = Lock(), count()
        self._waiting: dict[int, SimpleQueue[JsonObject]] = {}

    def read_opening(self) -> JsonObject:
        """What to play; from now on, this process ends when its connection is closed or holds anything but answers."""
        opening: JsonObject = json.loads(self._lines.readline() or b"{}")
        Thread(target=self._listen, daemon=True).start()
        return opening

    def _listen(self) -> None:
        try:
            for line in self._lines:
                answer = json.loads(line)
                self._waiting.pop(answer["number"]).put(answer)
        except (ValueError, TypeError, LookupError):  # the agent has read from the socket or written to it
            with suppress(OSError):
                self.send({"failed": "it used its connection to the run, which is not its own"})
        finally:
            os._exit(1)

    def request(self, message: JsonObject) -> JsonObject:
        """The answer to a message."""
        number, answers = next(self._numbers), SimpleQueue[JsonObject]()
        self._waiting[number] = answers
        self.send({"number": number} | message)
        return answers.get()

    def send(self, message: JsonObject) -> None:
        """Send a message that has no answer."""
        with self._lock:
            self._socket.sendall(json.dumps(message).encode() + b"\n")


class WorldClient:
    """A world as an agent sees it: read `question`, `tools` and `budget`, act with `call`; `done` is set at the end.

    `tools` have a name, a description and the JSON schema of their `parameters`, as model APIs take them.
    """

    def __init__(self, connection: Connection, question: str, tools: list[JsonObject], budget: int) -> None:
        self._connection, self.question, self.tools, self.budget, self.done = connection, question, tools, budget, False

    def call(self, tool: str, arguments: Any = None) -> Observation:
        """Call `tool` with parsed arguments or JSON text; returns `status`, `charged`, and the answer as `text` and `json`.

        Any input is answered; nothing raises. Threads may call at the same time: each call is made and charged.
        """
        answer = self._connection.request(truncate_call(call_from_input(tool, arguments))._asdict())
        self.done = answer["done"]
        return Observation(Status(answer["status"]), answer["charged"], answer["text"])


def load_module(location: str, folder: str) -> ModuleType:
    """The agent's module: a .py file, or a module name that is searched in `folder` first."""
    sys.path.insert(0, folder)
    if not location.endswith(".py"):
        return import_module(location)
    name = Path(location).stem
    spec = spec_from_file_location(name, location)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(descriptor: int) -> None:
    """Play what the connection says, and report how it ended."""
    os.setsid()
    connection = Connection(socket(fileno=descriptor))
    opening = connection.read_opening()
    try:
        module: Any = load_module(opening["location"], opening["folder"])
        function = reduce(getattr, opening["function"].split("."), module)
        if isgeneratorfunction(function) or isasyncgenfunction(function):
            raise TypeError("it yields, but an agent is called once: make every call and return")
        if "question" not in opening:
            connection.send({"file": module.__file__, "callable": callable(function)})
            return
        result = function(WorldClient(connection, opening["question"], opening["tools"], opening["budget"]))
        if isawaitable(result):
            asyncio.run(_await_result(result))
    except BaseException as problem:
        if not (isinstance(problem, SystemExit) and problem.code in (None, 0)):
            traceback.print_exc()
            connection.send({"failed": "".join(traceback.format_exception_only(problem)).strip()})
            return
    sys.stdout.flush()
    connection.send({"over": True})


async def _await_result(result: Any) -> None:
    await result


if __name__ == "__main__":
    main(int(sys.argv.pop()))
