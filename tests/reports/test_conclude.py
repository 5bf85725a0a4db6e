"""From a model's run to its report: mistakes are told apart, and what a model writes stays text (C7)."""

import json
import re
import zlib
from base64 import b64decode
from dataclasses import replace
from urllib.parse import quote

import pytest

from algoworlds.families import FAMILIES
from algoworlds.measures.decomposition import acquisition_gap, decompose
from algoworlds.reports.conclude import conclude
from algoworlds.reports.page import FOLDER
from algoworlds.reports.ranking import Ranking
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.judgement import judge_runs
from algoworlds.suites.record import calls_of
from algoworlds.worlds.episode import Episode
from tests.drawing import unfiled
from tests.reports.reading import key_of
from tests.reports.sample import HOSTILE, REORDERED
from tests.runs.play import built, model_run
from tests.runs.server import Server
from tests.runs.wire import Reply
from tests.silence import silent

LABEL = '=cmd() <b onmouseover="boom()">model</b> ]]> {{7*7}} \\input{x}'


def careless(suite):
    """A model that reads a part of a plan, more of it in every trial, and then makes the myopic decision, amid bad words."""
    known, trials = {}, {}
    for entry in suite.manifest.worlds:
        world = suite.world(entry)
        myopic = json.dumps(world.family.decision.arguments(world.family.reference(world.instance)))
        plan = [tuple(call) for call in min(world.plans.values(), key=len)]
        known[world.question] = plan, (world.family.template.closing.submit, myopic)

    def script(conversation):
        plan, submit = known[conversation.question]
        made = len(conversation.turns)
        if made == 0:
            trials[conversation.question] = trials.get(conversation.question, 0) + 1
            return Reply(((f"=cmd(){HOSTILE}", json.dumps({HOSTILE: REORDERED})),), text=HOSTILE)
        part = plan[: max(1, len(plan) - 4 + trials[conversation.question])]
        return Reply((part[made - 1] if made <= len(part) else submit,), text=REORDERED)

    return script


@pytest.fixture(scope="module")
def concluded(tmp_path_factory):
    """A suite, a run of the careless model on it, and what was concluded of it."""
    place = tmp_path_factory.mktemp("careless")
    suite = built(place / "suite")
    with Server(careless(suite)) as server:
        configuration = server.configuration("responses", label=LABEL, model=HOSTILE)
        model_run(suite, place / "run", configuration, server.environment, trials=3)
    judge_runs([RunDirectory(place / "run")], suite, None, silent)
    with unfiled():
        return suite, RunDirectory(place / "run"), conclude([RunDirectory(place / "run")], suite, place / "report")


def test_regret_parts_of_a_real_run_are_what_each_trajectory_gives_alone(concluded):
    suite, run, made = concluded
    wanted = {}
    for record in run.records():
        entry = suite.entries[record["world"]]
        world, key = suite.world(entry), suite.key(entry)
        episode = Episode(world, calls_of(record))
        verdict = world.family.check(world.instance, world.family.decision.parse(record["decision"]))
        parts = decompose(acquisition_gap(world, episode.facts, key.optimum), key, verdict)
        wanted[record["world"], record["trial"]] = (parts.acquisition, parts.reasoning)
    told = {
        (each.world, each.trial): (each.judged("acquisition_regret"), each.judged("reasoning_regret"))
        for each in made.results.evaluations
        if each.configuration == LABEL
    }
    assert told == wanted
    assert {each.sufficiency for each in made.results.evaluations if each.configuration == LABEL} == {0, 1}
    defined = [parts for parts in wanted.values() if parts[1] is not None]
    assert 0 < len(defined) < len(wanted), "some trajectories know too little for any decision"
    (row,) = [row for row in made.sheets["regret_parts"].data if row["configuration"] == LABEL]
    assert row["defined"] == len(defined)
    assert row["infeasible"].mean == 0
    assert row["unknowable"].mean == pytest.approx(100 * (1 - len(defined) / len(wanted)))


def test_every_record_is_read_once(concluded, tmp_path, unillustrated, monkeypatch):
    suite, run, _ = concluded
    read, opened = RunDirectory.record, []
    monkeypatch.setattr(RunDirectory, "record", lambda self, slot: opened.append((self.path, slot)) or read(self, slot))
    conclude([run], suite, tmp_path / "report")
    assert len(opened) == len(set(opened)) == len(run.schedule) + 4 * len(suite.entries)  # the run's and four agents'


def test_the_page_shows_what_else_could_have_been_true(concluded, running):
    """A premature decision, in words, and the cells of another instance that answers alike in a small table."""
    _, run, made = concluded
    hasty = [
        each for each in made.results.evaluations if each.judged("footing") == "premature" and each.judged("witness")["cells"]
    ]
    cell = hasty[0].judged("witness")["cells"][0]
    record = run.record(next(slot for slot in run.schedule if (slot.world, slot.trial) == (hasty[0].world, hasty[0].trial)))
    running.open(f"{made.page.as_uri()}#evaluation={quote(key_of(record))}")
    running.wait("document.getElementById('evaluation').open")
    text = running.run("document.getElementById('evaluation').innerText")
    assert "It did not know enough: with what it had read, another decision could have been better by up to" in text
    assert "What else could have been true".lower() in text.lower()
    shown = running.run("document.querySelector('#evaluation .witness').innerText")
    assert f"{cell['possible']:,}" in shown
    assert f"{cell['true']:,}" in shown
    assert cell["row"][0] in shown


def test_a_number_about_knowledge_leads_to_its_evaluations(concluded, running):
    _, _, made = concluded
    expected = sum(each.judged("footing") == "premature" and each.configuration == LABEL for each in made.results.evaluations)
    running.open(f"{made.page.as_uri()}#footing=premature&configuration={quote(LABEL)}")
    running.wait("document.getElementById('found').textContent")
    assert running.run("document.getElementById('found').textContent").startswith(f"{expected} of")


def test_no_report_of_judged_runs_solves(concluded, tmp_path, unfiled, monkeypatch):
    suite, run, _ = concluded

    def solved(*given):
        raise AssertionError("solved")

    for each in list(FAMILIES.values()):
        monkeypatch.setitem(FAMILIES, each.name, replace(each, solve=solved, verify=solved))
    conclude([run], suite, tmp_path / "report", panel=False)


def test_what_a_model_wrote_acts_nowhere_in_the_report(concluded, running):
    _, run, made = concluded
    running.errors.clear()
    running.call("Page.addScriptToEvaluateOnNewDocument", source="window.boom = () => { window.boomed = true; };")
    record = next(run.records())
    running.open(f"{made.page.as_uri()}#evaluation={quote(key_of(record))}")
    running.wait("document.getElementById('evaluation').open")
    text = running.run("document.getElementById('evaluation').innerText")
    assert "<script>boom()</script>" in text
    assert "{{7*7}}" in text
    assert not {"\x1b", "\x9b", "\u202e", "\u2066"} & set(text)
    assert running.run("document.querySelectorAll('#evaluation script, #evaluation img, [onmouseover]').length") == 0
    assert running.errors == []
    assert not running.run("window.boomed")
    tables = [path for path in made.page.parent.iterdir() if path.suffix in (".md", ".csv", ".tex")]
    assert len(tables) > 60
    for path in tables:
        content = path.read_text(encoding="utf-8")
        assert not {"\x1b", "\x9b", "\u202e", "\u2066"} & set(content), path
        assert "<b onmouseover" not in content or path.suffix == ".csv", path
        assert r"\input" not in content or path.suffix != ".tex", path
    assert "\n'=cmd() <b" in (made.page.parent / "outcomes.csv").read_text().replace('"', "")


def test_the_alarm_of_drift_follows_the_schedule_of_the_run(concluded):
    _, run, made = concluded
    solved = {(each["world"], each["trial"]): each["exact"] for each in run.records()}
    ordered = [solved[world, trial] for world, trial in run.document["schedule"]]
    middle = (len(ordered) + 1) // 2
    (row,) = made.sheets["drift"].data
    assert row["configuration"] == LABEL
    assert row["early"] == pytest.approx(100 * sum(ordered[:middle]) / middle)
    assert row["late"] == pytest.approx(100 * sum(ordered[middle:]) / (len(ordered) - middle))


# -- what may be shared ---------------------------------------------------------------------------------------------------


def everything_in(directory):
    """All text of a report, with what its page inflates when it is asked for."""
    files = [path for path in directory.rglob("*") if path.is_file() and path.suffix not in (".png", ".pdf")]
    texts = [path.read_text() for path in files if "panel" not in path.relative_to(directory).parts]
    parcels = [
        part for text in texts for part in re.findall(r'<template id="(?:details|scene)-[^"]+">([^<]+)</template>', text)
    ]
    parcels += [part for text in texts for part in re.findall(r'"([^"]{40,})"', text) if text.startswith("hand(")]
    return "\n".join([*texts, *(zlib.decompress(b64decode(part), -zlib.MAX_WBITS).decode() for part in parcels)])


def told_alone(suite, run):
    """Ids that responses showed and that no call and no decision names."""
    shown, named = set(), ""
    for record in run.records():
        episode = Episode(suite.world(suite.entries[record["world"]]), calls_of(record))
        responses = [each.json.get("records", {}) for each in episode.observations]
        rows = [row for each in responses for table in each.values() for row in table["rows"]]
        shown |= {cell for row in rows for cell in row if isinstance(cell, str)}
        named += json.dumps([record["trajectory"], record["decision"], record["optimal_decision"]])
    return {each for each in shown if each not in named}


def test_a_report_without_responses_holds_nothing_of_them(concluded, tmp_path, unfiled, monkeypatch):
    """Nor does the folder beside its page, which this one has as if it were large."""
    suite, run, made = concluded
    monkeypatch.setattr("algoworlds.reports.page.shelf.MOST", 0)
    quiet = conclude([run], suite, tmp_path / "quiet", responses=False)
    assert (made.beside, quiet.beside) == (None, tmp_path / "quiet" / FOLDER)
    loud, silenced = everything_in(made.page.parent), everything_in(tmp_path / "quiet")
    secrets = told_alone(suite, run)
    asked = {suite.world(entry).question.splitlines()[0] for entry in suite.manifest.worlds}
    said = "left right isolate mark"  # what the model wrote, made plain
    assert len(secrets) > 40
    assert [each for each in (*secrets, *asked, said) if each in silenced] == []
    assert [each for each in (*secrets, said) if each not in loud] == []
    assert '"cells":[[' in loud
    assert '"cells":[[' not in silenced
    assert "without what the tools told" in quiet.page.read_text()
    assert '"curve":[[' in silenced


def test_configurations_stand_in_the_order_that_is_asked_for(concluded, tmp_path, undrawn):
    suite, run, made = concluded
    assert made.results.configurations[1:] == (
        "oracle",
        "random",
        "greedy",
        "null",
    )
    panel = [RunDirectory(made.page.parent / "panel" / name) for name in ("null", "oracle", "greedy", "random")]
    given = conclude([run, *panel], suite, tmp_path / "given", ranking=Ranking.GIVEN).results.configurations
    assert given == (LABEL, "null", "oracle", "greedy", "random")
    named = conclude([run, *panel], suite, tmp_path / "named", ranking=Ranking.NAME).results.configurations
    assert named == (LABEL, "greedy", "null", "oracle", "random")
