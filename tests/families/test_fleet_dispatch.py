"""Fleet Dispatch: hand-worked numbers and how the optimum moves when the instance does (F3, F5, F6, F7, F12)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algoworlds.core.canonical import JSON_INTEGER_LIMIT
from algoworlds.core.stream import Stream
from algoworlds.errors import InstanceError, TooLarge
from algoworlds.families import FAMILIES
from algoworlds.families.fleet_dispatch.instance import FleetDispatch
from tests.certified import certified_instance
from tests.oracles.fleet_dispatch import small

FAMILY = FAMILIES["fleet_dispatch"]

# Two vans, three parcels. Opening one van costs 10 or 7; van b is cheap to open but holds only two units.
HAND = {
    "family": "fleet_dispatch",
    "vehicle": ["a", "b"],
    "job": ["p", "q", "r"],
    "capacity": {"a": 4, "b": 2},
    "activation": {"a": 10, "b": 7},
    "load": {"p": 1, "q": 2, "r": 1},
    "route_cost": {"a": {"p": 5, "q": 1, "r": 9}, "b": {"p": 1, "r": 2}},
}
# All on a: 15 + 10 = 25. p on b: 1 + 1 + 9 + 17 = 28. r on b: 5 + 1 + 2 + 17 = 25. p and r on b: 1 + 1 + 2 + 17 = 21.


def test_hand_worked_instance():
    instance = FleetDispatch.from_json(HAND)
    for solution in (FAMILY.solve(instance), FAMILY.verify(instance)):
        assert (solution.value, solution.decision, solution.optima) == (21, {"p": "b", "q": "a", "r": "b"}, 1)


def test_work_of_the_hand_worked_instance():
    # Load vectors (a, b): 00; 10 01; 30 21; 40 31 22. Eligible vehicles: p 2, q 1, r 2.
    # Transitions 1*2 + 2*1 + 2*2 = 8; checks 2*5 + 8; 31 is reached at 25, then at 28 in vain, so 7 updates.
    work = FAMILY.solve(FleetDispatch.from_json(HAND)).work
    assert work == (8, 8, 18, 7, 3)
    assert work.total == 44


def test_missing_route_costs_mean_ineligible():
    instance = FleetDispatch.from_json(HAND)
    assert not instance.eligible["b", "q"]
    assert FAMILY.check(instance, {"p": "b", "q": "b", "r": "b"}).reason == "an ineligible pair"


def test_ties_are_counted():
    tied = FleetDispatch.from_json(HAND | {"activation": {"a": 10, "b": 11}})  # r on b now 29, all on a 25, both on b 25
    assert [FAMILY.solve(tied).optima, FAMILY.verify(tied).optima] == [2, 2]
    assert FAMILY.solve(tied).value == FAMILY.verify(tied).value == 25


def test_no_feasible_assignment_is_a_clear_result():
    for change in ({"capacity": {"a": 3, "b": 0}}, {"route_cost": {"a": {"p": 5, "q": 1}, "b": {"p": 1}}}):
        instance = FleetDispatch.from_json(HAND | change)
        for solution in (FAMILY.solve(instance), FAMILY.verify(instance)):
            assert (solution.value, solution.decision, solution.optima) == (None, None, 0)
        with pytest.raises(InstanceError, match="no assignment"):
            FAMILY.reference(instance)


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ({"p": "a", "q": "a"}, "not exactly one entry per job"),
        ({"p": "a", "q": "a", "r": "a", "s": "a"}, "not exactly one entry per job"),
        ({"p": "a", "q": "a", "r": "c"}, "an unknown vehicle"),
        ({"p": "a", "q": "b", "r": "a"}, "an ineligible pair"),
    ],
)
def test_checker_names_the_violation(decision, reason):
    assert FAMILY.check(FleetDispatch.from_json(HAND), decision).reason == reason


def test_checker_sees_capacity_and_parts():
    instance = FleetDispatch.from_json(HAND | {"capacity": {"a": 3, "b": 2}, "offset": 100})
    assert FAMILY.check(instance, {"p": "a", "q": "a", "r": "a"}).reason == "a capacity is exceeded"
    verdict = FAMILY.check(instance, {"p": "b", "q": "a", "r": "b"})
    assert verdict.parts == {"routes": 4, "activations": 17, "offset": 100}
    assert verdict.value == 121


def test_largest_values_are_exact():
    huge = JSON_INTEGER_LIMIT - 1
    instance = FleetDispatch.from_json(
        HAND
        | {"route_cost": {"a": {"p": huge, "q": huge, "r": huge}, "b": {"p": huge - 1, "r": huge - 1}}}
        | {"load": {"p": huge // 8, "q": huge // 4, "r": huge // 8}, "capacity": {"a": huge, "b": huge // 4}}
    )
    for solution in (FAMILY.solve(instance), FAMILY.verify(instance)):
        assert (solution.value, solution.decision) == (3 * huge + 10, {"p": "a", "q": "a", "r": "a"})
    with pytest.raises(InstanceError, match="too large"):
        FleetDispatch.from_json(HAND | {"offset": JSON_INTEGER_LIMIT})


def test_a_state_space_beyond_memory_is_refused():
    jobs = [f"j{j}" for j in range(40)]
    instance = FleetDispatch.from_json(
        {
            "vehicle": ["a", "b", "c"],
            "job": jobs,
            "capacity": dict.fromkeys("abc", 2**50),
            "activation": dict.fromkeys("abc", 1),
            "load": {j: 2**at for at, j in enumerate(jobs)},
            "route_cost": {v: dict.fromkeys(jobs, 1) for v in "abc"},
        }
    )
    for algorithm in (FAMILY.solve, FAMILY.verify):
        with pytest.raises(TooLarge, match="of memory, more than the limit of 4 GiB"):
            algorithm(instance)


class Watched(dict):
    """A table that counts how often it is looked into."""

    looks = 0

    def __getitem__(self, key):
        self.looks += 1
        return super().__getitem__(key)


@pytest.mark.parametrize("algorithm", [FAMILY.solve, FAMILY.verify], ids=["solve", "verify"])
def test_many_loads_of_many_vehicles_are_refused_at_once(algorithm):
    """Six vehicles with 150,000 loads each have too many combinations after a dozen of the 300 jobs: no more are looked at."""
    vehicles, jobs = [f"v{at}" for at in range(6)], [f"j{at}" for at in range(300)]
    instance = FleetDispatch.from_json(
        {
            "vehicle": vehicles,
            "job": jobs,
            "capacity": dict.fromkeys(vehicles, 10**6),
            "activation": dict.fromkeys(vehicles, 1),
            "load": {j: 2 * at + 3 for at, j in enumerate(jobs)},
            "route_cost": {v: dict.fromkeys(jobs, 1) for v in vehicles},
        }
    )
    instance.__dict__["eligible"] = watched = Watched(instance.eligible)
    with pytest.raises(TooLarge, match="of memory, more than the limit of 4 GiB"):
        algorithm(instance)
    assert 0 < watched.looks < 30 * len(vehicles)


numbers = st.integers(0, 10**6)


@given(numbers, st.integers(1, 1000), st.integers(-50, 50))
def test_scaling_and_shifting_costs_moves_the_value_and_not_the_optimum(number, alpha, beta):
    instance = small(Stream("hypothesis", number))
    scaled = instance.replace(
        route_cost={pair: alpha * cost + beta for pair, cost in instance.route_cost.items()},
        activation={v: alpha * cost for v, cost in instance.activation.items()},
        offset=alpha * instance.offset,
    )
    before, after = FAMILY.solve(instance), FAMILY.solve(scaled)
    assert before.optima == after.optima
    if before.value is not None:
        assert after.value == alpha * before.value + beta * len(instance.job)
        assert not before.unique or before.decision == after.decision


@given(numbers)
def test_dominated_additions_change_nothing_and_tighter_capacity_never_helps(number):
    instance = small(Stream("hypothesis", number))
    before = FAMILY.solve(instance)
    idle = instance.replace(
        vehicle=(*instance.vehicle, "spare"),
        capacity={**instance.capacity, "spare": 10**9},
        activation={**instance.activation, "spare": 10**14},
        eligible={**instance.eligible, **{("spare", j): True for j in instance.job}},
        route_cost={**instance.route_cost, **{("spare", j): 0 for j in instance.job}},
    )
    if before.feasible:
        assert FAMILY.solve(idle).agrees_with(before)
    tight = instance.replace(capacity={v: max(0, c - 1) for v, c in instance.capacity.items()})
    after = FAMILY.solve(tight)
    assert after.value is None or (before.value is not None and after.value >= before.value)


def test_removing_a_chosen_pair_is_worse_or_infeasible():
    admitted = certified_instance("fleet_dispatch", 1, 1)
    for j, v in admitted.solution.decision.items():
        without = FAMILY.solve(admitted.instance.replace(eligible={**admitted.instance.eligible, (v, j): False}))
        assert without.value is None or without.value > admitted.optimum
