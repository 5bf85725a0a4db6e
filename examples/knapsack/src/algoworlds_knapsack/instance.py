"""Crate Knapsack: fill one van with items that lie in crates; an opened crate rides along and adds its own weight.

This module holds the definition only. The other modules import it, and the algorithms never import each other, so that a
mistake in one cannot hide in what it shares with another.
"""

from collections.abc import Iterator

from algoworlds.families.declare import Instance, Table, ownership_problems, relation, roster


class CrateKnapsack(Instance, family="knapsack", sense="max"):
    """Items with a value, each in one crate with a weight; crates with a tare; and the capacity of the van.

    Every attribute is a relation. A `roster` lists entities; the question shows it. A `relation` is hidden: its rows are the
    facts that an agent has to find, and its channel names the kind of information. A `public` one is in the question.
    """

    crate = roster()  # K
    item = roster()  # I
    tare: Table = relation("crate", value="tare", low=0, channel="crate", complete=True)  # t_k
    weight: Table = relation("crate", "item", value="weight", low=1, channel="load")  # a_ki, k the crate of i
    value: Table = relation("item", value="value", channel="market", complete=True)  # v_i
    capacity: int = relation(value="capacity", low=0, public=True)  # C

    def problems(self) -> Iterator[str]:
        """What columns cannot express: every item lies in exactly one crate."""
        yield from ownership_problems(self.item, self.weight, "item", "crates")
