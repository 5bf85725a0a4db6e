"""The client: `with AlgoWorldsEnv(base_url="http://localhost:8000").sync() as env: env.reset(index=0)`."""

from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.mcp_client import MCPToolClient

from .models import WorldObservation


class AlgoWorldsEnv(MCPToolClient):
    """A session with a server of worlds: `reset`, then `step` with a `CallToolAction`, or `call_tool`.

    Calls by `call_tool` go through MCP, and may come at the same time; each is made and charged.
    """

    async def call_tool(self, name: str, **arguments: Any) -> str:
        """Make a call: the text that an agent is answered."""
        answered = await super().call_tool(name, **arguments)
        return str(answered["result"])

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[Any]:
        told = payload.get("observation", {})
        if "question" not in told:
            return super()._parse_result(payload)
        seen = WorldObservation(**told, done=payload.get("done", False), reward=payload.get("reward"))
        return StepResult(observation=seen, reward=seen.reward, done=seen.done)
