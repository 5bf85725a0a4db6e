"""Changes of one table that leave the declared problem: `python -m tests.contract.unchecked_fuzz FAMILY TINY` tries them all
in a generated instance and `TINY` tiny ones.

It runs in a process of its own, because a kernel that reads beyond its arrays would end the process.
"""

import faulthandler
import sys
from collections import Counter
from importlib import import_module

from algoworlds.core import kernel
from algoworlds.core.column import Flag, Id, Ids, Int, Ints
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError, InstanceError
from algoworlds.families import load_family
from tests.command import ROOT
from tests.oracles import oracle

HUGE = 2**53, 2**63, -(2**63), 10**30
ODD_CELLS = (None, "x", "", True, 1.5, (), [], {}, float("nan"))
BAD_CELLS = {
    Int: (-1, -(10**6), 10**6, 2**31, 2**53 - 1, *HUGE, *ODD_CELLS),
    Ints: ((), (0,), (0,) * 99, (-1,) * 4, (2**53,) * 4, (10**30,) * 4, (None,) * 4, ("x",) * 4, (True,) * 4, 5, *ODD_CELLS),
    Flag: (0, 1, 2, *ODD_CELLS[:3], *ODD_CELLS[4:]),
    Id: ("unknown", 5, *ODD_CELLS),
    Ids: (("unknown",), ("unknown", "unknown"), "unknown", (5,), 5, *ODD_CELLS),
}
ODD_TABLES = (None, 5, "x", (), [], {}, frozenset(), True, ("unknown",), {"unknown": 1}, frozenset({("unknown", "unknown")}))


def changed_tables(instance, name):
    """Other contents of a table, most of which are not valid."""
    relation, table = instance.relations[name], getattr(instance, name)
    yield from ODD_TABLES
    if relation.is_roster:
        yield from (table[:-1], table[1:], table[::-1], (*table, "unknown"), (*table, *table), list(table), table[:1] * 2)
        return
    rows, width = list(instance.rows(name)), len(relation.keys)
    if not relation.values:
        yield from (frozenset(rows[1:]), frozenset([*rows, ("unknown",) * width]), list(rows))
        yield from (frozenset([*rows[1:], row[:-1]]) for row in rows[:1])
        return
    if width:
        items = list(table.items())
        yield from (dict(items[1:]), dict(items[::-1]))
        for key in ("unknown", ("unknown",) * width):
            yield from ({key: cell} for _, cell in items[:1])
            yield from (dict([(key, cell), *items]) for _, cell in items[:1])
        yield {key: cell for (key, _), (_, cell) in zip(items, [*items[1:], *items[:1]], strict=True)}
        yield {key if width == 1 else key[::-1]: cell for key, cell in items}
        yield {key: (cell, cell, cell, cell, cell, cell, cell) for key, cell in items}
    for at, column in enumerate(relation.values):
        for cell in BAD_CELLS[type(column)]:
            for chosen in (rows[:1], rows[-1:], rows):
                changed = [(*row[: width + at], cell, *row[width + at + 1 :]) if row in chosen else row for row in rows]
                try:
                    yield relation.from_rows(changed)
                except TypeError:  # an unhashable cell in a key
                    continue
        if isinstance(column, Id | Ids):
            for cell in {row[width + at] for row in rows}:
                yield relation.from_rows([(*row[: width + at], cell, *row[width + at + 1 :]) for row in rows])


def run_algorithm(algorithm, instance):
    """The result of an algorithm, or the one-line error with which it refuses the instance."""
    try:
        return algorithm(instance)
    except InputError as problem:
        return problem


def is_refusal(result):
    return isinstance(result, InputError) and "\n" not in str(result) and len(str(result)) < 500


def solve_copies(family, instance):
    """The results of solving what is derived from an instance without changing it."""
    for derive in (
        type(instance).restrict,
        type(instance).without_cache,
        type(instance).unchecked,
        lambda one: one.rename_ids(str.upper),
    ):
        yield run_algorithm(lambda one, derive=derive: family.solve(derive(one)), instance)


def check_change(family, instance, relation, table):
    """Whether a change is valid; fail unless it is solved like a new instance, or refused by all ways to use it."""
    altered = instance.unchecked(**{relation: table})
    solved, verified = (run_algorithm(algorithm, altered) for algorithm in (family.solve, family.verify))
    try:
        fresh = type(instance)(**(instance.tables | {relation: table}))
    except InstanceError:
        fresh = None
    if fresh is None or not altered.valid:
        assert not altered.valid
        assert is_refusal(solved)
        assert is_refusal(verified)
        assert all(map(is_refusal, solve_copies(family, altered)))
        return False
    assert altered == fresh
    for algorithm, result in ((family.solve, solved), (family.verify, verified)):
        expected = run_algorithm(algorithm, fresh)
        assert result == expected or str(result) == str(expected)
    assert is_refusal(solved) or is_refusal(verified) or solved.agrees_with(verified)
    return True


def check_family(family, instances):
    """Try every change of every instance; return how many are valid and how many are not."""
    counts = Counter()
    for instance in instances:
        family.solve(instance), family.verify(instance)  # fill the caches that derived instances share
        for relation in instance.relations:
            for table in changed_tables(instance, relation):
                try:
                    counts[check_change(family, instance, relation, table)] += 1
                except BaseException:
                    print(f"{family.name}: {relation} = {table!r}"[:1_000], flush=True)
                    raise
    return counts[True], counts[False]


def load(name, count):
    """A family, a generated instance of it, and `count` tiny ones."""
    if name == "knapsack":
        sys.path.insert(0, str(ROOT / "examples" / "knapsack" / "src"))
        family = import_module("algoworlds_knapsack").KNAPSACK
        tiny = family.tiny
    else:
        family, tiny = load_family(name), oracle(name).small
    generated = family.generate(family.levels[0], Stream("unchecked", name))
    return family, [generated, *(tiny(Stream("unchecked", name, number)) for number in range(count))]


if __name__ == "__main__":
    faulthandler.enable()
    kernel.MAX_TABLE_BYTES = 2**22  # so that a change to a large but valid modulus is refused at once
    print(*check_family(*load(sys.argv[1], int(sys.argv[2]))))
