"""Migration Portfolio: hand-worked numbers and how the optimum moves when the instance does (F3, F5, F7, F12)."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError, TooLarge
from algoworlds.families import FAMILIES
from algoworlds.families.migration_portfolio.generate import MAX_TILT
from algoworlds.families.migration_portfolio.hardness import MigrationSearchSpace
from algoworlds.families.migration_portfolio.instance import MigrationPortfolio
from tests.oracles.migration_portfolio import small
from tests.unsolved import unsolved_world

NAME = "migration_portfolio"
FAMILY = FAMILIES[NAME]

# Two groups, two domains. Interaction u: 0 for neither, 1 for y alone, 2 for x alone, -2 for both.
HAND = {
    "family": NAME,
    "group": ["a", "b"],
    "domain": ["x", "y"],
    "package": ["a1", "a2", "b1", "b2", "b3"],
    "factor": ["u"],
    "cost": {"a": {"a1": 9, "a2": 3}, "b": {"b1": 4, "b2": 8, "b3": 1}},
    "requirement": {"a": {"a1": [], "a2": ["x"]}, "b": {"b1": ["y"], "b2": [], "b3": ["x", "y"]}},
    "charge": {"x": 5, "y": 2},
    "interaction": {"u": {"scope": ["x", "y"], "table": [0, 1, 2, -2]}},
    "offset": 4,
}
# Nothing: 9 + 8 + 0 = 17. x: 3 + 8 + 5 + 2 = 18. y: 9 + 4 + 2 + 1 = 16. Both: 3 + 1 + 7 - 2 = 9; less 4, plus 1.
BEST = (("a2", "b3"), ("x", "y"))


def hand(**changes):
    return MigrationPortfolio.from_json(HAND | changes)


def both(instance):
    return FAMILY.solve(instance), FAMILY.verify(instance)


def test_hand_worked_instance():
    for solution in both(hand()):
        assert (solution.value, solution.decision, solution.optima) == (6, BEST, 1)


def test_work_of_the_hand_worked_instance():
    # Masks none, x, y, xy; each takes one term of u and tries two packages: a1 b2; a2 b3; b3 b1; a2 b3.
    # Updates: 4 terms; minima a1, b2; a2; b1; a2, b3; best values 17, 16, 9. Then two groups and two domains.
    work = FAMILY.solve(hand()).work
    assert work == (4, 8, 8, 4 + 6 + 3, 4)
    assert work.total == 37


def test_an_equal_cost_is_no_update():
    # With b3 at 4, as b1: mask x lowers a2; y lowers b1; xy lowers a2 and finds b3 equal; best 17, 16, then 12.
    instance = hand(cost={"a": {"a1": 9, "a2": 3}, "b": {"b1": 4, "b2": 8, "b3": 4}})
    assert FAMILY.solve(instance).work == (4, 8, 8, 4 + 5 + 3, 4)
    # With x at 2 as well, x alone costs 15 and so does y alone with y at 1: the second of equal masks is no update.
    instance = hand(charge={"x": 2, "y": 1}, interaction={"u": {"scope": ["x", "y"], "table": [0, 1, 2, 90]}})
    assert FAMILY.solve(instance).work == (4, 8, 8, 4 + 6 + 2, 4)
    assert [solution.optima for solution in both(instance)] == [2, 2]


@pytest.mark.parametrize(
    ("charge", "value", "decision"),
    [
        ({"x": 5, "y": 11}, 14, (("a1", "b2"), ())),  # 17, 18, 25, 18
        ({"x": 1, "y": 14}, 11, (("a2", "b2"), ("x",))),  # 17, 14, 28, 17
        ({"x": 14, "y": 2}, 13, (("a1", "b1"), ("y",))),  # 17, 27, 16, 18
    ],
)
def test_every_set_of_domains_can_win(charge, value, decision):
    for solution in both(hand(charge=charge)):
        assert (solution.value, solution.decision, solution.optima) == (value, decision, 1)


def test_equal_sets_of_domains_tie():
    for solution in both(hand(charge={"x": -1, "y": 11})):  # 17, 12, 25, 12
        assert (solution.value, solution.optima) == (9, 2)


def test_a_domain_that_nothing_requires_may_pay():
    instance = hand(requirement={"a": {"a1": [], "a2": []}, "b": {"b1": [], "b2": [], "b3": []}}, charge={"x": 3, "y": -2})
    # Packages cost 3 + 1 anyway. Nothing 0, x 3 + 2, y -2 + 1, both 1 - 2: y alone and both tie at -1.
    assert [solution.optima for solution in both(instance)] == [2, 2]
    single = instance.replace(charge={"x": 2, "y": -2})
    for solution in both(single):
        assert (solution.value, solution.decision, solution.optima) == (4 - 2 - 4 + 1, BEST, 1)


@pytest.mark.parametrize("needs", [["x", "y"], ["x"], []])
def test_packages_of_equal_cost_tie_whatever_they_require(needs):
    cost = {"a": {"a1": 9, "a2": 3}, "b": {"b1": 1, "b2": 8, "b3": 1}}
    requirement = HAND["requirement"] | {"b": {"b1": needs, "b2": [], "b3": ["x", "y"]}}
    for solution in both(hand(cost=cost, requirement=requirement)):
        assert (solution.value, solution.optima) == (6, 2)


def test_a_dearer_or_unsupported_twin_is_no_tie():
    # b1 costs as much as b3 but needs z, which is dear; a1 costs as much as a2 plus one.
    changes = {"domain": ["x", "y", "z"], "charge": {"x": 5, "y": 2, "z": 50}}
    changes["cost"] = {"a": {"a1": 4, "a2": 3}, "b": {"b1": 1, "b2": 8, "b3": 1}}
    changes["requirement"] = {"a": {"a1": ["x"], "a2": ["x"]}, "b": {"b1": ["z"], "b2": [], "b3": ["x", "y"]}}
    for solution in both(hand(**changes)):
        assert (solution.value, solution.decision, solution.optima) == (6, BEST, 1)


def test_the_first_domain_of_a_scope_is_the_leading_digit():
    names = ["x", "y", "z"]
    for cell, statuses in enumerate(product((0, 1), repeat=3)):
        table = [0] * 8
        table[cell] = -1
        instance = MigrationPortfolio(
            group=(),
            domain=names,
            package=(),
            factor=["u"],
            cost={},
            requirement={},
            charge=dict.fromkeys(names, 0),
            interaction={"u": (names, table)},
            offset=0,
        )
        wanted = tuple(name for name, status in zip(names, statuses, strict=True) if status)
        for solution in both(instance):
            assert (solution.value, solution.decision, solution.optima) == (0, ((), wanted), 1)


def test_a_group_without_packages_is_infeasible():
    instance = hand(group=["a", "b", "c"])
    for solution in both(instance):
        assert (solution.value, solution.decision, solution.optima) == (None, None, 0)
    assert FAMILY.solve(instance).work.reconstruct == 0
    with pytest.raises(InstanceError, match="the group c has no package"):
        FAMILY.reference(instance)


def test_groups_without_an_admissible_package_force_domains():
    requirement = {"a": {"a1": ["y"], "a2": ["y"]}, "b": {"b1": ["y"], "b2": ["y"], "b3": ["y"]}}
    for solution in both(hand(requirement=requirement, charge={"x": 50, "y": 100})):  # y: 3 + 1 + 100 + 1
        assert (solution.value, solution.decision, solution.optima) == (102, (("a2", "b3"), ("y",)), 1)


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ((("a2",), ("x", "y")), "not exactly one package per group"),
        ((("a1", "a2", "b3"), ("x", "y")), "not exactly one package per group"),
        ((("a2", "a2", "b3"), ("x", "y")), "not exactly one package per group"),
        ((("a1", "a2"), ("x", "y")), "not exactly one package per group"),
        (((), ()), "not exactly one package per group"),
        ((("a2", "b9"), ("x", "y")), "an unknown package"),
        ((("a", "x"), ("x", "y")), "an unknown package"),
        ((("a2", "b3"), ("x", "y", "z")), "an unknown domain"),
        ((("a2", "b3"), ("x", "x", "y")), "a domain is listed twice"),
        ((("a2", "b3"), ("x",)), "a required domain is not activated"),
        ((("a1", "b1"), ()), "a required domain is not activated"),
    ],
)
def test_checker_names_the_violation(decision, reason):
    assert FAMILY.check(hand(), decision).reason == reason


def test_checker_shows_the_parts():
    verdict = FAMILY.check(hand(), (("a1", "b1"), ("x", "y")))
    assert verdict.parts == {"packages": 13, "activations": 7, "interactions": -2, "offset": -3}
    assert verdict.value == 15
    assert FAMILY.check(hand(), (("b1", "a1"), ("y", "x"))) == verdict
    assert FAMILY.check(hand(), (("a1", "b2"), ("x",))).parts["interactions"] == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"member": [["a", "a1"]]}, "cost and the catalog differ"),
        ({"requirement": {"a": {"a1": [], "a2": []}}}, "requirement and the catalog differ on b b1"),
        ({"package": [*HAND["package"], "spare"]}, "spare belongs to 0 groups"),
        (
            {
                "cost": {"a": {"a1": 1, "a2": 1}, "b": {"a1": 1, "b1": 1, "b2": 1, "b3": 1}},
                "requirement": {"a": {"a1": [], "a2": []}, "b": {"a1": [], "b1": [], "b2": [], "b3": []}},
            },
            "a1 belongs to 2 groups",
        ),
        ({"interaction": {"u": {"scope": ["x"], "table": [1, 2, 3]}}}, "3 cells, not 2"),
        ({"interaction": {"u": {"scope": [], "table": [1]}}}, "scope of u is empty"),
        ({"charge": {"x": 1}}, "charge has no entry for y"),
        ({"offset": JSON_INTEGER_LIMIT}, "too large"),
    ],
)
def test_contradictory_tables_are_refused(changes, message):
    with pytest.raises(InstanceError, match=message):
        hand(**changes)


def test_largest_values_are_exact():
    huge = JSON_INTEGER_LIMIT - 1
    cost = {"a": {"a1": huge, "a2": huge - 1}, "b": {"b1": huge, "b2": huge, "b3": -huge}}
    for solution in both(hand(cost=cost, charge={"x": huge, "y": huge}, offset=huge)):
        # Nothing 2 huge; x 1 + 3 huge; y 3 huge + 1; both -1 + 2 huge - 2.
        assert (solution.value, solution.decision, solution.optima) == (huge - 2, BEST, 1)


def test_too_many_domains_are_refused():
    names = [f"d{j}" for j in range(31)]
    instance = hand(domain=["x", "y", *names], charge=dict.fromkeys(["x", "y", *names], 1))
    for algorithm in (FAMILY.solve, FAMILY.verify):
        with pytest.raises(TooLarge, match="33"):
            algorithm(instance)
    start = FAMILY.reference(instance)
    assert FAMILY.check(instance, FAMILY.hardness.descend(instance, start)).value <= FAMILY.check(instance, start).value


def test_reference_and_descent_by_hand():
    # Cheapest packages a2 and b3 need both domains. With y at 50 the reference pays 4 + 55 - 2; x off leaves y alone at
    # 13 + 50 + 1, y off leaves x alone at 11 + 5 + 2 = 18, then x off as well gives 17.
    instance = hand(charge={"x": 5, "y": 50})
    assert FAMILY.reference(instance) == BEST
    assert FAMILY.check(instance, BEST).value == 57 - 3
    assert FAMILY.hardness.descend(instance, BEST) == (("a1", "b2"), ())


def test_the_catalog_follows_from_the_costs():
    assert hand().member == {("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2"), ("b", "b3")}


# -- the access table ---------------------------------------------------------------------------------------------------


def test_generated_groups_offer_two_to_four_packages_and_one_needs_nothing():
    instance = unsolved_world(FAMILY.name).instance
    for group in instance.group:
        shelf = [pair for pair in instance.cost if pair[0] == group]
        assert 2 <= len(shelf) <= 4
        needs = [instance.requirement[pair] for pair in shelf]
        assert needs.count(()) == 1
        assert len(set(needs)) == len(needs)
        assert max(map(len, needs)) <= 2
        assert len({instance.cost[pair] for pair in shelf}) == len(shelf)
    places = [instance.domain.index(j) for scope, _ in instance.interaction.values() for j in scope]
    assert sorted(places) == sorted([*range(10)] * 9)


def test_on_average_no_generated_domain_pays_or_costs_more_than_the_tilt():
    instance = unsolved_world(FAMILY.name).instance
    own = MigrationSearchSpace(instance)
    losses = {x: own.loss(own.decision_from_bits(x)) for x in product((0, 1), repeat=len(instance.domain))}
    for at in range(len(instance.domain)):
        difference = sum(loss if x[at] else -loss for x, loss in losses.items()) * 2 // len(losses)
        assert abs(difference) <= MAX_TILT + len(instance.group) + len(instance.domain)  # each effect is rounded down


# -- how the optimum moves ----------------------------------------------------------------------------------------------

numbers = st.integers(0, 10**6)


def draw_small(number):
    return small(Stream("hypothesis", number))


@given(numbers, st.integers(1, 1000), st.integers(-50, 50))
def test_scaling_and_shifting_costs_moves_the_value_and_not_the_optimum(number, alpha, beta):
    instance = draw_small(number)
    scaled = instance.replace(
        cost={pair: alpha * cost + beta for pair, cost in instance.cost.items()},
        charge={j: alpha * charge for j, charge in instance.charge.items()},
        interaction={a: (scope, [alpha * cell for cell in table]) for a, (scope, table) in instance.interaction.items()},
        offset=alpha * instance.offset,
    )
    before, after = FAMILY.solve(instance), FAMILY.solve(scaled)
    assert (before.optima, before.work) == (after.optima, after.work)
    if before.value is not None:
        assert after.value == alpha * (before.value - 1) + 1 + beta * len(instance.group)
        assert before.decision == after.decision


@given(numbers)
def test_dominated_additions_change_nothing_and_more_requirements_never_help(number):
    instance = draw_small(number)
    before = FAMILY.solve(instance)
    spare = {(group, f"spare-{group}"): 10**14 for group in instance.group}
    grown = instance.replace(
        domain=(*instance.domain, "idle"),
        charge={**instance.charge, "idle": 10**14},
        package=(*instance.package, *(package for _, package in spare)),
        member=instance.member | set(spare),
        cost={**instance.cost, **spare},
        requirement={**instance.requirement, **dict.fromkeys(spare, ())},
    )
    if before.feasible:
        assert FAMILY.solve(grown).agrees_with(before)
        assert FAMILY.verify(grown).agrees_with(before)
    for pair in list(instance.cost)[:1]:
        needy = instance.replace(requirement={**instance.requirement, pair: instance.domain})
        after = FAMILY.solve(needy)
        assert after.feasible == before.feasible
        assert after.value is None or after.value >= before.value


@given(numbers)
def test_charges_are_factors_of_one_domain(number):
    instance = draw_small(number)
    unary = {f"unary-{j}": ((j,), (0, charge)) for j, charge in instance.charge.items()}
    moved = instance.replace(
        factor=(*instance.factor, *unary),
        interaction={**instance.interaction, **unary},
        charge=dict.fromkeys(instance.domain, 0),
    )
    for algorithm in (FAMILY.solve, FAMILY.verify):
        assert algorithm(moved).agrees_with(algorithm(instance))


@given(numbers)
def test_all_factors_merge_into_one(number):
    instance = draw_small(number)
    if not instance.domain:
        return
    table = []
    for statuses in product((0, 1), repeat=len(instance.domain)):
        on = dict(zip(instance.domain, statuses, strict=True))
        picks = [(cells, [on[j] for j in scope]) for scope, cells in instance.interaction.values()]
        table.append(sum(cells[sum(bit << at for at, bit in enumerate(reversed(bits)))] for cells, bits in picks))
    merged = instance.replace(factor=("all",), interaction={"all": (instance.domain, table)})
    for algorithm in (FAMILY.solve, FAMILY.verify):
        assert algorithm(merged).agrees_with(algorithm(instance))
