"""Gymnasium's own checks, rewards, and environments by the dozen."""

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import algoworlds as aw
from algoworlds.adapters.gymnasium import WORLD
from tests.doors.test_contract import optimal

NAMED = f"algoworlds.adapters.gymnasium:{WORLD}"
WAYS = {"sync": {}, "async": {"shared_memory": False}}


@pytest.fixture
def env(suite):
    return gymnasium.make(NAMED, suite=suite.directory, reward="utility", shaping="coverage")


def acted(calls):
    return [{"tool": tool, "arguments": arguments} for tool, arguments in calls]


@pytest.mark.parametrize("chosen", ["suite", "seed"])
def test_gymnasium_finds_nothing_to_complain_of(suite, chosen):
    worlds = {"suite": suite.directory} if chosen == "suite" else {"seed": 1, "families": "fleet_dispatch,machine_layout"}
    check_env(gymnasium.make(NAMED, **worlds).unwrapped)
    check_env(gymnasium.make(NAMED, **worlds, render_mode="ansi").unwrapped)


def test_an_oracle_is_paid_one_in_all_beside_a_constant_and_a_null_nothing(suite, env):
    for number, entry in enumerate(suite.manifest.worlds):
        env.reset(options={"number": number})
        constant = float(env.unwrapped.play.meter("utility", "coverage").start)
        *_, last = paid = [env.step(action) for action in acted(optimal(suite, entry.id))]
        assert sum(reward for _, reward, *_ in paid) == pytest.approx(1 - constant)
        assert [(done, cut) for _, _, done, cut, _ in paid] == [(False, False)] * (len(paid) - 1) + [(True, False)]
        assert env.step({"tool": "fly", "arguments": "{}"})[1] == 0
        assert last[-1] == {"status": "submitted", "charged": 0}


def test_the_same_seed_draws_the_same_worlds(env):
    first = [env.reset(seed=7)[0], *(env.reset()[0] for _ in range(3))]
    assert [env.reset(seed=7)[0], *(env.reset()[0] for _ in range(3))] == first
    assert len(set(first)) > 1


def test_a_stream_is_drawn_from_by_number():
    env = gymnasium.make(NAMED, seed="s", families=["fleet_dispatch"], levels=[0], interfaces="direct", split="test")
    asked, told = env.reset(options={"number": 5})
    fresh = aw.stream("s", "fleet_dispatch", interfaces=["direct"], split="test")[5]
    assert (asked, told["budget"]) == (fresh.world.question, fresh.world.budget)


@pytest.mark.parametrize("way", WAYS)
def test_many_play_at_once_and_nobody_meets_another(suite, way):
    """Each in its own world, and the next episode begins by itself."""
    options = {"autoreset_mode": AutoresetMode.SAME_STEP, **WAYS[way]}
    envs = gymnasium.make_vec(NAMED, 3, vectorization_mode=way, vector_kwargs=options, suite=suite.directory)
    try:
        asked, told = envs.reset(seed=[1, 2, 3])
        worlds = [suite.manifest.worlds[number].id for number in told["number"]]
        assert list(asked) == [suite.presented(world).question for world in worlds]
        episodes, plans = [suite.play(world).episode for world in worlds], [optimal(suite, world) for world in worlds]
        for calls in zip(*plans, strict=False):
            tools, arguments = zip(*calls, strict=True)
            seen, paid, over, _, last = envs.step({"tool": tools, "arguments": arguments})
            answers = [episode.call(*call).text for episode, call in zip(episodes, calls, strict=True)]
            assert list(over) == list(paid) == [episode.stop is not None for episode in episodes]
            assert [last["final_obs"][at] if end else seen[at] for at, end in enumerate(over)] == answers
        assert any(over)
    finally:
        envs.close()


def test_texts_are_never_shared_by_memory_where_they_would_not_be_read(suite):
    with pytest.raises(ValueError, match="disable this feature with `shared_memory=False`"):
        gymnasium.make_vec(NAMED, 2, vectorization_mode="async", suite=suite.directory)


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({}, "give a suite to take worlds from, or a seed for fresh ones"),
        ({"seed": 1, "suite": "x"}, "either of them, not both"),
        ({"seed": 1, "reward": "fame"}, "there is no reward 'fame'"),
        ({"seed": 1, "families": "chess"}, "chess"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(chosen, told):
    with pytest.raises(aw.InputError, match=told):
        gymnasium.make(NAMED, **chosen)
