"""Calls with whatever Python has: what JSON has not is refused with a status, and nothing ever raises."""

import random
from collections import Counter, OrderedDict

import pytest

from algoworlds.families import FAMILIES
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Status
from tests.unsolved import unsolved

REFUSED = {Status.BAD_ARGUMENTS, Status.MALFORMED_DECISION}
FREE = REFUSED | {Status.UNKNOWN_TOOL, Status.UNKNOWN_ID, Status.BAD_WINDOW, Status.ENDED, Status.EVALUATION_USED}


class Hostile:
    """An object every question to which raises."""

    def _raise(self, *arguments):
        raise RuntimeError("asked")

    __repr__ = __str__ = __eq__ = __hash__ = __len__ = __iter__ = __bool__ = __getattr__ = _raise


class HostileKind(type):
    def __hash__(cls):
        raise RuntimeError("asked")

    def __eq__(cls, other):
        raise RuntimeError("asked")


class OfHostileKind(metaclass=HostileKind):
    pass


class Word(str):
    __slots__ = ()

    def __eq__(self, other):
        raise RuntimeError("asked")

    __hash__ = str.__hash__


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def circular():
    value = {}
    value["itself"] = value
    return value


ODD = [
    float("nan"),
    float("inf"),
    -0.5,
    {1, 2},
    frozenset("ab"),
    b"bytes",
    bytearray(b"bytes"),
    10**5000,
    nested(5000),
    circular(),
    Hostile(),
    OfHostileKind(),
    Hostile,
    Word("word"),
    object(),
    complex(1, 1),
    range(3),
    OrderedDict(a=1),
    {1: "x"},
    {None: "x"},
    {True: "x"},
    {("a",): "x"},
    {"a": 1, 2: "b"},
    {Word("job"): "x"},
    print,
    ...,
    (each for each in "ab"),
]
"""Values that JSON has not."""

PLAIN = [None, True, 0, -1, 10**400, "", "job", "\ud800", "\x00", [], {}, [None], {"": ""}, "{", '{"a":1}', nested(3), 2**53]
"""Values that JSON has, if not always as arguments."""


@pytest.fixture(scope="module", params=FAMILIES)
def world(request):
    return unsolved(request.param, 0)


def places(world):
    """Every argument of every tool, the two that take a decision included, by tool."""
    return {tool["name"]: list(tool["parameters"]["properties"]) for tool in world.tools}


def test_what_json_has_not_is_refused_wherever_it_stands(world):
    closing = world.family.template.closing
    for tool, names in places(world).items():
        wanted = Status.MALFORMED_DECISION if tool in (closing.evaluate, closing.submit) else Status.BAD_ARGUMENTS
        for value in ODD:
            given = [value, [value], {"job": [value]}, *({name: value} for name in names)]
            given += [dict.fromkeys(names, value)] if names else []
            for arguments in given:
                episode = Episode(world)
                assert episode.call(tool, arguments).status is wanted, (tool, type(value))
                assert (episode.spent, episode.decision) == (0, None)
                again = Episode(world, episode.calls)
                assert again.observations == episode.observations


def test_a_number_is_no_key_that_is_spelled_alike():
    world = unsolved("fleet_dispatch", 0)
    job, vehicle = world.public["job"][0], world.public["vehicle"][0]
    assert Episode(world).call("submit_assignment", {"assignment": {"1": vehicle}}).status is Status.SUBMITTED
    assert Episode(world).call("submit_assignment", {"assignment": {1: vehicle}}).status is Status.MALFORMED_DECISION
    assert Episode(world).call("read_job", {"job": job}).status is Status.EXECUTED
    assert Episode(world).call("read_job", {"job": job, 1: job}).status is Status.BAD_ARGUMENTS


@pytest.mark.parametrize("arguments", [[], (), 0, False, "", 0.0], ids=repr)
def test_nothing_is_no_arguments_but_none(arguments):
    """A tool without arguments takes an empty object, or none; not whatever counts as false."""
    world = unsolved("machine_layout", 0)
    assert Episode(world).call("survey_floor").status is Status.EXECUTED
    assert Episode(world).call("survey_floor", {}).status is Status.EXECUTED
    assert Episode(world).call("survey_floor", arguments).status is Status.BAD_ARGUMENTS


@pytest.mark.parametrize("tool", [None, 1, b"read_job", ("read_job",), Hostile(), OfHostileKind(), nested(2000)], ids=type)
def test_a_tool_is_named_by_a_text(tool):
    episode = Episode(unsolved("fleet_dispatch", 0))
    assert episode.call(tool, {}).status is Status.UNKNOWN_TOOL
    assert Episode(episode.world, episode.calls).observations == episode.observations


def test_a_kind_of_text_names_a_tool_as_its_letters_do():
    episode = Episode(unsolved("machine_layout", 0))
    assert episode.call(Word("survey_floor")).status is Status.EXECUTED
    assert type(episode.calls[0].tool) is str


def drawn(source, depth=0):
    """Some value, odd ones and plain ones mixed at any depth."""
    kind = source.random()
    if kind < 0.35 or depth > 3:
        return source.choice(ODD if source.random() < 0.5 else PLAIN)
    if kind < 0.6:
        return [drawn(source, depth + 1) for _ in range(source.randrange(3))]
    keys = ["job", "a", "\udfff", 1, None, 2.5, Word("other"), (1, 2)]
    return {source.choice(keys): drawn(source, depth + 1) for _ in range(source.randrange(3))}


def test_2000_odd_calls_a_family_raise_nothing_and_replay_alike(world):
    source, tools, statuses = random.Random(world.id), [*places(world), "fly", 3, None, Word("fly")], Counter()
    names = [name for listed in places(world).values() for name in listed] or ["job"]
    for _ in range(5):
        episode = Episode(world)
        for _ in range(400):
            arguments = drawn(source)
            if source.random() < 0.5:
                arguments = {source.choice(names): arguments}
            statuses[episode.call(source.choice(tools), arguments).status] += 1
        again = Episode(world, episode.calls)
        assert (again.observations, again.spent, again.decision) == (episode.observations, episode.spent, episode.decision)
    assert sum(statuses.values()) == 2000
    assert statuses[Status.BAD_ARGUMENTS] + statuses[Status.MALFORMED_DECISION] > 200
