"""Counterfactuals: a small change in one channel that changes the optimal decision, with a witness.

The checker alone proves it: in the changed instance the old optimum is infeasible, or the witness decision beats it. In a tied
instance that holds for every optimum. Solving
the changed instance then gives the new optimum. The search is the same for every family. It changes single facts, in ways that
follow from the columns' types, starting with facts about the optimal decision. Where facts depend on each other so that none
can change alone (distances along a line), it swaps two entities throughout the channel.
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
from algoworlds.families.family import AnyFamily

QUICK_TRIES, THOROUGH_TRIES = 60, 1_000
"""Maximum number of changes that a search tries."""
_SAMPLED_RIVALS = 5
_MAX_OTHER_IDS = 3

Change = tuple[tuple[Fact, Row | None], ...]
"""Facts of one channel, each with the row that replaces it (None removes it)."""


def _apply(instance: Any, change: Change) -> Any:
    rows: dict[str, dict[Row, Row | None]] = {}
    for fact, row in change:
        rows.setdefault(fact.relation, {})[fact.row] = row
    return instance.with_rows(**rows)


@dataclass(frozen=True)
class Counterfactual:
    """A change in a channel, and a decision that beats the old optimum after it (None: the old one is infeasible)."""

    channel: str
    change: Change
    witness: Any

    def apply(self, instance: Any) -> Any:
        """The changed instance, checked; every other fact stays the same."""
        return _apply(instance, self.change)


def is_optimum_refuted(family: AnyFamily, changed: Any, optimum: Any, witness: Any) -> bool:
    """Whether the checker alone shows that the decision `optimum` is not optimal in the instance `changed`."""
    old = family.check(changed, optimum)
    if not old.feasible:
        return True
    new = family.check(changed, witness) if witness is not None else old
    return new.feasible and family.sense.is_better(new.value, than=old.value)  # type: ignore[arg-type]


class CounterfactualSearch:
    """Searches for counterfactuals of one instance; results that several searches need are cached."""

    def __init__(self, family: AnyFamily, instance: Any, optimum: Any, *others: Any) -> None:
        self._family, self._instance, self._optimum, self._optima = family, instance, optimum, (optimum, *others)
        self._base = instance.unchecked()  # with a cache of its own, freed with the search
        assert self._base.valid
        self._value = family.check(instance, optimum).value or 0
        self._reference = family.reference(instance)
        self._rivals = cache(self._sample_rivals)
        self._solutions: dict[Change, tuple[Any, Solution[Any]]] = {}
        self._hurts: dict[Change, bool | None] = {}
        """Whether a change makes every old optimum infeasible or worse; None if the changed instance is invalid."""

    def find(self, channel: str, accepts: Callable[[Any], bool] | None = None, tries: int = THOROUGH_TRIES) -> Counterfactual:
        """A counterfactual in `channel` whose changed instance `accepts` approves; AlgoWorldsError after `tries` changes."""
        family, instance, optimum = self._family, self._instance, self._optimum
        rivals = self._rivals(channel)
        gaps = [abs((family.check(instance, rival).value or 0) - self._value) for rival in rivals]
        step = min((gap for gap in gaps if gap), default=0) + 1  # a rival may be the optimum itself
        for must_hurt in (True, False):  # a change that hurts the old optimum is more likely to replace it
            for change in islice(_changes(family, instance, optimum, channel, step), tries):
                changed = self._try_change(change, must_hurt)
                if changed is None or (accepts is not None and not accepts(changed)):
                    continue
                if change not in self._solutions:
                    self._solutions[change] = changed, family.solve(changed)
                solution = self._solutions[change][1]
                for witness in (None, *rivals, solution.decision) if solution.feasible else ():
                    if all(is_optimum_refuted(family, changed, one, witness) for one in self._optima):
                        return Counterfactual(channel, change, witness)
        raise AlgoWorldsError(f"{family.name}: no counterfactual found in channel {channel!r}")

    def _try_change(self, change: Change, must_hurt: bool) -> Any | None:
        """The changed instance if it is valid and hurts the old optimum exactly when `must_hurt`."""
        if self._hurts.get(change, must_hurt) is not must_hurt:
            return None
        self._hurts[change] = None
        with suppress(InstanceError):
            changed = _apply(self._base, change)
            if changed.valid:
                values = [self._family.check(changed, optimum).value for optimum in self._optima]
                self._hurts[change] = all(now is None or self._family.sense.is_better(self._value, than=now) for now in values)
        return changed if self._hurts[change] is must_hurt else None

    def changed_solution(self, counterfactual: Counterfactual) -> tuple[Any, Solution[Any]]:
        """The changed instance of a counterfactual that this search found, and its solution."""
        return self._solutions[counterfactual.change]

    def _sample_rivals(self, channel: str) -> list[Any]:
        """Decisions that may beat the old optimum after a change in `channel`."""
        stream = Stream("counterfactual", self._instance.digest, channel)
        return [self._reference, *self._family.hardness.samples(self._instance, stream, _SAMPLED_RIVALS)]


def _changes(family: AnyFamily, instance: Any, optimum: Any, channel: str, step: int) -> Iterator[Change]:
    """Changes of single facts of a channel, those about the decision first; then swaps of two entities.

    A row is about the decision if it names a chosen entity in every column of a roster that decisions choose from.
    """
    chosen = family.decision.ids(optimum)
    rosters = frozenset(
        name for name, relation in instance.relations.items() if relation.is_roster and chosen & set(getattr(instance, name))
    )
    relations = [relation for relation in instance.relations.values() if relation.channel == channel]
    for about_decision in (True, False):
        for relation in relations:
            for row in instance.rows(relation.name):
                cells = zip(relation.columns, row, strict=True)
                names_chosen = [
                    not chosen.isdisjoint(column.ids(cell)) for column, cell in cells if column.roster_name in rosters
                ]
                if about_decision == (bool(names_chosen) and all(names_chosen)):
                    yield from (((Fact(relation.name, row), other),) for other in _other_rows(relation, row, instance, step))
    for entity in dict.fromkeys(column.roster_name for relation in relations for column in relation.keys):
        for one, other in combinations(getattr(instance, entity), 2):
            yield _swap(instance, relations, {one: other, other: one})


def _swap(instance: Any, relations: list[Relation], names: dict[str, str]) -> Change:
    """Two entities exchanged in all facts of `relations`."""
    change = []
    for relation in relations:
        for row in instance.rows(relation.name):
            cells = zip(relation.columns, row, strict=True)
            swapped = tuple(column.rename_ids(cell, lambda item: names.get(item, item)) for column, cell in cells)
            change += [(Fact(relation.name, row), swapped)] if swapped != row else []
    return tuple(change)


def _other_rows(relation: Relation, row: Row, instance: Any, step: int) -> Iterator[Row | None]:
    for at, column in enumerate(relation.values, start=len(relation.keys)):
        for cell in _other_cells(column, row[at], instance, step):
            yield (*row[:at], cell, *row[at + 1 :])
    if not relation.values:
        yield None


def _other_cells(column: Column, cell: Any, instance: Any, step: int) -> Iterator[Any]:
    if isinstance(column, Flag):
        yield not cell
    elif isinstance(column, Int):
        yield from (cell + change for change in (step, -step, 1, -1))
    elif isinstance(column, Ints):
        yield from ((*cell[:at], cell[at] + change, *cell[at + 1 :]) for change in (step, -step) for at in range(len(cell)))
    elif isinstance(column, Id):
        yield from islice((other for other in getattr(instance, column.roster_name) if other != cell), _MAX_OTHER_IDS)
    elif isinstance(column, Ids):
        yield from (tuple(item for item in cell if item != removed) for removed in cell)
        added = (item for item in getattr(instance, column.roster_name) if item not in cell)
        yield from ((*cell, item) for item in islice(added, _MAX_OTHER_IDS))
