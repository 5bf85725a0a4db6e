"""The taskset as verifiers loads it: rewards, measures and the default harness."""

import asyncio
from types import SimpleNamespace

import pytest
from algoworlds_verifiers import load_environment
from algoworlds_verifiers.state import WorldState
from verifiers.v1.harnesses.null import NullHarness

import algoworlds as aw
from algoworlds.adapters.trajectory import NUMERIC_MEASURES
from algoworlds.families import FAMILIES
from tests.doors.test_contract import optimal
from tests.doors.verifiers.adapter import FOREIGN_WARNINGS, RolloutGroup, ServedEnvironment

pytestmark = pytest.mark.filterwarnings(*FOREIGN_WARNINGS)


@pytest.fixture(scope="module", params=[4, pytest.param(len(FAMILIES), marks=pytest.mark.full)])
def group(suite, request):
    """Worlds of the direct interface, one per family, played by an oracle except the first, whose agent does nothing."""
    worlds = [entry.id for entry in suite.manifest.worlds if entry.interface == "direct"][: request.param]
    environment = ServedEnvironment(suite, reward="thrift")
    group = RolloutGroup(environment, suite, worlds)
    for world in worlds[1:]:
        for call in optimal(suite, world):
            group.agents[world].call(*call)
    group.disconnect()
    environment.close()
    return group


def test_rewards_and_measures_are_ours(suite, group):
    idle, *_ = group.traces
    for world, trace in group.traces.items():
        play = trace.state.play(group.source)
        assert play.entry.id == world
        assert trace.ok, trace.errors
        assert trace.reward == float(play.reward("thrift"))
        assert {name: trace.metrics[name] for name in NUMERIC_MEASURES} == {
            name: float(play.score()[name]) for name in NUMERIC_MEASURES
        }
        assert (trace.metrics["exact"], trace.state.done) == ((0, False) if world == idle else (1, True))


def test_traces_reveal_no_optimum(suite, group):
    for world, trace in group.traces.items():
        text = trace.model_dump_json()
        assert not {"optimum", "objective", "gap", "regret"} & (trace.metrics.keys() | trace.info.keys())
        assert suite.spec.seed not in text
        assert world not in text


def test_default_harness_has_no_shell(suite):
    env = load_environment(suite=str(suite.directory))
    (harness,) = env._harnesses.values()
    assert type(harness) is NullHarness
    assert not harness.EXECUTES_CODE
    assert [task.data.prompt for task in env.taskset] == [
        suite.public_world(world.id).question for world in suite.manifest.worlds
    ]


def test_stream_is_unbounded():
    taskset = load_environment(seed="s", families="fleet_dispatch,machine_layout", levels="0", interfaces="direct").taskset
    assert not taskset.bounded
    fresh = aw.stream("s", ["fleet_dispatch", "machine_layout"], interfaces=["direct"])
    assert [task.data.prompt for task in taskset.take(3)] == [fresh[number].world.question for number in range(3)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give a suite to take worlds from, or a seed for fresh ones"),
        ({"seed": "s", "task": {"reward": "fame"}}, "there is no reward 'fame'"),
    ],
)
def test_rejects_wrong_options(options, message):
    with pytest.raises(aw.InputError, match=message):
        load_environment(**options)


def test_a_fault_of_the_tool_server_is_an_error_and_no_reward(suite):
    env = load_environment(suite=str(suite.directory))
    task = next(iter(env.taskset))
    trace = SimpleNamespace(state=WorldState(number=0))
    assert asyncio.run(task.reward(trace)) == 0
    trace.state.fault = "OSError: the disk is gone"
    with pytest.raises(RuntimeError, match="the tool server failed: OSError: the disk is gone"):
        asyncio.run(task.reward(trace))
