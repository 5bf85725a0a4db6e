"""What every family's worlds keep to themselves: rejections, order, lengths and transcripts tell no hidden fact.

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
from algoworlds.errors import InstanceError
from algoworlds.families import FAMILIES
from algoworlds.suites.claims.leaks import rejections
from algoworlds.suites.contracts.formal import ids_of, renamed_decision
from algoworlds.suites.contracts.playing import Hollow
from algoworlds.suites.documents import CANARY
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.labels import label
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import ATTEMPT_CAP, build
from tests.certified import certified

ID = re.compile(r"\b([a-z][a-z_]*)-[0-9a-hjkmnp-tv-z]{10}\b")
REJECTED = {each for each in Status if each not in (Status.EXECUTED, Status.SUBMITTED)}


@pytest.fixture(scope="module", params=FAMILIES)
def admitted(request):
    return certified(request.param, 0, 1)


@pytest.fixture(params=Interface, ids=lambda each: each.value)
def world(request, admitted):
    return build(admitted, request.param)


def rejected_calls(world, count):
    """Random calls that are refused: foreign names, broken JSON, ids of hidden or other kinds, ranges out of bounds."""
    stream = Stream("rejected", world.id)
    ids = [*ID_LIKE, *(match[0] for match in ID.finditer(world.instance.text))]
    domains = {tool.name: tool.argument.domain(world.public) for tool in world.family.template.tools}
    for _ in range(count):
        tool = stream.choice([*world.prices, "fly", world.family.template.closing.submit])
        arguments = dict(stream.choice(domains.get(tool, [{}])))
        name = stream.choice([*arguments, "other"])
        arguments[name] = stream.choice([*ids, None, -1, 99, True, "1", [], {}])
        yield Call.make(tool, stream.choice([json.dumps(arguments), json.dumps(arguments)[:-1], json.dumps([arguments])]))


ID_LIKE = ("job-0000000000", "", "x")


def test_thousands_of_rejections_need_no_hidden_fact(world):
    """The same bytes come from a world that has no instance, so none of them can tell anything of one."""
    hollow = replace(world, instance=Hollow(world.public))
    calls = list(rejected_calls(world, 1_000))
    for at in range(0, len(calls), ATTEMPT_CAP - 1):
        made = [call for call in calls[at : at + ATTEMPT_CAP - 1] if Episode(world, [call]).observations[0].status in REJECTED]
        assert len(made) > 100
        assert Episode(hollow, made).observations == Episode(world, made).observations
    assert list(rejections(hollow)) == list(rejections(world))


def test_an_over_budget_call_is_refused_before_any_look_up(world):
    hollow = replace(world, instance=Hollow(world.public))
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


def test_evaluation_tells_a_value_or_nothing_once_and_also_after_a_resumption(world, admitted):
    closing, spelled = world.family.template.closing, world.family.decision.arguments
    good = Call.make(closing.evaluate, spelled(admitted.reference))
    empty = {name: type(value)() for name, value in spelled(admitted.reference).items()}
    episode = Episode(world, [good])
    answer = json.loads(episode.observations[0].text)
    assert list(answer) == ["charged", "budget_left", "calls_left", "feasible", "value"]
    assert answer["value"] == admitted.reference_value
    assert Episode(world, episode.calls).call(*good).status is Status.EVALUATION_USED
    refused = Episode(world, [Call.make(closing.evaluate, empty)])
    if not world.family.check(admitted.instance, world.family.decision.parse(empty)).feasible:
        assert list(json.loads(refused.observations[0].text)) == ["charged", "budget_left", "calls_left", "feasible"]
    assert Episode(world, refused.calls).call(*good).status is Status.EVALUATION_USED


@pytest.mark.parametrize("interface", [Interface.DIRECT, Interface.MEDIATED])
def test_transcripts_agree_as_long_as_the_facts_read_do(admitted, interface):
    """Against an instance with a whole channel erased: all calls whose facts it shares are answered in the same bytes.

    Split answers hold halves of facts, which are none by themselves, so they are compared as transcripts elsewhere.
    """
    world = build(admitted, interface)
    met = 0
    for erase in world.family.hardness.blind.values():
        try:
            other = replace(world, instance=erase(admitted.instance))
        except InstanceError:
            continue
        if other.public != world.public:
            continue
        same = [
            call
            for call in world.catalog
            if world.facts([json.loads(world.records(call))]) == other.facts([json.loads(other.records(call))])
        ]
        same = [call for call in same if world.facts([json.loads(world.records(call))])]
        met += len(same)
        for call in same:
            assert Episode(world, [call]).observations == Episode(other, [call]).observations, call
    assert met


def test_other_ids_and_another_key_change_names_and_order_alone(world, admitted):
    """Renaming maps the optimum and the facts of every answer, and nothing else."""
    stream = Stream("renaming", world.id)
    names = {item: label(item.rsplit("-", 1)[0], stream.word()) for item in ids_of(admitted.instance)}
    back = {new: old for old, new in names.items()}
    renamed = admitted.instance.renamed(names.__getitem__)
    solved = admitted.family.solve(renamed).decision
    assert renamed_decision(admitted.family.decision, solved, back.__getitem__) == admitted.solution.decision
    other = replace(world, coordinate=replace(world.coordinate, seed="another key"), instance=renamed)
    moved = 0
    for call in world.catalog:
        ours = normal(world.records(call))
        theirs = normal(swapped(other.records(Call(call.tool, swapped(call.arguments, names))), back))
        moved += ours != theirs
        assert world.facts([ours]) == world.facts([theirs])
        if world.interface is Interface.DIRECT:  # the others have links, which are a key's own
            assert unordered(ours) == unordered(theirs)
    assert moved


def swapped(text, names):
    return ID.sub(lambda match: names.get(match[0], match[0]), text)


def normal(text):
    """Records with the lists of ids inside them sorted, which are sets."""
    records = json.loads(text)
    for table in records.values():
        table["rows"] = [[sorted(cell) if is_ids(cell) else cell for cell in row] for row in table["rows"]]
    return records


def is_ids(cell):
    return isinstance(cell, list) and all(isinstance(each, str) for each in cell)


def unordered(records):
    """The records without the order that they come in."""
    return {name: sorted(map(json.dumps, table["rows"])) for name, table in records.items()}


def test_ids_of_a_kind_are_equally_long(world):
    """So the length of an answer tells only what its facts tell."""
    texts = " ".join([world.question, *(world.records(call) for call in world.catalog)])
    lengths = Counter((match[1], len(match[0])) for match in ID.finditer(texts))
    assert len({kind for kind, _ in lengths}) == len(lengths) > 0


@pytest.mark.parametrize("index", [1, 2, 3])
@pytest.mark.parametrize("name", FAMILIES)
def test_the_options_with_the_shortest_or_longest_records_are_not_the_optimum(name, index):
    """Records of cheap options are short, which facts may tell; but no choice by length alone is exact.

    Of a few vehicles one set or the other is right by chance, so that rosters with few sets of that size say nothing.
    """
    admitted = certified(name, 1, index)
    world, chosen = build(admitted, Interface.DIRECT), admitted.family.decision.ids(admitted.solution.decision)
    length: Counter[str] = Counter()
    for table in world.store.everything.values():
        for row in table["rows"]:
            text = json.dumps(row)
            length.update(dict.fromkeys({match[0] for match in ID.finditer(text)}, len(text)))
    exact = {}
    for roster in (getattr(admitted.instance, each) for each, of in admitted.instance.relations.items() if of.is_roster):
        picked = chosen & set(roster)
        if comb(len(roster), len(picked)) > 50:
            by_length = sorted(roster, key=lambda item: (length[item], item))
            ends = set(by_length[: len(picked)]), set(by_length[-len(picked) :])
            exact[roster] = picked in ends and length[by_length[0]] != length[by_length[-1]]
    assert not exact or not all(exact.values())


def test_the_canary_never_reaches_an_agent(world):
    seen = [world.question, json.dumps(world.tools), *map(world.records, world.catalog), *rejections(world)]
    assert not any(CANARY[:17] in text or "5d0c3a52" in text for text in seen)
