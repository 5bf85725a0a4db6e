"""What derived instances share of the cache is right for each of them, as if it had been computed afresh."""

from collections.abc import Iterator
from functools import partial
from itertools import combinations, islice
from threading import Thread

import pytest

from algoworlds.core.column import Flag, Id, Ids, Int, Ints
from algoworlds.core.instance import Instance
from algoworlds.errors import InstanceError
from algoworlds.families import FAMILIES
from tests.certified import certified

TRIES = 400
"""Changes of one column that are tried until one is an instance."""


def rotate(cells):
    return [*cells[1:], *cells[:1]]


def altered(instance):
    """The instance with the cells of one table moved on by one, and with the numbers of one column, table by table."""
    for name, relation in instance.relations.items():
        table = getattr(instance, name)
        if not (relation.keys and relation.values and len(table) > 1):
            continue
        yield instance.unchecked(**{name: dict(zip(table, rotate(list(table.values())), strict=True))})
        for at, column in enumerate(relation.columns):
            if at >= len(relation.keys) and isinstance(column, Int):
                cells = rotate(instance.cells(name, at))
                yield instance.unchecked(**{name: relation.with_column(table, at, cells)})


def with_cell(row, at, cell):
    return (*row[:at], cell, *row[at + 1 :])


def other_cells(instance, column, cell) -> Iterator:
    """Other contents of a cell of ids or flags."""
    if isinstance(column, Flag):
        yield not cell
    elif isinstance(column, Id):
        yield from (entity for entity in getattr(instance, column.of) if entity != cell)
    elif isinstance(column, Ids):
        others = [item for item in getattr(instance, column.of) if item not in cell]
        yield from (column.read((*cell[:-1], item), {}) for item in others if cell)
        yield from (column.read((*cell, item), {}) for item in others)
        yield from (tuple(item for item in cell if item != gone) for gone in cell)


def changed_columns(instance, name, at) -> Iterator[list]:
    """All rows of a table with other contents in one column: of one row, or of two that exchange theirs; or one row less."""
    rows, column = list(instance.rows(name)), instance.relations[name].columns[at]
    if instance.relations[name].keys:
        yield rows[1:]
    for number, row in enumerate(rows[:20]):
        for cell in islice(other_cells(instance, column, row[at]), 10):
            yield [*rows[:number], with_cell(row, at, cell), *rows[number + 1 :]]
    for one, two in combinations(range(len(rows)), 2):
        if rows[one][at] != rows[two][at]:
            new = list(rows)
            new[one], new[two] = with_cell(rows[one], at, rows[two][at]), with_cell(rows[two], at, rows[one][at])
            yield new


def swap(one, two, item):
    return {one: two, two: one}.get(item, item)


def swapped_entities(instance) -> Iterator[dict]:
    """The tables in which the first two entities of one roster have changed places; the rosters are as they were."""
    for name, relation in instance.relations.items():
        if relation.is_roster and len(getattr(instance, name)) > 1:
            one, two = getattr(instance, name)[:2]
            renamed = instance.renamed(partial(swap, one, two))
            yield renamed.tables | {name: getattr(instance, name)}


def derivations(instance) -> Iterator[tuple[Instance, Instance]]:
    """Instances with other ids or flags in one column or of one roster: derived without a check, and as constructed."""
    for name, relation in instance.relations.items():
        for at, column in enumerate(relation.columns):
            if not isinstance(column, Int | Ints) and not relation.is_roster:
                yield from islice(constructed(instance, ({name: rows} for rows in changed_columns(instance, name, at))), 1)
    yield from constructed(instance, swapped_entities(instance))


def constructed(instance, changes) -> Iterator[tuple[Instance, Instance]]:
    """Of some changes of tables, given as tables or as rows, those that make an instance."""
    for change in islice(changes, TRIES):
        tables = {name: instance.relations[name].table(new) if type(new) is list else new for name, new in change.items()}
        try:
            fresh = type(instance)(**(instance.tables | tables))
        except (InstanceError, ValueError):
            continue
        if fresh != instance:
            yield instance.unchecked(**{name: getattr(fresh, name) for name in tables}), fresh


def answers(family, instance, decisions):
    """All that is computed of an instance: both algorithms, the reference, the checker, sizes, rows and digest."""
    exact = [family.solve(instance), family.verify(instance), family.reference(instance)]
    checked = [family.check(instance, decision) for decision in decisions]
    rows = {name: instance.rows(name) for name in instance.relations}
    return exact, checked, rows, instance.magnitude(), instance.problem, instance.digest, instance.facts


@pytest.mark.parametrize("name", FAMILIES)
def test_altered_instances_are_solved_as_if_made_anew(name):
    family, instance = FAMILIES[name], certified(name).instance
    decisions = [certified(name).solution.decision, certified(name).reference]
    answers(family, instance, decisions)  # so that there is something to share
    tried = [other for other in altered(instance) if other.valid]
    assert tried
    for other in tried:
        assert answers(family, other, decisions) == answers(family, type(instance)(**other.tables), decisions)


@pytest.mark.parametrize("name", FAMILIES)
def test_altered_instances_are_refused_as_if_made_anew(name):
    family, instance = FAMILIES[name], certified(name).instance
    for other in altered(instance):
        try:
            type(instance)(**other.tables)
            right = True
        except InstanceError:
            right = False
        assert other.valid is right
        if not right:
            with pytest.raises(InstanceError):
                family.solve(other)


@pytest.mark.parametrize("name", FAMILIES)
def test_nothing_derived_from_ids_or_flags_outlives_them(name):
    family, instance = FAMILIES[name], certified(name).instance
    decisions = [certified(name).solution.decision, certified(name).reference]
    answers(family, instance, decisions)
    changed = set()
    for other, fresh in derivations(instance):
        assert answers(family, other, decisions) == answers(family, fresh, decisions)
        changed |= {name for name in instance.relations if getattr(other, name) != getattr(instance, name)}
    filed = {name for name, each in instance.relations.items() if not (each.is_roster or each.complete or each.public)}
    assert changed >= {name for name in filed if instance.relations[name].keys}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_memoised_function_reads_no_table_that_it_does_not_name(name, monkeypatch):
    """`reads` is what the cache relies on, so that every access to a table is held against it."""
    family, admitted = FAMILIES[name], certified(name)
    derived, get, reading = Instance.derived, Instance.__getattribute__, list[frozenset[str]]()

    def watched_get(instance, attribute):
        if attribute in type(instance).relations:
            assert all(attribute in named for named in reading), attribute
        return get(instance, attribute)

    def watched(instance, function, *args, reads=None):
        named = frozenset(instance.relations if reads is None else (read.partition(".")[0] for read in reads))

        def watching(one, *args):
            reading.append(named)
            try:
                return function(one, *args)
            finally:
                reading.pop()

        assert all(named <= outer for outer in reading), (function, reads)
        return derived(instance, watching, *args, reads=reads)  # a function of its own, so that nothing is memoised

    monkeypatch.setattr(Instance, "__getattribute__", watched_get)
    monkeypatch.setattr(Instance, "derived", watched)
    answers(family, admitted.instance.uncached(), [admitted.solution.decision, admitted.reference])


@pytest.mark.parametrize("name", FAMILIES)
def test_several_threads_may_derive_and_solve_at_the_same_time(name):
    family, instance = FAMILIES[name], certified(name).instance.uncached()
    expected = family.solve(instance)
    problems, table = list[Exception](), next(iter(instance.relations))

    def work():
        try:
            for at in range(30):
                assert family.solve(instance.unchecked()) == expected
                instance.derived(lambda one, at: at, at, reads=(table,))
                assert family.check(instance, expected.decision).value == expected.value
                assert instance.uncached().facts == instance.facts
        except Exception as problem:
            problems.append(problem)

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
