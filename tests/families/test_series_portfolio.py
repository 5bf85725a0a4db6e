"""Series Portfolio: hand-worked numbers and how the optimum moves when the instance does (F3, F5, F12)."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError, TooLarge
from algoworlds.families import FAMILIES
from algoworlds.families.series_portfolio.instance import SeriesPortfolio
from algoworlds.worlds.admission import Coordinate, draw_instance
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import build_world
from tests.certified import certified_instance
from tests.oracles.series_portfolio import small

FAMILY = FAMILIES["series_portfolio"]

# Three titles. Lots 0 and 1: a is k, l; b is n, m (the later id is lot 0); c is o, p.
HAND = {
    "family": "series_portfolio",
    "title": ["a", "b", "c"],
    "series": ["q", "r", "s"],
    "lot": ["k", "l", "m", "n", "o", "p"],
    "choice": {"a": {"k": 0, "l": 1}, "b": {"m": 1, "n": 0}, "c": {"o": 0, "p": 1}},
    "lot_value": {"a": {"k": 5, "l": 3}, "b": {"m": 4, "n": 2}, "c": {"o": 1, "p": 1}},
    "factor": {
        "q": {"scope": ["b", "a"], "table": [0, 4, -3, 2]},
        "r": {"scope": ["b"], "table": [0, 1]},
        "s": {"scope": ["a", "c"], "table": [1, 0, 0, 3]},
    },
}
# Choices of a, b, c; lots + q + r + s - (3 + 2 + 1), where q is read in the order b, a:
#   000: 8 + 0 + 0 + 1 - 6 = 3     100: 6 + 4 + 0 + 0 - 6 = 4
#   001: 8 + 0 + 0 + 0 - 6 = 2     101: 6 + 4 + 0 + 3 - 6 = 7
#   010: 10 - 3 + 1 + 1 - 6 = 3    110: 8 + 2 + 1 + 0 - 6 = 5
#   011: 10 - 3 + 1 + 0 - 6 = 2    111: 8 + 2 + 1 + 3 - 6 = 8
BY_HAND = {
    ("k", "n", "o"): 3,
    ("k", "n", "p"): 2,
    ("k", "m", "o"): 3,
    ("k", "m", "p"): 2,
    ("l", "n", "o"): 4,
    ("l", "n", "p"): 7,
    ("l", "m", "o"): 5,
    ("l", "m", "p"): 8,
}


def hand(**changes):
    return SeriesPortfolio.from_json(HAND | changes)


def series(scope, table):
    return {"scope": list(scope), "table": table}


def test_hand_worked_instance():
    for solution in (FAMILY.solve(hand()), FAMILY.verify(hand())):
        assert (solution.value, solution.decision, solution.optima) == (8, ("l", "m", "p"), 1)


def test_every_portfolio_of_the_hand_worked_instance():
    for lots, value in BY_HAND.items():
        assert FAMILY.check(hand(), lots).value == value
        assert FAMILY.check(hand(), lots[::-1]).value == value
    assert FAMILY.check(hand(), ("l", "m", "p")).parts == {"lots": 8, "series": 6, "smaller_lots": -6}


def test_work_of_the_hand_worked_instance():
    # s spans three titles, so two choices are kept: 1 + 2 + 4 states, two transitions each. q and r close at b, s at c:
    # 4 * 2 + 8 * 1 = 16 terms, three checks and one update each; two updates more; three titles reconstructed.
    work = FAMILY.solve(hand()).work
    assert work == (7, 14, 48, 18, 3)
    assert work.total == 7 + 14 + 4 * 16 + 3 + 2


def test_work_without_series_is_one_state_a_title():
    # No series: nothing is kept, one state and two transitions a title, and the two updates at the ends.
    assert FAMILY.solve(hand(series=[], factor={})).work == (3, 6, 0, 2, 3)


def test_titles_without_series_take_the_dearer_lot():
    free = hand(series=[], factor={}, lot_value=HAND["lot_value"] | {"c": {"o": 1, "p": 2}})
    for solution in (FAMILY.solve(free), FAMILY.verify(free)):
        assert (solution.value, solution.decision, solution.optima) == (2 + 2 + 1, ("k", "m", "p"), 1)


def test_ties_are_counted():
    tied = hand(factor=HAND["factor"] | {"r": series("b", [0, 0])})  # without r, m and n are as good beside l and p: 7
    for solution in (FAMILY.solve(tied), FAMILY.verify(tied)):
        assert (solution.value, solution.optima) == (7, 2)
        assert FAMILY.check(tied, solution.decision).value == 7


def test_ties_in_the_last_suffix_and_in_titles_without_series_are_counted():
    last = hand(factor=HAND["factor"] | {"s": series("ac", [1, 0, 0, 0])})  # o and p are equal beside l
    free = hand(series=[], factor={})  # o and p are equal
    for instance, value in ((last, 5), (free, 4)):
        assert [algorithm(instance).value for algorithm in (FAMILY.solve, FAMILY.verify)] == [value, value]
        assert [algorithm(instance).optima for algorithm in (FAMILY.solve, FAMILY.verify)] == [2, 2]


def test_an_empty_catalogue_has_one_portfolio():
    empty = SeriesPortfolio(title=[], series=[], lot=[], choice={}, lot_value={}, factor={})
    for solution in (FAMILY.solve(empty), FAMILY.verify(empty)):
        assert (solution.value, solution.decision, solution.optima) == (0, (), 1)
    assert FAMILY.reference(empty) == FAMILY.hardness.descend(empty, ()) == FAMILY.hardness.sample(empty, Stream("none")) == ()


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ((), "not exactly one lot per title"),
        (("l", "m"), "not exactly one lot per title"),
        (("l", "k", "m"), "not exactly one lot per title"),
        (("k", "l", "m", "p"), "not exactly one lot per title"),
        (("k", "l", "m", "n", "o", "p"), "not exactly one lot per title"),
        (("l", "m", "p", "p"), "a lot is named twice"),
        (("l", "l", "l"), "a lot is named twice"),
        (("l", "m", "z"), "an unknown lot"),
        (("a", "b", "c"), "an unknown lot"),
        (("l", "m", "p", ""), "an unknown lot"),
    ],
)
def test_checker_names_the_violation(decision, reason):
    assert FAMILY.check(hand(), decision).reason == reason


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"choice": HAND["choice"] | {"c": {"o": 0, "p": 0}}}, "two lots, numbered 0 and 1"),
        ({"choice": HAND["choice"] | {"c": {"o": 0, "p": 2}}}, "two lots, numbered 0 and 1"),
        ({"choice": {"a": {"k": 0, "l": 1}, "b": {"m": 1, "n": 0}}}, "two lots, numbered 0 and 1"),
        ({"choice": HAND["choice"] | {"c": {"k": 0, "p": 1}}}, "every lot under exactly one title"),
        ({"lot": [*HAND["lot"], "z"]}, "every lot under exactly one title"),
        ({"lot_value": {"a": {"k": 5, "l": 3}, "b": {"m": 4, "n": 2}, "c": {"o": 1}}}, "one value for every title and lot"),
        ({"factor": HAND["factor"] | {"r": series("", [4])}}, "the scope names no title"),
        ({"factor": HAND["factor"] | {"r": series("ab", [4, 1])}}, r"expected 2\^2 table cells, got 2"),
        ({"factor": HAND["factor"] | {"r": series("aa", [4, 1, 1, 1])}}, "listed twice"),
        ({"factor": HAND["factor"] | {"r": series("az", [4, 1, 1, 1])}}, "'z' is not a known title"),
        ({"series": ["q", "r", "s", "t"]}, "no entry for t"),
    ],
)
def test_tables_that_are_no_instance_are_refused(change, message):
    with pytest.raises(InstanceError, match=message):
        hand(**change)


def test_reference_takes_the_dearer_lots_and_one_exchange_at_a_time_improves_it():
    assert FAMILY.reference(hand()) == ("k", "m", "o")  # c is tied, so lot 0
    assert FAMILY.hardness.descend(hand(), ("k", "m", "o")) == ("l", "m", "p")  # 3, then l: 5, then p: 8


def test_local_search_stops_where_two_titles_must_move_together():
    stuck = hand(series=["q"], factor={"q": series("ac", [0, -9, -9, 9])})  # both at lot 1 gain 9 - 2; alone either loses
    assert FAMILY.hardness.descend(stuck, FAMILY.reference(stuck)) == FAMILY.reference(stuck) == ("k", "m", "o")
    assert FAMILY.solve(stuck).decision == ("l", "m", "p")


def test_local_search_agrees_with_the_checker():
    for number in range(100):
        instance = small(Stream("descent", number))
        found = FAMILY.hardness.descend(instance, FAMILY.hardness.sample(instance, Stream("start", number)))
        value = FAMILY.check(instance, found).value
        pairs = [[lot for title, lot in instance.choice if title == t] for t in instance.title]
        for one, other in pairs:
            near = tuple({one: other, other: one}.get(lot, lot) for lot in found)
            assert FAMILY.check(instance, near).value <= value


def test_largest_values_are_exact():
    huge = JSON_INTEGER_LIMIT - 1
    instance = hand(
        lot_value={"a": {"k": -huge, "l": huge}, "b": {"m": huge - 1, "n": huge}, "c": {"o": -huge, "p": 1 - huge}},
        factor={"q": series("ba", [huge] * 4), "r": series("b", [-huge, 1 - huge]), "s": series("ac", [huge, 0, -huge, huge])},
    )
    # Less the smaller lots: l 2 huge; m 0 and n 1, level with r at 1 - huge; p 1. With q and s: 2 h + 1 - h + 1 + h + h.
    for solution in (FAMILY.solve(instance), FAMILY.verify(instance)):
        assert (solution.value, solution.optima) == (3 * huge + 2, 2)
        assert {"l", "p"} < set(solution.decision)
    with pytest.raises(InstanceError, match="too large"):
        hand(factor=HAND["factor"] | {"r": series("b", [0, JSON_INTEGER_LIMIT])})


def wide(n, scope, cell):
    """A catalogue of n titles with one series over the named positions."""
    titles = [f"t{i}" for i in range(n)]
    choice = {(t, f"{t}.{z}"): z for t in titles for z in (0, 1)}
    lots, members = [lot for _, lot in choice], [titles[i] for i in scope]
    factor = {"s": (members, [cell] * 2 ** len(scope))}
    return SeriesPortfolio(
        title=titles, series=["s"], lot=lots, choice=choice, lot_value=dict.fromkeys(choice, 0), factor=factor
    )


@pytest.mark.parametrize("algorithm", [FAMILY.solve, FAMILY.verify], ids=["solve", "verify"])
def test_what_does_not_fit_is_refused(algorithm):
    for n in (40, 90):
        with pytest.raises(TooLarge, match="of memory, more than the limit of 4 GiB"):
            algorithm(wide(n, (0, n - 1), 1))
    with pytest.raises(TooLarge, match="add exactly"):
        algorithm(wide(9, range(9), JSON_INTEGER_LIMIT - 1))
    assert algorithm(wide(12, (0, 11), 1)).value == 1


# -- shape and work ------------------------------------------------------------------------------------------------------

SIZES = {1: (44, 6, 205), 2: (64, 9, 476), 3: (88, 11, 825), 4: (96, 13, 1_074)}
WORK = {1: 54_587, 2: 973_647, 3: 6_698_087, 4: 34_402_415}


@pytest.mark.parametrize("level", WORK)
def test_work_is_the_same_for_every_instance_of_a_level(level):
    for number in range(2):
        solution = FAMILY.solve(FAMILY.generate(FAMILY.levels[level], Stream("work", level, number)))
        assert solution.work.total == WORK[level]


@pytest.mark.parametrize("level", SIZES)
def test_one_series_for_every_left_title_and_gap_in_no_order(level):
    n, omega, count = SIZES[level]
    instance = draw_instance(Coordinate("series_portfolio", level, 1), 0)
    place = {title: i for i, title in enumerate(instance.title)}
    scopes = [[place[title] for title in scope] for scope, _ in instance.factor.values()]
    assert (len(instance.title), len(instance.lot), len(scopes)) == (n, 2 * n, count)
    assert {(min(P), max(P)) for P in scopes} == {(i, j) for i in range(n) for j in range(i + 1, min(i + omega, n))}
    assert all(len(P) == 2 + (max(P) - min(P) > 1) for P in scopes)
    lefts = [min(P) for P in scopes]
    rising = sum(one < other for one, other in pairwise(lefts))
    assert 0.4 < rising / count < 0.6
    firsts = Counter(P.index(min(P)) for P in scopes if len(P) == 3)
    assert min(firsts[at] for at in range(3)) > count / 5


# -- interfaces ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def admitted():
    return certified_instance("series_portfolio", 1, 1)


def test_pages_are_aligned_and_the_last_one_is_short(admitted):
    world = build_world(admitted, Interface.DIRECT)
    for start, length in ((0, 23), (1, 24), (192, 24), (216, 24), (-24, 24)):
        assert Episode(world).call("read_series_page", {"start": start, "length": length}).status is Status.BAD_WINDOW
    episode = Episode(world)
    assert episode.call("read_series_page", {"start": 192, "length": 13}).status is Status.EXECUTED
    assert {fact.row[0] for fact in episode.facts} == set(world.instance.series[192:])


@pytest.mark.parametrize("interface", Interface)
def test_the_title_index_names_series_and_reveals_no_fact(admitted, interface):
    world = build_world(admitted, interface)
    title = world.instance.title[7]
    episode = Episode(world)
    answer = episode.call("read_title_index", {"title": title})
    assert (answer.status, answer.charged, episode.facts) == (Status.EXECUTED, 4, frozenset())
    assert not any(call.tool == "read_title_index" for call in world.catalog)
    for series_id, (scope, _) in world.instance.factor.items():
        assert (series_id in answer.text) == (title in scope)
    assert not any(other in answer.text for other in world.instance.title)


# -- how the optimum moves ----------------------------------------------------------------------------------------------

numbers = st.integers(0, 10**6)


def both(instance):
    construction, verification = FAMILY.solve(instance), FAMILY.verify(instance)
    assert construction.agrees_with(verification)
    return construction


@given(numbers, st.integers(1, 1000), st.integers(-50, 50))
def test_scaling_and_shifting_moves_the_value_and_not_the_optimum(number, alpha, beta):
    instance = small(Stream("hypothesis", number))
    scaled = instance.replace(
        lot_value={pair: alpha * value - beta for pair, value in instance.lot_value.items()},
        factor={s: (scope, [alpha * cell + beta for cell in table]) for s, (scope, table) in instance.factor.items()},
    )
    before, after = both(instance), both(scaled)
    assert after.value == alpha * before.value + beta * len(instance.series)
    assert after.work == before.work
    assert (after.optima, after.decision) == (before.optima, before.decision)


@given(numbers, st.randoms(use_true_random=False))
def test_numbering_lots_the_other_way_with_the_tables_to_match_changes_nothing(number, shuffler):
    instance = small(Stream("hypothesis", number))
    flipped = {title for title in instance.title if shuffler.random() < 0.5}

    def renumber(scope, table):
        mask = int("".join(str(int(title in flipped)) for title in scope), 2)
        return scope, [table[at ^ mask] for at in range(len(table))]

    turned_round = instance.replace(
        choice={(title, lot): z ^ (title in flipped) for (title, lot), z in instance.choice.items()},
        factor={s: renumber(*factor) for s, factor in instance.factor.items()},
    )
    assert both(instance).agrees_with(both(turned_round))


@given(numbers, st.randoms(use_true_random=False))
def test_listing_a_scope_in_another_order_with_its_table_to_match_changes_nothing(number, shuffler):
    instance = small(Stream("hypothesis", number))

    def reorder(scope, table):
        order = shuffler.sample(range(len(scope)), len(scope))
        cells = []
        for at in range(len(table)):
            bits = f"{at:0{len(scope)}b}"
            old = "".join(bits[order.index(k)] for k in range(len(scope)))
            cells.append(table[int(old, 2)])
        return [scope[k] for k in order], cells

    other = instance.replace(factor={s: reorder(*factor) for s, factor in instance.factor.items()})
    assert both(instance).agrees_with(both(other))


@given(numbers, st.integers(-9, 9), st.integers(-9, 9))
def test_additions_that_decide_nothing_else(number, zero, one):
    instance = small(Stream("hypothesis", number))
    before = both(instance)
    lonely = instance.replace(
        title=("alone", *instance.title),
        lot=(*instance.lot, "z0", "z1"),
        choice={**instance.choice, ("alone", "z0"): 0, ("alone", "z1"): 1},
        lot_value={**instance.lot_value, ("alone", "z0"): zero, ("alone", "z1"): one},
    )
    after = both(lonely)
    assert after.value == before.value + abs(one - zero)
    assert after.optima == (2 if one == zero else before.optima)
    if instance.title:
        flat = instance.replace(
            series=("flat", *instance.series),
            factor={**instance.factor, "flat": (instance.title[:3:2], [7] * 2 ** len(instance.title[:3:2]))},
        )
        assert both(flat).value == before.value + 7
        assert both(flat).decision == before.decision or not before.unique


@given(numbers, st.integers(0, 99))
def test_raising_the_cells_that_count_raises_the_optimum_alike(number, raised):
    instance = small(Stream("hypothesis", number))
    before = both(instance)
    taken = {title: z for (title, lot), z in instance.choice.items() if lot in before.decision}

    def raise_cell(scope, table):
        counts = int("".join(str(taken[title]) for title in scope), 2)
        return scope, [cell + raised * (at == counts) for at, cell in enumerate(table)]

    after = both(instance.replace(factor={s: raise_cell(*factor) for s, factor in instance.factor.items()}))
    assert after.value == before.value + raised * len(instance.series)
    assert FAMILY.check(instance, before.decision).value == before.value
    assert not before.unique or after.decision == before.decision


def test_a_chosen_lot_exchanged_is_worse(admitted):
    instance, optimum = admitted.instance, set(admitted.solution.decision)
    for title in instance.title:
        pair = {lot for t, lot in instance.choice if t == title}
        near = tuple(sorted(optimum ^ pair))
        assert FAMILY.check(instance, near).value < admitted.optimum
