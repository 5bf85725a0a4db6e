"""The taskset as verifiers loads it, its rewards and measures, and the harness that goes with it."""

import pytest
from algoworlds_verifiers import load_environment
from verifiers.v1.harnesses.null import NullHarness

import algoworlds as aw
from algoworlds.adapters.trajectory import SCORED
from algoworlds.families import FAMILIES
from tests.doors.test_contract import optimal
from tests.doors.verifiers.door import THEIRS, Premises, Seminar

pytestmark = pytest.mark.filterwarnings(*THEIRS)


@pytest.fixture(scope="module", params=[4, pytest.param(len(FAMILIES), marks=pytest.mark.full)])
def seminar(suite, request):
    """Worlds of the first interface, one a family, each played by an oracle but one, whose agent does nothing."""
    worlds = [entry.id for entry in suite.manifest.worlds if entry.interface == "direct"][: request.param]
    premises = Premises(suite, reward="thrift")
    held = Seminar(premises, suite, worlds)
    for world in worlds[1:]:
        for call in optimal(suite, world):
            held.guests[world].call(*call)
    held.leave()
    premises.close()
    return held


def test_rewards_and_measures_are_ours(suite, seminar):
    idle, *_ = seminar.traces
    for world, trace in seminar.traces.items():
        play = trace.state.play(seminar.syllabus)
        assert play.entry.id == world
        assert trace.ok, trace.errors
        assert trace.reward == float(play.reward("thrift"))
        assert {name: trace.metrics[name] for name in SCORED} == {name: float(play.score()[name]) for name in SCORED}
        assert (trace.metrics["exact"], trace.state.done) == ((0, False) if world == idle else (1, True))


def test_nothing_from_which_an_optimum_follows_is_in_a_trace(suite, seminar):
    for world, trace in seminar.traces.items():
        told = trace.model_dump_json()
        assert not {"optimum", "objective", "gap", "regret"} & (trace.metrics.keys() | trace.info.keys())
        assert suite.suite.seed not in told
        assert world not in told


def test_by_itself_it_comes_with_a_harness_that_has_no_shell(suite):
    env = load_environment(suite=str(suite.directory))
    (harness,) = env._harnesses.values()
    assert type(harness) is NullHarness
    assert not harness.EXECUTES_CODE
    assert [task.data.prompt for task in env.taskset] == [suite.presented(each.id).question for each in suite.manifest.worlds]


def test_a_stream_has_no_end_and_is_taken_from():
    taskset = load_environment(seed="s", families="fleet_dispatch,machine_layout", levels="0", interfaces="direct").taskset
    assert not taskset.bounded
    fresh = aw.stream("s", ["fleet_dispatch", "machine_layout"], interfaces=["direct"])
    assert [task.data.prompt for task in taskset.take(3)] == [fresh[number].world.question for number in range(3)]


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({}, "give a suite to take worlds from, or a seed for fresh ones"),
        ({"seed": "s", "task": {"reward": "fame"}}, "there is no reward 'fame'"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(chosen, told):
    with pytest.raises(aw.InputError, match=told):
        load_environment(**chosen)
