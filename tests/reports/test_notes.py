"""Why evaluations ended and what models thought: read from the journals of runs and shown folded on the page."""

import json
import shutil

import pytest

from algoworlds.reports.notes import EvaluationNotes
from algoworlds.reports.page.payload import Replays, evaluation_detail
from algoworlds.reports.report import fill_sheets, write_report
from algoworlds.reports.results import Results
from algoworlds.runs.details import TurnThinking
from algoworlds.runs.directory import RunDirectory
from tests.command import run_here
from tests.drawing import without_figures
from tests.reports.reading import open_evaluation, texts
from tests.reports.sample import HOSTILE, REORDERED, write_page
from tests.reports.test_model_report import report_text
from tests.runs.model_runs import build_small_suite, optimal_model, run_model
from tests.runs.server import Server
from tests.runs.wire import reasoning_text

AGENT = """
def play(world):
    tool = world.tools[0]
    world.call(tool["name"], {})
    raise ValueError("no idea <img src=x onerror=boom()> left")
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A suite, a run of a model that thinks, and a run of an agent that raises after its first call."""
    root = tmp_path_factory.mktemp("notes")
    suite = build_small_suite(root / "suite")
    with Server(optimal_model(suite)) as server:
        run_model(suite, root / "model", server.configuration("chat", label="thinker"), server.environment)
    (root / "agent.py").write_text(AGENT)
    order = ("run", root / "suite", "--agent", f"{root / 'agent.py'}:play", "--trials", 1, "--out", root / "agent")
    done = run_here(*order)
    assert done.returncode == 0, done.stderr
    return root


def write(place, out, name, **options):
    with without_figures():
        return write_report([RunDirectory(place / name)], None, out, include_panel=False, **options)


def open_first(written, running, view=""):
    record = json.loads(next((written_run(written) / "records").glob("*.json")).read_text())
    running.errors.clear()
    running.open(written.page.as_uri())
    open_evaluation(running, {**record, "configuration": written.results.configurations[0]})
    return record


def written_run(written):
    name = {"thinker": "model"}.get(written.results.configurations[0], "agent")
    return written.page.parent.parent / name


def test_thinking_of_a_model_is_folded_with_tokens_and_seconds(place, running):
    written = write(place, place / "report", "model")
    record = open_first(written, running)
    titles = texts(running, "#evaluation .thinking summary")
    assert len(titles) == record["turns"]
    assert all(title.startswith("Thinking · 300 tokens · ") and title.endswith(" s") for title in titles)
    assert texts(running, "#evaluation .thinking > .verbatim") == [reasoning_text(index) for index in range(record["turns"])]
    assert running.run("document.querySelectorAll('#evaluation .thinking[open]').length") == 0
    running.run("location.hash += '&step=2'")
    running.wait("document.querySelector('.stage .thinking')")
    assert texts(running, ".stage .thinking > .verbatim") == [reasoning_text(1)]
    assert running.errors == []


def test_thinking_fits_a_phone_and_is_printed_whole(place, running):
    """An open evaluation is printed alone, without scroll bars; the summary of open thinking keeps its words."""
    written = write(place, place / "phone", "model")
    record = open_first(written, running)
    open_all = "document.querySelectorAll('#evaluation .thinking').forEach((thinking) => { thinking.open = true; })"
    try:
        running.open(written.page.as_uri(), width=390)
        open_evaluation(running, {**record, "configuration": written.results.configurations[0]})
        running.run(open_all)
        assert running.run("document.documentElement.scrollWidth <= innerWidth")
        assert running.run("getComputedStyle(document.querySelector('.thinking summary'), '::after').content") == "none"
        running.call("Emulation.setEmulatedMedia", media="print")
        dialog = "document.querySelector('#evaluation')"
        assert running.run(f"{dialog}.scrollHeight <= {dialog}.clientHeight")
        assert running.run(f"getComputedStyle({dialog}).position") == "absolute"
        assert running.run("document.querySelector('main').checkVisibility()") is False
        parts = "[...document.querySelectorAll('#evaluation .thinking > .verbatim, #evaluation .scroll')]"
        assert running.run(f"{parts}.every((part) => getComputedStyle(part).maxHeight === 'none')")
    finally:
        running.call("Emulation.setEmulatedMedia", media="")
    assert running.errors == []


def test_thinking_can_be_left_out(place, tmp_path, monkeypatch):
    monkeypatch.setattr("algoworlds.reports.page.render.MAX_INLINE_CHARS", 0)
    run = place / "model"
    for option in ("--no-thinking", "--no-responses"):
        with without_figures():
            done = run_here("report", run, "--out", tmp_path / option, "--no-panel", option)
        assert done.returncode == 0, done.stderr
    with_thinking = write(place, tmp_path / "with", "model")
    assert reasoning_text(0) in report_text(with_thinking.page.parent)
    for option in ("--no-thinking", "--no-responses"):
        assert reasoning_text(0) not in report_text(tmp_path / option)


def test_error_of_an_agent_is_shown_with_its_traceback(place, running):
    written = write(place, place / "failed", "agent")
    open_first(written, running)
    (reason,) = texts(running, "#evaluation .ended")
    assert reason.startswith("Ended by agent error: the agent failed: ")
    assert "no idea <img src=x onerror=boom()> left" in reason
    (output,) = texts(running, "#evaluation .output > .verbatim")
    assert output.rstrip().endswith("ValueError: no idea <img src=x onerror=boom()> left")
    assert "Traceback" in output
    assert running.run("document.images.length") == 0
    running.run("location.hash += '&step=99'")
    running.wait("document.querySelector('.ending .ended')")
    assert running.errors == []
    assert "0 of its evaluations" not in texts(running, ".finding")[0]
    assert "because no decision was made (ended by agent error" in texts(running, ".finding")[0]


def test_message_of_an_agent_is_left_out_of_shared_reports(place, tmp_path):
    written = write(place, tmp_path / "shared", "agent", include_responses=False)
    assert "no idea" not in report_text(written.page.parent)


def test_damaged_journal_does_not_stop_a_report(place, tmp_path):
    run = shutil.copytree(place / "model", tmp_path / "run")
    for path in (run / "journal").iterdir():
        path.write_bytes(path.read_bytes() + b"garbage\n")
    with without_figures():
        written = write_report([RunDirectory(run)], None, tmp_path / "out", include_panel=False)
    assert "its journal cannot be read" in report_text(written.page.parent)


def test_hostile_thinking_never_becomes_markup(records, running, no_figure_files, tmp_path):
    record = next(record for record in records if record["kind"] == "model")
    results = Results.from_records([record])
    thinking = (
        TurnThinking(1, HOSTILE, False, None, None),
        TurnThinking(2, REORDERED, True, 0, 1.25),
        TurnThinking(3, "", True, None, None),
    )
    notes = EvaluationNotes(HOSTILE, HOSTILE, thinking)
    replays = Replays({}, "none", notes={results.evaluations[0].id: notes})
    assert len(evaluation_detail(results.evaluations[0], replays)["thinking"]) == 3
    running.errors.clear()
    running.open(write_page(results, fill_sheets(results), tmp_path, {}, replays).as_uri())
    open_evaluation(running, {**record, "configuration": results.configurations[0]})
    assert texts(running, "#evaluation .thinking summary") == [
        "Thinking",
        "Thinking · 0 tokens · 1.3 s · partly readable only by the provider",
    ]
    assert texts(running, "#evaluation p.thinking") == ["Thinking · readable only by the provider"]
    text = running.run("document.getElementById('evaluation').textContent")
    assert "<script>boom()</script>" in text
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert not running.run("window.boomed")
    assert running.run("document.querySelectorAll('#evaluation script, #evaluation img').length") == 0
    assert running.errors == []
