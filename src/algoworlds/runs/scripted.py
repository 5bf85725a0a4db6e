"""Running a scripted agent: no provider and no journal; an interrupted evaluation is played again from the start."""

import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from algoworlds.batch import run_tasks
from algoworlds.core.canonical import JsonObject
from algoworlds.core.stream import Stream
from algoworlds.errors import AlgoWorldsError, InputError, format_value, quote_value
from algoworlds.runs.agents import AGENTS, CONDITION_AGENTS, TRACK_AGENTS, Agent
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.schedule import Slot
from algoworlds.suites.open import Suite, open_suite
from algoworlds.suites.record import FinishedTrajectory, PlayerKind, Provenance, build_record, recorded_calls, recorded_programs
from algoworlds.tracks.track import Computed
from algoworlds.tracks.workers import SandboxFault
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World

REPLAY_PREFIX = "replay:"
"""`replay:RUN` names the agent that repeats the trajectories of a run."""


@dataclass(frozen=True)
class ScriptedTask:
    """Some trials of a scripted agent on one world."""

    suite: Path
    root: str
    identity: str
    label: str
    agent: str
    world: str
    trials: tuple[int, ...]
    track: str


def find_agent(name: str) -> Callable[[Slot], Agent]:
    """A function from each slot to the agent called `name`; InputError lists the names."""
    if name.startswith(REPLAY_PREFIX):
        source = _replayed_run(name)
        _ = source.document  # refuses what is not a run
        return lambda slot: replay_agent(source, slot)
    agents = AGENTS | CONDITION_AGENTS | TRACK_AGENTS
    if name not in agents:
        raise InputError(f"there is no agent {quote_value(name)}; choose from {', '.join(agents)} or {REPLAY_PREFIX}RUN")
    return lambda slot: agents[name]


def replay_agent(source: RunDirectory, slot: Slot) -> Agent:
    """An agent that makes the calls of the final record of `slot` in the run `source`."""
    if slot not in source.finished_slots:
        raise InputError(
            f"{format_value(source.path)} has no record of {format_value(slot.name)}: replay a finished run, with its --trials"
        )
    record = source.read_record(slot)
    calls, programs = recorded_calls(record), recorded_programs(record)

    def play(episode: Episode, stream: Stream) -> None:
        for computed in programs:
            episode.expect(computed)
        for call in calls:
            episode.call(*call)

    return play


def replayed_track(name: str) -> str:
    """The track of the run that a replay repeats."""
    return _replayed_run(name).track


def agent_label(name: str) -> str:
    """The agent's label in tables."""
    return f"replay of {_replayed_run(name).document['plan']['label']}" if name.startswith(REPLAY_PREFIX) else name


def agent_settings(name: str) -> dict[str, str]:
    """What determines how the agent behaves; a replay names its run by identity, not by path."""
    if not name.startswith(REPLAY_PREFIX):
        return {"agent": name}
    return {"agent": "replay", "of": _replayed_run(name).document["identity"]}


def _replayed_run(name: str) -> RunDirectory:
    return RunDirectory(Path(name.removeprefix(REPLAY_PREFIX)))


def run_scripted_agent(
    directory: RunDirectory, suite: Suite, name: str, executor: Executor | None, progress: Callable[[JsonObject], Any]
) -> None:
    """Play every pending evaluation, one task for each world; only this process writes records."""
    finished, pending = directory.finished_slots, dict[str, list[int]]()
    for slot in directory.schedule:
        if slot not in finished:
            pending.setdefault(slot.world, []).append(slot.trial)
    label, identity = directory.document["plan"]["label"], directory.document["identity"]
    tasks = [
        ScriptedTask(
            suite.directory.resolve(), suite.manifest.root, identity, label, name, world, tuple(trials), suite.track.name
        )
        for world, trials in pending.items()
    ]
    failed = 0
    for task, results in run_tasks(play_task, tasks, executor):
        for trial, result in zip(task.trials, results, strict=True):
            if isinstance(result, str):
                directory.quarantine(Slot(task.world, trial), result)
                failed += 1
            else:
                directory.write_record(Slot(task.world, trial), result)
                progress(result)
    if failed:
        raise AlgoWorldsError(
            f"{failed} evaluations failed by an error of ours: see {format_value(directory.path / 'quarantine')}"
        )


def play_task(task: ScriptedTask) -> list[JsonObject | str]:
    """For each trial its record, or the traceback of an error of ours."""
    suite = open_suite_cached(task.suite, task.root, task.track)
    entry = suite.entries[task.world]
    world, key, agents = suite.world(entry), suite.key(entry), find_agent(task.agent)
    results: list[JsonObject | str] = []
    for trial in task.trials:
        try:
            slot = Slot(task.world, trial)
            trajectory = play_agent(agents(slot), world, agent_stream(task.agent, slot))
            provenance = Provenance(task.identity, task.label, PlayerKind.AGENT, trial, suite.manifest.edition)
            results.append(build_record(provenance, entry, key, trajectory))
        except (InputError, SandboxFault) as problem:
            if isinstance(problem, InputError):
                raise
            results.append(str(problem))
        except Exception:
            results.append(traceback.format_exc())
    return results


@lru_cache(maxsize=4)
def open_suite_cached(directory: Path, root: str, track: str) -> Suite:
    """Open a suite on a track once for each worker process; InputError if its root is not `root`."""
    suite = open_suite(directory, track)
    if suite.manifest.root != root:
        raise InputError(f"{format_value(directory)} has changed while the run was going on")
    return suite


def agent_stream(agent: str, slot: Slot) -> Stream:
    """The random stream of an agent at a slot: the same in every run."""
    return Stream("agent", agent, slot.world, slot.trial)


def play_agent(agent: Agent, world: World, stream: Stream, programs: Iterable[Computed] = ()) -> FinishedTrajectory:
    """The trajectory of a scripted agent; the results of its first `programs` are known."""
    episode = Episode(world, (), programs)
    agent(episode, stream)
    return FinishedTrajectory.from_episode(episode)
