"""Running a scripted agent: no provider, no journal; each evaluation is made anew or not at all."""

import traceback
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from algoworlds.batch import results
from algoworlds.core.stream import Stream
from algoworlds.errors import AlgoWorldsError, InputError, quoted, shown
from algoworlds.runs.agents import AGENTS, Agent
from algoworlds.runs.agents.replay import replay
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.slot import Slot
from algoworlds.suites.opened import Opened, open_suite
from algoworlds.suites.record import Kind, Played, Whose, record
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World

REPLAY = "replay:"
"""`replay:RUN` names the agent that repeats the trajectories of a run."""


@dataclass(frozen=True)
class Stint:
    """Some trials of a scripted agent on one world."""

    suite: Path
    root: str
    identity: str
    label: str
    agent: str
    world: str
    trials: tuple[int, ...]


def agent_named(name: str) -> Callable[[Slot], Agent]:
    """The agent of that name for each evaluation; InputError lists the names."""
    if name.startswith(REPLAY):
        source = RunDirectory(Path(name.removeprefix(REPLAY)))
        _ = source.document
        return lambda slot: replay(source, slot)
    if name not in AGENTS:
        raise InputError(f"there is no agent {quoted(name)}; choose from {', '.join(AGENTS)} or {REPLAY}RUN")
    return lambda slot: AGENTS[name]


def label_of(name: str) -> str:
    """How an agent is called in tables."""
    if not name.startswith(REPLAY):
        return name
    return f"replay of {RunDirectory(Path(name.removeprefix(REPLAY))).document['plan']['label']}"


def settings_of(name: str) -> dict[str, str]:
    """What determines how an agent behaves: for a replay the run that it repeats, wherever that lies."""
    if not name.startswith(REPLAY):
        return {"agent": name}
    return {"agent": "replay", "of": RunDirectory(Path(name.removeprefix(REPLAY))).document["identity"]}


def run_agent(
    directory: RunDirectory,
    suite: Opened,
    name: str,
    executor: Executor | None,
    progress: Callable[[dict[str, Any]], Any],
) -> None:
    """Make every evaluation that has no record yet, one stint a world; records are written by this process alone."""
    finished, waiting = directory.finished, dict[str, list[int]]()
    for slot in directory.schedule:
        if slot not in finished:
            waiting.setdefault(slot.world, []).append(slot.trial)
    label, identity = directory.document["plan"]["label"], directory.document["identity"]
    stints = [
        Stint(suite.directory.resolve(), suite.manifest.root, identity, label, name, world, tuple(trials))
        for world, trials in waiting.items()
    ]
    failed = 0
    for stint, made in results(play, stints, executor):
        for trial, document in zip(stint.trials, made, strict=True):
            if isinstance(document, str):
                directory.quarantine(Slot(stint.world, trial), document)
                failed += 1
            else:
                directory.finalize(Slot(stint.world, trial), document)
                progress(document)
    if failed:
        raise AlgoWorldsError(f"{failed} evaluations failed by an error of ours: see {shown(directory.path / 'quarantine')}")


def play(stint: Stint) -> list[dict[str, Any] | str]:
    """The records of a stint; in place of one that our own error prevented, what went wrong."""
    suite = opened(stint.suite, stint.root)
    entry = suite.entries[stint.world]
    world, key, agents = suite.world(entry), suite.key(entry), agent_named(stint.agent)
    made: list[dict[str, Any] | str] = []
    for trial in stint.trials:
        try:
            slot = Slot(stint.world, trial)
            played = played_by(agents(slot), world, stream_of(stint.agent, slot))
            made.append(record(Whose(stint.identity, stint.label, Kind.AGENT, trial), entry, key, played))
        except InputError:
            raise
        except Exception:
            made.append(traceback.format_exc())
    return made


@lru_cache(maxsize=4)
def opened(directory: Path, root: str) -> Opened:
    """A suite as a worker process sees it, opened once."""
    suite = open_suite(directory)
    if suite.manifest.root != root:
        raise InputError(f"{shown(directory)} has changed while the run was going on")
    return suite


def stream_of(agent: str, slot: Slot) -> Stream:
    """The chance that an agent is given at a slot: the same in every run."""
    return Stream("agent", agent, slot.world, slot.trial)


def played_by(agent: Agent, world: World, stream: Stream) -> Played:
    """The trajectory of a scripted agent."""
    episode = Episode(world)
    agent(episode, stream)
    return Played.by_calls(episode)
