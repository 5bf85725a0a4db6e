"""AlgoWorlds as an OpenEnv environment: the client and the wire models."""

from .client import AlgoWorldsEnv
from .models import CallToolAction, WorldObservation

__all__ = ["AlgoWorldsEnv", "CallToolAction", "WorldObservation"]
