from itertools import product

from ortools.sat.python import cp_model

from algoworlds.core.relation import group_pairs
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from tests.oracles import Model

UNORDERED = ("package",)
SCANS_HIDDEN = True  # packages are scanned in roster order, and updates counted in it


def small(stream):
    d, M = stream.choice([0, 1, 1, 2, 3, 3, 4, 4, 5]), stream.choice([1, 2, 2, 3, 3, 5, 7, 1000])
    width = [stream.choice([0, 1, 2, 2, 3, 3, 3, 4]) if stream.below(8) == 0 else stream.integer(1, 4) for _ in range(d)]
    stages, codes = [f"s{i}" for i in range(d)], [f"c{c}" for c in range(stream.integer(1, 3))]
    ids = iter(stream.shuffled([f"p{v:02}" for v in range(sum(width))]))  # id order is not stage order
    offered = [[next(ids) for _ in range(size)] for size in width]
    catalog = [(stage, v) for stage, here in zip(stages, offered, strict=True) for v in here]
    low, high = stream.choice([(0, 0), (0, 1), (-1, 2), (-9, 9), (0, 10**12), (-(10**12), 10**12)])
    dense = stream.choice([1, 3, 3, 9, 9])
    return AuthorizationPlanning(
        stage=stages,
        code=codes,
        package=sorted(v for here in offered for v in here),
        base_price={key: stream.integer(low, high) for key in catalog},
        policy_code={key: stream.choice(codes) for key in catalog},
        clearance={key: stream.integer(0, min(M - 1, stream.choice([0, 1, M]))) for key in catalog},
        opening=[(stages[0], v) for v in (offered[0] if d else ()) if stream.below(dense + 1)],
        handoff={
            (stages[i], u, v): stream.integer(low, high)
            for i in range(1, d)
            for u in offered[i - 1]
            for v in offered[i]
            if stream.below(dense + 1)
        },
        policy=(stream.integer(0, min(M - 1, 4)), stream.integers(len(codes), low, high)),
        modulus=M,
    )


def decisions(instance):
    yield from product(*group_pairs(instance.stage, instance.base_price).values())


def needs(instance, decision):
    yield ("policy",)
    for pair in zip(instance.stage, decision, strict=True):
        yield from ((name, *pair) for name in ("base_price", "policy_code", "clearance", "opening"))
    for stage, u, v in zip(instance.stage[1:], decision, decision[1:], strict=False):
        yield "handoff", stage, u, v


def model(instance):
    cp = cp_model.CpModel()
    adjustment = instance.adjustments_by_code
    x = {v: cp.new_bool_var(v) for v in instance.package}
    y = {step: cp.new_bool_var(f"{step}") for step in instance.handoff}
    entering, leaving = {v: [] for v in x}, {v: [] for v in x}
    for (_, u, v), taken in y.items():
        entering[v].append(taken)
        leaving[u].append(taken)
    for stage, offered in group_pairs(instance.stage, instance.base_price).items():
        cp.add_exactly_one([x[v] for v in offered])
        for v in offered:
            if stage == instance.stage[0]:
                if (stage, v) not in instance.opening:
                    cp.add(x[v] == 0)
            else:
                cp.add(sum(entering[v]) == x[v])
            if stage != instance.stage[-1]:
                cp.add(sum(leaving[v]) == x[v])
    laps = cp.new_int_var(0, len(instance.stage), "laps")
    collected = sum(z * x[v] for (_, v), z in instance.clearance.items())
    cp.add(collected == instance.required_clearance + instance.modulus * laps)
    objective = sum((instance.base_price[key] + adjustment[code]) * x[key[1]] for key, code in instance.policy_code.items())
    objective += sum(cost * y[step] for step, cost in instance.handoff.items())
    return Model(cp, objective, lambda value: tuple(v for _, v in instance.base_price if value(x[v])))
