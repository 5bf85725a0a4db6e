"""Difficulties between levels: their worlds are certified by the same rules."""

from functools import cache

import pytest

from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.core.work import work_band
from algoworlds.families import FAMILIES, load_family
from algoworlds.measures.key import AnswerKey
from algoworlds.worlds.admission import Coordinate, admit
from algoworlds.worlds.episode import Episode, Outcome
from algoworlds.worlds.world import build_world

QUICK, FULL = (0.5,), (0.25, 0.75, 1.25, 1.5, 1.75, 2.5)
CASES = [
    pytest.param(name, difficulty, marks=pytest.mark.full if difficulty in FULL else ())
    for name in FAMILIES
    for difficulty in (*QUICK, *FULL)
]


@cache
def admit_between(name, difficulty):
    return admit(Coordinate.from_difficulty(name, difficulty, 1, "between levels", "train"))


@pytest.mark.parametrize("name", FAMILIES)
def test_configuration_at_a_level_is_the_levels_own(name):
    family = load_family(name)
    assert all(family.config(float(level)) is config for level, config in family.levels.items())
    configs = {repr(family.config(tenths / 10)) for tenths in range(41)}
    assert len(configs) > len(family.levels), "there are configurations between levels"


@pytest.mark.parametrize(("name", "difficulty"), CASES)
def test_worlds_between_levels_are_certified_in_their_band(name, difficulty):
    admitted = admit_between(name, difficulty)
    solution, instance = admitted.solution, admitted.instance
    assert solution.unique
    assert solution.agrees_with(admitted.family.verify(instance))
    assert admitted.family.check(instance, solution.decision).value == solution.value
    low, high = work_band(difficulty)
    assert low <= solution.work.total <= high
    assert list(admitted.family.ranges_at(difficulty).violations(instance)) == []


@pytest.mark.parametrize(("name", "difficulty"), CASES)
def test_worlds_between_levels_can_be_played(name, difficulty):
    """Both plans are within budget and reveal everything, and the certified optimum can be submitted."""
    admitted = admit_between(name, difficulty)
    world = build_world(admitted, Interface.MEDIATED)
    for plan in world.plans.values():
        episode = Episode(world, plan)
        assert world.instance_from_facts(episode.facts) == admitted.instance
        decision = world.family.decision.arguments(AnswerKey.from_admitted(admitted, world).decision)
        episode.call(world.family.template.decision_tools.submit, decision)
        assert episode.outcome is Outcome.FEASIBLE


def test_streams_differ_between_difficulties():
    coordinates = [Coordinate.from_difficulty("fleet_dispatch", value, 1, "s", "train") for value in (0, 0.01, 0.1, 1)]
    assert len({coordinate.stream.path for coordinate in coordinates}) == 4
    rounded = Coordinate.from_difficulty("fleet_dispatch", 0.996, 1, "s", "train")
    assert rounded == Coordinate("fleet_dispatch", 1, 1, "s", split="train")


@pytest.mark.full
@pytest.mark.parametrize("name", FAMILIES)
def test_every_difficulty_up_to_two_can_be_reached(name):
    """At every hundredth, one of a few draws has work within the band."""
    family, work_by_config = load_family(name), {}
    for at in range(1, 200):
        config, (low, high) = family.config(at / 100), work_band(at / 100)
        if repr(config) not in work_by_config:
            instances = (family.generate(config, Stream("reach", name, at, draw)) for draw in range(8))
            work_by_config[repr(config)] = [family.solve(instance).work.total for instance in instances]
        assert any(low <= work <= high for work in work_by_config[repr(config)]), at / 100
