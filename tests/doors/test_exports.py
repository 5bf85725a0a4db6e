"""Runs as trajectories and traces, and trajectories as runs: nothing hidden goes out, and nothing guessed comes in."""

import json
import re
import shutil

import pytest

from algoworlds.adapters.adopting import adopt
from algoworlds.adapters.atif import brought, read_trajectories, trajectory
from algoworlds.adapters.opentelemetry import trace
from algoworlds.adapters.trajectory import told
from algoworlds.errors import InputError
from algoworlds.families import FAMILIES
from algoworlds.reports.gather import gather
from algoworlds.runs.conversation import LATER_CALL
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.rescore import verify_run
from algoworlds.runs.schedule import Experiment, Wanted
from algoworlds.runs.scripted import run_agent
from algoworlds.runs.slot import Slot
from algoworlds.suites.documents import CANARY
from algoworlds.suites.record import Kind, Played, calls_of, record
from algoworlds.worlds.episode import Episode
from tests.command import run_here
from tests.runs.play import model_run, optimal
from tests.runs.server import Server
from tests.silence import silent

MEASURED = ("outcome", "exact", "utility", "coverage", "sufficiency", "spend", "executed_calls", "decision", "observed")
HIDDEN = re.compile(r"optim(um|al)|regret|gap\b|sufficient_set|seed|pepper")
"""Words of what only those may know who have the sealed files."""


@pytest.fixture(scope="module")
def oracle(suite, tmp_path_factory):
    """A run of the oracle on a small world of every family, in both interfaces, twice."""
    made = RunDirectory(tmp_path_factory.mktemp("exports") / "oracle")
    with made.locked():
        made.begin(Experiment.of("oracle", Kind.AGENT, {"agent": "oracle"}, suite, Wanted().of(suite), 2), suite.directory)
        run_agent(made, suite, "oracle", None, silent)
        made.seal()
    return made


@pytest.fixture(scope="module")
def model(suite, tmp_path_factory):
    """A run of a model that says something in every turn, over the wire."""
    out = tmp_path_factory.mktemp("exports") / "model"
    with Server(optimal(suite)) as server:
        model_run(suite, out, server.configuration("chat"), server.environment, worlds="fleet*-direct")
    return RunDirectory(out)


@pytest.fixture(scope="module")
def exported(oracle, tmp_path_factory):
    out = tmp_path_factory.mktemp("exports") / "trajectories"
    assert run_here("export", "atif", oracle.path, "--out", out).returncode == 0
    return out


@pytest.fixture
def spoiled(exported, tmp_path):
    return shutil.copytree(exported, tmp_path / "trajectories")


def rewritten(path, change):
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


# -- out ------------------------------------------------------------------------------------------------------------------


def test_a_trajectory_holds_what_the_agent_saw_and_nothing_that_it_did_not(oracle, exported, suite):
    files = sorted(exported.iterdir())
    assert [path.stem for path in files] == sorted(slot.name for slot in oracle.schedule)
    for path in files:
        document = json.loads(path.read_text())
        world = document["extra"]["algoworlds"]["world"]
        record = oracle.record(Slot(world, document["extra"]["algoworlds"]["trial"]))
        play = suite.play(world, calls_of(record))
        asked, *steps = document["steps"]
        seen = [each["content"] for step in steps for each in step["observation"]["results"]]
        assert (asked["message"], seen) == (play.question, [each.text for each in play.episode.observations])
        assert [each["function"] for each in document["agent"]["tool_definitions"]] == play.tools
        assert document["notes"] == CANARY
        told = json.dumps(document).replace(json.dumps(play.question)[1:-1], "").replace(json.dumps(play.tools)[1:-1], "")
        assert not HIDDEN.search(told)
        assert document["final_metrics"]["extra"].items() <= record.items()


def test_exports_are_the_same_bytes_again(oracle, exported, tmp_path):
    assert run_here("export", "atif", oracle.path, "--out", tmp_path / "again").returncode == 0
    for path in exported.iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()
    for name in ("one", "two"):
        assert run_here("export", "otel", oracle.path, "--out", tmp_path / name).returncode == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_model_s_turns_are_told_with_their_texts_times_and_tokens(model, suite):
    (each,) = told(model, suite)
    document = trajectory(model, each)
    lines = [line for line in _attempts(model) if line["fault"] is None]
    assert [step["message"] for step in document["steps"][1:]] == [f"step {turn}" for turn in range(1, len(lines) + 1)]
    assert [step["timestamp"] for step in document["steps"][1:]] == [line["date"] for line in lines]
    assert sum(step["metrics"]["prompt_tokens"] for step in document["steps"][1:]) == each.record["tokens"]["input"]
    assert document["final_metrics"]["total_completion_tokens"] == each.record["tokens"]["output"]


def _attempts(run):
    from algoworlds.runs.status import attempts_of

    return attempts_of(run)


def attributes(of):
    return {each["key"]: next(iter(each["value"].values())) for each in of["attributes"]}


@pytest.mark.parametrize("which", ["oracle", "model"])
def test_a_trace_is_one_tree_of_an_agent_its_turns_and_its_calls(which, suite, request):
    run = request.getfixturevalue(which)
    traces = [trace(run, each)["resourceSpans"][0] for each in told(run, suite)]
    roots = set()
    for each, made in zip(told(run, suite), traces, strict=True):
        assert attributes(made["resource"])["algoworlds.canary"] == CANARY
        root, *spans = made["scopeSpans"][0]["spans"]
        ids = {span["spanId"] for span in (root, *spans)}
        roots.add(root["traceId"])
        assert len(ids) == len(spans) + 1
        assert {span["parentSpanId"] for span in spans} == {root["spanId"]}
        assert {span["traceId"] for span in spans} == {root["traceId"]}
        assert all(re.fullmatch("[0-9a-f]{16}", each) for each in ids)
        calls = [attributes(span) for span in spans if span["name"].startswith("execute_tool")]
        assert [call["gen_ai.tool.call.result"] for call in calls] == [made.text for turn in each.rounds for made in turn.calls]
        chats = [attributes(span) for span in spans if span["name"].startswith("chat")]
        assert len(chats) == (len(each.rounds) if which == "model" else 0)
        times = [(int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])) for span in spans]
        assert all(begin <= end for begin, end in times)
        assert int(root["startTimeUnixNano"]) == min(begin for begin, _ in times)
        assert int(root["endTimeUnixNano"]) == max(end for _, end in times)
        scores = {attributes(event)["gen_ai.evaluation.name"] for event in root["events"]}
        assert "algoworlds.exact" in scores
    assert len(roots) == len(run.schedule)


# -- and back -------------------------------------------------------------------------------------------------------------


def test_trajectories_come_back_as_a_run_that_verifies_and_reports(oracle, exported, suite, tmp_path):
    done = run_here("import", "atif", exported, "--suite", suite.directory, "--out", tmp_path / "run", "--json")
    assert done.returncode == 0, done.stderr
    run = RunDirectory(tmp_path / "run")
    assert (run.kind, len(run.schedule)) == (Kind.EXTERNAL, 2 * 2 * len(FAMILIES))
    assert verify_run(run, suite, None, silent) == []
    assert gather([run], unverified=False).unverified == ()
    for slot in oracle.schedule:
        ours, theirs = oracle.record(slot), run.record(slot)
        assert {name: theirs[name] for name in MEASURED} == {name: ours[name] for name in MEASURED}


ODD = ["", "{", "[]", "null", '{"a":1,"a":2}', '{"a":1.5}', '{"a":NaN}', ' { "x" : 1 } ', '"é"', '{"\\u0000":"\\ud800"}']


def test_whatever_an_agent_gave_as_arguments_comes_back_as_it_was(oracle, suite):
    entry = suite.manifest.worlds[0]
    world = suite.world(entry)
    episode = Episode(world)
    for text in ODD:
        episode.call(world.catalog[0].tool, text)
    slot = Slot(entry.id, 1)
    made = record(oracle.whose(slot), entry, suite.key(entry), Played.by_calls(episode))
    (each,) = (each for each in told(oracle, suite) if each.slot == slot)
    each = type(each)(slot, world, made, tuple(_rounds(world, made)))
    document = json.loads(json.dumps(trajectory(oracle, each), allow_nan=False))
    assert [heard.call for heard in brought("odd", document).heard] == episode.calls


def _rounds(world, made):
    from algoworlds.adapters.trajectory import _rounds

    return _rounds(world, made, {})


def test_a_stranger_s_trajectory_is_known_by_its_question_and_its_answers(oracle, spoiled, suite, tmp_path):
    """No word of ours in it, tools under a client's prefix, calls of the harness's own between, texts in parts."""

    def foreign(document):
        del document["extra"]
        document["steps"][0] |= {"source": "user", "message": "Be brief.\n" + document["steps"][0]["message"] + "\nGo."}
        for step in document["steps"][1:]:
            for call in step["tool_calls"]:
                call["function_name"] = f"mcp__worlds__{call['function_name']}"
            for result in step["observation"]["results"]:
                result["content"] = [{"type": "text", "text": result["content"] + "\n"}]
            step["tool_calls"].append({"tool_call_id": "own", "function_name": "Bash", "arguments": {"command": "ls"}})
            step["observation"]["results"].append({"source_call_id": "own", "content": "README.md"})

    for path in spoiled.iterdir():
        rewritten(path, foreign)
    run = adopt(list(read_trajectories([spoiled])), suite, tmp_path / "run", "theirs", "atif")
    assert verify_run(run, suite, None, silent) == []
    for slot in oracle.schedule:
        assert run.record(slot)["observed"] == oracle.record(slot)["observed"]


def test_a_name_that_only_ends_like_a_tool_s_was_refused_and_is_again(exported, suite, tmp_path):
    path = sorted(exported.glob("fleet*--1.json"))[0]
    shutil.copy(path, tmp_path / "one.json")

    def misspelled(document):
        step = document["steps"][1]
        step["tool_calls"] = [step["tool_calls"][0] | {"function_name": "my__read_job"}]
        step["observation"]["results"] = [step["observation"]["results"][0] | {"content": Episode(world).call("fly").text}]
        del document["steps"][2:]

    world = suite.world(suite.entry(json.loads(path.read_text())["extra"]["algoworlds"]["world"]))
    rewritten(tmp_path / "one.json", misspelled)
    (made,) = adopt(list(read_trajectories([tmp_path / "one.json"])), suite, tmp_path / "run", None, "atif").records()
    assert [(step["tool"], step["status"]) for step in made["trajectory"]] == [("my__read_job", "unknown_tool")]


def test_a_call_that_was_never_executed_is_not_charged(exported, suite, tmp_path):
    path = sorted(exported.glob("fleet*--1.json"))[0]
    shutil.copy(path, tmp_path / "one.json")

    def parallel(document):
        step = document["steps"][1]
        step["tool_calls"].append(step["tool_calls"][0] | {"tool_call_id": "second"})
        step["observation"]["results"].append({"source_call_id": "second", "content": LATER_CALL})

    rewritten(tmp_path / "one.json", parallel)
    run = adopt(list(read_trajectories([tmp_path / "one.json"])), suite, tmp_path / "run", "one", "atif")
    assert run.record(run.schedule[0])["executed_calls"] == len(json.loads(path.read_text())["steps"]) - 2


def _cut_answer(document):
    document["steps"][1]["observation"]["results"].clear()


def _change_answer(document):
    results = document["steps"][1]["observation"]["results"]
    results[0]["content"] = results[0]["content"].replace("1", "2")


def _continue_elsewhere(document):
    document["continued_trajectory_ref"] = "next.json"


def _forget_the_question(document):
    del document["extra"]
    document["steps"][0]["message"] = "What is the capital of France?"


def _be_somebody_else(document):
    document["agent"]["version"] = "another"


def _name_no_world(document):
    document["extra"]["algoworlds"]["world"] = "../../etc/passwd"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_cut_answer, "has no answer, so that it cannot be replayed"),
        (_change_answer, "was answered otherwise than here"),
        (_continue_elsewhere, "is continued in another file"),
        (_forget_the_question, "is about no world of"),
        (_be_somebody_else, "of different agents"),
        (_name_no_world, "has no world"),
        (lambda document: document.clear(), "is no trajectory in ATIF"),
        (lambda document: document.update(steps=7), "is no trajectory in ATIF"),
        (lambda document: document.update(schema_version="ATIF-v9.0"), "is no trajectory in ATIF"),
        (lambda document: document["steps"][1].update(tool_calls=[7]), "is no trajectory in ATIF"),
    ],
)
def test_what_cannot_be_replayed_is_refused_in_one_line(spoiled, suite, tmp_path, change, words):
    rewritten(min(spoiled.iterdir()), change)
    done = run_here("import", "atif", spoiled, "--suite", suite.directory, "--out", tmp_path / "run")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_world_that_was_played_more_often_than_another_is_named(spoiled, suite, tmp_path):
    min(spoiled.iterdir()).unlink()
    with pytest.raises(InputError, match=r"was played 1 times and .* 2 times: a run has as many trials of every world"):
        adopt(list(read_trajectories([spoiled])), suite, tmp_path / "run", "few", "atif")


@pytest.mark.parametrize(
    "order",
    [
        ("export", "atif", "{run}", "--out", "{full}"),
        ("export", "otel", "{run}", "--out", "{full}/file"),
        ("export", "atif", "{run}", "--out", "{run}/trajectories"),
        ("export", "otel", "{run}", "--out", "{run}/traces.jsonl"),
        ("export", "hf", "{suite}", "--out", "{free}", "--answers", "{free}2"),
        ("export", "hf", "{run}", "--out", "{free}"),
        ("import", "atif", "{empty}", "--suite", "{suite}", "--out", "{free}"),
    ],
)
def test_mistakes_are_one_line(oracle, suite, tmp_path, order):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    (tmp_path / "empty").mkdir()
    names = {"run": oracle.path, "suite": suite.directory, **{each: tmp_path / each for each in ("full", "free", "empty")}}
    done = run_here(*(word.format(**names) for word in order))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert not list(tmp_path.glob("free*"))
    assert not list(oracle.path.glob("tra*"))


@pytest.mark.parametrize(
    ("places", "words"),
    [
        (("{free}", "{free}"), "lie in one another"),
        (("{free}", "{free}/answers"), "lie in one another"),
        (("{free}/worlds", "{free}"), "lie in one another"),
        (("{free}", "{suite}/answers"), "lies inside the suite"),
        (("{suite}/worlds/new", "{free}"), "lies inside the suite"),
    ],
)
def test_answers_go_nowhere_near_what_everybody_gets(suite, tmp_path, places, words):
    out, answers = (each.format(free=tmp_path / "free", suite=suite.directory) for each in places)
    done = run_here("export", "hf", suite.directory, "--out", out, "--answers", answers)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr
    assert not (tmp_path / "free").exists()
