"""AlgoWorlds as an environment of OpenEnv: the client, and what goes over the wire."""

from .client import AlgoWorldsEnv
from .models import CallToolAction, WorldObservation

__all__ = ["AlgoWorldsEnv", "CallToolAction", "WorldObservation"]
