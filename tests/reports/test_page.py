"""The report as a whole, in a real browser: it opens without errors, shows every table, sorts, and has reproducible bytes."""

import json
import random
import re
import time
from dataclasses import replace

import pytest

from algoworlds.errors import InputError
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.output_folder import write_files
from algoworlds.reports.page import PAGE_FILE
from algoworlds.reports.page.glossary import GLOSSARY, explanations_for
from algoworlds.reports.page.payload import REPLAYS_WITHOUT_SUITE, build_replays, evaluation_detail
from algoworlds.reports.report import fill_sheets
from algoworlds.reports.results import Results
from algoworlds.suites.open import open_suite
from tests.reports import browser as driver
from tests.reports.conftest import ABOUT, all_sheets
from tests.reports.reading import found_count, texts
from tests.reports.sample import LABEL, write_page
from tests.reports.synthetic import experiment, judgement

# -- opening --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_opens_without_errors_at_every_width_and_in_both_themes(page, report, width, dark):
    page.open(report.as_uri(), width=width, dark=dark)
    assert page.run("document.documentElement.scrollWidth") == width
    ink, paper = page.run("[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]")
    assert (brightness(ink) > brightness(paper)) is dark
    found = page.run(
        "[...document.querySelectorAll('.drawing')].filter((drawing) => drawing.checkVisibility())"
        ".map((drawing) => drawing.className)"
    )
    assert found == ["drawing narrow" if width < 500 else "drawing"] * len(FIGURES)


def brightness(colour):
    return sum(map(int, re.findall(r"\d+", colour)[:3]))


def test_an_outcome_has_one_colour_and_print_keeps_it(page, report):
    """The marks of the legend and of the list, and the slices of the matrix, are drawn alike, on paper too."""
    colour = "getComputedStyle(document.querySelector('{}'), '::before').backgroundColor"
    outcomes = ("optimal", "suboptimal", "infeasible", "no_decision", "protocol_violation")
    legend = [page.run(colour.format(f".legend .mark.{name}")) for name in outcomes]
    assert len(set(legend)) == 5
    assert [page.run(colour.format(f"#categories .mark.{name}")) for name in outcomes] == legend
    drawn = page.run(
        "(() => { const cell = $('matrix').querySelector('a.cell'); return ['optimal', 'no_decision'].map((category) => {"
        " cell.style.background = outcomeColour({ category }); return getComputedStyle(cell).backgroundColor; }); })()"
    )
    assert drawn == [legend[0], legend[3]]
    page.call("Emulation.setEmulatedMedia", media="print")
    adjusted = "getComputedStyle(document.querySelector('{}')).printColorAdjust"
    assert {page.run(adjusted.format(name)) for name in ("a.cell", ".legend .mark", "td.heat")} == {"exact"}
    page.run("document.documentElement.dataset.theme = 'dark'")
    assert page.run("getComputedStyle(document.documentElement).colorScheme") == "light"
    page.call("Emulation.setEmulatedMedia", media="")


def test_the_theme_can_be_switched_and_is_remembered(page, report):
    before = page.run("getComputedStyle(document.body).backgroundColor")
    page.run("document.getElementById('theme').click()")
    after = page.run("getComputedStyle(document.body).backgroundColor")
    assert brightness(after) < brightness(before)
    page.open(report.as_uri())
    assert page.run("getComputedStyle(document.body).backgroundColor") == after
    page.run("localStorage.clear()")


def test_overview_says_what_was_run(page, records):
    text = page.run("document.getElementById('overview').innerText")
    assert all(part in text for part in ("tiny", "0" * 64, f"{len(records)}", "1 model, 5 scripted agents"))
    landmarks = page.run(
        "[...document.querySelectorAll('.landmark')].map((element) => element.innerText.split('\\n').slice(0, 3))"
    )
    assert landmarks == [
        ["Best model", LABEL, "0.00 ± 0.00 %"],
        ["Ceiling", "oracle", "100.00 ± 0.00 %"],
        ["Floor", "null", "0.00 ± 0.00 %"],
    ]


def test_every_table_is_there_with_its_caption_and_a_key(page, records):
    sheets = fill_sheets(Results.from_records(records))
    for name, table in sheets.items():
        text = page.run(f"document.querySelector('#table-{name} .caption').textContent")
        assert text == table.caption
        assert texts(page, f"#table-{name} tbody :is(th, td)") == [cell for row in table.rows for cell in row]
    ids = page.run("[...document.querySelectorAll('article.table')].map((element) => element.id)")
    assert ids == [f"table-{name}" for name in (*sheets, "extra")]
    assert page.run("document.querySelector('#further h3').textContent") == "Extra"


# -- sorting --------------------------------------------------------------------------------------------------------------


def test_tables_sort_by_keyboard_and_say_so(page, records):
    head = "document.querySelector('#table-main_results thead th:nth-child(4)')"

    def column():
        return [float(text.split()[0]) for text in texts(page, "#table-main_results tbody td:nth-child(4)")]

    values = column()
    for order, wanted in (("descending", sorted(values, reverse=True)), ("ascending", sorted(values))):
        page.run(f"{head}.querySelector('button').focus()")
        page.press("Enter", 13)
        assert page.run(f"{head}.getAttribute('aria-sort')") == order
        assert column() == wanted
    assert len(set(values)) > 1
    page.run("document.querySelector('#table-main_results thead th button').click()")
    names = texts(page, "#table-main_results tbody th")
    assert names == sorted(names, key=str.lower)


def test_the_list_sorts(page, records):
    page.run("document.querySelector('#list th[data-name=executed_calls] button').click()")
    calls = list(map(int, texts(page, "#list td.executed_calls")))
    wanted = sorted((record["executed_calls"] for record in records), reverse=True)
    assert calls == wanted[: len(calls)]
    assert page.run("document.querySelector('#list th[data-name=executed_calls]').getAttribute('aria-sort')") == "descending"


# -- files ----------------------------------------------------------------------------------------------------------------


def test_order_of_records_does_not_change_the_page(report, records, played, tmp_path):
    results = Results.from_records(random.Random(1).sample(records, len(records)))
    staging = build_replays(open_suite(played), results.evaluations)
    assert write_page(results, all_sheets(results), tmp_path, ABOUT, staging).read_bytes() == report.read_bytes()
    names = {f"{name}.{form}" for name in FIGURES for form in ("svg", "pdf", "png")}
    assert {path.name for path in (tmp_path / "figures").iterdir()} == names
    assert all((tmp_path / "figures" / name).read_bytes() == (report.parent / "figures" / name).read_bytes() for name in names)


FIGURES = (
    "teaser",
    "exact_optimality_rates",
    "sufficiency_against_exactness",
    "sufficiency_split",
    "interface_rates",
    "objective_breakdown",
)


def test_unwritable_folder_is_a_one_line_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="choose another place"):
        write_files({PAGE_FILE: b""}, tmp_path / "file")


def alter_record(record, **changes):
    """An evaluation whose record has fields that a reader would reject."""
    return replace(Evaluation.from_record(record), record=record | changes)


def test_large_numbers_and_every_field_reach_the_page(records):
    detail = evaluation_detail(alter_record(records[0], objective=2**60, parts={"x": 2**60}), REPLAYS_WITHOUT_SUITE)
    assert detail["terms"][-1][1] == 2**60
    assert {"steps", "texts", "curve", "terms", "entries", "observed", "stop_reason", "tokens"} <= detail.keys()


def test_only_known_fields_reach_the_page(records):
    detail = json.dumps(
        evaluation_detail(
            alter_record(records[0], request={"authorization": "canary-4711"}, identity="canary-4711"), REPLAYS_WITHOUT_SUITE
        )
    )
    assert "canary" not in detail


def test_explanations_fit_their_headings():
    assert explanations_for(("Configuration", "Exact optimality")) == [GLOSSARY["exact optimality"]]
    assert explanations_for(("Information sufficiency",)) == [GLOSSARY["information sufficiency"]]
    assert explanations_for(("Field",)) == []


def test_without_a_browser_the_tests_fail_and_say_what_to_do(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(AssertionError, match="install Chromium"):
        driver.chromium()


def test_one_agent_alone_makes_a_report(records, running, no_figure_files, tmp_path):
    results = Results.from_records(
        [record for record in records if record["configuration"] == "oracle" and record["trial"] == 1]
    )
    path = write_page(results, fill_sheets(results), tmp_path, {})
    running.errors.clear()
    running.open(path.as_uri())
    assert found_count(running) == len(results.evaluations)
    assert running.errors == []


@pytest.mark.full
def test_whole_experiment_is_built_and_opened_quickly(running, tmp_path):
    """5,040 evaluations of some sixty calls each: the page draws only what is visible."""
    source = random.Random(5)
    records = [lengthen_record(record, source) for record in experiment()]
    results = Results.from_records(records)
    tables, start = fill_sheets(results), time.process_time()
    path = write_page(results, tables, tmp_path, {})
    assert time.process_time() - start < 60  # some 6 s
    assert path.stat().st_size < 20_000_000
    running.errors.clear()
    running.open(path.as_uri())
    assert running.run("document.querySelectorAll('#list tbody tr').length") == 50
    assert found_count(running) == 5040
    drawn = running.run("document.querySelectorAll('*').length")
    assert drawn < 20_000
    assert running.run("drawList(), document.querySelectorAll('*').length") == drawn
    assert running.errors == []


def lengthen_record(record, source):
    steps = [
        {
            "turn": at,
            "tool": "read_zone",
            "arguments": json.dumps({"zone": f"zone-{source.randrange(10**6)}"}),
            "status": "executed",
            "charged": 1,
        }
        for at in range(1, 61)
    ]
    return record | {"trajectory": steps, "texts": [{"turn": 1, "text": "I look at the next zone — and compare. " * 10}]}


def test_page_names_the_commands_that_add_what_is_missing(records, running, no_figure_files, tmp_path):
    """Without the panel and without judgements both commands are there; with either, the other is left."""

    def commands(folder, chosen, judged):
        evaluations = [Evaluation.from_record(record) for record in chosen]
        if judged:
            pairs = zip(evaluations, chosen, strict=True)
            evaluations = [row.with_judgement(judgement(record, "determined")) for row, record in pairs]
        results = Results.from_evaluations(evaluations)
        running.open(write_page(results, fill_sheets(results), tmp_path / folder, {}).as_uri())
        return texts(running, ".todo code:first-of-type")

    panel = [record for record in records if record["configuration"] in ("null", "random", "greedy", "oracle")]
    part = [record for record in panel if record["configuration"] != "random"]
    assert commands("neither", part, False) == ["algoworlds panel RUN --out REPORT", "algoworlds judge RUN"]
    assert texts(running, ".todo")[0].startswith("Missing from the scripted panel: random.")
    assert commands("judged", part, True) == ["algoworlds panel RUN --out REPORT"]
    assert commands("played", panel, False) == ["algoworlds judge RUN"]
    assert commands("both", panel, True) == []
