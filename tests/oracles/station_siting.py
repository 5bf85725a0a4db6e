from itertools import combinations, product

from ortools.sat.python import cp_model

from algoworlds.families.station_siting.instance import StationSiting
from tests.oracles import Model

ALWAYS_FEASIBLE = True  # option 0 in every zone respects any limit
UNORDERED = ("demand", "site")


def small(stream):
    n = stream.choice([0, 1, 2, 3, 4, 5, 6, 6, 7, 7])
    zones = [f"z{i}" for i in range(n)]
    span = stream.choice([0, 1, 2, 3, n, n + 3])
    high = stream.choice([1, 2, 9, 100, 10**12])
    dense, most = stream.integer(0, 4), stream.choice([1, 1, 2])
    pairs = [p for p in combinations(range(n), 2) if p[1] - p[0] <= span for _ in range(most) if stream.below(dense + 1)]
    low = stream.choice([0, 0, -high])
    dear = stream.choice([0, 0, high, 2 * n * high])  # the last makes option 1 dominate, so that capacity binds
    cost = {(f"z{i}", f"s{i}{a}"): stream.integer(-1, high) + dear * (a == "x") for i in range(n) for a in "xy"}
    swap = stream.below(2)  # the option of a site must not follow from its id
    need = {}
    for at, pair in enumerate(stream.shuffled(pairs)):
        (i, a), (j, b) = ((i, stream.choice("xy")) for i in stream.shuffled(pair))
        need[f"d{at}"] = (f"z{i}", f"s{i}{a}", f"z{j}", f"s{j}{b}", stream.integer(low, high))
    return StationSiting(
        zone=stream.shuffled(zones) if span >= n else zones,
        demand=list(need),
        site=[site for _, site in cost],
        option={pair: int((pair[1][-1] == "y") != (swap and dear == 0)) for pair in cost},
        cost=cost,
        need=need,
        limit=stream.integer(0, n + 1),
        span=span,
        grant=stream.integer(0, 5),
    )


def decisions(instance):
    offered = [[site for z, site in instance.option if z == zone] for zone in instance.zone]
    return (tuple(sorted(chosen)) for chosen in product(*offered))


def needs(instance, decision):
    for site in decision:
        yield from ((name, site) for name in ("option", "cost", "need"))


def model(instance):
    cp = cp_model.CpModel()
    x = {site: cp.new_bool_var(site) for site in instance.site}
    for zone in instance.zone:
        cp.add_exactly_one(x[site] for z, site in instance.option if z == zone)
    cp.add(sum(x[site] for (_, site), option in instance.option.items() if option == 1) <= instance.limit)
    objective = instance.grant - sum(cost * x[site] for (_, site), cost in instance.cost.items())
    for demand, (_, one, _, other, reward) in instance.need.items():
        both = cp.new_bool_var(demand)
        cp.add_multiplication_equality(both, [x[one], x[other]])
        objective += reward * both
    return Model(cp, objective, lambda value: tuple(sorted(site for site in x if value(x[site]))))
