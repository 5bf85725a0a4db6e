"""What Sequential Matching leaves open while members of pairs are unread: which pair joins which two participants.

Everyone on one side shares a pair with everyone on the other, so pairs can only have changed places: whoever was read has
the pairs that were shown and no others.
"""

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

from algoworlds.core.completions import Completions
from algoworlds.core.options import Options, refusing
from algoworlds.families.knowledge import Knowledge
from algoworlds.families.sequential_matching.check import check
from algoworlds.families.sequential_matching.generate import ranges
from algoworlds.families.sequential_matching.instance import SequentialMatching
from algoworlds.families.unknowns import Relaxed, Unknowns

FEW = 3
"""Open pairs of an evaluated matching whose places are looked at one by one."""

Matching = tuple[str, ...]
Fits = dict[str, tuple[frozenset[str], frozenset[str]]]
"""The left and the right participants that every pair that is not fully known may have."""


def _open(completions: Completions) -> Fits:
    fits = _left(completions)
    return _without_told(completions, fits) if _told_in_one_way(completions, fits) else fits


def _left(completions: Completions) -> Fits:
    instance = completions.instance
    members: dict[str, set[str]] = {pair: set() for pair in instance.pair}
    for name, row in completions.facts:
        if name == "member":
            members[row[1]].add(row[0])
    sides = [frozenset(instance.left), frozenset(instance.right)]
    unread = [{person for person in side if not completions.whole("member", "participant", person)} for side in sides]
    fits = {
        pair: [side & met or frozenset(rest) for side, rest in zip(sides, unread, strict=True)] for pair, met in members.items()
    }
    return {pair: (left, right) for pair, (left, right) in fits.items() if len(left) * len(right) > 1}


def _told_in_one_way(completions: Completions, fits: Fits) -> bool:
    """Whether pairs of a matching that was found feasible can stand nowhere else, by its value where all costs are known."""
    told, instance = completions.told, completions.instance
    pairs = [] if told is None or told.value is None else [pair for pair in told.decision if pair in fits]
    if not 0 < len(pairs) <= FEW or told is None:
        return False
    ends, costs_read = instance.ends, {"pair_cost", "handoff", "rate"}.isdisjoint(completions.open)
    met = {person for pair in told.decision if pair not in fits for person in ends[pair]}
    sides = [[person for person in side if person not in met] for side in (instance.left, instance.right)]
    for lefts, rights in product(permutations(sides[0]), permutations(sides[1])):
        cells = dict(zip(pairs, zip(lefts, rights, strict=True), strict=True))
        if all(_fits(fits, pair, cell) for pair, cell in cells.items()) and cells != {pair: ends[pair] for pair in pairs}:
            verdict = check(_moved(instance, cells), told.decision)
            if not costs_read or not verdict.feasible or verdict.value == told.value:
                return False
    return True


def _moved(instance: SequentialMatching, cells: dict[str, tuple[str, str]]) -> SequentialMatching:
    """The instance with some pairs in other places, exchanged with those that stand there."""
    for pair, cell in cells.items():
        there = next(other for other, ends in instance.ends.items() if ends == cell)
        instance = _exchanged(instance, pair, there) if there != pair else instance
    return instance


def _without_told(completions: Completions, fits: Fits) -> Fits:
    """What is left for other pairs if those of an evaluated matching stand where they do."""
    ends = completions.instance.ends
    taken = {ends[pair] for pair in (completions.told.decision if completions.told else ()) if pair in fits}
    left: Fits = {}
    for pair, (lefts, rights) in fits.items():
        if ends[pair] not in taken:
            one = lefts - {end for end, other in taken if rights == {other}}
            other = rights - {end for first, end in taken if lefts == {first}}
            left |= {pair: (one, other)} if len(one) * len(other) > 1 else {}
    return left


def _fits(fits: Fits, pair: str, cell: tuple[str, str]) -> bool:
    return pair in fits and cell[0] in fits[pair][0] and cell[1] in fits[pair][1]


def _exchanged(instance: SequentialMatching, one: str, other: str) -> SequentialMatching:
    names = {one: other, other: one}
    return instance.replace(member=frozenset((person, names.get(pair, pair)) for person, pair in instance.member))


def breaks(completions: Completions, decision: Matching) -> Iterator[Any]:
    """A pair of the decision has changed places with another one."""
    instance, fits = completions.instance, completions.once(_open)
    ends = instance.ends
    for one in (pair for pair in decision if pair in fits):
        for other in instance.pair:
            if other not in decision and _fits(fits, one, ends[other]) and _fits(fits, other, ends[one]):
                yield _exchanged(instance, one, other)


def hostile(completions: Completions, instance: SequentialMatching, decision: Matching) -> Any:
    """Any break will do."""
    return next(breaks(completions, decision), instance)


def relaxed(completions: Completions, instance: SequentialMatching, decision: Matching) -> Iterator[Relaxed]:
    """Two participants whose pair is open are joined by the cheapest one that may be theirs."""
    fits, ends = completions.once(_open), instance.ends
    cheapest = {pair: min(instance.pair_cost[other] for other in fits if _fits(fits, other, ends[pair])) for pair in fits}
    yield Relaxed(instance.replace(pair_cost={**instance.pair_cost, **cheapest}) if cheapest else instance)


def made(completions: Completions, instance: SequentialMatching, decision: Matching, rival: Matching) -> tuple[Any, Any]:
    """Open pairs of the rival change places with cheaper ones where they can, but none of a matching that was evaluated."""
    kept = frozenset[str]() if completions.told is None else frozenset(completions.told.decision)
    fits, taken = {pair: each for pair, each in completions.once(_open).items() if pair not in kept}, list(rival)
    for at, one in enumerate(taken):
        ends = instance.ends
        if one in fits:
            able = [
                other
                for other in fits
                if other not in taken and _fits(fits, other, ends[one]) and _fits(fits, one, ends[other])
            ]
            other = min([one, *able], key=lambda pair: instance.pair_cost[pair])
            if other != one:
                instance, taken[at] = _exchanged(instance, one, other), other
    return instance, tuple(sorted(taken))


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding={("compatible", "compatible"): +1, ("member", ""): 0},
        shared=frozenset({("rate", "rate")}),
        structure=frozenset({"member"}),
        exchanges=frozenset({("member", "pair")}),
        breaks=breaks,
        hostile=hostile,
        settles=lambda completions: not completions.once(_open),
        apart=lambda completions: frozenset() if completions.once(_open) else frozenset({"member"}),
        relaxed=relaxed,
        made=made,
    ),
    options=(Options(("pair_cost", "member", "compatible"), refusing("compatible"), each="participant"),),
)
