"""The formal problem of Basket Assembly: its tables, and what makes them an instance."""

from collections.abc import Iterator, Mapping

from algoworlds.core.instance import Instance
from algoworlds.core.relation import Pairs, Roster, Table, grouped, relation, roster
from algoworlds.core.work import Sense

RECIPES = ("item", "ticket", "covers")
"""What the recipes of tickets are computed from."""


class BasketAssembly(Instance, family="basket_assembly", sense=Sense.MIN):
    """Items in three groups of one size, and priced tickets that hold one item, or one item of every group.

    The groups are the thirds of the item roster, in its order: U = A, then B, then C.
    """

    item: Roster = roster(fact=True, most=3 * 30)  # U
    ticket: Roster = roster(fact=True)  # E, in catalog order
    covers: Pairs = relation("ticket", "item", channel="incidence")  # v in e
    price: Table = relation("ticket", value="price", channel="prices", complete=True)  # p_e

    @property
    def groups(self) -> tuple[Roster, Roster, Roster]:
        """A, B and C."""
        n = len(self.item) // 3
        return self.item[:n], self.item[n : 2 * n], self.item[2 * n :]

    def recipes(self) -> Mapping[str, tuple[str, ...]]:
        """The items of every ticket: tickets in catalog order, a triple's items in the order A, B, C."""
        return self.derived(_recipes, reads=RECIPES)

    def misfiled(self) -> Iterator[str]:
        """Three groups of one size; every ticket holds one item, or one item of each group."""
        if len(self.item) % 3:
            yield f"item: three groups of one size need a multiple of three, not {len(self.item)} items"
        group = {item: at for at, items in enumerate(self.groups) for item in items}
        for ticket, items in self.recipes().items():
            if len(items) != 1 and [group[item] for item in items] != [0, 1, 2]:
                yield f"covers: ticket {ticket!r} holds neither one item nor one item of each group"


def _recipes(instance: BasketAssembly) -> Mapping[str, tuple[str, ...]]:
    place = {item: at for at, item in enumerate(instance.item)}
    held = grouped(instance.ticket, ((ticket, item) for ticket, item in instance.covers))
    return {ticket: tuple(sorted(items, key=place.__getitem__)) for ticket, items in held.items()}
