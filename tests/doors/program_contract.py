"""The contract of all adapters on a track with programs; for environments with wasmtime."""

import json

import pytest

from algoworlds.worlds.episode import Episode
from tests.doors.test_contract import expected_record


@pytest.fixture(params=("bare", pytest.param("code", marks=pytest.mark.full)))
def suite(request, suite):
    """The suite of the other doors; in the full tests the whole contract is also held on the track `code`."""
    return suite.on_track(request.param)


def program_calls(any_text):
    """Programs that end in every way, and arguments that do not fit the tool."""
    programs = [
        "print(len(answers))",
        "1 / 0",
        "",
        "\x00",
        "print('\\0 \\ud800 \u20ac')",
        "x = '\u20ac" + "x" * 90_000 + "'",
        "import os; os._exit(0)",
    ]
    yield from (("python", json.dumps({"program": program})) for program in programs)
    yield from (("python", {"program": "while True: pass", "limit": limit}) for limit in (3, 1, 0, -1, True, 1.0, "3", None))
    yield ("python", {"program": "print(2)", "limit": 10**15})
    odd = ({}, {"program": 1}, {"program": ["print(1)"]}, {"program": "1", "x": 1}, {"program": "x" * 100_000})
    yield from (("python", arguments) for arguments in odd)
    yield from [("python", "{"), ("python", '{"program":"1","program":"2"}'), ("Python", {"program": "1"})]
    if any_text:
        yield ("python", {"program": "print('\ud800')"})
    yield ("python", json.dumps({"program": "print(len(answers))"}))


def test_h4_programs_are_answered_and_recorded_as_in_process(adapter, suite, world, tmp_path):
    """On the track `code`, whatever the track of the other tests."""
    assisted = suite.on_track("code")
    with adapter.connect(assisted, [world], tmp_path / "run") as group:
        episode, agent = Episode(assisted.play(world).episode.world), group.agents[world]
        assert (agent.question, agent.tools) == (episode.world.question, episode.world.tools)
        for call in (("read_fleet_policy", {}), *program_calls(adapter.accepts_python)):
            if (parsed := adapter.read(call, agent.tools)) is not None:
                assert agent.call(*call) == episode.call(*parsed).text, call
    record = group.record(world)
    assert record == expected_record(assisted, world, record)
    assert (record["track"], record["programs"], record["spend"]) == ("code", len(episode.computed), episode.spent)
    assert record["programs"] >= 10
