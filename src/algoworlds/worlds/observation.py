"""What a call comes to: apart from the episode and light to import, since an agent's own process holds nothing of a world."""

from enum import Enum
from json import loads
from typing import Any, NamedTuple


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


class Observation(NamedTuple):
    """What a call came to: its status, what it was charged, and the text that the agent sees, in one piece or in two."""

    status: Status
    charged: int
    head: str
    records: str = ""
    """The text of the records that an answer shows, which the world keeps: episodes have no copies of it."""

    @property
    def text(self) -> str:
        """What the agent sees."""
        return f"{self.head}{self.records}}}" if self.records else self.head

    @property
    def json(self) -> dict[str, Any]:
        """What the text says: `records` of an information call, `feasible` and `value` of an evaluation, or `error`."""
        return loads(self.text)  # type: ignore[no-any-return]
