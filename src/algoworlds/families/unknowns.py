"""What a family says of its unread cells, for saying when an optimum is known; most of it needs no saying.

Ranges say what a number may be, and the checker what a decision pays for. Beyond that the oracle must be told which columns
decide whether a decision is feasible, which numbers one decision may use more than once, and how tables that hang
together may differ between completions. Functions are given the completions, an instance whose numbers are settled, and
the decision on trial; what they return need not be a completion unless it says so, because witnesses are checked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from algoworlds.core.completions import Completions
from algoworlds.core.ranges import Place


class Relaxed(NamedTuple):
    """An instance in which rivals of a decision are worth at least what they can be worth in any completion.

    The decision itself is worth in it what it is worth in the completions, but for the bonus, unless it lacks what that names.
    """

    instance: Any
    bonus: int = 0
    """What completions can add to the lead of any rival, on top of its lead in the instance."""
    work: int = 0
    """What a solver did to find the instance, in its own counted operations."""


def _only(completions: Completions, decision: Any) -> Iterable[Any]:
    return (completions.instance,)


def _as_it_is(completions: Completions, instance: Any, decision: Any, rival: Any) -> tuple[Any, Any]:
    return instance, rival


@dataclass(frozen=True)
class Unknowns:
    """How the unread cells of a family bear on decisions."""

    binding: Mapping[Place, int] = field(default_factory=dict)
    """The columns that decide whether a decision is feasible: +1 if more (or true) can only help, -1 if less, 0 if neither.

    A relation without values has the empty name for its column.
    """
    shared: frozenset[Place] = frozenset()
    """The columns of numbers that one decision may use more than once, or another one more often."""
    ranked: Mapping[Place, str] = field(default_factory=dict)
    """The columns of ids of which one is better than another in any row alike, as a relation tells."""
    structure: frozenset[str] = frozenset()
    """Relations whose unread rows `hostile`, `cases` and `relaxed` take care of."""
    scopes: frozenset[str] = frozenset()
    """Those of them whose unread rows may add to the lead of any rival: the bonus of `relaxed`."""
    exchanges: frozenset[Place] = frozenset()
    """Columns of keys in it whose ids may change places, with all that two of them have."""
    moves: frozenset[Place] = frozenset()
    """Columns of keys in it in which a single row may have another id."""
    breaks: Callable[[Completions, Any], Iterator[Any]] = lambda completions, decision: iter(())
    """Instances in which a decision may be infeasible, beyond those that change one row or exchange two."""
    hostile: Callable[[Completions, Any, Any], Any] = lambda completions, instance, decision: instance
    """The instance with unread structure as bad for a decision's feasibility as can be."""
    cases: Callable[[Completions, Any], Iterable[Any]] = _only
    """Instances that stand for all ways in which unread structure may bear on a decision; None among them if there are more."""
    settles: Callable[[Completions], bool] = lambda completions: False
    """Whether every case settles the structure that the decision's own value depends on, and the ranked ids of the rows of a
    decision that was evaluated."""
    apart: Callable[[Completions], frozenset[str]] = lambda completions: frozenset()
    """Relations of the structure on which it does not depend what another decision, found feasible, was told to be worth."""
    relaxed: Callable[[Completions, Any, Any], Iterable[Relaxed]] = lambda completions, instance, decision: (Relaxed(instance),)
    """Instances with unread structure so good for rivals that every rival is as good as it can be in one of them."""
    read: Callable[[Any], Any] = lambda rival: rival
    """A decision of the relaxed instance as one of the completions, as far as shared numbers are concerned."""
    made: Callable[[Completions, Any, Any, Any], tuple[Any, Any]] = _as_it_is
    """The instance with unread structure as good as can be for a decision of the relaxed one, and that decision in it."""

    def __post_init__(self) -> None:
        for name in ("binding", "ranked"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
