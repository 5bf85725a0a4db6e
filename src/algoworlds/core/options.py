"""Options: what decisions are made of, the facts that each one rests on, and an instance with only some of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, TypeVar

from algoworlds.core.instance import Instance
from algoworlds.core.relation import Fact, Row

I = TypeVar("I", bound=Instance)  # noqa: E741 - the paper's letter
Entities = Mapping[str, frozenset[str]]
"""Entities by roster."""


class Option(NamedTuple):
    """One thing that a decision may use: the entities that it joins, and the facts that it rests on."""

    entities: Entities
    facts: frozenset[Fact]


Exclude = Callable[[Any, list[Option]], Any]
"""How an instance loses some options: it stays an instance of the same formal problem."""


@dataclass(frozen=True)
class Options:
    """A kind of option: each is a row of the first relation, joined with the rows of the others that tell about it.

    A row tells about an option if they agree in every roster that both of them mention: one's entities are among the
    other's. Rosters that only the row mentions become the option's, so that later relations can be joined through them.
    """

    relations: tuple[str, ...]
    exclude: Exclude
    each: str | None = None
    """A roster, if every decision takes an option of each of its entities."""

    def of(self, instance: Instance) -> Iterator[Option]:
        """Every option of an instance."""
        first, *others = (_Rows(instance, name) for name in self.relations)
        for row in first.all:
            entities, facts = first.entities(row), [Fact(first.name, row)]
            for each in others:
                told = each.about(entities)
                facts += [Fact(each.name, one) for one in told]
                entities = _united(map(each.entities, told)) | entities
            yield Option(entities, frozenset(facts))

    def known(self, instance: I, options: Iterable[Option], missing: frozenset[Fact]) -> I | None:
        """The instance without its options that rest on missing facts; None if these are all there are of something."""
        left, unknown = list[Option](), list[Option]()
        for option in options:
            (left if missing.isdisjoint(option.facts) else unknown).append(option)
        if self.each is not None and not _mentioned(left, self.each) >= _mentioned(unknown, self.each):
            return None
        return self.exclude(instance, unknown) if unknown else instance


def _options(instance: Instance, kind: Options) -> tuple[Option, ...]:
    return tuple(kind.of(instance))


def restricted(instance: I, seen: frozenset[Fact], kinds: Iterable[Options]) -> I | None:
    """The instance with only those options whose facts were all seen; itself if nothing is missing that is not public.

    None if something is missing that every decision rests on: what tells about no option, or all options of some entity.
    """
    kinds = tuple(kinds)
    missing = frozenset(fact for fact in instance.facts - seen if not instance.relations[fact.relation].public)
    if {fact.relation for fact in missing} - {name for kind in kinds for name in kind.relations}:
        return None
    left = instance
    for kind in kinds:
        options = left.derived(_options, kind, reads=kind.relations)  # many trajectories are compared on one world
        known = kind.known(left, options, missing)
        if known is None:
            return None
        left = known
    return left


def dropping(roster: str) -> Exclude:
    """Excluded options lose their entities of a roster, and with them every row that mentions one."""
    return lambda instance, options: instance.restrict(
        **{roster: frozenset(getattr(instance, roster)) - _mentioned(options, roster)}
    )


def striking(relation: str) -> Exclude:
    """Excluded options lose their rows of a relation."""
    return lambda instance, options: instance.with_rows(**{relation: dict.fromkeys(_resting(options, relation))})


def refusing(relation: str) -> Exclude:
    """Excluded options are flagged as not allowed in a relation."""
    return _amending(relation, lambda instance, row: (*row[:-1], False))


def pricing(relation: str, sign: int) -> Exclude:
    """Excluded options get a price of that sign in a relation which no other decision reaches."""
    return _amending(relation, lambda instance, row: (*row[:-1], sign * (1 + 2 * instance.magnitude())))


def _amending(relation: str, amended: Callable[[Instance, Row], Row]) -> Exclude:
    def exclude(instance: Instance, options: list[Option]) -> Instance:
        return instance.with_rows(**{relation: {row: amended(instance, row) for row in _resting(options, relation)}})

    return exclude


def _resting(options: Iterable[Option], relation: str) -> list[Row]:
    """The rows of a relation that some options rest on."""
    return [row for option in options for name, row in option.facts if name == relation]


class _Rows:
    """The rows of one relation of an instance, with what they mention at hand."""

    def __init__(self, instance: Instance, name: str) -> None:
        relation = instance.relations[name]
        self.name, self.all, self.rosters = name, (rows := instance.rows(name)), relation.rosters
        self.entities = cache(relation.entities)
        self.index = cache(lambda roster: relation.index(rows, roster))

    def about(self, entities: Entities) -> list[Row]:
        """The rows that agree with some entities in every roster that both mention."""
        shared = [roster for roster in self.rosters if roster in entities]
        if not shared:
            return list(self.all)
        found = self.index(shared[-1])
        rows = dict.fromkeys(row for entity in sorted(entities[shared[-1]]) for row in found.get(entity, ()))
        pairs = {row: [(self.entities(row)[roster], entities[roster]) for roster in shared] for row in rows}
        return [row for row, found in pairs.items() if all(one <= other or other <= one for one, other in found)]


def _mentioned(options: Iterable[Option], roster: str) -> frozenset[str]:
    """The entities of a roster that some options join."""
    return frozenset().union(*(option.entities.get(roster, frozenset()) for option in options))


def _united(many: Iterable[Entities]) -> dict[str, frozenset[str]]:
    united: dict[str, frozenset[str]] = {}
    for entities in many:
        for roster, members in entities.items():
            united[roster] = united.get(roster, frozenset()) | members
    return united
