"""Gymnasium as a door: an environment for each agent, made by its public name and reset to the agent's world."""

import gymnasium

from algoworlds.adapters.gymnasium import WORLD
from tests.doors.doors import Door, Host, at_home_of


class Stepping(Host):
    """An agent whose calls are actions and whose answers are observations."""

    def __init__(self, suite, world):
        self.env = gymnasium.make(WORLD, suite=suite.directory)
        number = [entry.id for entry in suite.manifest.worlds].index(world)
        self.question, told = self.env.reset(options={"number": number})
        self.play, self.tools, self.budget = self.env.unwrapped.play, told["tools"], told["budget"]

    def call(self, tool, arguments=None):
        seen, *_ = self.env.step({"tool": tool, "arguments": arguments})
        return seen


DOORS = (Door("gymnasium", at_home_of(Stepping), takes_python=True),)
