"""Large reports in a real browser: a world's evaluations lie in a file beside the page, loaded when one is opened."""

import shutil
from urllib.parse import quote

import pytest

from algoworlds.reports.output_folder import FILE_LIST, replace_report_files
from algoworlds.reports.page import EVALUATIONS_FOLDER, PAGE_FILE
from algoworlds.reports.page import render as shelves
from algoworlds.reports.page.payload import build_replays
from algoworlds.reports.page.render import PackedWorlds
from algoworlds.reports.report import build_report_files
from algoworlds.reports.results import Results
from algoworlds.suites.open import open_suite
from tests.drawing import without_figures
from tests.reports.reading import key_of, texts

MANY = PackedWorlds({"one-1-1-direct": ("A" * shelves.MAX_INLINE_CHARS, ""), "one-1-1-mediated": ("B", "C")})


@pytest.fixture(scope="module")
def chosen_records(records):
    """Two evaluations on one world and two on another."""
    return [record for record in records if record["configuration"] in ("greedy", "oracle") and record["trial"] == 1][::2]


@pytest.fixture(scope="module")
def large(chosen_records, played, tmp_path_factory):
    """The report of `chosen_records`, written as if it were large, without figures."""
    results, place = Results.from_records(chosen_records), tmp_path_factory.mktemp("large")
    with pytest.MonkeyPatch.context() as patch, without_figures():
        patch.setattr(shelves, "MAX_INLINE_CHARS", 1000)
        replace_report_files(build_report_files(results, {}, {}, build_replays(open_suite(played), results.evaluations)), place)
    return place


@pytest.fixture
def moved_report(large, running, tmp_path):
    """A copy of the report in a folder with spaces and signs in its name; the page is not open yet."""
    running.errors.clear()
    running.requests.clear()
    return shutil.copytree(large, tmp_path / "sent by mail & unpacked")


def open_report(page, place, record, view=""):
    page.open((place / PAGE_FILE).as_uri())
    show_evaluation(page, record, view)


def show_evaluation(page, record, view=""):
    page.run("location.hash = ''")
    page.wait("!document.getElementById('evaluation').open")
    page.run(f"location.hash = 'evaluation={quote(key_of(record))}{view}'")
    page.wait("document.querySelector('#evaluation[open] .inside')")


def loaded_files(page):
    """The files of worlds that the page has requested."""
    return [address.rsplit("/", 1)[-1] for address in page.requests if f"/{EVALUATIONS_FOLDER}/" in address]


def test_small_report_has_no_folder():
    assert PackedWorlds({"one-1-1-direct": ("A" * shelves.MAX_INLINE_CHARS, "")}).files == {}
    assert set(MANY.files) == {f"{EVALUATIONS_FOLDER}/one-1-1-direct.js", f"{EVALUATIONS_FOLDER}/one-1-1-mediated.js"}
    assert MANY.files[f"{EVALUATIONS_FOLDER}/one-1-1-mediated.js"].endswith(b', "one-1-1-mediated", "B", "C");\n')


def test_large_report_lists_the_folder_and_a_small_one_deletes_it(large, chosen_records, tmp_path):
    place = shutil.copytree(large, tmp_path / "report")
    names = {f"{EVALUATIONS_FOLDER}/{path.name}" for path in (place / EVALUATIONS_FOLDER).iterdir()}
    assert names == {f"{EVALUATIONS_FOLDER}/{record['world']}.js" for record in chosen_records}
    assert names < {line.split("  ")[1] for line in (place / FILE_LIST).read_text().splitlines()}
    assert "details-" not in (place / PAGE_FILE).read_text().split("<script>")[0]
    replace_report_files({PAGE_FILE: b"small"}, place)
    assert {path.name for path in place.iterdir()} == {PAGE_FILE, FILE_LIST}


def test_world_is_loaded_once_when_an_evaluation_is_opened(moved_report, running, chosen_records):
    first, second = (
        chosen_records[0],
        next(record for record in chosen_records if record["world"] != chosen_records[0]["world"]),
    )
    open_report(running, moved_report, first)
    assert loaded_files(running) == [f"{first['world']}.js"]
    show_evaluation(running, first, "&step=1")
    assert running.run("document.querySelectorAll('.stage tbody tr.fresh').length") > 0
    other = next(record for record in chosen_records if record["world"] == first["world"] and record is not first)
    show_evaluation(running, first, f"&with={quote(key_of(other))}")
    assert texts(running, ".contender h3 a") == [first["configuration"], other["configuration"]]
    show_evaluation(running, second)
    assert loaded_files(running) == [f"{first['world']}.js", f"{second['world']}.js"]
    assert running.errors == []


def test_replay_opened_by_address_loads_its_world_once(moved_report, running, chosen_records):
    running.open((moved_report / PAGE_FILE).as_uri() + f"#evaluation={quote(key_of(chosen_records[0]))}&step=1")
    running.wait("document.querySelector('.stage tbody tr.fresh')")
    assert loaded_files(running) == [f"{chosen_records[0]['world']}.js"]


def test_missing_folder_is_reported_and_loading_works_once_it_is_back(moved_report, running, chosen_records):
    away = (moved_report / EVALUATIONS_FOLDER).rename(moved_report / "elsewhere")
    open_report(running, moved_report, chosen_records[0])
    [message] = texts(running, "#evaluation .inside p")
    assert message == (
        f"The details of evaluations are in the folder “{EVALUATIONS_FOLDER}”, which was written with this page "
        "and is not "
        "beside it. Keep the two together."
    )
    assert texts(running, "#match-count") == [f"All {len(chosen_records)} evaluations"]
    away.rename(moved_report / EVALUATIONS_FOLDER)
    show_evaluation(running, chosen_records[0])
    assert len(texts(running, "#evaluation .verdict")) == 1


def test_folder_of_another_report_is_rejected(moved_report, running, chosen_records):
    path = moved_report / EVALUATIONS_FOLDER / f"{chosen_records[0]['world']}.js"
    path.write_text(path.read_text().replace('receiveWorld("', 'receiveWorld("f', 1))
    open_report(running, moved_report, chosen_records[0])
    [message] = texts(running, "#evaluation .inside p")
    assert message.startswith(f"The folder “{EVALUATIONS_FOLDER}” beside this page was written with another report.")


def test_scripts_load_from_the_folder_only(moved_report, running):
    """C7: the page's own script may load others by one function, and nothing else can."""
    (moved_report / "other.js").write_text("window.boomed = true;")
    running.open((moved_report / PAGE_FILE).as_uri())
    tried = "try {{ {} }} catch (fault) {{ fault.name }}"
    script = "const made = document.createElement('script'); made.src = 'other.js'; document.head.append(made); 'loaded'"
    assert running.run(tried.format(script)) == "TypeError"
    assert running.run(tried.format("trustedTypes.createPolicy('mine', {}); 'made'")) == "TypeError"
    assert running.run("String(TRUST.createScriptURL('../other'))") == f"{EVALUATIONS_FOLDER}/..%2Fother.js"
    assert not running.run("window.boomed")
    running.errors.clear()
