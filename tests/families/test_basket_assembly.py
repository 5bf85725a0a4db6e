"""Basket Assembly: hand-worked numbers and how the optimum moves when the instance does (F3, F5, F7, F12)."""

import json
from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError, TooLarge
from algoworlds.families import FAMILIES
from algoworlds.families.basket_assembly import knowledge as baskets
from algoworlds.families.basket_assembly.generate import MARGIN
from algoworlds.families.basket_assembly.instance import BasketAssembly
from algoworlds.families.basket_assembly.knowledge import _recipe_partitions
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import build_world
from tests.certified import certified_instance
from tests.oracles.basket_assembly import small

FAMILY = FAMILIES["basket_assembly"]
BOTH = (FAMILY.solve, FAMILY.verify)

# Groups {a, b}, {p, q}, {x, y}; four triples and six singles, named by what they hold.
TRIPLES = {"apx": 7, "bqy": 8, "aqy": 6, "bpy": 9}
SINGLES = {"a": 4, "b": 5, "p": 3, "q": 6, "x": 2, "y": 7}


def shop(prices):
    return BasketAssembly(
        item=list("abpqxy"),
        ticket=list(prices),
        covers=frozenset((ticket, item) for ticket in prices for item in ticket.strip("+")),
        price=prices,
    )


HAND = shop(TRIPLES | SINGLES)
# All singles 27. One triple and singles: apx 25, bqy 17, aqy 16, bpy 21. Two triples: only apx + bqy are disjoint, 15.


@pytest.mark.parametrize("algorithm", BOTH)
def test_hand_worked_instance(algorithm):
    solution = algorithm(HAND)
    assert (solution.value, solution.decision, solution.optima) == (15, ("apx", "bqy"), 1)


def test_work_of_the_hand_worked_instance():
    # Order a b p q x y. Masks: - ; a, apx, aqy ; ab, abpx, abqy, abpy, abp, abpq, abpqx, abpqy, abpqxy: 13 states.
    # Tickets that hold a b p q x y: 3 3 3 3 2 4. Examined: 3 from -, 3 * 3 from the next three, then by first open item
    # ab p3, abp q3, abpq x2, abpqx y4, abpx q3, abqy p3, abpqy x2, abpy q3 = 23: together 35 transitions.
    # Disjoint: 3, then a 3, apx 2, aqy 1, then 8 singles = 17, so checks are 35 + 17.
    # In catalog order the first disjoint ticket is always the best one, so 12 updates, one per state but U.
    work = FAMILY.solve(HAND).work
    assert work == (13, 35, 52, 12, 2)
    assert work.total == 114


def test_updates_follow_catalog_order():
    # The dearer extensions now come first. From a: b 5 + 18, bpy 9 + 8, bqy 8 + 5, two more updates; from apx: b 5 + 13,
    # bqy 8 + 0, one more; from the empty mask: a 4 + 13, aqy 6 + 10, apx 7 + 8, two more.
    backward = shop(dict(reversed((TRIPLES | SINGLES).items())))
    assert FAMILY.solve(backward).work == (13, 35, 52, 12 + 5, 2)


@pytest.mark.parametrize("algorithm", BOTH)
def test_ties_are_counted(algorithm):
    for prices in (TRIPLES | SINGLES | {"bqy": 9}, TRIPLES | SINGLES | {"bqy+": 8}, {"apx": 1, "bqy": 1, "apx+": 1}):
        solution = algorithm(shop(prices))  # aqy and singles cost 16 as well; the same triple twice; three times the same
        assert solution.optima == 2
        assert FAMILY.check(shop(prices), solution.decision).value == solution.value
    assert algorithm(shop(SINGLES | {"a+": 4})).optima == 2
    assert algorithm(shop(SINGLES | {"a+": 5})).optima == 1
    assert algorithm(shop(SINGLES | {"x+": 1})).decision == ("a", "b", "p", "q", "x+", "y")


@pytest.mark.parametrize("algorithm", BOTH)
def test_no_cover_is_a_clear_result(algorithm):
    without_x = {ticket: price for ticket, price in (TRIPLES | SINGLES).items() if "x" not in ticket}
    for prices in (without_x, {"apx": 7, "aqy": 6, "bpy": 9}, {}):
        solution = algorithm(shop(prices))
        assert (solution.value, solution.decision, solution.optima) == (None, None, 0)
        with pytest.raises(InstanceError, match="no set of tickets"):
            FAMILY.reference(shop(prices))


@pytest.mark.parametrize("algorithm", BOTH)
def test_nothing_to_buy(algorithm):
    solution = algorithm(BasketAssembly(item=[], ticket=[], covers=frozenset(), price={}))
    assert (solution.value, solution.decision, solution.optima) == (0, (), 1)


@pytest.mark.parametrize("algorithm", BOTH)
def test_largest_values_are_exact(algorithm):
    huge = JSON_INTEGER_LIMIT - 1
    dear = algorithm(shop(dict.fromkeys(TRIPLES | SINGLES, huge) | {"apx": huge - 1}))
    assert (dear.value, dear.decision, dear.optima) == (2 * huge - 1, ("apx", "bqy"), 1)
    paid = algorithm(shop(dict.fromkeys(TRIPLES | SINGLES, -huge)))
    assert (paid.value, paid.decision, paid.optima) == (-6 * huge, tuple(SINGLES), 1)
    with pytest.raises(InstanceError, match="too large"):
        shop({"a": JSON_INTEGER_LIMIT})


@pytest.mark.parametrize("algorithm", BOTH)
def test_a_state_space_beyond_memory_is_refused(algorithm):
    items = [f"i{v}" for v in range(45)]
    instance = BasketAssembly(item=items, ticket=items, covers=frozenset((i, i) for i in items), price=dict.fromkeys(items, 1))
    with pytest.raises(TooLarge, match="of memory, more than the limit of 4 GiB"):
        algorithm(instance)


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ((), "an item is not delivered"),
        (("apx",), "an item is not delivered"),
        (("apx", "bqy", "a"), "an item is delivered more than once"),
        (("apx", "aqy", "b"), "an item is delivered more than once"),
        (("apx", "apx", "bqy"), "a ticket is listed twice"),
        (("apx", "bqy", "nonsense"), "an unknown ticket"),
        (("apx", "bqy", ""), "an unknown ticket"),
        (("a", "p", "x", "b", "q", "y", "y"), "a ticket is listed twice"),
    ],
)
def test_checker_names_the_violation(decision, reason):
    assert FAMILY.check(HAND, decision).reason == reason


def test_checker_sees_parts():
    verdict = FAMILY.check(HAND, ("x", "aqy", "p", "b"))
    assert (verdict.value, verdict.parts) == (16, {"singles": 10, "triples": 6})


def test_searches_on_the_hand_worked_instance():
    greedy = ("aqy", "b", "p", "x")  # savings: aqy 11, bqy 10, bpy 6, apx 2
    assert FAMILY.reference(HAND) == greedy
    assert FAMILY.hardness.descend(HAND, greedy) == greedy  # apx instead leads to 25, bqy to 17
    assert FAMILY.hardness.descend(HAND, tuple(SINGLES)) == greedy


def test_reference_backs_out_of_dead_ends():
    instance = shop({"aqy": 1, "apx": 7, "bqy": 8})  # aqy alone would leave b, p and x uncovered
    assert FAMILY.reference(instance) == FAMILY.hardness.sample(instance, Stream("dead end")) == ("apx", "bqy")
    assert FAMILY.hardness.descend(instance, ("apx", "bqy")) == ("apx", "bqy")


@pytest.mark.parametrize("held", ["", "ab", "abp", "xpaq", "axy"])
def test_a_ticket_holds_one_item_or_one_of_each_group(held):
    with pytest.raises(InstanceError, match="neither one item nor one item of each group"):
        BasketAssembly(item=list("abpqxy"), ticket=["t"], covers=frozenset(("t", item) for item in held), price={"t": 1})


def test_groups_have_one_size():
    with pytest.raises(InstanceError, match="multiple of three"):
        BasketAssembly(item=list("abpq"), ticket=[], covers=frozenset(), price={})


def test_windows_follow_the_listed_catalog_order():
    world = build_world(certified_instance("basket_assembly", 1, 2), Interface.DIRECT)
    episode = Episode(world)
    episode.call("read_catalog_window", {"start": 5, "length": 3})
    response = json.loads(episode.observations[0].text)["records"]
    assert {row[0] for row in response["price"]["rows"]} == set(world.instance.ticket[5:8])


def test_every_level_deals_triples_evenly_and_sells_every_item_alone():
    for level, config in FAMILY.levels.items():
        instance = FAMILY.generate(config, Stream("even", level))
        recipes = list(instance.recipes().values())
        assert sorted(items[0] for items in recipes if len(items) == 1) == sorted(instance.item)
        triples = [items for items in recipes if len(items) == 3]
        assert len(set(triples)) == len(triples) == config.triples
        degrees = Counter(item for items in triples for item in items)
        assert max(degrees.values()) - min(degrees[item] for item in instance.item) <= 4


def test_every_optimum_buys_three_items_singly():
    for index in range(1, 6):
        admitted = certified_instance("basket_assembly", 1, index)
        recipes = admitted.instance.recipes()
        assert sum(len(recipes[ticket]) == 1 for ticket in admitted.solution.decision) == 3


def test_no_triple_can_be_ruled_out_by_the_best_basket_around_it():
    for level in (0, 1):
        instance = FAMILY.generate(FAMILY.levels[level], Stream("around", level))
        recipes, best = instance.recipes(), FAMILY.solve(instance).value
        for ticket, items in recipes.items():
            if len(items) == 3:
                rest = [t for t, held in recipes.items() if not set(held) & set(items)]
                around = instance.replace(
                    item=[item for item in instance.item if item not in items],
                    ticket=rest,
                    covers=frozenset((t, item) for t in rest for item in recipes[t]),
                    price={t: instance.price[t] for t in rest},
                )
                lifted = FAMILY.levels[level].n * (1 + MARGIN)
                assert 0 <= instance.price[ticket] + FAMILY.solve(around).value - best <= MARGIN + lifted


numbers = st.integers(0, 10**6)


@given(numbers, st.integers(1, 1000), st.integers(-50, 50))
def test_scaling_prices_and_charging_per_item_moves_the_value_and_not_the_optimum(number, alpha, beta):
    instance = small(Stream("hypothesis", number))
    toll = {item: beta * (1 + at) for at, item in enumerate(instance.item)}  # paid exactly once, whoever delivers
    held = instance.recipes()
    changed = instance.replace(price={t: alpha * p + sum(toll[i] for i in held[t]) for t, p in instance.price.items()})
    for algorithm in BOTH:
        before, after = algorithm(instance), algorithm(changed)
        assert before.optima == after.optima
        if before.value is not None:
            assert after.value == alpha * before.value + sum(toll.values())
            assert not before.unique or before.decision == after.decision


@given(numbers, st.randoms(use_true_random=False))
def test_order_of_groups_and_of_items_in_a_group_does_not_matter(number, shuffler):
    instance = small(Stream("hypothesis", number))
    groups = [shuffler.sample(group, len(group)) for group in instance.groups]
    shuffler.shuffle(groups)
    shuffled = instance.replace(item=[item for group in groups for item in group])
    for algorithm in BOTH:
        assert algorithm(instance).agrees_with(algorithm(shuffled))


@given(numbers)
def test_dominated_tickets_change_nothing_and_a_missing_one_never_helps(number):
    instance = small(Stream("hypothesis", number))
    before = FAMILY.solve(instance)
    held = instance.recipes()
    worse = instance.replace(
        ticket=[*instance.ticket, *(f"{t}-dear" for t in held)],
        covers=instance.covers | {(f"{t}-dear", item) for t, items in held.items() for item in items},
        price={**instance.price, **{f"{t}-dear": p + 1 for t, p in instance.price.items()}},
    )
    for algorithm in BOTH:
        assert algorithm(worse).agrees_with(before)
    for gone in before.decision or ():
        fewer = instance.replace(
            ticket=[t for t in instance.ticket if t != gone],
            covers=frozenset(pair for pair in instance.covers if pair[0] != gone),
            price={t: p for t, p in instance.price.items() if t != gone},
        )
        after = FAMILY.solve(fewer)
        assert after.value is None or after.value > before.value or not before.unique


def partition_among(tickets, rest, recipes):
    """The partitions of `rest` among `tickets` that may each have one of `recipes`, in a shop of three groups of two items."""
    instance = BasketAssembly(item=tuple("abpqxy"), ticket=(), covers=frozenset(), price={})
    return _recipe_partitions(instance, dict.fromkeys(map(str, range(tickets)), frozenset(recipes)), frozenset(rest))


def test_open_tickets_partition_the_rest_in_every_way(monkeypatch):
    monkeypatch.setattr(baskets, "MAX_PARTITIONS", 1_000)
    recipes = [*((item,) for item in "abpqxy"), *product("ab", "pq", "xy")]
    for rest in (combination for size in (3, 4, 5, 6) for combination in combinations("abpqxy", size)):
        size = len(rest) - 2
        ways = [way for way in product(recipes, repeat=size) if list(rest) == sorted(item for recipe in way for item in recipe)]
        found, complete = partition_among(size, rest, recipes)
        assert complete
        assert sorted(tuple(way.values()) for way in found) == sorted(ways)


@pytest.mark.parametrize(("tickets", "rest"), [(1, "ab"), (2, "abp"), (1, "abpqx"), (5, "abp"), (0, "ap")])
def test_a_rest_that_singles_and_triples_cannot_deliver_is_refused_by_counts(monkeypatch, tickets, rest):
    monkeypatch.setattr(baskets, "MAX_SEARCH_STEPS", 2)  # one step at the start and one more
    assert partition_among(tickets, rest, [(item,) for item in rest]) == ([], True)
