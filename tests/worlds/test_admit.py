"""Admission: an attempt is drawn, solved, held to the rules, and only then certified by the other algorithm."""

from dataclasses import replace

import pytest

from algoworlds.core.interface import Interface
from algoworlds.errors import AdmissionError, AlgoWorldsError
from algoworlds.families import FAMILIES
from algoworlds.worlds.admit import Candidate, Coordinate, admit, certify, refusal
from algoworlds.worlds.world import World, build

FAMILY = FAMILIES["fleet_dispatch"]


def changed(monkeypatch, **algorithms):
    """The exemplary family with other algorithms, where everything finds it."""
    family = replace(FAMILY, **algorithms)
    monkeypatch.setitem(FAMILIES, FAMILY.name, family)
    return family


def refused_first():
    """A coordinate whose first attempt is refused."""
    places = (Coordinate(FAMILY.name, 0, index) for index in range(1, 100))
    return next(place for place in places if refusal(Candidate(place, 0)) is not None)


def test_only_what_breaks_no_rule_is_verified(monkeypatch):
    place, verified = refused_first(), []
    changed(monkeypatch, verify=lambda instance: verified.append(instance) or FAMILY.verify(instance))
    admitted = admit(place)
    assert admitted.attempt > 0
    assert verified == [admitted.instance]
    assert all(refusal(Candidate(place, each)) is not None for each in range(admitted.attempt))
    assert len(verified) == 1, "to ask for a refusal verifies nothing"


def test_the_reference_is_computed_once(monkeypatch):
    asked = []
    changed(monkeypatch, reference=lambda instance: asked.append(instance) or FAMILY.reference(instance))
    admitted = admit(Coordinate(FAMILY.name, 0, 1))
    assert len(asked) == len(set(asked))
    assert asked[-1] == admitted.instance


def test_algorithms_that_disagree_stop_everything(monkeypatch):
    wrong = Candidate(Coordinate(FAMILY.name, 0, 1), 0).solution
    changed(monkeypatch, verify=lambda instance: replace(wrong, value=wrong.value + 1))
    with pytest.raises(AlgoWorldsError, match="the two exact algorithms disagree"):
        admit(Coordinate(FAMILY.name, 0, 2))


def test_nothing_ambiguous_is_certified(monkeypatch):
    candidate = Candidate(Coordinate(FAMILY.name, 0, 1), 0)
    tied = replace(candidate.solution, optima=2)
    changed(monkeypatch, solve=lambda instance: tied, verify=lambda instance: tied)
    assert refusal(Candidate(candidate.coordinate, 0)) == "the optimum is not unique"
    with pytest.raises(AlgoWorldsError, match="disagree"):
        certify(Candidate(candidate.coordinate, 0))
    with pytest.raises(AdmissionError, match="none of 200 attempts was admitted; the last: the optimum is not unique"):
        admit(candidate.coordinate)


PLAIN = FAMILIES["series_portfolio"]
"""A family that is quick to admit at level 1."""


def shown(instance):
    """A hand whose tables show nothing but the optimum."""
    hand = PLAIN.hardness.hand(instance)
    hand.shows = (PLAIN.reference(instance), PLAIN.solve(instance).decision).__contains__
    return hand


@pytest.mark.parametrize(
    ("declared", "why"),
    [
        ({"fits": {"a column: as it is": lambda instance: instance}}, "a solver that guesses a column (a column: as it is)"),
        ({"blind": {"nothing": lambda instance: instance}}, "a solver blind to nothing"),
        ({"hand": shown}, "a unit that its tables show"),
    ],
)
def test_what_gives_the_optimum_away_is_refused_from_level_1_on(monkeypatch, declared, why):
    first, warm = (admit(Coordinate(PLAIN.name, level, 1)) for level in (1, 0))
    monkeypatch.setitem(FAMILIES, PLAIN.name, replace(PLAIN, hardness=replace(PLAIN.hardness, **declared)))
    assert refusal(Candidate(first.coordinate, first.attempt)).startswith(why)
    spared = refusal(Candidate(warm.coordinate, warm.attempt)) is None
    assert spared is ("blind" not in declared), "the warm-up is held to blindness alone"


def test_a_family_without_a_hand_or_ranges_is_admitted(monkeypatch):
    hardness, knowledge = replace(PLAIN.hardness, hand=None), replace(PLAIN.knowledge, ranges=None)
    monkeypatch.setitem(FAMILIES, PLAIN.name, replace(PLAIN, hardness=hardness, knowledge=knowledge))
    assert admit(Coordinate(PLAIN.name, 1, 1)).coordinate.level == 1


def test_a_world_is_made_of_a_coordinate_an_instance_and_an_interface():
    admitted = admit(Coordinate(FAMILY.name, 0, 1))
    world = World(admitted.coordinate, admitted.instance, Interface.MEDIATED)
    other = build(admitted, Interface.MEDIATED)
    assert (world.id, world.question, world.records(world.catalog[0])) == (
        other.id,
        other.question,
        other.records(other.catalog[0]),
    )
