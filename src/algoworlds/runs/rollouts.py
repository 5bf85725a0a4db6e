"""Rollouts for training: an agent plays many worlds, on one core, a process pool or a Dask cluster."""

from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from algoworlds.batch import run_tasks
from algoworlds.core.canonical import JsonObject
from algoworlds.errors import InputError, quote_value
from algoworlds.measures.rewards import find_reward
from algoworlds.runs.agents import AGENTS
from algoworlds.runs.schedule import Slot
from algoworlds.runs.scripted import agent_stream
from algoworlds.suites.open import NO_RUN, Play
from algoworlds.suites.record import PlayerKind, Provenance
from algoworlds.suites.stream import StreamWorld

Player = Callable[[Play], Any] | str
"""A function that plays (importable by other processes if an executor is used), or the name of a scripted agent."""


class Rollout(NamedTuple):
    """A finished play: its world, its reward, and the record that a run would write."""

    world: StreamWorld
    reward: Fraction
    record: JsonObject

    def __repr__(self) -> str:
        return f"<Rollout of {self.world.id}, reward {self.reward}>"


@dataclass(frozen=True)
class RolloutTask:
    """The world at position `number`, its player, and the name of the reward."""

    number: int
    world: StreamWorld
    agent: Player
    reward: str


def rollouts(
    agent: Player, worlds: Iterable[StreamWorld], executor: Executor | None = None, reward: str = "gain", progress: bool = False
) -> Iterator[Rollout]:
    """Play every world once, in order; `worlds` may be infinite. Results do not depend on `executor`."""
    if isinstance(agent, str) and agent not in AGENTS:
        raise InputError(f"there is no agent {quote_value(agent)}; choose from {', '.join(AGENTS)}, or give a function")
    find_reward(reward)
    total = len(worlds) if isinstance(worlds, Sized) else None
    tasks = (RolloutTask(number, world, agent, reward) for number, world in enumerate(worlds))
    results = _restore_order(run_tasks(_play_task, tasks, executor))
    if not progress:
        return results
    from rich.console import Console
    from rich.progress import track

    return iter(track(results, "plays", total, console=Console(stderr=True)))


def _play_task(task: RolloutTask) -> Rollout:
    play = task.world.play()
    if isinstance(task.agent, str):
        AGENTS[task.agent](play.episode, agent_stream(task.agent, Slot(task.world.id, 1)))
        record = play.record(Provenance("", task.agent, PlayerKind.AGENT, 1))
    else:
        task.agent(play)
        record = play.record(NO_RUN)
    return Rollout(task.world, play.reward(task.reward), record)


def _restore_order(results: Iterable[tuple[RolloutTask, Rollout]]) -> Iterator[Rollout]:
    waiting: dict[int, Rollout] = {}
    number = 0
    for task, rollout in results:
        waiting[task.number] = rollout
        while number in waiting:
            yield waiting.pop(number)
            number += 1
