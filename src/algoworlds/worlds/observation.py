"""What a call comes to: apart from the episode and light to import, since an agent's own process holds nothing of a world."""

from enum import Enum
from json import loads
from typing import Any, NamedTuple, Protocol


class Status(Enum):
    """What became of a call."""

    EXECUTED = "executed"
    SUBMITTED = "submitted"
    UNKNOWN_TOOL = "unknown_tool"
    BAD_ARGUMENTS = "bad_arguments"
    UNKNOWN_ID = "unknown_id"
    BAD_WINDOW = "bad_window"
    OVER_BUDGET = "over_budget"
    EVALUATION_USED = "evaluation_used"
    MALFORMED_DECISION = "malformed_decision"
    CALL_CAP = "call_cap"
    ENDED = "ended"


class Answering(Protocol):
    """Who writes what a call shows: the world."""

    def records(self, call: Any) -> Any:
        """The records that answer a call that was executed, as JSON text."""


class Observation(NamedTuple):
    """What a call came to: its status, what it was charged, and the text that the agent sees.

    The records of an answer are written when somebody reads them, and kept by the world: who replays an episode to score it
    needs none of them, and episodes have no copies.
    """

    status: Status
    charged: int
    head: str
    world: Answering | None = None
    call: Any = None

    @property
    def records(self) -> str:
        """The text of the records that an answer shows; empty if it shows none."""
        return "" if self.world is None else str(self.world.records(self.call))

    @property
    def text(self) -> str:
        """What the agent sees."""
        return self.head if self.world is None else f"{self.head}{self.world.records(self.call)}}}"

    @property
    def json(self) -> dict[str, Any]:
        """What the text says: `records` of an information call, `feasible` and `value` of an evaluation, or `error`."""
        return loads(self.text)  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Observation) and self[:2] == other[:2] and self.text == other.text

    def __repr__(self) -> str:
        return f"Observation({self.status}, charged={self.charged}, text={self.text!r})"  # and nothing of the world

    def __hash__(self) -> int:
        return hash(self[:2])

    def __reduce__(self) -> tuple[Any, ...]:
        return Observation, (self.status, self.charged, self.text)  # no world goes to another process
