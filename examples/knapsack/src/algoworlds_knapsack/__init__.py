"""Crate Knapsack, an eleventh family in a distribution of its own: the value that names its parts.

`pyproject.toml` offers KNAPSACK under the entry point `algoworlds.families`; that is all there is to registering a family.
"""

from algoworlds.core.decision import Listed
from algoworlds.core.options import Options, dropping
from algoworlds.core.work import Sense
from algoworlds.families.family import Family
from algoworlds_knapsack.check import check
from algoworlds_knapsack.generate import LEVELS, generate, ranges
from algoworlds_knapsack.instance import CrateKnapsack
from algoworlds_knapsack.search import descend, reference, sample
from algoworlds_knapsack.solve import solve
from algoworlds_knapsack.template import TEMPLATE
from algoworlds_knapsack.tiny import tiny
from algoworlds_knapsack.verify import verify


def _alike(instance: CrateKnapsack, name: str) -> CrateKnapsack:
    """The instance with every number of a table replaced by their mean: what a solver sees that ignores the table."""
    table = getattr(instance, name)
    return instance.replaced(**{name: dict.fromkeys(table, sum(table.values()) // max(1, len(table)))})


def _in_list_order(instance: CrateKnapsack) -> CrateKnapsack:
    """Items dealt to the crates in the order of the list: what a solver sees that ignores who lies where."""
    weights = {item: weight for (_, item), weight in instance.weight.items()}
    each = -(-len(instance.item) // len(instance.crate))
    home = {item: instance.crate[at // each] for at, item in enumerate(instance.item)}
    return instance.replaced(weight={(home[item], item): weight for item, weight in weights.items()})


KNAPSACK: Family[CrateKnapsack, tuple[str, ...]] = Family(
    title="Crate Knapsack",
    summary="take items out of crates that ride along, at the largest total value that the van can carry",
    instance=CrateKnapsack,
    decision=Listed("items", "item"),
    sense=Sense.MAX,
    levels=LEVELS,
    generate=generate,
    ranges=ranges,
    solve=solve,
    verify=verify,
    check=check,
    reference=reference,
    descend=descend,
    sample=sample,
    options=(Options(("value", "weight", "tare"), dropping("item")),),  # an option is an item, with all that tells about it
    blind={
        "tares": lambda instance: instance.replaced(tare=dict.fromkeys(instance.crate, 0)),
        "crates": _in_list_order,
        "weights": lambda instance: _alike(instance, "weight"),
        "values": lambda instance: _alike(instance, "value"),
    },
    template=TEMPLATE,
    tiny=tiny,
)
