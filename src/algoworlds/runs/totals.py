"""The totals of a run while it goes on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.turn import Usage


@dataclass
class Totals:
    """The state of a run, for progress displays."""

    scheduled: int
    finished: int
    running: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    requests: int = 0
    retries: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    """Failed requests, by kind of fault."""
    reasons: dict[str, str] = field(default_factory=dict)
    """The latest message of each kind of fault, in the order of their latest occurrence."""
    tokens: int = 0
    cost: float = 0.0
    """USD; a turn that does not state all its tokens counts with the most that it can have cost."""
    turns_without_tokens: int = 0
    """The number of such turns."""
    pending: dict[str, int] = field(default_factory=dict)
    """Evaluations left for later, by kind of fault."""
    halted: str | None = None
    """Why the run starts nothing further."""
    interrupted: bool = False
    """Whether a signal came."""

    @classmethod
    def from_directory(cls, directory: RunDirectory) -> "Totals":
        """The totals before anything runs, with the cost of the finished evaluations."""
        totals = cls(len(directory.schedule), 0)
        for record in directory.read_records():
            totals.count_record(record)
            tokens = record["tokens"] or {}
            totals.tokens += (tokens.get("input") or 0) + (tokens.get("output") or 0)
            totals.cost += record["cost"] or 0.0
        return totals

    def count_turn(self, configuration: Configuration, usage: Usage, request_bytes: int) -> float | None:
        """Count a turn and return its cost in USD, if there are prices; `request_bytes` bounds tokens that are not stated."""
        self.tokens += (usage.input or 0) + (usage.output or 0)
        if not configuration.has_prices:
            return None
        cost = configuration.cost(usage)
        if cost is None:
            self.turns_without_tokens += 1
            cost = configuration.cost_bound(usage, request_bytes)
        self.cost += cost
        return cost

    def count_fault(self, kind: str, detail: str | None) -> None:
        """Count a failed request."""
        self.faults[kind] = self.faults.get(kind, 0) + 1
        self.reasons.pop(kind, None)
        self.reasons[kind] = f"{kind}: {detail}" if detail else kind

    def count_earlier_attempts(self, attempts: Iterable[Mapping[str, Any]]) -> None:
        """Raise the cost to at least what the attempt log of earlier runs states."""
        answered = [attempt for attempt in attempts if attempt.get("tokens") is not None]
        usages = [attempt["tokens"] for attempt in answered]
        self.turns_without_tokens += sum(None in (usage["input"], usage["output"]) for usage in usages)
        self.cost = max(self.cost, sum(attempt.get("cost") or 0.0 for attempt in answered))

    def count_record(self, record: Mapping[str, Any]) -> None:
        """Count a final record."""
        self.finished += 1
        name = "exact" if record["exact"] else record["outcome"]
        self.outcomes[name] = self.outcomes.get(name, 0) + 1
