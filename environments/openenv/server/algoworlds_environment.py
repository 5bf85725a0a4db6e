"""One session on the server: a world in play."""

from random import Random
from typing import Any
from uuid import uuid4

from fastapi import HTTPException
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation, ListToolsAction, ListToolsObservation, Tool
from openenv.core.env_server.types import EnvironmentMetadata, Observation, State

import algoworlds
from algoworlds.adapters.world_source import WorldSource

try:
    from ..models import WorldObservation
except ImportError:  # OpenEnv starts `server.app` from this folder
    from models import WorldObservation

STREAM_NUMBER_BOUND = 2**32
"""Worlds of an endless stream are drawn by numbers below this."""
MAX_LISTED_TASKS = 1000
"""Tasks in one list."""


class AlgoWorldsEnvironment(Environment[CallToolAction, Observation, State]):
    """Worlds of `source`, one per episode. Concurrent calls wait for the play's lock, and each is charged.

    The reward comes at the end, plus what `shaping` pays for each step. Agents that call through MCP see the reward with each
    response, and a shaped reward depends on facts that they have not paid for: shape only in training.

    A fault of this server is never a reward: the observation then has no reward and `valid` false in its metadata, and the
    episode is over.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, source: WorldSource, reward: str = "exact", shaping: str | None = None) -> None:
        super().__init__()
        self._source, self._reward, self._shaping = source, reward, shaping
        self._fault = ""
        self._play: algoworlds.Play | None = None
        self._state = State(episode_id=str(uuid4()))

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, index: int | None = None, **ignored: Any
    ) -> WorldObservation:
        """Begin an episode in the world of `index`, or in one drawn by `seed`; 422 for values that cannot be used."""
        if not (index is None or (type(index) is int and 0 <= index < self.num_tasks("worlds"))):
            raise HTTPException(422, f"index must be an integer from 0 to {self.num_tasks('worlds') - 1}")
        if not isinstance(seed, int | str | None):
            raise HTTPException(422, "seed must be an integer")
        number = Random(seed).randrange(self._source.size or STREAM_NUMBER_BOUND) if index is None else index
        self._play = play = self._source.play(number)
        self._step_rewards, self._fault = play.step_rewards(self._reward, self._shaping), ""
        self._state = State(episode_id=episode_id or str(uuid4()))
        return WorldObservation(question=play.question, tools=play.tools, budget=play.budget, reward=0.0)

    def step(self, action: CallToolAction | ListToolsAction, timeout_s: float | None = None, **ignored: Any) -> Observation:
        """Make a call, or list the tools, which is free and not a call."""
        if isinstance(action, ListToolsAction):
            tools = self._tools()
            return ListToolsObservation(
                tools=[
                    Tool(name=tool["name"], description=tool["description"], input_schema=tool["parameters"]) for tool in tools
                ]
            )
        if self._play is None:
            raise RuntimeError("no world is in play: reset first, and step in the same session")
        try:
            if self._fault:
                raise RuntimeError(self._fault)
            text = self._play.call(action.tool_name, action.arguments).text
            reward = float(self._step_rewards.step())
        except Exception as problem:  # whatever an agent sends is answered, so this is a fault of the infrastructure
            self._fault = self._fault or f"{type(problem).__name__}: {problem}"
            text = "The server failed, so this episode does not count. Reset to begin another one."
            metadata = {"valid": False, "fault": self._fault}
            return CallToolObservation(tool_name=action.tool_name, result=text, done=True, reward=None, metadata=metadata)
        self._state.step_count += 1
        metadata = {"valid": True}
        return CallToolObservation(
            tool_name=action.tool_name, result=text, done=self._play.done, reward=reward, metadata=metadata
        )

    def _tools(self) -> list[dict[str, Any]]:
        if self._play is not None:
            return self._play.tools
        if len(self._source.families) > 1:
            raise RuntimeError("the tools are those of the world's family: reset first, and list them in the same session")
        return [*algoworlds.family_tool_schemas(self._source.families[0]), *self._source.track.tools]

    @property
    def state(self) -> State:
        """The episode's id and its number of calls."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """Name, description and version of the environment."""
        description = "Gather information through priced tools, then submit one decision; the optimum is certified."
        return EnvironmentMetadata(name="algoworlds_env", description=description, version="0.2.0")

    # -- OpenEnv's task API ----------------------------------------------------------------------------------------------

    def list_splits(self) -> list[str]:
        """The only split: the worlds that the server was started with."""
        return ["worlds"]

    def num_tasks(self, split: str) -> int:
        """The number of worlds, or of the numbers that may be drawn from an endless stream."""
        return self._source.size or STREAM_NUMBER_BOUND

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """The index to reset to; everything else about a world comes with the reset."""
        if type(index) is not int or not 0 <= index < self.num_tasks(split):
            raise IndexError(f"there is no world {index}")
        return {"index": index}

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        """The tasks from `start` to `stop`, as a slice; IndexError for more than `MAX_LISTED_TASKS`."""
        if not all(type(bound) in (int, type(None)) for bound in (start, stop)):
            raise IndexError("start and stop must be integers")
        indices = range(self.num_tasks(split))[start:stop]
        if len(indices) > MAX_LISTED_TASKS:
            raise IndexError(f"at most {MAX_LISTED_TASKS} tasks can be listed at a time")
        return [{"index": index} for index in indices]

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """The first tasks: a stream is endless."""
        return self.get_task_range(split, 0, MAX_LISTED_TASKS)
