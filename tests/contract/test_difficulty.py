"""Difficulties between levels: what lies between two configurations is a task of the family, certified by the same rules."""

from functools import cache

import pytest

from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.core.work import band
from algoworlds.families import FAMILIES, family
from algoworlds.measures.key import Key
from algoworlds.worlds.admit import Coordinate, admit
from algoworlds.worlds.episode import Episode, Outcome
from algoworlds.worlds.world import build

QUICK, FULL = (0.5,), (0.25, 0.75, 1.25, 1.5, 1.75, 2.5)
CASES = [
    pytest.param(name, each, marks=pytest.mark.full if each in FULL else ()) for name in FAMILIES for each in (*QUICK, *FULL)
]


@cache
def between(name, difficulty):
    return admit(Coordinate.at(name, difficulty, 1, "between levels", "train"))


@pytest.mark.parametrize("name", FAMILIES)
def test_at_a_level_the_configuration_is_the_levels_own(name):
    own = family(name)
    assert all(own.config(float(level)) is config for level, config in own.levels.items())
    assert len({repr(own.config(tenths / 10)) for tenths in range(41)}) > len(own.levels)  # something lies between


@pytest.mark.parametrize(("name", "difficulty"), CASES)
def test_worlds_between_levels_are_certified_in_their_band(name, difficulty):
    admitted = between(name, difficulty)
    solution, instance = admitted.solution, admitted.instance
    assert solution.unique
    assert solution.agrees(admitted.family.verify(instance))
    assert admitted.family.check(instance, solution.decision).value == solution.value
    low, high = band(difficulty)
    assert low <= solution.work.total <= high
    assert list(admitted.family.ranges_at(difficulty).broken(instance)) == []


@pytest.mark.parametrize(("name", "difficulty"), CASES)
def test_worlds_between_levels_are_played_as_others_are(name, difficulty):
    """Either plan is within budget, tells everything, and what it tells gives the certified optimum."""
    admitted = between(name, difficulty)
    world = build(admitted, Interface.MEDIATED)
    for plan in world.plans.values():
        episode = Episode(world, plan)
        assert world.rebuild(episode.facts) == admitted.instance
        decision = world.family.decision.arguments(Key.of(admitted, world).decision)
        episode.call(world.family.template.closing.submit, decision)
        assert episode.outcome is Outcome.FEASIBLE


def test_randomness_tells_a_difficulty_from_its_level():
    paths = {Coordinate.at("fleet_dispatch", each, 1, "s", "train").stream.path for each in (0, 0.01, 0.1, 1)}
    assert len(paths) == 4
    assert Coordinate.at("fleet_dispatch", 0.996, 1, "s", "train") == Coordinate("fleet_dispatch", 1, 1, "s", split="train")


@pytest.mark.full
@pytest.mark.parametrize("name", FAMILIES)
def test_no_difficulty_up_to_two_is_out_of_reach(name):
    """At every hundredth the work of what is drawn meets the band within a few draws."""
    own, known = family(name), {}
    for at in range(1, 200):
        config, (low, high) = own.config(at / 100), band(at / 100)
        if repr(config) not in known:
            drawn = (own.generate(config, Stream("reach", name, at, draw)) for draw in range(8))
            known[repr(config)] = [own.solve(each).work.total for each in drawn]
        assert any(low <= work <= high for work in known[repr(config)]), at / 100
