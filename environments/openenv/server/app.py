"""The server: `ALGOWORLDS_SUITE=suite server --port 8000`, or `ALGOWORLDS_SEED=1` for a stream of fresh worlds.

Variables of the environment say what is served: ALGOWORLDS_SUITE or ALGOWORLDS_SEED; ALGOWORLDS_WORLDS, _FAMILIES, _LEVELS,
_INTERFACES and _SPLIT to choose; ALGOWORLDS_REWARD for what the end pays; ALGOWORLDS_SESSIONS for how many may play at once.
"""

import argparse
import os
from functools import partial

from fastapi import FastAPI
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation

from algoworlds.adapters.syllabus import Syllabus, syllabus
from algoworlds.measures.rewards import reward_named

try:
    from ..models import WorldObservation
    from .algoworlds_environment import AlgoWorldsEnvironment
except ImportError:  # OpenEnv starts `server.app` from this folder
    from models import WorldObservation
    from server.algoworlds_environment import AlgoWorldsEnvironment

CHOICES = ("suite", "seed", "worlds", "families", "levels", "interfaces", "split")


def told(*names: str) -> dict[str, str]:
    """What the environment says on some of the variables."""
    values = {name: os.environ.get(f"ALGOWORLDS_{name.upper()}") for name in names}
    return {name: value for name, value in values.items() if value}


def served(worlds: Syllabus, reward: str = "exact", sessions: int = 64) -> FastAPI:
    """The application that serves a syllabus, with an environment for each session."""
    reward_named(reward)
    return create_app(
        partial(AlgoWorldsEnvironment, worlds, reward),
        CallToolAction,
        CallToolObservation,
        env_name="algoworlds_env",
        max_concurrent_envs=sessions,
        reset_observation_cls=WorldObservation,
    )


def __getattr__(name: str) -> FastAPI:
    """`app`, as `uvicorn server.app:app` asks for it: made of what the environment says then."""
    if name != "app":
        raise AttributeError(name)
    return served(syllabus(**told(*CHOICES)), **told("reward"), sessions=int(os.environ.get("ALGOWORLDS_SESSIONS", "64")))


def main() -> None:
    """Serve until interrupted, on the loopback unless told otherwise."""
    import uvicorn

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    chosen = parser.parse_args()
    uvicorn.run(__getattr__("app"), host=chosen.host, port=chosen.port)


if __name__ == "__main__":
    main()
