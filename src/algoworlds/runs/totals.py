"""How a run stands while it goes on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from algoworlds.runs.directory import RunDirectory


@dataclass
class Totals:
    """How a run stands, for whoever watches it."""

    scheduled: int
    finished: int
    running: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    requests: int = 0
    retries: int = 0
    tokens: int = 0
    cost: float = 0.0
    pending: dict[str, int] = field(default_factory=dict)
    """Why evaluations were left for later, by kind of fault."""
    halted: str | None = None
    """Why nothing further is asked."""
    interrupted: bool = False
    """Whether a signal came."""

    @classmethod
    def of(cls, directory: RunDirectory) -> "Totals":
        """How a run stands before anything is asked, with what its finished evaluations have cost."""
        totals = cls(len(directory.schedule), 0)
        for document in directory.records():
            totals.finish(document)
            tokens = document["tokens"] or {}
            totals.tokens += (tokens.get("input") or 0) + (tokens.get("output") or 0)
            totals.cost += document["cost"] or 0.0
        return totals

    def finish(self, document: Mapping[str, Any]) -> None:
        """Count a finalized record."""
        self.finished += 1
        name = "exact" if document["exact"] else document["outcome"]
        self.outcomes[name] = self.outcomes.get(name, 0) + 1
