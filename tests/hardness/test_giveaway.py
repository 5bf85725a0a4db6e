"""Typical values in the place of read ones, and whether they give the optimum away."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from algoworlds.families import FAMILIES
from algoworlds.hardness.giveaway import GiveawayCheck, extra_imputed_instances, imputed_instances, quantize, typical_numbers
from algoworlds.worlds.admission import Coordinate, admit


@cache
def tiny(name):
    return admit(Coordinate(name, 0, 1, "impute tests"))


def alterations(admitted):
    """Every erased and every guessed instance, by name."""
    erased = admitted.family.hardness.blind_instances(admitted.instance)
    level = admitted.coordinate.level
    return [
        *erased,
        *(
            guess
            for guesses in (imputed_instances, extra_imputed_instances)
            for guess in guesses(admitted.family, level, admitted.instance)
        ),
    ]


@pytest.mark.parametrize("name", FAMILIES)
def test_giveaway_check_agrees_with_solving_every_altered_instance(name):
    admitted, solved = tiny(name), []
    family = replace(admitted.family, solve=lambda instance: solved.append(instance) or admitted.family.solve(instance))
    altered, giveaway = alterations(admitted), GiveawayCheck(family, admitted.solution.decision)
    found = {name: giveaway.finds_optimum(instance) for name, instance in altered}
    valid = [(name, instance) for name, instance in altered if instance.valid]  # an invalid one is never solved
    decided = {name: admitted.family.solve(instance).decision == admitted.solution.decision for name, instance in valid}
    assert found == dict.fromkeys(found, False) | decided
    assert set(admitted.family.hardness.blind) <= set(decided)
    assert len(solved) < len(altered), "rivals found before spare solves"


@pytest.mark.parametrize("name", FAMILIES)
def test_altered_instances_with_shared_caches_equal_fresh_ones(name):
    admitted = tiny(name)
    admitted.family.solve(admitted.instance)  # fills the caches of what ids alone determine
    for _, altered in alterations(admitted):
        if altered.valid:
            fresh = type(altered)(**altered.tables)
            assert admitted.family.solve(altered) == admitted.family.solve(fresh)
            assert altered.magnitude() == fresh.magnitude()


def test_equal_guesses_are_tried_once():
    admitted, checked = tiny("transit_routing"), []
    found = dict(imputed_instances(admitted.family, 0, admitted.instance))
    one, other = found["residue: this world's median"], found["residue: the middle of the range"]
    assert one is other, "of the residues 0, 1 and 2 both are the middle one"
    family = replace(admitted.family, check=lambda instance, y: checked.append(instance) or admitted.family.check(instance, y))
    giveaway = GiveawayCheck(family, admitted.solution.decision)
    assert giveaway.finds_optimum(one) is giveaway.finds_optimum(other) is False
    assert len(checked) == 1
    assert giveaway.finds_optimum(admitted.instance) is giveaway.finds_optimum(admitted.instance) is True


def test_an_unaltered_instance_gives_its_optimum_away():
    admitted = tiny("series_portfolio")
    giveaway = GiveawayCheck(admitted.family, admitted.solution.decision)
    assert giveaway.finds_optimum(admitted.instance)
    assert not GiveawayCheck(admitted.family, admitted.reference).finds_optimum(admitted.instance)


def test_every_kind_of_guess_is_made_in_the_declared_order():
    admitted = tiny("fleet_dispatch")
    found = dict(imputed_instances(admitted.family, 0, admitted.instance))
    guessed = {name: set(guess.activation.values()) for name, guess in found.items() if name.startswith("activation_cost")}
    own = list(admitted.instance.activation.values())
    assert guessed["activation_cost: this world's mean"] == {sum(own) // len(own)}
    assert guessed["activation_cost: this world's median"] == {sorted(own)[(len(own) - 1) // 2]}
    assert len(guessed["activation_cost: in two classes"]) == 2
    assert "activation_cost: in three classes" not in guessed, "a few numbers in three classes are the column itself"
    assert "activation_cost: fitted from route means" in found
    assert "route_cost: in three classes" in found
    kinds = ("activation_cost: in two classes", "activation_cost: fitted from route means", "route_cost: in three classes")
    assert sorted(kinds, key=list(found).index) == list(kinds), "what alters the instance least comes first"
    assert list(found).index("activation_cost: in two classes") < list(found).index("capacity: in two classes"), (
        "what binds last"
    )
    assert list(found)[-4:] == [name for name in found if name.startswith("load: the m") or "load: this w" in name]


def test_extra_guesses_differ_from_those_of_admission():
    admitted = tiny("fleet_dispatch")
    found = dict(extra_imputed_instances(admitted.family, 0, admitted.instance))
    own = sorted(admitted.instance.route_cost.values())
    lower, upper = own[len(own) // 4], own[3 * len(own) // 4]
    assert set(found["route_cost: this world's lower quartile"].route_cost.values()) == {lower}
    halves = found["route_cost: in equal halves"].route_cost
    assert {halves[pair] for pair, cost in admitted.instance.route_cost.items() if cost < own[len(own) // 2]} == {lower}
    assert {halves[pair] for pair, cost in admitted.instance.route_cost.items() if cost >= own[len(own) // 2]} == {upper}
    assert not found.keys() & dict(imputed_instances(admitted.family, 0, admitted.instance)).keys()


@pytest.mark.parametrize(
    ("numbers", "count", "means"),
    [
        ([1, 2, 3, 100, 101, 102], 2, [2, 101]),
        ([1, 2, 3, 4, 100], 2, [2, 100]),
        ([1, 3, 50, 52, 98, 100], 3, [2, 51, 99]),
        ([5, 90, 91, 92], 2, [5, 91]),
    ],
)
def test_numbers_fall_into_the_class_with_the_nearest_mean(numbers, count, means):
    guess = quantize(np.array(numbers), count)
    assert list(guess.means) == means
    for number, mean in zip(numbers, guess.apply(np.array(numbers)), strict=True):
        assert abs(number - mean) == min(abs(number - other) for other in means)


def test_certain_numbers_are_not_guessed_and_the_middle_is_that_of_the_declared_range():
    admitted = tiny("transit_routing")
    found = dict(imputed_instances(admitted.family, 0, admitted.instance))
    stated = admitted.family.ranges_at(0).columns["transfer", "transfer_costs"]
    for at, row in enumerate(found["transfer_costs: the middle of the range"].transfer.values()):
        assert row[at] == stated.diagonal, "staying on a line costs nothing, as the question says"
        assert {cost for to, cost in enumerate(row) if to != at} == {(stated.low + stated.high) // 2}
    assert 0 not in typical_numbers("transit_routing", 0)["transfer", "transfer_costs"]
