"""Records recomputed from trajectories and the suite: to verify a run, and to rescore it after scoring has changed."""

from collections.abc import Collection, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from os.path import realpath
from pathlib import Path
from shutil import copytree, ignore_patterns

from algoworlds.batch import run_tasks
from algoworlds.core.canonical import JsonObject
from algoworlds.core.tool import Call
from algoworlds.disk import create_folder, make_owner_only_folder, read_regular_file
from algoworlds.errors import AlgoWorldsError, InputError, format_value
from algoworlds.runs.agents import AGENTS, CONDITION_AGENTS, TRACK_AGENTS
from algoworlds.runs.conversation import Conversation
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.session import SessionState
from algoworlds.runs.journal import pair_results, read_journal
from algoworlds.runs.judgement import Progress, judgement_problems
from algoworlds.runs.outcome import Event
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.schedule import Slot, build_schedule, differences
from algoworlds.runs.scripted import agent_stream, find_agent, open_suite_cached, play_agent
from algoworlds.runs.status import problems_without_replay
from algoworlds.suites.open import Play, Suite, open_suite
from algoworlds.suites.record import NOT_FIRST, FinishedTrajectory, PlayerKind, build_record, encode_record, replay_record
from algoworlds.tracks.track import BARE
from algoworlds.worlds.episode import Episode, ProgramMode, StopReason
from algoworlds.worlds.world import World


@dataclass(frozen=True)
class RescoreTask:
    """The finished evaluations of a run on one world."""

    run: Path
    suite: Path
    root: str
    world: str
    trials: tuple[int, ...]
    check_agent: bool
    """Whether a scripted agent plays again, so that the record of another agent is detected."""
    track: str
    mode: ProgramMode
    """What is done with the programs of trajectories."""


@dataclass(frozen=True)
class RescoredRecord:
    """The recomputed record of a slot and its changes, or the `problem` that prevents one."""

    slot: Slot
    document: JsonObject | None
    problem: str | None
    changes: tuple[str, ...] = ()


def rescore_run(
    directory: RunDirectory,
    suite: Suite,
    executor: Executor | None,
    progress: Progress,
    check_agent: bool = False,
    mode: ProgramMode = ProgramMode.REPLAY,
) -> Iterator[RescoredRecord]:
    """Every final record of a run, recomputed, in no particular order."""
    trials: dict[str, list[int]] = {}
    for slot in directory.finished_slots:
        trials.setdefault(slot.world, []).append(slot.trial)
    source = (directory.path.resolve(), suite.directory.resolve(), suite.manifest.root)
    tasks = [
        RescoreTask(*source, world, tuple(sorted(numbers)), check_agent, suite.track.name, mode)
        for world, numbers in sorted(trials.items())
    ]
    progress(0, len(tasks))
    for done, (_, records) in enumerate(run_tasks(rescore_world, tasks, executor), 1):
        yield from records
        progress(done, len(tasks))


def rescore_world(task: RescoreTask) -> list[RescoredRecord]:
    """The recomputed records of one world."""
    directory, suite = RunDirectory(task.run), open_suite_cached(task.suite, task.root, task.track)
    world = suite.world(suite.entries[task.world])
    return [_rescore_slot(directory, suite, world, Slot(task.world, trial), task) for trial in task.trials]


def _rescore_slot(directory: RunDirectory, suite: Suite, world: World, slot: Slot, task: RescoreTask) -> RescoredRecord:
    entry, run = suite.entries[slot.world], directory.document
    try:
        record = directory.read_record(slot)
        trajectory = _replay(directory, Play(suite.key, entry, Episode(world, mode=task.mode)), slot, record)
        if task.check_agent and directory.kind is PlayerKind.AGENT:
            _check_agent(run["plan"]["settings"]["agent"], world, slot, trajectory.episode)
        document = build_record(directory.provenance(slot), entry, suite.key(entry), trajectory)
    except AlgoWorldsError as problem:
        return RescoredRecord(slot, None, f"cannot be replayed: {problem}")
    except (KeyError, TypeError, ValueError, AttributeError):
        return RescoredRecord(slot, None, "cannot be replayed: it has not the form of a record")
    changes = tuple(differences(document, record))
    if not changes and read_regular_file(directory.path / "records" / f"{slot.name}.json") != encode_record(document):
        changes = ("the file is not in canonical form",)
    return RescoredRecord(slot, document, None, changes)


def _replay(directory: RunDirectory, play: Play, slot: Slot, record: JsonObject) -> FinishedTrajectory:
    """The trajectory of a slot: from its journal; of a scripted agent or an abridged run, from the calls in `record`."""
    world = play.episode.world
    if directory.kind is PlayerKind.AGENT:
        return _replay_calls(world, record, {Event.TEXT_END}, play.episode.mode)
    if directory.is_abridged:
        return _replay_abridged(directory.kind, world, record, play.episode.mode)
    if directory.kind is not PlayerKind.MODEL:
        return _replay_journal(directory, slot, SessionState(play))
    configuration = Configuration(**directory.document["plan"]["settings"])
    return _replay_journal(directory, slot, Conversation(configuration, world, play.episode.mode))


def _replay_abridged(kind: PlayerKind, world: World, record: JsonObject, mode: ProgramMode) -> FinishedTrajectory:
    """A trajectory without its journal: what only the journal knows of a model is taken from `record`."""
    episode_stops = {reason.value for reason in StopReason}
    endings = {event for event in Event if event.is_final and event.value not in episode_stops}
    trajectory = _replay_calls(world, record, endings, mode)
    if kind is not PlayerKind.MODEL:
        return FinishedTrajectory.from_episode(trajectory.episode, trajectory.stop_reason)
    turns = trajectory.call_turns
    own_turns = [turn for at, turn in enumerate(turns) if at not in trajectory.episode.made_by]
    if sorted(set(turns)) != own_turns or not {turn for turn, _ in trajectory.extra_calls} <= set(turns):
        raise InputError("its calls are not one a turn")
    return replace(trajectory, **{name: record[name] for name in ("model", "tokens", "cost")}, turn_count=record["turns"])


def _replay_calls(
    world: World, record: JsonObject, endings: Collection[Event], mode: ProgramMode = ProgramMode.REPLAY
) -> FinishedTrajectory:
    """The trajectory from the calls in `record`; an episode that did not end by itself ended by one of `endings`."""
    steps, event = record["trajectory"], Event(record["stop_reason"])
    episode = replay_record(world, record, mode)
    if event not in endings if episode.stop is None else event.value != episode.stop.value:
        raise InputError(f"its stop reason {event.value} does not fit its calls")
    turns = tuple(step["turn"] for step in steps if step["status"] != NOT_FIRST)
    extras = tuple((step["turn"], Call(step["tool"], step["arguments"])) for step in steps if step["status"] == NOT_FIRST)
    return FinishedTrajectory(episode, event.value, turns, extras, turn_count=episode.attempts)


def _check_agent(name: str, world: World, slot: Slot, episode: Episode) -> None:
    """Let the agent play again and compare: its calls depend on the world and the trial alone.

    A replay of another run cannot be compared, because that run may be anywhere.
    """
    if name == "replay":
        return
    if name not in AGENTS | CONDITION_AGENTS | TRACK_AGENTS:
        raise InputError(f"it was played by {format_value(name)}, which is not an agent of this version")
    programs = episode.computed.values()
    if play_agent(find_agent(name)(slot), world, agent_stream(name, slot), programs).episode.calls != episode.calls:
        raise InputError(f"its calls are not those that {format_value(name)} makes")


def _replay_journal(directory: RunDirectory, slot: Slot, state: Conversation | SessionState) -> FinishedTrajectory:
    """The trajectory that `state` reaches from the lines of the slot's journal."""
    lines, _ = read_journal(directory.path / "journal" / f"{slot.name}.jsonl")
    if not lines or lines[0] != directory.journal_heading(slot):
        raise InputError("its journal belongs to another run")
    for line, computed in pair_results(lines[1:]):
        if state.event is not None:
            raise InputError("its journal goes on after its end")
        if computed is not None:
            state.episode.expect(computed)
        state.feed(line)
    if state.event is None or not state.event.is_final:
        raise InputError("its journal stops before its end")
    return state.trajectory


def verify_run(
    directory: RunDirectory, suite: Suite, executor: Executor | None, progress: Progress, recorded: bool = False
) -> list[str]:
    """Everything that is wrong with a run: names, identities, digests, and every trajectory replayed against the suite.

    Programs run again and are compared, unless `recorded`.
    """
    run, problems = directory.document, problems_without_replay(directory)
    if suite.track is not BARE and not recorded:
        _require_same_sandbox(run["plan"]["track"], suite.track.identity)
    if (run["plan"]["suite"]["name"], run["plan"]["suite"]["root"]) != (suite.manifest.suite, suite.manifest.root):
        return [*problems, f"the run was made on a suite with root {run['plan']['suite']['root'][:16]}..., not on this one"]
    worlds = [entry.id for entry in suite.manifest.worlds if entry.id in run["plan"]["prompts"]]
    if directory.schedule != build_schedule(run["identity"], worlds, run["plan"]["trials"]):
        problems.append("run.json: the schedule is not in the order that its identity gives")
    for record in rescore_run(
        directory, suite, executor, progress, True, ProgramMode.REPLAY if recorded else ProgramMode.CHECK
    ):
        texts = [record.problem] if record.problem else record.changes
        problems += [f"records/{record.slot.name}.json: {text}" for text in texts]
    return sorted([*problems, *judgement_problems(directory, suite, executor, progress)])


def open_suite_of_run(directory: RunDirectory, suite: Path | None) -> Suite:
    """Open the suite of a run: at the path `suite`, or where the run says that it is."""
    path = suite or directory.suite_path
    if path is None:
        name = f"the suite {format_value(noted)}" if (noted := directory.document["suite"]) else "the suite"
        raise InputError(f"{name} of this run is not there: name it with --suite")
    return open_suite(path, directory.track)


def _require_same_sandbox(recorded: JsonObject, ours: JsonObject) -> None:
    """Raise InputError if programs cannot be compared because they ran in another sandbox."""
    if recorded != ours:
        changes = "; ".join(differences(ours, recorded))
        advice = "install what it names, or verify all but the programs with --recorded"
        raise InputError(f"the programs of this run were computed by something else ({changes}): {advice}")


def write_rescored_run(directory: RunDirectory, records: list[RescoredRecord], out: Path) -> None:
    """Copy a run to `out` with recomputed records; refused if one cannot be replayed. The original is not touched."""
    if broken := [record.slot.name for record in records if record.document is None]:
        raise InputError(
            f"{len(broken)} records cannot be replayed ({', '.join(map(format_value, broken[:3]))}): see algoworlds verify-run"
        )
    if Path(realpath(out)).is_relative_to(realpath(directory.path)):
        raise InputError(f"{format_value(out)} lies inside the run: choose another --out")
    if odd := [path for path in directory.path.rglob("*") if not (path.is_file() or path.is_dir())]:
        raise InputError(f"{format_value(odd[0])} is not a plain file and does not belong to a run: remove it")
    with create_folder(out) as folder:
        ignored = ignore_patterns("records", "judgements", "manifest.json", "lock", ".*.partial")
        copytree(directory.path, folder, ignore=ignored, dirs_exist_ok=True)
        make_owner_only_folder(folder / "records")
        target = RunDirectory(folder)
        for record in records:
            assert record.document is not None
            target.write_record(record.slot, record.document)
        if len(records) == len(target.schedule):
            target.write_manifest()
