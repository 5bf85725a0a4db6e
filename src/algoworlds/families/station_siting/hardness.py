"""Station Siting without the exact algorithm: reference, random, local and by-hand decisions; blind instances."""

from collections.abc import Iterable, Iterator
from itertools import accumulate, chain

from algoworlds.families.declare import BooleanSearchSpace, Hardness, Stream
from algoworlds.families.station_siting.instance import StationSiting

Sites = tuple[str, ...]
Options = tuple[int, ...]
"""The chosen option of every zone, in corridor order."""


class StationSearchSpace(BooleanSearchSpace[Sites]):
    """Zones in corridor order, switched on where they have option 1; rewards are negative losses."""

    single_flip_percent = 10

    def __init__(self, instance: StationSiting) -> None:
        """A switch costs its site; a demand is a table over two zones with one nonzero cell."""
        self._limit = self.most_on = instance.limit
        self.constant_loss = -instance.grant
        by_option = {(zone, option): site for (zone, site), option in instance.option.items()}
        self._sites = [(by_option[zone, 0], by_option[zone, 1]) for zone in instance.zone]
        cost = {site: cost for (_, site), cost in instance.cost.items()}
        option = {site: option for (_, site), option in instance.option.items()}
        position = {zone: at for at, zone in enumerate(instance.zone)}
        tables = (
            ([position[i], position[j]], tuple(-reward * (cell == 2 * option[one] + option[other]) for cell in range(4)))
            for i, one, j, other, reward in instance.need.values()
        )
        own = [(cost[plain], cost[extended]) for plain, extended in self._sites]
        super().__init__(own, tables)
        self._rest: list[int] = list(accumulate(map(min, reversed(own)), initial=0))[::-1]

    def decision_from_bits(self, x: Options) -> Sites:
        """The sites of the chosen options."""
        return tuple(sorted(pair[option] for pair, option in zip(self._sites, x, strict=True)))

    def to_bits(self, y: Sites) -> Options:
        """The options of the sites."""
        chosen = set(y)
        return tuple(int(extended in chosen) for _, extended in self._sites)

    def remaining_lower_bound(self, partial: tuple[str, ...]) -> int:
        """The cheaper site of every zone that is still open, the limit ignored."""
        return self._rest[len(partial)]

    def visible_units(self) -> Iterator[Sites]:
        """Groups of zones that prefer to be alike, and windows of neighbouring zones with option 0."""
        zones, plain = len(self._sites), len(self._sites) - self._limit
        windows = (tuple(int(not start <= at < start + plain) for at in range(zones)) for start in range(self._limit + 1))
        return chain(super().visible_units(), map(self.decision_from_bits, windows))

    def is_visible_unit(self, y: Sites) -> bool:
        """Whether the zones with option 0 form one window of the required size, or `y` is a union of groups."""
        plain = [at for at, option in enumerate(self.to_bits(y)) if not option]
        width = plain[-1] - plain[0] + 1 if plain else 0
        return width == len(plain) == max(0, len(self._sites) - self._limit) or super().is_visible_unit(y)


def reference(instance: StationSiting) -> Sites:
    """Option 1 everywhere; then, until the limit holds, switch the zone that loses least to option 0 (ties: the first)."""
    option = {site: option for (_, site), option in instance.option.items()}
    saved = dict.fromkeys(instance.zone, 0)  # what option 0 costs less
    for (zone, site), cost in instance.cost.items():
        saved[zone] += cost if option[site] else -cost
    joint: dict[str, list[tuple[str, int, int]]] = {
        zone: [] for zone in instance.zone
    }  # other zone, its option, gain of option 0
    for i, one, j, other, reward in instance.need.values():
        joint[i].append((j, option[other], -reward if option[one] else reward))
        joint[j].append((i, option[one], -reward if option[other] else reward))
    zeros: set[str] = set()
    while len(zeros) < len(instance.zone) - instance.limit:
        ones = [zone for zone in instance.zone if zone not in zeros]
        zeros.add(max(ones, key=lambda i: saved[i] + sum(gain for j, a, gain in joint[i] if a == (j not in zeros))))
    return sites_of_layout(instance, zeros)


def sample(instance: StationSiting, stream: Stream) -> Sites:
    """Option 0 in as few zones as the limit allows, drawn at random, and option 1 in the others."""
    return sites_of_layout(instance, stream.sample(instance.zone, max(0, len(instance.zone) - instance.limit)))


def sites_of_layout(instance: StationSiting, zeros: Iterable[str]) -> Sites:
    """The sites of the layout in which exactly the zones `zeros` have option 0."""
    plain = set(zeros)
    return tuple(sorted(site for (zone, site), option in instance.option.items() if (option == 0) == (zone in plain)))


def _average_costs(instance: StationSiting) -> StationSiting:
    """Zones ignored: every site costs the mean of its option, rounded down."""
    total = {a: sum(cost for pair, cost in instance.cost.items() if instance.option[pair] == a) for a in (0, 1)}
    return instance.unchecked(cost={pair: total[a] // len(instance.zone) for pair, a in instance.option.items()})


def _average_extended_costs(instance: StationSiting) -> StationSiting:
    """Every site of option 1 costs the mean of such sites, rounded down; the others do not change."""
    extended = [pair for pair, option in instance.option.items() if option == 1]
    mean = sum(instance.cost[pair] for pair in extended) // max(1, len(extended))
    return instance.unchecked(cost={**instance.cost, **dict.fromkeys(extended, mean)})


def _average_rewards(instance: StationSiting) -> StationSiting:
    """Demands ignored: every reward is the mean, rounded down."""
    return _pay_all(instance, sum(need[-1] for need in instance.need.values()) // max(1, len(instance.need)))


def _split_rewards(instance: StationSiting) -> StationSiting:
    """No joint effects: each end of a demand earns half of its reward by itself (all values are doubled)."""
    cost = {pair: 2 * amount for pair, amount in instance.cost.items()}
    for from_zone, from_site, to_zone, to_site, reward in instance.need.values():
        cost[from_zone, from_site] -= reward
        cost[to_zone, to_site] -= reward
    return _pay_all(instance.unchecked(cost=cost), 0)


def _require_option_1(instance: StationSiting) -> StationSiting:
    """Every demand requires the sites of option 1 in its two zones."""
    site = {zone: site for (zone, site), a in instance.option.items() if a == 1}
    return instance.unchecked(need={d: (i, site[i], j, site[j], r) for d, (i, _, j, _, r) in instance.need.items()})


def _pay_all(instance: StationSiting, reward: int) -> StationSiting:
    """Every demand pays `reward`."""
    return instance.unchecked(need={demand: (*ends, reward) for demand, (*ends, _) in instance.need.items()})


HARDNESS: Hardness[StationSiting, tuple[str, ...]] = Hardness(
    blind={
        "costs": _average_costs,
        "demands": lambda instance: _pay_all(instance, 0),
        "rewards": _average_rewards,
        "required options": _require_option_1,
        "joint effects": _split_rewards,
    },
    fits={"option-1 costs: this world's mean": _average_extended_costs},
    search_space=StationSearchSpace,
    sample=sample,
    neighbourhood=lambda instance: StationSearchSpace(instance).neighbours,  # switch one zone, or exchange two
)
