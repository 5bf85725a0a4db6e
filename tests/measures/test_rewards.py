"""Rewards keep to their declared ranges, and shaping adds a constant to the return: an identity of fractions."""

from fractions import Fraction

import pytest

import algoworlds as aw
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.measures.rewards import MAX_REGRET_GAPS, REWARDS, SHAPINGS
from tests.command import ROOT

FAMILIES = ("fleet_dispatch", "machine_layout", "transit_routing")


def fresh(name, interface="direct"):
    return aw.stream("rewards", name, interfaces=(interface,))[0]


def arguments_of(world, decision):
    return world.family.decision.arguments(decision)


def wander(play, chance, meter=None):
    """A random episode: calls, odd ones, perhaps an evaluation, perhaps a submission; what its steps are paid."""
    world, paid = play.episode.world, []
    closing, feasible = world.family.template.decision_tools, world.family.hardness.sample(world.instance, chance)
    for _ in range(chance.integer(0, 12)):
        play.call(*chance.choice([*world.catalog, ("nothing", {}), (closing.evaluate, arguments_of(world, feasible))]))
        paid.append(meter.step() if meter else 0)
    if chance.below(4):
        play.call(closing.submit, arguments_of(world, feasible))
        paid.append(meter.step() if meter else 0)
    elif meter:
        paid.append(meter.end())
    return paid


@pytest.mark.parametrize("discount", [1, Fraction(9, 10)], ids=str)
@pytest.mark.parametrize("name", FAMILIES)
def test_shaping_adds_a_constant_of_the_world_to_the_return(name, discount):
    world = fresh(name, "mediated" if discount == 1 else "direct")
    started = set()
    for number in range(6):
        for shaping in SHAPINGS if number < 2 else ["coverage"]:
            play = world.play()
            meter = play.step_rewards("thrift", shaping, discount)
            paid = wander(play, Stream("wander", name, number), meter)
            returned = sum(discount**at * payment for at, payment in enumerate(paid))
            assert returned == discount ** (len(paid) - 1) * play.reward("thrift") - meter.initial_potential
            started.add((shaping, meter.initial_potential))
            assert (meter.step(), meter.end()) == (0, 0)  # nothing is paid after the end
    assert len(started) == len(SHAPINGS)  # Phi(start) is the world's, whatever the agent does


def test_without_a_shaping_the_end_alone_is_paid():
    play = fresh(FAMILIES[0]).play()
    paid = wander(play, Stream("plain", 3), play.step_rewards("utility"))
    assert set(paid[:-1]) <= {0}
    assert paid[-1] == play.reward("utility")


def test_potentials_rise_to_zero_when_everything_is_known():
    world = fresh(FAMILIES[0])
    for name, least in (("coverage", -1), ("regret", -MAX_REGRET_GAPS)):
        play = world.play()
        meter = play.step_rewards("exact", name)
        assert meter.initial_potential == least
        paid = []
        for call in min(world.world.plans.values(), key=world.world.cost):
            play.call(*call)
            paid.append(meter.step())
        assert min(paid) >= 0  # whoever is told more risks no more
        assert sum(paid) == -least
        assert meter.end() == 0


@pytest.mark.parametrize("name", FAMILIES)
def test_rewards_stay_in_their_ranges_and_agree_with_the_measures(name):
    world = fresh(name)
    for number in range(8):
        play = world.play()
        wander(play, Stream("range", name, number))
        scored = play.score()
        for reward in REWARDS.values():
            assert reward.low <= play.reward(reward.name) <= reward.high
        assert play.reward("exact") == scored["exact"]
        assert play.reward("feasible") == scored["feasible"]
        assert float(play.reward("utility")) == pytest.approx(scored["utility"] / 100)
        assert play.reward("gain") <= play.reward("utility")
        assert play.reward("thrift") == play.reward("gain") - Fraction(scored["spend"], 10 * scored["budget"])


def test_every_reward_says_what_it_rewards_wrongly():
    assert all(reward.meaning and reward.loophole and reward.low < reward.high for reward in REWARDS.values())
    assert all(shaping.meaning and shaping.caution for shaping in SHAPINGS.values())


def test_unknown_names_are_refused_in_one_line():
    play = fresh(FAMILIES[0]).play()
    with pytest.raises(InputError, match="there is no reward 'glory'; choose from exact, utility"):
        play.reward("glory")
    with pytest.raises(InputError, match="there is no reward 'glory'"):
        play.step_rewards("glory")
    with pytest.raises(InputError, match="there is no shaping 'glory'; choose from coverage, regret, or none"):
        play.step_rewards("exact", "glory")


def test_the_document_explains_every_reward_and_shaping():
    text = (ROOT / "docs" / "training.md").read_text()
    assert [name for name in (*REWARDS, *SHAPINGS) if f"\n| `{name}` |" not in text] == []
