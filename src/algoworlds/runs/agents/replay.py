"""The agent that repeats a recorded trajectory."""

from algoworlds.core.stream import Stream
from algoworlds.errors import InputError, shown
from algoworlds.runs.agents import Agent
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.slot import Slot
from algoworlds.suites.record import calls_of
from algoworlds.worlds.episode import Episode


def replay(source: RunDirectory, slot: Slot) -> Agent:
    """Makes exactly the calls that a finalized record holds."""
    if slot not in source.finished:
        raise InputError(f"{shown(source.path)} has no record of {shown(slot.name)}: replay a finished run, with its --trials")
    calls = calls_of(source.record(slot))

    def play(episode: Episode, stream: Stream) -> None:
        for call in calls:
            episode.call(*call)

    return play
