"""Admission: an attempt is drawn, solved and checked against the rules; only then does the other algorithm certify it."""

from dataclasses import replace

import pytest

from algoworlds.core.interface import Interface
from algoworlds.errors import AdmissionError, AlgoWorldsError
from algoworlds.families import FAMILIES
from algoworlds.worlds.admission import Candidate, Coordinate, admit, certify, find_broken_rule
from algoworlds.worlds.world import World, build_world

FAMILY = FAMILIES["fleet_dispatch"]


def replace_algorithms(monkeypatch, **algorithms):
    """Register the family with other algorithms."""
    family = replace(FAMILY, **algorithms)
    monkeypatch.setitem(FAMILIES, FAMILY.name, family)
    return family


def find_refused_coordinate():
    """A coordinate whose first attempt is refused."""
    coordinates = (Coordinate(FAMILY.name, 0, index) for index in range(1, 100))
    return next(place for place in coordinates if find_broken_rule(Candidate(place, 0)) is not None)


def test_only_candidates_that_break_no_rule_are_verified(monkeypatch):
    coordinate, verified = find_refused_coordinate(), []
    replace_algorithms(monkeypatch, verify=lambda instance: verified.append(instance) or FAMILY.verify(instance))
    admitted = admit(coordinate)
    assert admitted.attempt > 0
    assert verified == [admitted.instance]
    assert all(find_broken_rule(Candidate(coordinate, attempt)) is not None for attempt in range(admitted.attempt))
    assert len(verified) == 1, "finding a broken rule verifies nothing"


def test_the_reference_is_computed_once(monkeypatch):
    instances = []
    replace_algorithms(monkeypatch, reference=lambda instance: instances.append(instance) or FAMILY.reference(instance))
    admitted = admit(Coordinate(FAMILY.name, 0, 1))
    assert len(instances) == len(set(instances))
    assert instances[-1] == admitted.instance


def test_disagreeing_algorithms_raise(monkeypatch):
    wrong = Candidate(Coordinate(FAMILY.name, 0, 1), 0).solution
    replace_algorithms(monkeypatch, verify=lambda instance: replace(wrong, value=wrong.value + 1))
    with pytest.raises(AlgoWorldsError, match="the two exact algorithms disagree"):
        admit(Coordinate(FAMILY.name, 0, 2))


def test_ambiguous_optimum_is_not_certified(monkeypatch):
    candidate = Candidate(Coordinate(FAMILY.name, 0, 1), 0)
    tied = replace(candidate.solution, optima=2)
    replace_algorithms(monkeypatch, solve=lambda instance: tied, verify=lambda instance: tied)
    assert find_broken_rule(Candidate(candidate.coordinate, 0)) == "the optimum is not unique"
    with pytest.raises(AlgoWorldsError, match="disagree"):
        certify(Candidate(candidate.coordinate, 0))
    with pytest.raises(AdmissionError, match="none of 200 attempts was admitted; the last: the optimum is not unique"):
        admit(candidate.coordinate)


PLAIN = FAMILIES["series_portfolio"]
"""A family that is quick to admit at level 1."""


def space_with_visible_optimum(instance):
    """A search space in which the optimum is a visible unit."""
    space = PLAIN.hardness.search_space(instance)
    space.is_visible_unit = (PLAIN.reference(instance), PLAIN.solve(instance).decision).__contains__
    return space


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        ({"fits": {"a column: as it is": lambda instance: instance}}, "a solver that guesses a column (a column: as it is)"),
        ({"blind": {"nothing": lambda instance: instance}}, "a solver blind to nothing"),
        ({"search_space": space_with_visible_optimum}, "a unit that its tables show"),
    ],
)
def test_giveaways_are_refused_from_level_1_on(monkeypatch, declared, reason):
    level_1, warm_up = (admit(Coordinate(PLAIN.name, level, 1)) for level in (1, 0))
    monkeypatch.setitem(FAMILIES, PLAIN.name, replace(PLAIN, hardness=replace(PLAIN.hardness, **declared)))
    monkeypatch.setattr(Candidate, "refuses_guessed", "fits" in declared)
    assert find_broken_rule(Candidate(level_1.coordinate, level_1.attempt)).startswith(reason)
    admitted = find_broken_rule(Candidate(warm_up.coordinate, warm_up.attempt)) is None
    assert admitted is ("blind" not in declared), "level 0 has only the rule on blind solvers"


def test_every_second_attempt_refuses_guesses_by_a_coin_of_its_own(monkeypatch):
    fits = {"a column: as it is": lambda instance: instance}
    monkeypatch.setitem(FAMILIES, PLAIN.name, replace(PLAIN, hardness=replace(PLAIN.hardness, fits=fits)))
    candidates = [Candidate(Coordinate(PLAIN.name, 1, 1), attempt) for attempt in range(200)]
    coins = [candidate.refuses_guessed for candidate in candidates]
    assert 76 <= sum(coins) <= 124  # outside by a fair coin in fewer than one case of a thousand
    assert coins == [replace(candidate).refuses_guessed for candidate in candidates], "the coin belongs to the attempt"
    guessed = [(find_broken_rule(candidate) or "").startswith("a solver that guesses") for candidate in candidates[:12]]
    assert any(guessed)
    assert all(coin for guess, coin in zip(guessed, coins, strict=False) if guess)


def test_family_without_search_space_or_ranges_is_admitted(monkeypatch):
    hardness, knowledge = replace(PLAIN.hardness, search_space=None), replace(PLAIN.knowledge, ranges=None)
    monkeypatch.setitem(FAMILIES, PLAIN.name, replace(PLAIN, hardness=hardness, knowledge=knowledge))
    assert admit(Coordinate(PLAIN.name, 1, 1)).coordinate.level == 1


def test_world_is_a_coordinate_an_instance_and_an_interface():
    admitted = admit(Coordinate(FAMILY.name, 0, 1))
    world = World(admitted.coordinate, admitted.instance, Interface.MEDIATED)
    other = build_world(admitted, Interface.MEDIATED)
    assert (world.id, world.question, world.records(world.catalog[0])) == (
        other.id,
        other.question,
        other.records(other.catalog[0]),
    )
