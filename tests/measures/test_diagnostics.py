"""Diagnostics of trajectories that were once counted wrongly: redundant calls, the budget cap, grounding."""

import json

import pytest

from algoworlds.core.interface import Interface
from algoworlds.core.tool import Call
from algoworlds.families import FAMILIES
from algoworlds.measures.discovery import entity_grounding, sufficient_sets
from algoworlds.measures.key import AnswerKey
from algoworlds.measures.scoring import score
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import World
from tests.unsolved import unsolved


def score_calls(world, *calls):
    """The measures of some calls; nothing is decided, so that the optimum does not matter."""
    decision = world.family.reference(world.instance)
    return score(Episode(world, calls), AnswerKey(0, decision, 1, sufficient_sets(world)))


def looks(world):
    """One call of every information tool, navigation included."""
    return [Call.from_arguments(tool.name, tool.argument.domain(world.public)[0]) for tool in world.family.template.tools]


@pytest.mark.parametrize("interface", Interface)
def test_the_first_look_at_a_floor_is_news(interface):
    world = unsolved("machine_layout", 0, interface=interface)
    survey = Call("survey_floor")
    assert [score_calls(world, *[survey] * times)["redundant_calls"] for times in (0, 1, 2, 3)] == [0, 0, 1, 2]


@pytest.mark.parametrize("interface", Interface)
def test_a_title_index_read_twice_is_redundant(interface):
    world = unsolved("series_portfolio", 0, interface=interface)
    index = Call.from_arguments("read_title_index", {"title": world.public["title"][0]})
    assert [score_calls(world, *[index] * times)["redundant_calls"] for times in (1, 2, 3)] == [0, 1, 2]


@pytest.mark.parametrize("interface", Interface)
@pytest.mark.parametrize("name", FAMILIES)
def test_redundant_calls_are_those_all_of_whose_records_were_seen_before(name, interface):
    """Against a count by hand: kinds of record and their rows, whatever they amount to."""
    world = unsolved(name, 0, interface=interface)
    plan, seen, redundant = next(iter(world.plans.values())), set(), 0
    calls = [*looks(world), *plan[:12], *looks(world), Call("nonsense"), *plan[:3]]
    episode = Episode(world, calls)
    for observation in episode.observations:
        if observation.status.value == "executed":
            rows = {(kind, str(row)) for kind, table in _records(observation).items() for row in table["rows"]}
            redundant += rows <= seen
            seen |= rows
    assert score_calls(world, *calls)["redundant_calls"] == redundant
    assert redundant >= 3


def _records(observation):
    return json.loads(observation.text)["records"]


def over_budget(world):
    """Calls that spend the budget until one of them is refused for it, and what is malformed and free."""
    dear = max(world.catalog, key=lambda call: world.prices[call.tool])
    return [dear] * (world.budget // world.prices[dear.tool] + 1), Call("nonsense")


def test_the_budget_cap_is_that_the_last_call_was_refused_for_budget():
    world = unsolved("fleet_dispatch", 0)
    refused, other = over_budget(world)
    submit = Call.from_arguments("submit_assignment", world.family.decision.arguments(world.family.reference(world.instance)))
    malformed = Call("submit_assignment", "{}")
    found = {
        "nothing": score_calls(world)["budget_cap"],
        "refused": score_calls(world, *refused)["budget_cap"],
        "again": score_calls(world, *refused, other, refused[0])["budget_cap"],
        "went on": score_calls(world, *refused, other)["budget_cap"],
        "decided": score_calls(world, *refused, submit)["budget_cap"],
        "tried to": score_calls(world, *refused, malformed)["budget_cap"],
    }
    assert found == {"nothing": 0, "refused": 1, "again": 1, "went on": 0, "decided": 0, "tried to": 0}


def test_an_entity_that_is_called_like_a_column_is_not_grounded_by_it():
    """Ids given by a user may be anything, the name of a column for example."""
    plain = unsolved("fleet_dispatch", 0)
    first, *others = plain.instance.job
    names = dict(zip(others, ("vehicle", "eligible", "load", "columns", "rows", "records"), strict=False))
    world = World(plain.coordinate, plain.instance.rename_ids(lambda item: names.get(item, item)), Interface.DIRECT)
    episode = Episode(world, [Call.from_arguments("read_job", {"job": first})])
    assert all(f'"{name}"' in episode.observations[0].text for name in names.values())
    assert not any(map(episode.mentions, names.values()))
    assert [job for job in world.instance.job if episode.mentions(job)] == [first]
    assert all(map(episode.mentions, world.instance.vehicle))
    episode.call("submit_assignment", {"assignment": dict.fromkeys(world.instance.job, world.instance.vehicle[0])})
    jobs = len(world.instance.job)
    assert entity_grounding(episode) == 2 / (jobs + 1)
