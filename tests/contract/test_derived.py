"""The cache that derived instances share gives each of them the values of a freshly built instance."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations, islice
from threading import Thread

import pytest

from algoworlds.core.column import Flag, Id, Ids, Int, Ints
from algoworlds.core.instance import Instance
from algoworlds.core.interface import Interface
from algoworlds.errors import InstanceError
from algoworlds.families import FAMILIES
from algoworlds.worlds.episode import Episode
from tests.certified import certified_instance
from tests.unsolved import unsolved_world

TRIES = 400
"""Changes of one column that are tried until one gives a valid instance."""


def rotate(cells):
    return [*cells[1:], *cells[:1]]


def alterations(instance):
    """The instance with the rows of one table rotated, or the numbers of one column, for every table."""
    for name, relation in instance.relations.items():
        table = getattr(instance, name)
        if not (relation.keys and relation.values and len(table) > 1):
            continue
        yield instance.unchecked(**{name: dict(zip(table, rotate(list(table.values())), strict=True))})
        for at, column in enumerate(relation.columns):
            if at >= len(relation.keys) and isinstance(column, Int):
                cells = rotate(instance.column_cells(name, at))
                yield instance.unchecked(**{name: relation.replace_column(table, at, cells)})


def with_cell(row, at, cell):
    return (*row[:at], cell, *row[at + 1 :])


def other_cells(instance, column, cell) -> Iterator:
    """Other values for a cell of ids or flags."""
    if isinstance(column, Flag):
        yield not cell
    elif isinstance(column, Id):
        yield from (entity for entity in getattr(instance, column.roster_name) if entity != cell)
    elif isinstance(column, Ids):
        others = [item for item in getattr(instance, column.roster_name) if item not in cell]
        yield from (column.parse((*cell[:-1], item), {}) for item in others if cell)
        yield from (column.parse((*cell, item), {}) for item in others)
        yield from (tuple(item for item in cell if item != dropped) for dropped in cell)


def changed_columns(instance, name, at) -> Iterator[list]:
    """All rows of a table with one column changed in one row, or swapped between two rows; or with one row less."""
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
    """The tables with the first two entities of one roster swapped; the rosters themselves stay."""
    for name, relation in instance.relations.items():
        if relation.is_roster and len(getattr(instance, name)) > 1:
            one, two = getattr(instance, name)[:2]
            renamed = instance.rename_ids(partial(swap, one, two))
            yield renamed.tables | {name: getattr(instance, name)}


def derivations(instance) -> Iterator[tuple[Instance, Instance]]:
    """Instances with other ids or flags in one column or of one roster: derived unchecked, and rebuilt with checks."""
    for name, relation in instance.relations.items():
        for at, column in enumerate(relation.columns):
            if not isinstance(column, Int | Ints) and not relation.is_roster:
                yield from islice(valid_changes(instance, ({name: rows} for rows in changed_columns(instance, name, at))), 1)
    yield from valid_changes(instance, swapped_entities(instance))


def valid_changes(instance, changes) -> Iterator[tuple[Instance, Instance]]:
    """The changes of tables, given as tables or as rows, that give a valid instance."""
    for change in islice(changes, TRIES):
        tables = {name: instance.relations[name].from_rows(new) if type(new) is list else new for name, new in change.items()}
        try:
            fresh = type(instance)(**(instance.tables | tables))
        except (InstanceError, ValueError):
            continue
        if fresh != instance:
            yield instance.unchecked(**{name: getattr(fresh, name) for name in tables}), fresh


def compute_all(family, instance, decisions):
    """Everything computed from an instance: both algorithms, the reference, the checker, sizes, rows and digest."""
    exact = [family.solve(instance), family.verify(instance), family.reference(instance)]
    checked = [family.check(instance, decision) for decision in decisions]
    rows = {name: instance.rows(name) for name in instance.relations}
    return exact, checked, rows, instance.magnitude(), instance.first_problem, instance.digest, instance.facts


@pytest.mark.parametrize("name", FAMILIES)
def test_altered_instances_are_solved_like_new_ones(name):
    family, instance = FAMILIES[name], certified_instance(name).instance
    decisions = [certified_instance(name).solution.decision, certified_instance(name).reference]
    compute_all(family, instance, decisions)  # fills the cache
    valid = [other for other in alterations(instance) if other.valid]
    assert valid
    for other in valid:
        assert compute_all(family, other, decisions) == compute_all(family, type(instance)(**other.tables), decisions)


@pytest.mark.parametrize("name", FAMILIES)
def test_altered_instances_are_refused_like_new_ones(name):
    family, instance = FAMILIES[name], certified_instance(name).instance
    for other in alterations(instance):
        try:
            type(instance)(**other.tables)
            is_valid = True
        except InstanceError:
            is_valid = False
        assert other.valid is is_valid
        if not is_valid:
            with pytest.raises(InstanceError):
                family.solve(other)


@pytest.mark.parametrize("name", FAMILIES)
def test_values_derived_from_ids_or_flags_are_recomputed_when_these_change(name):
    family, instance = FAMILIES[name], certified_instance(name).instance
    decisions = [certified_instance(name).solution.decision, certified_instance(name).reference]
    compute_all(family, instance, decisions)
    changed = set()
    for other, fresh in derivations(instance):
        assert compute_all(family, other, decisions) == compute_all(family, fresh, decisions)
        changed |= {name for name in instance.relations if getattr(other, name) != getattr(instance, name)}
    relations = {name: relation for name, relation in instance.relations.items() if relation.keys}
    expected = {name for name, table in relations.items() if not (table.is_roster or table.complete or table.public)}
    assert changed >= expected


@pytest.mark.parametrize("name", FAMILIES)
def test_memoised_function_reads_only_the_tables_it_names(name, monkeypatch):
    """The cache relies on `reads`, so every access to a table is checked against it."""
    family, admitted = FAMILIES[name], certified_instance(name)
    derived, get, allowed = Instance.derived, Instance.__getattribute__, list[frozenset[str]]()

    def checked_get(instance, attribute):
        if attribute in type(instance).relations:
            assert all(attribute in names for names in allowed), attribute
        return get(instance, attribute)

    def checked_derived(instance, function, *args, reads=None):
        names = frozenset(instance.relations if reads is None else (read.partition(".")[0] for read in reads))

        def check_reads(one, *args):
            allowed.append(names)
            try:
                return function(one, *args)
            finally:
                allowed.pop()

        assert all(names <= outer for outer in allowed), (function, reads)
        return derived(instance, check_reads, *args, reads=reads)  # a new function every time, so nothing is memoised

    monkeypatch.setattr(Instance, "__getattribute__", checked_get)
    monkeypatch.setattr(Instance, "derived", checked_derived)
    compute_all(family, admitted.instance.without_cache(), [admitted.solution.decision, admitted.reference])


@pytest.mark.parametrize("name", FAMILIES)
def test_threads_can_derive_and_solve_concurrently(name):
    family, instance = FAMILIES[name], certified_instance(name).instance.without_cache()
    expected = family.solve(instance)
    problems, table = list[Exception](), next(iter(instance.relations))

    def work():
        try:
            for at in range(30):
                assert family.solve(instance.unchecked()) == expected
                instance.derived(lambda one, at: at, at, reads=(table,))
                assert family.check(instance, expected.decision).value == expected.value
                assert instance.without_cache().facts == instance.facts
        except Exception as problem:
            problems.append(problem)

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_threads_can_derive_while_others_fill_the_cache():
    """Rounds on a cold instance, with threads that change places as often as possible."""
    instance = certified_instance("fleet_dispatch").instance
    subsets = [names for size in (1, 2, 3) for names in combinations(instance.relations, size)]
    problems, interval = list[Exception](), sys.getswitchinterval()

    def fill(cold):
        for names in subsets:
            cold.derived(_count_relations, reads=names)

    def derive(cold):
        try:
            for _ in subsets:
                assert cold.unchecked(load=dict(cold.load)) == cold
        except Exception as problem:
            problems.append(problem)

    sys.setswitchinterval(1e-6)
    try:
        for _ in range(20):
            cold = instance.without_cache()
            threads = [Thread(target=work, args=(cold,)) for work in (fill, derive, fill, derive)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not problems


def _count_relations(instance):
    return len(instance.relations)


@pytest.mark.parametrize("name", ["fleet_dispatch", "transit_routing"])
def test_one_world_can_be_played_from_eight_threads(name):
    """The episodes of a world share its caches; every thread gets the responses that a world of its own gives."""
    plain = unsolved_world(name, 0, interface=Interface.SPLIT)
    world = replace(plain, instance=plain.instance.without_cache())
    calls, problems = plain.catalog[:30], list[Exception]()
    episode = Episode(plain)
    expected = [episode.call(call.tool, call.arguments).text for call in calls]

    def work():
        try:
            own = Episode(world)
            assert [own.call(call.tool, call.arguments).text for call in calls] == expected
            assert world.instance.unchecked().facts == plain.instance.facts
            assert world.question == plain.question
        except Exception as problem:
            problems.append(problem)

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
