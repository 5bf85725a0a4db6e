from ortools.sat.python import cp_model

from algoworlds.families.basket_assembly.instance import BasketAssembly
from tests.oracles import Model

UNORDERED = ("ticket",)


def small(stream):
    n = stream.choice([0, 1, 1, 2, 2, 3, 3])
    items = [f"i{v}" for v in range(3 * n)]
    singly = stream.choice([1, 4, 20])  # an item has a single with chance singly / (singly + 1), some have two
    recipes = [(item,) for item in items for _ in range(1 + stream.below(5) // 4) if stream.below(singly + 1)]
    triples = stream.integer(0, (0, 3, 7, 9)[n])
    recipes += [tuple(items[group * n + stream.below(n)] for group in range(3)) for _ in range(triples)]
    tickets = [f"t{e}" for e in range(len(recipes))]
    low, high = stream.choice([(1, 1), (1, 3), (-2, 9), (1, 99), (10**12, 2 * 10**12)])
    recipes = stream.shuffled(recipes)
    return BasketAssembly(
        item=items,
        ticket=tickets,
        covers=frozenset((ticket, item) for ticket, recipe in zip(tickets, recipes, strict=True) for item in recipe),
        price={t: stream.integer(low, high) * (1 + len(r) // 2) for t, r in zip(tickets, recipes, strict=True)},
    )


def decisions(instance):
    """Every set of pairwise disjoint tickets that deliver as many items as there are."""
    held = {t: {item for ticket, item in instance.covers if ticket == t} for t in instance.ticket}

    def extend(chosen, covered, later):
        if len(covered) == len(instance.item):
            yield tuple(sorted(chosen))
        for at, ticket in enumerate(later):
            if not held[ticket] & covered:
                yield from extend((*chosen, ticket), held[ticket] | covered, later[at + 1 :])

    return extend((), frozenset(), instance.ticket)


def needs(instance, decision):
    for ticket in decision:
        yield "price", ticket
        yield "covers", ticket


def model(instance):
    cp = cp_model.CpModel()
    x = {ticket: cp.new_bool_var(ticket) for ticket in instance.ticket}
    for item in instance.item:
        cp.add(sum(x[t] for t in instance.ticket if (t, item) in instance.covers) == 1)
    objective = sum(instance.price[ticket] * chosen for ticket, chosen in x.items())
    return Model(cp, objective, lambda value: tuple(sorted(ticket for ticket, chosen in x.items() if value(chosen))))
