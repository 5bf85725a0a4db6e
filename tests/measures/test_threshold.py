"""The adaptive measurement: exact integers, sensible choices, and honest intervals on simulated players."""

import random
from hashlib import sha256

import numpy as np
import pytest

from algoworlds.measures import threshold
from algoworlds.measures.threshold import (
    Likelihood,
    Outcome,
    choose_points,
    estimate_ability,
    estimate_family,
    hyper_prior,
    posteriors,
    success_curve,
)
from bench import thresholds as bench

OFFERED = {name: tuple(range(60, 281, 5)) for name in ("one", "two", "three")}
FAMILIES = tuple(OFFERED)


def test_the_sequence_is_the_same_on_every_platform():
    """The tables, and a sequence of choices that depends on all of them, have pinned digests."""
    tables = [*threshold._success_tables(), threshold._decays(), threshold._entropies(), *hyper_prior()]
    assert {table.dtype for table in tables} == {np.dtype(np.int64)}
    digest = sha256(b"".join(table.astype("<i8").tobytes() for table in tables)).hexdigest()
    rng, outcomes = random.Random("sequence"), list[Outcome]()
    for _ in range(6):
        points = choose_points(OFFERED, outcomes, 5, 1)
        outcomes += [Outcome(name, tenths, rng.random() < (0.9 if tenths < 140 else 0.1)) for name, tenths in points]
    assert digest == "bdcd6e92f98185e06bb37c615aef0486910bfbdbf6769135b516b401bb4efb78"
    assert (
        sha256(repr([outcome[:2] for outcome in outcomes]).encode()).hexdigest()
        == "43c9d3711c8bb7284442934d7e9781c4109664175edf3cf1e17f7ffa5502972b"
    )


def test_everything_that_a_choice_depends_on_is_an_integer():
    outcomes = [Outcome("one", 100, True), Outcome("two", 160, False)]
    posterior = posteriors(FAMILIES, outcomes)["one"]
    arrays = [posterior.prior, posterior.weights, posterior.likelihood.weights, posterior.likelihood.evidence]
    assert {array.dtype for array in arrays} == {np.dtype(np.int64)}
    assert all(type(posterior.information(at)) is int and type(posterior.chance(at)) is int for at in OFFERED["one"])
    assert all(array.min() >= 0 for array in arrays)  # nothing has overflowed


def test_weights_survive_thousands_of_outcomes():
    outcomes = [Outcome("one", 60 + 5 * (at % 45), at % 45 < 20) for at in range(5_000)]
    posterior = posteriors(FAMILIES, outcomes)["one"]
    assert 2**29 < posterior.weights.sum() < 2**31
    assert 14 < estimate_family(posterior).threshold.value < 17


def test_the_order_of_outcomes_and_of_other_families_does_not_matter():
    rng = random.Random(1)
    outcomes = [Outcome(name, at, rng.random() < 0.5) for name in FAMILIES for at in (80, 120, 160, 200)]
    first = choose_points(OFFERED, outcomes, 7, 1)
    assert choose_points(OFFERED, outcomes[::-1], 7, 1) == first
    assert choose_points(dict(reversed(OFFERED.items())), outcomes, 1, 1)[0].tenths in {at for _, at in first}


def test_the_first_round_sees_every_family_at_its_easiest_world():
    assert [tuple(point) for point in choose_points(OFFERED, [], 3, 1)] == [("one", 60), ("two", 60), ("three", 60)]


def test_worlds_under_way_are_not_asked_again_for_the_same_reason():
    """Points of a round differ, although no outcome comes between them."""
    outcomes = [Outcome(name, at, at < 150) for name in FAMILIES for at in (60, 140, 160)]
    points = choose_points({"one": OFFERED["one"]}, [one for one in outcomes if one.family == "one"], 6, 1)
    assert len({tenths for _, tenths in points}) >= 3


def test_choices_follow_the_outcomes():
    able = [Outcome("one", at, True) for at in (60, 120, 180)]
    unable = [Outcome("one", at, False) for at in (60, 120, 180)]
    offered = {"one": OFFERED["one"]}
    assert choose_points(offered, able, 1, 1)[0].tenths > 180 > choose_points(offered, unable, 1, 1)[0].tenths


def test_a_family_ends_when_its_threshold_is_known_or_beyond_its_scale():
    beyond = [Outcome("one", 60, False)] * 12
    assert choose_points({"one": OFFERED["one"]}, beyond, 5, 2_000) == []
    known = [Outcome("one", at, at < 150) for at in (60, *range(100, 200, 5)) for _ in range(10)]
    assert choose_points({"one": OFFERED["one"]}, known, 5, 2_000) == []
    assert choose_points({"one": OFFERED["one"]}, known, 5, 100) != []


def test_other_families_inform_a_family_without_outcomes():
    outcomes = [Outcome(name, at, at < 110) for name in ("one", "two") for at in range(60, 200, 10)]
    informed, blank = posteriors(FAMILIES, outcomes)["three"], posteriors(FAMILIES, [])["three"]
    low, high = informed.interval
    assert low < 11_000 < high
    assert high - low < blank.interval[1] - blank.interval[0]


def test_failures_on_trivial_worlds_are_lapses_if_hard_worlds_are_solved():
    outcomes = [Outcome("one", at, at != 60 or turn % 3 > 0) for at in (60, 100, 120, 140) for turn in range(9)]
    found = estimate_family(posteriors(("one",), outcomes)["one"])
    assert found.lapse.value > 0.05
    assert found.threshold.value > 13


def test_a_threshold_is_where_half_of_the_decisions_are_exact_whatever_the_lapse_rate():
    for lapse in range(len(threshold.LAPSES)):
        for slope in range(len(threshold.SLOPES)):
            at = int(np.flatnonzero(threshold.THRESHOLDS == 15 * threshold.BIT)[0])
            assert threshold._cells(150)[0][at, slope, lapse] / 2**20 == pytest.approx(0.5, abs=0.01)


def test_curves_fall_with_work():
    posterior = posteriors(FAMILIES, [Outcome("one", 100, True), Outcome("one", 200, False)])["one"]
    curve = success_curve(posterior, OFFERED["one"])
    assert curve == sorted(curve, reverse=True)
    assert Likelihood.flat().after(100, True).logs.max() <= 0


def test_intervals_hold_on_simulated_players():
    """A short form of `python -m bench.thresholds`."""
    found = bench.assess(20, 100)
    assert 0.91 <= found.covered <= 0.99
    assert abs(found.bias) < 0.25
    assert found.ability_covered >= 0.85


@pytest.mark.full
def test_intervals_hold_on_many_simulated_players():
    found = bench.assess(200, bench.BUDGET)
    assert 0.93 <= found.covered <= 0.97
    assert abs(found.bias) < 0.25


def test_a_measurement_needs_less_than_half_of_the_evaluations_of_a_grid():
    ours, grid = (bench.evaluations_needed(1, 1.5, adaptive) for adaptive in (True, False))
    assert ours * 2 <= grid


def test_ability_is_the_mean_threshold():
    outcomes = [Outcome(name, at, at < 150) for name in FAMILIES for at in range(60, 280, 5)]
    ability = estimate_ability(FAMILIES, outcomes)
    known = [estimate_family(posterior).threshold.value for posterior in posteriors(FAMILIES, outcomes).values()]
    assert ability.value == pytest.approx(sum(known) / 3, abs=0.1)
    assert ability.half_width < estimate_family(posteriors(FAMILIES, outcomes)["one"]).threshold.half_width
