"""Generator of Machine Layout: two hidden weights on every machine, which every cut of the line must balance.

The weights x and y of all machines sum to zero each, and F_ab = c + u_a + u_b - x_a x_b - y_a y_b + e_ab. So the flow across
a cut with the machines S on one side is x(S)^2 + y(S)^2 plus a part that depends on c, u and e, and all n - 1 cuts of the
line must be balanced at once. The strongest flows join machines of opposite weights, but hardly two machines cancel in both
weights, so a strong flow says little about neighbours on the line, and exchanging two machines unsettles every cut between
them.

Each pair has its own part e. Without it, four rows of flows would give all others; with it, who infers a third of the flows
from the rest misses the optimum, because all own parts together change the best layouts by more than they differ.

The part of the flows that comes from u adds u_a D(s) for a machine in slot s, where D(s) is the distance of s to all slots.
Adjustments subtract exactly that, and add one base per machine and one per slot that every layout pays alike, so that a
single adjustment or a shortened line tells little. The rest, up to `own` per machine and slot, weighs as much as the own
parts of flows.
"""

from dataclasses import dataclass
from itertools import combinations

from algoworlds.families.declare import Stream
from algoworlds.families.machine_layout.instance import MachineLayout

MAX_WEIGHT, MAX_SHARE, MAX_BASE = 40, 100, 5_000
"""The largest weight before weights are shifted to sum to zero, the largest u, and the largest base."""
LEAST_RANGE = (1, 99)
"""The range of the least flow, and of the least adjustment."""

NOISE, OWN = 450, 5_000
"""`Config.noise` and `Config.own` from level 1 on: each changes the cost of a layout by more than good layouts differ."""

Numbers = dict[tuple[int, int], int]


@dataclass(frozen=True)
class Config:
    """The number of machines and of slots, the largest flow and adjustment, and the adjustment's largest own part."""

    machines: int
    flow: int
    adjustment: int
    own: int = 1_500
    noise: int = 0
    """The largest part of a flow that no weight explains, of either sign."""


LEVELS = {
    0: Config(8, 5_000, 12_500),
    1: Config(12, 6_000, 22_500, own=OWN, noise=NOISE),
    2: Config(15, 6_000, 25_000, own=OWN, noise=NOISE),
    3: Config(18, 6_000, 30_000, own=OWN, noise=NOISE),
    4: Config(20, 6_000, 35_000, own=OWN, noise=NOISE),
}


def ranges(config: Config) -> dict[tuple[str, str], tuple[int, int]]:
    """Distances of the line; flows and adjustments up to the level's largest."""
    return {
        ("flow", "flow"): (LEAST_RANGE[0], config.flow),
        ("distance", "distance"): (1, config.machines - 1),
        ("adjustment", "adjustment"): (LEAST_RANGE[0], config.adjustment),
    }


def generate(config: Config, stream: Stream) -> MachineLayout:
    """Draw until all numbers keep to their ranges; the line order of the slots is unrelated to their roster."""
    while True:
        share = stream.integers(config.machines, 0, MAX_SHARE)
        flow, adjustment = _flows(share, config.noise, stream), _adjustments(config, share, stream)
        if max(flow.values()) <= config.flow and max(adjustment.values()) <= config.adjustment:
            break
    machines, slots = ([f"{letter}{at}" for at in range(config.machines)] for letter in "ms")
    line = stream.shuffled(slots)
    return MachineLayout(
        machine=machines,
        slot=slots,
        flow={(machines[a], machines[b]): number for (a, b), number in flow.items()},
        distance={(line[s], line[t]): t - s for s, t in combinations(range(config.machines), 2)},
        adjustment={(machines[a], line[s]): number for (a, s), number in adjustment.items()},
    )


def _flows(share: list[int], noise: int, stream: Stream) -> Numbers:
    """F_ab by pair of machines."""
    weights = [_center(stream.integers(len(share), -MAX_WEIGHT, MAX_WEIGHT)) for _ in "xy"]
    pairs = list(combinations(range(len(share)), 2))
    own = stream.integers(len(pairs), -noise, noise) if noise else [0] * len(pairs)
    return _shift_to_least(
        {(a, b): share[a] + share[b] + e - sum(w[a] * w[b] for w in weights) for (a, b), e in zip(pairs, own, strict=True)},
        stream,
    )


def _center(weights: list[int]) -> list[int]:
    """The weights shifted equally, up to one unit, so that they sum to zero."""
    mean, over = divmod(sum(weights), len(weights))
    return [weight - mean - (at < over) for at, weight in enumerate(weights)]


def _adjustments(config: Config, share: list[int], stream: Stream) -> Numbers:
    """A_as by machine and position on the line: bases, minus the shares of the flows, plus its own part."""
    n = config.machines
    machine, slot = stream.integers(n, 0, MAX_BASE), stream.integers(n, 0, MAX_BASE)
    D = [sum(abs(s - t) for t in range(n)) for s in range(n)]
    cells = ((a, s) for a in range(n) for s in range(n))
    return _shift_to_least(
        {(a, s): machine[a] + slot[s] - share[a] * D[s] + stream.integer(0, config.own) for a, s in cells}, stream
    )


def _shift_to_least(table: Numbers, stream: Stream) -> Numbers:
    """All numbers shifted equally, which changes no decision, so that the least is drawn from `LEAST_RANGE`."""
    shift = stream.integer(*LEAST_RANGE) - min(table.values())
    return {key: number + shift for key, number in table.items()}
