"""How Station Siting is attacked: one channel erased, one column guessed, and decisions by hand, at random and by descent."""

from algoworlds.families.declare import Hardness
from algoworlds.families.station_siting.instance import StationSiting
from algoworlds.families.station_siting.search import StationSearchSpace, sample


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
