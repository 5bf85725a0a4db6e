"""One decision beside the certified optimum: the terms of the objective, and the decision itself entry by entry."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from algoworlds.core.canonical import compact_text
from algoworlds.core.work import Sense
from algoworlds.errors import Malformed
from algoworlds.families import family

OBJECTIVE = "objective"


class Term(NamedTuple):
    """One term of the objective in a decision and in the optimum; `better` says whether the difference helps."""

    name: str
    value: int
    optimum: int
    better: bool

    @property
    def percent(self) -> float | None:
        """The change from the optimum's term; undefined if that is zero and the term is not."""
        if self.value == self.optimum:
            return 0.0
        return 100 * (self.value - self.optimum) / abs(self.optimum) if self.optimum else None

    @property
    def change(self) -> str:
        """The change in words: a percentage, or the difference where there is none."""
        if self.percent is None:
            return minus(f"{self.value:+,}")
        places = ",.1f" if abs(self.percent) < 100_000 else ".1e"
        return minus(f"{self.percent:+{places}} %") if self.percent else "0 %"


class Difference(NamedTuple):
    """One place of a decision: what stands there and what stands there in the optimum (None: nothing)."""

    argument: str
    place: str
    chosen: str | None
    optimal: str | None


def minus(text: str) -> str:
    """A number's text with a proper minus sign."""
    return text.replace("-", "\N{MINUS SIGN}")


def lower_is_better(name: str) -> bool:
    """Whether a family minimizes."""
    return family(name).sense is Sense.MIN


def terms(record: Mapping[str, Any]) -> tuple[Term, ...]:
    """The terms of a feasible decision's objective against the optimum's, the objective last; none for another record."""
    if record["parts"] is None:
        return ()
    mine = {**record["parts"], OBJECTIVE: record["objective"]}
    best = {**record["optimal_parts"], OBJECTIVE: record["optimum"]}
    sign = 1 if lower_is_better(record["family"]) else -1
    names = [name for name in dict.fromkeys((*best, *mine)) if name != OBJECTIVE]
    pairs = [(name, mine.get(name, 0), best.get(name, 0)) for name in (*names, OBJECTIVE)]
    return tuple(Term(name, value, optimum, sign * (optimum - value) > 0) for name, value, optimum in pairs)


Owners = Mapping[str, Sequence[str]]
"""By an id that decisions list, the entities of the question that it stands for; both in the order of the question."""


def differences(record: Mapping[str, Any], owners: Owners = MappingProxyType({})) -> tuple[Difference, ...]:
    """The optimal decision entry by entry, beside the submitted one if there is one.

    Where it is told whom the ids of a list belong to, entries of one owner stand beside each other.
    """
    found: list[Difference] = []
    for argument, best in record["optimal_decision"].items():
        mine = (record["decision"] or {}).get(argument)
        if isinstance(best, Mapping):
            found += _by_key(argument, mine or {}, best)
        elif best and all(item in owners for item in best):
            found += _by_owner(argument, mine or (), best, owners)
        elif _ordered(record, argument):
            found += _by_place(argument, mine or (), best)
        else:
            found += _by_member(argument, mine or (), best)
    return tuple(found)


def _by_owner(argument: str, mine: Sequence[Any], best: Sequence[Any], owners: Owners) -> list[Difference]:
    """An entry stands under its first owner and names the others; what nobody owns stands at the end."""
    rank = {owner: at for at, owner in enumerate(dict.fromkeys(owned[0] for owned in owners.values()))}
    filed: dict[str, tuple[list[str], list[str]]] = {}
    for side, items in enumerate((mine, best)):
        for item in sorted(map(_spelled, items)):
            first, *others = owners.get(item, ("",))
            beside = filed.setdefault(first, ([], []))[side]
            beside.append(f"{item} ({', '.join(others)})" if others else item)
    ordered = sorted(filed.items(), key=lambda each: rank.get(each[0], len(rank)))
    return [Difference(argument, owner, *(", ".join(side) or None for side in sides)) for owner, sides in ordered]


def _by_key(argument: str, mine: Mapping[str, Any], best: Mapping[str, Any]) -> list[Difference]:
    keys = sorted({*mine, *best})
    return [Difference(argument, key, _text(mine.get(key)), _text(best.get(key))) for key in keys]


def _by_place(argument: str, mine: Sequence[Any], best: Sequence[Any]) -> list[Difference]:
    longest = max(len(mine), len(best))
    padded = [(*map(_text, items), *[None] * (longest - len(items))) for items in (mine, best)]
    return [Difference(argument, str(at), *pair) for at, pair in enumerate(zip(*padded, strict=True), start=1)]


def _by_member(argument: str, mine: Sequence[Any], best: Sequence[Any]) -> list[Difference]:
    chosen, optimal = {_text(item) for item in mine}, {_text(item) for item in best}
    listed = sorted(name for name in chosen | optimal if name is not None)
    return [Difference(argument, "", *(name if name in side else None for side in (chosen, optimal))) for name in listed]


def _ordered(record: Mapping[str, Any], argument: str) -> bool:
    """Whether the order of a list matters to the family: then its reverse is another decision."""
    shape, given = family(record["family"]).decision, record["optimal_decision"]
    try:
        turned = shape.parse({**given, argument: list(reversed(given[argument]))})
    except Malformed:
        return True
    return bool(turned != shape.parse(given)) or len(given[argument]) < 2


def _text(value: Any) -> str | None:
    return None if value is None else _spelled(value)


def _spelled(value: Any) -> str:
    return value if isinstance(value, str) else compact_text(value)
