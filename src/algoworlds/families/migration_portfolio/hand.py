"""Migration Portfolio by hand: domains switched, or decided one after the other; packages follow from the domains."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations, product

from algoworlds.core.relation import grouped
from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError
from algoworlds.families.hand import Extension, Hand
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio
from algoworlds.families.migration_portfolio.search import Portfolio, cheapest, neighbours
from algoworlds.families.residues import Choices

ON, OFF = "on", "off"


class MigrationHand(Hand[Portfolio]):
    """Domains in roster order; a partial decision says on or off for each."""

    def __init__(self, instance: MigrationPortfolio) -> None:
        """File interactions by the last of their domains, and packages by group and cost."""
        self._plan = instance
        place = {j: at for at, j in enumerate(instance.domain)}
        self._ending: list[list[tuple[list[int], tuple[int, ...]]]] = [[] for _ in instance.domain]
        for scope, table in instance.interaction.values():
            places = [place[j] for j in scope]
            self._ending[max(places)].append((places, table))
        shelves = grouped(instance.group, instance.cost)
        self._shelves = [
            sorted((instance.cost[group, p], sum(1 << place[j] for j in instance.requirement[group, p])) for p in shelf)
            for group, shelf in shelves.items()
        ]

    def neighbours(self, y: Portfolio) -> Iterator[Portfolio]:
        """One domain switched, or one exchanged for another; packages chosen anew."""
        return neighbours(self._plan, set(y[1]))

    def neighbour(self, y: Portfolio, stream: Stream) -> Portfolio:
        """One or two random domains switched."""
        for _ in range(20):
            with suppress(InstanceError):
                return cheapest(self._plan, {*y[1]} ^ {*stream.sample(self._plan.domain, stream.integer(1, 2))})
        return y

    def extensions(self, partial: Choices) -> list[Extension]:
        """The next domain on or off, with its charge, the interactions it completes and, at the end, the packages."""
        if len(partial) == len(self._plan.domain):
            return []
        return [Extension(each, self._added((*partial, each))) for each in (OFF, ON)]

    def _added(self, partial: Choices) -> int:
        at = len(partial) - 1
        added: int = self._plan.charge[self._plan.domain[at]] if partial[at] == ON else 0
        for places, table in self._ending[at]:
            cell = 0
            for place in places:
                cell = 2 * cell + (partial[place] == ON)
            added += table[cell]
        return added + (self.rest(partial) if len(partial) == len(self._plan.domain) else 0)

    def decision(self, partial: Choices) -> Portfolio | None:
        """The domains switched on, and the cheapest packages for them."""
        if len(partial) < len(self._plan.domain):
            return None
        try:
            return cheapest(self._plan, [j for j, each in zip(self._plan.domain, partial, strict=True) if each == ON])
        except InstanceError:
            return None

    def rest(self, partial: Choices) -> int:
        """The cheapest package of every group that the domains already switched off permit."""
        off = sum(1 << at for at, each in enumerate(partial) if each == OFF)
        return sum(next((cost for cost, needs in shelf if not needs & off), 0) for shelf in self._shelves)

    def units(self) -> Iterator[Portfolio]:
        """Every union of crews: domains joined where being alike is worth most, down to the widest gap."""
        bonds = sorted((self._bond(i, j), i, j) for i, j in combinations(self._plan.domain, 2))
        if len(bonds) < 2:
            return
        widest = max(range(len(bonds) - 1), key=lambda at: bonds[at + 1][0] - bonds[at][0])
        crews: dict[str, frozenset[str]] = {j: frozenset((j,)) for j in self._plan.domain}
        for _, i, j in bonds[: widest + 1]:
            joined = crews[i] | crews[j]
            crews |= dict.fromkeys(joined, joined)
        distinct = list(dict.fromkeys(crews.values()))
        for picked in product((False, True), repeat=min(len(distinct), 12)):
            with suppress(InstanceError):
                active = [j for crew, on in zip(distinct, picked, strict=False) if on for j in crew]
                yield cheapest(self._plan, active)

    def _bond(self, i: str, j: str) -> int:
        """What it is worth, over all tables that hold both, that two domains are alike: negative if it saves."""
        total = 0
        for scope, table in self._plan.interaction.values():
            if i in scope and j in scope:
                one, other = (len(scope) - 1 - scope.index(each) for each in (i, j))
                signed = (value if (cell >> one & 1) == (cell >> other & 1) else -value for cell, value in enumerate(table))
                total += sum(signed) * 4 // len(table)
        return total
