"""Decisions: the shapes a submission may have, and the verdict on one.

A shape knows JSON types only. Whether an id exists, is used twice or breaks a constraint is for the family's checker
to say: such a decision is well formed and binds, it is just not feasible.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, Protocol

from algoworlds.errors import Malformed

Decision = Any
"""A decision in plain JSON-like form: a dict, or a tuple of ids."""


@dataclass(frozen=True)
class Verdict:
    """The checker's word on a decision: feasible with a value, or not, and why."""

    feasible: bool
    value: int | None = None
    parts: Mapping[str, int] = field(default_factory=dict)
    """The objective broken into named terms; they sum to the value."""
    reason: str | None = None
    """Why a decision is infeasible. For offline readers only; no agent ever sees it."""

    @classmethod
    def of(cls, **parts: int) -> "Verdict":
        """A feasible decision, with the named terms of its objective."""
        return cls(True, sum(parts.values()), parts)

    @classmethod
    def infeasible(cls, reason: str) -> "Verdict":
        """An infeasible decision."""
        return cls(False, reason=reason)


CLAIM = "claim"
"""The argument beside a decision in which its author may say how sure it is; no shape has one of that name."""


class Assurance(Enum):
    """What the author of a decision says of it; never scored, only compared with the truth."""

    PROVEN = "proven"
    GUESS = "best guess"
    UNCLEAR = "unclear"
    """Something was said, but neither of the two."""


def with_claim(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a decision that may be submitted with a claim."""
    words = f'Optional: "{Assurance.PROVEN.value}" or "{Assurance.GUESS.value}". It never changes the score.'
    said = {"type": "string", "enum": [Assurance.PROVEN.value, Assurance.GUESS.value], "description": words}
    return {**schema, "properties": {**schema["properties"], CLAIM: said}}


def without_claim(arguments: Any) -> tuple[Any, Assurance | None]:
    """Submitted arguments as those of the decision alone, and what is claimed; null counts as nothing said.

    A claim that is neither word costs nobody a decision that is well formed without it, and passes for neither.
    """
    if not isinstance(arguments, dict) or CLAIM not in arguments:
        return arguments, None
    said = arguments[CLAIM]
    words = {None: None, Assurance.PROVEN.value: Assurance.PROVEN, Assurance.GUESS.value: Assurance.GUESS}
    claim = words.get(said, Assurance.UNCLEAR) if said is None or isinstance(said, str) else Assurance.UNCLEAR
    return {name: value for name, value in arguments.items() if name != CLAIM}, claim


class Manner(Enum):
    """How one argument of a decision is put together."""

    ASSIGN = "assign"
    """Each entity of a roster is given one of something."""
    PICK = "pick"
    """One of something is taken for each entity of a roster that it belongs to."""
    ORDER = "order"
    """Some are taken, in an order that matters."""
    SUBSET = "subset"
    """Some are taken, in any order."""


class Piece(NamedTuple):
    """One argument of a decision for whoever puts it together by hand: entities are taken in some manner, one `per` another."""

    argument: str
    manner: Manner
    entity: str
    per: str = ""
    """The roster of which each entity gets one, where the manner has such a roster."""


class Shape(Protocol):
    """How a decision is written as JSON arguments."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Its arguments as somebody puts them together."""

    def schema(self) -> dict[str, Any]:
        """JSON schema of the arguments object."""

    def parse(self, arguments: Any) -> Decision:
        """The canonical decision in an arguments object; Malformed if it breaks the schema."""

    def arguments(self, decision: Decision) -> dict[str, Any]:
        """The arguments object that submits a decision; the inverse of `parse`."""

    def ids(self, decision: Decision) -> frozenset[str]:
        """The entity ids that a decision names."""


@dataclass(frozen=True)
class Each:
    """One option for every entity: an object from entity ids to option ids."""

    argument: str
    entity: str
    option: str

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return (Piece(self.argument, Manner.ASSIGN, self.option, self.entity),)

    def schema(self) -> dict[str, Any]:
        text = f"Maps every {self.entity} id to one {self.option} id."
        return _object({self.argument: {"type": "object", "description": text, "additionalProperties": {"type": "string"}}})

    def parse(self, arguments: Any) -> dict[str, str]:
        mapping = _only(arguments, (self.argument,))[self.argument]
        if not isinstance(mapping, dict) or not all(isinstance(item, str) for pair in mapping.items() for item in pair):
            raise Malformed(f"{self.argument} must be an object of strings")
        return dict(sorted(mapping.items()))

    def arguments(self, decision: Mapping[str, str]) -> dict[str, Any]:
        return {self.argument: dict(decision)}

    def ids(self, decision: Mapping[str, str]) -> frozenset[str]:
        return frozenset(decision) | frozenset(decision.values())


@dataclass(frozen=True)
class Listed:
    """A list of ids: a sequence where `ordered`, otherwise a set written in any order."""

    argument: str
    entity: str
    ordered: bool = False
    per: str = ""
    """A roster, where a decision takes one of the listed entities for each of its members: one leg per station."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        manner = Manner.PICK if self.per else Manner.ORDER if self.ordered else Manner.SUBSET
        return (Piece(self.argument, manner, self.entity, self.per),)

    def schema(self) -> dict[str, Any]:
        return _object({self.argument: self._items()})

    def parse(self, arguments: Any) -> tuple[str, ...]:
        return self._read(_only(arguments, (self.argument,))[self.argument])

    def arguments(self, decision: tuple[str, ...]) -> dict[str, Any]:
        return {self.argument: list(decision)}

    def ids(self, decision: tuple[str, ...]) -> frozenset[str]:
        return frozenset(decision)

    def _items(self) -> dict[str, Any]:
        order = "in order" if self.ordered else "in any order"
        return {"type": "array", "description": f"The {self.entity} ids, {order}.", "items": {"type": "string"}}

    def _read(self, listed: Any) -> tuple[str, ...]:
        if not isinstance(listed, list | tuple) or not all(isinstance(item, str) for item in listed):
            raise Malformed(f"{self.argument} must be an array of strings")
        return tuple(listed) if self.ordered else tuple(sorted(listed))


@dataclass(frozen=True)
class Both:
    """Two lists submitted together; the decision is a pair of tuples."""

    first: Listed
    second: Listed

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return self.first.pieces + self.second.pieces

    def schema(self) -> dict[str, Any]:
        return _object({each.argument: each._items() for each in (self.first, self.second)})

    def parse(self, arguments: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
        given = _only(arguments, (self.first.argument, self.second.argument))
        return self.first._read(given[self.first.argument]), self.second._read(given[self.second.argument])

    def arguments(self, decision: tuple[tuple[str, ...], tuple[str, ...]]) -> dict[str, Any]:
        return self.first.arguments(decision[0]) | self.second.arguments(decision[1])

    def ids(self, decision: tuple[tuple[str, ...], tuple[str, ...]]) -> frozenset[str]:
        return frozenset(decision[0]) | frozenset(decision[1])


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _only(arguments: Any, names: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(arguments, dict) or set(arguments) != set(names):
        raise Malformed(f"expected exactly the arguments {', '.join(names)}")
    return arguments
