"""Completions in which the decision is infeasible while another one is not: then the optimum is not determined.

The decision may name an id that no response has shown, or depend on a row that was not read. Such rows are changed one at a
time, in ways that follow from the column types; families declare how other unread structure can change. Every witness is
checked.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import inf
from typing import Any, NamedTuple

from algoworlds.core.column import Flag, Ids, Int
from algoworlds.core.completions import Completions
from algoworlds.core.decision import Decision, DecisionShape
from algoworlds.core.relation import Relation, Row
from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError
from algoworlds.knowledge.trial import Trial, Witness, row_concerns_decision
from algoworlds.worlds.opaque_ids import opaque_id

MAX_EXCHANGES = 4
"""Other rows with which one unread row exchanges its values."""

MAX_INFEASIBLE_INSTANCES = 24
"""Instances in which the decision is infeasible that are examined."""

MAX_VALUES_TRIED = 8
"""Cells with at most this many values have all of them tried."""

MAX_VALUES_CHECKED = 100
"""Values of a cell up to which each is compared with the evaluation."""

Change = dict[Row, Row | None]
"""Rows of one relation, and what stands in their column."""


def find_unseen_id(trial: Trial) -> str | None:
    """An id that the decision names and no response has shown; None if all were shown."""
    instance = trial.completions.instance
    hidden = [name for name, relation in instance.relations.items() if relation.is_roster and not relation.public]
    ids = trial.family.decision.ids(trial.decision) - trial.completions.mentioned_ids
    return min((entity for name in hidden for entity in getattr(instance, name) if entity in ids), default=None)


def witness_with_other_id(trial: Trial, entity: str) -> Witness:
    """The instance with another id for an unseen `entity`, so that the decision names an id that does not exist."""
    instance = trial.completions.instance
    other = opaque_id(entity.rpartition("-")[0] or entity, Stream("renamed", instance.digest, entity).word())
    names = {entity: other}
    rival = _rename_decision(trial.family.decision, trial.decision, names)
    return Witness(instance.rename_ids(lambda item: names.get(item, item)), rival, inf)


class InfeasibilitySearch(NamedTuple):
    """The result of looking for a completion in which the decision is infeasible and another one is not."""

    witness: Witness | None
    is_exhaustive: bool
    """Whether no instance was discarded only because its responses differ."""


def find_infeasible_completion(trial: Trial) -> InfeasibilitySearch:
    """Look for a completion in which the decision is infeasible and a rival is not.

    An instance that contradicts the evaluation with everything else at its best is not a completion.
    """
    discarded = False
    candidates = (x for x in _infeasible_instances(trial) if not trial.contradicts_evaluation(x))
    for instance in islice(candidates, 0 if trial.is_evaluated_feasible else MAX_INFEASIBLE_INSTANCES):
        rival = _feasible_rival(trial, instance)
        if rival is not None and trial.is_completion(instance):
            return InfeasibilitySearch(Witness(instance, rival, inf), is_exhaustive=False)
        discarded = discarded or rival is not None
    return InfeasibilitySearch(None, trial.is_evaluated_feasible or (not discarded and next(candidates, None) is None))


def is_always_feasible(trial: Trial, search: InfeasibilitySearch) -> bool:
    """Whether the decision is feasible in every completion that has feasible decisions.

    It is if it is feasible in the worst case, unless cells without a worse side matter to it. A single such cell with few
    values is fine, because all of them were tried. If the worst case is infeasible, cells are only as bad as each one alone
    may be.
    """
    structure = trial.unknowns.structure
    sideless = [(name, column) for name, column, side in trial.open_binding_columns if not side and name not in structure]
    cells = sum(len(trial.completions.unread_rows(name)) for name, _ in sideless)
    counts = [count for name, column in sideless for count in _value_counts(trial, name, column, alone=cells == 1)]
    if trial.is_evaluated_feasible:
        return not counts and cells <= 1
    if counts and not (search.is_exhaustive and cells == 1 and counts[0] <= MAX_VALUES_TRIED):
        return False
    worst = trial.extreme_case(-1)
    if trial.value(worst) is None and search.is_exhaustive:
        worst = _worst_tolerated_case(trial, worst)
    return trial.value(trial.unknowns.worst_structure(trial.completions, worst, trial.decision)) is not None


def with_substitute_rows(trial: Trial) -> Trial:
    """The trial in a case in which other rows can replace each unread row of the decision without making it infeasible.

    All of them get its number, but only one its ids, because a promise may fix what the others lead to.
    """
    instance, ids = trial.completions.instance, trial.family.decision.ids(trial.decision)
    changes: dict[str, dict[Row, Row | None]] = {}
    for name, column in [(name, column) for name, column, side in trial.open_binding_columns if column and not side]:
        at, rows = instance.relations[name].position(column), trial.completions.unread_rows(name)
        concerned = {row: row_concerns_decision(instance, name, row, ids) for row in rows}
        for own in (row for row in rows if concerned[row]):
            others = [row for row in rows if not concerned[row] and row[0] == own[0]]
            for other in others if isinstance(instance.relations[name].columns[at], Int) else others[:1]:
                replaced = changes.setdefault(name, {})
                replaced[other] = _with_cell(replaced.get(other) or other, at, own[at])
    try:
        return replace(trial, case=instance.with_rows(**changes)) if changes else trial
    except InstanceError:
        return trial


def _value_counts(trial: Trial, name: str, column: str, alone: bool) -> Iterator[int]:
    """How many values each unread cell of a column may have that matters to the decision.

    If the cell is `alone`, the evaluation may leave fewer; a cell with one value left is not counted.
    """
    instance, ids = trial.completions.instance, trial.family.decision.ids(trial.decision)
    span = trial.completions.ranges.columns.get((name, column))
    for row in (row for row in trial.completions.unread_rows(name) if row_concerns_decision(instance, name, row, ids)):
        if span is None or (alone and span.width > MAX_VALUES_CHECKED):
            yield MAX_VALUES_TRIED + 1
        elif alone:
            at, best = instance.relations[name].position(column), trial.extreme_case(+1)
            rows = [_with_cell(row, at, number) for number in range(span.low, span.high + 1)]
            instances = (best.unchecked(**best.tables_with({name: {row: new}})) for new in rows)
            count = sum(not trial.contradicts_evaluation(instance) for instance in instances)
            if count > 1:
                yield count
        elif span.width:
            yield span.width + 1


def _worst_tolerated_case(trial: Trial, worst: Any) -> Any:
    """The case with every sided cell at the worst value that the decision tolerates with all others at their best.

    A worse value makes every decision infeasible, since an exhaustive search with all others at their best found no rival. So
    a decision that is feasible here is feasible wherever any decision is.
    """
    best, changes = trial.extreme_case(+1), dict[str, Change]()
    sided = [name for name, _, side in trial.open_binding_columns if side]
    if len(set(sided)) < len(sided):  # each cell of a row is searched by itself
        return worst
    for name, column, side in trial.open_binding_columns:
        if side:
            at = best.relations[name].position(column)
            pairs = zip(best.rows(name), worst.rows(name), strict=True)
            changes[name] = {row: _worst_tolerated(trial, best, name, at, side, row, end) for row, end in pairs if row != end}
    return best.with_rows(**changes)


def _worst_tolerated(trial: Trial, best: Any, name: str, at: int, side: int, row: Row, end: Row) -> Row:
    """`row` as near to its bad `end` as the decision tolerates."""
    if trial.value(best.with_rows(**{name: {row: end}})) is not None:
        return end
    column = best.relations[name].columns[at]
    if not isinstance(column, Int):
        return row
    breaking = next(_mildest_breaking_row(trial, best, name, column.name, side, row))
    return _with_cell(row, at, breaking[at] + side)


def _infeasible_instances(trial: Trial) -> Iterator[Any]:
    """Instances near the completions in which the decision is infeasible, smallest changes first."""
    yield from (x for x in trial.unknowns.possible_breaks(trial.completions, trial.decision) if trial.value(x) is None)
    bases = [trial.extreme_case(+1), trial.completions.instance]
    for base in bases if bases[0] is not bases[1] else bases[1:]:
        for name, change in _row_changes(trial, base):
            try:
                changed = base.with_rows(**{name: change})
            except InstanceError:
                continue
            if trial.value(changed) is None:
                yield changed
    yield from _jointly_infeasible(trial)


def _jointly_infeasible(trial: Trial) -> Iterator[Any]:
    """Instances with a minimal set of sided cells at their bad ends that makes the decision infeasible, from both orders."""
    best, worst = trial.extreme_case(+1), trial.extreme_case(-1)
    names = dict.fromkeys(name for name, _, side in trial.open_binding_columns if side)
    pairs = ((name, *pair) for name in names for pair in zip(best.rows(name), worst.rows(name), strict=True))
    ends = [(name, row, end) for name, row, end in pairs if row != end]

    def with_ends(chosen: list[tuple[str, Row, Row]]) -> Any:
        rows: dict[str, dict[Row, Row]] = {}
        for name, row, end in chosen:
            rows.setdefault(name, {})[row] = end
        return best.unchecked(**best.tables_with(rows)) if rows else best

    def is_infeasible(chosen: list[tuple[str, Row, Row]]) -> bool:
        return trial.value(with_ends(chosen)) is None

    for order in (ends, ends[::-1]):
        chosen: list[tuple[str, Row, Row]] = []
        for end in order:
            chosen += [] if trial.contradicts_evaluation(with_ends([*chosen, end])) else [end]
            if is_infeasible(chosen):
                for candidate in list(chosen):
                    fewer = [other for other in chosen if other is not candidate]
                    chosen = fewer if is_infeasible(fewer) else chosen
                yield with_ends(chosen)
                break


def _row_changes(trial: Trial, base: Any) -> Iterator[tuple[str, Change]]:
    """Changes of single unread rows that matter to the decision, by relation."""
    instance, ids = trial.completions.instance, trial.family.decision.ids(trial.decision)
    for name, column, side in trial.open_binding_columns:
        relation = instance.relations[name]
        rows = {row[: len(relation.keys)]: row for row in base.rows(name)}
        unread = [rows[row[: len(relation.keys)]] for row in trial.completions.unread_rows(name)]
        for row in (row for row in unread if row_concerns_decision(instance, name, row, ids)):
            others: list[Row | None]
            if side and isinstance(relation.columns[relation.position(column)], Int):
                others = [*_mildest_breaking_row(trial, base, name, column, side, row)]
            else:
                others = [*_rows_with_other_values(trial.completions, name, column, row)]
                yield from ((name, change) for change in _value_exchanges(relation, row, unread))
            others += [None] if relation.keys and not relation.complete else []
            yield from ((name, {row: other}) for other in others)


def _mildest_breaking_row(trial: Trial, base: Any, name: str, column: str, side: int, row: Row) -> Iterator[Row]:
    """`row` with the first number towards the bad end that makes the decision infeasible, by bisection; none if none does."""
    at, span = base.relations[name].position(column), trial.completions.ranges.columns[name, column]

    def is_infeasible(number: int) -> bool:
        return trial.value(base.with_rows(**{name: {row: _with_cell(row, at, number)}})) is None

    good, bad = row[at], span.low if side > 0 else span.high
    if not is_infeasible(bad):
        return
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        good, bad = (good, middle) if is_infeasible(middle) else (middle, bad)
    yield _with_cell(row, at, bad)


def _rows_with_other_values(completions: Completions, name: str, column: str, row: Row) -> Iterator[Row]:
    """`row` with other values in a column: the other flag, few or nearby numbers, no ids or all ids."""
    if not column:
        return
    relation = completions.instance.relations[name]
    at = relation.position(column)
    declared, cell, others = relation.columns[at], row[at], list[Any]()
    if isinstance(declared, Flag):
        others = [not cell]
    elif isinstance(declared, Int):
        span = completions.ranges.columns[name, column]
        few = span.width < MAX_VALUES_TRIED
        numbers = range(span.low, span.high + 1) if few else dict.fromkeys((cell + 1, cell - 1, span.low, span.high))
        others = [number for number in numbers if number in span]
    elif isinstance(declared, Ids):
        others = [(), declared.parse(tuple(getattr(completions.instance, declared.roster_name)), {})]
    yield from (_with_cell(row, at, other) for other in others if other != cell)


def _value_exchanges(relation: Relation, row: Row, unread: list[Row]) -> Iterator[Change]:
    """`row` and another unread row about the same first entity, with their values exchanged."""
    width = len(relation.keys)
    partners = (other for other in unread if width > 1 and other[0] == row[0] and other[width:] != row[width:])
    for other in islice(partners, MAX_EXCHANGES):
        yield {row: row[:width] + other[width:], other: other[:width] + row[width:]}


def _feasible_rival(trial: Trial, instance: Any) -> Decision | None:
    """A feasible decision of `instance`: a known rival, or else the optimum."""
    for decision in trial.context.known_rivals:
        if trial.value(instance, decision) is not None:
            return decision
    return trial.context.find_optimum(instance)


def _with_cell(row: Row, at: int, cell: Any) -> Row:
    return (*row[:at], cell, *row[at + 1 :])


def _rename_decision(shape: DecisionShape, decision: Decision, names: dict[str, str]) -> Decision:
    def rename(item: Any) -> Any:
        if isinstance(item, dict):
            return {rename(key): rename(value) for key, value in item.items()}
        return [rename(part) for part in item] if isinstance(item, list | tuple) else names.get(item, item)

    return shape.parse({name: rename(argument) for name, argument in shape.arguments(decision).items()})
