"""Options: what decisions consist of, the facts that each option depends on, and instances with fewer options."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cache
from typing import NamedTuple, TypeVar

from algoworlds.core.instance import Instance
from algoworlds.core.relation import Fact, Row
from algoworlds.errors import DeclarationError

I = TypeVar("I", bound=Instance)  # noqa: E741 - the paper's letter
Entities = Mapping[str, frozenset[str]]
"""Entities by roster."""


class Option(NamedTuple):
    """One thing that a decision may use: the entities that it joins, and the facts that it depends on."""

    entities: Entities
    facts: frozenset[Fact]


@dataclass(frozen=True)
class OptionKind:
    """A kind of option: each one is a row of the first relation, joined with the matching rows of the others.

    A row matches an option if they agree in every roster that both mention: one's entities are among the other's.
    Rosters that only the row mentions are added to the option, so that later relations can be joined through them.
    """

    relations: tuple[str, ...]
    _: KW_ONLY
    drop: str = ""
    """Options are excluded by dropping this: a roster, whose entities go with all their rows, or a relation, whose rows go."""
    clear: str = ""
    """Options are excluded by clearing the flag in their rows of this relation."""
    price: tuple[str, int] | None = None
    """Options are excluded by a price in their rows of this relation that no other decision reaches, with this sign."""
    required_roster: str | None = None
    """A roster, if every decision uses an option of each of its entities."""

    def __post_init__(self) -> None:
        if sum(map(bool, (self.drop, self.clear, self.price))) != 1:
            raise DeclarationError(f"OptionKind({self.relations}): say how to exclude options: one of drop, clear and price")

    def exclude(self, instance: I, options: Collection[Option]) -> I:
        """The instance without some options; it stays an instance of the same formal problem."""
        if self.drop in instance.relations and instance.relations[self.drop].is_roster:
            return instance.restrict(**{self.drop: frozenset(getattr(instance, self.drop)) - _entities_of(options, self.drop)})
        name, sign = self.price or (self.drop or self.clear, 0)
        cell = sign * (1 + 2 * instance.magnitude()) if self.price else False
        rows = [row for option in options for relation, row in option.facts if relation == name]
        return instance.with_rows(**{name: {row: None if self.drop else (*row[:-1], cell) for row in rows}})

    def find_options(self, instance: Instance) -> Iterator[Option]:
        """All options of an instance."""
        first, *others = (_RelationRows(instance, name) for name in self.relations)
        for row in first.rows:
            entities, facts = dict(first.entities(row)), [Fact(first.name, row)]
            for other in others:
                matches = other.find_matches(entities)
                facts += [Fact(other.name, match) for match in matches]
                joined: dict[str, frozenset[str]] = {}
                for match in matches:
                    for roster, members in other.entities(match).items():
                        joined[roster] = joined.get(roster, frozenset()) | members
                entities = joined | entities
            yield Option(entities, frozenset(facts))


def _find_options(instance: Instance, kind: OptionKind) -> tuple[Option, ...]:
    return tuple(kind.find_options(instance))


def restrict_to_seen(instance: I, seen: frozenset[Fact], kinds: Iterable[OptionKind]) -> I | None:
    """The instance with only those options whose facts were all seen; itself if only public facts are missing.

    None if a fact is missing that every decision depends on: one that belongs to no option, or to all options of an entity.
    """
    kinds = tuple(kinds)
    missing = frozenset(fact for fact in instance.facts - seen if not instance.relations[fact.relation].public)
    if {fact.relation for fact in missing} - {name for kind in kinds for name in kind.relations}:
        return None
    for kind in kinds:
        seen_options, unseen = list[Option](), list[Option]()
        for option in instance.derived(_find_options, kind, reads=kind.relations):  # shared by many trajectories on one world
            (seen_options if missing.isdisjoint(option.facts) else unseen).append(option)
        roster = kind.required_roster
        if roster is not None and not _entities_of(seen_options, roster) >= _entities_of(unseen, roster):
            return None
        if unseen:
            instance = kind.exclude(instance, unseen)
    return instance


def _entities_of(options: Iterable[Option], roster: str) -> frozenset[str]:
    """The entities of `roster` that some options join."""
    return frozenset().union(*(option.entities.get(roster, frozenset()) for option in options))


class _RelationRows:
    """The rows of one relation, with their entities and indexes memoised."""

    def __init__(self, instance: Instance, name: str) -> None:
        relation = instance.relations[name]
        self.name, self.rows, self.rosters = name, (rows := instance.rows(name)), relation.rosters
        self.entities = cache(relation.entities)
        self.index = cache(lambda roster: relation.group_by_entity(rows, roster))

    def find_matches(self, entities: Entities) -> list[Row]:
        """The rows that agree with `entities` in every roster that both mention."""
        shared = [roster for roster in self.rosters if roster in entities]
        if not shared:
            return list(self.rows)
        index = self.index(shared[-1])
        rows = dict.fromkeys(row for entity in sorted(entities[shared[-1]]) for row in index.get(entity, ()))
        pairs = {row: [(self.entities(row)[roster], entities[roster]) for roster in shared] for row in rows}
        return [row for row, sets in pairs.items() if all(one <= other or other <= one for one, other in sets)]
