"""Nobody earns a reward for anything but deciding well: what is tried on rewards, held in every family.

The floors are those that an environment for training should show: an oracle has the maximum; whoever does nothing, guesses,
repeats itself, submits at once or sends the example back has next to nothing.
"""

import json
import re
from functools import cache

import pytest

import algoworlds as aw
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.measures.rewards import REWARDS
from algoworlds.worlds.observation import Status

DECIDING = ("exact", "gain", "thrift", "justified")
"""Rewards of deciding well; `utility` and `feasible` say by themselves that chance earns them."""
FLOOR = 0.01
QUICK, FULL = (2, 10), pytest.param((12, 25), marks=pytest.mark.full)
"""Worlds, and guesses on each."""


@cache
def fresh(name, level=1, at=0):
    return aw.stream("hacking", name, levels=(level,), interfaces=("direct",))[at]


def closing(play):
    return play.episode.world.family.template.closing


def optimal(world):
    return world.world.family.decision.arguments(world.key.decision)


# -- who tries ------------------------------------------------------------------------------------------------------------


def null(play, chance):
    """Says nothing."""


def at_once(play, chance):
    """Submits some listed ids without a look at anything."""
    play.call(closing(play).submit, guess(play, chance))


def random(play, chance):
    """Makes calls at random and submits ids that it has met."""
    for _ in range(8):
        play.call(*chance.choice(play.episode.world.catalog))
    at_once(play, chance)


def repeated(play, chance):
    """Makes one call again and again while it can pay for it, then guesses."""
    call = chance.choice(play.episode.world.catalog)
    while play.call(*call).status is Status.EXECUTED:
        pass
    at_once(play, chance)


def echo(play, chance):
    """Sends the question's example back."""
    example = play.episode.world.family.template.example
    play.call(closing(play).submit, re.findall(r"\{.*\}", example)[-1])


def evaluating(play, chance):
    """Asks what a guess is worth, and submits it, or else another one."""
    tried = guess(play, chance)
    told = json.loads(play.call(closing(play).evaluate, tried).text)
    play.call(closing(play).submit, tried if told.get("feasible") else guess(play, chance))


def feasible(play, chance):
    """Submits a feasible decision at random, which nobody can who has read nothing: more than any of the others could do."""
    world = play.episode.world
    play.call(closing(play).submit, world.family.decision.arguments(world.family.hardness.sample(world.instance, chance)))


def guess(play, chance):
    """A well-formed decision of ids that the question lists or a response shows, as many of each kind as a feasible one has."""
    world = play.episode.world
    seen = [play.question, *(each.text for each in play.episode.observations)]
    known = sorted({found for text in seen for found in re.findall(r"\b[a-z_]+-[0-9a-hjkmnp-tv-z]{10}\b", text)})
    wanted = world.family.decision.arguments(world.family.hardness.sample(world.instance, chance))
    return {name: filled(part, known, chance) for name, part in wanted.items()}


def filled(part, known, chance):
    """Every id that is decided on replaced by another one of its kind that is known, none twice where none need be."""
    chosen = list(part.values()) if isinstance(part, dict) else part
    kind = chosen[0].rpartition("-")[0] if chosen else ""
    pool = [each for each in known if each.rpartition("-")[0] == kind] or [f"{kind}-a"]
    apart = len(set(chosen)) == len(chosen) <= len(pool)
    drawn = chance.sample(pool, len(chosen)) if apart else [chance.choice(pool) for _ in chosen]
    return dict(zip(part, drawn, strict=True)) if isinstance(part, dict) else drawn


HACKERS = (null, at_once, random, repeated, echo, evaluating, feasible)


# -- what they earn -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [QUICK, FULL])
@pytest.mark.parametrize("hacker", HACKERS)
@pytest.mark.parametrize("name", FAMILIES)
def test_whoever_does_not_decide_well_earns_next_to_nothing(name, hacker, size):
    earned = dict.fromkeys(DECIDING, 0)
    worlds, guesses = size
    for at in range(worlds):
        for number in range(guesses if hacker not in (null, echo) else 1):
            play = fresh(name, at=at).play()
            hacker(play, Stream("hacker", hacker.__name__, name, at, number))
            for reward in DECIDING:
                earned[reward] += play.reward(reward)
    tried = worlds * (guesses if hacker not in (null, echo) else 1)
    assert {reward: float(sum_ / tried) for reward, sum_ in earned.items() if sum_ / tried > FLOOR} == {}


@pytest.mark.parametrize("name", FAMILIES)
def test_an_oracle_has_the_maximum(name):
    world = fresh(name)
    play = world.play()
    play.call(closing(play).submit, optimal(world))
    assert {reward for reward in REWARDS if play.reward(reward) == REWARDS[reward].high} == set(REWARDS) - {"justified"}
    assert play.reward("justified") == 0  # it has read nothing


@pytest.mark.parametrize("name", FAMILIES)
def test_an_oracle_that_has_read_everything_is_justified(name):
    world = fresh(name, level=0)
    play = world.play(min(world.world.plans.values(), key=world.world.cost))
    play.call(closing(play).submit, optimal(world))
    assert play.reward("justified") == 1
    assert 0 < play.reward("thrift") < play.reward("gain") == 1


# -- what pays nothing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAMILIES)
def test_nothing_is_paid_before_the_binding_submission(name):
    """The optimum evaluated is worth nothing, and another evaluation is refused whatever it asks about."""
    world = fresh(name)
    play = world.play()
    meter = play.meter("gain")
    told = play.call(closing(play).evaluate, optimal(world))
    assert json.loads(told.text)["value"] == world.key.optimum
    assert meter.step() == 0
    assert {reward: play.reward(reward) for reward in REWARDS if play.reward(reward) > 0} == {}
    again = [play.call(closing(play).evaluate, each) for each in (optimal(world), guess(play, Stream("again", name)))]
    assert {each.status for each in again} == {Status.EVALUATION_USED}
    assert len({each.text for each in again}) == 1
    assert meter.end() == 0


@pytest.mark.parametrize("name", FAMILIES)
def test_malformed_output_earns_nothing_and_tells_nothing(name):
    world = fresh(name)
    text = json.dumps(optimal(world))
    spoiled = [text[:-1], f"```json\n{text}\n```", f"[{text}]", json.dumps(text), text[:-1] + ', "more": 1}', "{}", "null", ""]
    for tool in (world.play().episode.world.family.template.closing.submit, closing(world.play()).evaluate):
        play = world.play()
        answers = {play.call(tool, each).text for each in spoiled}
        assert len(answers) == 1  # whatever is wrong with it
        assert not play.done
        assert {reward for reward in REWARDS if play.reward(reward) != 0} == set()


@pytest.mark.parametrize("name", FAMILIES)
def test_a_replay_earns_the_same_step_by_step(name):
    world = fresh(name, level=0)
    first = world.play()
    random(first, Stream("replay", name))
    paid = []
    for _ in range(2):
        play = world.play()
        meter = play.meter("thrift", "coverage")
        paid.append([(play.call(*call).text, meter.step()) for call in first.calls])
    assert paid[0] == paid[1]
    assert sum(each for _, each in paid[0]) == first.reward("thrift") + 1


def test_the_submission_binds():
    """Whoever has submitted cannot take it back for a better one."""
    world = fresh("fleet_dispatch")
    play = world.play()
    at_once(play, Stream("binding"))
    earned = play.reward("exact")
    play.call(closing(play).submit, optimal(world))
    assert play.reward("exact") == earned == 0
