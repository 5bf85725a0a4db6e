"""Completions in which a decision is infeasible while another one is not: the plainest reason why it is not yet known.

A decision may name an id that nobody was shown, or rest on a row that was not read. Such rows are changed one at a time,
in ways that follow from the columns' types; what hangs together otherwise, a family says. Whatever is found is checked.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import inf
from typing import Any, NamedTuple

from algoworlds.core.column import Column, Flag, Ids, Int
from algoworlds.core.completions import Completions
from algoworlds.core.decision import Decision, Shape
from algoworlds.core.relation import Relation, Row
from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError
from algoworlds.knowledge.sufficiency.trial import Trial, Witness, concerns
from algoworlds.worlds.labels import label

EXCHANGES = 4
"""Other rows with which an unread row exchanges its values before the next is tried."""

MOST = 24
"""Instances in which the decision is infeasible that are looked at."""

FEW = 8
"""Values of a cell that are all tried."""

MANY = 100
"""Values of a cell beyond which nobody looks at which of them an evaluation leaves."""

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


class Breaks(NamedTuple):
    """What was found on completions in which a decision is infeasible and another one is not."""

    witness: Witness | None
    all_tried: bool
    """Whether no instance had to be passed over only because it does not answer alike."""


def broken(trial: Trial) -> Breaks:
    """Look for a completion in which the decision is infeasible and a rival is not.

    Where a decision is infeasible that was found feasible, although all else is as good as can be, there is no completion.
    """
    passed_over, found = False, (each for each in _infeasible(trial) if not trial.refuted(each))
    for instance in islice(found, 0 if trial.vouched else MOST):
        rival = _survivor(trial, instance)
        if rival is not None and trial.possible(instance):
            return Breaks(Witness(instance, rival, inf), all_tried=False)
        passed_over = passed_over or rival is not None
    return Breaks(None, trial.vouched or (not passed_over and next(found, None) is None))


def unbreakable(trial: Trial, breaks: Breaks) -> bool:
    """Whether the decision is feasible in every completion that has feasible decisions.

    A look at the worst tells, unless a cell that may be anything bears on the decision. If it is the only such one and its
    values are few, all of them have been tried. If the worst breaks it, every single cell may keep it from breaking.
    """
    sideless = [(name, column) for name, column, side in trial.binding if not side and name not in trial.unknowns.structure]
    others = sum(len(trial.completions.unread(name)) for name, _ in sideless)
    free = [each for place in sideless for each in _free(trial, *place, alone=others == 1)]
    if trial.vouched:
        return not free and others <= 1
    if free and not (breaks.all_tried and others == 1 and free[0] <= FEW):
        return False
    worst = trial.extreme(-1)
    if trial.value(worst) is None and breaks.all_tried:
        worst = _last_stands(trial, worst)
    return trial.value(trial.unknowns.hostile(trial.completions, worst, trial.decision)) is not None


def twinned(trial: Trial) -> Trial:
    """The trial in a case in which other rows beside each unread one of the decision do as well for its feasibility.

    All of them have its number, and one of them its ids: what the others lead to may be promised.
    """
    instance, ids = trial.completions.instance, trial.family.decision.ids(trial.decision)
    changes: dict[str, dict[Row, Row | None]] = {}
    for name, column in [(name, column) for name, column, side in trial.binding if column and not side]:
        at, rows = instance.relations[name].position(column), trial.completions.unread(name)
        apart = {row: concerns(instance, name, row, ids) for row in rows}
        for own in (row for row in rows if apart[row]):
            others = [row for row in rows if not apart[row] and row[0] == own[0]]
            for other in others if isinstance(instance.relations[name].columns[at], Int) else others[:1]:
                exchanged = changes.setdefault(name, {})
                exchanged[other] = _at(exchanged.get(other) or other, at, own[at])
    try:
        return replace(trial, case=instance.with_rows(**changes)) if changes else trial
    except InstanceError:
        return trial


def _free(trial: Trial, name: str, column: str, alone: bool) -> Iterator[int]:
    """How many values unread cells of a column may have that bear on the decision; what was told may leave one."""
    instance, ids = trial.completions.instance, trial.family.decision.ids(trial.decision)
    box = trial.completions.ranges.columns.get((name, column))
    for row in (row for row in trial.completions.unread(name) if concerns(instance, name, row, ids)):
        if box is None or (alone and box.width > MANY):
            yield FEW + 1
        elif alone:
            at, best = instance.relations[name].position(column), trial.extreme(+1)
            cells = [_at(row, at, number) for number in range(box.low, box.high + 1)]
            left = [cell for cell in cells if not trial.refuted(best.unchecked(**best.tables_with({name: {row: cell}})))]
            yield from [len(left)] if len(left) > 1 else []
        elif box.width:
            yield box.width + 1


def _last_stands(trial: Trial, worst: Any) -> Any:
    """The case with every sided cell at the last value at which the decision stands if all others are as good as can be.

    Nothing survives where a single cell breaks the decision, since that was tried with all others as good as can be. So
    if the decision stands here, it stands wherever anything does.
    """
    best, changes = trial.extreme(+1), dict[str, Change]()
    for name, column, side in trial.binding:
        if side:
            at = best.relations[name].position(column)
            pairs = zip(best.rows(name), worst.rows(name), strict=True)
            changes[name] = {row: _last(trial, best, name, at, side, row, end) for row, end in pairs if row != end}
    return best.with_rows(**changes)


def _last(trial: Trial, best: Any, name: str, at: int, side: int, row: Row, end: Row) -> Row:
    """The row as near to its bad end as the decision can stand."""
    if trial.value(best.with_rows(**{name: {row: end}})) is not None:
        return end
    column = best.relations[name].columns[at]
    if not isinstance(column, Int):
        return row
    mildest = next(_mildest(trial, best, name, column.name, side, row))
    return _at(row, at, mildest[at] + side)


def _infeasible(trial: Trial) -> Iterator[Any]:
    """Instances near the completions in which the decision is infeasible, the mildest changes first."""
    yield from (each for each in trial.unknowns.breaks(trial.completions, trial.decision) if trial.value(each) is None)
    bases = [trial.extreme(+1), trial.completions.instance]
    for base in bases if bases[0] is not bases[1] else bases[1:]:
        for name, change in _changes(trial, base):
            try:
                changed = base.with_rows(**{name: change})
            except InstanceError:
                continue
            if trial.value(changed) is None:
                yield changed
    yield from _pressed(trial)


def _pressed(trial: Trial) -> Iterator[Any]:
    """Sided cells at their bad ends, one after the other until the decision fails, and of these no more than it takes."""
    best, worst = trial.extreme(+1), trial.extreme(-1)
    names = [name for name, _, side in trial.binding if side]
    ends = [
        (name, *pair) for name in names for pair in zip(best.rows(name), worst.rows(name), strict=True) if pair[0] != pair[1]
    ]

    def fails(pressed: list[tuple[str, Row, Row]]) -> bool:
        return trial.value(_with(best, pressed)) is None

    for order in (ends, ends[::-1]):
        pressed: list[tuple[str, Row, Row]] = []
        for each in order:
            pressed += [] if trial.refuted(_with(best, [*pressed, each])) else [each]
            if fails(pressed):
                for other in list(pressed):
                    less = [each for each in pressed if each is not other]
                    pressed = less if fails(less) else pressed
                yield _with(best, pressed)
                break


def _with(instance: Any, exchanged: list[tuple[str, Row, Row]]) -> Any:
    rows: dict[str, dict[Row, Row]] = {}
    for name, row, other in exchanged:
        rows.setdefault(name, {})[row] = other
    return instance.unchecked(**instance.tables_with(rows)) if rows else instance


def _changes(trial: Trial, base: Any) -> Iterator[tuple[str, Change]]:
    instance, ids = trial.completions.instance, trial.family.decision.ids(trial.decision)
    for name, column, side in trial.binding:
        relation = instance.relations[name]
        rows = {row[: len(relation.keys)]: row for row in base.rows(name)}
        unread = [rows[row[: len(relation.keys)]] for row in trial.completions.unread(name)]
        for row in (row for row in unread if concerns(instance, name, row, ids)):
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
        return trial.value(base.with_rows(**{name: {row: _at(row, at, number)}})) is None

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
        numbers = range(box.low, box.high + 1) if box.width < FEW else dict.fromkeys((cell + 1, cell - 1, box.low, box.high))
        yield from (number for number in numbers if number in box and number != cell)
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


def _at(row: Row, at: int, cell: Any) -> Row:
    return (*row[:at], cell, *row[at + 1 :])


def _renamed_decision(shape: Shape, decision: Decision, names: dict[str, str]) -> Decision:
    def rename(item: Any) -> Any:
        if isinstance(item, dict):
            return {rename(key): rename(each) for key, each in item.items()}
        return [rename(each) for each in item] if isinstance(item, list | tuple) else names.get(item, item)

    return shape.parse({name: rename(each) for name, each in shape.arguments(decision).items()})
