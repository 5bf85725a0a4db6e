"""Wire models: a step is a tool call, with OpenEnv's own action and observation; a reset returns a `WorldObservation`."""

from typing import Any

from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation
from openenv.core.env_server.types import Observation
from pydantic import Field

__all__ = ["CallToolAction", "CallToolObservation", "WorldObservation"]


class WorldObservation(Observation):
    """What an agent sees of a world before its first call."""

    question: str = Field(description="The task, as every agent reads it")
    tools: list[dict[str, Any]] = Field(description="Name, description and JSON schema of the parameters of every tool")
    budget: int = Field(description="What may be spent on calls in all")
