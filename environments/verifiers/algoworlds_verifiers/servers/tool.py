"""One MCP server with the tools of all worlds, for all rollouts."""

from asyncio import Lock
from collections import OrderedDict
from typing import Any, cast
from weakref import WeakValueDictionary

import verifiers.v1 as vf
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, TextContent, Tool

from algoworlds import Play
from algoworlds_verifiers.selection import WorldSelection
from algoworlds_verifiers.state import WorldState

MAX_CACHED_PLAYS = 256
"""Episodes in the LRU cache; an episode that is not cached is replayed from its calls."""


class WorldToolsetConfig(vf.SharedToolsetConfig, WorldSelection):
    """Where the server runs, and which worlds it serves."""


class WorldToolset(vf.Toolset[WorldToolsetConfig, WorldState]):
    """Serves every rollout the tools of its world.

    Verifiers passes the state of a rollout to every call and stores the changed state afterwards; the last writer wins.
    So the calls of one rollout run one after the other, state transfer included, and each is charged.
    """

    TOOL_PREFIX = None

    def __init__(self, config: WorldToolsetConfig) -> None:
        super().__init__(config)
        self._locks: WeakValueDictionary[str | None, Lock] = WeakValueDictionary()
        self._plays: OrderedDict[tuple[Any, ...], Play] = OrderedDict()

    def register(self, mcp: MCPServer) -> None:
        """Replace the server's catalog, which holds fixed Python functions: tools differ from world to world."""
        server = cast(Any, mcp)
        server.list_tools = self._with_state(self.list_tools)
        self._call_with_state = self._with_state(self.call)
        server.call_tool = self.call_tool

    async def list_tools(self) -> list[Tool]:
        """The tools of the rollout's world."""
        tools = self.state.play(self.config.source).tools
        return [Tool(name=tool["name"], description=tool["description"], input_schema=tool["parameters"]) for tool in tools]

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> CallToolResult:
        """Make a call after the earlier calls of the rollout."""
        _, _, rollout = self._state_channel()
        lock = self._locks.setdefault(rollout, Lock())
        async with lock:
            text = await self._call_with_state(name, arguments)
        return CallToolResult(content=[TextContent(type="text", text=text)])

    async def call(self, name: str, arguments: dict[str, Any]) -> str:
        """Make a call and add it to the state; returns the response text."""
        try:
            play = self._plays.pop((self.state.number, self.state.calls), None) or self.state.play(self.config.source)
            text = play.call(name, arguments).text
        except Exception as problem:  # whatever a model sends is answered, so this is a fault of the infrastructure
            self.state.fault, self.state.done = f"{type(problem).__name__}: {problem}", True
            return "The server failed, so this rollout does not count."
        self.state.calls, self.state.done = play.calls, play.done
        self._plays[self.state.number, self.state.calls] = play
        if len(self._plays) > MAX_CACHED_PLAYS:
            self._plays.popitem(last=False)
        return text


if __name__ == "__main__":
    WorldToolset.run()
