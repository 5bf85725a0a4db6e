from ortools.sat.python import cp_model

from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from tests.oracles import Model

UNORDERED = ("stage", "tariff_class", "node", "arc")
SCANS_HIDDEN = True  # arcs are scanned in roster order, and updates counted in it


def small(stream):
    """A random acyclic graph, arcs filed by the position of their tail; parallel and layer-skipping arcs included."""
    n, modulus = stream.integer(1, 6), stream.choice([1, 2, 2, 3, 7, 31])
    nodes = [f"n{at}" for at in range(n)]
    high, dense = stream.choice([1, 2, 9, 10**6]), stream.integer(1, 4)
    classes = [f"c{at}" for at in range(stream.integer(1, 3))]
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n) for _ in range(stream.integer(1, 2)) if stream.below(dense + 1)]
    keys = [(f"s{u}", f"a{at}") for at, (u, _) in enumerate(pairs)]
    return EvidenceJoinedRouting(
        stage=[f"s{at}" for at in range(n)],
        component=["x"],
        tariff_class=classes,
        node=stream.shuffled(nodes),
        arc=stream.shuffled([arc for _, arc in keys]),
        ends={key: (nodes[u], nodes[v]) for key, (u, v) in zip(keys, pairs, strict=True)},
        freight={key: (stream.integer(0, high), stream.below(modulus)) for key in keys},
        exception={key: stream.choice(classes) for key in keys},
        tariff={("x", name): stream.integer(0, high) for name in classes},
        required={"x": stream.below(modulus)},
        source=nodes[0],
        target=nodes[-1],
        modulus=modulus,
    )


def decisions(instance):
    """Every path from the source, to any node."""
    paths = [((), instance.source)]
    while paths:
        path, node = paths.pop()
        yield path
        paths += [((*path, arc), head) for (_, arc), (tail, head) in instance.ends.items() if tail == node]


def needs(instance, decision):
    yield ("required",)
    for arc in decision:
        yield from ((name, arc) for name in ("ends", "freight", "exception"))
        yield "tariff", next(name for (_, one), name in instance.exception.items() if one == arc)


def model(instance):
    cp = cp_model.CpModel()
    used = {arc: cp.new_bool_var(arc) for arc in instance.arc}
    for node in instance.node:
        out = sum(used[arc] for (_, arc), (tail, _) in instance.ends.items() if tail == node)
        into = sum(used[arc] for (_, arc), (_, head) in instance.ends.items() if head == node)
        cp.add(out - into == (node == instance.source) - (node == instance.target))
    turns = cp.new_int_var(0, len(used), "turns")
    total = sum(rho * used[arc] for (_, arc), (_, rho) in instance.freight.items())
    cp.add(total == instance.required_residue + instance.modulus * turns)
    rate = {name: rate for (_, name), rate in instance.tariff.items()}
    price = {arc: instance.freight[key][0] * rate[instance.exception[key]] for key in instance.ends for arc in key[1:]}

    def read(value):
        path, node = [], instance.source
        onward = {tail: (arc, head) for (_, arc), (tail, head) in instance.ends.items() if value(used[arc])}
        while node in onward:
            arc, node = onward[node]
            path.append(arc)
        return tuple(path)

    return Model(cp, sum(price[arc] * variable for arc, variable in used.items()), read)
