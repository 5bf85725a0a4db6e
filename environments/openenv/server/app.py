"""The server: `ALGOWORLDS_SUITE=suite server --port 8000`, or `ALGOWORLDS_SEED=1` for a stream of fresh worlds.

Environment variables say what is served: ALGOWORLDS_SUITE or ALGOWORLDS_SEED; ALGOWORLDS_WORLDS, _FAMILIES, _LEVELS,
_INTERFACES and _SPLIT select worlds; ALGOWORLDS_REWARD is the reward at the end of an episode,
ALGOWORLDS_SHAPING what steps pay before; ALGOWORLDS_SESSIONS is the
maximum number of concurrent sessions; ALGOWORLDS_HOSTS names further hosts that requests may use, `*` allows any.
"""

import argparse
import os
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from typing import Any

from fastapi import FastAPI
from fastapi.responses import PlainTextResponse
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation

from algoworlds.adapters.world_source import WorldSource, split_values, world_source
from algoworlds.errors import InputError, quote_value
from algoworlds.measures.rewards import SHAPINGS, find_reward
from algoworlds.runs.external.access import LOCAL_HOSTS, origin_problem

try:
    from ..models import WorldObservation
    from .algoworlds_environment import AlgoWorldsEnvironment
except ImportError:  # OpenEnv starts `server.app` from this folder
    from models import WorldObservation
    from server.algoworlds_environment import AlgoWorldsEnvironment

WARM_UP_NUMBERS = 256
"""Numbers that are tried to find a world of every family."""
SELECTION = ("suite", "seed", "worlds", "families", "levels", "interfaces", "split", "track")


def read_variables(*names: str) -> dict[str, str]:
    """The ALGOWORLDS_ environment variables `names` that are set."""
    values = {name: os.environ.get(f"ALGOWORLDS_{name.upper()}") for name in names}
    return {name: value for name, value in values.items() if value}


class HostCheck:
    """ASGI middleware: refuses requests to a foreign `Host` or from a foreign page, as the pages of a browser may send them."""

    def __init__(self, app: Callable[..., Awaitable[None]], hosts: Collection[str]) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Hand the request on, or refuse it: 421 or 403, for a websocket before it is accepted."""
        if scope["type"] in ("http", "websocket"):
            headers = [(name.lower(), value.decode("latin-1")) for name, value in scope["headers"]]
            hosts, origins = ([value for name, value in headers if name == wanted] for wanted in (b"host", b"origin"))
            refusal = origin_problem(self._hosts, hosts, origins)
            if refusal is not None and scope["type"] == "websocket":
                await receive()
                await send({"type": "websocket.close", "code": 1008, "reason": refusal.phrase})
                return
            if refusal is not None:
                await PlainTextResponse(refusal.phrase, refusal.value)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def warm_up(source: WorldSource, reward: str) -> None:
    """Play one world of each family without a call, so that no client waits while kernels are compiled."""
    waiting, limit = set(source.families), source.size or WARM_UP_NUMBERS
    for number in range(min(limit, WARM_UP_NUMBERS)):
        if not waiting:
            break
        play = source.play(number)
        if play.entry.family in waiting:
            play.reward(reward)
            waiting.remove(play.entry.family)


def build_app(
    source: WorldSource, reward: str = "exact", sessions: int = 64, hosts: Collection[str] = (), shaping: str | None = None
) -> FastAPI:
    """The application that serves `source`, with an environment for each session; `hosts` are names besides the local ones."""
    find_reward(reward)
    if shaping is not None and shaping not in SHAPINGS:
        raise InputError(f"there is no shaping {quote_value(shaping)}; choose from {', '.join(SHAPINGS)}, or none")
    warm_up(source, reward)
    app = create_app(
        partial(AlgoWorldsEnvironment, source, reward, shaping),
        CallToolAction,
        CallToolObservation,
        env_name="algoworlds_env",
        max_concurrent_envs=sessions,
        reset_observation_cls=WorldObservation,
    )
    if "*" not in hosts:
        app.add_middleware(HostCheck, hosts=(*LOCAL_HOSTS, *(host.lower() for host in hosts)))
    return app


def __getattr__(name: str) -> FastAPI:
    """`app` for `uvicorn server.app:app`, built from the environment variables on access."""
    if name != "app":
        raise AttributeError(name)
    sessions = int(os.environ.get("ALGOWORLDS_SESSIONS", "64"))
    hosts = split_values(os.environ.get("ALGOWORLDS_HOSTS"))
    return build_app(
        world_source(**read_variables(*SELECTION)), **read_variables("reward", "shaping"), sessions=sessions, hosts=hosts
    )


def main() -> None:
    """Serve until interrupted, on the loopback interface by default."""
    import uvicorn

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    options = parser.parse_args()
    uvicorn.run(__getattr__("app"), host=options.host, port=options.port)


if __name__ == "__main__":
    main()
