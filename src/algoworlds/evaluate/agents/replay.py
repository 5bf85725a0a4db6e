"""The agent that repeats a recorded trajectory."""

from algoworlds.errors import InputError
from algoworlds.evaluate.agents import Agent
from algoworlds.evaluate.directory import RunDirectory
from algoworlds.evaluate.records import Evaluation, calls_of
from algoworlds.model.stream import Stream
from algoworlds.worlds.episode import Episode


def replay(source: RunDirectory, evaluation: Evaluation) -> Agent:
    """Makes exactly the calls that a finalized record holds."""
    if evaluation not in source.finished:
        raise InputError(f"{source.path} has no record of {evaluation.name}: replay a finished run, with its --trials")
    calls = calls_of(source.record(evaluation))

    def play(episode: Episode, stream: Stream) -> None:
        for call in calls:
            episode.call(*call)

    return play
