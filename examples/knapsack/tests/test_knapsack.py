"""Numbers worked by hand, and every contract on the small levels."""

import pytest
from algoworlds_knapsack import KNAPSACK
from algoworlds_knapsack.instance import CrateKnapsack

from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError, TooLarge
from algoworlds.families import load_family
from algoworlds.suites.contracts.family_check import check_family

# Two crates. With room for 10, a and b of the first crate weigh 2 + 3 + 4 = 9 and are worth 11; c alone weighs 1 + 6 = 7 and
# is worth 9; a and c would weigh 2 + 3 + 1 + 6 = 12.
INSTANCE = CrateKnapsack(
    crate=["one", "two"],
    item=["a", "b", "c"],
    tare={"one": 2, "two": 1},
    weight={("one", "a"): 3, ("one", "b"): 4, ("two", "c"): 6},
    value={"a": 5, "b": 6, "c": 9},
    capacity=10,
)
BEST = {4: (0, ()), 5: (5, ("a",)), 7: (9, ("c",)), 10: (11, ("a", "b")), 12: (14, ("a", "c")), 16: (20, ("a", "b", "c"))}
"""The optimum by capacity."""


def test_entry_point_loads_knapsack():
    assert load_family("knapsack") is KNAPSACK


@pytest.mark.parametrize("algorithm", [KNAPSACK.solve, KNAPSACK.verify])
def test_optimum_at_every_capacity(algorithm):
    for capacity, (value, decision) in BEST.items():
        solution = algorithm(INSTANCE.replace(capacity=capacity))
        assert (solution.value, solution.decision, solution.optima) == (value, decision, 1)


@pytest.mark.parametrize("algorithm", [KNAPSACK.solve, KNAPSACK.verify])
def test_two_optimal_packings_are_a_tie(algorithm):
    assert algorithm(INSTANCE.replace(value={"a": 3, "b": 6, "c": 9})).optima == 2


def test_work_counted_by_hand():
    """One item of weight 1 in a crate of tare 0 and a van of capacity 1.

    The empty van is the only state, with one check. It continues with and without the item: two transitions; merging the open
    column is the third. The value is set in the open column and then raised in the merged one: two updates.
    """
    single = CrateKnapsack(crate=["k"], item=["i"], tare={"k": 0}, weight={("k", "i"): 1}, value={"i": 5}, capacity=1)
    assert KNAPSACK.solve(single).work == (1, 3, 1, 2, 1)


def test_checker_gives_the_reason():
    assert KNAPSACK.check(INSTANCE, ("a", "c")).reason == "the van is overloaded"
    assert KNAPSACK.check(INSTANCE, ("a", "a")).reason == "an item is named twice"
    assert KNAPSACK.check(INSTANCE, ("d",)).reason == "an unknown item"
    assert KNAPSACK.check(INSTANCE, ("a", "b")).parts == {"values": 11}


def test_reference_orders_by_value_per_weight_and_ignores_tares():
    assert KNAPSACK.reference(INSTANCE.replace(value={"a": 5, "b": 6, "c": 12}, capacity=7)) == ("c",)
    assert KNAPSACK.reference(INSTANCE.replace(value={"a": 7, "b": 6, "c": 12}, capacity=7)) == ("a",)


def test_rejects_item_in_two_crates():
    with pytest.raises(InstanceError, match="the item a belongs to 2 crates instead of one"):
        INSTANCE.replace(weight={**INSTANCE.weight, ("two", "a"): 1})


def test_rejects_instances_that_are_too_large():
    with pytest.raises(TooLarge):
        KNAPSACK.solve(INSTANCE.replace(capacity=2**40))
    items = [f"i{at}" for at in range(13)]
    crowded = {("k", item): 1 for item in items}
    with pytest.raises(TooLarge):
        KNAPSACK.verify(
            CrateKnapsack(crate=["k"], item=items, tare={"k": 0}, weight=crowded, value=dict.fromkeys(items, 1), capacity=5)
        )


def test_equal_streams_draw_equal_instances():
    first, second = (KNAPSACK.generate(KNAPSACK.levels[1], Stream("twice")) for _ in range(2))
    assert first.canonical_json == second.canonical_json


def test_every_contract_holds():
    report = check_family("knapsack", "a seed for tests", 2, None, lambda done, total: None, levels=(0, 1))
    assert not report.breaches
    assert set(report.notes) == {"Scale"}, "it has everything but the continuous scale, which only measurements need"
