"""Generator of Station Siting: three camps of zones, so that the contest is which camp gives up option 1 together.

K = n - H zones must take option 0. Seen from the layout with option 1 everywhere, switching zone i alone loses f(i), and
two switched zones gain r together if their demand requires equal options and lose r otherwise. Inside a camp demands
require equal options, between camps unequal ones, so a good layout switches one camp: the poor camp is cheap to enter
and earns little, two rich camps are dear to enter and earn much once complete. Losses are calibrated so that one
rich camp wins and the one that earns more does not. A constant added to every f(i) makes capacity bind and
changes nothing else; the cost of option 0 follows from f(i), and required options are dealt so that costs look alike.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import NamedTuple

from algoworlds.core.stream import Stream
from algoworlds.families.station_siting.instance import StationSiting

Pair = tuple[int, int]
Need = tuple[int, int, int]
"""The options that a pair's demand requires, and its reward."""

INSIDE: dict[tuple[int | None, int | None], Pair] = {(0, 0): (100, 399), (1, 1): (600, 999), (2, 2): (600, 999)}
"""The range of rewards inside the poor camp and inside each of the rich ones; all other pairs draw from 100 to 999."""

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
    def camp(self) -> int:
        """Zones in a camp: K, as many as a layout switches, if three camps of that size fit."""
        return min(self.zones - self.limit, self.zones // 3)


LEVELS = {
    0: Config(16, 3, 12, 5),
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
    pairs = [pair for pair in combinations(range(n), 2) if pair[1] - pair[0] <= config.span]
    needs = _needs(pairs, member, stream)
    joint = {pair: r if a == b else -r for pair, (a, b, r) in needs.items()}
    loss = _losses(config, camps, joint, stream)
    most = [sum(max(0, r) for pair, r in joint.items() if i in pair) for i in range(n)]  # that company can gain zone i
    bind = max(gain - f for gain, f in zip(most, loss, strict=True)) + stream.integer(1, 500)
    zero = [f + bind for f in loss]
    for (i, j), (a, b, r) in needs.items():  # how much more option 0 earns than option 1 beside an option 1
        zero[i] += b * (r if a == 0 else -r)
        zero[j] += a * (r if b == 0 else -r)
    return _instance(config, needs, zero, stream)


def _camps(config: Config, stream: Stream) -> list[list[int]]:
    """Three disjoint sets of zones: one poor, two rich."""
    n, k, stretch = config.zones, config.camp, config.stretch
    if stretch == n:
        drawn = stream.sample(range(n), 3 * k)
        return [drawn[at * k : (at + 1) * k] for at in range(3)]
    gaps = sorted(stream.sample(range(n - 3 * stretch + 3), 3))
    starts = [gap + at * (stretch - 1) for at, gap in enumerate(gaps)]
    return [stream.sample(range(start, start + stretch), k) for start in stream.shuffled(starts)]


def _needs(pairs: list[Pair], member: dict[int, int], stream: Stream) -> dict[Pair, Need]:
    """The required options of every pair; of an unequal pair, the zone whose option 0 has earned less gets the 0."""
    rewards = [stream.integer(*INSIDE.get((member.get(i), member.get(j)), (100, 999))) for i, j in pairs]
    needs: dict[Pair, Need] = {}
    earned: Counter[int] = Counter()
    for (i, j), r in stream.shuffled(list(zip(pairs, rewards, strict=True))):
        in_camps = i in member and j in member
        equal = member[i] == member[j] if in_camps else stream.below(100) < 15
        if equal:
            a = b = 0 if stream.below(100) < (85 if in_camps else 50) else 1
        else:
            a, b = (0, 1) if earned[i] < earned[j] else (1, 0)
        needs[i, j] = a, b, r
        earned.update({i: r * (1 - a), j: r * (1 - b)})
    return needs


def _losses(config: Config, camps: list[list[int]], joint: dict[Pair, int], stream: Stream) -> list[int]:
    """f(i), calibrated: the winner camp leads the best layout without rich zones by a margin, the dear camp trails it."""
    n, K, k = config.zones, config.zones - config.limit, config.camp
    loss = stream.integers(n, 0, 200)
    contest = _Contest(joint, loss)
    poor, *rich = camps
    winner, dear = sorted(rich, key=contest.worth)
    plain = [i for i in range(n) if i not in winner and i not in dear]
    lift, more = (max(0, contest.gain(camp) - contest.gain(poor)) // k for camp in (dear, winner))
    for i in plain:
        if i not in poor:
            loss[i] += stream.integer(0, lift) + stream.below(2) * stream.integer(0, more * 13 // 10)
    rival = contest.worth(contest.climbed(contest.filled(poor, range(n), K), plain))
    for camp, lead in ((winner, MARGIN * k), (dear, -MARGIN * k)):
        excess = max(0, contest.worth(contest.filled(camp, plain, K)) - rival - lead)
        weights = stream.integers(k, 70, 130)
        for i, weight in zip(camp, weights, strict=True):
            loss[i] += excess * weight // sum(weights)
    return loss


class _Contest(NamedTuple):
    """What layouts are worth, as sets of switched zones: joint gains of pairs less single losses."""

    joint: dict[Pair, int]
    loss: list[int]

    def gain(self, zones: Iterable[int]) -> int:
        return sum(self.joint.get(pair, 0) for pair in combinations(sorted(zones), 2))

    def worth(self, zones: Sequence[int]) -> int:
        return self.gain(zones) - sum(self.loss[i] for i in zones)

    def filled(self, zones: Sequence[int], among: Sequence[int], size: int) -> list[int]:
        """The zones and the best further ones, one at a time, until there are `size`."""
        full = list(zones)
        while len(full) < size:
            full.append(max((i for i in among if i not in full), key=lambda i: self.worth([*full, i])))
        return full

    def climbed(self, zones: list[int], among: Sequence[int]) -> list[int]:
        """Steepest ascent by exchanging one zone for another of `among`."""
        swaps = ([*(each for each in zones if each != out), i] for out in zones for i in among if i not in zones)
        best = max(swaps, key=self.worth, default=zones)
        return self.climbed(best, among) if self.worth(best) > self.worth(zones) else zones


def _instance(config: Config, needs: dict[Pair, Need], zero: list[int], stream: Stream) -> StationSiting:
    sites = {(i, a): (f"z{i}", f"s{i}.{a}") for i in range(config.zones) for a in (0, 1)}
    one = stream.integers(config.zones, 10, 99)
    rows = [(*chain(*stream.shuffled([sites[i, a], sites[j, b]])), r) for (i, j), (a, b, r) in sorted(needs.items())]
    need = {f"d{at}": row for at, row in enumerate(stream.shuffled(rows))}
    return StationSiting(
        zone=[f"z{i}" for i in range(config.zones)],
        demand=list(need),
        site=sorted(site for _, site in sites.values()),
        option={site: a for (_, a), site in sites.items()},
        cost={site: one[i] + (1 - a) * zero[i] for (i, a), site in sites.items()},
        need=need,
        limit=config.limit,
        span=config.span,
        grant=stream.integer(50_000, 99_999),
    )
