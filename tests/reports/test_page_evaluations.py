"""Evaluations in the report, in a real browser: filters, links, trajectories; model texts never become markup (C7)."""

import json
import re
from urllib.parse import parse_qsl, quote

from algoworlds.measures.judging import JUDGED_MEASURES
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.page.payload import NUMERIC_MEASURES
from algoworlds.reports.report import fill_sheets
from algoworlds.reports.results import Results
from tests.reports.reading import category, choose, found_count, key_of, open_evaluation, texts
from tests.reports.sample import LABEL, write_page
from tests.reports.synthetic import judgement

# -- filtering and links --------------------------------------------------------------------------------------------------


def test_filters_narrow_the_list(page, records):
    choose(page, "configuration", "oracle")
    assert found_count(page) == sum(record["configuration"] == "oracle" for record in records)
    choose(page, "interface", "mediated")
    assert found_count(page) == sum(
        record["configuration"] == "oracle" and record["interface"] == "mediated" for record in records
    )
    assert "configuration=oracle" in page.run("location.hash")
    page.run("document.getElementById('clear').click()")
    assert found_count(page) == len(records)
    page.run("document.querySelector('[data-category=no_decision]').click()")
    assert found_count(page) == sum(record["outcome"] == "no_decision" for record in records)
    page.run("document.querySelector('[data-category=optimal]').click()")
    assert found_count(page) == sum(category(record) in ("no_decision", "optimal") for record in records)


def test_search_finds_words_in_any_order(page, records):
    choose(page, "q", "MEDIATED greedy")
    assert found_count(page) == sum(
        record["configuration"] == "greedy" and record["interface"] == "mediated" for record in records
    )
    choose(page, "q", "nothing like this")
    assert found_count(page) == 0


def test_every_number_links_to_its_evaluations(page, records):
    """Links are followed in the page; the counts are computed here from the records."""
    links = page.run("[...document.querySelectorAll('.sortable td a')].map((element) => element.getAttribute('href'))")
    cells = page.run("document.querySelectorAll('section:not(#further) .sortable td').length")
    silent = page.run(
        "[...document.querySelectorAll('section:not(#further) .sortable td')].filter((cell) => cell.textContent === '-').length"
    )
    examples = page.run("document.querySelectorAll('#table-trajectory_examples td').length")
    assert cells - silent - examples <= len(links) <= cells
    counts = page.run(
        "(async () => { const counts = {}; for (const link of new Set([...document.querySelectorAll('.sortable td a')]"
        ".map((cell) => cell.getAttribute('href')))) { location.hash = link; await new Promise((go) => setTimeout(go, 0));"
        " applyAddress(); counts[link] = listedRows.length; } return counts; })()"
    )
    assert len(counts) > 50
    known = [derived(record, records) for record in records]
    for link, count in counts.items():
        assert count == sum(answers(row, link[1:]) for row in known), link
    assert {name for link in counts for name, _ in parse_qsl(link[1:])} >= {"quality", "solved", "category", "sufficiency"}


def derived(record, records):
    """A record with the fields that the page derives."""
    regret = record["regret"]
    same = [row for row in records if (row["configuration"], row["world"]) == (record["configuration"], record["world"])]
    return record | {
        "category": category(record),
        "quality": "" if not regret else "better" if regret < 1 else "equal or worse",
        "solved": sum(row["exact"] for row in same),
    }


def answers(values, address):
    wanted = {}
    for name, value in parse_qsl(address):
        wanted.setdefault(name, []).append(value)
    wanted.pop("evaluation", None)  # one is opened, the list stays
    return all(str(values[name]) in choices for name, choices in wanted.items())


def test_a_recorded_example_opens_its_evaluation(page):
    links = "[...document.querySelectorAll('#table-trajectory_examples td a, #figure-objective_breakdown figcaption a')]"
    wanted = page.run(f"{links}.map((element) => decodeURIComponent(element.hash).split('evaluation=')[1])")
    assert len(wanted) >= 4 + 1
    for place, key in enumerate(wanted):
        page.run(f"{links}[{place}].click()")
        page.wait(f"document.getElementById('evaluation').open && state.evaluation === {json.dumps(key)}")
        assert page.run("BY_KEY.has(state.evaluation)")
        page.run("document.getElementById('evaluation').close()")
        page.wait("state.evaluation === null")
    assert page.run("document.querySelectorAll('#table-trajectory_examples th button').length") == 0


def test_filters_are_named_in_words(page):
    page.run("location.hash = 'solved=1&exact=1&quality=better'")
    page.wait("document.querySelectorAll('#tokens .token').length === 3")
    filters = ["trials that solved the world: 1", "exactly optimal: yes", "against the reference: better"]
    assert texts(page, "#tokens .token") == [f"{text} ✕" for text in filters]


def test_an_evaluation_says_in_words_what_went_wrong(page, records):
    record = next(record for record in records if record["configuration"] == "greedy" and record["family"] == "transit_routing")
    open_evaluation(page, record)
    (verdict,) = texts(page, "#evaluation .verdict")
    share = 100 * record["gap"] / record["optimum"]
    assert verdict.startswith(
        f"Information was sufficient after call {record['sufficient_at']} of {record['attempted_calls']}."
    )
    assert f"feasible but {record['gap']:,} ({share:.1f} %) worse than the optimum: it " in verdict


# -- one evaluation -------------------------------------------------------------------------------------------------------


def test_a_guessed_optimum_shows_what_else_could_have_been_true(running, records, tmp_path):
    scored = next(record for record in records if record["configuration"] == "oracle" and record["family"] == "fleet_dispatch")
    rival = next(record for record in records if record["configuration"] == "greedy" and record["world"] == scored["world"])[
        "decision"
    ]
    cell = {"table": "route", "row": ["job-1", "van-2"], "column": "cost", "true": 1_200, "possible": 3_400}
    witness = {"rival": rival, "value": 45_678, "rival_value": 45_000, "reason": None, "cells": [cell]}
    ruling = judgement(scored, "not determined", witness=witness, worst_regret=678)
    results = Results.from_evaluations([Evaluation.from_record(scored).with_judgement(ruling)])
    running.open(write_page(results, fill_sheets(results), tmp_path, {}).as_uri())
    open_evaluation(running, scored)
    assert texts(running, "#evaluation .verdict")[0].startswith("It guessed right: with what it had read, another decision")
    assert texts(running, "#evaluation .witness tbody tr:first-child th")[0] == "Route"
    cells = texts(running, "#evaluation .witness td")
    assert cells[:4] == ["job-1 van-2", "cost", "1,200", "3,400"]
    own, better = (decision["assignment"] for decision in (scored["decision"], rival))
    differing = sum(better[job] != vehicle for job, vehicle in own.items())
    assert len(cells) == 4 + 2 * differing > 4
    named = dict(zip(texts(running, "#evaluation .measures dt"), texts(running, "#evaluation .measures dd"), strict=True))
    assert {
        numeric_measure.title
        for numeric_measure in NUMERIC_MEASURES
        if numeric_measure in JUDGED_MEASURES and ruling[numeric_measure.name] is not None
    } <= named.keys()
    assert named["Worst regret"] == "678"


def test_evaluation_opens_with_all_its_parts(page, records):
    record = next(record for record in records if record["configuration"] == "greedy" and record["family"] == "transit_routing")
    open_evaluation(page, record)
    text = page.run("document.getElementById('evaluation').innerText")
    assert f"{record['objective']:,}" in text
    assert f"{record['optimum']:,}" in text
    assert f"call {record['sufficient_at']}" in text
    values = dict(zip(texts(page, "#evaluation .measures dt"), texts(page, "#evaluation .measures dd"), strict=True))
    assert (values["Spend"], values["Budget"]) == (f"{record['spend']:,}", f"{record['budget']:,}")
    assert (values["Exact optimality"], values["Discovery coverage"]) == ("no", "100.0 %")
    assert {
        numeric_measure.title for numeric_measure in NUMERIC_MEASURES if numeric_measure not in JUDGED_MEASURES
    } <= values.keys()
    cells = iter(texts(page, "#evaluation tr:is(.plain, .submitted, .refused) td"))
    rows = list(zip(*[cells] * 6, strict=True))
    left, wanted = record["budget"], []
    for number, step in enumerate(record["trajectory"], 1):
        left -= step["charged"]
        wanted.append([f"{number}", step["tool"], f"{step['charged']}", f"{left}"])
    assert [[row[0], row[1], row[4], row[5]] for row in rows] == wanted
    marked = page.run("document.querySelector('#evaluation .milestone').previousElementSibling.cells[0].textContent")
    assert marked == str(record["sufficient_at"])
    assert page.run("document.querySelectorAll('#evaluation svg.progress line.sufficient').length") == 1
    changes = texts(page, "#evaluation tr.total td")
    assert changes[:2] == [f"{record['objective']:,}", f"{record['optimum']:,}"]
    assert changes[2] == f"{100 * record['gap'] / record['optimum']:+.1f} %"
    mine, best = record["decision"]["legs"], record["optimal_decision"]["legs"]
    differing = sum(one != other for one, other in zip(mine, best, strict=True))
    assert page.run("document.querySelectorAll('#evaluation tr.differs').length") == differing > 0


def test_an_address_opens_its_evaluation_and_escape_closes_it(page, report, records):
    record = records[-1]
    page.open(f"{report.as_uri()}#evaluation={quote(key_of(record))}")
    page.wait("document.getElementById('evaluation').open")
    assert page.run("document.getElementById('evaluation-title').textContent") == LABEL
    page.press("Escape", 27)
    page.wait("!document.getElementById('evaluation').open && !location.hash.includes('evaluation=')")
    page.open(f"{report.as_uri()}#evaluation=nobody/nowhere/1")
    page.wait("document.getElementById('evaluation').open")
    assert "No such evaluation" in page.run("document.getElementById('evaluation').innerText")


def test_an_evaluation_that_is_opened_as_another_closes_stays_open(page, records):
    """The close event of a dialog arrives late: another evaluation may have been requested by then."""
    open_evaluation(page, records[0])
    page.run(
        "new Promise((told) => { $('evaluation').addEventListener('close', told, { once: true });"
        " for (const address of ['evaluations', 'evaluation=' + encodeURIComponent(ROWS.at(-1).key)])"
        " { history.replaceState(null, '', '#' + address); applyAddress(); } })"
    )
    page.wait("document.getElementById('evaluation').open")
    assert page.run("state.evaluation === ROWS.at(-1).key && location.hash.startsWith('#evaluation=')")
    page.press("Escape", 27)
    page.wait("location.hash === '#evaluations'")


def test_previous_and_next_follow_the_filtered_list(page, records):
    page.run("location.hash = 'configuration=oracle'")
    page.wait("document.getElementById('match-count').textContent.includes(' of ')")
    page.run("document.querySelector('#list td.world a').click()")
    page.wait("document.getElementById('evaluation').open")
    for _ in range(3):
        before = page.run("state.evaluation")
        page.run("document.querySelector('#evaluation a[aria-label^=Next]').click()")
        page.wait(f"state.evaluation !== {json.dumps(before)} && document.querySelector('#evaluation a[aria-label^=Previous]')")
        assert page.run("state.evaluation").startswith("oracle/")
    after = page.run("state.evaluation")
    page.press("ArrowLeft", 37)
    page.wait(f"state.evaluation === {json.dumps(before)}")
    page.press("ArrowRight", 39)
    page.wait(f"state.evaluation === {json.dumps(after)}")


def test_damaged_details_are_reported(page, records):
    page.run("$(`details-${ROWS[0].world}`).content.textContent = 'AAAA'")
    page.run("location.hash = 'evaluation=' + encodeURIComponent(ROWS[0].key)")
    page.wait("document.getElementById('evaluation').open")
    assert "cannot be shown" in page.run("document.getElementById('evaluation').innerText")


def test_evaluation_without_decision_shows_the_optimum_only(page, records):
    record = next(record for record in records if record["configuration"] == "null")
    open_evaluation(page, record)
    text = page.run("document.getElementById('evaluation').innerText")
    assert "No decision was submitted." in text
    assert "There is no decision; this is the optimal one." in text
    assert "never" in text
    heads = texts(page, "#evaluation .tall thead th")
    assert heads[-1] == "Optimum"
    assert "Decision" not in heads


# -- hostile texts --------------------------------------------------------------------------------------------------------


def test_model_texts_never_become_markup(page, records):
    record = next(record for record in records if record["configuration"] == LABEL)
    scripts, images = page.run("[document.scripts.length, document.images.length]")
    open_evaluation(page, record)
    page.run("document.querySelectorAll('#evaluation details').forEach((element) => { element.open = true; })")
    text = page.run("document.getElementById('evaluation').textContent")
    assert (
        text.count(
            '<script>boom()</script>" onmouseover="boom()" ]]> {{7*7}} </template></dialog><img src=x onerror=boom()> red'
        )
        >= 4
    )
    assert "left right isolate mark" in text
    assert not re.search(
        "[\x00-\x08\x1b\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200f]", page.run("document.documentElement.textContent")
    )
    assert "9,007,199,254,740,993 input" in text  # exact beyond what a script's numbers hold
    assert (scripts, images) == (1, 0)
    assert page.run("[document.scripts.length, document.images.length]") == [1, 0]
    names = page.run("[...document.querySelectorAll('*')].flatMap((element) => element.getAttributeNames())")
    assert not any(name.startswith("on") for name in names)
    assert page.run("[...document.links].every((element) => /^(#|[a-z_]+[.](csv|tex|md)$)/.test(element.getAttribute('href')))")


def test_content_security_policy_blocks_injected_markup(page):
    """Defence in depth: even if markup is injected into the page, nothing runs and nothing is fetched."""
    assert (
        page.run(
            "(() => { try { document.body.innerHTML = '<b>x</b>'; return 'set'; } catch (fault) { return fault.name; } })()"
        )
        == "TypeError"
    )
    made = "const made = document.createElement('script'); made.text = 'boom()'; document.body.append(made);"
    page.run(f"(() => {{ try {{ {made} }} catch {{ }} }})()")
    page.run("fetch('https://example.invalid/').catch(() => null)")
    assert any("Content Security Policy" in error or "TrustedScript" in error for error in page.errors)
    page.errors.clear()
    page.requests.clear()


def test_page_contains_no_markup_from_data(report):
    text = report.read_text()
    assert "<script>boom" not in text
    assert "onerror=boom()>" not in text.replace("&gt;", "")  # only ever escaped
    assert text.count("<script") == 1
    assert " style=" not in text
    assert "http" not in re.sub(r"http-equiv|http://www\.w3\.org/\S+", "", text.split('<template id="index">')[0])
