"""What all adapters share: a world in play, scored and recorded like a run, and the public half of a suite."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

import algoworlds as aw
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.runs.agents import AGENTS
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.schedule import Experiment, Slot, WorldFilter
from algoworlds.runs.scripted import run_scripted_agent
from algoworlds.suites.record import encode_record, recorded_calls
from tests.runs.model_runs import record_bytes
from tests.silence import silent


@pytest.fixture
def entry(suite):
    return suite.manifest.worlds[0]


@pytest.mark.parametrize("name", ["null", "greedy", "oracle"])
def test_play_gives_the_record_of_a_run(suite, tmp_path, name):
    directory = RunDirectory(tmp_path / "run")
    with directory.lock():
        directory.create_or_resume(
            Experiment.from_suite(name, aw.PlayerKind.AGENT, {"agent": name}, suite, WorldFilter().select(suite), 1),
            suite.directory,
        )
        run_scripted_agent(directory, suite, name, None, silent)
    files = record_bytes(tmp_path / "run")
    assert len(files) == 2 * len(FAMILIES)
    for slot in directory.schedule:
        play = suite.play(slot.world)
        for call in recorded_calls(directory.read_record(slot)):
            play.call(*call)
        assert encode_record(play.record(directory.provenance(slot))) == files[f"{slot.name}.json"]
        assert play.score().items() <= play.record().items()
        assert play.done == (name != "null")


def test_play_resumes_from_its_calls(suite, entry):
    world = suite.world(entry)
    plan = min(world.plans.values(), key=len)
    play = suite.play(entry.id, plan[:2])
    play.call(*plan[2])
    assert suite.play(entry.id, play.calls).record() == play.record()
    assert play.calls == plan[:3]


def test_record_without_a_run_and_with_a_stop_reason(suite, entry):
    record = suite.play(entry.id).record()
    assert (record["identity"], record["kind"], record["trial"], record["stop_reason"]) == ("", "external", 1, "text_end")
    assert suite.play(entry.id).record(stop_reason="time_limit")["stop_reason"] == "time_limit"


def test_calls_from_many_threads_are_charged_one_by_one(suite, entry):
    play = suite.play(entry.id)
    call = suite.world(entry).catalog[0]
    price = suite.world(entry).prices[call.tool]
    with ThreadPoolExecutor(8) as pool:
        observations = list(pool.map(lambda _: play.call(*call), range(200)))
    executed = [observation for observation in observations if observation.status is aw.Status.EXECUTED]
    budgets = sorted(observation.json["budget_left"] for observation in executed)
    assert budgets == [play.budget - price * number for number in range(len(executed), 0, -1)]
    assert play.score()["spend"] == price * len(executed)
    assert len(play.calls) == 200


def test_two_plays_of_a_world_are_independent(suite, entry):
    first, second = suite.play(entry.id), suite.play(entry.id)
    AGENTS["oracle"](first.episode, Stream("doors"))
    assert (first.done, second.done, second.calls, second.score()["spend"]) == (True, False, (), 0)
    assert second.call(*first.calls[0]) == first.episode.observations[0]


def test_returned_values_cannot_change_the_world(suite, entry):
    play = suite.play(entry.id)
    question, tools, budget = play.question, play.tools, play.budget
    play.tools[0]["name"] = "free_for_all"
    aw.family_tool_schemas(entry.family)[0].clear()
    suite.public_world(entry.id).prices.clear()
    with pytest.raises(TypeError):
        play.episode.world.prices[tools[0]["name"]] = 0
    for name in ("question", "tools", "budget"):
        with pytest.raises(AttributeError):
            setattr(play, name, None)
    again = suite.play(entry.id)
    assert (again.question, again.tools, again.budget) == (question, tools, budget)


@pytest.mark.parametrize("name", FAMILIES)
def test_tools_depend_on_the_family_alone(suite, name):
    entries = [entry for entry in suite.manifest.worlds if entry.family == name]
    assert [suite.play(entry.id).tools for entry in entries] == [aw.family_tool_schemas(name)] * len(entries)


def test_public_half_is_read_without_sealed_files(suite, tmp_path):
    shutil.copytree(suite.directory, tmp_path / "public", ignore=shutil.ignore_patterns("sealed"))
    public = aw.open_public_suite(str(tmp_path / "public"))
    assert list(public.entries) == [entry.id for entry in suite.manifest.worlds]
    for name in public.entries:
        world, play = public.public_world(name), suite.play(name)
        assert (world.question, world.tools, world.budget) == (play.question, play.tools, play.budget)
        assert world.prices == play.episode.world.prices
    with pytest.raises(aw.InputError, match="scoring needs the sealed files"):
        aw.open_suite(tmp_path / "public")


def test_altered_public_file_is_refused(suite, entry, tmp_path):
    shutil.copytree(suite.directory, tmp_path / "public", ignore=shutil.ignore_patterns("sealed"))
    path = tmp_path / "public" / "worlds" / entry.id / "tools.json"
    path.write_text(path.read_text().replace('"budget":', '"budget":1'))
    with pytest.raises(aw.InputError, match="is altered"):
        aw.open_public_suite(tmp_path / "public").public_world(entry.id)


def test_unknown_world_is_named(suite):
    with pytest.raises(aw.InputError, match="has no world 'fleet_dispatch-0-1-direct'; the first of its 20 is "):
        suite.play("fleet_dispatch-0-1-direct")


def test_run_gives_the_provenance_of_a_record(suite, entry, tmp_path):
    directory = RunDirectory(tmp_path / "run")
    experiment = Experiment.from_suite("mine", aw.PlayerKind.EXTERNAL, {"door": "test"}, suite, [entry], 1)
    with directory.lock():
        directory.create_or_resume(experiment, suite.directory)
    assert directory.provenance(Slot(entry.id, 1)) == aw.Provenance(experiment.identity, "mine", aw.PlayerKind.EXTERNAL, 1)
