"""Counterfactuals: a small change in one channel that changes the optimal decision, with a witness.

The proof is the checker's alone: in the changed instance the old optimum is infeasible, or a witness decision beats it.
A re-solve then records what the new optimum is. The search is the same for every family: it changes one fact, those
that a decision is made of first, in ways that follow from the columns' types. Where facts hang together so that none can
change alone (the distances of a line), it exchanges two entities throughout the channel instead.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import combinations, islice
from typing import Any

from algoworlds.core.column import Column, Flag, Id, Ids, Int, Ints
from algoworlds.core.relation import Fact, Relation, Row
from algoworlds.core.stream import Stream
from algoworlds.core.work import Solution
from algoworlds.errors import AlgoWorldsError, InstanceError
from algoworlds.families.family import Family

_SAMPLES = 5
QUICK, THOROUGH = 60, 1_000
"""Changes that a search tries before it gives up."""
_ALTERNATIVES = 3

Change = tuple[tuple[Fact, Row | None], ...]
"""Facts of one channel and the rows that take their place (None: the row is removed)."""


@dataclass(frozen=True)
class Counterfactual:
    """A change in a channel and a decision that beats the old optimum after it (None: the old one is infeasible)."""

    channel: str
    change: Change
    witness: Any

    def apply(self, instance: Any) -> Any:
        """The changed instance: every other fact stays as it is."""
        return _applied(instance, self.change)


def _applied(instance: Any, change: Change) -> Any:
    rows: dict[str, dict[Row, Row | None]] = {}
    for fact, row in change:
        rows.setdefault(fact.relation, {})[fact.row] = row
    return instance.with_rows(**rows)


def _tried(instance: Any, change: Change) -> Any:
    """The changed instance, if it keeps the rules, as `valid` tells; ids are not looked at again where numbers change."""
    (fact, row), *more = change
    each = instance.relations[fact.relation]
    other = [] if row is None else [at for at in range(len(row)) if row[at] != fact.row[at]]
    if row is None or more or not all(isinstance(each.columns[at], Int | Ints) for at in other):
        return _applied(instance, change)
    for at in other:
        each.columns[at].read(row[at], instance.tables)
    table, new = getattr(instance, each.name), each.table([row])
    return instance.unchecked(**{each.name: table | new if each.keys else new})


def refutes(family: Family[Any, Any], changed: Any, optimum: Any, witness: Any) -> bool:
    """Whether the checker alone shows that a decision is no optimum of the changed instance."""
    old = family.check(changed, optimum)
    if not old.feasible:
        return True
    new = family.check(changed, witness) if witness is not None else old
    return new.feasible and family.sense.better(new.value, than=old.value)  # type: ignore[arg-type]


Fixed = Callable[[Any], bool]


class Search:
    """Searches for counterfactuals of one instance; what several of them come to is worked out once."""

    def __init__(self, family: Family[Any, Any], instance: Any, optimum: Any) -> None:
        self._family, self._instance, self._optimum = family, instance, optimum
        self._base = instance.unchecked()  # with a cache of its own, which goes with the search
        assert self._base.valid
        self._value = family.check(instance, optimum).value or 0
        self._reference = family.reference(instance)
        self._known = cache(self._decisions)
        self._after: dict[Change, tuple[Any, Solution[Any]]] = {}
        self._hurts: dict[Change, bool | None] = {}

    def find(self, channel: str, fixed: Fixed | None = None, tries: int = THOROUGH) -> Counterfactual:
        """A counterfactual in a channel that leaves fixed what must stay fixed, as a look at the changed instance tells."""
        family, instance, optimum = self._family, self._instance, self._optimum
        known = self._known(channel)
        behind = [abs((family.check(instance, each).value or 0) - self._value) for each in known]
        gap = min((each for each in behind if each), default=0) + 1  # a sample may be the optimum itself
        for must_hurt in (True, False):  # a change that hurts the old optimum is the likelier one; solving tells
            for change in islice(_changes(family, instance, optimum, channel, gap), tries):
                changed = self._changed(change, must_hurt)
                if changed is not None and (fixed is None or fixed(changed)):
                    for witness in islice(self._witnesses(change, changed, known), 1):
                        return Counterfactual(channel, change, witness)
        raise AlgoWorldsError(f"{family.name}: no counterfactual found in channel {channel!r}")

    def _changed(self, change: Change, must_hurt: bool) -> Any | None:
        """A changed instance if the change hurts the old optimum, or if it does not, as wanted; what it does is kept."""
        if self._hurts.get(change, must_hurt) is not must_hurt:
            return None
        self._hurts[change] = None
        with suppress(InstanceError):
            changed = _tried(self._base, change)
            if changed.valid:
                self._hurts[change] = hurts(self._family, changed, self._optimum, self._value)
        return changed if self._hurts[change] is must_hurt else None

    def after(self, found: Counterfactual) -> tuple[Any, Solution[Any]]:
        """The instance that a counterfactual found here makes, and its solution."""
        return self._after[found.change]

    def _decisions(self, channel: str) -> list[Any]:
        """Decisions that may beat the old optimum after a change in a channel."""
        stream = Stream("counterfactual", self._instance.digest, channel)
        return [self._reference, *self._family.hardness.samples(self._instance, stream, _SAMPLES)]

    def _witnesses(self, change: Change, changed: Any, known: list[Any]) -> Iterator[Any]:
        """Proofs that the old optimum has lost: its infeasibility, a known decision, or else the new optimum."""
        family, optimum = self._family, self._optimum
        if change not in self._after:
            self._after[change] = changed, family.solve(changed)
        solution = self._after[change][1]
        if solution.feasible:
            tried = (None, *known, solution.decision)
            yield from (each for each in tried if refutes(family, changed, optimum, each))


def hurts(family: Family[Any, Any], changed: Any, optimum: Any, value: int) -> bool:
    """Whether a decision has become infeasible or worse than it was."""
    now = family.check(changed, optimum).value
    return now is None or family.sense.better(value, than=now)


def _changes(family: Family[Any, Any], instance: Any, optimum: Any, channel: str, gap: int) -> Iterator[Change]:
    """Changes of single facts of a channel, those that mention the decision first; then exchanges of two entities."""
    chosen = family.decision.ids(optimum)
    kinds = frozenset(
        name for name, each in instance.relations.items() if each.is_roster and chosen & set(getattr(instance, name))
    )
    relations = [each for each in instance.relations.values() if each.channel == channel]
    for mentioned in (True, False):
        for relation in relations:
            for row in instance.rows(relation.name):
                if mentioned == _mentions(relation, row, chosen, kinds):
                    yield from (((Fact(relation.name, row), other),) for other in _changed_rows(relation, row, instance, gap))
    for entity in dict.fromkeys(column.of for relation in relations for column in relation.keys):
        for one, other in combinations(getattr(instance, entity), 2):
            yield _exchanged(instance, relations, {one: other, other: one})


def _exchanged(instance: Any, relations: list[Relation], names: dict[str, str]) -> Change:
    """Two entities exchanged in all facts of some relations."""
    pairs = []
    for relation in relations:
        for row in instance.rows(relation.name):
            other = tuple(
                column.renamed(cell, lambda item: names.get(item, item))
                for column, cell in zip(relation.columns, row, strict=True)
            )
            pairs += [(Fact(relation.name, row), other)] if other != row else []
    return tuple(pairs)


def _mentions(relation: Relation, row: Row, chosen: frozenset[str], kinds: frozenset[str]) -> bool:
    """Whether a row is about chosen entities: in every column of a kind that decisions name."""
    own = [not chosen.isdisjoint(each.ids(cell)) for each, cell in zip(relation.columns, row, strict=True) if each.of in kinds]
    return bool(own) and all(own)


def _changed_rows(relation: Relation, row: Row, instance: Any, gap: int) -> Iterator[Row | None]:
    width = len(relation.keys)
    for at, column in enumerate(relation.values, start=width):
        for cell in _changed_cells(column, row[at], instance, gap):
            yield (*row[:at], cell, *row[at + 1 :])
    if not relation.values:
        yield None


def _changed_cells(column: Column, cell: Any, instance: Any, gap: int) -> Iterator[Any]:
    if isinstance(column, Flag):
        yield not cell
    elif isinstance(column, Int):
        yield from (cell + step for step in (gap, -gap, 1, -1))
    elif isinstance(column, Ints):
        yield from ((*cell[:at], cell[at] + step, *cell[at + 1 :]) for step in (gap, -gap) for at in range(len(cell)))
    elif isinstance(column, Id):
        yield from islice((other for other in getattr(instance, column.of) if other != cell), _ALTERNATIVES)
    elif isinstance(column, Ids):
        yield from (tuple(item for item in cell if item != gone) for gone in cell)
        more = (item for item in getattr(instance, column.of) if item not in cell)
        yield from ((*cell, item) for item in islice(more, _ALTERNATIVES))
