"""The OpenEnv adapter for the contract tests: a server in a thread, and a client session for each agent."""

import asyncio
from contextlib import ExitStack, contextmanager
from threading import Thread
from unittest.mock import patch

import uvicorn
from algoworlds_env import AlgoWorldsEnv, CallToolAction
from algoworlds_env.server import app as serving

from algoworlds.adapters.world_source import world_source
from tests.command import PATIENCE
from tests.doors.adapters import Adapter, InProcessAgent, InProcessGroup, parse_object


async def await_work(work):
    """OpenEnv's clients decide by the calling loop whether they return an awaitable."""
    return await work()


@contextmanager
def loop():
    """An event loop in a thread; yields a function that runs a coroutine function in it."""
    running = asyncio.new_event_loop()
    thread = Thread(target=running.run_forever)
    thread.start()
    try:
        yield lambda work: asyncio.run_coroutine_threadsafe(await_work(work), running).result(PATIENCE)
    finally:
        running.call_soon_threadsafe(running.stop)
        thread.join(PATIENCE)
        running.close()


@contextmanager
def serve(suite, **chosen):
    """Serve a suite's worlds; yields the URL and the list of the environments created for sessions."""
    created = []

    class Watched(serving.AlgoWorldsEnvironment):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            created.append(self)

    with patch.object(serving, "AlgoWorldsEnvironment", Watched):
        application = serving.build_app(world_source(suite.directory, track=suite.track.name), **chosen)
    server = uvicorn.Server(uvicorn.Config(application, port=0, log_level="critical"))
    with loop() as run:
        serve = Thread(target=lambda: run(server.serve))
        serve.start()
        try:
            while not server.started:
                serve.join(0.01)
                assert serve.is_alive()
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", created
        finally:
            server.should_exit = True
            serve.join(PATIENCE)


class SessionAgent(InProcessAgent):
    """An agent in a session: sequential calls are steps, concurrent calls go through MCP."""

    def __init__(self, client, run, number):
        self.client, self.run = client, run
        start = run(lambda: client.reset(index=number)).observation
        self.question, self.tools, self.budget = start.question, start.tools, start.budget

    def call(self, tool, arguments=None):
        _, parsed = parse_object((tool, arguments), [])
        return self.run(lambda: self.client.step(CallToolAction(tool_name=tool, arguments=parsed))).observation.result

    def call_concurrently(self, calls):
        async def call_all():
            return await asyncio.gather(*(self.client.call_tool(tool, **arguments) for tool, arguments in calls))

        return self.run(call_all)


class SessionGroup(InProcessGroup):
    """The agents of one server."""

    def __init__(self, agents, environments):
        super().__init__(agents)
        self.environments = environments

    def record(self, world):
        (play,) = (env._play for env in self.environments if env._play is not None and env._play.entry.id == world)
        return play.record()


@contextmanager
def connect_in_openenv(suite, worlds, out):
    numbers = {entry.id: number for number, entry in enumerate(suite.manifest.worlds)}
    with ExitStack() as stack:
        url, created = stack.enter_context(serve(suite))
        run = stack.enter_context(loop())
        clients = {world: AlgoWorldsEnv(base_url=url) for world in worlds}
        for client in clients.values():
            run(client.connect)
            stack.callback(lambda client=client: run(client.close))
        yield SessionGroup({world: SessionAgent(client, run, numbers[world]) for world, client in clients.items()}, created)


ADAPTERS = (Adapter("openenv", connect_in_openenv, read=parse_object),)
