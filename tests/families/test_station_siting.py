"""Station Siting: hand-worked numbers, and how the optimum follows changes of the instance (F3, F5, F7, F8, F12)."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError, TooLarge
from algoworlds.families import FAMILIES
from algoworlds.families.station_siting.instance import StationSiting
from algoworlds.families.station_siting.solve import construct, prepare
from tests.certified import certified_instance
from tests.oracles.station_siting import small
from tests.unsolved import unsolved_world

FAMILY = FAMILIES["station_siting"]


def need(from_site, to_site, reward):
    return {"from_zone": from_site[0], "from_site": from_site, "to_zone": to_site[0], "to_site": to_site, "reward": reward}


# Three zones, at most two sites of option 1; a site's name is its zone and its option.
HAND = {
    "family": "station_siting",
    "zone": ["a", "b", "c"],
    "demand": ["p", "q", "r"],
    "site": ["a0", "a1", "b0", "b1", "c0", "c1"],
    "option": {zone: {f"{zone}0": 0, f"{zone}1": 1} for zone in "abc"},
    "cost": {"a": {"a0": 9, "a1": 2}, "b": {"b0": 7, "b1": 1}, "c": {"c0": 8, "c1": 3}},
    "need": {"p": need("b1", "a0", 6), "q": need("b0", "c1", 4), "r": need("a1", "c1", 5)},
    "limit": 2,
    "span": 2,
    "grant": 100,
}
# a0 b1 c1: 6 - 13 = -7. a1 b0 c1: 4 + 5 - 12 = -3. a1 b1 c0: 0 - 11. Two zeros or more: -15, -12, -17, -24.


def hand(**change):
    return StationSiting.from_json(HAND | change)


def needs_with(**rewards):
    return HAND["need"] | {d: HAND["need"][d] | {"reward": reward} for d, reward in rewards.items()}


def both(instance):
    return FAMILY.solve(instance), FAMILY.verify(instance)


def test_hand_worked_instance():
    for solution in both(hand()):
        assert (solution.value, solution.decision, solution.optima) == (97, ("a1", "b0", "c1"), 1)


def test_work_of_hand_worked_instance():
    # Option 1 leads option 0 by 9 - 2 - 6 = 1, 7 - 1 - 4 = 2 and 8 - 3 = 5 at least, so exactly one zero is searched.
    # States (zeros; choices): (0;) | (0;1) (1;0) | (0;11) (1;01) (1;10) | three with one zero: 1 + 2 + 3 + 3.
    # Transitions 2 + 3 + 3, all to different states, so as many updates. Zone b closes p, zone c closes q and r:
    # checks 2*1 + (2*2 + 3*2*1) + (2*3 + 3*2*2) = 2 + 10 + 18.
    work = FAMILY.solve(hand()).work
    assert work == (9, 8, 30, 8, 3)
    assert work.total == 58


def test_work_without_the_reduction():
    # q pays 7: zone b may prefer option 0 (7 - 1 - 7 < 0), so zeros beyond the first stay in the search.
    # States 1 + 2 + 4 + 4; transitions 2 + 4 + (1 + 3*2); checks 2 + (4 + 4*2) + (8 + 7*4).
    # Last layer, by frontier bc: 10 gets -11, then -12 in vain; 00 -24, then -17; 01 -12, then 0; 11 -7: six updates.
    solution = FAMILY.solve(hand(need=needs_with(q=7)))
    assert (solution.value, solution.decision) == (100, ("a1", "b0", "c1"))
    assert solution.work == (11, 13, 50, 2 + 4 + 6, 3)


def test_ties_are_counted():
    for solution in both(hand(need=needs_with(p=10))):  # a0 b1 c1 now earns 10 - 13 = -3 as well
        assert (solution.value, solution.optima) == (97, 2)


def test_limits_from_none_to_all():
    # All ones: 5 - 6 = -1. Nothing but zeros: -24.
    for limit, value, decision in [(0, 76, ("a0", "b0", "c0")), (3, 99, ("a1", "b1", "c1")), (50, 99, ("a1", "b1", "c1"))]:
        for solution in both(hand(limit=limit)):
            assert (solution.value, solution.decision, solution.optima) == (value, decision, 1)


def test_more_zeros_than_required_can_be_optimal():
    for solution in both(hand(need=needs_with(p=10) | {"q": need("a0", "c0", 20)})):  # a0 b1 c0: 30 - 18 = 12
        assert (solution.value, solution.decision, solution.optima) == (112, ("a0", "b1", "c0"), 1)


def test_no_zones_and_no_demands():
    empty = StationSiting(zone=[], demand=[], site=[], option={}, cost={}, need={}, limit=0, span=0, grant=7)
    for solution in both(empty):
        assert (solution.value, solution.decision, solution.optima) == (7, (), 1)
    for solution in both(hand(demand=[], need={})):  # the least extra cost of a zero is 5, in zone c
        assert (solution.value, solution.decision, solution.optima) == (89, ("a1", "b1", "c0"), 1)


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ((), "not exactly one site per zone"),
        (("a1", "b0"), "not exactly one site per zone"),
        (("a0", "a1", "b0", "c0"), "not exactly one site per zone"),
        (("a0", "a0", "b0", "c0"), "not exactly one site per zone"),
        (("a0", "a0", "c0"), "not exactly one site per zone"),
        (("a0", "b0", "nowhere"), "an unknown site"),
        (("a", "b", "c"), "an unknown site"),
        (("a1", "b1", "c1"), "too many sites of option 1"),
    ],
)
def test_checker_names_the_violation(decision, reason):
    assert FAMILY.check(hand(), decision).reason == reason


def test_checker_shows_the_parts():
    verdict = FAMILY.check(hand(), ("c1", "a1", "b0"))
    assert verdict.parts == {"rewards": 9, "costs": -12, "grant": 100}
    assert verdict.value == 97


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"option": HAND["option"] | {"a": {"a0": 0, "a1": 0}}}, "the zone a needs two sites"),
        ({"option": HAND["option"] | {"a": {"a0": 0, "a1": 2}}}, "the zone a needs two sites"),
        ({"option": HAND["option"] | {"a": {"a0": 0, "b1": 1}}}, "the site a1 belongs to 0 zones"),
        ({"cost": HAND["cost"] | {"a": {"a0": 9}}}, "an option or a cost but not both"),
        ({"need": HAND["need"] | {"p": need("a0", "b1", 6) | {"from_zone": "c"}}}, "not a site of c"),
        ({"need": HAND["need"] | {"p": need("a0", "a1", 6)}}, "must join two zones"),
        ({"span": 1}, "the demand r must join two zones at most 1 places apart"),
        ({"limit": -1}, "at least 0"),
    ],
)
def test_rejects_inconsistent_tables(change, message):
    with pytest.raises(InstanceError, match=message):
        hand(**change)


def test_reference_switches_least_loss_first():
    # From all ones, worth -1: a to 0 gives -7, b gives -3, c gives -11. With limit 1, then a gives -15 and c -17.
    assert FAMILY.reference(hand()) == ("a1", "b0", "c1")
    assert FAMILY.reference(hand(limit=1)) == ("a0", "b0", "c1")
    assert FAMILY.reference(hand(limit=9)) == ("a1", "b1", "c1")


def test_ascent_exchanges_two_zones():
    assert FAMILY.hardness.descend(hand(), ("a1", "b1", "c0")) == ("a1", "b0", "c1")


def test_largest_values_are_exact():
    huge = JSON_INTEGER_LIMIT - 1
    cost = {zone: {f"{zone}0": huge, f"{zone}1": huge - 1} for zone in "abc"}
    for solution in both(hand(cost=cost, need=needs_with(p=huge, q=huge - 1, r=-huge))):
        assert (solution.value, solution.decision) == (100 - 2 * huge + 2, ("a0", "b1", "c1"))
    with pytest.raises(InstanceError, match="too large"):
        hand(grant=JSON_INTEGER_LIMIT)


def test_rejects_state_space_beyond_memory():
    zones = [f"z{i}" for i in range(60)]
    instance = StationSiting(
        zone=zones,
        demand=["d"],
        site=[f"{z}.{a}" for z in zones for a in (0, 1)],
        option={(z, f"{z}.{a}"): a for z in zones for a in (0, 1)},
        cost={(z, f"{z}.{a}"): a for z in zones for a in (0, 1)},
        need={"d": ("z0", "z0.0", "z50", "z50.1", 5)},
        limit=30,
        span=50,
    )
    for algorithm in (FAMILY.solve, FAMILY.verify):
        with pytest.raises(TooLarge, match="of memory, more than the limit of 4 GiB"):
            algorithm(instance)


@pytest.mark.parametrize("level", FAMILY.levels)
def test_generated_instances_have_the_shape(level):
    config = FAMILY.levels[level]
    for number in range(5):
        instance = FAMILY.generate(config, Stream("shape", level, number))
        position = instance.zone.index
        pairs = [tuple(sorted((position(ends[0]), position(ends[2])))) for ends in instance.need.values()]
        n, band = config.zones, config.span
        assert sorted(pairs) == [(i, j) for i in range(n) for j in range(i + 1, min(n, i + band + 1))]
        assert pairs != sorted(pairs)
        named = Counter(site for ends in instance.need.values() for site in (ends[1], ends[3]))
        assert len(named) > 1.8 * n  # demands disagree about the options of nearly every zone
        assert prepare(instance)[0].saturated
        assert instance.magnitude() < 10**8
        assert min(instance.cost.values()) >= 10


def test_question_states_the_public_numbers():
    world = unsolved_world(FAMILY.name)
    assert "at most 36 of the chosen sites" in world.question
    assert "at most 4 places apart" in world.question
    assert f"a fixed grant of {world.instance.grant}," in world.question


numbers = st.integers(0, 10**6)


@given(numbers, st.integers(1, 500), st.integers(-50, 50))  # 500 times the dearest small cost is below 2^53
def test_scaling_and_shifting_keeps_the_optimum(number, alpha, beta):
    instance = small(Stream("hypothesis", number))
    scaled = instance.replace(
        cost={pair: alpha * cost + beta for pair, cost in instance.cost.items()},
        need={d: (*ends, alpha * reward) for d, (*ends, reward) in instance.need.items()},
        grant=alpha * instance.grant,
    )
    before, after = FAMILY.solve(instance), FAMILY.solve(scaled)
    assert before.optima == after.optima
    assert after.value == alpha * before.value - beta * len(instance.zone)
    assert not before.unique or before.decision == after.decision


@given(numbers)
def test_corridor_may_be_reversed(number):
    instance = small(Stream("hypothesis", number))
    reversed_ = instance.replace(zone=instance.zone[::-1])
    for algorithm in (FAMILY.solve, FAMILY.verify):
        assert algorithm(instance).agrees_with(algorithm(reversed_))


@given(numbers)
def test_ends_may_be_exchanged_and_rewards_split(number):
    instance = small(Stream("hypothesis", number))
    halves = {d: (c, e, a, b, reward // 2) for d, (a, b, c, e, reward) in instance.need.items()}
    rest = {f"{d}'": (*ends, reward - reward // 2) for d, (*ends, reward) in instance.need.items()}
    divided = instance.replace(demand=[*halves, *rest], need=halves | rest)
    for algorithm in (FAMILY.solve, FAMILY.verify):
        assert algorithm(instance).agrees_with(algorithm(divided))


@given(numbers)
def test_higher_limit_never_hurts_and_idle_zone_changes_nothing(number):
    instance = small(Stream("hypothesis", number))
    before = FAMILY.solve(instance)
    assert FAMILY.solve(instance.replace(limit=instance.limit + 1)).value >= before.value
    idle = instance.replace(
        zone=("spare", *instance.zone),
        site=(*instance.site, "t0", "t1"),
        option={**instance.option, ("spare", "t0"): 0, ("spare", "t1"): 1},
        cost={**instance.cost, ("spare", "t0"): 0, ("spare", "t1"): 1},
    )
    after = FAMILY.solve(idle)
    assert (after.value, after.optima) == (before.value, before.optima)
    assert not before.unique or after.decision == tuple(sorted((*before.decision, "t0")))


@given(numbers)
def test_reduction_to_exactly_h_ones_keeps_the_answer(number):
    instance = small(Stream("hypothesis", number))
    dear = 1 + sum(abs(ends[-1]) for ends in instance.need.values()) + sum(map(abs, instance.cost.values()))
    bound = instance.replace(cost={p: cost + dear * (instance.option[p] == 0) for p, cost in instance.cost.items()})
    a, pred = prepare(bound)
    assert a.saturated
    reduced, general = construct(a, pred), construct(a._replace(saturated=0), pred)
    assert (reduced[0], reduced[2]) == (general[0], general[2])
    assert reduced[2] != 1 or list(reduced[1]) == list(general[1])
    assert sum(reduced[3]) <= sum(general[3])
    assert int(sum(reduced[1])) == min(bound.limit, len(bound.zone))


def test_unique_optimum_survives_one_more_unit_of_cost():
    admitted = certified_instance("station_siting", 1, 1)
    instance = admitted.instance
    for pair, cost in [*instance.cost.items()][::5]:
        after = FAMILY.solve(instance.replace(cost={**instance.cost, pair: cost + 1}))
        assert after.value == admitted.optimum - (pair[1] in admitted.solution.decision)


@pytest.mark.parametrize("zones", [63, 64, 65, 130])
@pytest.mark.parametrize("spared", [0, 2, 30])
def test_corridor_may_be_longer_than_a_machine_word(zones, spared):
    """Frontiers have as many bits as the widest demand, not as many as zones, which may exceed a machine word."""
    stream = Stream("long corridor", zones, spared)
    names = [f"z{at:03}" for at in range(zones)]
    sites = [(zone, f"{zone}.{option}") for zone in names for option in (0, 1)]
    ends = [(at, min(at + stream.integer(1, 3), zones - 1)) for at in range(zones - 1)]
    instance = StationSiting(
        zone=names,
        demand=[f"d{at}" for at, _ in ends],
        site=[site for _, site in sites],
        option={site: int(site[1][-1]) for site in sites},
        cost={site: stream.integer(0, 40) for site in sites},
        need={
            f"d{i}": (*stream.choice(sites[2 * i : 2 * i + 2]), *stream.choice(sites[2 * j : 2 * j + 2]), 25) for i, j in ends
        },
        limit=zones - spared,
        span=3,
    )
    solution = FAMILY.solve(instance)
    assert solution.agrees_with(FAMILY.verify(instance))
    assert FAMILY.check(instance, solution.decision).value == solution.value
