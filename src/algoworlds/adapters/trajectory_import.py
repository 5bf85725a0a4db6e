"""Imports trajectories of other harnesses as a run: each is replayed, and every response must equal the one here.

If all responses agree, the trajectory is complete: it is scored, reported and verified like any run. A trajectory with a
different or missing response is refused; nothing is guessed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from algoworlds.core.canonical import canonical_json, sha256_hex
from algoworlds.core.tool import Call
from algoworlds.errors import InputError, format_value, require_printable
from algoworlds.runs.conversation import LATER_CALL_ANSWER
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.session import Session
from algoworlds.runs.outcome import Event
from algoworlds.runs.schedule import Experiment, Slot
from algoworlds.suites.manifest import WorldEntry
from algoworlds.suites.open import Suite
from algoworlds.suites.record import PlayerKind
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World


class ImportedCall(NamedTuple):
    """A call, the number of its step, and its response if the trajectory has it."""

    step: int
    call: Call
    text: str | None


@dataclass(frozen=True)
class ImportedTrajectory:
    """A trajectory of another harness: its prompt and calls, and the world and trial that it names, if any."""

    name: str
    prompt: str
    world: str | None
    trial: int | None
    calls: tuple[ImportedCall, ...]
    agent: Mapping[str, str]
    """The agent, by the fields that the format has."""


def import_trajectories(
    trajectories: Sequence[ImportedTrajectory], suite: Suite, out: Path, label: str | None, harness: str
) -> RunDirectory:
    """Write a complete run of `trajectories` from `harness`, or nothing at all."""
    ordered = sorted(trajectories, key=lambda trajectory: trajectory.name)
    agent = dict(ordered[0].agent)
    if any(trajectory.agent != agent for trajectory in ordered):
        raise InputError("the trajectories are of different agents, versions or models: import each agent as its own run")
    content = [[trajectory.name, [list(call) for call in trajectory.calls]] for trajectory in ordered]
    settings = {"door": harness, "agent": agent, "trajectories": sha256_hex(canonical_json(content))}
    replays = [_replay(trajectory, suite) for trajectory in ordered]
    slots = _assign_slots(ordered, [entry for entry, _ in replays])
    worlds = [entry for entry in suite.manifest.worlds if entry.id in {slot.world for slot in slots}]
    experiment = Experiment.from_suite(
        require_printable("the label", label or agent.get("name", harness)),
        PlayerKind.EXTERNAL,
        settings,
        suite,
        worlds,
        len(slots) // len(worlds),
    )
    directory = RunDirectory(out)
    with directory.lock():
        directory.create_or_resume(experiment, suite.directory)
        for slot, (_, calls) in zip(slots, replays, strict=True):
            session = Session(directory, suite, slot)
            for call in calls[len(session.play.calls) :]:  # an import that was killed goes on
                session.call(*call)
            session.end(Event.TEXT_END)
            session.close()
        directory.write_manifest()
    return directory


def _assign_slots(trajectories: Sequence[ImportedTrajectory], entries: Sequence[WorldEntry]) -> list[Slot]:
    """A slot for each trajectory: the trial that it names, or its position among those of its world."""
    trials_by_world: dict[str, list[int | None]] = {}
    for trajectory, entry in zip(trajectories, entries, strict=True):
        trials_by_world.setdefault(entry.id, []).append(trajectory.trial)
    counts = {world: len(trials) for world, trials in trials_by_world.items()}
    few, many = min(counts, key=lambda world: counts[world]), max(counts, key=lambda world: counts[world])
    if counts[few] != counts[many]:
        raise InputError(
            f"{few} was played {counts[few]} times and {many} {counts[many]} times: every world needs the same number of trials"
        )
    numbers = range(1, counts[few] + 1)
    named = all(sorted(map(str, trials)) == sorted(map(str, numbers)) for trials in trials_by_world.values())
    trials = {world: iter(trials if named else numbers) for world, trials in trials_by_world.items()}
    return [Slot(entry.id, int(next(trials[entry.id]) or 0)) for entry in entries]


def _replay(trajectory: ImportedTrajectory, suite: Suite) -> tuple[WorldEntry, list[Call]]:
    """The world in which `trajectory` was played, and its calls there."""
    first_problem = None
    for entry in _candidates(trajectory, suite):
        try:
            return entry, _replay_in(suite.world(entry), trajectory)
        except InputError as problem:
            first_problem = first_problem or problem
    raise first_problem or InputError(
        f"{format_value(trajectory.name)} matches no world of {format_value(suite.directory)}: name its suite with --suite"
    )


def _candidates(trajectory: ImportedTrajectory, suite: Suite) -> Iterator[WorldEntry]:
    """The world that `trajectory` names, or those whose question is in its prompt: a pair of worlds shares its question."""
    if trajectory.world is not None:
        yield suite.entry(trajectory.world)
        return
    yield from (entry for entry in suite.manifest.worlds if suite.public_world(entry.id).question in trajectory.prompt)


def _replay_in(world: World, trajectory: ImportedTrajectory) -> list[Call]:
    """The calls that `world` executed or refused; InputError unless every response is the same here."""
    episode = Episode(world)
    for number, imported in enumerate(trajectory.calls, start=1):
        call = _world_call(imported, world)
        if call is None or imported.text == LATER_CALL_ANSWER:
            continue
        response = episode.call(*call).text
        if imported.text is None or imported.text.strip() != response:
            difference = "has no response" if imported.text is None else "has another response than here"
            raise InputError(
                f"{format_value(trajectory.name)}: call {number} ({format_value(call.tool)}) {difference}: cannot replay it"
            )
    return episode.own_calls


def _world_call(imported: ImportedCall, world: World) -> Call | None:
    """A call of a tool of `world`, without the prefix that a client may add; None for a tool of the harness."""
    if (imported.text or "").strip() in (Episode(world).call("", {}).text, LATER_CALL_ANSWER):
        return imported.call  # it was refused for its name, even if the name ends like a tool's
    name = imported.call.tool.rsplit("__", 1)[-1]
    return Call(name, imported.call.arguments) if name in {tool["name"] for tool in world.tools} else None
