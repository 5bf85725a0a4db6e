"""The state of a rollout: its world's number and its calls. With the worlds, that is the whole state of an episode."""

import verifiers.v1 as vf

from algoworlds import Play
from algoworlds.adapters.world_source import WorldSource
from algoworlds.core.tool import Call


class WorldState(vf.State):
    """Written by the tool server and scored by the task."""

    number: int = 0
    calls: tuple[tuple[str, str], ...] = ()
    done: bool = False
    fault: str = ""
    """What failed in the tool server; such a rollout counts as an error and has no reward."""

    def play(self, source: WorldSource) -> Play:
        """The episode after the calls so far."""
        return source.play(self.number, [Call(*call) for call in self.calls])
