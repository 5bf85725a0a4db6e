"""Rollouts: plays, rewards and records in the order of the worlds, the same with and without a process pool."""

import pytest

import algoworlds as aw
from algoworlds.batch import open_executor
from algoworlds.core.canonical import canonical_json
from algoworlds.errors import InputError
from algoworlds.suites.register import write_register
from tests.silence import silent

WORLDS = aw.stream("rollouts", ("fleet_dispatch", "machine_layout"))[:6]


def peek(play):
    """A custom agent: makes one call and submits nonsense."""
    play.call(*play.episode.world.catalog[0])
    play.call("submit", {"none": []})


def comparable(rollouts):
    return [(rollout.world.id, rollout.reward, canonical_json(rollout.record)) for rollout in rollouts]


def test_rolls_out_scripted_agents_by_name():
    results = list(aw.rollouts("oracle", WORLDS, reward="exact"))
    assert [rollout.world for rollout in results] == list(WORLDS)
    rows = {(rollout.reward, rollout.record["exact"], rollout.record["configuration"]) for rollout in results}
    assert rows == {(1, 1, "oracle")}
    assert {rollout.reward for rollout in aw.rollouts("null", WORLDS)} == {0}


def test_process_pool_gives_same_bytes_in_same_order(tmp_path, monkeypatch):
    monkeypatch.setattr("algoworlds.suites.register.WORLDS_PER_PART", 2)
    out = [tmp_path / name for name in ("pool.jsonl", "alone.jsonl")]
    with open_executor(2, None) as pool:
        for agent in ("random", peek):
            alone = comparable(aw.rollouts(agent, WORLDS, None, "thrift"))
            assert comparable(aw.rollouts(agent, WORLDS, pool, "thrift")) == alone
        for path, executor in zip(out, (pool, None), strict=True):
            write_register(WORLDS.stream, len(WORLDS), path, executor, silent)
    assert out[0].read_bytes() == out[1].read_bytes()


def test_worlds_may_be_infinite():
    results = aw.rollouts(peek, aw.stream("rollouts", "fleet_dispatch"))
    assert [next(results).record["executed_calls"] for _ in range(3)] == [1, 1, 1]


def test_progress_bar_goes_to_stderr(capsys):
    assert len(list(aw.rollouts(peek, WORLDS, progress=True))) == len(WORLDS)
    printed = capsys.readouterr()
    assert (printed.out, "plays" in printed.err) == ("", True)


def test_rejects_unknown_agent_and_reward_at_once():
    with pytest.raises(InputError, match="there is no agent 'stranger'; choose from null, random"):
        aw.rollouts("stranger", WORLDS)
    with pytest.raises(InputError, match="there is no reward 'glory'"):
        aw.rollouts(peek, WORLDS, reward="glory")
