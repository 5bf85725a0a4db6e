"""Completions in which a decision is infeasible while another one is not: the plainest reason why it is not yet known.

A decision may name an id that nobody was shown, or rest on a row that was not read. Such rows are changed one at a time,
in ways that follow from the columns' types; what hangs together otherwise, a family says. Whatever is found is checked.
"""

from collections.abc import Iterator
from math import inf
from typing import Any

from algoworlds.core.column import Column, Flag, Ids, Int
from algoworlds.core.completions import Completions
from algoworlds.core.decision import Decision, Shape
from algoworlds.core.relation import Relation, Row
from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError
from algoworlds.measures.sufficiency.trial import Trial, Witness
from algoworlds.worlds.labels import label

EXCHANGES = 4
"""Other rows with which an unread row exchanges its values before the next is tried."""

FEW = 8
"""Values of a cell that are all tried."""

Change = dict[Row, Row | None]
"""Rows of one relation, and what stands in their place."""


def unnamed(trial: Trial) -> str | None:
    """An id that the decision names and that nobody was shown; None if there is none."""
    instance, shown = trial.completions.instance, trial.completions.shown
    hidden = [name for name, each in instance.relations.items() if each.is_roster and not each.public]
    ids = trial.family.decision.ids(trial.decision) - shown
    return min((entity for name in hidden for entity in getattr(instance, name) if entity in ids), default=None)


def renamed(trial: Trial, entity: str) -> Witness:
    """The same instance with another id for an entity that was never shown: the decision names nothing there."""
    instance = trial.completions.instance
    other = label(entity.rpartition("-")[0] or entity, Stream("renamed", instance.digest, entity).word())
    names = {entity: other}
    rival = _renamed_decision(trial.family.decision, trial.decision, names)
    return Witness(instance.renamed(lambda item: names.get(item, item)), rival, inf)


def broken(trial: Trial) -> Witness | None:
    """A completion in which the decision is infeasible and a rival is not; None if none was found."""
    for instance in _infeasible(trial):
        rival = _survivor(trial, instance)
        if rival is not None and trial.possible(instance):
            return Witness(instance, rival, inf)
    return None


def unbreakable(trial: Trial) -> bool:
    """Whether the decision is feasible in every completion that has feasible decisions; no witness must have been found.

    A look at the worst tells, unless a cell that may be anything bears on the decision. If it is the only such one and its
    values are few, all of them have been tried. If the worst breaks it, every single cell may keep it from breaking.
    """
    free = [each for name, column, side in trial.binding if not side for each in _free(trial, name, column)]
    if len(free) > 1 or any(size > FEW for size in free):
        return False
    return trial.value(trial.unknowns.hostile(trial.completions, _worst(trial), trial.decision)) is not None


def _free(trial: Trial, name: str, column: str) -> Iterator[int]:
    """How many values unread cells may have that may be anything, bear on the decision, and are not the family's care."""
    instance, ids = trial.completions.instance, trial.family.decision.ids(trial.decision)
    for row in () if name in trial.unknowns.structure else trial.completions.unread(name):
        box = trial.completions.ranges.columns.get((name, column))
        if _concerns(instance, name, row, ids) and (box is None or box.width):
            yield FEW + 1 if box is None else box.width + 1


def _worst(trial: Trial) -> Any:
    """The case with sided cells as bad as can be; if the decision fails there, each only as bad as it can stand alone.

    Nothing survives where a single cell breaks the decision, since that was tried with all others as good as can be. So
    if the decision stands where every cell is at the last value that it can stand, it stands wherever anything does.
    """
    worst, best = trial.extreme(-1), trial.extreme(+1)
    if trial.value(worst) is not None:
        return worst
    changes: dict[str, Change] = {}
    for name, column, side in trial.binding:
        at = best.relations[name].position(column) if side else 0
        ends = dict(zip(best.rows(name), worst.rows(name), strict=True)) if side else {}
        for row, end in ends.items():
            if row != end:
                number = isinstance(best.relations[name].columns[at], Int)
                ways = _mildest(trial, best, name, column, side, row) if number else iter((end,))
                broken_at = next((way for way in ways if trial.value(best.amended({name: {row: way}})) is None), None)
                stands = row if broken_at is not None and not number else end
                if broken_at is not None and number:
                    stands = _at(row, at, broken_at[at] + side)
                changes.setdefault(name, {})[row] = stands
    return best.amended(changes)


def _infeasible(trial: Trial) -> Iterator[Any]:
    """Instances near the completions in which the decision is infeasible, the mildest changes first."""
    yield from (each for each in trial.unknowns.breaks(trial.completions, trial.decision) if trial.value(each) is None)
    bases = [trial.extreme(+1), trial.completions.instance]
    for base in bases if bases[0] is not bases[1] else bases[1:]:
        for name, change in _changes(trial, base):
            try:
                changed = base.amended({name: change})
            except InstanceError:
                continue
            if trial.value(changed) is None:
                yield changed


def _changes(trial: Trial, base: Any) -> Iterator[tuple[str, Change]]:
    instance, ids = trial.completions.instance, trial.family.decision.ids(trial.decision)
    for name, column, side in trial.binding:
        relation = instance.relations[name]
        rows = {row[: len(relation.keys)]: row for row in base.rows(name)}
        unread = [rows[row[: len(relation.keys)]] for row in trial.completions.unread(name)]
        for row in (row for row in unread if _concerns(instance, name, row, ids)):
            others: list[Row | None]
            if side and isinstance(relation.columns[relation.position(column)], Int):
                others = [*_mildest(trial, base, name, column, side, row)]
            else:
                others = [*_values(trial.completions, name, column, row)]
                yield from ((name, each) for each in _exchanged(relation, row, unread))
            others += [None] if relation.keys and not relation.complete else []
            yield from ((name, {row: each}) for each in others)


def _mildest(trial: Trial, base: Any, name: str, column: str, side: int, row: Row) -> Iterator[Row]:
    """The row with its number as far towards the end that hinders as the decision needs to fail, and no further."""
    at, box = base.relations[name].position(column), trial.completions.ranges.columns[name, column]

    def fails(number: int) -> bool:
        return trial.value(base.amended({name: {row: _at(row, at, number)}})) is None

    good, bad = row[at], box.low if side > 0 else box.high
    if not fails(bad):
        return
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        good, bad = (good, middle) if fails(middle) else (middle, bad)
    yield _at(row, at, bad)


def _values(completions: Completions, name: str, column: str, row: Row) -> Iterator[Row]:
    """The row with other values in a column."""
    if not column:
        return
    relation = completions.instance.relations[name]
    at = relation.position(column)
    for cell in _others(completions, relation, relation.columns[at], row[at]):
        yield _at(row, at, cell)


def _others(completions: Completions, relation: Relation, column: Column, cell: Any) -> Iterator[Any]:
    if isinstance(column, Flag):
        yield not cell
    elif isinstance(column, Int):
        box = completions.ranges.columns[relation.name, column.name]
        yield from (
            number for number in dict.fromkeys((cell + 1, cell - 1, box.low, box.high)) if number in box and number != cell
        )
    elif isinstance(column, Ids):
        whole = tuple(getattr(completions.instance, column.of))
        yield from (each for each in ((), column.read(whole, {})) if each != cell)


def _exchanged(relation: Relation, row: Row, unread: list[Row]) -> Iterator[Change]:
    """The row and another unread one about the same first entity with their values exchanged."""
    width, found = len(relation.keys), 0
    for other in unread:
        if found < EXCHANGES and width > 1 and other[0] == row[0] and other[width:] != row[width:]:
            found += 1
            yield {row: row[:width] + other[width:], other: other[:width] + row[width:]}


def _survivor(trial: Trial, instance: Any) -> Decision | None:
    """A feasible decision: one that is known, or else the optimum."""
    for decision in trial.bench.pool:
        if trial.value(instance, decision) is not None:
            return decision
    return trial.bench.solved(instance)


def _concerns(instance: Any, name: str, row: Row, ids: frozenset[str]) -> bool:
    """Whether a row may matter to a decision: it mentions one of its ids, or is about no entity that decisions name."""
    relation = instance.relations[name]
    named = {roster for roster in relation.rosters if not ids.isdisjoint(getattr(instance, roster))}
    return not named or any(not ids.isdisjoint(column.ids(row[at])) for at, column, _ in relation.mentions)


def _at(row: Row, at: int, cell: Any) -> Row:
    return (*row[:at], cell, *row[at + 1 :])


def _renamed_decision(shape: Shape, decision: Decision, names: dict[str, str]) -> Decision:
    def rename(item: Any) -> Any:
        if isinstance(item, dict):
            return {rename(key): rename(each) for key, each in item.items()}
        return [rename(each) for each in item] if isinstance(item, list | tuple) else names.get(item, item)

    return shape.parse({name: rename(each) for name, each in shape.arguments(decision).items()})
