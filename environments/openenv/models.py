"""What goes over the wire: a step is a call of a tool, by OpenEnv's own action and observation; a reset presents a world."""

from typing import Any

from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation
from openenv.core.env_server.types import Observation
from pydantic import Field

__all__ = ["CallToolAction", "CallToolObservation", "WorldObservation"]


class WorldObservation(Observation):
    """All that an agent is told of a world before its first call."""

    question: str = Field(description="The task, as every agent reads it")
    tools: list[dict[str, Any]] = Field(description="Name, description and JSON schema of the parameters of every tool")
    budget: int = Field(description="What may be spent on calls in all")
