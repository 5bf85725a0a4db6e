"""Worlds as tasks: the question is the prompt, and the episode's reward is the reward."""

from collections.abc import Iterator
from itertools import count

import verifiers.v1 as vf

from algoworlds.adapters.trajectory import NUMERIC_MEASURES
from algoworlds.measures.rewards import find_reward
from algoworlds_verifiers.selection import WorldSelection
from algoworlds_verifiers.servers.tool import WorldToolset, WorldToolsetConfig
from algoworlds_verifiers.state import WorldState


class WorldData(vf.TaskData):
    """A world by its number in the selection."""

    number: int = 0


class WorldTaskConfig(vf.TaskConfig, WorldSelection):
    """The selection of worlds, filled in by the taskset, and the reward."""

    reward: str = "exact"
    """A name of `algoworlds.REWARDS`."""


class WorldTask(vf.Task[WorldData, WorldState, WorldTaskConfig]):
    """One world for one agent."""

    async def setup(self, trace: vf.Trace) -> None:
        """Tell the tool server which world the rollout plays."""
        trace.state.number = self.data.number

    @vf.stop
    async def ended(self, trace: vf.Trace) -> bool:
        """Stop at the end of the episode."""
        return trace.state.done

    @vf.reward(weight=1.0)
    async def reward(self, trace: vf.Trace) -> float:
        """The reward of the episode; a fault of the infrastructure is an error of the rollout, never a reward of 0."""
        if trace.state.fault:
            raise RuntimeError(f"the tool server failed: {trace.state.fault}")
        return float(trace.state.play(self.config.source).reward(self.config.reward))

    @vf.metric
    async def measures(self, trace: vf.Trace) -> dict[str, float]:
        """The measures of the episode that reveal no optimum: traces are published."""
        values = trace.state.play(self.config.source).score()
        return {name: float(values[name]) for name in NUMERIC_MEASURES}


class AlgoWorldsConfig(vf.TasksetConfig, WorldSelection):
    """The selection of worlds; `task.reward` names the reward."""

    task: WorldTaskConfig = WorldTaskConfig()


class AlgoWorldsTaskset(vf.Taskset[WorldTask, AlgoWorldsConfig]):
    """All worlds of a selection; a stream is endless."""

    def __init__(self, config: AlgoWorldsConfig) -> None:
        super().__init__(config)
        find_reward(config.task.reward)
        self.INFINITE = config.source.size is None

    def load(self) -> Iterator[WorldTask]:
        """The worlds in order, as tasks."""
        config, size = self.config.task.model_copy(update=self.config.selection), self.config.source.size
        for number in count() if size is None else range(size):
            play = self.config.source.play(number)
            yield WorldTask(WorldData(name=f"{play.entry.family}#{number}", prompt=play.question, number=number), config)

    @classmethod
    def toolsets(cls, config: AlgoWorldsConfig) -> list[vf.Toolset]:
        """One server for all rollouts."""
        return [WorldToolset(WorldToolsetConfig(**config.selection))]
