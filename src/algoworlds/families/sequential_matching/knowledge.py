"""What Sequential Matching leaves open while members of pairs are unread: which pair joins which two participants.

If every left participant shares a pair with every right participant, completions differ only by exchanging pairs. If there
are fewer pairs, an open pair may also join two participants that share none. A participant that was read has exactly the pairs
in its record.
"""

from collections.abc import Iterator
from itertools import permutations, product

from algoworlds.families.declare import Completions, Knowledge, OptionKind, Relaxation, Unknowns
from algoworlds.families.sequential_matching.check import check
from algoworlds.families.sequential_matching.generate import ranges
from algoworlds.families.sequential_matching.instance import SequentialMatching

MAX_ENUMERATED = 3
"""Open pairs of an evaluated matching whose arrangements are tried one by one."""

Matching = tuple[str, ...]
Ends = tuple[str, str]
PossibleEnds = dict[str, tuple[frozenset[str], frozenset[str]]]
"""The left and the right participants that each open pair may have."""


def _open_pairs(completions: Completions) -> PossibleEnds:
    """The pairs whose participants are not known, with those they may have."""
    instance: SequentialMatching = completions.instance
    members: dict[str, set[str]] = {pair: set() for pair in instance.pair}
    for name, row in completions.facts:
        if name == "member":
            members[row[1]].add(row[0])
    sides = [frozenset(instance.left), frozenset(instance.right)]
    unread = [{person for person in side if not completions.is_fully_read("member", "participant", person)} for side in sides]
    possible: PossibleEnds = {}
    for pair, seen in members.items():
        left, right = (side & seen or frozenset(rest) for side, rest in zip(sides, unread, strict=True))
        if len(left) * len(right) > 1:
            possible[pair] = left, right
    return _exclude_evaluated(completions, possible) if _evaluation_fixes_pairs(completions, possible) else possible


def _free_cells(completions: Completions) -> list[Ends]:
    """The participants who share no pair and may share one in a completion."""
    instance, possible = completions.instance, completions.memoize(_open_pairs)
    free = set(product(instance.left, instance.right)) - set(instance.pair_ends.values())
    return sorted(ends for ends in free if any(_can_have(possible, pair, ends) for pair in possible))


def cases(completions: Completions, decision: Matching) -> Iterator[SequentialMatching | None]:
    """The instance; None as well if open pairs may join participants who share none, because these ways are many."""
    yield completions.instance
    if completions.memoize(_free_cells):
        yield None


def _evaluation_fixes_pairs(completions: Completions, possible: PossibleEnds) -> bool:
    """Whether no other arrangement of the open pairs fits a matching that was evaluated as feasible, by its value if known."""
    evaluation, instance = completions.evaluation, completions.instance
    pairs = [] if evaluation is None or evaluation.value is None else [pair for pair in evaluation.decision if pair in possible]
    if not 0 < len(pairs) <= MAX_ENUMERATED or evaluation is None:
        return False
    ends, costs_read = instance.pair_ends, not completions.has_open_numbers("pair_cost", "handoff", "rate")
    matched = {person for pair in evaluation.decision if pair not in possible for person in ends[pair]}
    sides = [[person for person in side if person not in matched] for side in (instance.left, instance.right)]
    for lefts, rights in product(permutations(sides[0]), permutations(sides[1])):
        arranged = dict(zip(pairs, zip(lefts, rights, strict=True), strict=True))
        fits = all(_can_have(possible, pair, new) for pair, new in arranged.items())
        if fits and arranged != {pair: ends[pair] for pair in pairs}:
            if not set(ends.values()).issuperset(arranged.values()):
                return False  # it would join participants who share no pair
            verdict = check(_move_pairs(instance, arranged), evaluation.decision)
            if not costs_read or not verdict.feasible or verdict.value == evaluation.value:
                return False
    return True


def _move_pairs(instance: SequentialMatching, arranged: dict[str, Ends]) -> SequentialMatching:
    """Give pairs other ends, each by exchange with the pair that has them."""
    for pair, new in arranged.items():
        holder = next(other for other, ends in instance.pair_ends.items() if ends == new)
        instance = _exchange(instance, pair, holder) if holder != pair else instance
    return instance


def _exclude_evaluated(completions: Completions, possible: PossibleEnds) -> PossibleEnds:
    """What is left for other pairs if those of the evaluated matching have their true ends."""
    ends = completions.instance.pair_ends
    taken = {ends[pair] for pair in (completions.evaluation.decision if completions.evaluation else ()) if pair in possible}
    remaining: PossibleEnds = {}
    for pair, (lefts, rights) in possible.items():
        if ends[pair] not in taken:
            left = lefts - {end for end, other in taken if rights == {other}}
            right = rights - {end for other, end in taken if lefts == {other}}
            remaining |= {pair: (left, right)} if len(left) * len(right) > 1 else {}
    return remaining


def _can_have(possible: PossibleEnds, pair: str, ends: Ends) -> bool:
    return pair in possible and ends[0] in possible[pair][0] and ends[1] in possible[pair][1]


def _exchange(instance: SequentialMatching, one: str, other: str) -> SequentialMatching:
    """Exchange the members of two pairs."""
    names = {one: other, other: one}
    return instance.replace(member=frozenset((person, names.get(pair, pair)) for person, pair in instance.member))


def possible_breaks(completions: Completions, decision: Matching) -> Iterator[SequentialMatching]:
    """Completions in which a pair of `decision` is exchanged with a pair outside it."""
    instance, possible = completions.instance, completions.memoize(_open_pairs)
    ends = instance.pair_ends
    for one in (pair for pair in decision if pair in possible):
        for other in instance.pair:
            if other not in decision and _can_have(possible, one, ends[other]) and _can_have(possible, other, ends[one]):
                yield _exchange(instance, one, other)
        for cell in completions.memoize(_free_cells):
            if _can_have(possible, one, cell):
                members = {row for row in instance.member if row[1] != one} | {(person, one) for person in cell}
                compatible = {**instance.compatible, ends[one]: False, cell: True}
                yield instance.replace(member=frozenset(members), compatible=compatible)


def relax(completions: Completions, instance: SequentialMatching, decision: Matching) -> Iterator[Relaxation]:
    """Price each open pair like the cheapest pair that may have its ends."""
    possible, ends, cost = completions.memoize(_open_pairs), instance.pair_ends, instance.pair_cost
    cheapest = {pair: min(cost[other] for other in possible if _can_have(possible, other, ends[pair])) for pair in possible}
    yield Relaxation(instance.replace(pair_cost={**cost, **cheapest}) if cheapest else instance)


def cheapen_rival(
    completions: Completions, instance: SequentialMatching, decision: Matching, rival: Matching
) -> tuple[SequentialMatching, Matching]:
    """Exchange open pairs of `rival` with cheaper ones where possible; pairs of the evaluated matching stay."""
    evaluated = frozenset[str]() if completions.evaluation is None else frozenset(completions.evaluation.decision)
    possible = {pair: ends for pair, ends in completions.memoize(_open_pairs).items() if pair not in evaluated}
    pairs = list(rival)
    for at, one in enumerate(pairs):
        if one in possible:
            ends = instance.pair_ends
            others = [other for other in possible if other not in pairs and _can_have(possible, other, ends[one])]
            able = [other for other in others if _can_have(possible, one, ends[other])]
            other = min([one, *able], key=lambda pair: instance.pair_cost[pair])
            if other != one:
                instance, pairs[at] = _exchange(instance, one, other), other
    return instance, tuple(sorted(pairs))


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        binding={("compatible", "compatible"): +1, ("member", ""): 0},
        shared=frozenset({("rate", "rate")}),
        structure=frozenset({"member"}),
        keys_of={"compatible": "", "handoff": ""},
        exchanges=frozenset({("member", "pair")}),
        possible_breaks=possible_breaks,
        cases=cases,
        worst_structure=lambda completions, instance, decision: next(possible_breaks(completions, decision), instance),
        cases_fix_structure=lambda completions: not completions.memoize(_open_pairs),
        unrelated_to_evaluation=lambda completions: frozenset() if completions.memoize(_open_pairs) else frozenset({"member"}),
        relaxations=relax,
        complete_for_rival=cheapen_rival,
    ),
    options=(OptionKind(("pair_cost", "member", "compatible"), clear="compatible", required_roster="participant"),),
)
