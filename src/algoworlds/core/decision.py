"""Decisions: the shapes a submission may have, and the verdict on one.

A shape checks JSON types only. Whether an id exists, is used twice or breaks a constraint is checked by the family's
checker: such a decision is well formed and binding, but infeasible.
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
    """The checker's result: feasible with a value, or infeasible with a reason."""

    feasible: bool
    value: int | None = None
    parts: Mapping[str, int] = field(default_factory=dict)
    """The objective broken into named terms; they sum to the value."""
    reason: str | None = None
    """Why a decision is infeasible; never shown to an agent."""

    @classmethod
    def from_parts(cls, **parts: int) -> "Verdict":
        """The verdict on a feasible decision, from the named terms of its objective."""
        return cls(True, sum(parts.values()), parts)

    @classmethod
    def infeasible(cls, reason: str) -> "Verdict":
        """The verdict on an infeasible decision."""
        return cls(False, reason=reason)


CLAIM_ARGUMENT = "claim"
"""The argument in which an agent may claim how sure it is of its decision; no shape uses this name."""


class Confidence(Enum):
    """What an agent claims about its decision; never scored, only compared with the truth."""

    PROVEN = "proven"
    GUESS = "best guess"
    UNCLEAR = "unclear"
    """A claim was made, but it is neither of the two."""


def schema_with_claim(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of a decision that may be submitted with a claim."""
    text = f'Optional: "{Confidence.PROVEN.value}" or "{Confidence.GUESS.value}". It never changes the score.'
    claim = {"type": "string", "enum": [Confidence.PROVEN.value, Confidence.GUESS.value], "description": text}
    return {**schema, "properties": {**schema["properties"], CLAIM_ARGUMENT: claim}}


def split_claim(arguments: Any) -> tuple[Any, Confidence | None]:
    """Split submitted arguments into those of the decision and the claim; null counts as no claim.

    An invalid claim does not invalidate a decision that is well formed without it: it counts as unclear.
    """
    if not isinstance(arguments, dict) or CLAIM_ARGUMENT not in arguments:
        return arguments, None
    value = arguments[CLAIM_ARGUMENT]
    claims = {None: None, Confidence.PROVEN.value: Confidence.PROVEN, Confidence.GUESS.value: Confidence.GUESS}
    claim = claims.get(value, Confidence.UNCLEAR) if value is None or isinstance(value, str) else Confidence.UNCLEAR
    return {name: value for name, value in arguments.items() if name != CLAIM_ARGUMENT}, claim


class ChoiceKind(Enum):
    """How the entities of one decision argument are chosen."""

    ASSIGN = "assign"
    """Every entity of a roster gets one option."""
    PICK = "pick"
    """One option is chosen for every entity of a roster; each option belongs to one of them."""
    ORDER = "order"
    """Some options are chosen; their order matters."""
    SUBSET = "subset"
    """Some options are chosen, in any order."""


class ArgumentSpec(NamedTuple):
    """One argument of a decision, described for a form: which entities are chosen, and how."""

    argument: str
    kind: ChoiceKind
    entity: str
    per: str = ""
    """The roster whose entities get one each (ASSIGN and PICK)."""


class DecisionShape(Protocol):
    """How a decision is written as JSON arguments."""

    @property
    def argument_specs(self) -> tuple[ArgumentSpec, ...]:
        """How its arguments are chosen, for a form."""

    def schema(self) -> dict[str, Any]:
        """JSON schema of the arguments object."""

    def parse(self, arguments: Any) -> Decision:
        """Parse an arguments object to the canonical decision; Malformed if it breaks the schema."""

    def arguments(self, decision: Decision) -> dict[str, Any]:
        """The arguments object of a decision; the inverse of `parse`."""

    def ids(self, decision: Decision) -> frozenset[str]:
        """The entity ids in a decision."""


@dataclass(frozen=True)
class AssignmentShape:
    """One option for every entity: an object from entity ids to option ids."""

    argument: str
    entity: str
    option: str

    @property
    def argument_specs(self) -> tuple[ArgumentSpec, ...]:
        return (ArgumentSpec(self.argument, ChoiceKind.ASSIGN, self.option, self.entity),)

    def schema(self) -> dict[str, Any]:
        text = f"Maps every {self.entity} id to one {self.option} id."
        mapping = {"type": "object", "description": text, "additionalProperties": {"type": "string"}}
        return _object_schema({self.argument: mapping})

    def parse(self, arguments: Any) -> dict[str, str]:
        mapping = _require_names(arguments, (self.argument,))[self.argument]
        if not isinstance(mapping, dict) or not all(isinstance(item, str) for pair in mapping.items() for item in pair):
            raise Malformed(f"{self.argument} must be an object of strings")
        return dict(sorted(mapping.items()))

    def arguments(self, decision: Mapping[str, str]) -> dict[str, Any]:
        return {self.argument: dict(decision)}

    def ids(self, decision: Mapping[str, str]) -> frozenset[str]:
        return frozenset(decision) | frozenset(decision.values())


@dataclass(frozen=True)
class IdListShape:
    """A list of ids: a sequence where `ordered`, otherwise a set written in any order."""

    argument: str
    entity: str
    ordered: bool = False
    per: str = ""
    """A roster, if a decision chooses one entity for each of its members: one leg per station."""

    @property
    def argument_specs(self) -> tuple[ArgumentSpec, ...]:
        kind = ChoiceKind.PICK if self.per else ChoiceKind.ORDER if self.ordered else ChoiceKind.SUBSET
        return (ArgumentSpec(self.argument, kind, self.entity, self.per),)

    def schema(self) -> dict[str, Any]:
        return _object_schema({self.argument: self._list_schema()})

    def parse(self, arguments: Any) -> tuple[str, ...]:
        return self._parse_list(_require_names(arguments, (self.argument,))[self.argument])

    def arguments(self, decision: tuple[str, ...]) -> dict[str, Any]:
        return {self.argument: list(decision)}

    def ids(self, decision: tuple[str, ...]) -> frozenset[str]:
        return frozenset(decision)

    def _list_schema(self) -> dict[str, Any]:
        order = "in order" if self.ordered else "in any order"
        return {"type": "array", "description": f"The {self.entity} ids, {order}.", "items": {"type": "string"}}

    def _parse_list(self, ids: Any) -> tuple[str, ...]:
        if not isinstance(ids, list | tuple) or not all(isinstance(item, str) for item in ids):
            raise Malformed(f"{self.argument} must be an array of strings")
        return tuple(ids) if self.ordered else tuple(sorted(ids))


@dataclass(frozen=True)
class PairShape:
    """Two lists submitted together; the decision is a pair of tuples."""

    first: IdListShape
    second: IdListShape

    @property
    def argument_specs(self) -> tuple[ArgumentSpec, ...]:
        return self.first.argument_specs + self.second.argument_specs

    def schema(self) -> dict[str, Any]:
        return _object_schema({part.argument: part._list_schema() for part in (self.first, self.second)})

    def parse(self, arguments: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
        lists = _require_names(arguments, (self.first.argument, self.second.argument))
        return self.first._parse_list(lists[self.first.argument]), self.second._parse_list(lists[self.second.argument])

    def arguments(self, decision: tuple[tuple[str, ...], tuple[str, ...]]) -> dict[str, Any]:
        return self.first.arguments(decision[0]) | self.second.arguments(decision[1])

    def ids(self, decision: tuple[tuple[str, ...], tuple[str, ...]]) -> frozenset[str]:
        return frozenset(decision[0]) | frozenset(decision[1])


def _object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _require_names(arguments: Any, names: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(arguments, dict) or set(arguments) != set(names):
        raise Malformed(f"expected exactly the arguments {', '.join(names)}")
    return arguments
