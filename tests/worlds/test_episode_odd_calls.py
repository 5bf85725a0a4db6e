"""Calls with arbitrary Python values: values without JSON form are refused with a status, and nothing ever raises."""

import random
from collections import Counter, OrderedDict

import pytest

from algoworlds.families import FAMILIES
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Status
from tests.unsolved import unsolved_world

REFUSED = {Status.BAD_ARGUMENTS, Status.MALFORMED_DECISION}
FREE = REFUSED | {Status.UNKNOWN_TOOL, Status.UNKNOWN_ID, Status.BAD_WINDOW, Status.ENDED, Status.EVALUATION_USED}


class Hostile:
    """An object whose every method raises."""

    def _raise(self, *arguments):
        raise RuntimeError("a method was called")

    __repr__ = __str__ = __eq__ = __hash__ = __len__ = __iter__ = __bool__ = __getattr__ = _raise


class HostileMeta(type):
    def __hash__(cls):
        raise RuntimeError("a method was called")

    def __eq__(cls, other):
        raise RuntimeError("a method was called")


class HostileType(metaclass=HostileMeta):
    pass


class Word(str):
    __slots__ = ()

    def __eq__(self, other):
        raise RuntimeError("a method was called")

    __hash__ = str.__hash__


def nested_list(depth):
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
    nested_list(5000),
    circular(),
    Hostile(),
    HostileType(),
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
    (letter for letter in "ab"),
]
"""Values without JSON form."""

PLAIN = [
    None,
    True,
    0,
    -1,
    10**400,
    "",
    "job",
    "\ud800",
    "\x00",
    [],
    {},
    [None],
    {"": ""},
    "{",
    '{"a":1}',
    nested_list(3),
    2**53,
]
"""Values with a JSON form, though not all are valid arguments."""


@pytest.fixture(scope="module", params=FAMILIES)
def world(request):
    return unsolved_world(request.param, 0)


def argument_names(world):
    """The arguments of every tool, including evaluate and submit."""
    return {tool["name"]: list(tool["parameters"]["properties"]) for tool in world.tools}


def test_values_without_json_form_are_refused_everywhere(world):
    closing = world.family.template.decision_tools
    for tool, names in argument_names(world).items():
        expected = Status.MALFORMED_DECISION if tool in (closing.evaluate, closing.submit) else Status.BAD_ARGUMENTS
        for value in ODD:
            variants = [value, [value], {"job": [value]}, *({name: value} for name in names)]
            variants += [dict.fromkeys(names, value)] if names else []
            for arguments in variants:
                episode = Episode(world)
                assert episode.call(tool, arguments).status is expected, (tool, type(value))
                assert (episode.spent, episode.decision) == (0, None)
                again = Episode(world, episode.calls)
                assert again.observations == episode.observations


def test_number_key_differs_from_its_string():
    world = unsolved_world("fleet_dispatch", 0)
    job, vehicle = world.public["job"][0], world.public["vehicle"][0]
    assert Episode(world).call("submit_assignment", {"assignment": {"1": vehicle}}).status is Status.SUBMITTED
    assert Episode(world).call("submit_assignment", {"assignment": {1: vehicle}}).status is Status.MALFORMED_DECISION
    assert Episode(world).call("read_job", {"job": job}).status is Status.EXECUTED
    assert Episode(world).call("read_job", {"job": job, 1: job}).status is Status.BAD_ARGUMENTS


@pytest.mark.parametrize("arguments", [[], (), 0, False, "", 0.0], ids=repr)
def test_only_none_and_the_empty_object_mean_no_arguments(arguments):
    """A tool without arguments accepts an empty object or None, not other false values."""
    world = unsolved_world("machine_layout", 0)
    assert Episode(world).call("survey_floor").status is Status.EXECUTED
    assert Episode(world).call("survey_floor", {}).status is Status.EXECUTED
    assert Episode(world).call("survey_floor", arguments).status is Status.BAD_ARGUMENTS


@pytest.mark.parametrize("tool", [None, 1, b"read_job", ("read_job",), Hostile(), HostileType(), nested_list(2000)], ids=type)
def test_tool_name_must_be_a_string(tool):
    episode = Episode(unsolved_world("fleet_dispatch", 0))
    assert episode.call(tool, {}).status is Status.UNKNOWN_TOOL
    assert Episode(episode.world, episode.calls).observations == episode.observations


def test_string_subclass_names_a_tool():
    episode = Episode(unsolved_world("machine_layout", 0))
    assert episode.call(Word("survey_floor")).status is Status.EXECUTED
    assert type(episode.calls[0].tool) is str


def random_value(source, depth=0):
    """A random value, odd and plain ones mixed at any depth."""
    kind = source.random()
    if kind < 0.35 or depth > 3:
        return source.choice(ODD if source.random() < 0.5 else PLAIN)
    if kind < 0.6:
        return [random_value(source, depth + 1) for _ in range(source.randrange(3))]
    keys = ["job", "a", "\udfff", 1, None, 2.5, Word("other"), (1, 2)]
    return {source.choice(keys): random_value(source, depth + 1) for _ in range(source.randrange(3))}


def test_2000_random_calls_raise_nothing_and_replay_alike(world):
    source, tools, statuses = random.Random(world.id), [*argument_names(world), "fly", 3, None, Word("fly")], Counter()
    names = [name for group in argument_names(world).values() for name in group] or ["job"]
    for _ in range(5):
        episode = Episode(world)
        for _ in range(400):
            arguments = random_value(source)
            if source.random() < 0.5:
                arguments = {source.choice(names): arguments}
            statuses[episode.call(source.choice(tools), arguments).status] += 1
        again = Episode(world, episode.calls)
        assert (again.observations, again.spent, again.decision) == (episode.observations, episode.spent, episode.decision)
    assert sum(statuses.values()) == 2000
    assert statuses[Status.BAD_ARGUMENTS] + statuses[Status.MALFORMED_DECISION] > 200
