"""Gymnasium's own checks, rewards, and vector environments."""

from math import isnan

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import algoworlds as aw
from algoworlds.adapters.gymnasium import ENVIRONMENT_ID
from algoworlds.core.stream import Stream
from algoworlds.runs.agents import TRACK_AGENTS
from algoworlds.worlds.episode import Episode
from tests.doors.test_contract import optimal

NAMED = f"algoworlds.adapters.gymnasium:{ENVIRONMENT_ID}"
VECTOR_OPTIONS = {"sync": {}, "async": {"shared_memory": False}}


@pytest.fixture
def env(suite):
    return gymnasium.make(NAMED, suite=suite.directory, reward="utility", shaping="coverage")


def actions_of(calls):
    return [{"tool": tool, "arguments": arguments} for tool, arguments in calls]


@pytest.mark.parametrize("chosen", ["suite", "seed"])
def test_passes_gymnasiums_checks(suite, chosen):
    worlds = {"suite": suite.directory} if chosen == "suite" else {"seed": 1, "families": "fleet_dispatch,machine_layout"}
    check_env(gymnasium.make(NAMED, **worlds).unwrapped)
    check_env(gymnasium.make(NAMED, **worlds, render_mode="ansi").unwrapped)


def test_oracle_rewards_sum_to_one_minus_the_initial_potential(suite, env):
    for number, entry in enumerate(suite.manifest.worlds):
        env.reset(options={"number": number})
        constant = float(env.unwrapped.play.step_rewards("utility", "coverage").initial_potential)
        *_, last = paid = [env.step(action) for action in actions_of(optimal(suite, entry.id))]
        assert sum(reward for _, reward, *_ in paid) == pytest.approx(1 - constant)
        assert [(done, cut) for _, _, done, cut, _ in paid] == [(False, False)] * (len(paid) - 1) + [(True, False)]
        assert env.step({"tool": "fly", "arguments": "{}"})[1] == 0
        assert last[-1] == {"status": "submitted", "charged": 0, "valid": True}


def test_same_seed_draws_same_worlds(env):
    first = [env.reset(seed=7)[0], *(env.reset()[0] for _ in range(3))]
    assert [env.reset(seed=7)[0], *(env.reset()[0] for _ in range(3))] == first
    assert len(set(first)) > 1


def test_stream_world_by_number():
    env = gymnasium.make(NAMED, seed="s", families=["fleet_dispatch"], levels=[0], interfaces="direct", split="test")
    question, info = env.reset(options={"number": 5})
    fresh = aw.stream("s", "fleet_dispatch", interfaces=["direct"], split="test")[5]
    assert (question, info["budget"]) == (fresh.world.question, fresh.world.budget)


@pytest.mark.parametrize("way", VECTOR_OPTIONS)
def test_vector_environments_are_independent(suite, way):
    """Each plays its own world, and the next episode starts by itself."""
    options = {"autoreset_mode": AutoresetMode.SAME_STEP, **VECTOR_OPTIONS[way]}
    envs = gymnasium.make_vec(NAMED, 3, vectorization_mode=way, vector_kwargs=options, suite=suite.directory)
    try:
        questions, info = envs.reset(seed=[1, 2, 3])
        worlds = [suite.manifest.worlds[number].id for number in info["number"]]
        assert list(questions) == [suite.public_world(world).question for world in worlds]
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


def test_shared_memory_is_refused(suite):
    with pytest.raises(ValueError, match="disable this feature with `shared_memory=False`"):
        gymnasium.make_vec(NAMED, 2, vectorization_mode="async", suite=suite.directory)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give a suite to take worlds from, or a seed for fresh ones"),
        ({"seed": 1, "suite": "x"}, "either of them, not both"),
        ({"seed": 1, "reward": "fame"}, "there is no reward 'fame'"),
        ({"seed": 1, "families": "chess"}, "chess"),
    ],
)
def test_rejects_wrong_options(options, message):
    with pytest.raises(aw.InputError, match=message):
        gymnasium.make(NAMED, **options)


@pytest.mark.parametrize("chosen", ["suite", "seed"])
def test_programs_run_on_a_track(suite, chosen):
    worlds = {"suite": suite.directory, "worlds": "fleet*"} if chosen == "suite" else {"seed": 1, "families": "fleet_dispatch"}
    env = gymnasium.make(NAMED, **worlds, track="code", reward="exact")
    question, info = env.reset(options={"number": 0})
    assert "\nComputing\n" in question
    assert info["tools"][-1]["name"] == "python"
    episode = Episode(env.unwrapped.play.episode.world)
    TRACK_AGENTS["coder"](episode, Stream("gymnasium"))
    steps = [env.step(action) for action in actions_of(episode.own_calls)]
    assert [step[0] for step in steps] == [observation.text for observation in episode.observations]
    assert [step[-1]["status"] for step in steps][-2:] == ["computed", "submitted"]
    assert steps[-1][1:3] == (1.0, True)


def test_a_fault_of_the_infrastructure_is_never_a_reward_of_zero(suite, env, monkeypatch):
    env.reset(options={"number": 0})
    (first, *_) = actions_of(optimal(suite, suite.manifest.worlds[0].id))

    def fail(self, tool, arguments=None):
        raise OSError("the disk is gone")

    with monkeypatch.context() as broken:
        broken.setattr(aw.Play, "call", fail)
        _, reward, terminated, truncated, info = env.unwrapped.step(first)  # its checker warns of the reward
    assert isnan(reward)
    assert (terminated, truncated) == (False, True)
    assert info == {"valid": False, "fault": "OSError: the disk is gone"}
    env.reset(options={"number": 0})
    assert env.step(first)[-1]["valid"] is True
