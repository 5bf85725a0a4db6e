"""Trajectories from elsewhere made into a run: each is played again, and must have been answered as it is answered here.

What was answered alike, call by call, is complete: it can be scored, reported and verified as if it had been played here. What
was not, or lacks an answer, is refused; nothing is guessed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from algoworlds.core.canonical import canonical_text, digest
from algoworlds.core.tool import Call
from algoworlds.errors import InputError, shown
from algoworlds.runs.conversation import LATER_CALL
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.visit import Visit
from algoworlds.runs.outcome import Event
from algoworlds.runs.schedule import Experiment
from algoworlds.runs.slot import Slot
from algoworlds.suites.manifest import Entry
from algoworlds.suites.opened import Opened
from algoworlds.suites.record import Kind
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World


class Heard(NamedTuple):
    """A call that an agent made in a step of its own, and the text that came back, if it was kept."""

    step: int
    call: Call
    text: str | None


@dataclass(frozen=True)
class Brought:
    """A trajectory from elsewhere: what the agent was asked and heard, and which evaluation it says that it is."""

    name: str
    asked: str
    world: str | None
    trial: int | None
    heard: tuple[Heard, ...]
    agent: Mapping[str, str]
    """Who played, by whatever names the format has."""


def adopt(given: Sequence[Brought], suite: Opened, out: Path, label: str | None, harness: str) -> RunDirectory:
    """Make a complete run of trajectories that a harness has kept, or nothing at all."""
    brought = sorted(given, key=lambda each: each.name)
    agent = dict(brought[0].agent)
    if any(each.agent != agent for each in brought):
        raise InputError("the trajectories are of different agents, versions or models: import them as a run each")
    heard = [[each.name, [list(call) for call in each.heard]] for each in brought]
    settings = {"door": harness, "agent": agent, "trajectories": digest(canonical_text(heard))}
    found = [(each, *_replayed(each, suite)) for each in brought]
    slots = _slots([(each, entry) for each, entry, _ in found])
    worlds = [entry for entry in suite.manifest.worlds if entry.id in {slot.world for slot in slots}]
    experiment = Experiment.of(
        label or agent.get("name", harness), Kind.EXTERNAL, settings, suite, worlds, len(slots) // len(worlds)
    )
    directory = RunDirectory(out)
    with directory.locked():
        directory.begin(experiment, suite.directory)
        for slot, (_, _, calls) in zip(slots, found, strict=True):
            _visit(Visit(directory, suite, slot), calls)
        directory.seal()
    return directory


def _visit(visit: Visit, calls: Sequence[Call]) -> None:
    for call in calls:
        visit.call(*call)
    visit.end(Event.TEXT_END)
    visit.close()


def _slots(found: Sequence[tuple[Brought, Entry]]) -> list[Slot]:
    """A place for each trajectory: the trial that it names, or else its turn among those of its world."""
    worlds: dict[str, list[int | None]] = {}
    for each, entry in found:
        worlds.setdefault(entry.id, []).append(each.trial)
    counts = {world: len(trials) for world, trials in worlds.items()}
    if len(set(counts.values())) > 1:
        few, many = min(counts, key=lambda world: counts[world]), max(counts, key=lambda world: counts[world])
        raise InputError(
            f"{few} was played {counts[few]} times and {many} {counts[many]} times: a run has as many trials of every world"
        )
    numbered = all(sorted(map(str, trials)) == sorted(map(str, range(1, len(trials) + 1))) for trials in worlds.values())
    taken = {world: iter(trials if numbered else range(1, len(trials) + 1)) for world, trials in worlds.items()}
    return [Slot(entry.id, int(next(taken[entry.id]) or 0)) for _, entry in found]


def _replayed(brought: Brought, suite: Opened) -> tuple[Entry, list[Call]]:
    """The world that a trajectory was played in, and its calls there."""
    problem = None
    for entry in _candidates(brought, suite):
        try:
            return entry, _executed(brought, suite.world(entry))
        except InputError as found:
            problem = problem or found
    raise problem or InputError(
        f"{shown(brought.name)} is about no world of {shown(suite.directory)}: name its suite with --suite"
    )


def _candidates(brought: Brought, suite: Opened) -> Iterator[Entry]:
    """The world that a trajectory names, or else those whose question its agent was asked: a pair of worlds shares one."""
    if brought.world is not None:
        yield suite.entry(brought.world)
        return
    yield from (entry for entry in suite.manifest.worlds if suite.presented(entry.id).question in brought.asked)


def _executed(brought: Brought, world: World) -> list[Call]:
    """The calls that the world executed or refused; InputError unless each is answered here as it was."""
    episode = Episode(world)
    for number, heard in enumerate(brought.heard, start=1):
        call = _own(heard, world)
        if call is None or heard.text == LATER_CALL:
            continue
        answer = episode.call(*call)
        if heard.text is None or heard.text.strip() != answer.text:
            how = "has no answer" if heard.text is None else "was answered otherwise than here"
            raise InputError(f"{shown(brought.name)}: call {number} ({shown(call.tool)}) {how}, so that it cannot be replayed")
    return episode.calls


def _own(heard: Heard, world: World) -> Call | None:
    """A call to a tool of the world, under whatever prefix a client gives it; None for one of the harness's own."""
    if (heard.text or "").strip() in (Episode(world).call("", {}).text, LATER_CALL):
        return heard.call  # refused by its name, whatever that ends with
    plain = heard.call.tool.rsplit("__", 1)[-1]
    return Call(plain, heard.call.arguments) if plain in {tool["name"] for tool in world.tools} else None
