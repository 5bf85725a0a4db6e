"""Secrecy of every family's worlds: rejections, order, lengths and transcripts reveal no hidden fact.

In the catalogue: D2, D3, D4, D5, D6, D7, D8, D10.
"""

import json
import re
from collections import Counter
from dataclasses import replace
from math import comb

import pytest

from algoworlds.core.interface import Interface
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.families import FAMILIES
from algoworlds.suites.bundle import CANARY
from algoworlds.suites.claims.leaks import refusal_texts
from algoworlds.suites.contracts.algorithms import entity_ids, rename_decision
from algoworlds.suites.contracts.worlds import PublicOnlyInstance
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Status
from algoworlds.worlds.opaque_ids import opaque_id
from algoworlds.worlds.world import ATTEMPT_CAP, build_world
from tests.certified import certified_instance

ID = re.compile(r"\b([a-z][a-z_]*)-[0-9a-hjkmnp-tv-z]{10}\b")
REJECTED = set(Status) - {Status.EXECUTED, Status.SUBMITTED}


@pytest.fixture(scope="module", params=FAMILIES)
def admitted(request):
    return certified_instance(request.param, 0, 1)


@pytest.fixture(params=Interface, ids=lambda interface: interface.value)
def world(request, admitted):
    return build_world(admitted, request.param)


def rejected_calls(world, count):
    """Random calls, mostly refused: unknown names, broken JSON, ids of hidden or other kinds, ranges out of bounds."""
    stream = Stream("rejected", world.id)
    ids = [*ID_LIKE, *(match[0] for match in ID.finditer(world.instance.canonical_json))]
    domains = {tool.name: tool.argument.domain(world.public) for tool in world.family.template.tools}
    for _ in range(count):
        tool = stream.choice([*world.prices, "fly", world.family.template.decision_tools.submit])
        arguments = dict(stream.choice(domains.get(tool, [{}])))
        name = stream.choice([*arguments, "other"])
        arguments[name] = stream.choice([*ids, None, -1, 99, True, "1", [], {}])
        yield Call.from_arguments(
            tool, stream.choice([json.dumps(arguments), json.dumps(arguments)[:-1], json.dumps([arguments])])
        )


ID_LIKE = ("job-0000000000", "", "x")


def test_rejections_need_no_hidden_fact(world):
    """A world without an instance gives the same bytes, so they cannot reveal anything about one."""
    hollow = replace(world, instance=PublicOnlyInstance(world.public))
    calls = list(rejected_calls(world, 1_000))
    for at in range(0, len(calls), ATTEMPT_CAP - 1):
        batch = calls[at : at + ATTEMPT_CAP - 1]
        rejected = [call for call in batch if Episode(world, [call]).observations[0].status in REJECTED]
        assert len(rejected) > 100
        assert Episode(hollow, rejected).observations == Episode(world, rejected).observations
    assert list(refusal_texts(hollow)) == list(refusal_texts(world))


def test_call_over_budget_reads_no_hidden_data(world):
    hollow = replace(world, instance=PublicOnlyInstance(world.public))
    for tool in world.family.template.tools:
        for arguments in tool.argument.domain(world.public):
            episode = Episode(hollow)
            episode.spent = world.budget
            assert episode.call(tool.name, arguments).status is Status.OVER_BUDGET


def test_answers_have_no_other_fields(world, admitted):
    """No time, no size, no cache: what was charged, what is left, and records."""
    for call in next(iter(world.plans.values())):
        answer = json.loads(Episode(world, [call]).observations[0].text)
        assert list(answer) == ["charged", "budget_left", "calls_left", "records"]
        assert all(set(table) == {"columns", "rows"} for table in answer["records"].values())


def test_evaluation_works_once_also_after_a_resumption(world, admitted):
    closing, arguments = world.family.template.decision_tools, world.family.decision.arguments(admitted.reference)
    good = Call.from_arguments(closing.evaluate, arguments)
    empty = {name: type(value)() for name, value in arguments.items()}
    episode = Episode(world, [good])
    answer = json.loads(episode.observations[0].text)
    assert list(answer) == ["charged", "budget_left", "calls_left", "feasible", "value"]
    assert answer["value"] == admitted.reference_value
    assert Episode(world, episode.calls).call(*good).status is Status.EVALUATION_USED
    refused = Episode(world, [Call.from_arguments(closing.evaluate, empty)])
    if not world.family.check(admitted.instance, world.family.decision.parse(empty)).feasible:
        assert list(json.loads(refused.observations[0].text)) == ["charged", "budget_left", "calls_left", "feasible"]
    assert Episode(world, refused.calls).call(*good).status is Status.EVALUATION_USED


@pytest.mark.parametrize("interface", [Interface.DIRECT, Interface.MEDIATED])
def test_transcripts_agree_while_the_facts_read_agree(admitted, interface):
    """An instance with an erased channel answers every call whose facts it shares with the same bytes.

    Split answers hold halves of facts, so they are compared as transcripts elsewhere.
    """
    world = build_world(admitted, interface)
    compared = 0
    for _, blind in world.family.hardness.blind_instances(admitted.instance):
        other = replace(world, instance=blind)
        if other.public != world.public:
            continue
        same = [
            call
            for call in world.catalog
            if world.facts([json.loads(world.records(call))]) == other.facts([json.loads(other.records(call))])
        ]
        same = [call for call in same if world.facts([json.loads(world.records(call))])]
        compared += len(same)
        for call in same:
            assert Episode(world, [call]).observations == Episode(other, [call]).observations, call
    assert compared


def test_other_ids_and_another_seed_change_only_names_and_order(world, admitted):
    """Renaming maps the optimum and the facts of every answer, and changes nothing else."""
    stream = Stream("renaming", world.id)
    names = {item: opaque_id(item.rsplit("-", 1)[0], stream.word()) for item in entity_ids(admitted.instance)}
    back = {new: old for old, new in names.items()}
    renamed = admitted.instance.rename_ids(names.__getitem__)
    solved = admitted.family.solve(renamed).decision
    assert rename_decision(admitted.family.decision, solved, back.__getitem__) == admitted.solution.decision
    other = replace(world, coordinate=replace(world.coordinate, seed="another key"), instance=renamed)
    moved = 0
    for call in world.catalog:
        records = normalize(world.records(call))
        mapped = normalize(replace_ids(other.records(Call(call.tool, replace_ids(call.arguments, names))), back))
        moved += records != mapped
        assert world.facts([records]) == world.facts([mapped])
        if world.interface is Interface.DIRECT:  # the others have links, which depend on the seed
            assert sort_rows(records) == sort_rows(mapped)
    assert moved


def replace_ids(text, names):
    return ID.sub(lambda match: names.get(match[0], match[0]), text)


def normalize(text):
    """Parsed records with sorted lists of ids, which are sets."""
    records = json.loads(text)
    for table in records.values():
        table["rows"] = [[sorted(cell) if is_ids(cell) else cell for cell in row] for row in table["rows"]]
    return records


def is_ids(cell):
    return isinstance(cell, list) and all(isinstance(item, str) for item in cell)


def sort_rows(records):
    """The records without their order."""
    return {name: sorted(map(json.dumps, table["rows"])) for name, table in records.items()}


def test_ids_of_a_kind_have_equal_length(world):
    """So the length of an answer reveals only what its facts reveal."""
    texts = " ".join([world.question, *(world.records(call) for call in world.catalog)])
    lengths = Counter((match[1], len(match[0])) for match in ID.finditer(texts))
    assert len({kind for kind, _ in lengths}) == len(lengths) > 0


@pytest.mark.parametrize("index", [1, 2, 3])
@pytest.mark.parametrize("name", FAMILIES)
def test_record_length_does_not_reveal_the_optimum(name, index):
    """Cheap options have short records, but no choice by length alone is optimal.

    Rosters with few possible sets are left out: one of them would be right by chance.
    """
    admitted = certified_instance(name, 1, index)
    world, chosen = build_world(admitted, Interface.DIRECT), admitted.family.decision.ids(admitted.solution.decision)
    length: Counter[str] = Counter()
    for table in world.store.all_records.values():
        for row in table["rows"]:
            text = json.dumps(row)
            length.update(dict.fromkeys({match[0] for match in ID.finditer(text)}, len(text)))
    exact = {}
    for roster in (getattr(admitted.instance, name) for name, table in admitted.instance.relations.items() if table.is_roster):
        picked = chosen & set(roster)
        if comb(len(roster), len(picked)) > 50:
            by_length = sorted(roster, key=lambda item: (length[item], item))
            ends = set(by_length[: len(picked)]), set(by_length[-len(picked) :])
            exact[roster] = picked in ends and length[by_length[0]] != length[by_length[-1]]
    assert not exact or not all(exact.values())


def test_the_canary_never_reaches_an_agent(world):
    seen = [world.question, json.dumps(world.tools), *map(world.records, world.catalog), *refusal_texts(world)]
    assert not any(CANARY[:17] in text or "5d0c3a52" in text for text in seen)
