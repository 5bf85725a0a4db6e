"""Generator: values that go with weights, and crates heavy enough that opening one is a decision of its own.

Value per weight is nearly the same everywhere, so no single item tells whether it belongs to the optimum; what decides is how
whole crates fit the van together, to the last unit. Nothing is planted, and items lie in crates at random.
"""

from dataclasses import dataclass

from algoworlds.core.stream import Stream
from algoworlds_knapsack.instance import CrateKnapsack


@dataclass(frozen=True)
class Config:
    """How many crates, how many items in each, and the weight of the heaviest item."""

    crates: int
    items: int
    heaviest: int


LEVELS = {
    0: Config(4, 3, 12),
    1: Config(9, 4, 26),
    2: Config(10, 5, 220),
    3: Config(11, 6, 1_000),
    4: Config(12, 6, 4_000),
}
"""Level 0 is for trying things out; the work of the others lies in the bands of `algoworlds.core.work`."""

EXTRA = 500, 1_499
"""What an item is worth beyond what goes with its weight."""


def generate(config: Config, stream: Stream) -> CrateKnapsack:
    """Draw an instance from a stream, and from nothing else: the same stream must give the same bytes for ever."""
    crates = [f"k{k}" for k in range(config.crates)]
    items = [f"i{i}" for i in range(config.crates * config.items)]
    home = dict(zip(stream.shuffled(items), crates * config.items, strict=True))
    weight = {item: stream.integer(config.heaviest // 3, config.heaviest) for item in items}
    tare = {crate: stream.integer(config.heaviest // 2, config.heaviest) for crate in crates}
    everything = sum(weight.values()) + sum(tare.values())
    return CrateKnapsack(
        crate=crates,
        item=items,
        tare=tare,
        weight={(home[item], item): weight[item] for item in items},
        value={item: worth(config, weight[item]) + stream.integer(*EXTRA) for item in items},
        capacity=everything * 45 // 100,
    )


def worth(config: Config, weight: int) -> int:
    """The part of an item's value that goes with its weight."""
    return weight * 9_000 // config.heaviest
