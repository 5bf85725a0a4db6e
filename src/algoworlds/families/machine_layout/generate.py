"""Generator of Machine Layout: two hidden weights on every machine, which every cut of the line must balance.

The weights x and y of all machines sum to zero each, and F_ab = c + u_a + u_b - x_a x_b - y_a y_b. So the flow across a cut
with the machines S on one side is x(S)^2 + y(S)^2 beside what c and u make, and all n - 1 cuts of the line are to be balanced
at once: what flows most is between machines that weigh the opposite, but hardly two of them cancel in both weights, so that
a strong flow says little about who stands beside whom, and an exchange of two machines unsettles every cut between them.

What u makes of the flows adds u_a D(s) for a machine in slot s, where D(s) is the distance of s to all slots; adjustments take
just that off, and add a base for the machine and one for the slot that every layout pays alike, so that an adjustment seen
alone or a line cut short tells little. What is left, up to `own` for a machine and a slot, weighs as much as the balance.
"""

from dataclasses import dataclass
from itertools import combinations

from algoworlds.core.ranges import Range, Ranges
from algoworlds.core.stream import Stream
from algoworlds.families.machine_layout.instance import MachineLayout

WEIGHT, SHARE, BASE = 40, 100, 5_000
"""The largest weight before they are made to sum to zero, the largest u, and the largest base."""
LEAST = (1, 99)
"""The range of the least flow, and of the least adjustment."""

Table = dict[tuple[int, int], int]


@dataclass(frozen=True)
class Config:
    """The number of machines, and of slots; the largest flow and adjustment, and what of this is a placement's own."""

    machines: int
    flow: int
    adjustment: int
    own: int = 1_500


LEVELS = {
    0: Config(8, 5_000, 12_500),
    1: Config(12, 5_000, 15_000),
    2: Config(15, 5_000, 17_500),
    3: Config(18, 5_000, 22_500),
    4: Config(20, 5_000, 27_500),
}


def ranges(config: Config) -> Ranges:
    """Distances of the line; flows and adjustments up to the level's largest."""
    return Ranges(
        {
            ("flow", "flow"): Range(LEAST[0], config.flow),
            ("distance", "distance"): Range(1, config.machines - 1),
            ("adjustment", "adjustment"): Range(LEAST[0], config.adjustment),
        }
    )


def generate(config: Config, stream: Stream) -> MachineLayout:
    """Draw an instance, until all numbers keep to their ranges; the line order of the slots is unrelated to their roster."""
    while True:
        share = stream.integers(config.machines, 0, SHARE)
        flow, adjustment = _flows(share, stream), _adjustments(config, share, stream)
        if max(flow.values()) <= config.flow and max(adjustment.values()) <= config.adjustment:
            break
    machines, slots = ([f"{letter}{at}" for at in range(config.machines)] for letter in "ms")
    line = stream.shuffled(slots)
    return MachineLayout(
        machine=machines,
        slot=slots,
        flow={(machines[a], machines[b]): each for (a, b), each in flow.items()},
        distance={(line[s], line[t]): t - s for s, t in combinations(range(config.machines), 2)},
        adjustment={(machines[a], line[s]): each for (a, s), each in adjustment.items()},
    )


def _flows(share: list[int], stream: Stream) -> Table:
    """F_ab, less what makes the least of them as small as drawn."""
    weights = [_balanced(stream.integers(len(share), -WEIGHT, WEIGHT)) for _ in "xy"]
    pairs = combinations(range(len(share)), 2)
    return _lowered({(a, b): share[a] + share[b] - sum(w[a] * w[b] for w in weights) for a, b in pairs}, stream)


def _balanced(weights: list[int]) -> list[int]:
    """Weights moved alike, but for one unit, so that they sum to zero."""
    mean, over = divmod(sum(weights), len(weights))
    return [weight - mean - (at < over) for at, weight in enumerate(weights)]


def _adjustments(config: Config, share: list[int], stream: Stream) -> Table:
    """A_as by machine and place on the line: bases, what makes up for the shares of the flows, and what is its own."""
    n = config.machines
    machine, place = stream.integers(n, 0, BASE), stream.integers(n, 0, BASE)
    far = [sum(abs(s - t) for t in range(n)) for s in range(n)]
    cells = ((a, s) for a in range(n) for s in range(n))
    return _lowered(
        {(a, s): machine[a] + place[s] - share[a] * far[s] + stream.integer(0, config.own) for a, s in cells}, stream
    )


def _lowered(table: Table, stream: Stream) -> Table:
    """All numbers moved alike, which changes no decision, so that the least is as small as drawn."""
    move = stream.integer(*LEAST) - min(table.values())
    return {key: number + move for key, number in table.items()}
