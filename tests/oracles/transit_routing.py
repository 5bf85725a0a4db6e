from itertools import pairwise, product

from ortools.sat.python import cp_model

from algoworlds.families.transit_routing.instance import TransitRouting
from tests.oracles import Model

UNORDERED = ("leg",)
SCANS_HIDDEN = True  # legs are scanned in roster order, and updates counted in it


def small(stream):
    d, p, M = stream.choice([0, 1, 2, 3, 3, 4, 4, 5]), stream.choice([1, 1, 2, 3, 3, 4]), stream.choice([1, 2, 2, 3, 5, 7])
    high = stream.choice([0, 1, 3, 9, 10**12])
    low = stream.choice([0, -1, -high])
    stations, lines = [f"s{i}" for i in range(d)], [f"l{a}" for a in range(p)]
    least = stream.choice([0, 1, 1, 1, 1])
    widths = [stream.integer(least, 4) for _ in stations]
    legs = stream.shuffled([f"e{e}" for e in range(sum(widths))])
    pairs = list(zip([s for s, width in zip(stations, widths, strict=True) for _ in range(width)], legs, strict=True))
    if stream.below(20) == 0 and not pairs:
        lines = []
    return TransitRouting(
        station=stations,
        line=lines,
        leg=sorted(legs),
        time={pair: stream.integer(low, high) for pair in pairs},
        residue={pair: stream.below(M) for pair in pairs},
        membership={pair: stream.choice(lines) for pair in pairs},
        transfer={line: stream.integers(len(lines), low, high) for line in lines},
        target=stream.below(M),
        modulus=M,
    )


def decisions(instance):
    yield from product(*([leg for at, leg in instance.time if at == station] for station in instance.station))


def needs(instance, decision):
    yield ("target",)
    for pair in zip(instance.station, decision, strict=True):
        yield from ((name, *pair) for name in ("time", "residue", "membership"))
        yield "transfer", instance.membership[pair]


def model(instance):
    cp = cp_model.CpModel()
    x = {step: cp.new_bool_var(f"{step}") for step in instance.time}
    stages = [[step for step in x if step[0] == station] for station in instance.station]
    for steps in stages:
        cp.add_exactly_one([x[step] for step in steps])
    turns = cp.new_int_var(0, sum(instance.residue.values()), "turns")
    collected = sum(residue * x[step] for step, residue in instance.residue.items())
    cp.add(collected - instance.modulus * turns == instance.target)
    objective = sum(time * x[step] for step, time in instance.time.items())
    for before, after in pairwise(stages):
        both = {pair: cp.new_bool_var(f"{pair}") for pair in product(before, after)}
        for one in before:
            cp.add(sum(both[one, other] for other in after) == x[one])
        for other in after:
            cp.add(sum(both[one, other] for one in before) == x[other])
        for (one, other), used in both.items():
            to = instance.line.index(instance.membership[other])
            objective += instance.transfer[instance.membership[one]][to] * used
    return Model(cp, objective, lambda value: tuple(next(s[1] for s in steps if value(x[s])) for steps in stages))
