"""A run that is served: in a thread of this process, where it is quick, or by the command, where it can be killed."""

import asyncio
import json
import re
from contextlib import contextmanager
from threading import Event, Thread

from algoworlds.adapters.mcp.serving import SETTINGS, Service
from algoworlds.adapters.mcp.tickets import Tickets
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.access import bound
from algoworlds.runs.schedule import Experiment
from algoworlds.suites.record import Kind
from tests.command import COMMAND, PATIENCE, started


def begun(suite, worlds, out, trials=1):
    """A run for agents from elsewhere."""
    directory = RunDirectory(out)
    experiment = Experiment.of("mcp", Kind.EXTERNAL, SETTINGS, suite, [suite.entry(world) for world in worlds], trials)
    with directory.locked():
        directory.begin(experiment, suite.directory)
    return directory


def urls(directory):
    """The addresses on the tickets of a run that have not been handed out, by the names of its evaluations."""
    tickets = Tickets(directory)
    return {slot.name: url_of(tickets.path(slot)) for slot in directory.schedule if tickets.path(slot).exists()}


def url_of(ticket):
    return json.loads(ticket.read_text())["mcpServers"]["algoworlds"]["url"]


@contextmanager
def in_thread(service):
    """Serve a run over HTTP in a thread; its addresses by name."""
    ready, leave = Event(), {}

    async def serve(listener):
        leave["loop"], leave["event"] = asyncio.get_running_loop(), asyncio.Event()
        async with service.listening(listener):
            ready.set()
            await leave["event"].wait()

    with service.directory.locked(), bound("127.0.0.1", 0) as listener:
        Tickets(service.directory).issue(f"http://127.0.0.1:{listener.getsockname()[1]}")
        thread = Thread(target=asyncio.run, args=[serve(listener)])
        thread.start()
        try:
            assert ready.wait(PATIENCE)
            yield urls(service.directory)
        finally:
            leave["loop"].call_soon_threadsafe(leave["event"].set)
            thread.join(PATIENCE)


@contextmanager
def at(suite, worlds, out, trials=1):
    """Serve some worlds over HTTP in a thread."""
    with in_thread(Service(begun(suite, worlds, out, trials), suite)) as found:
        yield found


@contextmanager
def by_command(*arguments):
    """The command that serves, once it does; whoever leaves ends it."""
    process = started(COMMAND, "serve", *arguments)
    try:
        lines = []
        while "Serving" not in (line := process.stdout.readline()):
            assert line, process.communicate()
            lines.append(line)
        process.base = re.search(r"http://\S+:\d+", "".join(lines))[0]
        yield process
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)
