"""Tiny instances with degenerate sizes and ties, which `algoworlds family check` solves by brute force."""

from algoworlds.families.declare import Stream
from algoworlds_knapsack.instance import CrateKnapsack


def tiny(stream: Stream) -> CrateKnapsack:
    """Up to three crates and seven items, with numbers so small that ties are common."""
    crates = [f"k{k}" for k in range(stream.integer(1, 3))]
    items = [f"i{i}" for i in range(stream.integer(0, 7))]
    high = stream.choice([1, 3, 9, 100])
    return CrateKnapsack(
        crate=crates,
        item=items,
        tare={crate: stream.integer(0, high) for crate in crates},
        weight={(stream.choice(crates), item): stream.integer(1, high) for item in items},
        value={item: stream.integer(-1, high) for item in items},
        capacity=stream.integer(0, 3 * high),
    )
