"""One session: a world in play, which never leaves the server."""

from random import Random
from typing import Any
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation, ListToolsAction, ListToolsObservation, Tool
from openenv.core.env_server.types import EnvironmentMetadata, Observation, State

import algoworlds
from algoworlds.adapters.syllabus import Syllabus

try:
    from ..models import WorldObservation
except ImportError:  # OpenEnv starts `server.app` from this folder
    from models import WorldObservation

RANGE = 2**32
"""Of an endless stream worlds are drawn by numbers below this one."""


class AlgoWorldsEnvironment(Environment[CallToolAction, Observation, State]):
    """Worlds of a syllabus, one an episode. Calls wait for each other under the play's own lock, and each is charged.

    The reward comes with the end. Nothing is paid on the way: agents that call through MCP read it with the answer, and what a
    shaping pays depends on what they have not been told.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, syllabus: Syllabus, reward: str = "exact") -> None:
        super().__init__()
        self._syllabus, self._reward = syllabus, reward
        self._play: algoworlds.Play | None = None
        self._state = State(episode_id=str(uuid4()))

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, index: int | None = None, **ignored: Any
    ) -> WorldObservation:
        """Begin an episode: in the world of an index, or in one that the seed draws."""
        number = Random(seed).randrange(self._syllabus.size or RANGE) if index is None else index
        self._play = play = self._syllabus.play(number)
        self._meter = play.meter(self._reward)
        self._state = State(episode_id=episode_id or str(uuid4()))
        return WorldObservation(question=play.question, tools=play.tools, budget=play.budget, reward=0.0)

    def step(self, action: CallToolAction | ListToolsAction, timeout_s: float | None = None, **ignored: Any) -> Observation:
        """Make a call, or list the tools; listing is free and no call."""
        if isinstance(action, ListToolsAction):
            return ListToolsObservation(tools=[_told(tool) for tool in self._tools()])
        if self._play is None:
            raise RuntimeError("no world is in play: reset first, and step in the same session")
        text = self._play.call(action.tool_name, action.arguments).text
        self._state.step_count += 1
        reward = float(self._meter.step())
        return CallToolObservation(tool_name=action.tool_name, result=text, done=self._play.done, reward=reward)

    def _tools(self) -> list[dict[str, Any]]:
        if self._play is not None:
            return self._play.tools
        if len(self._syllabus.families) > 1:
            raise RuntimeError("the tools are those of the world's family: reset first, and list them in the same session")
        return algoworlds.tools(self._syllabus.families[0])

    @property
    def state(self) -> State:
        """The episode's name and how many calls were made."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """What this is."""
        told = "Gather information through priced tools, then submit one decision; the optimum is certified."
        return EnvironmentMetadata(name="algoworlds_env", description=told, version="0.2.0")

    # -- OpenEnv's task API ----------------------------------------------------------------------------------------------

    def list_splits(self) -> list[str]:
        """There is one: what the server was started with."""
        return ["worlds"]

    def num_tasks(self, split: str) -> int:
        """How many worlds there are, or how many numbers of an endless stream may be drawn."""
        return self._syllabus.size or RANGE

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """The number to reset to. What else there is to know of a world, a reset tells."""
        if not 0 <= index < self.num_tasks(split):
            raise IndexError(f"there is no world {index}")
        return {"index": index}

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        """Several of them."""
        return [{"index": index} for index in range(self.num_tasks(split))[start:stop]]

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """The first of them: a stream has no end."""
        return self.get_task_range(split, 0, 1000)


def _told(tool: dict[str, Any]) -> Tool:
    return Tool(name=tool["name"], description=tool["description"], input_schema=tool["parameters"])
