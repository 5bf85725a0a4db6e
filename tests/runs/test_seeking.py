"""Agents that know what they know: proven decisions from what was asked and paid for, and from nothing else."""

from dataclasses import replace
from itertools import cycle, product

import pytest

from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.knowledge.sufficiency.observed import Observed
from algoworlds.knowledge.sufficiency.oracle import Knowledge, Oracle, Risk
from algoworlds.runs.agents import AGENTS
from algoworlds.runs.agents.covering import cover
from algoworlds.runs.agents.imagining import Imagination
from algoworlds.runs.agents.seeking import Guess
from algoworlds.worlds import admit
from algoworlds.worlds import world as worlds
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import CALL_CAP, World, world

KNOWN = {name: family.knowledge for name, family in FAMILIES.items()}
DECLARED = [name for name, declared in KNOWN.items() if declared.ranges is not None and declared.unknowns is not None]


class Untouchable:
    """An instance that nobody may look at."""

    def __getattribute__(self, name):
        raise AssertionError(f"the hidden instance was asked for {name}")


class Door:
    """An episode as an agent may see it: what the question says, and answers; the instance behind it cannot be touched."""

    def __init__(self, hidden):
        self._episode = Episode(hidden)
        elsewhere = replace(hidden.coordinate, seed="another seed altogether")
        self.world = World(elsewhere, Untouchable(), hidden.interface)
        self.world.__dict__["public"] = hidden.public

    def __getattr__(self, name):
        return getattr(self._episode, name)


def played(agent, episode):
    AGENTS[agent](episode, Stream("seeking"))
    return episode


def refuse(*arguments):
    raise AssertionError("the hidden instance was made again")


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
def test_only_what_was_read_is_used(name, agent, interface, monkeypatch):
    hidden = world(f"{name}-0-1", interface)
    open_ = played(agent, Episode(hidden))
    for module in (admit, worlds):
        monkeypatch.setattr(module, "admit", refuse)
    behind = played(agent, Door(hidden))
    assert (behind.calls, behind.decision, behind.claim) == (open_.calls, open_.decision, open_.claim)
    assert open_.spent <= min(map(hidden.cost, hidden.plans.values()))
    assert open_.verdict.feasible


@pytest.mark.parametrize("name", DECLARED)
def test_a_certifier_is_justified_and_says_so(name):
    hidden = world(f"{name}-0-2")
    episode = played("certifier", Episode(hidden))
    optimum = hidden.family.solve(hidden.instance).decision
    assert (episode.decision, episode.claim.value) == (optimum, "proven")
    assert Oracle.of(hidden, optimum).known(Observed.of(episode)).knowledge is Knowledge.DETERMINED


@pytest.mark.parametrize("name", DECLARED)
def test_a_thrifty_agent_buys_no_more_and_claims_only_what_is_proven(name):
    hidden = world(f"{name}-0-2")
    thrifty, certifier = (played(agent, Episode(hidden)) for agent in ("thrifty", "certifier"))
    assert certifier.calls[: thrifty.executed] == thrifty.calls[: thrifty.executed]
    optimum = hidden.family.solve(hidden.instance).decision
    known = Oracle.of(hidden, optimum).known(Observed.of(thrifty)).knowledge
    assert (thrifty.claim.value == "proven") is (known is Knowledge.DETERMINED)


@pytest.mark.parametrize(("share", "high", "enough"), [(0, 0, True), (0, 1, False), (0.05, None, False), (0.05, 1, True)])
def test_enough_is_a_share_of_the_made_up_gap(share, high, enough):
    hidden = world("fleet_dispatch-0-1")
    guess = Guess(hidden, hidden.family.solve(hidden.instance).decision, Risk(0, high))
    assert guess.within(share) is enough
    assert not Guess(hidden, hidden.family.reference(hidden.instance), Risk(0, 1)).within(share)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_cover_tells_everything_at_no_more_than_a_plan(name):
    for index in (1, 2, 3):
        hidden = world(f"{name}-0-{index}")
        calls = cover(hidden)
        assert hidden.cost(calls) <= min(map(hidden.cost, hidden.plans.values()))
        assert len(calls) <= CALL_CAP
        assert hidden.rebuild(Episode(hidden, calls).facts) == hidden.instance


@pytest.mark.parametrize("name", DECLARED)
def test_what_is_made_up_answers_alike(name):
    hidden = world(f"{name}-0-1")
    mind = Imagination(hidden, hidden.ranges, hidden.family.knowledge.unknowns)
    calls = cover(hidden)
    first = [call for call in calls if not mind.unimaginable.isdisjoint(map(str, hidden.family.tools[call.tool].reveals))]
    rest = [call for call in calls if call not in first]
    for more in range(0, len(rest) + 1, 3):
        made = [*first, *rest[:more]]
        instance = mind.imagined(Episode(hidden, made).facts, made)
        other = World(hidden.coordinate, instance, hidden.interface)
        assert [other.records(call) for call in made] == [hidden.records(call) for call in made]
        assert other.question == hidden.question
