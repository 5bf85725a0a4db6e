"""What programs are given depends on the question and the answers alone, whatever is hidden."""

import json
from dataclasses import replace

import pytest

from algoworlds import Coordinate, Episode, Interface, admit, build_world
from algoworlds.families import FAMILIES
from algoworlds.tracks.track import find_track
from algoworlds.worlds.optimum import count_misread_cells, instance_from_facts, instance_from_tables, program_values
from algoworlds.worlds.programs import executed_answers


def values_from_texts(episode):
    """What a program is given, built from what the agent has read only."""
    return [
        {"tool": call.tool, "arguments": json.loads(call.arguments), "answer": json.loads(observation.text)}
        for call, observation in zip(episode.calls, episode.observations, strict=True)
        if observation.status.value == "executed"
    ]


@pytest.fixture(scope="module", params=FAMILIES)
def admitted(request):
    return admit(Coordinate(request.param, level=0, index=1))


@pytest.mark.parametrize("interface", list(Interface))
def test_programs_are_given_what_was_read(admitted, interface):
    world = replace(build_world(admitted, interface), track=find_track("code"))
    plan = min(world.plans.values(), key=world.cost)
    episode = Episode(world, [*plan[: len(plan) // 2], ("nothing", "{}"), (plan[0].tool, "[]"), *plan[len(plan) // 2 :]])
    values = program_values(world, executed_answers(episode, episode.attempts))
    assert json.loads(json.dumps(values)) == values
    assert values["answers"] == values_from_texts(episode)
    shown = json.dumps([world.question, [observation.text for observation in episode.observations]])
    for name, table in values["task"].items():
        for item in table if isinstance(table, list) else [table]:
            assert str(item).replace("'", '"') in shown or f"{item:,}" in shown, name


def test_tables_of_the_instance_are_read_back(admitted):
    world = build_world(admitted, Interface.DIRECT)
    relations, document = world.family.instance.relations, world.instance.json
    tables = {name: document[name] for name, relation in relations.items() if not relation.public and not relation.is_roster}
    instance = instance_from_tables(world, tables)
    assert instance == world.instance
    assert count_misread_cells(world, instance) == 0
    assert instance_from_facts(world, world.instance.facts) == world.instance


def test_hidden_rows_that_were_not_read_change_nothing():
    admitted = admit(Coordinate("fleet_dispatch", level=0, index=1))
    world = build_world(admitted, Interface.MEDIATED)
    row = world.instance.rows("load")[-1]
    other = replace(world, instance=world.instance.with_rows(load={row: (row[0], row[1] % 3 + 1)}))
    assert other.instance != world.instance
    calls = [("read_job", json.dumps({"job": job})) for job in world.public["job"] if job != row[0]]
    given = []
    for one in (world, other):
        episode = Episode(one, calls)
        given.append(program_values(one, executed_answers(episode, episode.attempts)))
    assert given[0] == given[1]
    assert count_misread_cells(world, other.instance) == 1
