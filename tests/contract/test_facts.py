"""Which facts responses reveal: a fact is known as soon as every part of its record has been returned. For every family.

The expected facts are computed row by row from the declarations, without the record store's indexes and without a join.
"""

import json
from collections import defaultdict
from dataclasses import replace

import pytest

from algoworlds.core.interface import Interface
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call
from algoworlds.families import FAMILIES
from tests.unsolved import unsolved_world


@pytest.fixture(scope="module", params=FAMILIES)
def direct(request):
    return unsolved_world(request.param)


@pytest.fixture(scope="module")
def mediated(direct):
    return replace(direct, interface=Interface.MEDIATED)


@pytest.fixture(scope="module", params=[0, pytest.param(1, marks=pytest.mark.full)])
def split(request, direct):
    """A world of level 0, because every two responses are joined; the long form of the tests uses level 1."""
    return unsolved_world(direct.family.name, request.param, interface=Interface.SPLIT)


def calls_of(world, tools):
    """The first, middle and last admissible call of every tool."""
    for tool in tools:
        domain = tool.argument.domain(world.public)
        yield from (Call.from_arguments(tool.name, domain[at]) for at in sorted({0, len(domain) // 2, len(domain) - 1}))


def response(world, call):
    return json.loads(world.records(call))


def revealing(world, relation):
    return [tool for tool in world.family.template.tools if relation in tool.reveals]


def selected_rows(world, call, relation):
    """The rows of a relation that a call selects: those that mention a selected id, and those joined by `self_join`."""
    tool, selection = world.family.tools[call.tool], world.selection(call)
    rows, columns = world.instance.rows(relation), [column.name for column in world.instance.relations[relation].columns]
    chosen = [row for row in rows if selection is None or any(mentions(cell, selection) for cell in row)]
    if tool.self_join not in columns:
        return set(chosen)
    values = {row[columns.index(tool.self_join)] for row in chosen}
    return {row for row in rows if row[columns.index(tool.self_join)] in values}


def mentions(cell, ids):
    return any(item in ids for item in cell) if isinstance(cell, tuple) else cell in ids


def facts_of(relation, rows):
    return {Fact(relation, row) for row in rows}


def facts_about(facts, relation):
    return {fact for fact in facts if fact.relation == relation}


def expected_facts(world, calls):
    """The facts whose parts are all returned by the calls, and what they imply."""
    layout, returned, facts = world.family.layouts[world.interface], defaultdict(set), set()
    extended = {
        name: dict(zip(world.instance.rows(name), world.store.linked_rows(name), strict=True)) for name in layout.relations
    }
    for call in calls:
        for part in layout.parts_by_tool[call.tool]:
            project, rows = layout.part_projection(part), extended[part.relation]
            returned[part.name] |= {project(rows[row]) for row in selected_rows(world, call, part.relation)}
    for name, relation in layout.relations.items():
        if relation.fact:
            parts = [(layout.part_projection(part), returned[part.name]) for part in layout.parts[name]]
            complete = (row for row, long in extended[name].items() if all(project(long) in rows for project, rows in parts))
            facts |= facts_of(name, complete)
    deduce = world.family.template.deduce
    return deduce(frozenset(facts), world.public) if deduce else facts


@pytest.mark.parametrize("interface", Interface, ids=lambda interface: interface.value)
def test_response_reveals_the_facts_it_shows_completely(direct, interface):
    world = replace(direct, interface=interface)
    for call in calls_of(world, world.family.template.tools):
        assert world.facts([response(world, call)]) == expected_facts(world, [call]), call


def test_mediated_response_reveals_the_same_facts_as_direct(direct, mediated):
    for call in direct.catalog:
        assert mediated.facts([response(mediated, call)]) == direct.facts([response(direct, call)]), call


def test_half_a_mediated_record_reveals_no_fact(mediated):
    for relation, via in mediated.family.template.mediation.items():
        parts, count = {"_".join(columns) for columns in via.parts}, 0
        for call in calls_of(mediated, revealing(mediated, relation)):
            whole, expected = response(mediated, call), facts_of(relation, selected_rows(mediated, call, relation))
            assert parts <= set(whole)
            assert facts_about(mediated.facts([whole]), relation) == expected
            for missing in parts:
                rest = {name: table for name, table in whole.items() if name != missing}
                assert not facts_about(mediated.facts([rest]), relation), (call, missing)
            count += len(expected)
        assert count


def test_split_needs_a_join_across_responses(split):
    for relation, via in split.family.template.mediation.items():
        split_tools = [split.family.tools[name] for name in via.split_tools]
        others = [tool for tool in revealing(split, relation) if tool not in split_tools]
        assert others
        links = [tool for tool in split_tools if tool not in revealing(split, relation)]
        for call in calls_of(split, others + links):
            assert not facts_about(split.facts([response(split, call)]), relation), call
        for call in calls_of(split, others):
            first = response(split, call)
            for other in calls_of(split, split_tools):
                assert split.facts([first, response(split, other)]) == expected_facts(split, [call, other]), (call, other)
            for tool in split_tools:
                domain = tool.argument.domain(split.public)
                all_calls = [Call.from_arguments(tool.name, arguments) for arguments in domain]
                facts = split.facts([first, *(response(split, other) for other in all_calls)])
                assert (
                    facts
                    == expected_facts(split, [call, *all_calls])
                    >= facts_of(relation, selected_rows(split, call, relation))
                ), call


@pytest.mark.parametrize("interface", [Interface.MEDIATED, Interface.SPLIT], ids=lambda interface: interface.value)
def test_links_have_one_owner_and_owners_the_declared_number_of_links(direct, interface):
    world = replace(direct, interface=interface)
    for relation, via in world.family.template.mediation.items():
        columns = world.family.layouts[interface].extended_columns(relation)
        for link, (key_columns, ids_per_key) in via.links.items():
            positions, owned = [columns.index(name) for name in key_columns], defaultdict(set)
            for row in world.store.linked_rows(relation):
                owned[tuple(row[at] for at in positions)].add(row[columns.index(link)])
            assert max(map(len, owned.values())) == ids_per_key
            assert len(set().union(*owned.values())) == sum(map(len, owned.values()))


def test_navigation_tools_reveal_no_fact_and_are_in_no_catalog():
    for name in FAMILIES:
        for world in (unsolved_world(name, interface=interface) for interface in Interface):
            navigation = [tool for tool in world.family.template.tools if tool.navigation]
            assert not {tool.name for tool in navigation} & {call.tool for call in world.catalog}
            assert not any(world.facts([response(world, call)]) for call in calls_of(world, navigation))
    assert any(tool.navigation for family in FAMILIES.values() for tool in family.template.tools)
