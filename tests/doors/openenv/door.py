"""OpenEnv as a door: a server in a thread, and a session over its own client for each agent."""

import asyncio
from contextlib import ExitStack, contextmanager
from threading import Thread
from unittest.mock import patch

import uvicorn
from algoworlds_env import AlgoWorldsEnv, CallToolAction
from algoworlds_env.server import app as serving

from algoworlds.adapters.syllabus import syllabus
from tests.command import PATIENCE
from tests.doors.doors import AtHome, Door, Host, objects


async def awaited(work):
    """OpenEnv's clients see by the loop that calls them whether they are to be waited for."""
    return await work()


@contextmanager
def loop():
    """An event loop in a thread: what runs coroutines for who has none."""
    running = asyncio.new_event_loop()
    thread = Thread(target=running.run_forever)
    thread.start()
    try:
        yield lambda work: asyncio.run_coroutine_threadsafe(awaited(work), running).result(PATIENCE)
    finally:
        running.call_soon_threadsafe(running.stop)
        thread.join(PATIENCE)
        running.close()


@contextmanager
def served(suite, **chosen):
    """The address of a server of a suite's worlds, and every environment that it makes for a session."""
    made = []

    class Watched(serving.AlgoWorldsEnvironment):
        def __init__(self, *given):
            super().__init__(*given)
            made.append(self)

    with patch.object(serving, "AlgoWorldsEnvironment", Watched):
        application = serving.served(syllabus(suite.directory), **chosen)
    server = uvicorn.Server(uvicorn.Config(application, port=0, log_level="critical"))
    with loop() as run:
        serve = Thread(target=lambda: run(server.serve))
        serve.start()
        try:
            while not server.started:
                serve.join(0.01)
                assert serve.is_alive()
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", made
        finally:
            server.should_exit = True
            serve.join(PATIENCE)


class Session(Host):
    """An agent in a session: one call after the other are steps, and those at the same time go through MCP."""

    def __init__(self, client, run, number):
        self.client, self.run = client, run
        told = run(lambda: client.reset(index=number)).observation
        self.question, self.tools, self.budget = told.question, told.tools, told.budget

    def call(self, tool, arguments=None):
        _, parsed = objects((tool, arguments), [])
        return self.run(lambda: self.client.step(CallToolAction(tool_name=tool, arguments=parsed))).observation.result

    def together(self, calls):
        async def all_of_them():
            return await asyncio.gather(*(self.client.call_tool(tool, **arguments) for tool, arguments in calls))

        return self.run(all_of_them)


class Parlour(AtHome):
    """The agents of one server."""

    def __init__(self, guests, made):
        super().__init__(guests)
        self.made = made

    def record(self, world):
        (play,) = (each._play for each in self.made if each._play is not None and each._play.entry.id == world)
        return play.record()


@contextmanager
def in_openenv(suite, worlds, out):
    numbers = {entry.id: number for number, entry in enumerate(suite.manifest.worlds)}
    with ExitStack() as stack:
        url, made = stack.enter_context(served(suite))
        run = stack.enter_context(loop())
        clients = {world: AlgoWorldsEnv(base_url=url) for world in worlds}
        for client in clients.values():
            run(client.connect)
            stack.callback(lambda client=client: run(client.close))
        yield Parlour({world: Session(client, run, numbers[world]) for world, client in clients.items()}, made)


DOORS = (Door("openenv", in_openenv, read=objects),)
