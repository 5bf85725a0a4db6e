"""Agents that bound their regret: proven decisions from what they have read, and from nothing else."""

from dataclasses import replace
from itertools import cycle, product

import pytest

from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Determination, Oracle, Risk
from algoworlds.runs.agents import AGENTS
from algoworlds.runs.agents.proving import CompletionBuilder, Guess, cheapest_cover
from algoworlds.worlds import admission
from algoworlds.worlds import world as worlds
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import CALL_CAP, World, load_world

BLOCKS = {name: family.knowledge for name, family in FAMILIES.items()}
DECLARED = [name for name, block in BLOCKS.items() if block.ranges is not None and block.unknowns is not None]


class Untouchable:
    """An instance that fails at every access."""

    def __getattribute__(self, name):
        raise AssertionError(f"the hidden instance was asked for {name}")


class SealedEpisode:
    """An episode that gives the question and answers only; its instance cannot be accessed."""

    def __init__(self, hidden):
        self._episode = Episode(hidden)
        elsewhere = replace(hidden.coordinate, seed="another seed altogether")
        self.world = World(elsewhere, Untouchable(), hidden.interface)
        self.world.__dict__["public"] = hidden.public

    def __getattr__(self, name):
        return getattr(self._episode, name)


def play(agent, episode):
    AGENTS[agent](episode, Stream("seeking"))
    return episode


def refuse(*arguments):
    raise AssertionError("the hidden instance was generated again")


PLAYED = [("certifier", Interface.MEDIATED), ("thrifty", Interface.DIRECT)]
OTHERS = [("certifier", Interface.DIRECT), ("thrifty", Interface.MEDIATED)]
IN_TURN = [(name, *way) for name, way in zip(FAMILIES, cycle(PLAYED), strict=False)]


@pytest.mark.parametrize(
    ("name", "agent", "interface"),
    [
        pytest.param(name, *way, marks=() if (name, *way) in IN_TURN else pytest.mark.full)
        for name, way in product(FAMILIES, [*PLAYED, *OTHERS])
    ],
)
def test_agents_use_only_what_they_read(name, agent, interface, monkeypatch):
    hidden = load_world(f"{name}-0-1", interface)
    episode = play(agent, Episode(hidden))
    for module in (admission, worlds):
        monkeypatch.setattr(module, "admit", refuse)
    sealed = play(agent, SealedEpisode(hidden))
    assert (sealed.calls, sealed.decision, sealed.claim) == (episode.calls, episode.decision, episode.claim)
    assert episode.spent <= min(map(hidden.cost, hidden.plans.values()))
    assert episode.verdict.feasible


@pytest.mark.parametrize("name", DECLARED)
def test_certifier_proves_and_claims_the_optimum(name):
    hidden = load_world(f"{name}-0-2")
    episode = play("certifier", Episode(hidden))
    optimum = hidden.family.solve(hidden.instance).decision
    assert (episode.decision, episode.claim.value) == (optimum, "proven")
    risk = Oracle.from_world(hidden, optimum).optimum_risk(ObservedCalls.from_episode(episode))
    assert risk.determination is Determination.DETERMINED


@pytest.mark.parametrize("name", DECLARED)
def test_thrifty_buys_no_more_than_certifier_and_claims_only_what_is_proven(name):
    hidden = load_world(f"{name}-0-2")
    thrifty, certifier = (play(agent, Episode(hidden)) for agent in ("thrifty", "certifier"))
    assert certifier.calls[: thrifty.executed] == thrifty.calls[: thrifty.executed]
    optimum = hidden.family.solve(hidden.instance).decision
    risk = Oracle.from_world(hidden, optimum).optimum_risk(ObservedCalls.from_episode(thrifty))
    assert (thrifty.claim.value == "proven") is (risk.determination is Determination.DETERMINED)


@pytest.mark.parametrize(("share", "high", "within"), [(0, 0, True), (0, 1, False), (0.05, None, False), (0.05, 1, True)])
def test_guess_is_within_a_share_of_the_reference_gap(share, high, within):
    hidden = load_world("fleet_dispatch-0-1")
    guess = Guess(hidden, hidden.family.solve(hidden.instance).decision, Risk(0, high))
    assert guess.is_within(share) is within
    assert not Guess(hidden, hidden.family.reference(hidden.instance), Risk(0, 1)).is_within(share)


@pytest.mark.parametrize("name", FAMILIES)
def test_cheapest_cover_reveals_everything_at_most_at_plan_cost(name):
    for index in (1, 2, 3):
        hidden = load_world(f"{name}-0-{index}")
        calls = cheapest_cover(hidden)
        assert hidden.cost(calls) <= min(map(hidden.cost, hidden.plans.values()))
        assert len(calls) <= CALL_CAP
        assert hidden.instance_from_facts(Episode(hidden, calls).facts) == hidden.instance


@pytest.mark.parametrize("name", DECLARED)
def test_completion_gives_the_same_responses(name):
    hidden = load_world(f"{name}-0-1")
    builder = CompletionBuilder(hidden, hidden.ranges, hidden.family.knowledge.unknowns)
    calls = cheapest_cover(hidden)
    required = builder.relations_to_read
    first = [call for call in calls if not required.isdisjoint(map(str, hidden.family.tools[call.tool].reveals))]
    rest = [call for call in calls if call not in first]
    for more in range(0, len(rest) + 1, 3):
        read = [*first, *rest[:more]]
        instance = builder.build_completion(Episode(hidden, read).facts, read)
        other = World(hidden.coordinate, instance, hidden.interface)
        assert [other.records(call) for call in read] == [hidden.records(call) for call in read]
        assert other.question == hidden.question
