"""The client: `with AlgoWorldsEnv(base_url="http://localhost:8000").sync() as env: env.reset(index=0)`."""

from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.mcp_client import MCPToolClient

from .models import WorldObservation


class AlgoWorldsEnv(MCPToolClient):
    """A session with a server: `reset`, then `step` with a `CallToolAction`, or `call_tool`.

    Calls by `call_tool` go through MCP and may be concurrent; each is executed and charged.
    """

    async def call_tool(self, name: str, **arguments: Any) -> str:
        """Make a call; returns the response text."""
        observation = await super().call_tool(name, **arguments)
        return str(observation["result"])

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[Any]:
        fields = payload.get("observation", {})
        if "question" not in fields:
            return super()._parse_result(payload)
        observation = WorldObservation(**fields, done=payload.get("done", False), reward=payload.get("reward"))
        return StepResult(observation=observation, reward=observation.reward, done=observation.done)
