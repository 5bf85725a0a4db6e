"""Construction, verification, brute force and CP-SAT agree: value, decision, uniqueness. For every family (F1, F9)."""

from dataclasses import replace

import pytest

from algoworlds.core.stream import Stream
from algoworlds.errors import TooLarge
from algoworlds.families import FAMILIES
from algoworlds.suites.contracts.algorithms import find_disagreement
from tests.certified import certified_instance
from tests.oracles import brute, cp_sat, oracle

QUICK, FULL, THIRD_OPINION, DRAWS = 200, 10_800, 50, 2_000
REDUCED = {
    "transit_routing": {"stages": 6, "legs": 4},
    "authorization_planning": {"stages": 7},
    "evidence_joined_routing": {"layers": 6},
    "machine_layout": {"machines": 6},
    "migration_portfolio": {"groups": 10, "packages": 27},
    "sequential_matching": {"per_side": 5, "degree": 4},
    "series_portfolio": {"titles": 12},
}
"""Sizes below level 0, for families in which CP-SAT takes seconds there."""
CP_SETTINGS = ({}, {"cp_model_presolve": False}, {"presolve_inclusion_work_limit": 0})


@pytest.fixture(params=FAMILIES, ids=str)
def family(request):
    return FAMILIES[request.param]


def solve_by_brute_force(family, number):
    """Compare both algorithms with brute force on a small instance; return the result of brute force."""
    instance = oracle(family.name).small(Stream("small", family.name, number))
    truth = brute(family, instance)
    assert find_disagreement(family, instance, truth) is None, instance.canonical_json
    return truth


def test_both_algorithms_agree_with_brute_force(family):
    optima = [min(solve_by_brute_force(family, number).optima, 2) for number in range(QUICK)]
    kinds = (1, 2) if getattr(oracle(family.name), "ALWAYS_FEASIBLE", False) else (0, 1, 2)
    assert min(map(optima.count, kinds)) >= QUICK // 20, "the sample needs more infeasible, unique or tied instances"


@pytest.mark.parametrize("algorithm", ["solve", "verify"])
def test_sums_beyond_int64_are_refused(family, algorithm, monkeypatch):
    instance = oracle(family.name).small(Stream("small", family.name, 0))
    solve = getattr(family, algorithm)
    monkeypatch.setattr(family.instance, "magnitude", lambda self: 2**61 - 1)
    solve(instance)
    monkeypatch.setattr(family.instance, "magnitude", lambda self: 2**61)
    with pytest.raises(TooLarge, match="add exactly"):
        solve(instance)


@pytest.mark.full
@pytest.mark.parametrize("tenth", range(10))
def test_both_algorithms_agree_with_brute_force_on_many(family, tenth):
    for number in range(QUICK + tenth * FULL // 10, QUICK + (tenth + 1) * FULL // 10):
        solve_by_brute_force(family, number)


def test_cp_sat_agrees(family):
    for number in range(THIRD_OPINION):
        instance = oracle(family.name).small(Stream("small", family.name, number))
        solution = family.solve(instance)
        for setting in CP_SETTINGS[: 1 + (number < 20) * 2]:
            status, value, decision = cp_sat(family, instance, **setting)
            assert status == ("OPTIMAL" if solution.feasible else "INFEASIBLE"), instance.canonical_json
            assert value == solution.value, instance.canonical_json
            assert not solution.unique or decision == solution.decision, instance.canonical_json


@pytest.mark.full
def test_cp_sat_agrees_on_many(family):
    for number in range(THIRD_OPINION, 2_000):
        instance = oracle(family.name).small(Stream("small", family.name, number))
        solution = family.solve(instance)
        status, value, _ = cp_sat(family, instance)
        assert (status, value) == ("OPTIMAL" if solution.feasible else "INFEASIBLE", solution.value), instance.canonical_json


@pytest.mark.full
@pytest.mark.parametrize("tenth", range(10))
def test_all_three_agree_on_generated_instances(family, tenth):
    """Two thousand draws of a family, admitted or not: value, decision and uniqueness."""
    config = replace(family.levels[0], **REDUCED.get(family.name, {}))
    for number in range(tenth * DRAWS // 10, (tenth + 1) * DRAWS // 10):
        instance = family.generate(config, Stream("drawn", family.name, number))
        solution, confirmed = family.solve(instance), family.verify(instance)
        assert (solution.value, solution.unique) == (confirmed.value, confirmed.unique), instance.canonical_json
        status, value, decision = cp_sat(family, instance)
        assert (status, value) == ("OPTIMAL", solution.value), instance.canonical_json
        assert not solution.unique or decision == solution.decision == confirmed.decision, instance.canonical_json


@pytest.mark.parametrize(
    ("level", "index", "work"),
    [
        (0, 1, 0.1),
        (1, 1, 0.1),
        pytest.param(0, 1, 0.3, marks=pytest.mark.full),
        *(pytest.param(1, at, 1.0, marks=pytest.mark.full) for at in (1, 2, 3)),
    ],
)
def test_cp_sat_does_not_beat_a_certified_optimum(family, level, index, work):
    """CP-SAT agrees if it finishes in bounded work, never finds a better value, and finds one at level 0."""
    admitted = certified_instance(family.name, level, index)
    status, value, decision = cp_sat(family, admitted.instance, work=work)
    assert status in ("OPTIMAL", "FEASIBLE", *(["UNKNOWN"] if level else []))
    if status == "OPTIMAL":
        assert (value, decision) == (admitted.optimum, admitted.solution.decision)
    if status == "FEASIBLE":
        assert value == admitted.optimum or family.sense.is_better(admitted.optimum, than=value)
