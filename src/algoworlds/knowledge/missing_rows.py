"""Rows that a completion may have although the member has none: a table that was not read may hold more than the member shows.

A relation has such gaps if neither the family's rules nor the responses fix which keys it has. Nothing bounds what its further
rows may do, so with gaps an optimum is never determined; instances with a few rows added are tried as witnesses.
"""

from collections.abc import Iterator, Mapping
from itertools import islice, product
from math import prod
from typing import Any

from algoworlds.core.column import Column, Flag, Id, Ids, Int
from algoworlds.core.completions import Completions
from algoworlds.core.ranges import Range
from algoworlds.core.relation import Row
from algoworlds.core.stream import Stream
from algoworlds.worlds.opaque_ids import opaque_id

MAX_KEYS_LISTED = 200_000
"""Possible keys up to which the missing ones are listed; a relation with more of them has gaps."""

MAX_KEYS_TRIED = 4
"""Missing keys that get a row in a witness."""

MAX_CELLS_TRIED = 12
"""Values that a cell of such a row gets."""

MAX_INSTANCES_TRIED = 24
"""Instances with added rows that are tried as witnesses for one relation."""

ROWS_ADDED = (1, 16)
"""Equal rows that are added for an entity that no response has shown, one for each such entity."""


def relations_with_gaps(completions: Completions, keys_of: Mapping[str, str], unscoped: frozenset[str]) -> frozenset[str]:
    """The relations in which a completion may have keys that the member lacks.

    `keys_of` names, for a relation, another one that always has the same keys, or "" if the family's rules fix its keys. What
    was read of the relations in `unscoped` is known by their rows only: the member's rows are taken for all if there are any.
    """
    names = completions.instance.relations
    return frozenset(name for name in names if next(missing_keys(completions, name, keys_of, unscoped), None) is not None)


def missing_keys(
    completions: Completions, name: str, keys_of: Mapping[str, str], unscoped: frozenset[str] = frozenset()
) -> Iterator[Row]:
    """Keys that a completion may have and the member lacks; () for a key with an entity that no response has shown."""
    instance, relation, root = completions.instance, completions.instance.relations[name], keys_of.get(name, name)
    rosters = [str(column.roster_name) for column in relation.keys]
    is_public = [instance.relations[roster].public for roster in rosters]
    if not relation.fact or relation.public or relation.is_roster or relation.constant or not rosters or not root:
        return
    alike = [other for other in instance.relations if keys_of.get(other, other) == root]
    is_assumed_complete = not unscoped.isdisjoint(alike) and instance.rows(name)
    if (relation.complete and all(is_public)) or is_assumed_complete or any(map(completions.is_fully_read, alike)):
        return
    read = [
        {entity for entity in getattr(instance, roster) if any(completions.is_fully_read(r, roster, entity) for r in alike)}
        for roster in rosters
    ]
    listed = [getattr(instance, roster) for roster in rosters]
    if any(public and shown.issuperset(ids) for public, shown, ids in zip(is_public, read, listed, strict=True)):
        return
    if not all(is_public) or prod(map(len, listed)) > MAX_KEYS_LISTED:
        yield ()
        return
    present = {row[: len(rosters)] for row in instance.rows(name)}
    for keys in product(*listed):
        if keys not in present and not any(entity in shown for entity, shown in zip(keys, read, strict=True)):
            yield keys


def with_idle_rows(
    completions: Completions, names: frozenset[str], keys_of: Mapping[str, str], unscoped: frozenset[str]
) -> Any:
    """The member with a row for every missing key of the relations `names`, whose numbers are the least possible."""
    instance, tables = completions.instance, dict[str, Any]()
    for name in sorted(names):
        relation = instance.relations[name]
        lows = tuple(completions.ranges.columns[name, column.name].low for column in relation.values)
        rows = [(*keys, *lows) for keys in missing_keys(completions, name, keys_of, unscoped) if keys]
        if rows:
            tables[name] = relation.from_rows(relation.sort_rows([*instance.rows(name), *rows], instance.tables))
    return instance.unchecked(**tables) if tables else instance


def instances_with_added_rows(
    completions: Completions, name: str, keys_of: Mapping[str, str], first: frozenset[str]
) -> Iterator[Any]:
    """Valid instances with some rows added to a relation with gaps; rows that mention the ids `first` come first."""
    instance, relation = completions.instance, completions.instance.relations[name]
    spans = [completions.ranges.columns.get((name, column.name), Range(0, 1)) for column in relation.values]
    listed = [
        list(islice(_cells(instance, column, span, first), MAX_CELLS_TRIED))
        for column, span in zip(relation.values, spans, strict=True)
    ]
    stream, count = Stream("added", instance.digest, name), 0
    for keys in islice(missing_keys(completions, name, keys_of), MAX_KEYS_TRIED):
        for values, size in product(product(*listed), ROWS_ADDED if not keys else (1,)):
            tables: dict[str, Any] = {}
            rows = [*instance.rows(name)]
            for _ in range(size):
                row_keys = list(keys)
                for column in () if keys else relation.keys:
                    roster = str(column.roster_name)
                    entities = tables.get(roster, getattr(instance, roster))
                    if instance.relations[roster].public:
                        row_keys.append(stream.choice(entities))
                    else:
                        row_keys.append(opaque_id(roster, stream.word()))
                        tables[roster] = (*entities, row_keys[-1])
                rows.append((*row_keys, *values))
            table = relation.from_rows(relation.sort_rows(rows, instance.tables | tables))
            changed = instance.unchecked(**tables, **{name: table})
            if changed.valid:
                yield changed
                count += 1
                if count == MAX_INSTANCES_TRIED:
                    return


def _cells(instance: Any, column: Column, span: Range, first: frozenset[str]) -> Iterator[Any]:
    """Values that a cell of an added row gets."""
    ids = sorted(getattr(instance, column.roster_name), key=lambda item: item not in first) if column.roster_name else []
    if isinstance(column, Int):
        yield from dict.fromkeys((span.low, span.high))
    elif isinstance(column, Flag):
        yield from (True, False)
    elif isinstance(column, Id):
        yield from ids
    elif isinstance(column, Ids):
        yield from ((item,) for item in ids[: MAX_CELLS_TRIED - 2])
        yield from (tuple(ids), ())
    else:
        over = getattr(column, "over", None)
        sizes = (2, 1, 4) if over is None else (len(getattr(instance, over)),)
        for size in sizes:
            yield from dict.fromkeys(
                (
                    (span.low,) * (size - 1) + (span.high,),
                    (span.high,) + (span.low,) * (size - 1),
                    (span.low,) * size,
                    (span.high,) * size,
                )
            )
