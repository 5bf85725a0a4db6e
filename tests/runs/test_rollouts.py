"""Rollouts: the same plays, rewards and records whoever does the work, in the order of the worlds."""

import pytest

import algoworlds as aw
from algoworlds.batch import engine
from algoworlds.core.canonical import canonical_text
from algoworlds.errors import InputError
from algoworlds.suites.register import register
from tests.silence import silent

WORLDS = aw.stream("rollouts", ("fleet_dispatch", "machine_layout"))[:6]


def peek(play):
    """An agent of somebody's own: reads one thing and sends nonsense."""
    play.call(*play.episode.world.catalog[0])
    play.call("submit", {"none": []})


def told(rollouts):
    return [(each.world.id, each.reward, canonical_text(each.record)) for each in rollouts]


def test_scripted_agents_are_rolled_out_by_name():
    made = list(aw.rollouts("oracle", WORLDS, reward="exact"))
    assert [each.world for each in made] == list(WORLDS)
    assert {(each.reward, each.record["exact"], each.record["configuration"]) for each in made} == {(1, 1, "oracle")}
    assert {each.reward for each in aw.rollouts("null", WORLDS)} == {0}


def test_a_pool_plays_and_registers_the_same_bytes_in_the_same_order(tmp_path, monkeypatch):
    monkeypatch.setattr("algoworlds.suites.register.PART", 2)
    out = [tmp_path / name for name in ("pool.jsonl", "alone.jsonl")]
    with engine(2, None) as pool:
        for agent in ("random", peek):
            assert told(aw.rollouts(agent, WORLDS, pool, "thrift")) == told(aw.rollouts(agent, WORLDS, None, "thrift"))
        for path, executor in zip(out, (pool, None), strict=True):
            register(WORLDS.stream, len(WORLDS), path, executor, silent)
    assert out[0].read_bytes() == out[1].read_bytes()


def test_worlds_may_have_no_end():
    played = aw.rollouts(peek, aw.stream("rollouts", "fleet_dispatch"))
    assert [next(played).record["executed_calls"] for _ in range(3)] == [1, 1, 1]


def test_a_bar_shows_the_progress_on_stderr(capsys):
    assert len(list(aw.rollouts(peek, WORLDS, progress=True))) == len(WORLDS)
    shown = capsys.readouterr()
    assert (shown.out, "plays" in shown.err) == ("", True)


def test_what_cannot_be_rolled_out_is_refused_at_once():
    with pytest.raises(InputError, match="there is no agent 'nobody'; choose from null, random"):
        aw.rollouts("nobody", WORLDS)
    with pytest.raises(InputError, match="there is no reward 'glory'"):
        aw.rollouts(peek, WORLDS, reward="glory")
