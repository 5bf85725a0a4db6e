"""`algoworlds show`: one evaluation for a person, as Markdown and as JSON."""

import json
import shutil

import pytest

from algoworlds.suites.build import build_suite
from algoworlds.suites.open import open_suite
from algoworlds.suites.suite import SuiteSpec
from tests.command import run_here
from tests.runs.model_runs import BlockedModel, optimal_model, run_model
from tests.runs.server import Server, answer_with
from tests.runs.wire import reasoning_text
from tests.silence import silent


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    out = tmp_path_factory.mktemp("show") / "suite"
    build_suite(SuiteSpec("shown", "a seed for showing", ("fleet_dispatch",), (0,), 1), out, None, silent)
    return open_suite(out)


@pytest.fixture(scope="module")
def played(suite, tmp_path_factory):
    out = tmp_path_factory.mktemp("show") / "run"
    assert run_here("run", suite.directory, "--agent", "greedy", "--trials", "2", "--out", out).returncode == 0
    return out


@pytest.fixture
def world(suite):
    return next(entry.id for entry in suite.manifest.worlds if entry.interface == "mediated")


def show(*arguments):
    done = run_here("show", *arguments, COLUMNS="160")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_transcript_has_question_calls_answers_and_decision(suite, played, world):
    record = json.loads((played / "records" / f"{world}--2.json").read_text())
    text = show(played, world, "2")
    assert "You dispatch a fleet for one day." in text
    assert text.count("\n1. ") == 1
    for number, step in enumerate(record["trajectory"], 1):
        assert f"{number}. {step['tool']}" in text
    replay = suite.play(world)
    for step in record["trajectory"]:
        for table in replay.call(step["tool"], step["arguments"]).json.get("records", {}).values():
            assert all(str(row[0]) in text for row in table["rows"])
    assert f"{record['gap']:,}" in text
    assert all(f"{value:,}" in text for value in (*record["parts"].values(), *record["optimal_parts"].values()))
    left = replay.budget - record["spend"]
    assert f"{left:,} left" in text


def test_json_is_one_document(suite, played, world):
    document = json.loads(show(played, world, "--json"))
    replay = suite.play(world)
    calls = [call for turn in document["turns"] for call in turn["calls"]]
    assert [call["response"] for call in calls] == [replay.call(call["tool"], call["arguments"]).json for call in calls]
    assert (document["question"], document["tools"], document["record"]["trial"]) == (replay.question, replay.tools, 1)
    assert document["judgement"] is None


def test_text_of_a_model_stays_text(played, world, tmp_path):
    """Neither terminal escapes nor markup take effect, and no fence is closed from inside."""
    path = played / "records" / f"{world}--1.json"
    original = path.read_bytes()
    text = "\x1b[31mred ```` <script>boom()</script>\n# not a heading"
    try:
        path.write_text(json.dumps(json.loads(original) | {"texts": [{"turn": 1, "text": text}]}))
        plain, document = show(played, world), show(played, world, "--markdown")
    finally:
        path.write_bytes(original)
    assert "red ```` <script>boom()</script>" in plain
    assert "\x1b" not in plain + document
    before, rest = document.split("`````text\n", 1)
    assert rest.split("\n`````", 1)[0] == "red ```` <script>boom()</script>\n# not a heading"
    assert "boom" not in before


def test_judged_evaluation_says_what_could_be_known(played, world):
    assert run_here("judge", played).returncode == 0
    assert json.loads(show(played, world, "--json"))["judgement"]["footing"] == "misread"
    assert "It knew enough" in " ".join(show(played, world).split())


@pytest.fixture(scope="module")
def thinker(suite, tmp_path_factory):
    """A finished run of a model that thinks."""
    out = tmp_path_factory.mktemp("show") / "thinker"
    with Server(optimal_model(suite)) as server:
        run_model(suite, out, server.configuration("chat"), server.environment)
    return out


def test_thinking_is_shortened_printed_in_full_or_left_out(thinker, world, monkeypatch):
    turns = json.loads((thinker / "records" / f"{world}--1.json").read_text())["turns"]
    assert show(thinker, world).count("300 tokens, ") == turns
    assert reasoning_text(turns - 1) in show(thinker, world)
    monkeypatch.setattr("algoworlds.cli.show._MAX_THINKING_CHARS", 5)
    beginnings = show(thinker, world, "--markdown")
    assert reasoning_text(0)[:5] in beginnings
    assert reasoning_text(0) not in beginnings
    assert reasoning_text(0) in show(thinker, world, "--thinking")
    assert reasoning_text(0)[:5] not in show(thinker, world, "--no-thinking")
    document = json.loads(show(thinker, world, "--json"))
    assert [turn["thinking"]["text"] for turn in document["turns"]] == list(map(reasoning_text, range(turns)))
    assert all(turn["thinking"]["seconds"] > 0 for turn in document["turns"])
    without = json.loads(show(thinker, world, "--json", "--no-thinking"))
    assert {turn["thinking"] for turn in without["turns"]} == {None}


def test_running_evaluation_is_shown_without_the_optimum(suite, world, tmp_path):
    """The run halts in the third turn of a model that would decide optimally."""
    key = suite.key(suite.entries[world])
    with Server(BlockedModel(optimal_model(suite), at=3)) as server:
        server.plan = {3: answer_with(401)}
        run_model(suite, tmp_path / "run", server.configuration("chat"), server.environment, worlds=world)
    text = show(tmp_path / "run", world)
    assert "UNFINISHED: it has not ended yet: " in " ".join(text.split())
    assert text.count("300 tokens, ") == 2
    assert "\n2. " in text
    assert "Failed requests: " in " ".join(text.split())
    document = json.loads(show(tmp_path / "run", world, "--json"))
    assert (document["verdict"], document["state"]["state"], document["judgement"]) == (None, "unfinished", None)
    assert len(document["record"]["trajectory"]) == 2
    assert not {"optimum", "optimal_decision", "optimal_parts", "coverage", "exact", "regret"} & set(document["record"])
    assert f"{key.optimum:,}" not in text
    assert "Not finished" in show(tmp_path / "run", world, "--markdown")


def test_failed_agent_is_shown_with_its_error(suite, world, tmp_path):
    (tmp_path / "agent.py").write_text(
        "def play(world):\n    world.call('nothing')\n    raise ValueError('\\x1b[31mno [bold]idea')\n"
    )
    agent = f"{tmp_path / 'agent.py'}:play"
    assert run_here("run", suite.directory, "--agent", agent, "--trials", "1", "--out", tmp_path / "run").returncode == 0
    text = show(tmp_path / "run", world)
    assert "Ended by agent error: the agent failed: ValueError: " in " ".join(text.split())
    assert "no [bold]idea" in text
    assert "Traceback (most recent call last)" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("{run}", "nowhere-1-1-direct"), "has no finished evaluation on 'nowhere-1-1-direct'; one is on fleet_dispatch-0-1"),
        (("{run}", "{world}", "3"), "has no trial 3 here: choose from 1, 2"),
        (("{run}", "{world}", "--suite", "nowhere"), "nowhere"),
        (("nowhere", "{world}"), "nowhere is not a run"),
    ],
)
def test_missing_run_world_or_trial_is_one_line(played, world, arguments, message):
    done = run_here("show", *(argument.format(run=played, world=world) for argument in arguments))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr


EDITS = {
    "no trajectory": lambda record: record.pop("trajectory"),
    "trajectory is text": lambda record: record.update(trajectory="x"),
    "trajectory is true": lambda record: record.update(trajectory=True),
    "turn is a list": lambda record: record["trajectory"][0].update(turn=[None]),
    "texts are a number": lambda record: record.update(texts=0.5),
    "texts are text": lambda record: record.update(texts="x"),
    "no stop reason": lambda record: record.pop("stop_reason"),
    "no terms": lambda record: record.update(parts=None),
    "a huge term": lambda record: record["parts"].update(dict.fromkeys(record["parts"], 10**400)),
    "a huge cost": lambda record: record.update(cost=10**400),
    "utility is not a number": lambda record: record.update(utility=float("nan")),
    "a decision without arguments": lambda record: record.update(decision={}),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_edited_record_is_refused_in_one_line(played, world, tmp_path, edit):
    run = shutil.copytree(played, tmp_path / "run")
    path = run / "records" / f"{world}--1.json"
    record = json.loads(path.read_text())
    assert record["feasible"]
    edit(record)
    path.chmod(0o644)
    path.write_text(json.dumps(record))
    done = run_here("show", run, world, "1")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
