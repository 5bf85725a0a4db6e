"""Records computed anew from trajectories and the suite: for verification, and when scoring has changed."""

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

from algoworlds.batch import results
from algoworlds.core.tool import Call
from algoworlds.disk import read_plain
from algoworlds.errors import AlgoWorldsError, InputError, shown
from algoworlds.runs.agents import AGENTS
from algoworlds.runs.conversation import Conversation
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.visit import Sitting
from algoworlds.runs.inventory import unreplayed
from algoworlds.runs.journal import read
from algoworlds.runs.judgement import misjudged
from algoworlds.runs.outcome import OUTCOMES, Event
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.schedule import differences, scheduled
from algoworlds.runs.scripted import agent_named, opened, played_by, stream_of
from algoworlds.runs.slot import Slot
from algoworlds.suites.opened import Opened, Play, open_suite
from algoworlds.suites.record import NOT_FIRST, Kind, Played, calls_of, record, spelled
from algoworlds.worlds.episode import Episode, Stop
from algoworlds.worlds.world import World

STOPS = {each.value for each in Stop}
"""How an episode can end by itself."""


@dataclass(frozen=True)
class Rereading:
    """The finalized evaluations of a run on one world."""

    run: Path
    suite: Path
    root: str
    world: str
    trials: tuple[int, ...]
    asking_who: bool
    """Whether a scripted agent is also made to play again, so that no other can pass for it."""


@dataclass(frozen=True)
class Rescored:
    """An evaluation's record as it stands and as it should; `problem` says why it cannot be computed."""

    slot: Slot
    document: dict[str, Any] | None
    problem: str | None
    changes: tuple[str, ...] = ()


def rescore_run(
    directory: RunDirectory,
    suite: Opened,
    executor: Executor | None,
    progress: Callable[[int, int], Any],
    asking_who: bool = False,
) -> Iterator[Rescored]:
    """Every finalized record of a run, computed anew, in no particular order."""
    worlds: dict[str, list[int]] = {}
    for slot in directory.finished:
        worlds.setdefault(slot.world, []).append(slot.trial)
    places = (directory.path.resolve(), suite.directory.resolve(), suite.manifest.root)
    rereadings = [Rereading(*places, world, tuple(sorted(trials)), asking_who) for world, trials in sorted(worlds.items())]
    progress(0, len(rereadings))
    for done, (_, found) in enumerate(results(rescore, rereadings, executor), 1):
        yield from found
        progress(done, len(rereadings))


def rescore(rereading: Rereading) -> list[Rescored]:
    """The records of one world computed anew."""
    directory, suite = RunDirectory(rereading.run), opened(rereading.suite, rereading.root)
    world = suite.world(suite.entries[rereading.world])
    slots = [Slot(rereading.world, trial) for trial in rereading.trials]
    return [_rescored(directory, suite, world, slot, rereading.asking_who) for slot in slots]


def _rescored(directory: RunDirectory, suite: Opened, world: World, slot: Slot, asking_who: bool) -> Rescored:
    entry, run = suite.entries[slot.world], directory.document
    try:
        stands = directory.record(slot)
        played = _played(directory, Play(suite.key, entry, Episode(world)), slot, stands)
        if asking_who and directory.kind is Kind.AGENT:
            _require_agent(run["plan"]["settings"]["agent"], world, slot, played.episode)
        computed = record(directory.whose(slot), entry, suite.key(entry), played)
    except AlgoWorldsError as problem:
        return Rescored(slot, None, f"cannot be replayed: {problem}")
    except (KeyError, TypeError, ValueError, AttributeError):
        return Rescored(slot, None, "cannot be replayed: it has not the form of a record")
    changed = tuple(differences(computed, stands))
    if not changed and read_plain(directory.path / "records" / f"{slot.name}.json") != spelled(computed):
        changed = ("the file is spelled otherwise",)
    return Rescored(slot, computed, None, changed)


def _played(directory: RunDirectory, play: Play, slot: Slot, stands: dict[str, Any]) -> Played:
    """The trajectory again: a scripted agent's from the calls in its record, any other from its journal while there is one."""
    world = play.episode.world
    if directory.kind is Kind.AGENT:
        return _from_calls(world, stands, {Event.TEXT_END})
    if directory.abridged:
        return _abridged(directory.kind, world, stands)
    if directory.kind is not Kind.MODEL:
        return _from_journal(directory, slot, Sitting(play))
    return _from_journal(directory, slot, Conversation(Configuration(**directory.document["plan"]["settings"]), world))


def _abridged(kind: Kind, world: World, stands: dict[str, Any]) -> Played:
    """A trajectory whose journal was left out: what only a journal tells of a model is taken as the record states it."""
    played = _from_calls(world, stands, {event for event, rule in OUTCOMES.items() if rule.final and event.value not in STOPS})
    if kind is not Kind.MODEL:
        return Played.by_calls(played.episode, played.stop_reason)
    if sorted(set(played.turns)) != list(played.turns) or not {turn for turn, _ in played.extras} <= set(played.turns):
        raise InputError("its calls are not one a turn")
    return replace(played, **{name: stands[name] for name in ("model", "tokens", "cost")}, rounds=stands["turns"])


def _from_calls(world: World, stands: dict[str, Any], endings: Collection[Event]) -> Played:
    """A trajectory by the calls in its record; one that the episode did not end by itself ended in one of some ways."""
    steps, event = stands["trajectory"], Event(stands["stop_reason"])
    episode = Episode(world, calls_of(stands))
    if event not in endings if episode.stop is None else event.value != episode.stop.value:
        raise InputError(f"its stop reason {event.value} does not fit its calls")
    turns = tuple(step["turn"] for step in steps if step["status"] != NOT_FIRST)
    extras = tuple((step["turn"], Call(step["tool"], step["arguments"])) for step in steps if step["status"] == NOT_FIRST)
    return Played(episode, event.value, turns, extras, rounds=episode.attempts)


def _require_agent(name: str, world: World, slot: Slot, episode: Episode) -> None:
    """Let the agent play again and compare: its calls are a function of the world and the trial.

    A replay of another run has nothing to be compared with: that run may lie anywhere.
    """
    if name == "replay":
        return
    if name not in AGENTS:
        raise InputError(f"it was played by {shown(name)}, which is no agent of this version")
    again = played_by(agent_named(name)(slot), world, stream_of(name, slot))
    if again.episode.calls != episode.calls:
        raise InputError(f"its calls are not those that {shown(name)} makes")


def _from_journal(directory: RunDirectory, slot: Slot, told: Conversation | Sitting) -> Played:
    """What the journal of an evaluation tells whoever is fed with it."""
    lines, _ = read(directory.path / "journal" / f"{slot.name}.jsonl")
    if not lines or lines[0] != directory.heading(slot):
        raise InputError("its journal belongs to another run")
    for line in lines[1:]:
        if told.event is not None:
            raise InputError("its journal goes on after its end")
        told.feed(line)
    if told.event is None or not OUTCOMES[told.event].final:
        raise InputError("its journal stops before its end")
    return told.played


def verify_run(
    directory: RunDirectory, suite: Opened, executor: Executor | None, progress: Callable[[int, int], Any]
) -> list[str]:
    """Everything that is wrong with a run: names, identities, digests, and every trajectory replayed against the suite."""
    run = directory.document
    problems = unreplayed(directory)
    if (run["plan"]["suite"]["name"], run["plan"]["suite"]["root"]) != (suite.manifest.suite, suite.manifest.root):
        return [*problems, f"the run was made on a suite with root {run['plan']['suite']['root'][:16]}..., not on this one"]
    worlds = [entry.id for entry in suite.manifest.worlds if entry.id in run["plan"]["prompts"]]
    if directory.schedule != scheduled(run["identity"], worlds, run["plan"]["trials"]):
        problems.append("run.json: the schedule is not in the order that its identity gives")
    for each in rescore_run(directory, suite, executor, progress, asking_who=True):
        place = f"records/{each.slot.name}.json"
        problems += [f"{place}: {each.problem}"] if each.problem else [f"{place}: {change}" for change in each.changes]
    return sorted([*problems, *misjudged(directory, suite, executor, progress)])


def suite_of(directory: RunDirectory, given: Path | None) -> Opened:
    """The suite that a run was made on: the one given, or the one it remembers."""
    place = given or directory.suite_place
    if place is None:
        named = f"the suite {shown(was)}" if (was := directory.document["suite"]) else "the suite"
        raise InputError(f"{named} of this run is not there: name it with --suite")
    return open_suite(place)


def write_rescored(directory: RunDirectory, made: list[Rescored], out: Path) -> None:
    """A copy of a run with records computed anew; refused where one cannot be, and the original is never touched."""
    if broken := [each.slot.name for each in made if each.document is None]:
        raise InputError(
            f"{len(broken)} records cannot be replayed ({', '.join(map(shown, broken[:3]))}): algoworlds verify-run says why"
        )
    if out.exists() or out.resolve().is_relative_to(directory.path.resolve()):
        raise InputError(f"{shown(out)} exists or lies inside the run: choose another --out")
    if odd := [path for path in directory.path.rglob("*") if not (path.is_file() or path.is_dir())]:
        raise InputError(f"{shown(odd[0])} is no plain file, which no run has: remove it")
    copytree(directory.path, out, ignore=ignore_patterns("records", "judgements", "manifest.json", "lock"))
    (out / "records").mkdir()
    target = RunDirectory(out)
    for each in made:
        assert each.document is not None
        target.finalize(each.slot, each.document)
    if len(made) == len(target.schedule):
        target.seal()
