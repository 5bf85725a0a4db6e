"""Export of trajectories and traces, and import of trajectories: no leaks, and nothing guessed."""

import json
import re
import shutil
from statistics import mean, stdev

import pytest

from algoworlds.adapters.atif import decode_trajectory, encode_trajectory, read_trajectories
from algoworlds.adapters.opentelemetry import encode_trace
from algoworlds.adapters.trajectory import UTILITY_STEP, Trajectory, finished_trajectories, replay_turns
from algoworlds.adapters.trajectory_import import import_trajectories
from algoworlds.errors import InputError
from algoworlds.families import FAMILIES
from algoworlds.reports.loading import load_runs
from algoworlds.runs.conversation import LATER_CALL_ANSWER
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.external.session import Session
from algoworlds.runs.rescore import verify_run
from algoworlds.runs.schedule import Experiment, Slot, WorldFilter
from algoworlds.runs.scripted import run_scripted_agent
from algoworlds.suites.bundle import CANARY
from algoworlds.suites.record import FinishedTrajectory, PlayerKind, build_record, recorded_calls
from algoworlds.worlds.episode import Episode
from tests.command import run_here
from tests.runs.model_runs import optimal_model, run_model
from tests.runs.server import Server
from tests.runs.wire import reasoning_text
from tests.silence import silent

MEASURED = ("outcome", "exact", "utility", "coverage", "sufficiency", "spend", "executed_calls", "decision", "observed")
HIDDEN = re.compile(r"optim(um|al)|regret|gap\b|sufficient_set|seed|pepper")
"""Words that occur only in sealed files."""


@pytest.fixture(scope="module")
def oracle(suite, tmp_path_factory):
    """A run of the oracle: a small world of every family, both interfaces, two trials."""
    directory = RunDirectory(tmp_path_factory.mktemp("exports") / "oracle")
    with directory.lock():
        directory.create_or_resume(
            Experiment.from_suite("oracle", PlayerKind.AGENT, {"agent": "oracle"}, suite, WorldFilter().select(suite), 2),
            suite.directory,
        )
        run_scripted_agent(directory, suite, "oracle", None, silent)
        directory.write_manifest()
    return directory


@pytest.fixture(scope="module")
def model(suite, tmp_path_factory):
    """A run of a model that writes text in every turn, over HTTP."""
    out = tmp_path_factory.mktemp("exports") / "model"
    with Server(optimal_model(suite)) as server:
        run_model(suite, out, server.configuration("chat"), server.environment, worlds="fleet*-direct")
    return RunDirectory(out)


@pytest.fixture(scope="module")
def exported(oracle, tmp_path_factory):
    out = tmp_path_factory.mktemp("exports") / "trajectories"
    assert run_here("export", "atif", oracle.path, "--out", out).returncode == 0
    return out


@pytest.fixture
def spoiled(exported, tmp_path):
    return shutil.copytree(exported, tmp_path / "trajectories")


def edit_json(path, change):
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


# -- out ------------------------------------------------------------------------------------------------------------------


def test_trajectory_holds_exactly_what_the_agent_saw(oracle, exported, suite):
    files = sorted(exported.iterdir())
    assert [path.stem for path in files] == sorted(slot.name for slot in oracle.schedule)
    for path in files:
        document = json.loads(path.read_text())
        world = document["extra"]["algoworlds"]["world"]
        record = oracle.read_record(Slot(world, document["extra"]["algoworlds"]["trial"]))
        play = suite.play(world, recorded_calls(record))
        prompt, *steps = document["steps"]
        seen = [result["content"] for step in steps for result in step["observation"]["results"]]
        assert (prompt["message"], seen) == (play.question, [observation.text for observation in play.episode.observations])
        assert [tool["function"] for tool in document["agent"]["tool_definitions"]] == play.tools
        assert document["notes"] == CANARY
        text = json.dumps(document).replace(json.dumps(play.question)[1:-1], "").replace(json.dumps(play.tools)[1:-1], "")
        assert not HIDDEN.search(text)
        assert document["final_metrics"]["extra"].items() <= record.items()


def test_exported_utilities_do_not_give_the_optimum(suite, tmp_path):
    """With the value of the decision and of the reference, an exact utility gives the optimum; a rounded one does not."""
    run = tmp_path / "run"
    assert run_here("run", suite.directory, "--agent", "local_search", "--out", run, "--trials", "1").returncode == 0
    directory = RunDirectory(run)
    partial = 0
    for trajectory in finished_trajectories(directory, suite):
        exact, record = trajectory.measures["utility"], trajectory.record
        assert exact % UTILITY_STEP == 0
        assert exact <= record["utility"] < exact + UTILITY_STEP
        assert (exact == 100) == (record["exact"] == 1)
        partial += record["utility"] % UTILITY_STEP != 0
        texts = (json.dumps(encode_trajectory(directory, trajectory)), json.dumps(trajectory.measures))
        assert record["utility"] % UTILITY_STEP == 0 or not any(str(record["utility"]) in text for text in texts)
    assert partial > 0


def test_repeated_exports_are_byte_identical(oracle, exported, tmp_path):
    assert run_here("export", "atif", oracle.path, "--out", tmp_path / "again").returncode == 0
    for path in exported.iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()
    for name in ("one", "two"):
        assert run_here("export", "otel", oracle.path, "--out", tmp_path / name).returncode == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_model_turns_have_texts_times_and_tokens(model, suite):
    (trajectory,) = finished_trajectories(model, suite)
    document = encode_trajectory(model, trajectory)
    lines = [line for line in _attempts(model) if line["fault"] is None]
    assert [step["message"] for step in document["steps"][1:]] == [f"step {turn}" for turn in range(1, len(lines) + 1)]
    assert [step["timestamp"] for step in document["steps"][1:]] == [line["date"] for line in lines]
    assert sum(step["metrics"]["prompt_tokens"] for step in document["steps"][1:]) == trajectory.record["tokens"]["input"]
    assert document["final_metrics"]["total_completion_tokens"] == trajectory.record["tokens"]["output"]


def test_thinking_is_exported_unless_it_is_left_out(model, suite, tmp_path):
    """The loopback server thinks in every turn; tokens and seconds stay when the texts are left out."""
    (full,), (short,) = (list(finished_trajectories(model, suite, with_thinking)) for with_thinking in (True, False))
    document, spans = encode_trajectory(model, full), encode_trace(model, full)["resourceSpans"][0]["scopeSpans"]
    texts = [reasoning_text(index) for index in range(len(full.turns))]
    steps = document["steps"][1:]
    assert [step["reasoning_content"] for step in steps] == texts
    assert {step["metrics"]["extra"]["reasoning_tokens"] for step in steps} == {300}
    assert all(step["extra"]["seconds"] > 0 for step in steps)
    chats = [attributes(span) for span in spans[0]["spans"] if span["name"].startswith("chat")]
    parts = [json.loads(chat["gen_ai.output.messages"])[0]["parts"] for chat in chats]
    assert [[part["type"] for part in turn] for turn in parts] == [["reasoning", "text"]] * len(texts)
    assert [turn[0]["content"] for turn in parts] == texts
    assert {chat["algoworlds.reasoning_tokens"] for chat in chats} == {"300"}
    hidden = json.dumps([encode_trajectory(model, short), encode_trace(model, short)])
    assert [text for text in texts if text in hidden] == []
    assert hidden.count('"reasoning_tokens"') == len(texts)
    for kind in ("atif", "otel"):
        for name, options in (("full", ()), ("short", ("--no-thinking",))):
            assert run_here("export", kind, model.path, "--out", tmp_path / f"{kind}-{name}", *options).returncode == 0
            out = tmp_path / f"{kind}-{name}"
            (file,) = [out] if out.is_file() else out.iterdir()
            assert (texts[0] in file.read_text()) == (name == "full")


def _attempts(run):
    from algoworlds.runs.status import read_attempts

    return read_attempts(run)


def read_results(out):
    """The aggregates and the evaluations that `export eee` wrote."""
    (aggregate,), (samples,) = out.rglob("*.json"), out.rglob("*.jsonl")
    return json.loads(aggregate.read_text()), [json.loads(line) for line in samples.read_text().splitlines()]


def test_results_hold_what_the_agent_saw_and_nothing_of_the_optimum(suite, tmp_path):
    """A run of local_search: means and errors follow from the records, with utilities rounded before they are averaged."""
    words = ("--agent", "local_search", "--trials", "2", "--families", "fleet_dispatch,machine_layout,transit_routing")
    assert run_here("run", suite.directory, "--out", tmp_path / "run", *words).returncode == 0
    for _ in range(2):
        assert run_here("export", "eee", tmp_path / "run", "--out", tmp_path / "out").returncode == 0
    run, (aggregate, evaluations) = RunDirectory(tmp_path / "run"), read_results(tmp_path / "out")
    trajectories = {trajectory.slot.name: trajectory for trajectory in finished_trajectories(run, suite)}
    assert [line["sample_id"] for line in evaluations] == list(trajectories)
    for line in evaluations:
        trajectory = trajectories[line["sample_id"]]
        responses = [message["content"] for message in line["messages"] if message["role"] == "tool"]
        assert responses == [call.text for turn in trajectory.turns for call in turn.calls]
        (answer,) = line["answer_attribution"]
        assert json.loads(answer["extracted_value"]) == trajectory.record["decision"]
        assert line["messages"][answer["turn_idx"]]["tool_calls"][-1]["name"].startswith("submit")
        assert line["input"] == {"raw": trajectory.world.question, "reference": []}
        text = json.dumps(line).replace(json.dumps(trajectory.world.question)[1:-1], "")
        assert not HIDDEN.search(text.replace("suboptimal", ""))
    results = {result["metric_config"]["metric_id"]: result["score_details"] for result in aggregate["evaluation_results"]}
    utilities = [trajectory.record["utility"] // UTILITY_STEP * UTILITY_STEP for trajectory in trajectories.values()]
    assert results["algoworlds.utility"]["score"] == pytest.approx(sum(utilities) / len(utilities))
    families = [trajectory.record["family"] for trajectory in trajectories.values()]
    means = [mean(utility for utility, of in zip(utilities, families, strict=True) if of == family) for family in set(families)]
    error = results["algoworlds.utility"]["uncertainty"]["standard_error"]["value"]
    assert error == pytest.approx(stdev(means) / 3**0.5)
    assert error > 0


@pytest.mark.parametrize("name", ["small", "lab/", "../x", "lab/..", "lab/a b", "lab/CON/x\x1b", ""])
def test_model_id_must_name_a_developer_and_a_model(one_world, tmp_path, name):
    done = run_here("export", "eee", one_world, "--out", tmp_path / "out", "--model-id", name)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "add --model-id DEVELOPER/MODEL" in done.stderr
    assert "\x1b" not in done.stderr


def attributes(of):
    return {attribute["key"]: next(iter(attribute["value"].values())) for attribute in of["attributes"]}


@pytest.mark.parametrize("which", ["oracle", "model"])
def test_trace_is_one_tree_of_agent_turns_and_calls(which, suite, request):
    run = request.getfixturevalue(which)
    traces = [encode_trace(run, trajectory)["resourceSpans"][0] for trajectory in finished_trajectories(run, suite)]
    roots = set()
    for trajectory, trace in zip(finished_trajectories(run, suite), traces, strict=True):
        assert attributes(trace["resource"])["algoworlds.canary"] == CANARY
        root, *spans = trace["scopeSpans"][0]["spans"]
        ids = {span["spanId"] for span in (root, *spans)}
        roots.add(root["traceId"])
        assert len(ids) == len(spans) + 1
        assert {span["parentSpanId"] for span in spans} == {root["spanId"]}
        assert {span["traceId"] for span in spans} == {root["traceId"]}
        assert all(re.fullmatch("[0-9a-f]{16}", id_) for id_ in ids)
        calls = [attributes(span) for span in spans if span["name"].startswith("execute_tool")]
        assert [call["gen_ai.tool.call.result"] for call in calls] == [
            call.text for turn in trajectory.turns for call in turn.calls
        ]
        chats = [attributes(span) for span in spans if span["name"].startswith("chat")]
        assert len(chats) == (len(trajectory.turns) if which == "model" else 0)
        times = [(int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])) for span in spans]
        assert all(begin <= end for begin, end in times)
        assert int(root["startTimeUnixNano"]) == min(begin for begin, _ in times)
        assert int(root["endTimeUnixNano"]) == max(end for _, end in times)
        scores = {attributes(event)["gen_ai.evaluation.name"] for event in root["events"]}
        assert "algoworlds.exact" in scores
    assert len(roots) == len(run.schedule)


# -- and back -------------------------------------------------------------------------------------------------------------


def test_same_evaluation_is_imported_once(oracle, exported, suite, tmp_path):
    """Folders may be named twice, also by a link; copies of a file are refused."""
    (tmp_path / "link").symlink_to(exported)
    paths = (exported, f"{exported}/../{exported.name}", tmp_path / "link", min(exported.iterdir()))
    done = run_here("import", "atif", *paths, "--suite", suite.directory, "--out", tmp_path / "run", "--json")
    assert (done.returncode, json.loads(done.stdout)["evaluations"]) == (0, len(oracle.schedule)), done.stderr
    copies = shutil.copytree(exported, tmp_path / "copies")
    done = run_here("import", "atif", exported, copies, "--suite", suite.directory, "--out", tmp_path / "again")
    assert (done.returncode, done.stderr.count("\n"), "are the same evaluation" in done.stderr) == (2, 1, True)
    for path in copies.iterdir():
        edit_json(path, lambda document: document.pop("extra"))
    shutil.copytree(copies, tmp_path / "foreign")
    done = run_here("import", "atif", copies, tmp_path / "foreign", "--suite", suite.directory, "--out", tmp_path / "again")
    assert (done.returncode, "are the same evaluation" in done.stderr) == (2, True)


def test_killed_import_goes_on(exported, suite, tmp_path, monkeypatch):
    """Killed in the middle of an evaluation, and again when everything but the answer is done."""
    command = ("import", "atif", exported, "--suite", suite.directory, "--out", tmp_path / "run")
    calls, call = [], Session.call

    def call_or_die(self, *arguments):
        calls.append(arguments)
        if len(calls) == 30:
            raise KeyboardInterrupt
        return call(self, *arguments)

    trajectories = list(read_trajectories([exported]))
    monkeypatch.setattr(Session, "call", call_or_die)
    with pytest.raises(KeyboardInterrupt):
        import_trajectories(trajectories, suite, tmp_path / "run", None, "atif")
    monkeypatch.undo()
    assert not (tmp_path / "run" / "manifest.json").exists()
    for _ in range(2):
        assert run_here(*command).returncode == 0
    assert verify_run(RunDirectory(tmp_path / "run"), suite, None, silent) == []


def test_finished_and_killed_exports_can_be_started_again(oracle, exported, tmp_path):
    """A finished export is accepted, and what a killed one left is removed."""
    before = {path.name: path.stat().st_mtime_ns for path in exported.iterdir()}
    assert run_here("export", "atif", oracle.path, "--out", exported).returncode == 0
    assert {path.name: path.stat().st_mtime_ns for path in exported.iterdir()} == before
    (tmp_path / ".out.partial").mkdir()
    (tmp_path / ".out.partial" / "half.json").write_text("{")
    (tmp_path / ".traces.1.partial").write_text("{")
    for _ in range(2):
        assert run_here("export", "atif", oracle.path, "--out", tmp_path / "out").returncode == 0
        assert run_here("export", "otel", oracle.path, "--out", tmp_path / "traces").returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {"out", "traces"}
    next((tmp_path / "out").iterdir()).write_text("{}")
    (tmp_path / "traces").write_text("{}")
    for kind, name in (("atif", "out"), ("otel", "traces")):
        done = run_here("export", kind, oracle.path, "--out", tmp_path / name)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)


EDITED_RECORDS = {
    "utility": lambda record: record.update(utility=record["utility"] / 2),
    "outcome": lambda record: record.update(outcome="infeasible"),
    "spend": lambda record: record.update(spend=record["spend"] + 1),
    "charge": lambda record: record["trajectory"][0].update(charged=record["trajectory"][0]["charged"] + 1),
    "arguments": lambda record: record["trajectory"][0].update(arguments="{}"),
    "no trajectory": lambda record: record.pop("trajectory"),
    "tokens": lambda record: record.update(tokens="\x1b[2J"),
}


@pytest.fixture(scope="module")
def one_world(suite, tmp_path_factory):
    """A run of the oracle on one world."""
    out = tmp_path_factory.mktemp("exports") / "one"
    words = ("--agent", "oracle", "--trials", 1, "--worlds", "fleet*-direct")
    assert run_here("run", suite.directory, "--out", out, *words).returncode == 0
    return out


@pytest.mark.parametrize("edit", EDITED_RECORDS.values(), ids=EDITED_RECORDS)
def test_edited_record_is_not_exported(one_world, tmp_path, edit):
    run = shutil.copytree(one_world, tmp_path / "run")
    (path,) = (run / "records").iterdir()
    edit_json(path, edit)
    for kind in ("atif", "otel", "eee"):
        done = run_here("export", kind, run, "--out", tmp_path / "out")
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert f"records/{path.name}" in done.stderr
        assert "\x1b" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_imported_trajectories_verify_and_report(oracle, exported, suite, tmp_path):
    done = run_here("import", "atif", exported, "--suite", suite.directory, "--out", tmp_path / "run", "--json")
    assert done.returncode == 0, done.stderr
    run = RunDirectory(tmp_path / "run")
    assert (run.kind, len(run.schedule)) == (PlayerKind.EXTERNAL, 2 * 2 * len(FAMILIES))
    assert verify_run(run, suite, None, silent) == []
    assert load_runs([run], allow_unverified=False).unverified == ()
    for slot in oracle.schedule:
        ours, theirs = oracle.read_record(slot), run.read_record(slot)
        assert {name: theirs[name] for name in MEASURED} == {name: ours[name] for name in MEASURED}


ODD = ["", "{", "[]", "null", '{"a":1,"a":2}', '{"a":1.5}', '{"a":NaN}', ' { "x" : 1 } ', '"é"', '{"\\u0000":"\\ud800"}']


def test_arguments_survive_a_round_trip(oracle, suite):
    entry = suite.manifest.worlds[0]
    world = suite.world(entry)
    episode = Episode(world)
    for text in ODD:
        episode.call(world.catalog[0].tool, text)
    slot = Slot(entry.id, 1)
    record = build_record(oracle.provenance(slot), entry, suite.key(entry), FinishedTrajectory.from_episode(episode))
    trajectory = Trajectory(slot, world, record, tuple(replay_turns(world, record, {})))
    document = json.loads(json.dumps(encode_trajectory(oracle, trajectory), allow_nan=False))
    assert [imported.call for imported in decode_trajectory("odd", document).calls] == episode.calls


def test_foreign_trajectory_is_matched_by_question_and_responses(oracle, spoiled, suite, tmp_path):
    """Without our fields, with prefixed tools, calls of the harness between, and texts in parts."""

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
        edit_json(path, foreign)
    run = import_trajectories(list(read_trajectories([spoiled])), suite, tmp_path / "run", "theirs", "atif")
    assert verify_run(run, suite, None, silent) == []
    for slot in oracle.schedule:
        assert run.read_record(slot)["observed"] == oracle.read_record(slot)["observed"]


def test_refused_tool_name_with_a_known_ending_stays_refused(exported, suite, tmp_path):
    path = sorted(exported.glob("fleet*--1.json"))[0]
    shutil.copy(path, tmp_path / "one.json")

    def misspell(document):
        step = document["steps"][1]
        step["tool_calls"] = [step["tool_calls"][0] | {"function_name": "my__read_job"}]
        step["observation"]["results"] = [step["observation"]["results"][0] | {"content": Episode(world).call("fly").text}]
        del document["steps"][2:]

    world = suite.world(suite.entry(json.loads(path.read_text())["extra"]["algoworlds"]["world"]))
    edit_json(tmp_path / "one.json", misspell)
    (record,) = import_trajectories(
        list(read_trajectories([tmp_path / "one.json"])), suite, tmp_path / "run", None, "atif"
    ).read_records()
    assert [(step["tool"], step["status"]) for step in record["trajectory"]] == [("my__read_job", "unknown_tool")]


def test_unexecuted_call_is_not_charged(exported, suite, tmp_path):
    path = sorted(exported.glob("fleet*--1.json"))[0]
    shutil.copy(path, tmp_path / "one.json")

    def parallel(document):
        step = document["steps"][1]
        step["tool_calls"].append(step["tool_calls"][0] | {"tool_call_id": "second"})
        step["observation"]["results"].append({"source_call_id": "second", "content": LATER_CALL_ANSWER})

    edit_json(tmp_path / "one.json", parallel)
    run = import_trajectories(list(read_trajectories([tmp_path / "one.json"])), suite, tmp_path / "run", "one", "atif")
    assert run.read_record(run.schedule[0])["executed_calls"] == len(json.loads(path.read_text())["steps"]) - 2


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


def _be_another_agent(document):
    document["agent"]["version"] = "another"


def _name_no_world(document):
    document["extra"]["algoworlds"]["world"] = "../../etc/passwd"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_cut_answer, "has no response: cannot replay it"),
        (_change_answer, "has another response than here"),
        (_continue_elsewhere, "is continued in another file"),
        (_forget_the_question, "matches no world of"),
        (_be_another_agent, "of different agents"),
        (_name_no_world, "has no world"),
        (lambda document: document["extra"]["algoworlds"].update(world=["x"]), "is not an ATIF trajectory"),
        (lambda document: document["extra"]["algoworlds"].update(world={}), "is not an ATIF trajectory"),
        (lambda document: document["extra"]["algoworlds"].update(trial="1"), "is not an ATIF trajectory"),
        (lambda document: document["extra"].update(algoworlds=[1]), "is not an ATIF trajectory"),
        (lambda document: document["agent"].update(name=7), "of different agents"),
        (lambda document: document["steps"][1]["tool_calls"][0].update(function_name=["x"]), "is not an ATIF trajectory"),
        (lambda document: document["steps"][1]["tool_calls"][0].update(tool_call_id=["x"]), "is not an ATIF trajectory"),
        (lambda document: document.clear(), "is not an ATIF trajectory"),
        (lambda document: document.update(steps=7), "is not an ATIF trajectory"),
        (lambda document: document.update(schema_version="ATIF-v9.0"), "is not an ATIF trajectory"),
        (lambda document: document["steps"][1].update(tool_calls=[7]), "is not an ATIF trajectory"),
    ],
)
def test_refuses_what_cannot_be_replayed(spoiled, suite, tmp_path, change, words):
    edit_json(min(spoiled.iterdir()), change)
    done = run_here("import", "atif", spoiled, "--suite", suite.directory, "--out", tmp_path / "run")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr
    assert not (tmp_path / "run").exists()


def test_refuses_unequal_numbers_of_trials(spoiled, suite, tmp_path):
    min(spoiled.iterdir()).unlink()
    with pytest.raises(InputError, match=r"was played 1 times and .* 2 times: every world needs the same number of trials"):
        import_trajectories(list(read_trajectories([spoiled])), suite, tmp_path / "run", "few", "atif")


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "atif", "{run}", "--out", "{full}"),
        ("export", "otel", "{run}", "--out", "{full}/file"),
        ("export", "otel", "{run}", "--out", "."),
        ("export", "otel", "{run}", "--out", "/"),
        ("export", "otel", "{run}", "--out", ".."),
        ("export", "atif", "{run}", "--out", "{full}/file"),
        ("export", "atif", "{run}", "--out", "."),
        ("export", "atif", "{run}", "--out", "/"),
        ("export", "atif", "{run}", "--out", "{run}/trajectories"),
        ("export", "otel", "{run}", "--out", "{run}/traces.jsonl"),
        ("export", "hf", "{suite}", "--out", "{free}", "--answers", "{free}2"),
        ("export", "hf", "{run}", "--out", "{free}"),
        ("import", "atif", "{empty}", "--suite", "{suite}", "--out", "{free}"),
    ],
)
def test_rejects_wrong_paths_in_one_line(oracle, suite, tmp_path, arguments):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    (tmp_path / "empty").mkdir()
    names = {"run": oracle.path, "suite": suite.directory, **{name: tmp_path / name for name in ("full", "free", "empty")}}
    done = run_here(*(word.format(**names) for word in arguments))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert not list(tmp_path.glob("free*"))
    assert not list(oracle.path.glob("tra*"))


@pytest.mark.parametrize(
    ("places", "words"),
    [
        (("{free}", "{free}"), "lies in the other"),
        (("{free}", "{free}/answers"), "lies in the other"),
        (("{free}/worlds", "{free}"), "lies in the other"),
        (("{free}", "{suite}/answers"), "lies inside the suite"),
        (("{suite}/worlds/new", "{free}"), "lies inside the suite"),
    ],
)
def test_answers_must_be_separate_from_the_public_half(suite, tmp_path, places, words):
    out, answers = (place.format(free=tmp_path / "free", suite=suite.directory) for place in places)
    done = run_here("export", "hf", suite.directory, "--out", out, "--answers", answers)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert words in done.stderr
    assert not (tmp_path / "free").exists()
