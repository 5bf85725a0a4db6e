"""Served runs: in a thread of this process (quick), or by the command (can be killed)."""

import asyncio
import json
import re
from contextlib import contextmanager
from threading import Event, Thread

from algoworlds.adapters.mcp.service import RUN_SETTINGS, Service
from algoworlds.adapters.mcp.tickets import Tickets
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.access import open_listener
from algoworlds.runs.schedule import Experiment
from algoworlds.suites.record import PlayerKind
from tests.command import COMMAND, PATIENCE, start_process


def begin_run(suite, worlds, out, trials=1):
    """Create a run for agents that connect by themselves."""
    directory = RunDirectory(out)
    experiment = Experiment.from_suite(
        "mcp", PlayerKind.EXTERNAL, RUN_SETTINGS, suite, [suite.entry(world) for world in worlds], trials
    )
    with directory.lock():
        directory.create_or_resume(experiment, suite.directory)
    return directory


def urls(directory):
    """The URLs of the tickets that have not been handed out, by evaluation name."""
    tickets = Tickets(directory)
    return {slot.name: url_of(tickets.path(slot)) for slot in directory.schedule if tickets.path(slot).exists()}


def url_of(ticket):
    return json.loads(ticket.read_text())["mcpServers"]["algoworlds"]["url"]


@contextmanager
def serve_in_thread(service):
    """Serve a run over HTTP in a thread; yields its URLs by evaluation name."""
    ready, leave = Event(), {}

    async def serve(listener):
        leave["loop"], leave["event"] = asyncio.get_running_loop(), asyncio.Event()
        async with service.listening(listener):
            ready.set()
            await leave["event"].wait()

    with service.directory.lock(), open_listener("127.0.0.1", 0) as listener:
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
def serve_worlds(suite, worlds, out, trials=1):
    """Serve `worlds` over HTTP in a thread; yields their URLs by evaluation name."""
    with serve_in_thread(Service(begin_run(suite, worlds, out, trials), suite)) as url_by_name:
        yield url_by_name


@contextmanager
def serve_by_command(*arguments):
    """The running serve command; killed at the end."""
    process = start_process(COMMAND, "serve", "--trials", 1, *arguments)
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
