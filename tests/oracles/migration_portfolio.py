from itertools import combinations, product

from ortools.sat.python import cp_model

from algoworlds.families.migration_portfolio.instance import MigrationPortfolio
from tests.oracles import Model

UNORDERED = ("group", "domain", "package", "factor")


def small(stream):
    n, G = stream.choice([0, 1, 2, 2, 3, 3, 4]), stream.choice([0, 1, 1, 2, 2, 3, 4])
    domains, groups = [f"d{j}" for j in range(n)], [f"g{i}" for i in range(G)]
    high = stream.choice([0, 1, 2, 9, 10**12])
    emptiest = stream.choice([0, 1, 1])
    pairs = [(i, f"p{i}{k}") for i in groups for k in range(stream.integer(emptiest, 3))]
    scopes = [stream.sample(domains, stream.integer(1, n)) for _ in range(stream.below(5))] if n else []
    return MigrationPortfolio(
        group=groups,
        domain=domains,
        package=[package for _, package in pairs],
        factor=[f"a{a}" for a in range(len(scopes))],
        cost={pair: stream.integer(-1, high) for pair in pairs},
        requirement={pair: [j for j in domains if stream.below(3) == 0] for pair in pairs},
        charge={j: stream.integer(-2, high) for j in domains},
        interaction={f"a{a}": (scope, stream.integers(2 ** len(scope), -high, high)) for a, scope in enumerate(scopes)},
        offset=stream.integer(-5, 5),
    )


def decisions(instance):
    shelves = [[p for i, p in instance.cost if i == group] for group in instance.group]
    subsets = [S for size in range(len(instance.domain) + 1) for S in combinations(sorted(instance.domain), size)]
    for packages in product(*shelves):
        for S in subsets:
            yield tuple(sorted(packages)), S


def needs(instance, decision):
    yield from ((name,) for name in ("charge", "interaction", "offset"))
    for package in decision[0]:
        yield from ((name, package) for name in ("member", "cost", "requirement"))


def model(instance):
    cp = cp_model.CpModel()
    x = {pair: cp.new_bool_var(pair[1]) for pair in instance.cost}
    on = {j: cp.new_bool_var(j) for j in instance.domain}
    for group in instance.group:
        cp.add_exactly_one([chosen for (i, _), chosen in x.items() if i == group])
    for pair, required in instance.requirement.items():
        for j in required:
            cp.add_implication(x[pair], on[j])
    objective = 1 - instance.offset + sum(instance.cost[pair] * chosen for pair, chosen in x.items())
    objective += sum(instance.charge[j] * active for j, active in on.items())
    for name, (scope, table) in instance.interaction.items():
        cells = {statuses: cp.new_bool_var(f"{name} {statuses}") for statuses in product((0, 1), repeat=len(scope))}
        cp.add_exactly_one(cells.values())
        for statuses, holds in cells.items():
            for j, status in zip(scope, statuses, strict=True):
                cp.add_implication(holds, on[j] if status else on[j].negated())
        objective += sum(entry * holds for entry, holds in zip(table, cells.values(), strict=True))

    def read(value):
        packages = (pair[1] for pair, chosen in x.items() if value(chosen))
        return tuple(sorted(packages)), tuple(sorted(j for j in on if value(on[j])))

    return Model(cp, objective, read)
