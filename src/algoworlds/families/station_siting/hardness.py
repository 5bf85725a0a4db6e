"""Station Siting without the exact algorithm: reference, random, local and by-hand decisions; blind instances."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from algoworlds.families.declare import BooleanSearchSpace, Concession, Hardness, Stream
from algoworlds.families.low_rank import UNREAD_PART, complete
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


def _joint_effects(instance: StationSiting) -> tuple[list[tuple[int, int, int]], NDArray[np.int64], NDArray[np.bool_]]:
    """For every demand its two zones and the sign of its joint effect on zones of option 0; the matrix of these effects."""
    option = {site: option for (_, site), option in instance.option.items()}
    position = {zone: at for at, zone in enumerate(instance.zone)}
    ends = [
        (position[i], position[j], 1 if option[one] == option[other] else -1) for i, one, j, other, _ in instance.need.values()
    ]
    shape = len(position), len(position)
    joint, known = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
    for (i, j, sign), (*_, reward) in zip(ends, instance.need.values(), strict=True):
        joint[i, j] += sign * reward
        joint[j, i] = joint[i, j]
        known[i, j] = known[j, i] = True
    return ends, joint, known


def _complete_demands(instance: StationSiting, rank: int) -> StationSiting:
    """Every second demand is not read: `rank` factors of the others say what its zones gain together.

    What a zone earns alone does not change: the cost of its site of option 0 makes up for every other reward.
    """
    ends, joint, known = _joint_effects(instance)
    unread = [at % UNREAD_PART == UNREAD_PART - 1 for at in range(len(ends))]
    for (i, j, _), hidden in zip(ends, unread, strict=True):
        known[i, j] = known[j, i] = known[i, j] and not hidden
    fitted = complete(joint, known, rank, effects=False)
    option = {site: option for (_, site), option in instance.option.items()}
    plain = {zone: (zone, site) for zone, site in instance.option if not option[site]}
    cost, need = dict(instance.cost), dict(instance.need)
    for (demand, row), (i, j, sign), hidden in zip(instance.need.items(), ends, unread, strict=True):
        if hidden:
            one, one_site, other, other_site, reward = row
            more = sign * int(fitted[i, j]) - reward
            if option[other_site]:
                cost[plain[one]] += -more if option[one_site] else more
            if option[one_site]:
                cost[plain[other]] += -more if option[other_site] else more
            need[demand] = one, one_site, other, other_site, reward + more
    return instance.unchecked(cost=cost, need=need)


def _infer_costs(instance: StationSiting, rank: int | None) -> StationSiting:
    """No cost is read: what a zone loses alone follows from balanced windows, by `rank` factors (None: nothing)."""
    ends, joint, known = _joint_effects(instance)
    zones, switched = len(instance.zone), max(0, len(instance.zone) - instance.limit)
    loss = np.zeros(zones, np.int64)
    if rank is not None:
        squares = -complete(joint, known, rank, effects=False).diagonal() // 2
        loss = (squares * (zones - 2 * switched) + joint.sum(axis=1) * switched) // max(1, zones)
    option = {site: option for (_, site), option in instance.option.items()}
    for (i, j, _), (_, one, _, other, reward) in zip(ends, instance.need.values(), strict=True):
        if option[other]:
            loss[i] += -reward if option[one] else reward
        if option[one]:
            loss[j] += -reward if option[other] else reward
    bind = 1 + 2 * int(abs(joint).sum() + abs(loss).sum())  # so the limit binds
    zero = dict(zip(instance.zone, (loss + bind).tolist(), strict=True))
    return instance.unchecked(cost={(zone, site): 0 if option[site] else zero[zone] for zone, site in instance.option})


_COMPLETIONS = {
    "cost: inferred from demands by 3 factors": partial(_infer_costs, rank=3),
    **{f"reward: half completed by {rank} factors": partial(_complete_demands, rank=rank) for rank in (1, 3)},
}

_HALVES = (
    "all halves of 24 or 21 zones that the limit permits are 3,172 at level 2, 2,784 at level 3 and 3,071 at level 4: "
    "pairing them needs hardly more, whatever the values, unless restarts are to win"
)

HARDNESS: Hardness[StationSiting, tuple[str, ...]] = Hardness(
    blind={
        "costs": _average_costs,
        "demands": lambda instance: _pay_all(instance, 0),
        "rewards": _average_rewards,
        "required options": _require_option_1,
        "joint effects": _split_rewards,
    },
    fits={
        "option-1 costs: this world's mean": _average_extended_costs,
        "costs: as if no zone lost anything alone": partial(_infer_costs, rank=None),
    },
    completions=_COMPLETIONS,
    concessions=tuple(
        Concession("order of levels", level, least, _HALVES) for level, least in ((2, 3_100), (3, 2_700), (4, 3_000))
    ),
    search_space=StationSearchSpace,
    sample=sample,
    neighbourhood=lambda instance: StationSearchSpace(instance).neighbours,  # switch one zone, or exchange two
)
