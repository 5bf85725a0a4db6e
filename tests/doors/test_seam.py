"""The seam that all doors open on: a world in play, scored and recorded as a run would, and the public half of a suite."""

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

import algoworlds as aw
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.runs.agents import AGENTS
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.schedule import Experiment, Wanted
from algoworlds.runs.scripted import run_agent
from algoworlds.runs.slot import Slot
from algoworlds.suites.record import calls_of, spelled
from tests.runs.play import records
from tests.silence import silent


@pytest.fixture
def entry(suite):
    return suite.manifest.worlds[0]


@pytest.mark.parametrize("name", ["null", "greedy", "oracle"])
def test_a_play_leaves_the_very_record_of_a_run(suite, tmp_path, name):
    directory = RunDirectory(tmp_path / "run")
    with directory.locked():
        directory.begin(Experiment.of(name, aw.Kind.AGENT, {"agent": name}, suite, Wanted().of(suite), 1), suite.directory)
        run_agent(directory, suite, name, None, silent)
    found = records(tmp_path / "run")
    assert len(found) == 2 * len(FAMILIES)
    for slot in directory.schedule:
        play = suite.play(slot.world)
        for call in calls_of(directory.record(slot)):
            play.call(*call)
        assert spelled(play.record(directory.whose(slot))) == found[f"{slot.name}.json"]
        assert play.score().items() <= play.record().items()
        assert play.done == (name != "null")


def test_a_play_goes_on_wherever_its_calls_are_made_again(suite, entry):
    world = suite.world(entry)
    plan = min(world.plans.values(), key=len)
    play = suite.play(entry.id, plan[:2])
    play.call(*plan[2])
    assert suite.play(entry.id, play.calls).record() == play.record()
    assert play.calls == plan[:3]


def test_a_record_of_no_run_says_so_and_a_reason_to_stop_is_kept(suite, entry):
    told = suite.play(entry.id).record()
    assert (told["identity"], told["kind"], told["trial"], told["stop_reason"]) == ("", "external", 1, "text_end")
    assert suite.play(entry.id).record(stop_reason="time_limit")["stop_reason"] == "time_limit"


def test_calls_from_many_threads_are_charged_one_by_one(suite, entry):
    play = suite.play(entry.id)
    call = suite.world(entry).catalog[0]
    price = suite.world(entry).prices[call.tool]
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: play.call(*call), range(200)))
    executed = [each for each in made if each.status is aw.Status.EXECUTED]
    left = sorted(each.json["budget_left"] for each in executed)
    assert left == [play.budget - price * number for number in range(len(executed), 0, -1)]
    assert play.score()["spend"] == price * len(executed)
    assert len(play.calls) == 200


def test_two_plays_of_a_world_know_nothing_of_each_other(suite, entry):
    first, second = suite.play(entry.id), suite.play(entry.id)
    AGENTS["oracle"](first.episode, Stream("doors"))
    assert (first.done, second.done, second.calls, second.score()["spend"]) == (True, False, (), 0)
    assert second.call(*first.calls[0]) == first.episode.observations[0]


def test_what_is_given_out_cannot_be_changed(suite, entry):
    play = suite.play(entry.id)
    question, tools, budget = play.question, play.tools, play.budget
    play.tools[0]["name"] = "free_for_all"
    aw.tools(entry.family)[0].clear()
    suite.presented(entry.id).prices.clear()
    with pytest.raises(TypeError):
        play.episode.world.prices[tools[0]["name"]] = 0
    for name in ("question", "tools", "budget"):
        with pytest.raises(AttributeError):
            setattr(play, name, None)
    again = suite.play(entry.id)
    assert (again.question, again.tools, again.budget) == (question, tools, budget)


@pytest.mark.parametrize("name", FAMILIES)
def test_tools_are_the_family_s_and_need_no_world(suite, name):
    found = [entry for entry in suite.manifest.worlds if entry.family == name]
    assert [suite.play(entry.id).tools for entry in found] == [aw.tools(name)] * len(found)


def test_the_public_half_is_read_without_any_sealed_file(suite, tmp_path):
    shutil.copytree(suite.directory, tmp_path / "public", ignore=shutil.ignore_patterns("sealed"))
    public = aw.open_public(str(tmp_path / "public"))
    assert list(public.entries) == [entry.id for entry in suite.manifest.worlds]
    for name in public.entries:
        seen, play = public.presented(name), suite.play(name)
        assert (seen.question, seen.tools, seen.budget) == (play.question, play.tools, play.budget)
        assert seen.prices == play.episode.world.prices
    with pytest.raises(aw.InputError, match="scoring needs the sealed files"):
        aw.open_suite(tmp_path / "public")


def test_an_altered_public_file_is_refused(suite, entry, tmp_path):
    shutil.copytree(suite.directory, tmp_path / "public", ignore=shutil.ignore_patterns("sealed"))
    place = tmp_path / "public" / "worlds" / entry.id / "tools.json"
    place.write_text(place.read_text().replace('"budget":', '"budget":1'))
    with pytest.raises(aw.InputError, match="is altered"):
        aw.open_public(tmp_path / "public").presented(entry.id)


def test_a_world_that_is_not_there_is_one_line(suite):
    with pytest.raises(aw.InputError, match="has no world 'fleet_dispatch-0-1-direct'; the first of its 20 is "):
        suite.play("fleet_dispatch-0-1-direct")


def test_a_run_says_whose_a_record_is(suite, entry, tmp_path):
    directory = RunDirectory(tmp_path / "run")
    experiment = Experiment.of("mine", aw.Kind.EXTERNAL, {"door": "test"}, suite, [entry], 1)
    with directory.locked():
        directory.begin(experiment, suite.directory)
    assert directory.whose(Slot(entry.id, 1)) == aw.Whose(experiment.identity, "mine", aw.Kind.EXTERNAL, 1)
