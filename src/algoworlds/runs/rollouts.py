"""Many plays at once for who trains: an agent on fresh worlds, on one core, a pool of processes or a Dask cluster."""

from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from algoworlds.batch import results
from algoworlds.errors import InputError, quoted
from algoworlds.measures.rewards import reward_named
from algoworlds.runs.agents import AGENTS
from algoworlds.runs.scripted import stream_of
from algoworlds.runs.slot import Slot
from algoworlds.suites.endless import Fresh
from algoworlds.suites.opened import NOBODY, Play
from algoworlds.suites.record import Kind, Whose

Player = Callable[[Play], Any] | str
"""A function that plays, one that another process can import where others do the work, or the name of a scripted agent."""


class Rollout(NamedTuple):
    """A play that has ended: its world, what it earned, and the record that a run would leave of it."""

    world: Fresh
    reward: Fraction
    record: dict[str, Any]


@dataclass(frozen=True)
class Outing:
    """A task: the number of a world in its list, who plays it, and for what reward."""

    number: int
    world: Fresh
    agent: Player
    reward: str


def rollouts(
    agent: Player,
    worlds: Iterable[Fresh],
    executor: Executor | None = None,
    reward: str = "gain",
    progress: bool = False,
) -> Iterator[Rollout]:
    """Every world played once, in the order of the worlds, which may have no end: the same whatever does the work."""
    if isinstance(agent, str) and agent not in AGENTS:
        raise InputError(f"there is no agent {quoted(agent)}; choose from {', '.join(AGENTS)}, or give a function")
    reward_named(reward)
    total = len(worlds) if isinstance(worlds, Sized) else None
    outings = (Outing(number, world, agent, reward) for number, world in enumerate(worlds))
    played = _in_order(results(_played, outings, executor))
    return _watched(played, total) if progress else played


def _played(outing: Outing) -> Rollout:
    play = outing.world.play()
    if isinstance(outing.agent, str):
        AGENTS[outing.agent](play.episode, stream_of(outing.agent, Slot(outing.world.id, 1)))
        record = play.record(Whose("", outing.agent, Kind.AGENT, 1))
    else:
        outing.agent(play)
        record = play.record(NOBODY)
    return Rollout(outing.world, play.reward(outing.reward), record)


def _in_order(made: Iterable[tuple[Outing, Rollout]]) -> Iterator[Rollout]:
    waiting: dict[int, Rollout] = {}
    told = 0
    for outing, rollout in made:
        waiting[outing.number] = rollout
        while told in waiting:
            yield waiting.pop(told)
            told += 1


def _watched(played: Iterator[Rollout], total: int | None) -> Iterator[Rollout]:
    from rich.console import Console
    from rich.progress import track

    yield from track(played, "plays", total, console=Console(stderr=True))
