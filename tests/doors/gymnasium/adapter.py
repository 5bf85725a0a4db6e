"""The Gymnasium adapter for the contract tests: an environment per agent, made by its public name."""

import gymnasium

from algoworlds.adapters.gymnasium import ENVIRONMENT_ID
from tests.doors.adapters import Adapter, InProcessAgent, connect_in_process


class GymnasiumAgent(InProcessAgent):
    """An agent whose calls are actions and whose answers are observations."""

    def __init__(self, suite, world):
        self.env = gymnasium.make(ENVIRONMENT_ID, suite=suite.directory, track=suite.track.name)
        number = [entry.id for entry in suite.manifest.worlds].index(world)
        self.question, info = self.env.reset(options={"number": number})
        self.play, self.tools, self.budget = self.env.unwrapped.play, info["tools"], info["budget"]

    def call(self, tool, arguments=None):
        text, *_ = self.env.step({"tool": tool, "arguments": arguments})
        return text


ADAPTERS = (Adapter("gymnasium", connect_in_process(GymnasiumAgent), accepts_python=True),)
