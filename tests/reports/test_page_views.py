"""Views in a real browser: overview, replays and comparisons; texts never become markup (C7)."""

import json
import re
import zlib
from base64 import b64decode
from urllib.parse import quote

import pytest

from algoworlds.reports.decision_comparison import decision_differences, owners_by_id
from algoworlds.reports.page.payload import Replays, WorldReplay, build_replay, pack_json
from algoworlds.reports.report import fill_sheets, sheet_files
from algoworlds.reports.results import Results
from algoworlds.reports.sheets.decisions import Headline, find_headline
from algoworlds.suites.open import open_suite
from algoworlds.suites.record import recorded_calls
from algoworlds.worlds.episode import Episode
from tests.reports.reading import choose, key_of, texts
from tests.reports.sample import HOSTILE, LABEL, write_page
from tests.reports.synthetic import CATEGORIES, record, world_ids

SHOWN = '<script>boom()</script>" onmouseover="boom()" ]]> {{7*7}} </template></dialog><img src=x onerror=boom()> red'


def unpack(text):
    return json.loads(zlib.decompress(b64decode(text), -zlib.MAX_WBITS))


def one_of(records, configuration, family="transit_routing"):
    return next(record for record in records if record["configuration"] == configuration and record["family"] == family)


def look(page, record, view):
    page.run(f"location.hash = 'evaluation=' + encodeURIComponent({json.dumps(key_of(record))}) + {json.dumps(view)}")
    page.wait("document.querySelector('#evaluation[open] .inside')")


# -- the landing view -----------------------------------------------------------------------------------------------------


def test_page_begins_with_the_headline(page):
    (finding,) = texts(page, ".finding")
    assert " ".join(finding.split()) == (
        f"{LABEL} had enough information in all of its evaluations and decided optimally in none of those; "
        "all that is lost is lost in reasoning."
    )
    page.run("document.querySelectorAll('.finding a')[2].click()")
    page.wait("document.getElementById('match-count').textContent.startsWith('0 of')")
    assert texts(page, "#list .empty td") == ["No evaluation matches these filters. Remove one of them, or clear them all."]


def test_headline_of_scripted_agents_is_about_the_myopic_one(records):
    alone = Results.from_records([record for record in records if record["kind"] == "agent"])
    assert find_headline(alone) == Headline("greedy", "all", "none", "all that is lost is lost in reasoning")


@pytest.mark.parametrize(
    ("informed", "optimal", "guessed", "loss"),
    [
        (8, 8, 0, ("80 %", "all", "all that is lost is lost in gathering information")),
        (8, 3, 0, ("80 %", "38 %", "most of what is lost is lost in reasoning")),
        (10, 10, 0, ("all", "all", "nothing is lost")),
        (0, 0, 0, ("none", None, "all that is lost is lost in gathering information")),
        (5, 0, 0, ("50 %", "none", "what is lost is lost in gathering information and in reasoning alike")),
        (5, 4, 3, ("50 %", "80 %", "most of what is lost is lost in gathering information")),
    ],
)
def test_headline_says_where_optima_were_lost(informed, optimal, guessed, loss):
    places = world_ids(("fleet_dispatch",), (1,), (1, 2, 3, 4, 5))
    won = {*range(optimal), *range(informed, informed + guessed)}
    records = [
        record("m", place, 1, "optimal" if at in won else "suboptimal", gap=60 * (at not in won), sufficient=at < informed)
        for at, place in enumerate(places)
    ]
    assert find_headline(Results.from_records([*records, *(record("oracle", place, 1, kind="agent") for place in places)])) == (
        "m",
        *loss,
    )


@pytest.mark.parametrize(
    ("undecided", "sufficient", "loss"),
    [
        (6, 0, "all that is lost is lost because no decision was made (ended by text end 4, call cap 2)"),
        (6, 6, "all that is lost is lost because no decision was made (ended by text end 4, call cap 2)"),
        (4, 0, "most of what is lost is lost because no decision was made (ended by call cap 2, text end 2)"),
        (2, 1, "most of what is lost is lost in gathering information"),
        (2, 6, "most of what is lost is lost in reasoning"),
        (
            3,
            3,
            "what is lost is lost in gathering information and because no decision was made (ended by call cap 2, text end 1)"
            " alike",
        ),
    ],
)
def test_optima_without_a_decision_are_not_lost_in_gathering(undecided, sufficient, loss):
    places = world_ids(("fleet_dispatch",), (1,), (1, 2, 3))
    records = [
        record("m", place, 1, "suboptimal", gap=60, sufficient=at < sufficient)
        if at >= undecided
        else record("m", place, 1, CATEGORIES[3 + at % 2], sufficient=at < sufficient)
        | {"stop_reason": "call_cap" if at < 2 else "text_end"}
        for at, place in enumerate(places)
    ]
    assert find_headline(Results.from_records(records)).lost == loss


def test_matrix_shows_every_evaluation_and_opens_the_clicked_one(page, records):
    labels, worlds = ({record[name] for record in records} for name in ("configuration", "world"))
    assert page.run("document.querySelectorAll('#matrix a.cell').length") == len(labels) * len(worlds)
    colours = page.run(
        "Object.fromEntries(['oracle', 'greedy', 'null'].map((name) => [name, getComputedStyle([...document.querySelectorAll("
        "'.matrixrow')].find((row) => row.firstChild.textContent === name).querySelector('a')).backgroundColor]))"
    )
    assert len(set(colours.values())) == 3
    page.run(
        "(() => { const cell = document.querySelectorAll('#matrix a.cell')[1]; const box = cell.getBoundingClientRect();"
        " cell.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail: 1, clientX: box.x + 1,"
        " clientY: box.y + 0.75 * box.height })); })()"
    )
    page.wait("document.getElementById('evaluation').open")
    assert page.run("state.evaluation") == page.run("ROWS.filter((row) => row.world === ROWS[2].world)[1].key")
    assert page.run("state.evaluation").endswith("/2")


def test_matrix_is_navigated_by_keyboard(page):
    page.run("document.querySelector('#matrix a.cell[tabindex=\"0\"]').focus()")
    for key, code in (("ArrowRight", 39), ("ArrowDown", 40), ("ArrowRight", 39), ("ArrowLeft", 37)):
        page.press(key, code)
    place = "[...document.querySelectorAll('.matrixrow:not(.heads)')].findIndex((row) => row.contains(document.activeElement))"
    assert page.run(place) == 1
    assert page.run("[...document.activeElement.parentElement.children].indexOf(document.activeElement)") == 1
    assert page.run("document.querySelectorAll('#matrix a.cell[tabindex=\"0\"]').length") == 1
    label = page.run("document.activeElement.getAttribute('aria-label')")
    assert label in page.run("document.getElementById('matrix-description').textContent")
    page.press("Enter", 13)
    page.wait("document.getElementById('evaluation').open")


# -- replay ---------------------------------------------------------------------------------------------------------------


def replay_episode(played, record):
    suite = open_suite(played)
    return Episode(suite.world(suite.entry(record["world"])), recorded_calls(record))


def cell_text(cell):
    if isinstance(cell, list):
        return ", ".join(map(cell_text, cell))
    return f"{cell:,}" if isinstance(cell, int) else cell


def test_a_replay_shows_step_by_step_what_the_agent_saw(page, records, played):
    record = one_of(records, "greedy")
    episode = replay_episode(played, record)
    look(page, record, "&step=0")
    assert texts(page, ".stage .question") == [episode.world.question]
    assert texts(page, ".stage .tool") == [tool["name"] for tool in episode.world.tools]
    left, known = record["budget"], {}
    for number, observation in enumerate(episode.observations[:-1], 1):
        page.press("ArrowRight", 39)
        assert texts(page, ".counter") == [f"Call {number} of {len(episode.calls)}"]
        left -= observation.charged
        amounts = texts(page, ".gauge .amount")
        share = [share for calls, share in record["coverage_curve"] if calls <= number][-1]
        assert amounts[0].startswith(f"{100 * share:.1f} %")
        assert amounts[1].startswith(f"{left} of {record['budget']}")
        assert amounts[2] == "not judged"
        tables = observation.json["records"]
        rows = [row for table in tables.values() for row in table["rows"]]
        cells = texts(page, ".stage td bdi")
        assert cells == [cell_text(cell) for row in rows for cell in row]
        fresh = [str(row) not in known.setdefault(name, set()) for name, table in tables.items() for row in table["rows"]]
        assert page.run("[...document.querySelectorAll('.stage tbody tr')].map((row) => row.className === 'fresh')") == fresh
        for name, table in tables.items():
            known[name].update(map(str, table["rows"]))
    assert f"step={len(episode.calls) - 1}" in page.run("location.hash")
    page.press("End", 35)
    assert texts(page, ".counter") == ["Decision"]
    assert f"{record['optimum']:,}" in page.run("document.querySelector('.ending').textContent")
    page.press("Home", 36)
    assert texts(page, ".counter") == ["Question"]


def test_address_opens_a_step_and_the_trajectory_links_to_it(page, records, report):
    record = one_of(records, "greedy")
    page.open(f"{report.as_uri()}#evaluation={quote(key_of(record))}&step=3")
    page.wait("document.querySelector('.counter')")
    assert texts(page, ".counter")[0].startswith("Call 3 of")
    page.wait("document.querySelector('.calls [aria-current]').textContent.startsWith('3')")
    page.run("document.querySelectorAll('.calls button')[5].click()")
    assert texts(page, ".counter")[0].startswith("Call 5 of")
    look(page, record, "")
    page.wait("document.querySelector('#evaluation td.tool a')")
    page.run("document.querySelectorAll('#evaluation td.tool a')[6].click()")
    page.wait("document.querySelector('.counter')?.textContent.startsWith('Call 7 of')")


VALUE = {
    "question": HOSTILE,
    "tools": [{"name": HOSTILE, "price": 3, "description": HOSTILE}, {"name": "submit", "price": None, "description": ""}],
    "budget": 20,
    "texts": [HOSTILE],
    "sufficient_at": 2,
    "determined_at": None,
    "risks": [[3, 2.5], [9, 0.25]],
    "missing": None,
}


def step(number, response, status="executed", **changes):
    fields = {"turn": number, "number": number, "tool": "read", "arguments": '{"of": ["a", "b"]}', "status": status}
    return fields | {"charged": 3, "texts": [], "response": response, "coverage": number / 4} | changes


def step_texts(page, steps, **changes):
    """The text of a replay at each of its steps: stage and last gauge."""
    value = json.dumps(VALUE | {"steps": steps} | changes)
    page.run(
        f"document.body.replaceChildren(Object.assign(replay({value}, {{ ending: el('p', {{}}, 'end') }}), {{ id: 'one' }}))"
    )
    views = []
    for at in range(len(steps) + 2):
        page.run(f"document.getElementById('one').go({at})")
        views.append(
            page.run("[document.querySelector('.stage').textContent, document.querySelectorAll('.gauge')[2].textContent]")
        )
    return views


def test_replay_draws_a_plain_value_and_marks_new_rows(page):
    table = {"name": "cost", "columns": ["job", "cost"], "rows": [["a", 1], ["b", 2_000]]}
    more = table | {"rows": [["a", 1], ["c", 3]]}
    steps = [
        step(1, {"tables": [table]}, texts=["first I read"]),
        step(2, {"tables": [more]}),
        step(3, {"tables": [table]}),
        step(4, {"feasible": True, "value": 12_345}),
        step(5, {"error": "The call costs more than what is left."}, "over_budget", charged=0),
        step(6, None, "submitted", charged=0),
    ]
    views = step_texts(page, steps)
    assert "first I read" in views[1][0]
    assert "Cost2 rows, all new" in views[1][0]
    assert "Cost2 rows, 1 new" in views[2][0]
    assert "From here on the information was sufficient." in views[2][0]
    assert "Cost2 rows, none new" in views[3][0]
    assert "Feasible, worth 12,345." in views[4][0]
    assert "The call costs more than what is left." in views[5][0]
    assert "Submitted: the episode ends." in views[6][0]
    risks = [text.removeprefix("Worst regret of the optimum") for _, text in views]
    assert risks[:5] == [
        "unknown: it may be infeasible",
        *["at most 2.50 reference gaps"] * 2,
        *["at most 0.25 reference gaps"] * 2,
    ]
    assert step_texts(page, steps, determined_at=3)[3][1].endswith("none: determined")
    assert step_texts(page, steps, risks=None)[3][1].endswith("not judged")


def test_hostile_texts_never_become_markup_in_a_replay(page):
    hostile = {"tables": [{"name": HOSTILE, "columns": [HOSTILE, "n"], "rows": [[HOSTILE, 1], [[HOSTILE, HOSTILE], 2]]}]}
    steps = [
        step(1, hostile, tool=HOSTILE, arguments=HOSTILE, texts=[HOSTILE]),
        step(2, {"error": HOSTILE}, HOSTILE, arguments=json.dumps({HOSTILE: {HOSTILE: [HOSTILE]}})),
    ]
    views = step_texts(page, steps)
    assert views[1][0].count("<script>boom()</script>") >= 6
    assert views[2][0].count("<script>boom()</script>") >= 4
    assert views[3][0].count("<script>boom()</script>") == 1
    assert page.run("[document.body.querySelectorAll('script').length, document.images.length]") == [0, 0]


def test_hostile_responses_never_become_markup(records, played, running, no_figure_files, tmp_path):
    record = one_of(records, "greedy")
    results = Results.from_records([record])
    episode = replay_episode(played, record)
    replay = build_replay(episode.world, episode.calls)
    document = unpack(replay.packed_json)
    document["question"] = document["tools"][0][2] = document["tables"][0][0] = document["tables"][0][1][0] = HOSTILE
    document["ids"] = [HOSTILE for _ in document["ids"]]
    staging = Replays(
        {record["world"]: WorldReplay(pack_json(document), replay.answer_indices, dict.fromkeys(replay.owners, (HOSTILE,)))}
    )
    running.errors.clear()
    running.open(write_page(results, fill_sheets(results), tmp_path, {}, staging).as_uri())
    look(running, record, "&step=0")
    assert running.run("document.querySelector('.stage').textContent").count(SHOWN) >= 2
    running.press("ArrowRight", 39)
    running.press("ArrowRight", 39)
    assert running.run("document.querySelector('.stage').textContent").count(SHOWN) > 10
    assert running.run("[document.scripts.length, document.images.length]") == [1, 0]
    assert running.errors == []
    assert "<script>boom" not in (tmp_path / "report.html").read_text()


def test_replay_without_the_suite_says_what_is_missing(records, running, no_figure_files, tmp_path):
    record = one_of(records, "greedy")
    results = Results.from_records([record])
    running.open(write_page(results, fill_sheets(results), tmp_path, {}).as_uri())
    look(running, record, "&step=1")
    assert "The suite was not at hand" in running.run("document.querySelector('.stage').textContent")
    assert running.run("document.querySelector('.gauge .amount').textContent") == "0.3 % (+0.3)"


# -- compare --------------------------------------------------------------------------------------------------------------


def test_evaluation_links_to_all_others_on_its_world(page, records):
    record = one_of(records, "greedy")
    look(page, record, "")
    others = [row for row in records if row["world"] == record["world"] and row is not record]
    links = "[...document.querySelectorAll('#evaluation .trials a')]"
    assert page.run(f"{links}.length") == len(others)
    page.run(f"{links}.find((element) => element.getAttribute('aria-label').includes('oracle, trial 2')).click()")
    page.wait("document.querySelector('#evaluation .compare')")
    assert page.run("state.others[0]") == f"oracle/{record['world']}/2"


def test_two_evaluations_are_compared_side_by_side(page, records):
    record = one_of(records, "greedy")
    best = next(row for row in records if row["configuration"] == "oracle" and row["world"] == record["world"])
    look(page, record, f"&with={quote(key_of(best))}")
    page.wait("document.querySelector('#evaluation .compare')")
    assert texts(page, ".contender h3 a") == ["greedy", "oracle"]
    assert page.run("document.querySelectorAll('.compare svg.progress').length") == 2
    total = texts(page, ".compare tr.total td")
    assert [text.split(" ")[0] for text in total] == [
        f"{record['objective']:,}",
        f"{best['objective']:,}",
        f"{record['optimum']:,}",
    ]
    legs = zip(record["decision"]["legs"], best["decision"]["legs"], record["optimal_decision"]["legs"], strict=True)
    assert texts(page, ".compare .tall:has(tr.differs) td") == [leg for row in legs for leg in row]
    assert page.run("document.querySelectorAll('.compare tr.differs td.chosen').length") == sum(
        mine != optimal for mine, optimal in zip(record["decision"]["legs"], record["optimal_decision"]["legs"], strict=True)
    )
    assert "different calls were made by both, 0 by the first alone and 0 by the second alone" in page.run(
        "document.querySelector('.compare').textContent"
    )
    page.run(
        "(() => { const box = document.querySelector('.picker select'); box.selectedIndex = [...box.options].findIndex("
        "(element) => element.textContent.startsWith('null, trial 1')); box.dispatchEvent(new Event('change')); })()"
    )
    page.wait("document.querySelectorAll('.contender h3 a')[1]?.textContent === 'null'")
    assert page.run("document.querySelectorAll('.compare tr.alone').length") == record["executed_calls"]


def test_four_evaluations_are_compared_side_by_side(page, records):
    """A choice is added by the last box and taken away by "Nothing"; an address with five shows four."""
    record = one_of(records, "greedy")
    others = [row for row in records if row["world"] == record["world"] and row is not record]
    look(page, record, "".join(f"&with={quote(key_of(other))}" for other in others[:2]))
    page.wait("document.querySelectorAll('.compare .contender').length === 3")
    assert page.run("document.querySelectorAll('.compare svg.progress').length") == 3
    assert page.run("document.querySelectorAll('.picker').length") == 3
    change = (
        "(() => {{ const box = [...document.querySelectorAll('.picker select')][{}];"
        " box.selectedIndex = {}; box.dispatchEvent(new Event('change')); }})()"
    )
    page.run(change.format(2, 1))
    page.wait("document.querySelectorAll('.compare .contender').length === 4")
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
    page.run(change.format(1, 0))
    page.wait("document.querySelectorAll('.compare .contender').length === 3")
    look(page, record, "".join(f"&with={quote(key_of(other))}" for other in others[:4]))
    page.wait("document.querySelectorAll('.compare .contender').length === 4")
    heads = texts(page, ".compare .tall thead th")
    assert heads.count("greedy, trial 1") == 2


# -- reading across -------------------------------------------------------------------------------------------------------


def test_entries_are_matched_by_owner(records, played):
    record = one_of(records, "greedy")
    world = replay_episode(played, record).world
    filed = owners_by_id(world)
    assert {owner for owned in filed.values() for owner in owned} == set(world.instance.station)
    mixed = record | {"decision": {"legs": [*reversed(record["decision"]["legs"][1:]), "leg-of-nobody"]}}
    entries = decision_differences(mixed, filed)
    assert [entry.position for entry in entries] == [*world.instance.station, ""]
    assert [entry.optimal for entry in entries][:-1] == list(record["optimal_decision"]["legs"])
    assert [entry.chosen for entry in entries] == [None, *record["decision"]["legs"][1:], "leg-of-nobody"]
    assert owners_by_id(replay_episode(played, one_of(records, "greedy", "fleet_dispatch")).world) == {}


def test_entries_name_all_their_owners():
    filed = {"pair-1": ("ann", "bob"), "pair-2": ("ann", "eve"), "pair-3": ("cid", "bob")}
    record = {
        "family": "sequential_matching",
        "decision": {"pairs": ["pair-1"]},
        "optimal_decision": {"pairs": ["pair-2", "pair-3"]},
    }
    assert [tuple(decision_difference)[1:] for decision_difference in decision_differences(record, filed)] == [
        ("ann", "pair-1 (bob)", "pair-2 (eve)"),
        ("cid", None, "pair-3 (bob)"),
    ]


def test_every_table_can_be_linked_to_and_has_its_files(page, records):
    sheets = fill_sheets(Results.from_records(records))
    names = page.run("[...document.querySelectorAll('#tables .index li a')].map((element) => element.hash.slice(1))")
    assert names == [f"table-{name}" for name in (*sheets, "extra")]
    assert page.run(
        "[...document.querySelectorAll('#tables .index a')].every((element) => document.querySelector(element.hash))"
    )
    files = page.run(
        "[...document.querySelectorAll('article:not(#table-extra) .files a')].map((element) => element.getAttribute('href'))"
    )
    assert set(files) == {f"{name}.{form}" for name in sheets for form in ("csv", "tex", "md")} <= sheet_files(sheets).keys()


def test_the_best_of_a_column_is_bold_on_the_page(page, records):
    main = fill_sheets(Results.from_records(records))["task_results"]
    assert page.run("document.querySelectorAll('#table-task_results td.best').length") == len(main.bold)


def test_no_column_is_clipped_at_1400_pixels(running, no_figures, tmp_path):
    places = world_ids(indices=(1,))
    labels = [f"Vendor Model {at}.{at} {'Thinking' if at % 2 else 'Plus'}" for at in range(1, 8)]
    records = [record(label, place, 1, gap=60, category="suboptimal") for label in labels for place in places]
    records += [record(name, place, 1, kind="agent") for name in ("null", "random", "greedy", "oracle") for place in places]
    results = Results.from_records(records)
    running.open(write_page(results, fill_sheets(results), tmp_path, {}).as_uri(), width=1400)
    running.run("document.getElementById('matrix').style.setProperty('--worlds', 240)")  # as many as the development split has
    wide = running.run(
        "[...document.querySelectorAll('article.table .scroll, .matrixscroll')]"
        ".filter((element) => element.scrollWidth > element.clientWidth).map((element) => element.getAttribute('aria-label'))"
    )
    assert wide == []


def test_every_control_is_reachable_by_keyboard(page, report):
    page.press("Tab", 9)
    assert page.run("document.activeElement.className") == "skip"
    page.press("Enter", 13)
    page.wait("location.hash === '#content'")
    assert page.run("document.activeElement.id") == "content"
    unreached = (
        "[...document.querySelectorAll('*')].filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowX)"
    )
    unreached += " && element.matches('.scroll, .matrixscroll, .calls') && element.tabIndex < 0).length"
    assert page.run(unreached) == 0
    choose(page, "q", "nothing like this")
    assert len(texts(page, "#list .empty")) == 1


def test_phone_shows_navigation_and_unbroken_words(page, report):
    page.open(report.as_uri(), width=390, height=844)
    places = page.run(
        "[...document.querySelectorAll('.bar nav a')].map((element) => { const box = element.getBoundingClientRect();"
        " return [box.left >= 0 && box.right <= innerWidth, box.height < 30]; })"
    )
    assert places
    assert all(inside and whole for inside, whole in places)
    words = "[...document.querySelectorAll('.landmark .big, .finding, .legend li, #tables a')]"
    assert page.run(f"{words}.every((element) => element.scrollWidth <= element.clientWidth + 1)")


def test_page_contains_no_reordering_characters(report):
    replays = re.findall(r'<template id="replay-[a-z0-9_-]+">([^<]+)</template>', report.read_text())
    assert len(replays) == 4
    assert all(unpack(replay)["question"] for replay in replays)
