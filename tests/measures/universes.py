"""Tiny universes: every instance of a few ids whose numbers have two or three values, for truth by enumeration.

Each function yields all instances of a universe and declares its ranges. They are so few that any set of calls can be asked
about and every completion be looked at.
"""

from itertools import permutations, product

from algoworlds.core.ranges import Promise, Range, Ranges
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.evidence_joined_routing.instance import EvidenceJoinedRouting
from algoworlds.families.fleet_dispatch.instance import FleetDispatch
from algoworlds.families.sequential_matching.instance import SequentialMatching

UNIVERSES = {}
ALWAYS = {"read_tariff_card"}
"""Tools that are always called, because their universe has one answer for them."""


def universe(family, **columns):
    """Register a universe under its function's name, with the ranges of its columns as (low, high)."""

    def register(function):
        places = {tuple(name.split("__")): Range(*ends) for name, ends in columns.items()}
        promises = tuple(Promise(each.__doc__, each) for each in getattr(function, "promises", ()))
        UNIVERSES[function.__name__] = family, Ranges(places, promises), function
        return function

    return register


def promising(*promises):
    def register(function):
        function.promises = promises
        return function

    return register


def filled(keys, *values):
    """Every table with one of some values for every key."""
    keys = list(keys)
    return (dict(zip(keys, chosen, strict=True)) for chosen in product(values, repeat=len(keys)))


def fleets(capacities, loads, costs, routes):
    vehicles, jobs = ("v0", "v1"), ("j0", "j1")
    pairs = list(product(vehicles, jobs))
    for capacity, load, activation, eligible, route in product(
        list(filled(vehicles, *capacities)),
        list(filled(jobs, *loads)),
        list(filled(vehicles, *costs)),
        list(filled(pairs, False, True)),
        list(filled(pairs, *routes)),
    ):
        yield FleetDispatch(
            vehicle=vehicles, job=jobs, capacity=capacity, activation=activation, load=load, eligible=eligible, route_cost=route
        )


@universe(
    "fleet_dispatch",
    capacity__capacity=(1, 2),
    load__load=(1, 2),
    activation__activation_cost=(2, 2),
    route_cost__route_cost=(1, 2),
)
def fleets_of_many_sizes():
    return fleets((1, 2), (1, 2), (2,), (1, 2))


@universe(
    "fleet_dispatch",
    capacity__capacity=(1, 2),
    load__load=(1, 1),
    activation__activation_cost=(1, 2),
    route_cost__route_cost=(1, 2),
)
def fleets_of_many_prices():
    return fleets((1, 2), (1,), (1, 2), (1, 2))


@universe(
    "evidence_joined_routing",
    freight__quantity=(2, 2),
    freight__residue=(0, 1),
    required__required_residue=(0, 1),
    tariff__rate=(1, 2),
)
def routes():
    """Two stages of two arcs; which arc leads where is open. Whoever has not read the tariff knows nothing."""
    first, second = [("s0", "a0"), ("s0", "a1")], [("s1", "b0"), ("s1", "b1")]
    arcs, classes = first + second, ("c0", "c1")
    for heads, tails in product(permutations("xy"), repeat=2):
        ends = {key: ("o", head) for key, head in zip(first, heads, strict=True)}
        ends |= {key: (tail, "z") for key, tail in zip(second, tails, strict=True)}
        for residue, exception in product(product((0, 1), repeat=4), product(classes, repeat=4)):
            yield EvidenceJoinedRouting(
                stage=("s0", "s1"),
                component=("x",),
                tariff_class=classes,
                node=("o", "x", "y", "z"),
                arc=tuple(arc for _, arc in arcs),
                ends=ends,
                freight={key: (2, rho) for key, rho in zip(arcs, residue, strict=True)},
                exception=dict(zip(arcs, exception, strict=True)),
                tariff={("x", "c0"): 1, ("x", "c1"): 2},
                required={"x": 1},
                source="o",
                target="z",
                modulus=2,
            )


def matchings(flags, costs, minutes, rates):
    people, pairs = ("l0", "l1", "r0", "r1"), ("p0", "p1", "p2", "p3")
    cells = list(product(people[:2], people[2:]))
    for order in permutations(cells):
        member = {(person, pair) for pair, cell in zip(pairs, order, strict=True) for person in cell}
        for compatible, cost, handoff, rate in product(
            list(filled(cells, *flags)), list(filled(pairs, *costs)), list(filled(permutations(people[2:]), *minutes)), rates
        ):
            yield SequentialMatching(
                participant=people,
                pair=pairs,
                member=member,
                compatible=compatible,
                pair_cost=cost,
                handoff=handoff,
                rate=rate,
            )


@universe("sequential_matching", pair_cost__cost=(1, 2), handoff__minutes=(3, 3), rate__rate=(1, 1))
def matchings_of_few():
    return matchings((False, True), (1, 2), (3,), (1,))


@universe("sequential_matching", pair_cost__cost=(1, 1), handoff__minutes=(1, 2), rate__rate=(1, 3))
def matchings_at_a_rate():
    return matchings((False, True), (1,), (1, 2), (1, 2, 3))


def every_item_is_sold_singly(instance):
    """Every item has a ticket of its own."""
    return {recipe[0] for recipe in instance.recipes().values() if len(recipe) == 1} == set(instance.item)


def baskets(count, prices):
    items, tickets = ("bed", "table", "lamp"), tuple(f"t{at}" for at in range(count))
    recipes = [*((item,) for item in items), items]
    shops = [held for held in product(recipes, repeat=count) if set(recipes[:3]) <= set(held)]
    for held, asked in product(shops, product(prices, repeat=count)):
        yield BasketAssembly(
            item=items,
            ticket=tickets,
            covers={(ticket, item) for ticket, recipe in zip(tickets, held, strict=True) for item in recipe},
            price=dict(zip(tickets, asked, strict=True)),
        )


@universe("basket_assembly", price__price=(1, 3))
@promising(every_item_is_sold_singly)
def baskets_at_many_prices():
    return baskets(4, (1, 2, 3))


@universe("basket_assembly", price__price=(1, 2))
@promising(every_item_is_sold_singly)
def baskets_of_many_tickets():
    return baskets(5, (1, 2))
