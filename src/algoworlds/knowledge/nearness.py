"""Instances that differ from the hidden one in as little as unread structure may: whoever knows the optimum has ruled them out.

A witness against few calls differs in much at once, and so does the conflict that is made of it. There are far fewer small
differences than sets of calls, and each is told apart by few calls: what a certificate must hold is mostly said by them.
"""

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import Any

from algoworlds.core.ranges import Place, Ranges
from algoworlds.core.relation import Row
from algoworlds.families.unknowns import Unknowns

NEAR = 2
"""Rows by which two entities may differ that exchange what they have."""


def nearest(instance: Any, ranges: Ranges, unknowns: Unknowns) -> Iterator[Any]:
    """All instances in the ranges in which two entities have exchanged nearly equal rows, or one row has another entity."""
    for place in sorted(unknowns.exchanges):
        yield from _possible(instance, ranges, place[0], _exchanges(instance, place))
    for place in sorted(unknowns.moves):
        yield from _possible(instance, ranges, place[0], _moves(instance, place))


def _possible(instance: Any, ranges: Ranges, name: str, changes: Iterable[dict[Row, Row]]) -> Iterator[Any]:
    """The instance with some rows of a relation exchanged, wherever that is an instance and keeps what is promised."""
    relation, rows = instance.relations[name], instance.rows(name)
    for change in changes:
        changed = instance.unchecked(**{name: relation.table([change.get(row, row) for row in rows])})
        if changed.valid and next(ranges.broken(changed, instance), None) is None:
            yield changed


def _exchanges(instance: Any, place: Place) -> Iterator[dict[Row, Row]]:
    """Rows of two entities of a column of keys, each of which takes those that only the other has."""
    rows, at = instance.rows(place[0]), instance.relations[place[0]].position(place[1])
    having: dict[str, set[Row]] = {}
    for row in rows:
        having.setdefault(row[at], set()).add((*row[:at], *row[at + 1 :]))
    for one, other in combinations(having, 2):
        if 0 < len(having[one] ^ having[other]) <= NEAR:
            names = {one: other, other: one}
            apart = [row for row in rows if row[at] in names and (*row[:at], *row[at + 1 :]) in having[one] ^ having[other]]
            yield {row: (*row[:at], names[row[at]], *row[at + 1 :]) for row in apart}


def _moves(instance: Any, place: Place) -> Iterator[dict[Row, Row]]:
    """One row with any other entity in a column of keys."""
    relation = instance.relations[place[0]]
    at, rows = relation.position(place[1]), instance.rows(place[0])
    for row in rows:
        for entity in getattr(instance, relation.columns[at].of):
            moved = (*row[:at], entity, *row[at + 1 :])
            if moved not in rows:
                yield {row: moved}
