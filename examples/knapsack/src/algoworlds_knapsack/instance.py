"""Crate Knapsack: fill one van from items that lie in crates; a crate that is opened rides along and weighs as well.

This module is the definition and nothing else. The other modules import it, and the algorithms never import each other, so
that a mistake in one cannot hide in what it shares with another.
"""

from collections.abc import Iterator

from algoworlds.core.column import Int
from algoworlds.core.instance import Instance
from algoworlds.core.relation import Roster, Table, misplaced, public, relation, roster
from algoworlds.core.work import Sense


class CrateKnapsack(Instance, family="knapsack", sense=Sense.MAX):
    """Items with a value, each in one crate with a weight; crates with a tare; and the capacity of the van.

    Every attribute is a relation. Rosters are public here: the question lists them. A `relation` is hidden: its rows are the
    facts that an agent has to find, and its channel says what kind of information they are. A `public` table stands in the
    question.
    """

    crate: Roster = roster()  # K
    item: Roster = roster()  # I
    tare: Table = relation("crate", value=Int("tare", low=0), channel="crate", complete=True)  # t_k
    weight: Table = relation("crate", "item", value=Int("weight", low=1), channel="load")  # a_ki, k the crate of i
    value: Table = relation("item", value="value", channel="market", complete=True)  # v_i
    capacity: int = public(value=Int("capacity", low=0))  # C

    def problems(self) -> Iterator[str]:
        """What columns cannot say: every item lies in exactly one crate."""
        yield from misplaced(self.item, self.weight, "item", "crates")
