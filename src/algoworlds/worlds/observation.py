"""The result of a call. A module of its own, light to import: an agent's process needs it without any world."""

from enum import Enum
from json import loads
from typing import Any, NamedTuple, Protocol

from algoworlds.core.canonical import JsonObject
from algoworlds.errors import format_value


class Status(Enum):
    """The result of a call: executed, submitted, or why it was rejected."""

    EXECUTED = "executed"
    COMPUTED = "computed"
    SUBMITTED = "submitted"
    UNKNOWN_TOOL = "unknown_tool"
    BAD_ARGUMENTS = "bad_arguments"
    UNKNOWN_ID = "unknown_id"
    BAD_WINDOW = "bad_window"
    OVER_BUDGET = "over_budget"
    OVER_COMPUTE = "over_compute"
    EVALUATION_USED = "evaluation_used"
    MALFORMED_DECISION = "malformed_decision"
    CALL_CAP = "call_cap"
    ENDED = "ended"


class RecordSource(Protocol):
    """The source of a call's records: the world."""

    def records(self, call: Any) -> Any:
        """The records of an executed call or look, as JSON text."""


class Observation(NamedTuple):
    """The result of a call: its status, its charge, and the text that the agent sees.

    Records are encoded when the text is first read, and cached by the world: replaying an episode to score it needs none
    of them, and episodes hold no copies.
    """

    status: Status
    charged: int
    head: str
    world: RecordSource | None = None
    call: Any = None

    @property
    def records(self) -> str:
        """The JSON text of the records; empty if there are none."""
        return "" if self.world is None else str(self.world.records(self.call))

    @property
    def text(self) -> str:
        """The text that the agent sees."""
        return self.head if self.world is None else f"{self.head}{self.world.records(self.call)}}}"

    @property
    def json(self) -> JsonObject:
        """The parsed text: `records` of an information call, `feasible` and `value` of an evaluation, or `error`."""
        return loads(self.text)  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Observation) and self[:2] == other[:2] and self.text == other.text

    def __repr__(self) -> str:
        return f"<Observation {self.status.value}, charged {self.charged}: {format_value(self.text)}>"

    def __hash__(self) -> int:
        return hash(self[:2])

    def __reduce__(self) -> tuple[Any, ...]:
        return Observation, (self.status, self.charged, self.text)  # the world never goes to another process
