"""The continuous scale: worlds from about 2^6 to 2^28 of work, in every family."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import log2

import pytest

from algoworlds.core.interface import Interface
from algoworlds.core.work import Bits, power_of_two, work_band
from algoworlds.errors import InputError
from algoworlds.families import FAMILIES, load_family
from algoworlds.measures.key import AnswerKey
from algoworlds.worlds.admission import Coordinate, admit
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import build_world, parse_world_id

EASIEST, HARDEST = 80, 265
"""Tenths of a bit that every family must reach at either end."""
WIDEST_STEP = {"machine_layout": 14}
"""One more machine more than doubles the work, so there is nothing between."""
QUICK = (0, 85, 120, 155)
CASES = [pytest.param(name, tenths) for name in FAMILIES for tenths in QUICK]
CASES += [
    pytest.param(name, tenths, marks=pytest.mark.full)
    for name in FAMILIES
    for tenths in sorted(load_family(name).scale)
    if tenths <= 240
]


def nearest(name, tenths):
    return Coordinate.from_bits(name, max(tenths, min(load_family(name).scale)) / 10, 1)


@pytest.mark.parametrize("name", FAMILIES)
def test_steps_are_narrow_from_a_childs_size_to_beyond_level_4(name):
    scale = sorted(load_family(name).scale)
    assert scale[0] <= EASIEST
    assert scale[-1] >= HARDEST
    assert max(high - low for low, high in pairwise(scale)) <= WIDEST_STEP.get(name, 12)
    assert max(high - low for low, high in pairwise([at for at in scale if at >= 100])) <= WIDEST_STEP.get(name, 10)


@pytest.mark.parametrize(("name", "tenths"), CASES)
def test_worlds_of_the_scale_have_the_work_that_they_state(name, tenths):
    coordinate = nearest(name, tenths)
    admitted = admit(coordinate)
    assert abs(log2(admitted.solution.work.total) - coordinate.difficulty) <= 0.25
    assert admitted.solution.agrees_with(admitted.family.verify(admitted.instance))
    assert admitted.reference_gap > 0
    assert list(admitted.family.ranges_at(coordinate.difficulty).violations(admitted.instance)) == []


@pytest.mark.parametrize(("name", "tenths"), CASES)
def test_worlds_of_the_scale_can_be_played(name, tenths):
    admitted = admit(nearest(name, tenths))
    for interface in Interface:
        world = build_world(admitted, interface)
        assert parse_world_id(world.id) == (world.coordinate, interface)
        for plan in world.plans.values():
            episode = Episode(world, plan)
            assert episode.facts == admitted.instance.facts
            spent = sum(observation.charged for observation in episode.observations)
            assert spent <= world.budget - world.prices[world.family.template.decision_tools.evaluate]
        closing = world.family.template.decision_tools
        arguments = world.family.decision.arguments(admitted.solution.decision)
        episode.call(closing.evaluate, arguments)
        episode.call(closing.submit, arguments)
        assert AnswerKey.from_admitted(admitted, world).optimum == admitted.optimum == episode.verdict.value


def test_ids_name_their_bits_and_tags_their_seed():
    coordinate = Coordinate.from_bits("fleet_dispatch", 13.6, 3)
    assert coordinate.name == "fleet_dispatch-b13.5-3"
    assert coordinate == Coordinate.from_bits("fleet_dispatch", 13.4, 3)
    private = Coordinate.from_bits("fleet_dispatch", 13.5, 3, "other", "0" * 32)
    assert private.name.startswith("fleet_dispatch-b13.5-3-")
    assert private.stream.word() != coordinate.stream.word()


@pytest.mark.parametrize("text", ["fleet_dispatch-b3-1", "fleet_dispatch-b40-1", "fleet_dispatch-b12.5-1-train"])
def test_bits_outside_the_scale_are_refused(text):
    with pytest.raises(InputError):
        parse_world_id(text)


def test_a_family_without_a_scale_says_so():
    with pytest.raises(InputError, match=r"no worlds of 12\.3 bits"):
        replace(Coordinate("fleet_dispatch", 0, 1), tenths=123)


def test_bands_of_bits_are_exact():
    assert [power_of_two(Fraction(at, 2)) for at in (0, 1, 2, 3, 20, 21)] == [1, 1, 2, 2, 1024, 1448]
    low, high = work_band(Bits.from_tenths(120))
    assert (low - 1) ** 4 < 2**47 <= low**4
    assert high**4 <= 2**49 < (high + 1) ** 4
    assert [str(Bits.from_tenths(at)) for at in (60, 125, 280)] == ["b6.0", "b12.5", "b28.0"]


def test_rules_follow_the_work():
    rules = [
        (at.has_rules_of_level_0, at.has_rules_of_level_1) for at in (nearest("transit_routing", x) for x in (80, 120, 155))
    ]
    assert rules == [(False, False), (True, False), (True, True)]
    assert Coordinate("transit_routing", 1, 1).has_rules_of_level_1
    assert not Coordinate("transit_routing", 0, 1).has_rules_of_level_1
