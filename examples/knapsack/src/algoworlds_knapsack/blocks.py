"""The two optional blocks of Crate Knapsack. The family works without them; each enables more commands.

HARDNESS: admission by blind solvers, the shortcut claims of `validate`, the agents random and local_search, the rewards gain
and thrift. With a `hand` as well it could be attacked with `algoworlds attack`.
KNOWLEDGE: the ranges in the question and the regret for facts never seen. With `unknowns` as well `algoworlds judge` could say
when the optimum was known, and `algoworlds build --certificates` what knowing it costs.
"""

from collections.abc import Iterator

from algoworlds.core.options import Options, dropping
from algoworlds.core.ranges import Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.families.descent import steepest
from algoworlds.families.hardness import Hardness
from algoworlds.families.knowledge import Knowledge
from algoworlds_knapsack.check import check
from algoworlds_knapsack.generate import EXTRA, Config, worth
from algoworlds_knapsack.instance import CrateKnapsack
from algoworlds_knapsack.reference import Packing, fill

# -- hardness: decisions without the exact algorithm, or without all information --------------------------------------


def sample(instance: CrateKnapsack, stream: Stream) -> Packing:
    """Items in random order, each if it still fits."""
    return fill(instance, stream.shuffled(instance.item))


def descend(instance: CrateKnapsack, start: Packing) -> Packing:
    """Steepest ascent: put one item in, take one out, or exchange one."""
    return steepest(lambda y: check(instance, y), instance.sense, start, lambda y: _neighbours(instance, y))


def _neighbours(instance: CrateKnapsack, y: Packing) -> Iterator[Packing]:
    others = [item for item in instance.item if item not in y]
    yield from (_without(y, out) for out in y)
    yield from (tuple(sorted((*y, new))) for new in others)
    yield from (tuple(sorted((*_without(y, out), new))) for out in y for new in others)


def _without(y: Packing, out: str) -> Packing:
    return tuple(item for item in y if item != out)


def _alike(instance: CrateKnapsack, name: str) -> CrateKnapsack:
    """The instance with every number of a table replaced by their mean: what a solver sees that ignores the table."""
    table = getattr(instance, name)
    return instance.replace(**{name: dict.fromkeys(table, sum(table.values()) // max(1, len(table)))})


def _in_list_order(instance: CrateKnapsack) -> CrateKnapsack:
    """Items dealt to the crates in the order of the list: what a solver sees that ignores which item lies where."""
    weights = {item: weight for (_, item), weight in instance.weight.items()}
    each = -(-len(instance.item) // len(instance.crate))
    home = {item: instance.crate[at // each] for at, item in enumerate(instance.item)}
    return instance.replace(weight={(home[item], item): weight for item, weight in weights.items()})


HARDNESS: Hardness[CrateKnapsack, Packing] = Hardness(
    blind={
        "tares": lambda instance: instance.replace(tare=dict.fromkeys(instance.crate, 0)),
        "crates": _in_list_order,
        "weights": lambda instance: _alike(instance, "weight"),
        "values": lambda instance: _alike(instance, "value"),
    },
    sample=sample,
    descend=descend,
)


# -- knowledge: what an agent may rely on before it has read anything -------------------------------------------------


def ranges(config: Config) -> Ranges:
    """What the question states of every hidden number: from the configuration, never from an instance."""
    lightest, heaviest = config.heaviest // 3, config.heaviest
    return Ranges(
        {
            ("tare", "tare"): Range(config.heaviest // 2, heaviest),
            ("weight", "weight"): Range(lightest, heaviest),
            ("value", "value"): Range(worth(config, lightest) + EXTRA[0], worth(config, heaviest) + EXTRA[1]),
        }
    )


KNOWLEDGE = Knowledge(
    ranges=ranges,
    options=(Options(("value", "weight", "tare"), dropping("item")),),  # an option is an item, with all that tells about it
)
