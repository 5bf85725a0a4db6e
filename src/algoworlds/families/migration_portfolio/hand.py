"""Migration Portfolio by hand: domains switched, or decided one after the other; packages follow from the domains."""

from functools import cached_property

from algoworlds.core.relation import grouped
from algoworlds.families.migration_portfolio.check import Portfolio
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio
from algoworlds.families.residues import Choices
from algoworlds.families.switch_hand import Switches, SwitchHand


class MigrationHand(SwitchHand[Portfolio]):
    """Domains in roster order; the packages are the cheapest that the domains support."""

    def __init__(self, instance: MigrationPortfolio) -> None:
        """A switch costs its charge, interactions are tables."""
        self._instance, self._domains, self.constant = instance, instance.domain, 1 - instance.offset
        tables = (([self._place[j] for j in scope], table) for scope, table in instance.interaction.values())
        super().__init__([(0, instance.charge[j]) for j in instance.domain], tables)
        self._known: dict[int, list[tuple[int, int, str]] | None] = {}

    @cached_property
    def _place(self) -> dict[str, int]:
        return {j: at for at, j in enumerate(self._domains)}

    @cached_property
    def _shelves(self) -> list[list[tuple[int, int, str]]]:
        """Per group the packages from the cheapest on: what they cost and need; for those who put packages to domains."""
        of, requirement = self._instance, self._instance.requirement
        need = {pair: sum(1 << self._place[j] for j in domains) for pair, domains in requirement.items()}
        shelves = grouped(of.group, ((g, (cost, need[g, p], p)) for (g, p), cost in of.cost.items())).values()
        return [sorted(shelf, key=lambda each: each[0]) for shelf in shelves]

    def _packages(self, x: Switches) -> list[tuple[int, int, str]] | None:
        """The cheapest package of every group that the domains switched off permit; None if a group has none."""
        off = sum(1 << at for at, each in enumerate(x) if not each)
        if off not in self._known:
            self._known[off] = self._permitted(off)
        return self._known[off]

    def _permitted(self, off: int) -> list[tuple[int, int, str]] | None:
        able = [next((each for each in shelf if not each[1] & off), None) for shelf in self._shelves]
        found = [each for each in able if each is not None]
        return found if len(found) == len(able) else None

    def made(self, x: Switches) -> Portfolio | None:
        """The domains switched on, and the cheapest packages for them."""
        packages = self._packages(x)
        domains = tuple(sorted(j for j, on in zip(self._domains, x, strict=True) if on))
        return None if packages is None else (tuple(sorted(p for _, _, p in packages)), domains)

    def switches(self, y: Portfolio) -> Switches:
        """The domains that are on."""
        active = set(y[1])
        return tuple(int(j in active) for j in self._domains)

    def apart(self, x: Switches) -> int | None:
        """The packages' costs."""
        packages = self._packages(x)
        return None if packages is None else sum(cost for cost, _, _ in packages)

    def rest(self, partial: Choices) -> int:
        """The packages that the domains switched off so far permit; nothing at the end, where they have been added."""
        complete = len(partial) == len(self._domains)
        return 0 if complete else self.apart(tuple(map(int, partial))) or 0
