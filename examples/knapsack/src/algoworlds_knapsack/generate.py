"""Generator: values that follow weights, and crates so heavy that opening one is a decision of its own.

Value per weight is nearly the same everywhere, so no single item tells whether it belongs to the optimum. What decides is how
exactly whole crates fill the van together. Nothing is planted, and items lie in crates at random.
"""

from dataclasses import dataclass

from algoworlds.families.declare import Stream
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
"""Level 0 is for trying things out; the work of the others lies in `algoworlds.core.work.WORK_BANDS`."""

EXTRA = 500, 1_499
"""The range of an item's value beyond the part that follows its weight."""


def generate(config: Config, stream: Stream) -> CrateKnapsack:
    """Draw an instance from `stream` and nothing else: equal streams must always give equal instances."""
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
    """The part of an item's value that follows its weight."""
    return weight * 9_000 // config.heaviest
