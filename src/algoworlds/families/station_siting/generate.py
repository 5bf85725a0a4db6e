"""Generator of Station Siting: three camps of zones, so that the contest is which camp gives up option 1 together.

K = n - H zones must take option 0. Seen from the layout with option 1 everywhere, switching zone i alone loses f(i), and
two switched zones gain r together if their demand requires equal options and lose r otherwise. Inside a camp demands
require equal options, between camps unequal ones, so a good layout switches one camp: the poor camp is cheap to enter
and earns little, two rich camps are dear to enter and earn much once complete. Losses are calibrated so that one
rich camp wins and the one that earns more does not. A constant added to every f(i) makes capacity bind and
changes nothing else; the cost of option 0 follows from f(i), and required options are dealt so that costs look alike.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from algoworlds.families.station_siting.instance import StationSiting
from algoworlds.model.stream import Stream

Pair = tuple[int, int]

MARGIN = 110
"""How much per camp zone the winner is ahead of the best layout without rich zones, and the dear camp behind it."""


@dataclass(frozen=True)
class Config:
    """Zones, band width, most sites of option 1, and how many consecutive zones a camp is drawn from (all: anywhere)."""

    zones: int
    span: int
    limit: int
    stretch: int

    @property
    def switched(self) -> int:
        """K: zones that must take option 0."""
        return self.zones - self.limit

    @property
    def camp(self) -> int:
        """Zones in a camp: enough to fill a layout, but K zones stay outside the two rich camps."""
        return min(self.switched, (self.zones - self.switched) // 2)


LEVELS = {
    0: Config(12, 5, 9, 12),
    1: Config(42, 4, 36, 7),
    2: Config(24, 12, 19, 24),
    3: Config(21, 16, 15, 21),
    4: Config(21, 18, 13, 21),
}


def generate(config: Config, stream: Stream) -> StationSiting:
    """Draw an instance in which every optimum uses exactly H sites of option 1."""
    n = config.zones
    camps = _camps(config, stream)
    member = {i: camp for camp, zones in enumerate(camps) for i in zones}
    pairs = [(i, j) for i, j in combinations(range(n), 2) if j - i <= config.span]
    reward = {(i, j): _reward(member.get(i), member.get(j), stream) for i, j in pairs}
    needs = _needs(reward, member, stream)
    joint = {pair: reward[pair] if a == b else -reward[pair] for pair, (a, b) in needs.items()}
    loss = _losses(config, camps, joint, stream)
    alone = [sum(reward[p] for p, (a, b) in needs.items() if i in p and a == b) for i in range(n)]
    bind = max(most - f for most, f in zip(alone, loss, strict=True)) + stream.integer(1, 500)
    zero = [loss[i] + bind + _earned(i, reward, needs) for i in range(n)]
    return _instance(config, reward, needs, zero, stream)


def _camps(config: Config, stream: Stream) -> list[list[int]]:
    """Three disjoint sets of zones: one poor, two rich."""
    n, k, stretch = config.zones, config.camp, config.stretch
    if stretch == n:
        drawn = stream.sample(range(n), 3 * k)
        return [drawn[at * k : (at + 1) * k] for at in range(3)]
    gaps = sorted(stream.sample(range(n - 3 * stretch + 3), 3))
    starts = [gap + at * (stretch - 1) for at, gap in enumerate(gaps)]
    return [stream.sample(range(start, start + stretch), k) for start in stream.shuffled(starts)]


def _reward(one: int | None, other: int | None, stream: Stream) -> int:
    if one is None or one != other:
        return stream.integer(100, 999)
    return stream.integer(100, 399) if one == 0 else stream.integer(600, 999)


def _needs(reward: dict[Pair, int], member: dict[int, int], stream: Stream) -> dict[Pair, Pair]:
    """The required options of every pair; of an unequal pair, the zone whose option 0 has earned less gets the 0."""
    needs: dict[Pair, Pair] = {}
    earned: dict[int, int] = dict.fromkeys((i for pair in reward for i in pair), 0)
    for i, j in stream.shuffled(list(reward)):
        if _equal(member.get(i), member.get(j), stream):
            same = i in member and j in member
            needs[i, j] = (0, 0) if stream.below(100) < (85 if same else 50) else (1, 1)
        else:
            needs[i, j] = (0, 1) if earned[i] < earned[j] else (1, 0)
        for zone, option in zip((i, j), needs[i, j], strict=True):
            earned[zone] += reward[i, j] if option == 0 else 0
    return needs


def _equal(one: int | None, other: int | None, stream: Stream) -> bool:
    if one is None or other is None:
        return stream.below(100) < 15
    return one == other


def _losses(config: Config, camps: list[list[int]], joint: dict[Pair, int], stream: Stream) -> list[int]:
    """f(i), calibrated: the best layout with the winner camp leads the best one without rich zones, the dear camp trails."""
    n, k = config.zones, config.camp
    loss = stream.integers(n, 0, 200)
    poor, *rich = camps
    winner, dear = sorted(rich, key=lambda camp: _worth(camp, joint, loss))
    lift = [max(0, _gain(camp, joint) - _gain(poor, joint)) // k for camp in (winner, dear)]
    plain = sorted(set(range(n)) - set(winner) - set(dear))
    for i in plain:
        if i not in poor:
            loss[i] += stream.integer(0, lift[1]) + stream.below(2) * stream.integer(0, lift[0] * 13 // 10)
    rival = max(_worth(_climbed(start, plain, joint, loss), joint, loss) for start in _starts(config, poor, plain, joint, loss))
    for camp, lead in ((winner, MARGIN * k), (dear, -MARGIN * k)):
        best = _worth(_filled(camp, plain, config.switched, joint, loss), joint, loss)
        weights = stream.integers(k, 70, 130)
        for i, weight in zip(camp, weights, strict=True):
            loss[i] += max(0, best - rival - lead) * weight // sum(weights)
    return loss


def _starts(config: Config, poor: list[int], plain: list[int], joint: dict[Pair, int], loss: list[int]) -> list[list[int]]:
    return [_filled(start, plain, config.switched, joint, loss) for start in ([], poor)]


def _gain(zones: Iterable[int], joint: dict[Pair, int]) -> int:
    return sum(joint.get(pair, 0) for pair in combinations(sorted(zones), 2))


def _worth(zones: Sequence[int], joint: dict[Pair, int], loss: list[int]) -> int:
    return _gain(zones, joint) - sum(loss[i] for i in zones)


def _filled(zones: Sequence[int], among: list[int], size: int, joint: dict[Pair, int], loss: list[int]) -> list[int]:
    """The zones and the best further ones, one at a time, until there are `size`."""
    full = list(zones)
    while len(full) < size:
        full.append(max((i for i in among if i not in full), key=lambda i: _worth([*full, i], joint, loss)))
    return full


def _climbed(zones: list[int], among: list[int], joint: dict[Pair, int], loss: list[int]) -> list[int]:
    """Steepest ascent by exchanging one zone for another of `among`."""
    best = zones
    while True:
        swaps = ([i if each == out else each for each in best] for out in best for i in among if i not in best)
        better = max(swaps, key=lambda each: _worth(each, joint, loss), default=best)
        if _worth(better, joint, loss) <= _worth(best, joint, loss):
            return best
        best = better


def _earned(i: int, reward: dict[Pair, int], needs: dict[Pair, Pair]) -> int:
    """What zone i's demands pay more for option 0 than for option 1 while every other zone has option 1."""
    mine = ((reward[p], needs[p][p.index(i)], needs[p][1 - p.index(i)]) for p in reward if i in p)
    return sum((r if option == 0 else -r) for r, option, other in mine if other == 1)


def _instance(
    config: Config, reward: dict[Pair, int], needs: dict[Pair, Pair], zero: list[int], stream: Stream
) -> StationSiting:
    zones = [f"z{i}" for i in range(config.zones)]
    one = stream.integers(config.zones, 10, 99)
    cost = {(z, f"s{i}.{a}"): one[i] + (1 - a) * zero[i] for i, z in enumerate(zones) for a in (0, 1)}
    ends = {p: stream.shuffled([(f"z{i}", f"s{i}.{a}") for i, a in zip(p, needs[p], strict=True)]) for p in reward}
    demands = [f"d{at}" for at in range(len(reward))]
    return StationSiting(
        zone=zones,
        demand=demands,
        site=sorted(site for _, site in cost),
        option={(z, site): int(site[-1]) for z, site in cost},
        cost=cost,
        need={d: (*ends[p][0], *ends[p][1], reward[p]) for d, p in zip(demands, stream.shuffled(list(reward)), strict=True)},
        limit=config.limit,
        span=config.span,
        grant=stream.integer(50_000, 99_999),
    )
