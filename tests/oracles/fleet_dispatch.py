from itertools import product

from ortools.sat.python import cp_model

from algoworlds.families.fleet_dispatch.instance import FleetDispatch
from tests.oracles import Model

UNORDERED = ("vehicle", "job")


def small(stream):
    m, n = stream.choice([0, 1, 2, 2, 3, 3, 4]), stream.integer(0, 6)
    vehicles, jobs = [f"v{v}" for v in range(m)], [f"j{j}" for j in range(n)]
    high = stream.choice([1, 2, 9, 10**12])
    heavy = stream.choice([1, 3, 7, 10**9])
    dense = stream.integer(1, 9)
    load = {j: stream.integer(1, heavy) for j in jobs}
    roomy = sum(load.values()) * stream.integer(1, 5) // max(m, 1)
    return FleetDispatch(
        vehicle=vehicles,
        job=jobs,
        capacity={v: stream.integer(0, roomy + 1) for v in vehicles},
        activation={v: stream.integer(-1, high) for v in vehicles},
        load=load,
        route_cost={(v, j): stream.integer(-1, high) for v in vehicles for j in jobs if stream.below(dense + 1)},
        offset=stream.integer(0, 5),
    )


def decisions(instance):
    for chosen in product(instance.vehicle, repeat=len(instance.job)):
        yield dict(zip(instance.job, chosen, strict=True))


def needs(instance, decision):
    for job, vehicle in decision.items():
        yield "load", job
        yield "capacity", vehicle
        yield "activation", vehicle
        yield "eligible", vehicle, job
        yield "route_cost", vehicle, job


def model(instance):
    cp = cp_model.CpModel()
    used = {v: cp.new_bool_var(v) for v in instance.vehicle}
    x = {pair: cp.new_bool_var(f"{pair}") for pair, able in instance.eligible.items() if able}
    for j in instance.job:
        cp.add_exactly_one([x[v, j] for v in instance.vehicle if (v, j) in x])
    for v in instance.vehicle:
        mine = [(x[v, j], instance.load[j]) for j in instance.job if (v, j) in x]
        cp.add(sum(load * chosen for chosen, load in mine) <= instance.capacity[v])
        cp.add_max_equality(used[v], [chosen for chosen, _ in mine] or [0])
    objective = instance.offset + sum(instance.activation[v] * used[v] for v in used)
    objective += sum(instance.route_cost[pair] * chosen for pair, chosen in x.items())
    return Model(cp, objective, lambda value: {j: v for (v, j), chosen in x.items() if value(chosen)})
