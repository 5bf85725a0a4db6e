"""From the run of a model to its report: what is read and judged; model texts never become markup (C7)."""

import json
import re
import zlib
from base64 import b64decode
from dataclasses import replace
from urllib.parse import quote

import pytest

from algoworlds.errors import InputError
from algoworlds.families import FAMILIES
from algoworlds.measures.hindsight import acquisition_gap, decompose_regret
from algoworlds.reports import Ranking
from algoworlds.reports.loading import PANEL_AGENTS
from algoworlds.reports.output_folder import PANEL_FOLDER
from algoworlds.reports.page import EVALUATIONS_FOLDER
from algoworlds.reports.report import write_report
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.judgement import judge_runs
from algoworlds.runs.panel import play_panel
from algoworlds.suites.record import recorded_calls
from algoworlds.worlds.episode import Episode
from tests.drawing import without_figure_files
from tests.reports.reading import key_of
from tests.reports.sample import HOSTILE, REORDERED
from tests.runs.model_runs import build_small_suite, run_model
from tests.runs.server import Server
from tests.runs.wire import Reply
from tests.silence import silent

LABEL = '=cmd() <b onmouseover="boom()">model</b> ]]> {{7*7}} \\input{x}'


def careless_model(suite):
    """A model that reads a part of a plan, more of it in every trial, then decides myopically, with hostile texts."""
    answers, trials = {}, {}
    for entry in suite.manifest.worlds:
        world = suite.world(entry)
        myopic = json.dumps(world.family.decision.arguments(world.family.reference(world.instance)))
        plan = [tuple(call) for call in min(world.plans.values(), key=len)]
        answers[world.question] = plan, (world.family.template.decision_tools.submit, myopic)

    def script(conversation):
        plan, submit = answers[conversation.question]
        turn = len(conversation.call_turns)
        if turn == 0:
            trials[conversation.question] = trials.get(conversation.question, 0) + 1
            return Reply(((f"=cmd(){HOSTILE}", json.dumps({HOSTILE: REORDERED})),), text=HOSTILE)
        part = plan[: max(1, len(plan) - 4 + trials[conversation.question])]
        return Reply((part[turn - 1] if turn <= len(part) else submit,), text=REORDERED)

    return script


def add_panel(run, suite, out):
    return play_panel(PANEL_AGENTS, [run], list(suite.entries), suite, out / PANEL_FOLDER)


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A suite, a judged run of the careless model on it, and its report."""
    place = tmp_path_factory.mktemp("careless")
    suite, run = build_small_suite(place / "suite"), RunDirectory(place / "run")
    with Server(careless_model(suite)) as server:
        configuration = server.configuration("responses", label=LABEL, model=HOSTILE)
        run_model(suite, place / "run", configuration, server.environment, trials=3)
    judge_runs([run], suite, None, silent)
    add_panel(run, suite, place / "report")
    with without_figure_files():
        return suite, run, write_report([run], suite, place / "report")


def test_regret_parts_match_a_separate_computation(judged):
    suite, run, report = judged
    expected = {}
    for record in run.read_records():
        entry = suite.entries[record["world"]]
        world, key = suite.world(entry), suite.key(entry)
        episode = Episode(world, recorded_calls(record))
        verdict = world.family.check(world.instance, world.family.decision.parse(record["decision"]))
        parts = decompose_regret(acquisition_gap(world, episode.facts, key.optimum), key, verdict)
        expected[record["world"], record["trial"]] = (parts.acquisition, parts.reasoning)
    own = [evaluation for evaluation in report.results.evaluations if evaluation.configuration == LABEL]
    assert {
        (row.world, row.trial): (row.judged_value("acquisition_regret"), row.judged_value("reasoning_regret")) for row in own
    } == expected
    assert {evaluation.sufficiency for evaluation in own} == {0, 1}
    defined = [parts for parts in expected.values() if parts[1] is not None]
    assert 0 < len(defined) < len(expected), "some trajectories know too little for any decision"
    (row,) = [row for row in report.sheets["regret_parts"].raw_rows if row["configuration"] == LABEL]
    assert row["defined"] == len(defined)
    assert row["infeasible"].mean == 0
    assert row["unknowable"].mean == pytest.approx(100 * (1 - len(defined) / len(expected)))


# -- the panel ------------------------------------------------------------------------------------------------------------


def test_reads_every_record_once(judged, tmp_path, no_figures, monkeypatch):
    suite, run, _ = judged
    add_panel(run, suite, tmp_path / "report")
    read_record, reads = RunDirectory.read_record, []
    monkeypatch.setattr(
        RunDirectory, "read_record", lambda self, slot: reads.append((self.path, slot)) or read_record(self, slot)
    )
    write_report([run], suite, tmp_path / "report")
    assert len(reads) == len(set(reads)) == len(run.schedule) + 4 * len(suite.entries)  # the run and four agents


def test_report_never_plays_judges_or_solves(judged, tmp_path, no_figure_files, monkeypatch):
    suite, run, _ = judged
    add_panel(run, suite, tmp_path / "report")

    def forbidden(*arguments, **options):
        raise AssertionError("a report only reads")

    for family in list(FAMILIES.values()):
        monkeypatch.setitem(FAMILIES, family.name, replace(family, solve=forbidden, verify=forbidden))
    for name in ("write_record", "write_judgement", "create_or_resume"):
        monkeypatch.setattr(RunDirectory, name, forbidden)
    assert len(write_report([run], suite, tmp_path / "report").results.configurations) == 5


def test_panel_is_left_out_on_request_and_if_it_is_missing(judged, tmp_path, undrawn):
    suite, run, report = judged
    assert write_report([run], suite, tmp_path / "new").results.configurations == (LABEL,)
    assert not (tmp_path / "new" / PANEL_FOLDER).exists()
    add_panel(run, suite, tmp_path / "new")
    assert write_report([run], suite, tmp_path / "new", include_panel=False).results.configurations == (LABEL,)
    assert write_report([run], suite, tmp_path / "new").results.configurations == report.results.configurations


def test_panel_resumes_and_is_judged_with_its_runs(judged, tmp_path):
    suite, run, _ = judged
    panel = add_panel(run, suite, tmp_path)
    assert [agent.path.name for agent in panel] == list(PANEL_AGENTS)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert all(agent.judged_slots == agent.finished_slots == set(agent.schedule) for agent in panel)
    add_panel(run, suite, tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_rejects_unfinished_and_foreign_panel(judged, tmp_path):
    suite, run, _ = judged
    panel = add_panel(run, suite, tmp_path)
    min((panel[0].path / "records").iterdir()).unlink()
    with pytest.raises(InputError, match="is not finished: run algoworlds panel again, or use --no-panel"):
        write_report([run], suite, tmp_path)
    worlds = list(suite.entries)[:-1]
    play_panel(["null"], [run], worlds, suite, tmp_path / "other" / PANEL_FOLDER)
    with pytest.raises(InputError, match="was played on other worlds than these runs: remove it, or use --no-panel"):
        write_report([run], suite, tmp_path / "other")


# -- the page -------------------------------------------------------------------------------------------------------------


def test_page_shows_what_else_could_have_been_true(judged, running):
    """A premature decision in words, and a small table with cells of another instance that gives the same responses."""
    _, run, report = judged
    evaluation = next(
        evaluation
        for evaluation in report.results.evaluations
        if evaluation.judged_value("footing") == "premature" and evaluation.judged_value("witness")["cells"]
    )
    cell = evaluation.judged_value("witness")["cells"][0]
    slot = next(slot for slot in run.schedule if (slot.world, slot.trial) == (evaluation.world, evaluation.trial))
    running.open(f"{report.page.as_uri()}#evaluation={quote(key_of(run.read_record(slot)))}")
    running.wait("document.getElementById('evaluation').open")
    text = running.run("document.getElementById('evaluation').innerText")
    assert "It did not know enough: with what it had read, another decision could have been better by up to" in text
    assert "What else could have been true".lower() in text.lower()
    witness = running.run("document.querySelector('#evaluation .witness').innerText")
    assert f"{cell['possible']:,}" in witness
    assert f"{cell['true']:,}" in witness
    assert cell["row"][0] in witness


def test_number_about_knowledge_links_to_its_evaluations(judged, running):
    _, _, report = judged
    expected = sum(
        evaluation.judged_value("footing") == "premature" and evaluation.configuration == LABEL
        for evaluation in report.results.evaluations
    )
    running.open(f"{report.page.as_uri()}#footing=premature&configuration={quote(LABEL)}")
    running.wait("document.getElementById('match-count').textContent")
    assert running.run("document.getElementById('match-count').textContent").startswith(f"{expected} of")


def test_hostile_model_text_is_inert_in_all_files(judged, running):
    _, run, report = judged
    running.errors.clear()
    running.call("Page.addScriptToEvaluateOnNewDocument", source="window.boom = () => { window.boomed = true; };")
    record = next(run.read_records())
    running.open(f"{report.page.as_uri()}#evaluation={quote(key_of(record))}")
    running.wait("document.getElementById('evaluation').open")
    text = running.run("document.getElementById('evaluation').innerText")
    assert "<script>boom()</script>" in text
    assert "{{7*7}}" in text
    assert not {"\x1b", "\x9b", "\u202e", "\u2066"} & set(text)
    assert running.run("document.querySelectorAll('#evaluation script, #evaluation img, [onmouseover]').length") == 0
    assert running.errors == []
    assert not running.run("window.boomed")
    tables = [path for path in report.page.parent.iterdir() if path.suffix in (".md", ".csv", ".tex")]
    assert len(tables) > 60
    for path in tables:
        content = path.read_text(encoding="utf-8")
        assert not {"\x1b", "\x9b", "\u202e", "\u2066"} & set(content), path
        assert "<b onmouseover" not in content or path.suffix == ".csv", path
        assert r"\input" not in content or path.suffix != ".tex", path
    assert "\n'=cmd() <b" in (report.page.parent / "outcomes.csv").read_text().replace('"', "")


def test_drift_follows_the_schedule_of_the_run(judged):
    _, run, report = judged
    exact = {(record["world"], record["trial"]): record["exact"] for record in run.read_records()}
    ordered = [exact[world, trial] for world, trial in run.document["schedule"]]
    middle = (len(ordered) + 1) // 2
    (row,) = report.sheets["drift"].raw_rows
    assert row["configuration"] == LABEL
    assert row["early"] == pytest.approx(100 * sum(ordered[:middle]) / middle)
    assert row["late"] == pytest.approx(100 * sum(ordered[middle:]) / (len(ordered) - middle))


# -- what can be shared ---------------------------------------------------------------------------------------------------


def report_text(directory):
    """All text of a report, including what its page inflates on demand."""
    files = [path for path in directory.rglob("*") if path.is_file() and path.suffix not in (".png", ".pdf")]
    texts = [path.read_text() for path in files if PANEL_FOLDER not in path.relative_to(directory).parts]
    packed = [part for text in texts for part in re.findall(r'<template id="(?:details|replay)-[^"]+">([^<]+)<', text)]
    packed += [part for text in texts for part in re.findall(r'"([^"]{40,})"', text) if text.startswith("receiveWorld(")]
    return "\n".join([*texts, *(zlib.decompress(b64decode(part), -zlib.MAX_WBITS).decode() for part in packed)])


def response_only_ids(suite, run):
    """Ids that responses contain and that no call and no decision names."""
    in_responses, in_records = set(), ""
    for record in run.read_records():
        episode = Episode(suite.world(suite.entries[record["world"]]), recorded_calls(record))
        responses = [observation.json.get("records", {}) for observation in episode.observations]
        rows = [row for response in responses for table in response.values() for row in table["rows"]]
        in_responses |= {cell for row in rows for cell in row if isinstance(cell, str)}
        in_records += json.dumps([record["trajectory"], record["decision"], record["optimal_decision"]])
    return {name for name in in_responses if name not in in_records}


def test_report_without_responses_contains_none_of_them(judged, tmp_path, no_figure_files, monkeypatch):
    """Neither does the evaluations folder, which this report has because its limit is lowered."""
    suite, run, report = judged
    monkeypatch.setattr("algoworlds.reports.page.render.MAX_INLINE_CHARS", 0)
    shared = write_report([run], suite, tmp_path / "shared", include_responses=False)
    assert (report.evaluations_folder, shared.evaluations_folder) == (None, tmp_path / "shared" / EVALUATIONS_FOLDER)
    full_text, shared_text = report_text(report.page.parent), report_text(tmp_path / "shared")
    secrets = response_only_ids(suite, run)
    questions = {suite.world(entry).question.splitlines()[0] for entry in suite.manifest.worlds}
    model_text = "left right isolate mark"  # without its control characters
    assert len(secrets) > 40
    assert [text for text in (*secrets, *questions, model_text) if text in shared_text] == []
    assert [text for text in (*secrets, model_text) if text not in full_text] == []
    assert '"cells":[[' in full_text
    assert '"cells":[[' not in shared_text
    assert "without what the tools told" in shared.page.read_text()
    assert '"curve":[[' in shared_text


def test_orders_configurations_as_asked(judged, tmp_path, undrawn):
    suite, run, report = judged
    assert report.results.configurations[1:] == ("oracle", "random", "greedy", "null")
    panel = [RunDirectory(report.page.parent / PANEL_FOLDER / name) for name in ("null", "oracle", "greedy", "random")]
    given = write_report([run, *panel], suite, tmp_path / "given", ranking=Ranking.GIVEN).results.configurations
    assert given == (LABEL, "null", "oracle", "greedy", "random")
    named = write_report([run, *panel], suite, tmp_path / "named", ranking=Ranking.NAME).results.configurations
    assert named == (LABEL, "greedy", "null", "oracle", "random")
