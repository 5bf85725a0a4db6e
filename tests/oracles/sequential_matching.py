from itertools import permutations, product

from ortools.sat.python import cp_model

from algoworlds.families.sequential_matching.instance import SequentialMatching
from tests.oracles import Model

UNORDERED = ("pair",)


def small(stream):
    n = stream.choice([0, 1, 2, 2, 3, 3, 4, 4, 5])
    people = [f"l{i}" for i in range(n)] + [f"r{j}" for j in range(n)]
    cells = stream.shuffled(list(product(people[:n], people[n:])))
    high = stream.choice([0, 1, 2, 9, 10**12])
    recorded, dense = stream.integer(2, 9), stream.integer(1, 9)
    ends = {f"p{at}": cell for at, cell in enumerate(cells) if stream.below(recorded)}
    found = set(ends.values())
    return SequentialMatching(
        participant=people,
        pair=stream.shuffled(list(ends)),
        member={(person, pair) for pair, cell in ends.items() for person in cell},
        compatible={cell: cell in found and stream.below(dense + 1) > 0 for cell in cells},
        pair_cost={pair: stream.integer(-high // 3, high) for pair in ends},
        handoff={move: stream.integer(-high // 3, high) for move in permutations(people[n:], 2)},
        rate=stream.choice([1, 1, 2, 3, 0, -1]),
    )


def decisions(instance):
    pair_of = {ends: pair for pair, ends in instance.pair_ends.items()}
    for order in permutations(instance.right):
        cells = list(zip(instance.left, order, strict=True))
        if all(cell in pair_of for cell in cells):
            yield tuple(sorted(pair_of[cell] for cell in cells))


def needs(instance, decision):
    yield ("handoff",)
    yield ("rate",)
    for pair in decision:
        yield "pair_cost", pair
        yield "member", pair
        yield "compatible", *instance.pair_ends[pair]


def model(instance):
    cp = cp_model.CpModel()
    ends = instance.pair_ends
    x = {ends[pair]: cp.new_bool_var(pair) for pair in instance.pair if instance.compatible[ends[pair]]}
    for person in instance.participant:
        cp.add_exactly_one([chosen for cell, chosen in x.items() if person in cell])
    objective = sum(instance.pair_cost[pair] * x[ends[pair]] for pair in instance.pair if ends[pair] in x)
    for before, after in zip(instance.left, instance.left[1:], strict=False):
        # step[j, t]: the session of `before` is with j and that of `after` with t
        step = {move: cp.new_bool_var(f"{before} {move}") for move in instance.handoff}
        for person in instance.right:
            cp.add(sum(var for (j, _), var in step.items() if j == person) == x.get((before, person), 0))
            cp.add(sum(var for (_, t), var in step.items() if t == person) == x.get((after, person), 0))
        objective += instance.rate * sum(instance.handoff[move] * var for move, var in step.items())
    return Model(
        cp, objective, lambda value: tuple(sorted(pair for pair in instance.pair if ends[pair] in x and value(x[ends[pair]])))
    )
