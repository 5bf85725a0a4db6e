"""Compare a decision with the certified optimum: the terms of the objective, and the decision entry by entry."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, NamedTuple

from algoworlds.core.canonical import compact_json
from algoworlds.core.decision import IdListShape, PairShape
from algoworlds.core.work import Sense
from algoworlds.errors import Malformed
from algoworlds.families import load_family
from algoworlds.worlds.world import World

OBJECTIVE_TERM = "objective"


class Term(NamedTuple):
    """One term of the objective in a decision and in the optimum; `is_better` says whether the difference helps."""

    name: str
    value: int
    optimum: int
    is_better: bool

    @property
    def percent_change(self) -> float | None:
        """The change relative to the optimum; None if only the term of the optimum is zero."""
        if self.value == self.optimum:
            return 0.0
        return 100 * (self.value - self.optimum) / abs(self.optimum) if self.optimum else None

    @property
    def change_text(self) -> str:
        """The change as a percentage, or as a difference if it has none."""
        if self.percent_change is None:
            return with_minus_sign(f"{self.value:+,}")
        form = ",.1f" if abs(self.percent_change) < 100_000 else ".1e"
        return with_minus_sign(f"{self.percent_change:+{form}} %") if self.percent_change else "0 %"


class DecisionDifference(NamedTuple):
    """One entry of a decision: what was chosen and what is optimal at this position (None: nothing)."""

    argument: str
    position: str
    chosen: str | None
    optimal: str | None


def with_minus_sign(text: str) -> str:
    """`text` with hyphens replaced by minus signs."""
    return text.replace("-", "\N{MINUS SIGN}")


def lower_is_better(name: str) -> bool:
    """Whether the family `name` minimizes."""
    return load_family(name).sense is Sense.MIN


def objective_terms(record: Mapping[str, Any]) -> tuple[Term, ...]:
    """The objective terms of a feasible decision and of the optimum, the objective last; () without a feasible decision."""
    if record["parts"] is None:
        return ()
    values = {**record["parts"], OBJECTIVE_TERM: record["objective"]}
    optimal = {**record["optimal_parts"], OBJECTIVE_TERM: record["optimum"]}
    sign = 1 if lower_is_better(record["family"]) else -1
    names = [name for name in dict.fromkeys((*optimal, *values)) if name != OBJECTIVE_TERM]
    pairs = [(name, values.get(name, 0), optimal.get(name, 0)) for name in (*names, OBJECTIVE_TERM)]
    return tuple(Term(name, value, optimum, sign * (optimum - value) > 0) for name, value, optimum in pairs)


OwnersById = Mapping[str, Sequence[str]]
"""By id that a decision can list, the entities of the question that it belongs to; both in the order of the question."""


def decision_differences(
    record: Mapping[str, Any], owners: OwnersById = MappingProxyType({})
) -> tuple[DecisionDifference, ...]:
    """The optimal decision entry by entry, next to the submitted one if there is one.

    Entries of a list are matched by owner if `owners` has all of them, by position if their order matters, else by id.
    """
    entries: list[DecisionDifference] = []
    for argument, optimal in record["optimal_decision"].items():
        chosen = (record["decision"] or {}).get(argument)
        if isinstance(optimal, Mapping):
            chosen = chosen or {}
            pairs = [(key, _to_text(chosen.get(key)), _to_text(optimal.get(key))) for key in sorted({*chosen, *optimal})]
        elif optimal and all(item in owners for item in optimal):
            pairs = _match_by_owner(chosen or (), optimal, owners)
        elif _order_matters(record, argument):
            longer = zip_longest(map(_to_text, chosen or ()), map(_to_text, optimal))
            pairs = [(str(position), *pair) for position, pair in enumerate(longer, start=1)]
        else:
            sides = [{_to_text(item) for item in items} for items in (chosen or (), optimal)]
            names = sorted(name for name in sides[0] | sides[1] if name is not None)
            pairs = [("", name if name in sides[0] else None, name if name in sides[1] else None) for name in names]
        entries += [DecisionDifference(argument, *pair) for pair in pairs]
    return tuple(entries)


def _match_by_owner(chosen: Sequence[Any], optimal: Sequence[Any], owners: OwnersById) -> list[tuple[str, Any, Any]]:
    """File each entry under its first owner and name the others; entries without an owner come last."""
    rank = {owner: position for position, owner in enumerate(dict.fromkeys(names[0] for names in owners.values()))}
    by_owner: dict[str, tuple[list[str], list[str]]] = {}
    for side, items in enumerate((chosen, optimal)):
        for item in sorted(str(_to_text(item)) for item in items):
            first, *others = owners.get(item, ("",))
            by_owner.setdefault(first, ([], []))[side].append(f"{item} ({', '.join(others)})" if others else item)
    ordered = sorted(by_owner.items(), key=lambda filed: rank.get(filed[0], len(rank)))
    return [(owner, ", ".join(sides[0]) or None, ", ".join(sides[1]) or None) for owner, sides in ordered]


def _order_matters(record: Mapping[str, Any], argument: str) -> bool:
    """Whether reversing the list `argument` gives another decision of the family."""
    shape, decision = load_family(record["family"]).decision, record["optimal_decision"]
    try:
        reverse = shape.parse({**decision, argument: list(reversed(decision[argument]))})
    except Malformed:
        return True
    return bool(reverse != shape.parse(decision)) or len(decision[argument]) < 2


def _to_text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else compact_json(value)


def owners_by_id(world: World) -> dict[str, tuple[str, ...]]:
    """By id that a decision of `world` can list, the public entities that it belongs to."""
    shape = world.family.decision
    lists = [shape] if isinstance(shape, IdListShape) else [shape.first, shape.second] if isinstance(shape, PairShape) else []
    return {listed_id: owners for id_list in lists for listed_id, owners in _find_owners(world, id_list.entity).items()}


def _find_owners(world: World, entity: str) -> dict[str, tuple[str, ...]]:
    """Owners by the first relation whose two keys are `entity` and a public roster."""
    relations = world.family.instance.relations
    for name, relation in relations.items():
        keys = [key.roster_name for key in relation.keys]
        public = [roster for roster in keys if roster != entity and roster is not None and relations[roster].public]
        if len(keys) == 2 and entity in keys and public:
            own, other = keys.index(entity), keys.index(public[0])
            rank = {owner: position for position, owner in enumerate(getattr(world.instance, public[0]))}
            owners: dict[str, list[str]] = {}
            for row in sorted(relation.to_rows(getattr(world.instance, name)), key=lambda row: rank[row[other]]):
                owners.setdefault(row[own], []).append(row[other])
            return {listed_id: tuple(names) for listed_id, names in owners.items()}
    return {}
