"""Options: what decisions are made of, the facts that each one rests on, and an instance with only some of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
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

    def known(self, instance: I, missing: frozenset[Fact]) -> I | None:
        """The instance without the options that rest on missing facts; None if these are all there are of something."""
        options = _options(self, instance)
        unknown = [option for option in options if not missing.isdisjoint(option.facts)]
        if self.each is not None:
            left = _united(option.entities for option in options if missing.isdisjoint(option.facts))
            if any(option.entities[self.each] - left.get(self.each, frozenset()) for option in unknown):
                return None
        return self.exclude(instance, unknown) if unknown else instance


@lru_cache(maxsize=4)
def _options(kind: Options, instance: Instance) -> tuple[Option, ...]:
    """All options of an instance, kept because many trajectories are compared on one world."""
    return tuple(kind.of(instance))


def restricted(instance: I, seen: frozenset[Fact], kinds: Iterable[Options]) -> I | None:
    """The instance with only those options whose facts were all seen; itself if nothing is missing that is not public.

    None if something is missing that every decision rests on: what tells about no option, or all options of some entity.
    """
    kinds = tuple(kinds)
    missing = frozenset(fact for fact in instance.facts - seen if not instance.relations[fact.relation].public)
    if {fact.relation for fact in missing} - {name for kind in kinds for name in kind.relations}:
        return None
    left: I | None = instance
    for kind in kinds:
        left = None if left is None else kind.known(left, missing)
    return left


def dropping(roster: str) -> Exclude:
    """Excluded options lose their entities of a roster, and with them every row that mentions one."""

    def exclude(instance: Instance, options: list[Option]) -> Instance:
        gone = _united(option.entities for option in options)[roster]
        tables = {}
        for name, each in instance.relations.items():
            if roster in each.rosters:
                tables[name] = each.table(row for row in instance.rows(name) if gone.isdisjoint(each.entities(row)[roster]))
        return instance.replaced(**tables)

    return exclude


def striking(relation: str) -> Exclude:
    """Excluded options lose their rows of a relation."""
    return _amending(relation, lambda instance, row: None)


def refusing(relation: str) -> Exclude:
    """Excluded options are flagged as not allowed in a relation."""
    return _amending(relation, lambda instance, row: (*row[:-1], False))


def pricing(relation: str, sign: int) -> Exclude:
    """Excluded options get a price of that sign in a relation which no other decision reaches."""
    return _amending(relation, lambda instance, row: (*row[:-1], sign * (1 + 2 * instance.magnitude())))


def _amending(relation: str, amended: Callable[[Instance, Row], Row | None]) -> Exclude:
    def exclude(instance: Instance, options: list[Option]) -> Instance:
        rows = [row for option in options for name, row in option.facts if name == relation]
        return instance.amended({relation: {row: amended(instance, row) for row in rows}})

    return exclude


class _Rows:
    """The rows of one relation of an instance, with what they mention at hand."""

    def __init__(self, instance: Instance, name: str) -> None:
        relation = instance.relations[name]
        self.name, self.all, self.rosters = name, instance.rows(name), relation.rosters
        self.entities = cache(relation.entities)
        self.index = cache(lambda roster: relation.index(self.all, roster))

    def about(self, entities: Entities) -> list[Row]:
        """The rows that agree with some entities in every roster that both mention."""
        shared = [roster for roster in self.rosters if roster in entities]
        if not shared:
            return list(self.all)
        found = self.index(shared[-1])
        rows = dict.fromkeys(row for entity in sorted(entities[shared[-1]]) for row in found.get(entity, ()))
        return [row for row in rows if all(_agree(self.entities(row)[roster], entities[roster]) for roster in shared)]


def _agree(one: frozenset[str], other: frozenset[str]) -> bool:
    return one <= other or other <= one


def _united(many: Iterable[Entities]) -> dict[str, frozenset[str]]:
    united: dict[str, frozenset[str]] = {}
    for entities in many:
        for roster, members in entities.items():
            united[roster] = united.get(roster, frozenset()) | members
    return united
