"""The rules of an episode, one test per rule (A6, A7, A8, A10, A20, A21, A22, D5, D6, E6)."""

import json
import pickle
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algoworlds.core.interface import Interface
from algoworlds.errors import format_value
from algoworlds.worlds.admission import Coordinate, draw_instance
from algoworlds.worlds.episode import Episode, Outcome, StopReason
from algoworlds.worlds.observation import Status
from algoworlds.worlds.store import RecordStore
from algoworlds.worlds.world import ATTEMPT_CAP, CALL_CAP, World

COORDINATE = Coordinate("fleet_dispatch", 1, 1)
INSTANCE = draw_instance(COORDINATE, 0)  # not solved, which takes a second: no rule of an episode needs an optimum
WORLD = World(COORDINATE, INSTANCE, Interface.DIRECT)
JOB, VEHICLE = INSTANCE.job, INSTANCE.vehicle
MYOPIC = WORLD.family.reference(INSTANCE)
FEASIBLE = {"assignment": MYOPIC}
INFEASIBLE = {"assignment": {JOB[0]: VEHICLE[0]}}
FREE = World(COORDINATE, INSTANCE, Interface.DIRECT)  # a world in which the call cap binds before the budget does
FREE.__dict__["prices"] = dict.fromkeys(WORLD.prices, 0)
FREE.__dict__["budget"] = 0


@pytest.fixture
def episode():
    return Episode(WORLD)


def state(episode):
    return episode.spent, episode.executed, episode.evaluated, episode.decision, episode.stop


def test_every_executed_call_is_charged_and_counted(episode):
    for times in (1, 2, 3):
        observation = episode.call("read_route_row", {"vehicle": VEHICLE[0]})
        answer = json.loads(observation.text)
        assert (observation.status, observation.charged) == (Status.EXECUTED, 3)
        assert (episode.spent, episode.executed) == (3 * times, times)
        assert (answer["charged"], answer["budget_left"], answer["calls_left"]) == (3, 97 - 3 * times, CALL_CAP - times)
        assert len(answer["records"]["route_cost"]["rows"]) == len(JOB)


def test_call_over_budget_is_rejected_and_a_cheaper_one_may_follow(episode):
    for _ in range(6):
        episode.call("read_dispatch_window", {"start": JOB[0], "length": 2})
    before = state(episode)
    assert episode.remaining == 13
    observation = episode.call("read_dispatch_window", {"start": JOB[4], "length": 2})
    assert observation.status is Status.OVER_BUDGET
    assert json.loads(observation.text) | {"error": ""} == {"error": "", "price": 14, "budget_left": 13}
    assert state(episode) == before
    assert not any(JOB[4] in call.arguments for call in WORLD._selections)
    assert episode.call("read_job", {"job": JOB[0]}).status is Status.EXECUTED


def test_call_that_costs_exactly_the_rest_is_executed(episode):
    for _ in range(6):
        episode.call("read_dispatch_window", {"start": JOB[0], "length": 2})
    for _ in range(13):
        assert episode.call("read_job", {"job": JOB[0]}).status is Status.EXECUTED
    assert episode.remaining == 0
    assert episode.call("read_job", {"job": JOB[0]}).status is Status.OVER_BUDGET


TOO_MANY_DIGITS = '{"job": ' + "9" * 5000 + "}"
BAD_CALLS = [
    ("fly", "{}", Status.UNKNOWN_TOOL),
    ("Read_job", json.dumps({"job": JOB[0]}), Status.UNKNOWN_TOOL),
    ("read_job ", json.dumps({"job": JOB[0]}), Status.UNKNOWN_TOOL),
    ("multi_tool_use.parallel", "{}", Status.UNKNOWN_TOOL),
    ("", "{}", Status.UNKNOWN_TOOL),
    *(
        ("read_job", text, Status.BAD_ARGUMENTS)
        for text in (
            *("", "null", "{", "[]", '"{}"', "{}{}", "\ufeff{}", '{"job": NaN}', '{"job": 1e3}', '{"job": 1.0}', "true"),
            *(
                '{"job": 1}',
                '{"job": null}',
                '{"job": ["x"]}',
                '{"job": "x", "job": "y"}',
                '{"job": "x", "z": 1}',
                '{"JOB": "x"}',
            ),
            *(TOO_MANY_DIGITS, "[" * 100_000, '{"job": "' + "x" * 200_000 + '"}'),
        )
    ),
    *(
        ("read_job", json.dumps({"job": item}), Status.UNKNOWN_ID)
        for item in (JOB[0].upper(), JOB[0] + " ", JOB[0] + "\0", VEHICLE[0], "\ud800", "job-\u0130", JOB[0][:-1], "")
    ),
    ("read_dispatch_window", json.dumps({"start": JOB[0], "length": 4}), Status.BAD_WINDOW),
    ("read_dispatch_window", json.dumps({"start": JOB[-1], "length": 2}), Status.BAD_WINDOW),
    ("read_dispatch_window", json.dumps({"start": JOB[0], "length": "2"}), Status.BAD_ARGUMENTS),
    ("read_dispatch_window", json.dumps({"start": VEHICLE[0], "length": 2}), Status.UNKNOWN_ID),
    ("read_fleet_policy", '{"x": 1}', Status.BAD_ARGUMENTS),
]


@pytest.mark.parametrize(("tool", "arguments", "status"), BAD_CALLS, ids=lambda value: repr(value)[:40])
def test_bad_calls_are_free_and_get_one_fixed_text_per_kind(episode, tool, arguments, status):
    before = state(episode)
    observation = episode.call(tool, arguments)
    assert observation.status is status
    assert observation.charged == 0
    assert state(episode) == before
    other = next(bad for bad in BAD_CALLS if bad[2] is status)
    assert observation.text == Episode(World(COORDINATE, INSTANCE, Interface.MEDIATED)).call(*other[:2]).text


def test_evaluation_returns_the_value_once(episode):
    observation = episode.call("evaluate_assignment", FEASIBLE)
    assert json.loads(observation.text) == {
        "charged": 5,
        "budget_left": 92,
        "calls_left": 254,
        "feasible": True,
        "value": WORLD.family.check(INSTANCE, MYOPIC).value,
    }
    before = state(episode)
    assert episode.call("evaluate_assignment", FEASIBLE).status is Status.EVALUATION_USED
    assert state(episode) == before
    assert episode.facts == frozenset()


def test_infeasible_candidate_uses_the_evaluation_up(episode):
    answer = json.loads(episode.call("evaluate_assignment", INFEASIBLE).text)
    assert answer == {"charged": 5, "budget_left": 92, "calls_left": 254, "feasible": False}
    assert episode.call("evaluate_assignment", FEASIBLE).status is Status.EVALUATION_USED


MALFORMED = [
    "{}",
    '{"assignment": []}',
    '{"assignment": {"a": 1}}',
    '{"assignment": {}, "x": 1}',
    "[]",
    "",
    '{"assignment": null}',
]


@pytest.mark.parametrize("arguments", MALFORMED)
def test_malformed_candidate_does_not_use_the_evaluation_up(episode, arguments):
    before = state(episode)
    assert episode.call("evaluate_assignment", arguments).status is Status.MALFORMED_DECISION
    assert state(episode) == before
    assert episode.call("evaluate_assignment", FEASIBLE).status is Status.EXECUTED


def test_evaluation_over_budget_is_not_used_up(episode):
    for _ in range(6):
        episode.call("read_dispatch_window", {"start": JOB[0], "length": 2})
    for _ in range(9):
        episode.call("read_job", {"job": JOB[0]})
    assert episode.remaining == 4
    assert episode.call("evaluate_assignment", FEASIBLE).status is Status.OVER_BUDGET
    assert not episode.evaluated


@pytest.mark.parametrize(("decision", "outcome"), [(FEASIBLE, Outcome.FEASIBLE), (INFEASIBLE, Outcome.INFEASIBLE)])
def test_well_formed_submission_binds_and_ends_the_episode(episode, decision, outcome):
    observation = episode.call("submit_assignment", decision)
    assert (observation.status, observation.text) == (Status.SUBMITTED, '{"submitted":true}')
    assert (episode.stop, episode.outcome) == (StopReason.SUBMITTED, outcome)
    after = state(episode)
    for tool, arguments in (("submit_assignment", FEASIBLE), ("read_job", {"job": JOB[0]}), ("fly", {})):
        assert episode.call(tool, arguments).status is Status.ENDED
    assert state(episode) == after
    assert episode.attempts == 1


@pytest.mark.parametrize("arguments", MALFORMED)
def test_malformed_submission_may_be_corrected(episode, arguments):
    assert episode.call("submit_assignment", arguments).status is Status.MALFORMED_DECISION
    assert episode.stop is None
    assert episode.outcome is Outcome.PROTOCOL_VIOLATION
    assert episode.call("submit_assignment", FEASIBLE).status is Status.SUBMITTED
    assert episode.outcome is Outcome.FEASIBLE


def test_episode_without_submission_has_no_decision(episode):
    assert episode.outcome is Outcome.NO_DECISION
    episode.call("evaluate_assignment", "{}")
    assert episode.outcome is Outcome.NO_DECISION


def test_after_the_255th_call_only_submission_is_possible():
    def full():
        episode = Episode(FREE)
        for _ in range(CALL_CAP - 1):
            assert episode.call("read_job", {"job": JOB[0]}).status is Status.EXECUTED
        assert episode.call("evaluate_assignment", FEASIBLE).status is Status.EXECUTED
        assert episode.executed == CALL_CAP == 255
        return episode

    episode = full()
    assert episode.call("fly").status is Status.UNKNOWN_TOOL
    assert episode.call("submit_assignment", FEASIBLE).status is Status.SUBMITTED
    for tool in ("read_job", "evaluate_assignment"):
        episode = full()
        assert episode.call(tool, {"job": JOB[0]}).status is Status.CALL_CAP
        assert (episode.stop, episode.outcome, episode.executed) == (StopReason.CALL_CAP, Outcome.NO_DECISION, CALL_CAP)
        assert episode.call("submit_assignment", FEASIBLE).status is Status.ENDED


def test_attempt_cap_ends_the_episode(episode):
    for _ in range(ATTEMPT_CAP - 1):
        episode.call("fly")
    assert episode.stop is None
    episode.call("fly")
    assert (episode.stop, episode.outcome, episode.spent) == (StopReason.ATTEMPT_CAP, Outcome.NO_DECISION, 0)
    assert episode.call("submit_assignment", FEASIBLE).status is Status.ENDED


def test_submission_as_the_last_attempt_counts(episode):
    for _ in range(ATTEMPT_CAP - 1):
        episode.call("fly")
    episode.call("submit_assignment", FEASIBLE)
    assert (episode.stop, episode.outcome) == (StopReason.SUBMITTED, Outcome.FEASIBLE)


calls = st.one_of(
    st.sampled_from([(call.tool, call.arguments) for call in WORLD.catalog]),
    st.sampled_from([(tool, arguments) for tool, arguments, _ in BAD_CALLS]),
    st.tuples(
        st.sampled_from(["evaluate_assignment", "submit_assignment"]), st.sampled_from([*MALFORMED, json.dumps(INFEASIBLE)])
    ),
    st.tuples(st.sampled_from([*WORLD.prices, "submit_assignment"]), st.text()),
)


@given(st.lists(calls, max_size=30), st.integers(0, 30), st.sampled_from(Interface))
def test_state_is_world_and_calls(sequence, cut, interface):
    """Replaying gives byte-equal observations, and an episode can be rebuilt anywhere and continued."""
    episode = Episode(World(COORDINATE, INSTANCE, interface))
    for call in sequence:
        episode.call(*call)
    again = Episode(World(COORDINATE, INSTANCE, interface), episode.calls[:cut])
    for call in episode.calls[cut:]:
        again.call(*call)
    assert again.observations == episode.observations
    assert state(again) == state(episode)
    assert episode.spent == sum(observation.charged for observation in episode.observations) <= WORLD.budget


def test_transcript_does_not_depend_on_unread_data():
    """Two instances that differ only in facts not read give byte-equal transcripts (non-interference)."""
    changed = {pair: cost + 1 for pair, cost in WORLD.instance.route_cost.items()}
    loads = dict.fromkeys(JOB, 9)
    eligible = {pair: not able for pair, able in WORLD.instance.eligible.items()}
    other = replace(WORLD, instance=WORLD.instance.replace(route_cost=changed, load=loads, eligible=eligible))
    assert (other.question, other.tools) == (WORLD.question, WORLD.tools)
    sequence = [("read_fleet_policy", "{}"), ("read_vehicle_contract", json.dumps({"vehicle": VEHICLE[1]}))]
    sequence += [(tool, arguments) for tool, arguments, _ in BAD_CALLS]
    sequence += [("read_vehicle_contract", json.dumps({"vehicle": VEHICLE[2]}))] * 30
    assert Episode(WORLD, sequence).observations == Episode(other, sequence).observations


def test_records_are_encoded_when_first_read(monkeypatch):
    """Replaying an episode for its facts, its cost and its outcome encodes none."""
    world, plan = World(COORDINATE, INSTANCE, Interface.MEDIATED), next(iter(WORLD.plans.values()))
    facts = world.facts(json.loads(world.records(call)) for call in plan)
    encoded, original = [], RecordStore.response_text
    monkeypatch.setattr(RecordStore, "response_text", lambda self, *call: encoded.append(call) or original(self, *call))
    episode = Episode(World(COORDINATE, INSTANCE, Interface.MEDIATED), plan)
    assert (episode.facts, episode.spent, episode.executed) == (facts, world.cost(plan), len(plan))
    assert (episode.redundant_calls, episode.outcome) == (0, Outcome.NO_DECISION)
    assert not encoded
    assert [observation.records for observation in episode.observations] == [world.records(call) for call in plan]
    assert len(encoded) == len(plan)


def test_pickled_observation_holds_only_its_text(episode):
    observation = episode.call("read_job", {"job": JOB[0]})
    copy = pickle.loads(pickle.dumps(observation))
    assert copy == observation
    assert (copy.world, copy.text, hash(copy)) == (None, observation.text, hash(observation))
    text = f"<Observation executed, charged {observation.charged}: {format_value(observation.text)}>"
    assert repr(copy) == repr(observation) == text
    assert copy != episode.call("read_job", {"job": JOB[0]})  # the balance differs


def test_episodes_share_the_cached_records_of_their_world():
    """A thousand episodes on one world hold its records once."""
    one, other = (Episode(World(COORDINATE, INSTANCE, Interface.DIRECT)) for _ in range(2))
    again = Episode(one.world)
    for call in next(iter(WORLD.plans.values())):
        first, shared, separate = one.call(*call), again.call(*call), other.call(*call)
        assert first.records is shared.records is one.world.records(call)
        assert first == separate
        assert json.loads(first.text)["records"] == json.loads(first.records)
