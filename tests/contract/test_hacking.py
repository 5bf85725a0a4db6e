"""Reward hacking: only good decisions earn a reward, in every family.

An oracle earns the maximum; agents that do nothing, guess, repeat themselves, submit at once or send the example back
earn next to nothing.
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
"""Rewards for good decisions; `utility` and `feasible` are documented as partly earned by chance."""
FLOOR = 0.01
QUICK, FULL = (5, 10), pytest.param((12, 25), marks=pytest.mark.full)
"""Worlds, and guesses per world."""


@cache
def stream_world(name, level=1, at=0):
    return aw.stream("hacking", name, levels=(level,), interfaces=("direct",))[at]


def closing(play):
    return play.episode.world.family.template.decision_tools


def optimal_arguments(world):
    return world.world.family.decision.arguments(world.key.decision)


# -- the agents ------------------------------------------------------------------------------------------------------------


def null(play, chance):
    """Do nothing."""


def at_once(play, chance):
    """Submit some listed ids without reading anything."""
    play.call(closing(play).submit, guess(play, chance))


def random(play, chance):
    """Make random calls and submit ids that occurred in responses."""
    for _ in range(8):
        play.call(*chance.choice(play.episode.world.catalog))
    at_once(play, chance)


def repeat(play, chance):
    """Repeat one call while the budget lasts, then guess."""
    call = chance.choice(play.episode.world.catalog)
    while play.call(*call).status is Status.EXECUTED:
        pass
    at_once(play, chance)


def echo(play, chance):
    """Send the question's example back."""
    example = play.episode.world.family.template.example
    play.call(closing(play).submit, re.findall(r"\{.*\}", example)[-1])


def evaluate(play, chance):
    """Evaluate a guess and submit it if it is feasible, else another one."""
    first = guess(play, chance)
    result = json.loads(play.call(closing(play).evaluate, first).text)
    play.call(closing(play).submit, first if result.get("feasible") else guess(play, chance))


def feasible(play, chance):
    """Submit a random feasible decision, which no agent can find without reading."""
    world = play.episode.world
    play.call(closing(play).submit, world.family.decision.arguments(world.family.hardness.sample(world.instance, chance)))


def guess(play, chance):
    """A well-formed decision of ids from the question and responses, as many of each kind as a feasible one has."""
    world = play.episode.world
    seen = [play.question, *(observation.text for observation in play.episode.observations)]
    ids = sorted({item for text in seen for item in re.findall(r"\b[a-z_]+-[0-9a-hjkmnp-tv-z]{10}\b", text)})
    sample = world.family.decision.arguments(world.family.hardness.sample(world.instance, chance))
    return {name: fill(part, ids, chance) for name, part in sample.items()}


def fill(part, ids, chance):
    """Replace every chosen id by a random one of its kind, without repetition if there are enough."""
    chosen = list(part.values()) if isinstance(part, dict) else part
    kind = chosen[0].rpartition("-")[0] if chosen else ""
    pool = [item for item in ids if item.rpartition("-")[0] == kind] or [f"{kind}-a"]
    distinct = len(set(chosen)) == len(chosen) <= len(pool)
    picks = chance.sample(pool, len(chosen)) if distinct else [chance.choice(pool) for _ in chosen]
    return dict(zip(part, picks, strict=True)) if isinstance(part, dict) else picks


HACKERS = (null, at_once, random, repeat, echo, evaluate, feasible)


# -- what they earn -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [QUICK, FULL])
@pytest.mark.parametrize("hacker", HACKERS)
@pytest.mark.parametrize("name", FAMILIES)
def test_agents_that_do_not_decide_well_earn_next_to_nothing(name, hacker, size):
    earned = dict.fromkeys(DECIDING, 0)
    worlds, guesses = size
    for at in range(worlds):
        for number in range(guesses if hacker not in (null, echo) else 1):
            play = stream_world(name, at=at).play()
            hacker(play, Stream("hacker", hacker.__name__, name, at, number))
            for reward in DECIDING:
                earned[reward] += play.reward(reward)
    plays = worlds * (guesses if hacker not in (null, echo) else 1)
    assert {reward: float(total / plays) for reward, total in earned.items() if total / plays > FLOOR} == {}


@pytest.mark.parametrize("name", FAMILIES)
def test_oracle_earns_the_maximum(name):
    world = stream_world(name)
    play = world.play()
    play.call(closing(play).submit, optimal_arguments(world))
    assert {reward for reward in REWARDS if play.reward(reward) == REWARDS[reward].high} == set(REWARDS) - {"justified"}
    assert play.reward("justified") == 0  # it has read nothing


@pytest.mark.parametrize("name", FAMILIES)
def test_oracle_that_has_read_everything_is_justified(name):
    world = stream_world(name, level=0)
    play = world.play(min(world.world.plans.values(), key=world.world.cost))
    play.call(closing(play).submit, optimal_arguments(world))
    assert play.reward("justified") == 1
    assert 0 < play.reward("thrift") < play.reward("gain") == 1


# -- what earns nothing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FAMILIES)
def test_nothing_is_earned_before_the_submission(name):
    """Evaluating the optimum earns nothing, and a second evaluation is refused whatever its decision."""
    world = stream_world(name)
    play = world.play()
    rewards = play.step_rewards("gain")
    observation = play.call(closing(play).evaluate, optimal_arguments(world))
    assert json.loads(observation.text)["value"] == world.key.optimum
    assert rewards.step() == 0
    assert {reward: play.reward(reward) for reward in REWARDS if play.reward(reward) > 0} == {}
    second = [
        play.call(closing(play).evaluate, decision)
        for decision in (optimal_arguments(world), guess(play, Stream("again", name)))
    ]
    assert {observation.status for observation in second} == {Status.EVALUATION_USED}
    assert len({observation.text for observation in second}) == 1
    assert rewards.end() == 0


@pytest.mark.parametrize("name", FAMILIES)
def test_malformed_output_earns_and_reveals_nothing(name):
    world = stream_world(name)
    text = json.dumps(optimal_arguments(world))
    malformed = [
        text[:-1],
        f"```json\n{text}\n```",
        f"[{text}]",
        json.dumps(text),
        text[:-1] + ', "more": 1}',
        "{}",
        "null",
        "",
    ]
    for tool in (world.play().episode.world.family.template.decision_tools.submit, closing(world.play()).evaluate):
        play = world.play()
        answers = {play.call(tool, arguments).text for arguments in malformed}
        assert len(answers) == 1
        assert not play.done
        assert {reward for reward in REWARDS if play.reward(reward) != 0} == set()


@pytest.mark.parametrize("name", FAMILIES)
def test_replay_earns_the_same_at_every_step(name):
    world = stream_world(name, level=0)
    first = world.play()
    random(first, Stream("replay", name))
    transcripts = []
    for _ in range(2):
        play = world.play()
        rewards = play.step_rewards("thrift", "coverage")
        transcripts.append([(play.call(*call).text, rewards.step()) for call in first.calls])
    assert transcripts[0] == transcripts[1]
    assert sum(reward for _, reward in transcripts[0]) == first.reward("thrift") + 1


def test_submission_is_binding():
    """A submitted decision cannot be replaced by a better one."""
    world = stream_world("fleet_dispatch")
    play = world.play()
    at_once(play, Stream("binding"))
    earned = play.reward("exact")
    play.call(closing(play).submit, optimal_arguments(world))
    assert play.reward("exact") == earned == 0
