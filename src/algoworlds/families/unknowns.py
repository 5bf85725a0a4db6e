"""What a family declares about unread cells, so that the oracle can say when an optimum is known.

`Ranges` bound numbers, and the checker prices decisions. Beyond that the oracle must be told which columns decide whether a
decision is feasible, which numbers one decision may use more than once, and how dependent tables may differ between
completions. The functions below receive the completions, an instance whose numbers are settled, and the decision on trial.
They may return instances that are not completions unless stated otherwise, because witnesses are checked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from algoworlds.core.completions import Completions
from algoworlds.core.ranges import ColumnRef


class Relaxation(NamedTuple):
    """An instance in which every rival of a decision is worth at least what it can be worth in any completion.

    The decision itself has the value that it has in the completions, less at most `bonus`.
    """

    instance: Any
    bonus: int = 0
    """What completions can add to the lead of any rival, on top of its lead in `instance`."""
    work: int = 0
    """Counted operations of a solver that was used to find `instance`."""


@dataclass(frozen=True)
class Unknowns:
    """How the unread cells of a family bear on decisions."""

    binding: Mapping[ColumnRef, int] = field(default_factory=dict)
    """The columns that decide feasibility: +1 if more (or true) can only help, -1 if less can only help, 0 otherwise.

    In a relation without values, the column name is empty.
    """
    shared: frozenset[ColumnRef] = frozenset()
    """Columns of numbers that one decision may use more than once, or that another one may use more often."""
    ranked: Mapping[ColumnRef, str] = field(default_factory=dict)
    """Columns of ids that a relation (the value) ranks: a better id is better in every row."""
    structure: frozenset[str] = frozenset()
    """Relations whose unread rows are handled by `hostile`, `cases` and `relaxed`."""
    scopes: frozenset[str] = frozenset()
    """Relations of `structure` whose unread rows may add to the lead of any rival: the bonus of `relaxed`."""
    exchanges: frozenset[ColumnRef] = frozenset()
    """Key columns of `structure` in which two ids may change places, with all their rows."""
    moves: frozenset[ColumnRef] = frozenset()
    """Key columns of `structure` in which a single row may have another id."""
    breaks: Callable[[Completions, Any], Iterator[Any]] = lambda completions, decision: iter(())
    """Instances in which a decision may be infeasible, beyond those that change one row or exchange two."""
    hostile: Callable[[Completions, Any, Any], Any] = lambda completions, instance, decision: instance
    """The instance with the unread structure that is worst for the decision's feasibility."""
    cases: Callable[[Completions, Any], Iterable[Any]] = lambda completions, decision: (completions.instance,)
    """Instances that cover all ways in which unread structure may bear on a decision; yields None if there are too many."""
    settles: Callable[[Completions], bool] = lambda completions: False
    """Whether every case fixes the structure that the decision's value depends on, and the ranked ids in the rows of an
    evaluated decision."""
    apart: Callable[[Completions], frozenset[str]] = lambda completions: frozenset()
    """Relations of `structure` that do not affect the value that was told for another, feasible decision."""
    relaxed: Callable[[Completions, Any, Any], Iterable[Relaxation]] = lambda completions, instance, decision: (
        Relaxation(instance),
    )
    """Relaxations such that every rival is at its best in one of them."""
    read: Callable[[Any], Any] = lambda rival: rival
    """A decision of the relaxed instance as one of the completions, as far as shared numbers are concerned."""
    made: Callable[[Completions, Any, Any, Any], tuple[Any, Any]] = lambda completions, instance, decision, rival: (
        instance,
        rival,
    )
    """The instance with the unread structure that is best for `rival`, and the rival as a decision of that instance."""

    def __post_init__(self) -> None:
        for name in ("binding", "ranked"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
