from itertools import combinations, permutations

from ortools.sat.python import cp_model

from algoworlds.families.machine_layout.instance import MachineLayout
from tests.oracles import Model

ALWAYS_FEASIBLE = True
UNORDERED = ("machine", "slot")


def small(stream):
    n = stream.choice([0, 1, 2, 3, 3, 4, 4, 5, 5])
    machines, slots = [f"m{a}" for a in range(n)], [f"s{s}" for s in range(n)]
    position = {s: at for at, s in enumerate(stream.shuffled(slots))}
    strong, dear = stream.choice([0, 1, 3, 99, 10**12]), stream.choice([0, 1, 9, 99, 10**12])
    return MachineLayout(
        machine=machines,
        slot=slots,
        flow={pair: stream.integer(-strong // 4, strong) for pair in combinations(machines, 2)},
        distance={(s, t): abs(position[s] - position[t]) for s, t in combinations(slots, 2)},
        adjustment={(a, s): stream.integer(-dear // 4, dear) for a in machines for s in slots},
    )


def decisions(instance):
    for chosen in permutations(instance.slot):
        yield dict(zip(instance.machine, chosen, strict=True))


def needs(instance, decision):
    yield ("flow",)
    yield ("distance",)
    yield from (("adjustment", machine, slot) for machine, slot in decision.items())


def model(instance):
    cp, slots = cp_model.CpModel(), instance.slot
    x = {(a, s): cp.new_bool_var(f"{a} {s}") for a in instance.machine for s in slots}
    for a in instance.machine:
        cp.add_exactly_one([x[a, s] for s in slots])
    for s in slots:
        cp.add_exactly_one([x[a, s] for a in instance.machine])
    # Coordinates along the line: of two slots at the longest distance, one is 0.
    origin = max(instance.distance, key=instance.distance.get)[0] if instance.distance else None
    coordinate = {s: instance.distance.get((origin, s), instance.distance.get((s, origin), 0)) for s in slots}
    where = {a: sum(coordinate[s] * x[a, s] for s in slots) for a in instance.machine}
    objective = sum(cost * x[pair] for pair, cost in instance.adjustment.items())
    for (a, b), flow in instance.flow.items():
        apart = cp.new_int_var(1, len(slots) - 1, f"{a} {b}")
        cp.add_abs_equality(apart, where[a] - where[b])
        objective += flow * apart
    return Model(cp, objective, lambda value: {a: s for (a, s), chosen in x.items() if value(chosen)})
