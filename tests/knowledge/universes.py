"""Tiny universes: all instances with a few ids whose numbers have two or three values, so that completions can be enumerated.

Each function yields the tables of all instances of one universe; its decorators declare the ranges and promises.
"""

from itertools import combinations, permutations, product

from algoworlds.core.ranges import Promise, Range, Ranges
from algoworlds.core.tool import Call
from algoworlds.families import load_family

UNIVERSES = {}
"""Universes in which the oracle decides every question without an evaluation."""

OPEN_UNIVERSES = {}
"""Universes in which it may leave some undecided."""


def universe(family, *always, registry=UNIVERSES, **columns):
    """Register a universe under its function's name, with the ranges of its columns as (low, high).

    The tools and calls in `always` are always made, because all instances of the universe answer them alike.
    """

    def register(function):
        refs = {tuple(name.split("__")): Range(*ends) for name, ends in columns.items()}
        promises = tuple(Promise(promise.__doc__, promise) for promise in getattr(function, "promises", ()))
        registry[function.__name__] = family, Ranges(refs, promises), lambda: instances(family, function()), always
        return function

    return register


def promising(*promises):
    """Add promises to a universe; each function's docstring is the sentence in the question."""

    def register(function):
        function.promises = promises
        return function

    return register


def instances(family, universe_tables):
    """The instances of `universe_tables`, which have the same rosters and defaults; a table that many share is checked once."""
    kind, first, seen = load_family(family).instance, None, {}
    for tables in universe_tables:
        keys = {name: (name, table_key(table)) for name, table in tables.items()}
        if seen.keys() >= set(keys.values()):
            instance = first.unchecked(**{name: seen[key] for name, key in keys.items()})
            assert instance.valid
        else:
            instance = kind(**tables)
            seen |= {key: getattr(instance, name) for name, key in keys.items()}
        first = first or instance
        yield instance


def table_key(table):
    """A hashable form of `table`, with rows in the order given."""
    return tuple(table.items()) if isinstance(table, dict) else table if isinstance(table, int | str) else tuple(table)


def fill_table(keys, *values):
    """Every table that assigns one of `values` to each of `keys`."""
    keys = list(keys)
    return (dict(zip(keys, chosen, strict=True)) for chosen in product(values, repeat=len(keys)))


def fleets(capacities, loads, costs, routes):
    vehicles, jobs = ("v0", "v1"), ("j0", "j1")
    pairs = list(product(vehicles, jobs))
    for capacity, load, activation, eligible, route in product(
        list(fill_table(vehicles, *capacities)),
        list(fill_table(jobs, *loads)),
        list(fill_table(vehicles, *costs)),
        list(fill_table(pairs, False, True)),
        list(fill_table(pairs, *routes)),
    ):
        yield {
            "vehicle": vehicles,
            "job": jobs,
            "capacity": capacity,
            "activation": activation,
            "load": load,
            "eligible": eligible,
            "route_cost": route,
        }


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
    "fleet_dispatch",
    capacity__capacity=(1, 2),
    load__load=(1, 1),
    activation__activation_cost=(1, 1),
    route_cost__route_cost=(1, 2),
)
def fleets_without_some_routes():
    """An ineligible pair may have no route cost; in a completion it may be eligible at any cost."""
    vehicles, jobs = ("v0", "v1"), ("j0", "j1")
    pairs = list(product(vehicles, jobs))
    cells = [(False, None), (False, 1), (False, 2), (True, 1), (True, 2)]
    for capacity, chosen in product(list(fill_table(vehicles, 1, 2)), product(cells, repeat=4)):
        yield {
            "vehicle": vehicles,
            "job": jobs,
            "capacity": capacity,
            "activation": dict.fromkeys(vehicles, 1),
            "load": dict.fromkeys(jobs, 1),
            "eligible": {pair: able for pair, (able, _) in zip(pairs, chosen, strict=True)},
            "route_cost": {pair: cost for pair, (_, cost) in zip(pairs, chosen, strict=True) if cost is not None},
        }


@universe(
    "evidence_joined_routing",
    "read_tariff_card",
    freight__quantity=(2, 2),
    freight__residue=(0, 1),
    required__required_residue=(0, 1),
    tariff__rate=(1, 2),
)
def routes():
    """Two stages of two arcs with unknown ends. The tariff is always read, because nothing is determined without it."""
    first, second = [("s0", "a0"), ("s0", "a1")], [("s1", "b0"), ("s1", "b1")]
    arcs, classes = first + second, ("c0", "c1")
    for heads, tails in product(permutations("xy"), repeat=2):
        ends = {key: ("o", head) for key, head in zip(first, heads, strict=True)}
        ends |= {key: (tail, "z") for key, tail in zip(second, tails, strict=True)}
        for residue, exception in product(product((0, 1), repeat=4), product(classes, repeat=4)):
            yield {
                "stage": ("s0", "s1"),
                "component": ("x",),
                "tariff_class": classes,
                "node": ("o", "x", "y", "z"),
                "arc": tuple(arc for _, arc in arcs),
                "ends": ends,
                "freight": {key: (2, rho) for key, rho in zip(arcs, residue, strict=True)},
                "exception": dict(zip(arcs, exception, strict=True)),
                "tariff": {("x", "c0"): 1, ("x", "c1"): 2},
                "required": {"x": 1},
                "source": "o",
                "target": "z",
                "modulus": 2,
            }


def matchings(flags, costs, minutes, rates):
    people, pairs = ("l0", "l1", "r0", "r1"), ("p0", "p1", "p2", "p3")
    cells = list(product(people[:2], people[2:]))
    for order in permutations(cells):
        member = {(person, pair) for pair, cell in zip(pairs, order, strict=True) for person in cell}
        for compatible, cost, handoff, rate in product(
            list(fill_table(cells, *flags)),
            list(fill_table(pairs, *costs)),
            list(fill_table(permutations(people[2:]), *minutes)),
            rates,
        ):
            yield {
                "participant": people,
                "pair": pairs,
                "member": member,
                "compatible": compatible,
                "pair_cost": cost,
                "handoff": handoff,
                "rate": rate,
            }


@universe("sequential_matching", pair_cost__cost=(1, 2), handoff__minutes=(3, 3), rate__rate=(1, 1))
def matchings_of_few():
    return matchings((False, True), (1, 2), (3,), (1,))


@universe("sequential_matching", pair_cost__cost=(1, 1), handoff__minutes=(1, 2), rate__rate=(1, 3))
def matchings_at_a_rate():
    return matchings((False, True), (1,), (1, 2), (1, 2, 3))


@universe("sequential_matching", registry=OPEN_UNIVERSES, pair_cost__cost=(1, 2), handoff__minutes=(1, 1), rate__rate=(1, 1))
def matchings_of_fewer_pairs():
    """Three pairs of four possible ones: a pair may join participants who share none in the hidden instance."""
    people, pairs = ("l0", "l1", "r0", "r1"), ("p0", "p1", "p2")
    cells = list(product(people[:2], people[2:]))
    for joined in permutations(cells, 3):
        for flags, cost in product(product((False, True), repeat=3), list(fill_table(pairs, 1, 2))):
            yield {
                "participant": people,
                "pair": pairs,
                "member": {(person, pair) for pair, cell in zip(pairs, joined, strict=True) for person in cell},
                "compatible": dict.fromkeys(cells, False) | dict(zip(joined, flags, strict=True)),
                "pair_cost": cost,
                "handoff": dict.fromkeys(permutations(people[2:]), 1),
                "rate": 1,
            }


@universe("sequential_matching", pair_cost__cost=(1, 1), handoff__minutes=(0, 2), rate__rate=(1, 2))
def matchings_without_minutes():
    """Minutes may be 0: then the rate has no effect on the value, although it has one in other completions."""
    return matchings((False, True), (1,), (0, 1, 2), (1, 2))


@universe("sequential_matching", pair_cost__cost=(1, 1), handoff__minutes=(-1, 1), rate__rate=(-1, 1))
def matchings_at_any_rate():
    """Rate and minutes may be 0 or have either sign: which end of one is worse depends on the other."""
    return matchings((False, True), (1,), (-1, 0, 1), (-1, 0, 1))


def every_item_is_sold_singly(instance):
    """Every item has a ticket of its own."""
    return {recipe[0] for recipe in instance.recipes().values() if len(recipe) == 1} == set(instance.item)


def baskets(count, prices):
    items, tickets = ("bed", "table", "lamp"), tuple(f"t{at}" for at in range(count))
    recipes = [*((item,) for item in items), items]
    shops = [held for held in product(recipes, repeat=count) if set(recipes[:3]) <= set(held)]
    for held, asked_prices in product(shops, product(prices, repeat=count)):
        yield {
            "item": items,
            "ticket": tickets,
            "covers": {(ticket, item) for ticket, recipe in zip(tickets, held, strict=True) for item in recipe},
            "price": dict(zip(tickets, asked_prices, strict=True)),
        }


@universe("basket_assembly", price__price=(1, 3))
@promising(every_item_is_sold_singly)
def baskets_at_many_prices():
    return baskets(4, (1, 2, 3))


def recipes_are_distinct(instance):
    """No two tickets deliver the same items."""
    return len(set(instance.recipes().values())) == len(instance.ticket)


READ = tuple(Call.from_arguments("read_bundle", {"bundle": f"t{at}"}) for at in range(3, 8))
PRICED = tuple(Call.from_arguments("read_catalog_window", {"length": 2, "start": at}) for at in (3, 5, 6))


@universe("basket_assembly", *READ, *PRICED, price__price=(1, 3))
@promising(every_item_is_sold_singly, recipes_are_distinct)
def baskets_with_three_open_tickets():
    """Five tickets are always read: four singles and a set. The other three hold the missing singles and any other set."""
    groups = ("bed0", "bed1"), ("table0", "table1"), ("lamp0", "lamp1")
    known = [("bed1",), ("table0",), ("lamp0",), ("lamp1",), ("bed0", "table1", "lamp0")]
    shops = [
        held for recipe in product(*groups) for held in permutations([("bed0",), ("table1",), recipe]) if recipe not in known
    ]
    for held, open_prices in product(shops, product((1, 2, 3), repeat=3)):
        recipes = {f"t{at}": recipe for at, recipe in enumerate([*held, *known])}
        yield {
            "item": sum(groups, ()),
            "ticket": tuple(recipes),
            "covers": {(ticket, item) for ticket, recipe in recipes.items() for item in recipe},
            "price": dict(zip(recipes, (*open_prices, 1, 1, 2, 1, 3), strict=True)),
        }


@universe("station_siting", option__option=(0, 1), cost__cost=(0, 2), need__reward=(1, 2))
def corridors():
    """Two zones, one of which may be extended, and one demand for any two sites."""
    sites = [("a", "a0"), ("a", "a1"), ("b", "b0"), ("b", "b1")]
    ends = [pair for one, other in product(sites[:2], sites[2:]) for pair in ((*one, *other), (*other, *one))]
    for options, costs, end, reward in product(product((0, 1), repeat=2), product((0, 1, 2), repeat=4), ends, (1, 2)):
        yield {
            "zone": ("a", "b"),
            "demand": ("d",),
            "site": tuple(site for _, site in sites),
            "option": dict(zip(sites, (options[0], 1 - options[0], options[1], 1 - options[1]), strict=True)),
            "cost": dict(zip(sites, costs, strict=True)),
            "need": {"d": (*end, reward)},
            "limit": 1,
            "span": 1,
        }


@universe("series_portfolio", choice__choice=(0, 1), lot_value__lot_value=(0, 2), factor__table=(0, 1))
def catalogues():
    """Two titles, and one series of any scope."""
    titles, lots = ("t0", "t1"), [("t0", "p"), ("t0", "q"), ("t1", "r"), ("t1", "s")]
    scopes = [scope for size in (1, 2) for scope in permutations(titles, size)]
    factors = [(scope, table) for scope in scopes for table in product((0, 1), repeat=2 ** len(scope))]
    for first, second, values, factor in product((0, 1), (0, 1), product((0, 1, 2), repeat=4), factors):
        yield {
            "title": titles,
            "series": ("f",),
            "lot": tuple(lot for _, lot in lots),
            "choice": dict(zip(lots, (first, 1 - first, second, 1 - second), strict=True)),
            "lot_value": dict(zip(lots, values, strict=True)),
            "factor": {"f": factor},
        }


@universe(
    "authorization_planning",
    base_price__base_price=(1, 1),
    policy__adjustments=(0, 0),
    handoff__handoff_cost=(1, 2),
    clearance__clearance=(0, 1),
    policy__required_clearance=(0, 1),
)
def projects():
    """Two stages of two packages; any authorizations."""
    catalog = [("s0", "p0"), ("s0", "p1"), ("s1", "p2"), ("s1", "p3")]
    steps = [("s1", first, second) for first, second in product(("p0", "p1"), ("p2", "p3"))]
    for clearance, opens, costs, required in product(
        product((0, 1), repeat=4), ((), (0,), (1,), (0, 1)), product((None, 1, 2), repeat=4), (0, 1)
    ):
        yield {
            "stage": ("s0", "s1"),
            "code": ("c",),
            "package": ("p0", "p1", "p2", "p3"),
            "base_price": dict.fromkeys(catalog, 1),
            "policy_code": dict.fromkeys(catalog, "c"),
            "clearance": dict(zip(catalog, clearance, strict=True)),
            "opening": [catalog[at] for at in opens],
            "handoff": {step: cost for step, cost in zip(steps, costs, strict=True) if cost is not None},
            "policy": (required, (0,)),
            "modulus": 2,
        }


def journeys(legs, times, residues, transfers, targets, modulus):
    lines = ("x", "y")
    for time, residue, line, (to, fro), target in product(
        product(times, repeat=len(legs)),
        product(residues, repeat=len(legs)),
        product(lines, repeat=len(legs)),
        product(transfers, repeat=2),
        targets,
    ):
        yield {
            "station": tuple(dict.fromkeys(station for station, _ in legs)),
            "line": lines,
            "leg": tuple(leg for _, leg in legs),
            "time": dict(zip(legs, time, strict=True)),
            "residue": dict(zip(legs, residue, strict=True)),
            "membership": dict(zip(legs, line, strict=True)),
            "transfer": {"x": (0, to), "y": (fro, 0)},
            "target": target,
            "modulus": modulus,
        }


@universe(
    "transit_routing",
    time__travel_time=(1, 1),
    residue__residue=(0, 1),
    target__target_residue=(0, 1),
    transfer__transfer_costs=(1, 2, 0),
)
def short_journeys():
    return journeys([("a", "a0"), ("a", "a1"), ("b", "b0"), ("b", "b1")], (1,), (0, 1), (1, 2), (0, 1), 2)


@universe(
    "transit_routing",
    time__travel_time=(1, 2),
    residue__residue=(0, 0),
    target__target_residue=(0, 0),
    transfer__transfer_costs=(1, 2, 0),
)
def long_journeys():
    legs = [("a", "a0"), ("b", "b0"), ("b", "b1"), ("c", "c0"), ("d", "d0")]
    return journeys(legs, (1, 2), (0,), (1, 2), (0,), 1)


def layouts(flows, adjustments):
    machines, slots = ("m0", "m1", "m2"), ("s0", "s1", "s2")
    pairs, cells = list(combinations(machines, 2)), list(product(machines, slots))
    for line, flow, adjustment in product((slots, ("s1", "s0", "s2"), ("s0", "s2", "s1")), flows, adjustments):
        place = {slot: at for at, slot in enumerate(line)}
        yield {
            "machine": machines,
            "slot": slots,
            "flow": dict(zip(pairs, flow, strict=True)),
            "distance": {(s, t): abs(place[s] - place[t]) for s, t in combinations(slots, 2)},
            "adjustment": dict(zip(cells, adjustment, strict=True)),
        }


@universe("machine_layout", "read_settlement_row", flow__flow=(1, 3), distance__distance=(1, 2), adjustment__adjustment=(1, 3))
def layouts_of_many_flows():
    return layouts(list(product((1, 2, 3), repeat=3)), [(1, 1, 1, 1, 2, 1, 1, 1, 1)])


@universe("machine_layout", "read_flow_row", flow__flow=(1, 9), distance__distance=(1, 2), adjustment__adjustment=(1, 2))
def layouts_of_many_adjustments():
    return layouts([(1, 2, 1)], list(product((1, 2), repeat=9)))


@universe(
    "migration_portfolio",
    "read_support_policy",
    cost__cost=(1, 3),
    charge__activation_charge=(1, 1),
    interaction__table=(0, 1),
    offset__offset=(0, 0),
)
def migrations():
    """Two groups, one of them with two packages, and a domain that any package may require."""
    pairs = [("g0", "p0"), ("g0", "p1"), ("g1", "p2")]
    for costs, needs in product(product((1, 2, 3), repeat=3), product(((), ("d",)), repeat=3)):
        yield {
            "group": ("g0", "g1"),
            "domain": ("d",),
            "package": tuple(package for _, package in pairs),
            "factor": ("f",),
            "cost": dict(zip(pairs, costs, strict=True)),
            "requirement": dict(zip(pairs, needs, strict=True)),
            "charge": {"d": 1},
            "interaction": {"f": (("d",), (1, 0))},
            "offset": 0,
        }


def at_most_one_interaction(instance):
    """There is at most one interaction."""
    return len(instance.factor) <= 1


@universe(
    "migration_portfolio",
    registry=OPEN_UNIVERSES,
    cost__cost=(1, 3),
    charge__activation_charge=(1, 1),
    interaction__table=(-3, 3),
    offset__offset=(0, 0),
)
@promising(at_most_one_interaction)
def migrations_without_interactions():
    """There may be an interaction or none; whether there is one is only known once the policy was read."""
    pairs = [("g0", "p0"), ("g0", "p1"), ("g1", "p2")]
    interactions = [{}, *({"f": (("d",), table)} for table in product((-3, 0, 3), repeat=2))]
    for costs, needs, interaction in product(product((1, 2, 3), repeat=3), product(((), ("d",)), repeat=3), interactions):
        yield {
            "group": ("g0", "g1"),
            "domain": ("d",),
            "package": tuple(package for _, package in pairs),
            "factor": tuple(interaction),
            "cost": dict(zip(pairs, costs, strict=True)),
            "requirement": dict(zip(pairs, needs, strict=True)),
            "charge": {"d": 1},
            "interaction": interaction,
            "offset": 0,
        }
