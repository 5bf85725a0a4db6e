"""Definition of Sequential Matching: its tables and their validity rules."""

from collections.abc import Iterator, Mapping
from itertools import permutations, product
from typing import Any

from algoworlds.families.declare import Flag, Id, Instance, Pairs, Table, group_pairs, relation, roster


def _compatible_if_paired(tables: Mapping[str, Any]) -> dict[tuple[str, str], bool]:
    """Default compatibility: two participants are compatible if they share a pair."""
    people, n = tables["participant"], len(tables["participant"]) // 2
    members = group_pairs(tables["pair"], ((pair, person) for person, pair in tables["member"]))
    joined = {frozenset(people) for people in members.values()}
    return {(left, right): frozenset((left, right)) in joined for left, right in product(people[:n], people[n:])}


class SequentialMatching(Instance, family="sequential_matching", sense="min"):
    """Left participants in sequence, right participants, priced pairs, compatibility, handoffs between right participants."""

    participant = roster(fact=True, max_size=2 * 60)  # L in sequence order, then R
    pair = roster()
    per_side: int = relation(value="per_side", low=0, default=lambda tables: len(tables["participant"]) // 2, public=True)  # n
    member: Pairs = relation("participant", "pair", channel="incidence")
    compatible: Table = relation(
        Id("left", "participant"),
        Id("right", "participant"),
        value=Flag("compatible"),
        channel="incidence",
        default=_compatible_if_paired,
    )  # E
    pair_cost: Table = relation("pair", value="cost", channel="cost", complete=True)  # c(i, j)
    handoff: Table = relation(
        Id("from", "participant"), Id("to", "participant"), value="minutes", channel="handoff"
    )  # h(j, t) = rate * minutes
    rate: int = relation(value="rate", channel="handoff")

    @property
    def left(self) -> tuple[str, ...]:
        """The left participants, in sequence order."""
        return self.participant[: self.per_side]

    @property
    def right(self) -> tuple[str, ...]:
        """The right participants."""
        return self.participant[self.per_side :]

    @property
    def pair_ends(self) -> dict[str, tuple[str, str]]:
        """The left and the right member of each pair."""
        lefts = set(self.left)
        left = {pair: person for person, pair in self.member if person in lefts}
        right = {pair: person for person, pair in self.member if person not in lefts}
        return {pair: (left[pair], right[pair]) for pair in self.pair}

    def magnitude(self) -> int:
        """All pair costs and all handoff costs, in absolute value."""
        pairs: int = sum(map(abs, self.pair_cost.values()))
        minutes: int = sum(map(abs, self.handoff.values()))
        return pairs + max(1, abs(self.rate)) * minutes + abs(self.rate)

    def id_problems(self) -> Iterator[str]:
        """Equal sides; pairs with one member of each side; complete compatibility, priced where set; right handoffs."""
        if len(self.participant) != 2 * self.per_side:
            yield f"participant: expected {self.per_side} left and as many right ones, got {len(self.participant)}"
        yield from self._pair_problems()
        cells, moves = set(product(self.left, self.right)), set(permutations(self.right, 2))
        for name, wanted, present in (("compatible", cells, set(self.compatible)), ("handoff", moves, set(self.handoff))):
            for missing in sorted(wanted - present)[:1]:
                yield f"{name} has no entry for {' '.join(missing)}"
            for strange in sorted(present - wanted)[:1]:
                yield f"{name} has an entry for {' '.join(strange)}, which are on the wrong sides or the same"
        priced = set(self.pair_ends.values())
        for cell, compatible in self.compatible.items():
            if compatible and cell not in priced:
                yield f"no pair joins the compatible participants {cell[0]} and {cell[1]}"

    def _pair_problems(self) -> Iterator[str]:
        sides: dict[str, list[bool]] = {pair: [] for pair in self.pair}
        lefts = set(self.left)
        for person, pair in self.member:
            sides[pair].append(person in lefts)
        for pair, is_left in sides.items():
            if sorted(is_left) != [False, True]:
                yield f"member: {pair} needs exactly one left and one right participant"
        if len(set(self.pair_ends.values())) < len(self.pair):
            yield "member: two pairs join the same participants"
