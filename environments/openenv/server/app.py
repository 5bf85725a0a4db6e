"""The server: `ALGOWORLDS_SUITE=suite server --port 8000`, or `ALGOWORLDS_SEED=1` for a stream of fresh worlds.

Environment variables say what is served: ALGOWORLDS_SUITE or ALGOWORLDS_SEED; ALGOWORLDS_WORLDS, _FAMILIES, _LEVELS,
_INTERFACES and _SPLIT select worlds; ALGOWORLDS_REWARD is the reward at the end of an episode; ALGOWORLDS_SESSIONS is the
maximum number of concurrent sessions.
"""

import argparse
import os
from functools import partial

from fastapi import FastAPI
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation

from algoworlds.adapters.world_source import WorldSource, world_source
from algoworlds.measures.rewards import find_reward

try:
    from ..models import WorldObservation
    from .algoworlds_environment import AlgoWorldsEnvironment
except ImportError:  # OpenEnv starts `server.app` from this folder
    from models import WorldObservation
    from server.algoworlds_environment import AlgoWorldsEnvironment

SELECTION = ("suite", "seed", "worlds", "families", "levels", "interfaces", "split")


def read_variables(*names: str) -> dict[str, str]:
    """The ALGOWORLDS_ environment variables `names` that are set."""
    values = {name: os.environ.get(f"ALGOWORLDS_{name.upper()}") for name in names}
    return {name: value for name, value in values.items() if value}


def build_app(source: WorldSource, reward: str = "exact", sessions: int = 64) -> FastAPI:
    """The application that serves `source`, with an environment for each session."""
    find_reward(reward)
    return create_app(
        partial(AlgoWorldsEnvironment, source, reward),
        CallToolAction,
        CallToolObservation,
        env_name="algoworlds_env",
        max_concurrent_envs=sessions,
        reset_observation_cls=WorldObservation,
    )


def __getattr__(name: str) -> FastAPI:
    """`app` for `uvicorn server.app:app`, built from the environment variables on access."""
    if name != "app":
        raise AttributeError(name)
    sessions = int(os.environ.get("ALGOWORLDS_SESSIONS", "64"))
    return build_app(world_source(**read_variables(*SELECTION)), **read_variables("reward"), sessions=sessions)


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
