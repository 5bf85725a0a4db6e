"""Contract of all adapters: the same bytes in and out, every call charged once, and no leaks."""

import json
import re
from collections import OrderedDict

import pytest

import algoworlds as aw
from algoworlds.core.tool import call_from_input
from algoworlds.suites.record import recorded_calls
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.world import ATTEMPT_CAP
from tests.doors import adapters
from tests.suites.suites import PEPPER

INTERFACES = ("direct", "mediated")
REFUSED = {"bad_arguments", "unknown_tool", "unknown_id", "bad_window", "over_budget", "malformed_decision"}
ID = re.compile(r"\b[a-z_]+-[0-9a-hjkmnp-tv-z]{10}\b")


@pytest.fixture(params=adapters.ADAPTERS, ids=lambda adapter: adapter.name)
def adapter(request):
    return request.param


def worlds_of(suite, interface):
    return [entry.id for entry in suite.manifest.worlds if entry.interface == interface]


PROGRAM = json.dumps({"program": "print([answer['tool'] for answer in answers], len(task), '\u20ac')"})


def optimal(suite, world):
    """The calls of the cheapest plan, a program if the track has them, then the submission of the optimum."""
    presented, key = suite.play(world).episode.world, suite.key(suite.entry(world))
    closing, encode = presented.family.template.decision_tools, presented.family.decision.arguments
    plan = min(presented.plans.values(), key=presented.cost)
    programs = [("python", PROGRAM)] * suite.track.runs_programs
    return (*map(tuple, plan), *programs, (closing.submit, json.dumps(encode(key.decision))))


def parsed_calls(adapter, suite, world):
    """The optimal calls as they reach the world through `door`."""
    return [call_from_input(*adapter.read(call, suite.public_world(world).tools)) for call in optimal(suite, world)]


def expected_record(suite, world, record):
    """The record that the same calls leave in this process, with the same provenance."""
    provenance = aw.Provenance(record["identity"], record["configuration"], aw.PlayerKind(record["kind"]), record["trial"])
    return suite.play(world, recorded_calls(record)).record(provenance)


@pytest.mark.parametrize("interface", INTERFACES)
def test_oracle_gets_the_same_bytes_and_leaves_the_same_record(adapter, suite, tmp_path, interface):
    worlds = worlds_of(suite, interface)
    with adapter.connect(suite, worlds, tmp_path / "run") as group:
        for world in worlds:
            agent, episode = group.agents[world], Episode(suite.play(world).episode.world)
            for call in optimal(suite, world):
                assert agent.call(*call) == episode.call(*call).text
    for world in worlds:
        record = group.record(world)
        assert record == expected_record(suite, world, record)
        assert [record[name] for name in ("exact", "utility", "stop_reason", "kind")] == [1, 100.0, "submitted", "external"]
        assert recorded_calls(record) == parsed_calls(adapter, suite, world)


def test_conditions_are_carried(adapter, conditioned, tmp_path):
    """Repeated calls are answered as in this process, and records name the condition."""
    worlds = worlds_of(conditioned, "mediated")
    with adapter.connect(conditioned, worlds, tmp_path / "run") as group:
        for world in worlds:
            presented = conditioned.play(world).episode.world
            agent, episode = group.agents[world], Episode(presented)
            assert agent.question == presented.question
            for call in (*map(tuple, presented.safe_plan), optimal(conditioned, world)[-1]):
                assert agent.call(*call) == episode.call(*call).text
    for world in worlds:
        record = group.record(world)
        assert record == expected_record(conditioned, world, record)
        assert record["condition"] == conditioned.entry(world).condition
        assert record["exact"] == 1


@pytest.mark.parametrize("interface", INTERFACES)
def test_every_agent_sees_the_same_and_idle_agents_score_zero(adapter, suite, tmp_path, interface):
    worlds = worlds_of(suite, interface)
    with adapter.connect(suite, worlds, tmp_path / "run") as group:
        assert len(group.agents) == len(worlds)
        for world in worlds:
            agent, public = group.agents[world], suite.public_world(world)
            assert (agent.question, agent.tools, agent.budget) == (public.question, public.tools, public.budget)
            assert agent.tools == aw.family_tool_schemas(suite.entry(world).family) + suite.track.tools
    for world in worlds:
        record = group.record(world)
        assert record == expected_record(suite, world, record)
        values = {record[name] for name in ("exact", "feasible", "utility", "coverage", "spend", "attempted_calls")}
        assert (values, record["outcome"]) == ({0}, "no_decision")


def bad_calls(presented, any_text):
    """Calls that are refused for different reasons, and some that are not, until the budget is spent."""
    tool, job = "read_job", presented.public["job"][0]
    texts = ("", "{", "[]", "null", '"x"', '{"job":1}', '{"job":NaN}', f'{{"job":"{job}","job":"{job}"}}', "{" * 500)
    yield from ((tool, text) for text in texts)
    yield from ((name, {"job": job}) for name in ("", "fly", "Read_job", "read_job ", "x" * 2000, "\x00", "\ud800" * any_text))
    yield from [(tool, {"job": "job-0000000000"}), (tool, {"vehicle": job}), (tool, {}), (tool, "x" * 200_000)]
    yield from [("read_dispatch_window", {"start": job, "length": 9}), ("submit_assignment", {"assignment": [job]})]
    yield from [("evaluate_assignment", {"assignment": {}})] * 2
    yield from [("read_dispatch_window", {"start": job, "length": 2})] * 12
    yield from [(tool, {"job": job})] * 30


def test_bad_calls_are_answered_and_charged_as_in_process(adapter, suite, world, tmp_path):
    with adapter.connect(suite, [world], tmp_path / "run") as group:
        episode, agent = Episode(suite.play(world).episode.world), group.agents[world]
        for call in bad_calls(episode.world, adapter.accepts_python):
            if (parsed := adapter.read(call, agent.tools)) is not None:
                assert agent.call(*call) == episode.call(*parsed).text, call
    statuses = {observation.status.value for observation in episode.observations}
    assert statuses >= REFUSED - adapter.unreachable
    record = group.record(world)
    assert record == expected_record(suite, world, record)
    assert (record["spend"], record["executed_calls"]) == (episode.spent, episode.executed)


def test_concurrent_calls_are_all_charged(adapter, suite, world, tmp_path):
    presented = suite.play(world).episode.world
    call = ("read_job", {"job": presented.public["job"][0]})
    with adapter.connect(suite, [world], tmp_path / "run") as group:
        answers = [json.loads(text) for text in group.agents[world].call_concurrently([call] * 24)]
    price = presented.prices["read_job"]
    assert sorted(answer["budget_left"] for answer in answers) == [presented.budget - price * n for n in range(24, 0, -1)]
    assert (group.record(world)["spend"], group.record(world)["executed_calls"]) == (24 * price, 24)


def test_agents_of_different_worlds_are_independent(adapter, suite, tmp_path):
    first, second, *_ = worlds_of(suite, "direct")
    with adapter.connect(suite, [first, second], tmp_path / "run") as group:
        for call in optimal(suite, first):
            group.agents[first].call(*call)
        response = group.agents[second].call(*optimal(suite, second)[0])
    assert response == Episode(suite.play(second).episode.world).call(*optimal(suite, second)[0]).text
    assert group.record(second)["executed_calls"] == 1
    assert group.record(first)["exact"] == 1


def test_nothing_is_executed_after_the_end(adapter, suite, world, tmp_path):
    calls = optimal(suite, world)
    with adapter.connect(suite, [world], tmp_path / "run") as group:
        agent = group.agents[world]
        agent.call(*calls[-1])
        ended = {agent.call(*call) for call in (calls[0], calls[-1], (calls[0][0], "{}"))}
    assert [json.loads(text) for text in ended] == [{"error": "The episode has ended."}]
    assert (group.record(world)["attempted_calls"], group.record(world)["spend"]) == (1, 0)


def test_attempt_cap_ends_the_episode(adapter, suite, world, tmp_path):
    with adapter.connect(suite, [world], tmp_path / "run") as group:
        for _ in range(ATTEMPT_CAP // 32):
            group.agents[world].call_concurrently([("read_job", {})] * 32)
    assert (group.record(world)["stop_reason"], group.record(world)["attempted_calls"]) == ("attempt_cap", ATTEMPT_CAP)


def test_interrupted_agent_resumes_and_is_charged_once(adapter, suite, world, tmp_path):
    calls = optimal(suite, world)
    with adapter.connect(suite, [world], tmp_path / "run") as group:
        for call in calls[:3]:
            group.agents[world].call(*call)
        group.crash()
    with adapter.connect(suite, [world], tmp_path / "run") as group:
        agent = group.agents[world]
        for call in calls[agent.resumed_calls :]:
            agent.call(*call)
    record = group.record(world)
    assert record == expected_record(suite, world, record)
    assert recorded_calls(record) == parsed_calls(adapter, suite, world)


def secrets(suite, world, out):
    """What no agent may see: seeds, paths, the world's id, and every id that has not been paid for."""
    presented, folder = suite.play(world).episode.world, suite.directory / "worlds" / world / "sealed"
    every = ID.findall(presented.instance.canonical_json + json.dumps(presented.store.all_records))
    hidden = set(every) - set(ID.findall(presented.question))
    salts = {json.loads(path.read_text())["salt"] for path in folder.iterdir()}
    assert len(salts) == 3
    return {suite.spec.seed, PEPPER, world.split("-")[-2], world, str(suite.directory), str(out), *hidden, *salts}


@pytest.mark.parametrize("interface", INTERFACES)
def test_no_response_holds_a_secret(adapter, suite, tmp_path, interface):
    worlds = worlds_of(suite, interface)
    with adapter.connect(suite, worlds, tmp_path / "run") as group:
        for world in worlds:
            agent = group.agents[world]
            seen = json.dumps([agent.question, agent.tools, agent.budget])
            first, *_, last = (tool["name"] for tool in agent.tools)
            refused = [("fly", {}), (first, "{"), (first, {"no": "such"}), (last, "{}")]
            seen += "".join(agent.call(*call) for call in refused if adapter.read(call, agent.tools) is not None)
            assert [secret for secret in secrets(suite, world, tmp_path / "run") if secret in seen] == []


ODD = [
    *(float("nan"), float("inf"), -0.5, {1, 2}, frozenset("ab"), b"bytes", bytearray(b"bytes"), 10**5000, complex(1, 1)),
    *(range(3), object(), print, ..., int, OrderedDict(a=1)),
    *({1: "x"}, {None: "x"}, {True: "x"}, {("a",): "x"}, {"a": 1, 2: "b"}),
]
"""Values outside JSON that can be sent to another process."""


WRONG = [-0.5, True, None, [], {}, ["job"], {"job": "job"}, 10**20]
"""JSON values that are not ids."""


def test_values_of_a_wrong_type_are_refused(adapter, suite, world, tmp_path):
    """Also values outside JSON, where an agent can give them."""
    odd = ODD if adapter.accepts_python else []
    calls = [{"job": value} for value in WRONG + odd] + [arguments for value in odd for arguments in (value, [value])]
    with adapter.connect(suite, [world], tmp_path / "run") as group:
        agent = group.agents[world]
        for arguments in calls:
            assert "do not match the tool's schema" in agent.call("read_job", arguments)
        for value in odd:
            assert "no tool of that name" in agent.call(value, {})
    assert (group.record(world)["spend"], group.record(world)["attempted_calls"]) == (0, len(calls) + len(odd))
