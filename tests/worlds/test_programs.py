"""What programs are given depends on the question and the answers alone, whatever is hidden."""

import json
from contextlib import suppress
from dataclasses import replace
from itertools import product

import pytest

from algoworlds import Coordinate, Episode, InputError, Interface, admit, build_world
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.suites.contracts.worlds import PublicOnlyInstance
from algoworlds.tracks.track import find_track
from algoworlds.worlds.optimum import count_misread_cells, instance_from_facts, instance_from_tables, program_values
from algoworlds.worlds.programs import executed_answers
from tests.unsolved import unsolved_world


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


def odd_calls(world, stream, count=12):
    """Calls of which about half are answered: tools with admissible arguments, with odd ones, and tools that do not exist."""
    domains = {tool.name: tool.argument.domain(world.public) for tool in world.family.template.tools}
    for _ in range(count):
        tool = stream.choice([*world.prices, "fly", "python"])
        arguments = json.dumps(stream.choice(domains.get(tool, [{}])))
        yield tool, stream.choice([arguments, arguments, arguments, arguments[:-1], "[]", '{"x":1}', "\ud800", "null"])


def counterfactual(world, stream):
    """The same world with another number in one hidden row; None if a draw of a few rows finds none that is allowed."""
    hidden = [(name, relation) for name, relation in world.instance.relations.items() if not relation.public]
    numbered = [(name, relation) for name, relation in hidden if relation.number_columns and world.instance.rows(name)]
    for _ in range(5):
        name, relation = stream.choice(numbered)
        row = stream.choice(world.instance.rows(name))
        at = stream.choice([at for at, column in relation.number_columns if isinstance(row[at], int)] or [None])
        if at is not None:
            changed = (*row[:at], row[at] + stream.choice([1, -1]), *row[at + 1 :])
            with suppress(InputError):
                return replace(world, instance=world.instance.with_rows(**{name: {row: changed}}))
    return None


def test_h7_programs_of_1000_odd_worlds_are_given_what_was_shown():
    """H7: the same values follow from what the agent was shown alone, and with other hidden data that it was not shown."""
    worlds = equal = 0
    for name, index, interface in product(FAMILIES, range(1, 51), (Interface.DIRECT, Interface.MEDIATED)):
        world = replace(unsolved_world(name, 0, index, interface), track=find_track("code"))
        stream = Stream("odd programs", world.id)
        calls = list(odd_calls(world, stream))
        episode = Episode(world, calls)
        given = program_values(world, executed_answers(episode, episode.attempts))
        shown = values_from_texts(episode)
        hollow = replace(world, instance=PublicOnlyInstance(world.public))
        assert given == program_values(hollow, shown)
        assert given["answers"] == shown
        worlds += 1
        other = counterfactual(world, stream)
        if other is not None:
            again = Episode(other, calls)
            alike = [observation.text for observation in again.observations] == [one.text for one in episode.observations]
            assert other.question == world.question
            if alike:
                assert program_values(other, executed_answers(again, again.attempts)) == given
            equal += alike
    assert worlds == 1_000
    assert equal > 100
