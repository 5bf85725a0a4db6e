"""Authorization Planning: hand-worked numbers, and how the optimum follows changes of the instance.

In the catalogue: F3, F4, F5, F6, F7, F8, F12.
"""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.core.interface import Interface
from algoworlds.core.relation import group_pairs
from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError, TooLarge
from algoworlds.families import FAMILIES
from algoworlds.families.authorization_planning.instance import AuthorizationPlanning
from algoworlds.worlds.admission import Coordinate, draw_instance
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World, build_world
from tests.certified import certified_instance
from tests.oracles.authorization_planning import small
from tests.unsolved import unsolved_world

FAMILY = FAMILIES["authorization_planning"]

# Three stages modulo 3, required residue 1. Package o is free but has no opening; code l adds 2, code k nothing.
HAND = {
    "family": "authorization_planning",
    "stage": ["s1", "s2", "s3"],
    "code": ["k", "l"],
    "package": ["a", "b", "c", "d", "e", "f", "o"],
    "base_price": {"s1": {"a": 5, "b": 2, "o": 0}, "s2": {"c": 4, "d": 1}, "s3": {"e": 3, "f": 1}},
    "policy_code": {"s1": {"a": "k", "b": "l", "o": "k"}, "s2": {"c": "k", "d": "l"}, "s3": {"e": "k", "f": "l"}},
    "clearance": {"s1": {"a": 1, "b": 2, "o": 1}, "s2": {"c": 0, "d": 1}, "s3": {"e": 0, "f": 2}},
    "opening": [["s1", "a"], ["s1", "b"]],
    "handoff": {
        "s2": {"a": {"c": 1, "d": 4}, "b": {"c": 6, "d": 1}, "o": {"c": 0}},
        "s3": {"c": {"e": 2, "f": 7}, "d": {"e": 1, "f": 12}},
    },
    "policy": {"required_clearance": 1, "adjustments": [0, 2]},
    "modulus": 3,
}
# Package prices with adjustments: a 5, b 4, o 0, c 4, d 3, e 3, f 3.
# Residue 1: ace 5+4+3 + 1+2 = 15; adf 5+3+3 + 4+12 = 27; bcf 4+4+3 + 6+7 = 24; oce 9, but o may not open.
# Other residues: bde 12 (residue 0) is the cheapest plan of all; acf 0, ade 2, bce 2, bdf 2.


def hand(**changes):
    return AuthorizationPlanning.from_json(HAND | changes)


def test_hand_worked_instance():
    for solution in (FAMILY.solve(hand()), FAMILY.verify(hand())):
        assert (solution.value, solution.decision, solution.optima) == (15, ("a", "c", "e"), 1)


def test_work_of_hand_worked_instance():
    # Reached: (a,1) (b,2); (c,1) (c,2) (d,0) (d,2); e and f with every residue: 2 + 4 + 6 states.
    # Transitions: 2 openings, 4 into stage 2 (none from o), then 4 pairs with 2 residues each: 14.
    # Checks: one per transition without the openings, and 2 at the end: 14.
    # Only (f,1), reached by c at 24, is not lowered by d's 27: 13 updates.
    work = FAMILY.solve(hand()).work
    assert work == (12, 14, 14, 13, 3)
    assert work.total == 56


@pytest.mark.parametrize(
    ("required", "value", "decision"),
    [(0, 12, ("b", "d", "e")), (1, 15, ("a", "c", "e")), (2, 16, ("a", "d", "e"))],
)
def test_every_residue_has_its_own_optimum(required, value, decision):
    instance = hand(policy={"required_clearance": required, "adjustments": [0, 2]})
    for solution in (FAMILY.solve(instance), FAMILY.verify(instance)):
        assert (solution.value, solution.decision, solution.optima) == (value, decision, 1)


def test_start_needs_an_opening():
    opened = hand(opening=[["s1", "a"], ["s1", "b"], ["s1", "o"]])
    assert FAMILY.solve(opened).decision == FAMILY.verify(opened).decision == ("o", "c", "e")
    assert FAMILY.solve(opened).value == FAMILY.verify(opened).value == 9


def test_ties_are_counted():
    later = {"s3": {"c": {"e": 11, "f": 7}, "d": {"e": 1, "f": 12}}}  # ace 24 now equals bcf, which ends elsewhere
    apart = hand(handoff=HAND["handoff"] | later)
    inside = hand(  # a and b alike: ace 14 twice through the same states
        base_price=HAND["base_price"] | {"s1": {"a": 4, "b": 2, "o": 0}},
        clearance=HAND["clearance"] | {"s1": {"a": 1, "b": 1, "o": 1}},
        handoff={"s2": {"a": {"c": 1}, "b": {"c": 1}}, "s3": {"c": {"e": 2}}},
    )
    middle = hand(  # c and d alike: ace 15, ade 15
        clearance=HAND["clearance"] | {"s2": {"c": 0, "d": 0}},
        handoff={"s2": {"a": {"c": 1, "d": 2}}, "s3": {"c": {"e": 2}, "d": {"e": 2}}},
    )
    for tied, value in ((apart, 24), (inside, 14), (middle, 15)):
        for solution in (FAMILY.solve(tied), FAMILY.verify(tied)):
            assert (solution.value, solution.optima) == (value, 2)
            assert FAMILY.check(tied, solution.decision).value == value


@pytest.mark.parametrize(
    "change",
    [
        {"opening": []},
        {"handoff": {"s2": {"a": {"c": 1}}, "s3": {"d": {"e": 1}}}},
        {"handoff": {"s2": {"a": {"c": 1}}, "s3": {"c": {"f": 1}}}},  # residue 0 only
        {"package": [], "base_price": {}, "policy_code": {}, "clearance": {}, "opening": [], "handoff": {}},
        {"stage": [], "package": [], "base_price": {}, "policy_code": {}, "clearance": {}, "opening": [], "handoff": {}},
    ],
)
def test_infeasible_instance_has_no_optimum(change):
    for solution in (FAMILY.solve(hand(**change)), FAMILY.verify(hand(**change))):
        assert (solution.value, solution.decision, solution.optima) == (None, None, 0)
    for search in (FAMILY.reference, lambda instance: FAMILY.hardness.sample(instance, Stream("none"))):
        with pytest.raises(InstanceError, match="no plan"):
            search(hand(**change))


def test_instance_without_stages():
    nothing = {"package": [], "base_price": {}, "policy_code": {}, "clearance": {}, "opening": [], "handoff": {}}
    instance = hand(stage=[], policy={"required_clearance": 0, "adjustments": [0, 2]}, **nothing)
    for solution in (FAMILY.solve(instance), FAMILY.verify(instance)):
        assert (solution.value, solution.decision, solution.optima) == (0, (), 1)
    assert FAMILY.check(instance, ()).value == 0
    assert FAMILY.reference(instance) == FAMILY.hardness.descend(instance, ()) == ()


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ((), "not exactly one package per stage"),
        (("a", "c"), "not exactly one package per stage"),
        (("a", "c", "e", "e"), "not exactly one package per stage"),
        (("a", "a", "e"), "a package that its stage does not offer"),
        (("e", "c", "a"), "a package that its stage does not offer"),
        (("a", "c", "nonsense"), "a package that its stage does not offer"),
        (("", "s1", "k"), "a package that its stage does not offer"),
        (("o", "c", "e"), "an opening that is not authorized"),
        (("b", "d", "e"), "the clearances miss the required residue"),
    ],
)
def test_checker_names_the_violation(decision, reason):
    verdict = FAMILY.check(hand(), decision)
    assert (verdict.feasible, verdict.value, verdict.reason) == (False, None, reason)


def test_checker_sees_authorizations_and_parts():
    without = hand(handoff={"s2": {"a": {"d": 4}}, "s3": HAND["handoff"]["s3"]})
    assert FAMILY.check(without, ("a", "c", "e")).reason == "a transition that is not authorized"
    verdict = FAMILY.check(hand(), ("b", "c", "f"))
    assert verdict.parts == {"base_prices": 7, "adjustments": 4, "handoffs": 13}
    assert verdict.value == 24


def test_reference_is_myopic_among_clearable_packages():
    # Stage 1: b (4) before a (5). After b only c and f reach residue 1.
    assert FAMILY.reference(hand()) == ("b", "c", "f")


@pytest.mark.parametrize("start", [("b", "c", "f"), ("a", "d", "f")])
def test_descent_changes_two_stages(start):
    assert FAMILY.hardness.descend(hand(), start) == ("a", "c", "e")


def test_descent_changes_one_stage():
    everywhere = hand(
        modulus=1,
        clearance={s: dict.fromkeys(here, 0) for s, here in HAND["clearance"].items()},
        policy={"required_clearance": 0, "adjustments": [0, 2]},
    )
    assert FAMILY.check(everywhere, ("b", "d", "f")).value == 23
    assert FAMILY.hardness.descend(everywhere, ("b", "d", "f")) == ("b", "d", "e")  # 12; no single or double change is cheaper


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"base_price": {"s1": {"a": 5, "b": 2}, "s2": {"c": 4, "d": 1}, "s3": {"e": 3, "f": 1}}}, "every package"),
        ({"base_price": HAND["base_price"] | {"s2": {"c": 4, "d": 1, "a": 1}}}, "every package"),
        ({"clearance": HAND["clearance"] | {"s3": {"e": 0}}}, "clearance must have exactly"),
        ({"clearance": HAND["clearance"] | {"s3": {"e": 0, "f": 3}}}, "below the modulus 3"),
        ({"policy": {"required_clearance": 3, "adjustments": [0, 2]}}, "below the modulus 3"),
        ({"policy": {"required_clearance": 1, "adjustments": [0]}}, "one per code"),
        ({"opening": [["s2", "c"]]}, "not a package of the first stage"),
        ({"opening": [["s1", "c"]]}, "not a package of the first stage"),
        ({"handoff": {"s3": {"a": {"e": 1}}}}, "from the stage before"),
        ({"handoff": {"s1": {"a": {"b": 1}}}}, "from the stage before"),
        ({"handoff": {"s3": {"a": {"c": 1}}}}, "from the stage before"),
        ({"modulus": 0}, "at least 1"),
    ],
)
def test_rejects_inconsistent_tables(change, message):
    with pytest.raises(InstanceError, match=message):
        hand(**change)


def test_largest_values_are_exact():
    huge = JSON_INTEGER_LIMIT - 1
    instance = hand(
        base_price={"s1": {"a": huge, "b": huge, "o": 0}, "s2": {"c": huge, "d": huge}, "s3": {"e": huge, "f": huge}},
        policy={"required_clearance": 1, "adjustments": [huge - 1, huge]},
    )
    for solution in (FAMILY.solve(instance), FAMILY.verify(instance)):
        assert (solution.value, solution.decision, solution.optima) == (6 * huge, ("a", "c", "e"), 1)
    negative = instance.replace(base_price={key: -price for key, price in instance.base_price.items()}, policy=(1, (0, 2)))
    for solution in (FAMILY.solve(negative), FAMILY.verify(negative)):
        assert (solution.value, solution.decision) == (3 - 3 * huge, ("a", "c", "e"))


def test_adjustment_counts_once_per_package_of_its_code():
    many = 400
    stages, packages = [f"s{i:03}" for i in range(many)], [f"p{i:03}" for i in range(many)]
    catalog = list(zip(stages, packages, strict=True))
    instance = AuthorizationPlanning(
        stage=stages,
        code=["k"],
        package=packages,
        base_price=dict.fromkeys(catalog, 0),
        policy_code=dict.fromkeys(catalog, "k"),
        clearance=dict.fromkeys(catalog, 0),
        opening=catalog[:1],
        handoff={(stages[i], packages[i - 1], packages[i]): 0 for i in range(1, many)},
        policy=(0, (JSON_INTEGER_LIMIT - 1,)),
        modulus=1,
    )
    for algorithm in (FAMILY.solve, FAMILY.verify):
        with pytest.raises(TooLarge, match="too large to add"):
            algorithm(instance)
    assert FAMILY.solve(instance.replace(policy=(0, (JSON_INTEGER_LIMIT // 4,)))).value == many * (JSON_INTEGER_LIMIT // 4)


def test_rejects_state_space_beyond_memory():
    instance = hand(modulus=2**40)
    for algorithm in (FAMILY.solve, FAMILY.verify):
        with pytest.raises(TooLarge, match="of memory, more than the limit of 4 GiB"):
            algorithm(instance)
    with pytest.raises(TooLarge, match="of memory"):
        FAMILY.reference(instance)


@pytest.mark.parametrize(
    ("level", "stages", "width", "degree", "modulus"),
    [(1, 24, 14, 5, 11), (2, 28, 16, 6, 167), (3, 32, 18, 7, 809), (4, 36, 20, 8, 2879)],
)
def test_generated_degrees_are_uniform(level, stages, width, degree, modulus):
    instance = FAMILY.generate(FAMILY.levels[level], Stream("shape", level))
    assert (len(instance.stage), instance.modulus) == (stages, modulus)
    assert [len(offered) for offered in group_pairs(instance.stage, instance.base_price).values()] == [width] * stages
    assert len(instance.handoff) == (stages - 1) * width * degree
    assert set(Counter(u for _, u, _ in instance.handoff).values()) == {degree}
    assert set(Counter(v for _, _, v in instance.handoff).values()) == {degree}


def test_required_residues_vary():
    residues = {draw_instance(Coordinate("authorization_planning", 1, index), 0).required_clearance for index in range(1, 41)}
    assert len(residues) > 7


def test_optimum_differs_in_three_stages_from_cheapest_plan():
    for index in range(1, 11):
        instance = draw_instance(Coordinate("authorization_planning", 1, index), 0)
        free, bound = FAMILY.solve(dict(FAMILY.hardness.blind_instances(instance))["clearances"]), FAMILY.solve(instance)
        assert sum(one != other for one, other in zip(free.decision, bound.decision, strict=True)) >= 3


def test_transitions_are_filed_under_the_stage_they_enter():
    world = unsolved_world(FAMILY.name)
    first, second, *_ = world.instance.stage
    for stage, expected in ((first, {"opening": 14}), (second, {"handoff": 70})):
        episode = Episode(world)
        episode.call("read_authorization_stage", {"stage": stage})
        assert Counter(fact.relation for fact in episode.facts) == expected
    episode = Episode(world)
    episode.call("read_authorization_window", {"start": 0, "length": 2})
    assert Counter(fact.relation for fact in episode.facts) == {"opening": 14, "handoff": 70}
    episode = Episode(world)
    episode.call("read_override_policy")
    assert [fact.row for fact in episode.facts] == [world.instance.policy]


numbers = st.integers(0, 10**6)


@given(numbers, st.integers(1, 1000), st.integers(-50, 50))
def test_scaling_and_shifting_costs_keeps_the_optimum(number, alpha, beta):
    instance = small(Stream("hypothesis", number))
    scaled = instance.replace(
        base_price={key: alpha * price + beta for key, price in instance.base_price.items()},
        handoff={step: alpha * cost for step, cost in instance.handoff.items()},
        policy=(instance.required_clearance, tuple(alpha * eta for eta in instance.policy[1])),
    )
    before, after = FAMILY.solve(instance), FAMILY.solve(scaled)
    assert (before.optima, before.work) == (after.optima, after.work)
    if before.value is not None:
        assert after.value == alpha * before.value + beta * len(instance.stage)
        assert before.decision == after.decision


@given(numbers, st.randoms(use_true_random=False))
def test_order_of_codes_does_not_matter(number, shuffler):
    instance = small(Stream("hypothesis", number))
    adjustment, codes = instance.adjustments_by_code, shuffler.sample(instance.code, len(instance.code))
    shuffled = instance.replace(code=codes, policy=(instance.required_clearance, tuple(adjustment[code] for code in codes)))
    assert FAMILY.solve(instance).agrees_with(FAMILY.solve(shuffled))
    assert FAMILY.verify(instance).agrees_with(FAMILY.verify(shuffled))


@given(numbers, st.integers(0, 10**6))
def test_shifting_residues_of_one_stage_shifts_the_required_one(number, shift):
    instance = small(Stream("hypothesis", number))
    for stage in instance.stage:
        shifted = instance.replace(
            clearance={key: (z + shift * (key[0] == stage)) % instance.modulus for key, z in instance.clearance.items()},
            policy=((instance.required_clearance + shift) % instance.modulus, instance.policy[1]),
        )
        for algorithm in (FAMILY.solve, FAMILY.verify):
            before, after = algorithm(instance), algorithm(shifted)
            assert before.agrees_with(after)
            assert before.work[:3] == after.work[:3]


@given(numbers, st.integers(-(10**6), 10**6))
def test_price_may_move_into_the_handoffs_before_it(number, amount):
    instance = small(Stream("hypothesis", number))
    first = instance.stage[:1]
    moved = instance.replace(
        base_price={key: price - amount * (key[0] not in first) for key, price in instance.base_price.items()},
        handoff={step: cost + amount for step, cost in instance.handoff.items()},
    )
    assert FAMILY.solve(instance).agrees_with(FAMILY.solve(moved))
    assert FAMILY.verify(instance).agrees_with(FAMILY.verify(moved))


@given(numbers)
def test_reversing_the_stages_reverses_the_optimum(number):
    instance = small(Stream("hypothesis", number))
    opened = {v for _, v in instance.opening}
    usable = [key for key in instance.base_price if key[0] != instance.stage[0] or key[1] in opened]
    packages = [v for _, v in usable]
    before = {v: stage for stage, v in usable}
    backwards = instance.replace(
        stage=instance.stage[::-1],
        package=packages,
        base_price={key: instance.base_price[key] for key in usable},
        policy_code={key: instance.policy_code[key] for key in usable},
        clearance={key: instance.clearance[key] for key in usable},
        opening=[key for key in usable if key[0] == instance.stage[-1]],
        handoff={(before[u], v, u): cost for (_, u, v), cost in instance.handoff.items() if u in before},
    )
    there, back = FAMILY.solve(instance), FAMILY.solve(backwards)
    assert (there.value, there.optima) == (back.value, back.optima)
    if there.unique:
        assert there.decision == back.decision[::-1]


@given(numbers)
def test_dominated_packages_change_nothing_and_fewer_authorizations_never_help(number):
    instance = small(Stream("hypothesis", number))
    before = FAMILY.solve(instance)
    twins = {v: f"{v}-dear" for v in instance.package}
    doubled = instance.replace(
        package=(*instance.package, *twins.values()),
        base_price={**instance.base_price, **{(s, twins[v]): p + 10**13 for (s, v), p in instance.base_price.items()}},
        policy_code={**instance.policy_code, **{(s, twins[v]): code for (s, v), code in instance.policy_code.items()}},
        clearance={**instance.clearance, **{(s, twins[v]): z for (s, v), z in instance.clearance.items()}},
        opening=instance.opening | {(s, twins[v]) for s, v in instance.opening},
        handoff={**instance.handoff, **{(s, u, twins[v]): cost for (s, u, v), cost in instance.handoff.items()}},
    )
    assert FAMILY.solve(doubled).agrees_with(before)
    for lost in sorted(instance.handoff):
        fewer = FAMILY.solve(instance.replace(handoff={k: cost for k, cost in instance.handoff.items() if k != lost}))
        assert fewer.value is None or (before.value is not None and fewer.value >= before.value)


def test_removing_a_chosen_transition_is_worse_or_infeasible():
    admitted = certified_instance("authorization_planning", 1, 1)
    plan, handoff = admitted.solution.decision, admitted.instance.handoff
    for step in zip(admitted.instance.stage[1:], plan, plan[1:], strict=False):
        without = FAMILY.solve(admitted.instance.replace(handoff={k: cost for k, cost in handoff.items() if k != step}))
        assert without.value is None or without.value > admitted.optimum


def test_question_does_not_show_the_required_clearance():
    admitted = certified_instance("authorization_planning", 1, 1)
    question = build_world(admitted, Interface.MEDIATED).question
    assert "divided by 11" in question
    changed = World(admitted.coordinate, admitted.instance.replace(policy=(0, (1,) * 14)), Interface.DIRECT)
    assert changed.question == question
