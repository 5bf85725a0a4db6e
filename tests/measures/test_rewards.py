"""Rewards keep to their declared ranges, and shaping adds a constant to the return: an identity of fractions."""

from fractions import Fraction

import pytest

import algoworlds as aw
from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.measures.rewards import MAX_REGRET_GAPS, REWARDS, SHAPINGS
from tests.command import ROOT

FAMILIES = ("fleet_dispatch", "machine_layout", "transit_routing")


def new_world(name, interface="direct"):
    return aw.stream("rewards", name, interfaces=(interface,))[0]


def arguments_of(world, decision):
    return world.family.decision.arguments(decision)


def play_randomly(play, stream, meter=None):
    """Make random calls, perhaps an evaluation and a submission; return the payments of `meter` per step."""
    world, paid = play.episode.world, []
    closing, feasible = world.family.template.decision_tools, world.family.hardness.sample(world.instance, stream)
    for _ in range(stream.integer(0, 12)):
        play.call(*stream.choice([*world.catalog, ("nothing", {}), (closing.evaluate, arguments_of(world, feasible))]))
        paid.append(meter.step() if meter else 0)
    if stream.below(4):
        play.call(closing.submit, arguments_of(world, feasible))
        paid.append(meter.step() if meter else 0)
    elif meter:
        paid.append(meter.end())
    return paid


@pytest.mark.parametrize("discount", [1, Fraction(9, 10)], ids=str)
@pytest.mark.parametrize("name", FAMILIES)
def test_shaping_adds_a_constant_to_the_return(name, discount):
    world = new_world(name, "mediated" if discount == 1 else "direct")
    started = set()
    for number in range(6):
        for shaping in SHAPINGS if number < 2 else ["coverage"]:
            play = world.play()
            meter = play.step_rewards("thrift", shaping, discount)
            paid = play_randomly(play, Stream("wander", name, number), meter)
            returned = sum(discount**at * payment for at, payment in enumerate(paid))
            assert returned == discount ** (len(paid) - 1) * play.reward("thrift") - meter.initial_potential
            started.add((shaping, meter.initial_potential))
            assert (meter.step(), meter.end()) == (0, 0)  # nothing is paid after the end
    assert len(started) == len(SHAPINGS)  # Phi(start) depends on the world only


def test_without_shaping_only_the_end_is_paid():
    play = new_world(FAMILIES[0]).play()
    paid = play_randomly(play, Stream("plain", 3), play.step_rewards("utility"))
    assert set(paid[:-1]) <= {0}
    assert paid[-1] == play.reward("utility")


def test_potentials_rise_to_zero_along_a_plan():
    world = new_world(FAMILIES[0])
    for name, least in (("coverage", -1), ("regret", -MAX_REGRET_GAPS)):
        play = world.play()
        meter = play.step_rewards("exact", name)
        assert meter.initial_potential == least
        paid = []
        for call in min(world.world.plans.values(), key=world.world.cost):
            play.call(*call)
            paid.append(meter.step())
        assert min(paid) >= 0  # more responses never raise the risk
        assert sum(paid) == -least
        assert meter.end() == 0


@pytest.mark.parametrize("name", FAMILIES)
def test_rewards_stay_in_their_ranges_and_agree_with_the_measures(name):
    world = new_world(name)
    for number in range(8):
        play = world.play()
        play_randomly(play, Stream("range", name, number))
        scored = play.score()
        for reward in REWARDS.values():
            assert reward.low <= play.reward(reward.name) <= reward.high
        assert play.reward("exact") == scored["exact"]
        assert play.reward("feasible") == scored["feasible"]
        assert float(play.reward("utility")) == pytest.approx(scored["utility"] / 100)
        assert play.reward("gain") <= play.reward("utility")
        assert play.reward("thrift") == play.reward("gain") - Fraction(scored["spend"], 10 * scored["budget"])


def test_every_reward_states_its_loophole():
    assert all(reward.meaning and reward.loophole and reward.low < reward.high for reward in REWARDS.values())
    assert all(shaping.meaning and shaping.caution for shaping in SHAPINGS.values())


def test_unknown_names_are_refused_in_one_line():
    play = new_world(FAMILIES[0]).play()
    with pytest.raises(InputError, match="there is no reward 'glory'; choose from exact, utility"):
        play.reward("glory")
    with pytest.raises(InputError, match="there is no reward 'glory'"):
        play.step_rewards("glory")
    with pytest.raises(InputError, match="there is no shaping 'glory'; choose from coverage, regret, or none"):
        play.step_rewards("exact", "glory")


def test_the_document_explains_every_reward_and_shaping():
    text = (ROOT / "docs" / "training.md").read_text()
    assert [name for name in (*REWARDS, *SHAPINGS) if f"\n| `{name}` |" not in text] == []
