"""Worlds as tasks: the question is the prompt, and what an episode has earned is the reward."""

from collections.abc import Iterator
from itertools import count

import verifiers.v1 as vf

from algoworlds.adapters.trajectory import SCORED
from algoworlds.measures.rewards import reward_named
from algoworlds_verifiers.choice import Choice
from algoworlds_verifiers.servers.tool import WorldToolset, WorldToolsetConfig
from algoworlds_verifiers.state import WorldState


class WorldData(vf.TaskData):
    """A world by its number among those that were chosen."""

    number: int = 0


class WorldTaskConfig(vf.TaskConfig, Choice):
    """Which worlds there are, filled in by the taskset, and what is rewarded."""

    reward: str = "exact"
    """A name of `algoworlds.REWARDS`."""


class WorldTask(vf.Task[WorldData, WorldState, WorldTaskConfig]):
    """One world to be played by one agent."""

    async def setup(self, trace: vf.Trace) -> None:
        """Tell the tool server which world the rollout plays."""
        trace.state.number = self.data.number

    @vf.stop
    async def ended(self, trace: vf.Trace) -> bool:
        """No turn is asked for after the end of the episode."""
        return trace.state.done

    @vf.reward(weight=1.0)
    async def reward(self, trace: vf.Trace) -> float:
        """What the episode has earned."""
        return float(trace.state.play(self.config.syllabus).reward(self.config.reward))

    @vf.metric
    async def measures(self, trace: vf.Trace) -> dict[str, float]:
        """The measures of the episode that reveal no optimum: traces are published."""
        found = trace.state.play(self.config.syllabus).score()
        return {name: float(found[name]) for name in SCORED}


class AlgoWorldsConfig(vf.TasksetConfig, Choice):
    """Which worlds are played; `task.reward` says what is rewarded."""

    task: WorldTaskConfig = WorldTaskConfig()

    @property
    def chosen(self) -> dict[str, str]:
        """The choice of worlds, for the tasks and for the tool server."""
        return {name: getattr(self, name) for name in Choice.model_fields}


class AlgoWorldsTaskset(vf.Taskset[WorldTask, AlgoWorldsConfig]):
    """All worlds of a choice; of a stream as many as are asked for."""

    def __init__(self, config: AlgoWorldsConfig) -> None:
        super().__init__(config)
        reward_named(config.task.reward)
        self.INFINITE = config.syllabus.size is None

    def load(self) -> Iterator[WorldTask]:
        """The worlds in their order, as tasks."""
        settled, size = self.config.task.model_copy(update=self.config.chosen), self.config.syllabus.size
        for number in count() if size is None else range(size):
            play = self.config.syllabus.play(number)
            yield WorldTask(WorldData(name=f"{play.entry.family}#{number}", prompt=play.question, number=number), settled)

    @classmethod
    def toolsets(cls, config: AlgoWorldsConfig) -> list[vf.Toolset]:
        """One server for all rollouts."""
        return [WorldToolset(WorldToolsetConfig(**config.chosen))]
