"""`algoworlds show`: an evaluation as it went, for a person, for a document and for a program."""

import json

import pytest

from algoworlds.suites.build import build_suite
from algoworlds.suites.opened import open_suite
from algoworlds.suites.suite import Suite
from tests.command import run_here
from tests.silence import silent


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    out = tmp_path_factory.mktemp("show") / "suite"
    build_suite(Suite("shown", "a seed for showing", ("fleet_dispatch",), (0,), 1), out, None, silent)
    return open_suite(out)


@pytest.fixture(scope="module")
def played(suite, tmp_path_factory):
    out = tmp_path_factory.mktemp("show") / "run"
    assert run_here("run", "--suite", suite.directory, "--agent", "greedy", "--trials", "2", "--out", out).returncode == 0
    return out


@pytest.fixture
def world(suite):
    return next(entry.id for entry in suite.manifest.worlds if entry.interface == "mediated")


def shown(*arguments):
    done = run_here("show", *arguments, COLUMNS="160")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_transcript_tells_question_calls_answers_and_the_decision_against_the_optimum(suite, played, world):
    record = json.loads((played / "records" / f"{world}--2.json").read_text())
    text = shown(played, world, "2")
    assert "You dispatch a fleet for one day." in text
    assert text.count("\n1. ") == 1
    for number, step in enumerate(record["trajectory"], 1):
        assert f"{number}. {step['tool']}" in text
    seen = suite.play(world)
    for step in record["trajectory"]:
        for each in seen.call(step["tool"], step["arguments"]).json.get("records", {}).values():
            assert all(str(row[0]) in text for row in each["rows"])
    assert f"{record['gap']:,}" in text
    assert all(f"{value:,}" in text for value in (*record["parts"].values(), *record["optimal_parts"].values()))
    left = seen.budget - record["spend"]
    assert f"{left:,} left" in text


def test_for_a_program_it_is_one_document(suite, played, world):
    told = json.loads(shown(played, world, "--json"))
    again = suite.play(world)
    calls = [call for turn in told["turns"] for call in turn["calls"]]
    assert [call["response"] for call in calls] == [again.call(each["tool"], each["arguments"]).json for each in calls]
    assert (told["question"], told["tools"], told["record"]["trial"]) == (again.question, again.tools, 1)
    assert told["judgement"] is None


def test_what_a_model_wrote_stays_text(played, world, tmp_path):
    """Neither escapes of a terminal nor markup come through, and no fence is closed from inside."""
    path = played / "records" / f"{world}--1.json"
    before = path.read_bytes()
    said = "\x1b[31mred ```` <script>boom()</script>\n# not a heading"
    try:
        path.write_text(json.dumps(json.loads(before) | {"texts": [{"turn": 1, "text": said}]}))
        plain, document = shown(played, world), shown(played, world, "--markdown")
    finally:
        path.write_bytes(before)
    assert "red ```` <script>boom()</script>" in plain
    assert "\x1b" not in plain + document
    opened, rest = document.split("`````text\n", 1)
    assert rest.split("\n`````", 1)[0] == "red ```` <script>boom()</script>\n# not a heading"
    assert "boom" not in opened


def test_a_judged_evaluation_says_what_could_be_known(played, world):
    assert run_here("judge", played).returncode == 0
    assert json.loads(shown(played, world, "--json"))["judgement"]["footing"] == "misread"
    assert "It knew enough" in " ".join(shown(played, world).split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("{run}", "nowhere-1-1-direct"), "has no finished evaluation on 'nowhere-1-1-direct'; one is on fleet_dispatch-0-1"),
        (("{run}", "{world}", "3"), "has no trial 3 here: choose from 1, 2"),
        (("{run}", "{world}", "--suite", "nowhere"), "nowhere"),
        (("nowhere", "{world}"), "nowhere is no run"),
    ],
)
def test_what_there_is_not_is_one_line(played, world, arguments, message):
    done = run_here("show", *(each.format(run=played, world=world) for each in arguments))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert message in done.stderr
