"""Generator of Station Siting: every window of the corridor weighs its zones, and the switched zones must balance all windows.

K = n - H zones must take option 0. Relative to option 1 everywhere, switching zone i alone loses f(i), and two switched zones
gain r together if their demand requires equal options and lose r otherwise. Every window of consecutive zones gives each of
its zones a weight a(i), positive or negative, and loses the square of the difference between a target T and the sum of the
weights of its switched zones: expanded, joint effects -2 a(i) a(j) and single losses a(i)^2 - 2 T a(i).
That is number partitioning several times at once: all but two switched zones say almost nothing about the others, and what
balances one window unsettles the windows that overlap it, where the same zones have other weights. In the narrow windows of
a long corridor few zones are switched, and targets would give away a zone that meets one alone. There no zone loses anything
by itself but its own part, and further windows at the ends make up for the neighbours that zones lack there.

Every joint effect and every single loss also has a part of its own, which no window explains. Together these parts change the
best layouts by more than they differ, so an agent that infers weights from some demands, or costs from demands, misses the
optimum.
The more windows, the less a fit of a few factors says, and the more own parts a landscape bears before restarts win.

A constant added to every f(i) makes the limit bind and changes nothing else. The cost of option 0 follows from f(i), the cost
of option 1 is drawn from an equally wide range, and a coin decides which options are required.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations

from algoworlds.families.declare import Range, Stream, interpolate
from algoworlds.families.station_siting.instance import StationSiting

Pair = tuple[int, int]

MIN_COST = 10


@dataclass(frozen=True)
class Config:
    """Zones, band width, most sites of option 1, windows by their first zones, sizes of weights, largest reward and cost."""

    zones: int
    span: int
    limit: int
    windows: Sequence[int]
    """Several windows may start at one zone, each with its own weights."""
    weights: Pair
    reward: int
    cost: int
    aimed: bool = True
    """Whether windows have targets; if not, a zone loses only its own part by itself."""
    noise: int = 50
    """The largest part of a joint effect that no window explains, of either sign."""
    own: int = 0
    """The largest part of a single loss that no window explains, of either sign."""

    @property
    def density(self) -> int:
        """How many windows contain a zone, on average, in hundredths."""
        return 100 * len(self.windows) * (self.span + 1) // self.zones


LEVELS = {
    0: Config(16, 3, 12, (0, 0, *range(13), 12, 12), (10, 99), 40_000, 175_000, aimed=False),
    1: Config(42, 4, 36, (0, 0, *range(38), 37, 37), (10, 99), 50_000, 275_000, aimed=False, noise=500, own=8_000),
    2: Config(24, 12, 19, (0, 5, 11), (30, 99), 35_000, 325_000, noise=300, own=500),
    3: Config(21, 16, 14, (0, 1, 3, 4), (30, 99), 55_000, 425_000, noise=300, own=700),
    4: Config(21, 18, 11, (0, 0, 0, 0, 1, 2, 2, 2, 2), (30, 99), 120_000, 900_000, noise=500, own=1_800),
}


def between(lower: Config, upper: Config, part: Fraction) -> Config:
    """Interpolated sizes and density, windows evenly along the corridor, aimed like the nearer level.

    Rewards and costs may be as large as at either level: between them windows can be many and wide at once.
    """
    zones, span = interpolate(lower.zones, upper.zones, part), interpolate(lower.span, upper.span, part)
    switched = interpolate(lower.zones - lower.limit, upper.zones - upper.limit, part)
    aimed, last = interpolate(lower.aimed, upper.aimed, part), zones - span - 1
    at_ends = () if aimed else (0, 0, last, last)
    even = interpolate(lower.density, upper.density, part) * zones // (100 * (span + 1)) - len(at_ends)
    return Config(
        zones,
        span,
        zones - switched,
        (*at_ends, *(at * last // (even - 1) for at in range(even))),
        interpolate(lower.weights, upper.weights, part),
        max(lower.reward, upper.reward),
        max(lower.cost, upper.cost),
        aimed,
        interpolate(lower.noise, upper.noise, part),
        interpolate(lower.own, upper.own, part),
    )


def ranges(config: Config) -> dict[tuple[str, str], Range]:
    """Rewards and costs up to the level's largest."""
    return {
        ("cost", "cost"): Range(MIN_COST, config.cost, label="operating costs"),
        ("need", "reward"): Range(1, config.reward),
        ("option", "option"): Range(0, 1),
    }


def generate(config: Config, stream: Stream) -> StationSiting:
    """Draw until all numbers keep to their ranges; in such an instance every optimum uses exactly H sites of option 1."""
    while True:
        joint, loss = _balance(config, stream)
        instance = _instance(config, joint, loss, stream)
        if all(reward <= config.reward for *_, reward in instance.need.values()) and max(instance.cost.values()) <= config.cost:
            return instance


def _balance(config: Config, stream: Stream) -> tuple[dict[Pair, int], list[int]]:
    """The joint effects of all pairs in the band, and the single losses that follow from the targets of the windows."""
    n = config.zones
    pairs = [(i, j) for i in range(n) for j in range(i + 1, min(n, i + config.span + 1))]
    joint = dict(zip(pairs, stream.integers(len(pairs), -config.noise, config.noise), strict=True))
    loss, own = [0] * n, stream.integers(n, -config.own, config.own) if config.own else [0] * n
    for first in config.windows:
        weight = {i: stream.choice((-1, 1)) * stream.integer(*config.weights) for i in range(first, first + config.span + 1)}
        target = (n - config.limit) * sum(weight.values()) // n
        for i, a in weight.items():
            loss[i] += a * a - 2 * target * a
        for i, j in combinations(weight, 2):
            joint[i, j] -= 2 * weight[i] * weight[j]
    aimed = loss if config.aimed else [0] * n
    return {pair: gain or 1 for pair, gain in joint.items()}, list(map(sum, zip(aimed, own, strict=True)))  # every demand pays


def _instance(config: Config, joint: dict[Pair, int], loss: list[int], stream: Stream) -> StationSiting:
    n = config.zones
    most = [0] * n  # the most that other switched zones can add to switching zone i
    for (i, j), gain in joint.items():
        most[i] += max(0, gain)
        most[j] += max(0, gain)
    bind = max(gain - f for gain, f in zip(most, loss, strict=True)) + stream.integer(1, 500)  # so the limit binds
    zero = [f + bind for f in loss]
    sites = {(i, a): (f"z{i}", f"s{i}.{a}") for i in range(n) for a in (0, 1)}
    rows = []
    for (i, j), gain in joint.items():
        a = stream.below(2)
        b = a if gain > 0 else 1 - a
        for one, other, option in ((i, b, a), (j, a, b)):  # what option 0 earns more than option 1 beside an option 1
            zero[one] += other * (abs(gain) if option == 0 else -abs(gain))
        rows.append((*chain(*stream.shuffled([sites[i, a], sites[j, b]])), abs(gain)))
    extended = stream.integers(n, MIN_COST, MIN_COST + max(zero) - min(zero))
    need = {f"d{at}": row for at, row in enumerate(stream.shuffled(rows))}
    return StationSiting.from_trusted(
        zone=tuple(f"z{i}" for i in range(n)),
        demand=tuple(need),
        site=tuple(sorted(site for _, site in sites.values())),
        option={site: a for (_, a), site in sites.items()},
        cost={site: extended[i] + (1 - a) * zero[i] for (i, a), site in sites.items()},
        need=need,
        limit=config.limit,
        span=config.span,
        grant=stream.integer(5_000_000, 9_999_999),
    )
