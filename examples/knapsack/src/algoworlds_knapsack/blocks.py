"""The two optional blocks of Crate Knapsack. The family works without them; each enables more commands.

HARDNESS: admission by blind solvers, the shortcut claims of `validate`, the agents random and local_search, the rewards gain
and thrift. With a `search_space` as well, `algoworlds attack` works.
KNOWLEDGE: the ranges in the question, and the regret for facts never seen. With `unknowns` as well, `algoworlds judge` says
when the optimum was known, and `algoworlds build --certificates` what it costs to know it.
"""

from collections.abc import Callable, Iterator

from algoworlds.families.declare import Hardness, Knowledge, OptionKind, Stream
from algoworlds_knapsack.generate import EXTRA, Config, worth
from algoworlds_knapsack.instance import CrateKnapsack
from algoworlds_knapsack.reference import Packing, fill

# -- hardness: decisions without the exact algorithm, or without all information --------------------------------------


def sample(instance: CrateKnapsack, stream: Stream) -> Packing:
    """Items in random order, each if it still fits."""
    return fill(instance, stream.shuffled(instance.item))


def neighbourhood(instance: CrateKnapsack) -> Callable[[Packing], Iterator[Packing]]:
    """The neighbours of a packing: take one item out, put one in, or exchange one. Local search descends among them."""

    def neighbours(packing: Packing) -> Iterator[Packing]:
        others = [item for item in instance.item if item not in packing]
        yield from (_without(packing, out) for out in packing)
        yield from (tuple(sorted((*packing, new))) for new in others)
        yield from (tuple(sorted((*_without(packing, out), new))) for out in packing for new in others)

    return neighbours


def _without(packing: Packing, out: str) -> Packing:
    return tuple(item for item in packing if item != out)


def _average(instance: CrateKnapsack, name: str) -> CrateKnapsack:
    """Every number of the table `name` replaced by their mean: what a solver sees that ignores the table."""
    table = getattr(instance, name)
    return instance.replace(**{name: dict.fromkeys(table, sum(table.values()) // max(1, len(table)))})


def _in_list_order(instance: CrateKnapsack) -> CrateKnapsack:
    """Items assigned to crates in list order: what a solver sees that ignores which item lies where."""
    weights = {item: weight for (_, item), weight in instance.weight.items()}
    per_crate = -(-len(instance.item) // max(1, len(instance.crate)))
    home = {item: instance.crate[at // per_crate] for at, item in enumerate(instance.item)}
    return instance.replace(weight={(home[item], item): weight for item, weight in weights.items()})


HARDNESS: Hardness[CrateKnapsack, Packing] = Hardness(
    blind={
        "tares": lambda instance: instance.replace(tare=dict.fromkeys(instance.crate, 0)),
        "crates": _in_list_order,
        "weights": lambda instance: _average(instance, "weight"),
        "values": lambda instance: _average(instance, "value"),
    },
    sample=sample,
    neighbourhood=neighbourhood,
)


# -- knowledge: what an agent may rely on before it has read anything -------------------------------------------------


def ranges(config: Config) -> dict[tuple[str, str], tuple[int, int]]:
    """The least and the largest number of every hidden column: from the configuration, never from an instance."""
    lightest, heaviest = config.heaviest // 3, config.heaviest
    return {
        ("tare", "tare"): (config.heaviest // 2, heaviest),
        ("weight", "weight"): (lightest, heaviest),
        ("value", "value"): (worth(config, lightest) + EXTRA[0], worth(config, heaviest) + EXTRA[1]),
    }


KNOWLEDGE = Knowledge(
    ranges=ranges,
    options=(OptionKind(("value", "weight", "tare"), drop="item"),),  # an option is an item, and these tell about it
)
