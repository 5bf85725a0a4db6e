"""Definition of Basket Assembly: its tables and their validity rules."""

from collections.abc import Iterator, Mapping

from algoworlds.families.declare import Instance, Pairs, Table, group_pairs, relation, roster

RECIPES = ("item", "ticket", "covers")
"""The tables that recipes are computed from."""


class BasketAssembly(Instance, family="basket_assembly", sense="min"):
    """Items in three groups of one size, and priced tickets that hold one item or one item of each group.

    The groups are the thirds of the item roster, in its order: U = A, then B, then C.
    """

    item = roster(fact=True, max_size=3 * 30)  # U
    ticket = roster(fact=True)  # E, in catalog order
    covers: Pairs = relation("ticket", "item", channel="incidence")  # v in e
    price: Table = relation("ticket", value="price", channel="prices", complete=True)  # p_e

    @property
    def groups(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        """A, B and C."""
        n = len(self.item) // 3
        return self.item[:n], self.item[n : 2 * n], self.item[2 * n :]

    def recipes(self) -> Mapping[str, tuple[str, ...]]:
        """The items of each ticket, in catalog order; the items of a triple are ordered A, B, C."""
        return self.derived(_compute_recipes, reads=RECIPES)

    def id_problems(self) -> Iterator[str]:
        """Three groups of one size; every ticket holds one item, or one item of each group."""
        if len(self.item) % 3:
            yield f"item: three groups of one size need a multiple of three, not {len(self.item)} items"
        group = {item: at for at, items in enumerate(self.groups) for item in items}
        for ticket, items in self.recipes().items():
            if len(items) != 1 and [group[item] for item in items] != [0, 1, 2]:
                yield f"covers: ticket {ticket!r} holds neither one item nor one item of each group"


def _compute_recipes(instance: BasketAssembly) -> Mapping[str, tuple[str, ...]]:
    position = {item: at for at, item in enumerate(instance.item)}
    held = group_pairs(instance.ticket, ((ticket, item) for ticket, item in instance.covers))
    return {ticket: tuple(sorted(items, key=position.__getitem__)) for ticket, items in held.items()}
