"""State machine between a model and an episode, without I/O: to resume, feed it the journal."""

from collections.abc import Mapping
from typing import Any

from algoworlds.core.canonical import JsonObject, compact_json
from algoworlds.core.tool import Call
from algoworlds.runs.outcome import MAX_EMPTY_CALL_TURNS, Event
from algoworlds.runs.providers import APIS
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.turn import FinishReason, Turn, Usage, total_usage
from algoworlds.suites.record import FinishedTrajectory
from algoworlds.worlds.episode import Episode, ProgramMode
from algoworlds.worlds.world import World

LATER_CALL_ANSWER = compact_json({"error": "Only the first call of a turn is executed. Make one call at a time."})
"""The answer to the second and any further call of one turn."""

_FINAL_EVENTS = {
    FinishReason.LENGTH: Event.OUTPUT_CAP,
    FinishReason.REFUSAL: Event.REFUSAL,
    FinishReason.CONTENT_FILTER: Event.CONTENT_FILTER,
}


class Conversation:
    """One evaluation as the provider sees it: `body` is the next request, until `event` says how it ended.

    `model` is the name of the model in its responses.
    """

    def __init__(self, configuration: Configuration, world: World, mode: ProgramMode = ProgramMode.RUN) -> None:
        """Start a conversation with the question of `world`; `mode` says what is done with programs."""
        self._api, self._configuration = APIS[configuration.api], configuration
        self.body: JsonObject = self._api.first_body(configuration, world.question, world.tools)
        self.episode = Episode(world, mode=mode)
        self.event: Event | None = None
        self.turn = 0
        self._empty = 0
        self._call_turns: list[int] = []
        self._extras: list[tuple[int, Call]] = []
        self._texts: list[tuple[int, str]] = []
        self.usage_by_turn: list[Usage] = []
        self.model: str | None = None

    def feed(self, line: Mapping[str, Any], turn: Turn | None = None) -> None:
        """Advance by one journal line, which has a response or an event; `turn` is the response if it was read already."""
        self.turn += 1
        if "event" in line:
            self.event = Event(line["event"])
            return
        response = line["response"]
        turn = turn or self._api.read_turn(response)
        self.usage_by_turn.append(turn.usage)
        self.model = turn.model or self.model
        if turn.text:
            self._texts.append((self.turn, turn.text))
        self.event = self._end_event(turn)
        if self.event is None and turn.calls:
            self._execute(response, turn)

    def _end_event(self, turn: Turn) -> Event | None:
        """How `turn` ends the evaluation, if it has no call or was cut off; None if the evaluation goes on."""
        if turn.finish in _FINAL_EVENTS:
            return _FINAL_EVENTS[turn.finish]
        if turn.calls:
            return None
        if turn.finish is FinishReason.CALLS and self._empty < MAX_EMPTY_CALL_TURNS:
            self._empty += 1
            return None  # announced calls and made none: the same request is sent again
        return Event.TEXT_END

    def _execute(self, response: JsonObject, turn: Turn) -> None:
        """Execute the first call of the turn, and answer all of them."""
        first, *later = turn.calls
        before = self.episode.attempts
        observation = self.episode.call(first.tool, first.arguments)
        self._call_turns += [self.turn] * (self.episode.attempts - before)  # more than one if a program made calls
        self._extras += [(self.turn, Call(call.tool, call.arguments)) for call in later]
        if self.episode.stop is not None:
            self.event = Event(self.episode.stop.value)
            return
        self.body = self._api.next_body(self.body, response, [observation.text, *(LATER_CALL_ANSWER for _ in later)])

    @property
    def program_of_turn(self) -> int | None:
        """The position of the call by which the latest turn ran a program; None if it ran none."""
        at = len(self.episode.calls) - self._call_turns.count(self.turn)
        return at if self._call_turns and at in self.episode.computed and self._call_turns[-1] == self.turn else None

    @property
    def later_calls(self) -> int:
        """Number of calls after the first of their turn, all of which were refused."""
        return len(self._extras)

    @property
    def tokens(self) -> dict[str, int | None]:
        """Tokens of all turns by kind; None if a turn does not report that kind."""
        return total_usage(self.usage_by_turn)._asdict()

    @property
    def cost(self) -> float | None:
        """Cost of the turns in USD by the configuration's prices; None if unknown."""
        return self._configuration.cost(Usage(**self.tokens))

    @property
    def trajectory(self) -> FinishedTrajectory:
        """The finished evaluation."""
        assert self.event is not None
        return FinishedTrajectory(
            self.episode,
            self.event.value,
            tuple(self._call_turns),
            tuple(self._extras),
            tuple(self._texts),
            self.turn,
            self.model,
            self.tokens,
            self.cost,
        )
