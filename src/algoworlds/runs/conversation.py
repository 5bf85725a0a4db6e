"""The state machine between a model and an episode. It does no input or output: resuming is feeding it the journal."""

from collections.abc import Mapping
from typing import Any

from algoworlds.core.canonical import compact_text
from algoworlds.core.tool import Call
from algoworlds.runs.outcome import EMPTY_CALLS, Event
from algoworlds.runs.providers.apis import APIS
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.turn import Finish, Turn, Usage, total
from algoworlds.suites.record import Played
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World

LATER_CALL = compact_text({"error": "Only the first call of a turn is executed. Make one call at a time."})
"""The answer to the second and any further call of one turn, whatever it asks."""

_ENDINGS = {
    Finish.LENGTH: Event.OUTPUT_CAP,
    Finish.REFUSAL: Event.REFUSAL,
    Finish.CONTENT_FILTER: Event.CONTENT_FILTER,
}


class Conversation:
    """One evaluation as the provider sees it: `body` is the next request, until `event` says how it ended."""

    def __init__(self, configuration: Configuration, world: World) -> None:
        """The beginning: the question is asked and nothing answered."""
        self._api, self._configuration = APIS[configuration.api], configuration
        self.body: dict[str, Any] = self._api.opening(configuration, world.question, world.tools)
        self.episode = Episode(world)
        self.event: Event | None = None
        self.turn = 0
        self._empty = 0
        self._call_turns: list[int] = []
        self._extras: list[tuple[int, Call]] = []
        self._texts: list[tuple[int, str]] = []
        self._usage: list[Usage] = []
        self._model: str | None = None

    def feed(self, line: Mapping[str, Any], turn: Turn | None = None) -> None:
        """Advance by one journal line: a provider's response, with the turn it was read as if it was, or an event instead."""
        self.turn += 1
        if "event" in line:
            self.event = Event(line["event"])
            return
        response = line["response"]
        turn = turn or self._api.turn(response)
        self._note(turn)
        self.event = self._ending(turn)
        if self.event is None and turn.calls:
            self._act(response, turn)

    def _note(self, turn: Turn) -> None:
        self._usage.append(turn.usage)
        self._model = turn.model or self._model
        if turn.text:
            self._texts.append((self.turn, turn.text))

    def _ending(self, turn: Turn) -> Event | None:
        """How a turn ends the evaluation without a call; a turn cut off by a limit executes nothing."""
        if turn.finish in _ENDINGS:
            return _ENDINGS[turn.finish]
        if turn.calls:
            return None
        if turn.finish is Finish.CALLS and self._empty < EMPTY_CALLS:
            self._empty += 1
            return None  # announced calls and made none: the same request is sent again
        return Event.TEXT_END

    def _act(self, response: dict[str, Any], turn: Turn) -> None:
        """Execute the first call of the turn and answer every one."""
        first, *later = turn.calls
        observation = self.episode.call(first.tool, first.arguments)
        self._call_turns.append(self.turn)
        self._extras += [(self.turn, Call(asked.tool, asked.arguments)) for asked in later]
        if self.episode.stop is not None:
            self.event = Event(self.episode.stop.value)
            return
        self.body = self._api.continued(self.body, response, [observation.text, *(LATER_CALL for _ in later)])

    @property
    def usage(self) -> tuple[Usage, ...]:
        """Tokens of each turn."""
        return tuple(self._usage)

    @property
    def model(self) -> str | None:
        """The model that answered, as it calls itself."""
        return self._model

    @property
    def later_calls(self) -> int:
        """Calls beside the first of their turn, each of them refused."""
        return len(self._extras)

    @property
    def tokens(self) -> dict[str, int | None]:
        """Tokens of all turns by kind; None where any turn does not tell."""
        return total(self._usage)._asdict()

    @property
    def cost(self) -> float | None:
        """What the turns cost in USD by the configuration's prices; None where that cannot be told."""
        return self._configuration.cost(Usage(**self.tokens))

    @property
    def played(self) -> Played:
        """The finished evaluation."""
        assert self.event is not None
        return Played(
            self.episode,
            self.event.value,
            tuple(self._call_turns),
            tuple(self._extras),
            tuple(self._texts),
            self.turn,
            self._model,
            self.tokens,
            self.cost,
        )
