"""What a rollout has come to: which world, and the calls made there. With the worlds that is all of an episode."""

import verifiers.v1 as vf

from algoworlds import Play
from algoworlds.adapters.syllabus import Syllabus
from algoworlds.core.tool import Call


class WorldState(vf.State):
    """Shared by the tool server, which writes it, and by the task, which scores it."""

    number: int = 0
    calls: tuple[tuple[str, str], ...] = ()
    done: bool = False

    def play(self, syllabus: Syllabus) -> Play:
        """The episode as it stands."""
        return syllabus.play(self.number, [Call(*call) for call in self.calls])
