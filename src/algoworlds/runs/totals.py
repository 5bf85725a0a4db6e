"""How a run stands while it goes on."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.providers.configuration import Configuration
from algoworlds.runs.providers.turn import Usage


@dataclass
class Totals:
    """How a run stands, for whoever watches it."""

    scheduled: int
    finished: int
    running: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    requests: int = 0
    retries: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    """Requests that came to nothing, by kind of fault."""
    reasons: dict[str, str] = field(default_factory=dict)
    """The latest of each kind in words, the latest of all last."""
    tokens: int = 0
    cost: float = 0.0
    """USD, never less than what was told; a turn that tells not all its tokens counts as the most it can have cost."""
    untold: int = 0
    """Turns counted so."""
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

    def count(self, configuration: Configuration, usage: Usage, sent: int) -> float | None:
        """Count what a turn took and give its cost in USD, if there are prices; `sent` are the bytes of its request."""
        self.tokens += (usage.input or 0) + (usage.output or 0)
        if not configuration.priced:
            return None
        cost = configuration.cost(usage)
        if cost is None:
            self.untold += 1
            cost = configuration.bound(usage, sent)
        self.cost += cost
        return cost

    def trouble(self, kind: str, detail: str | None) -> None:
        """Count a request that came to nothing."""
        self.faults[kind] = self.faults.get(kind, 0) + 1
        self.reasons.pop(kind, None)
        self.reasons[kind] = f"{kind}: {detail}" if detail else kind

    def recall(self, attempts: Iterable[Mapping[str, Any]]) -> None:
        """Count no less than what earlier runs wrote down with every attempt, whatever the records tell."""
        answered = [each for each in attempts if each.get("tokens") is not None]
        self.untold += sum(None in (each["tokens"]["input"], each["tokens"]["output"]) for each in answered)
        self.cost = max(self.cost, sum(each.get("cost") or 0.0 for each in answered))

    def finish(self, document: Mapping[str, Any]) -> None:
        """Count a finalized record."""
        self.finished += 1
        name = "exact" if document["exact"] else document["outcome"]
        self.outcomes[name] = self.outcomes.get(name, 0) + 1
