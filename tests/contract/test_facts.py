"""What responses amount to: a fact is known once every part of its record has been shown, and not before. For every family.

What is expected is worked out row by row from the declarations, without the record store's indexes and without a join.
"""

import json
from collections import defaultdict
from dataclasses import replace

import pytest

from algoworlds.core.interface import Interface
from algoworlds.core.relation import Fact
from algoworlds.core.tool import Call
from algoworlds.families import FAMILIES
from tests.unsolved import unsolved


@pytest.fixture(scope="module", params=FAMILIES)
def direct(request):
    return unsolved(request.param)


@pytest.fixture(scope="module")
def mediated(direct):
    return replace(direct, interface=Interface.MEDIATED)


@pytest.fixture(scope="module", params=[0, pytest.param(1, marks=pytest.mark.full)])
def split(request, direct):
    """Of the warm-up, because every two responses are joined; the long form takes the level of the others."""
    return unsolved(direct.family.name, request.param, interface=Interface.SPLIT)


def calls_of(world, tools):
    """The first, middle and last admissible request of every tool."""
    for tool in tools:
        domain = tool.argument.domain(world.public)
        yield from (Call.make(tool.name, domain[at]) for at in sorted({0, len(domain) // 2, len(domain) - 1}))


def response(world, call):
    return json.loads(world.records(call))


def revealing(world, relation):
    return [tool for tool in world.family.template.tools if relation in tool.reveals]


def asked(world, call, relation):
    """The rows of a relation that a call asks about: those that mention a selected id, and those that go with them."""
    tool, selection = world.family.tools[call.tool], world.selection(call)
    rows, columns = world.instance.rows(relation), [each.name for each in world.instance.relations[relation].columns]
    chosen = [row for row in rows if selection is None or any(mentions(cell, selection) for cell in row)]
    if tool.through not in columns:
        return set(chosen)
    met = {row[columns.index(tool.through)] for row in chosen}
    return {row for row in rows if row[columns.index(tool.through)] in met}


def mentions(cell, ids):
    return any(each in ids for each in cell) if isinstance(cell, tuple) else cell in ids


def facts_of(relation, rows):
    return {Fact(relation, row) for row in rows}


def among(facts, relation):
    return {fact for fact in facts if fact.relation == relation}


def told(world, calls):
    """The facts of which the calls show every part, and what they imply."""
    layout, shown, facts = world.family.layouts[world.interface], defaultdict(set), set()
    extended = {name: dict(zip(world.instance.rows(name), world.store.linked(name), strict=True)) for name in layout.relations}
    for call in calls:
        for part in layout.shows[call.tool]:
            project, rows = layout.project(part), extended[part.relation]
            shown[part.name] |= {project(rows[row]) for row in asked(world, call, part.relation)}
    for name, relation in layout.relations.items():
        if relation.fact:
            parts = [(layout.project(part), shown[part.name]) for part in layout.parts[name]]
            whole = (row for row, long in extended[name].items() if all(project(long) in seen for project, seen in parts))
            facts |= facts_of(name, whole)
    deduce = world.family.template.deduce
    return deduce(frozenset(facts), world.public) if deduce else facts


@pytest.mark.parametrize("interface", Interface, ids=lambda each: each.value)
def test_a_response_amounts_to_the_facts_that_it_shows_whole(direct, interface):
    world = replace(direct, interface=interface)
    for call in calls_of(world, world.family.template.tools):
        assert world.facts([response(world, call)]) == told(world, [call]), call


def test_a_mediated_response_amounts_to_the_same_facts_as_the_direct_one(direct, mediated):
    for call in direct.catalog:
        assert mediated.facts([response(mediated, call)]) == direct.facts([response(direct, call)]), call


def test_half_a_mediated_record_adds_no_fact(mediated):
    for relation, via in mediated.family.template.mediation.items():
        parts, met = {"_".join(columns) for columns in via.parts}, 0
        for call in calls_of(mediated, revealing(mediated, relation)):
            whole, wanted = response(mediated, call), facts_of(relation, asked(mediated, call, relation))
            assert parts <= set(whole)
            assert among(mediated.facts([whole]), relation) == wanted
            for missing in parts:
                rest = {name: table for name, table in whole.items() if name != missing}
                assert not among(mediated.facts([rest]), relation), (call, missing)
            met += len(wanted)
        assert met


def test_split_needs_a_join_across_responses(split):
    for relation, via in split.family.template.mediation.items():
        carriers = [split.family.tools[name] for name in via.carriers]
        apart = [tool for tool in revealing(split, relation) if tool not in carriers]
        assert apart
        links = [tool for tool in carriers if tool not in revealing(split, relation)]
        for call in calls_of(split, apart + links):
            assert not among(split.facts([response(split, call)]), relation), call
        for call in calls_of(split, apart):
            first = response(split, call)
            for other in calls_of(split, carriers):
                assert split.facts([first, response(split, other)]) == told(split, [call, other]), (call, other)
            for carrier in carriers:
                every = [Call.make(carrier.name, arguments) for arguments in carrier.argument.domain(split.public)]
                known = split.facts([first, *(response(split, each) for each in every)])
                assert known == told(split, [call, *every]) >= facts_of(relation, asked(split, call, relation)), call


@pytest.mark.parametrize("interface", [Interface.MEDIATED, Interface.SPLIT], ids=lambda each: each.value)
def test_a_link_has_one_owner_and_an_owner_as_many_links_as_declared(direct, interface):
    world = replace(direct, interface=interface)
    for relation, via in world.family.template.mediation.items():
        columns = world.family.layouts[interface].columns(relation)
        for link in via.links:
            places, owned = [columns.index(name) for name in link.of], defaultdict(set)
            for row in world.store.linked(relation):
                owned[tuple(row[at] for at in places)].add(row[columns.index(link.name)])
            assert max(map(len, owned.values())) == link.fan
            assert len(set().union(*owned.values())) == sum(map(len, owned.values()))


def test_navigation_is_in_no_catalog_and_tells_no_fact():
    for name in FAMILIES:
        for world in (unsolved(name, interface=interface) for interface in Interface):
            navigation = [tool for tool in world.family.template.tools if tool.navigation]
            assert not {tool.name for tool in navigation} & {call.tool for call in world.catalog}
            assert not any(world.facts([response(world, call)]) for call in calls_of(world, navigation))
    assert any(tool.navigation for family in FAMILIES.values() for tool in family.template.tools)
