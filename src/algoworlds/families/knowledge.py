"""The optional block `Knowledge`: what an agent could have known, for the oracle, certificates and judging.

`Ranges` bound numbers, and the checker prices decisions. Beyond that the oracle must be told which columns decide whether a
decision is feasible, which numbers one decision may use more than once, and how dependent tables may differ between
completions. The functions in `Unknowns` receive the completions, an instance whose numbers are settled, and the decision on
trial. They may return instances that are not completions unless stated otherwise, because witnesses are checked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from algoworlds.core.completions import Completions
from algoworlds.core.options import OptionKind
from algoworlds.core.ranges import ColumnRef, Range, Ranges


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
    """Relations whose unread rows are handled by `worst_structure`, `cases` and `relaxations`."""
    bonus_relations: frozenset[str] = frozenset()
    """Relations of `structure` whose unread rows may add to the lead of any rival: the bonus of `relaxations`."""
    keys_of: Mapping[str, str] = field(default_factory=dict)
    """For a relation, another one that always has the same keys, or "" if the rules fix its keys. Of all other relations that
    are not `complete` over public rosters, unread parts may have rows in completions that the hidden instance lacks."""
    idle_rows: frozenset[str] = frozenset()
    """Relations of numbers in which a further row matters only together with other cells: a price of what is not allowed."""
    exchanges: frozenset[ColumnRef] = frozenset()
    """Key columns of `structure` in which two ids may change places, with all their rows."""
    moves: frozenset[ColumnRef] = frozenset()
    """Key columns of `structure` in which a single row may have another id."""
    possible_breaks: Callable[[Completions, Any], Iterator[Any]] = lambda completions, decision: iter(())
    """Instances in which a decision may be infeasible, beyond those that change one row or exchange two."""
    worst_structure: Callable[[Completions, Any, Any], Any] = lambda completions, instance, decision: instance
    """The instance with the unread structure that is worst for the decision's feasibility."""
    cases: Callable[[Completions, Any], Iterable[Any]] = lambda completions, decision: (completions.instance,)
    """Instances that cover all ways in which unread structure may bear on a decision; yields None if there are too many."""
    cases_fix_structure: Callable[[Completions], bool] = lambda completions: False
    """Whether every case fixes the structure that the decision's value depends on, and the ranked ids in the rows of an
    evaluated decision."""
    unrelated_to_evaluation: Callable[[Completions], frozenset[str]] = lambda completions: frozenset()
    """Relations of `structure` that do not affect the value that was told for another, feasible decision."""
    relaxations: Callable[[Completions, Any, Any], Iterable[Relaxation]] = lambda completions, instance, decision: (
        Relaxation(instance),
    )
    """Relaxations such that every rival is at its best in one of them."""
    real_decision: Callable[[Completions, Any], Any] = lambda completions, rival: rival
    """A decision of the relaxed instance as one of the completions, as far as shared numbers are concerned."""
    complete_for_rival: Callable[[Completions, Any, Any, Any], tuple[Any, Any]] = lambda *arguments: (
        arguments[1],
        arguments[3],
    )
    """The instance with the unread structure that is best for `rival`, and the rival as a decision of that instance."""

    def __post_init__(self) -> None:
        for name in ("binding", "ranked", "keys_of"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))


def unused_character(*rosters: Iterable[str]) -> str:
    """A character that no id of `rosters` contains, "+" if possible: it joins ids into ids that can be taken apart again."""
    used = set(chain.from_iterable(chain.from_iterable(rosters)))
    return next(character for character in ("+", *map(chr, range(0xE000, 0x110000))) if character not in used)


Bounds = Mapping[ColumnRef, Range | tuple[int, int]]
"""For every hidden column of numbers `(relation, column)`, the least and the largest number that it may hold."""


@dataclass(frozen=True)
class Knowledge:
    """What an agent may rely on before it reads anything, and how unread cells bear on decisions. Every field is optional."""

    ranges: Callable[[Any], Ranges | Bounds] | None = None
    """What the question states of hidden numbers, by configuration; without it, nothing can be shown to be known."""
    unknowns: Unknowns | None = None
    """How unread cells bear on decisions; without it, an optimum can be shown to be unknown, but never to be known."""
    options: tuple[OptionKind, ...] = ()
    """What decisions are made of and which relations tell about it, for the regret that is due to facts never seen."""

    def ranges_for(self, config: Any) -> Ranges | None:
        """The declared ranges of the configuration `config`; None if the family declares none."""
        declared = None if self.ranges is None else self.ranges(config)
        if declared is None or isinstance(declared, Ranges):
            return declared
        return Ranges({column: pair if isinstance(pair, Range) else Range(*pair) for column, pair in declared.items()})
