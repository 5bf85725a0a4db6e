"""The Station Siting family."""

from algoworlds.core.decision import Listed
from algoworlds.core.options import Options, pricing
from algoworlds.families.family import Family
from algoworlds.families.station_siting.check import SENSE, check
from algoworlds.families.station_siting.generate import LEVELS, between, generate, ranges
from algoworlds.families.station_siting.hand import StationHand
from algoworlds.families.station_siting.instance import StationSiting
from algoworlds.families.station_siting.search import descend, reference, sample
from algoworlds.families.station_siting.solve import solve
from algoworlds.families.station_siting.template import TEMPLATE
from algoworlds.families.station_siting.unknowns import UNKNOWNS
from algoworlds.families.station_siting.verify import verify


def _average_costs(instance: StationSiting) -> StationSiting:
    """All zones alike: every site costs what sites of its option cost on average, rounded down."""
    total = {a: sum(cost for pair, cost in instance.cost.items() if instance.option[pair] == a) for a in (0, 1)}
    return instance.exchanged(cost={pair: total[a] // len(instance.zone) for pair, a in instance.option.items()})


def _extended_alike(instance: StationSiting) -> StationSiting:
    """Every site of option 1 costs what such sites cost on average, rounded down; the others stay as they are."""
    extended = [pair for pair, option in instance.option.items() if option == 1]
    mean = sum(instance.cost[pair] for pair in extended) // max(1, len(extended))
    return instance.exchanged(cost={**instance.cost, **dict.fromkeys(extended, mean)})


def _average_rewards(instance: StationSiting) -> StationSiting:
    """All demands alike: every reward is the mean, rounded down."""
    mean = sum(need[-1] for need in instance.need.values()) // max(1, len(instance.need))
    return _paying(instance, mean)


def _halves(instance: StationSiting) -> StationSiting:
    """No joint effects: each end of a demand earns half of its reward by itself (all values doubled)."""
    cost = {pair: 2 * amount for pair, amount in instance.cost.items()}
    for from_zone, from_site, to_zone, to_site, reward in instance.need.values():
        cost[from_zone, from_site] -= reward
        cost[to_zone, to_site] -= reward
    return _paying(instance.exchanged(cost=cost), 0)


def _required_options(instance: StationSiting) -> StationSiting:
    """Every demand requires the sites of option 1 in its two zones."""
    site = {zone: site for (zone, site), a in instance.option.items() if a == 1}
    return instance.exchanged(need={d: (i, site[i], j, site[j], r) for d, (i, _, j, _, r) in instance.need.items()})


def _paying(instance: StationSiting, reward: int) -> StationSiting:
    """Every demand pays the same."""
    return instance.exchanged(need={demand: (*ends, reward) for demand, (*ends, _) in instance.need.items()})


STATION_SITING: Family[StationSiting, tuple[str, ...]] = Family(
    title="Station Siting",
    summary="choose one site per zone, few of them extended, for the most demand reward less operating cost",
    instance=StationSiting,
    decision=Listed("sites", "site", per="zone"),
    sense=SENSE,
    levels=LEVELS,
    between=between,
    generate=generate,
    ranges=ranges,
    solve=solve,
    verify=verify,
    check=check,
    reference=reference,
    descend=descend,
    sample=sample,
    fits={"option-1 costs: this world's mean": _extended_alike},
    hand=StationHand,
    unknowns=UNKNOWNS,
    options=(Options(("cost", "option", "need"), pricing("cost", +1), each="zone"),),
    blind={
        "costs": _average_costs,
        "demands": lambda instance: _paying(instance, 0),
        "rewards": _average_rewards,
        "required options": _required_options,
        "joint effects": _halves,
    },
    template=TEMPLATE,
)
