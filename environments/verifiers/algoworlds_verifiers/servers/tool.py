"""The tools of the worlds, word for word, from one server for all rollouts."""

from asyncio import Lock
from collections import OrderedDict
from typing import Any, cast
from weakref import WeakValueDictionary

import verifiers.v1 as vf
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent, Tool

from algoworlds import Play
from algoworlds_verifiers.choice import Choice
from algoworlds_verifiers.state import WorldState

KEPT = 256
"""Episodes that go on without being played again from the beginning; each belongs to whoever has made the same calls."""


class WorldToolsetConfig(vf.SharedToolsetConfig, Choice):
    """Where the server runs, and which worlds it serves."""


class WorldToolset(vf.Toolset[WorldToolsetConfig, WorldState]):
    """Serves every rollout the tools of its world.

    Verifiers hands the state of a rollout to every call and takes back what the call has made of it, the latest writer winning.
    So calls of one rollout wait for each other from the handing out to the taking back, and each is charged.
    """

    TOOL_PREFIX = None

    def __init__(self, config: WorldToolsetConfig) -> None:
        super().__init__(config)
        self._locks: WeakValueDictionary[str | None, Lock] = WeakValueDictionary()
        self._plays: OrderedDict[tuple[Any, ...], Play] = OrderedDict()

    def register(self, mcp: MCPServer) -> None:
        """Answer for all tools there are, since they differ from world to world: MCP's own catalog is of Python functions."""
        server = cast(Any, mcp)
        server.list_tools = self._with_state(self.list_tools)
        self._called = self._with_state(self.call)
        server.call_tool = self.call_tool

    async def list_tools(self) -> list[Tool]:
        """The tools of the rollout's world."""
        told = self.state.play(self.config.syllabus).tools
        return [Tool(name=each["name"], description=each["description"], input_schema=each["parameters"]) for each in told]

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> CallToolResult:
        """Make a call when the rollout's earlier ones are through."""
        _, _, rollout = self._state_channel()
        lock = self._locks.setdefault(rollout, Lock())
        async with lock:
            text = await self._called(name, arguments)
        return CallToolResult(content=[TextContent(type="text", text=text)])

    async def call(self, name: str, arguments: dict[str, Any]) -> str:
        """What the call is answered; the state holds it from now on."""
        play = self._plays.pop((self.state.number, self.state.calls), None) or self.state.play(self.config.syllabus)
        text = play.call(name, arguments).text
        self.state.calls, self.state.done = play.calls, play.done
        self._plays[self.state.number, self.state.calls] = play
        if len(self._plays) > KEPT:
            self._plays.popitem(last=False)
        return text


if __name__ == "__main__":
    WorldToolset.run()
