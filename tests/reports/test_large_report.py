"""Large reports in a real browser: single evaluations lie in a folder beside the page, and are loaded when one is opened."""

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
def told(records):
    """Two evaluations on one world and two on another."""
    return [record for record in records if record["configuration"] in ("greedy", "oracle") and record["trial"] == 1][::2]


@pytest.fixture(scope="module")
def large(told, played, tmp_path_factory):
    """Their report, written as if it were large, without figures."""
    results, place = Results.from_records(told), tmp_path_factory.mktemp("large")
    with pytest.MonkeyPatch.context() as patch, without_figures():
        patch.setattr(shelves, "MAX_INLINE_CHARS", 1000)
        replace_report_files(build_report_files(results, {}, {}, build_replays(open_suite(played), results.evaluations)), place)
    return place


@pytest.fixture
def moved(large, running, tmp_path):
    """The report where somebody has moved it to, not opened yet."""
    running.errors.clear()
    running.requests.clear()
    return shutil.copytree(large, tmp_path / "sent by mail & unpacked")


def opened(page, place, record, view=""):
    page.open((place / PAGE_FILE).as_uri())
    shown(page, record, view)


def shown(page, record, view=""):
    page.run("location.hash = ''")
    page.wait("!document.getElementById('evaluation').open")
    page.run(f"location.hash = 'evaluation={quote(key_of(record))}{view}'")
    page.wait("document.querySelector('#evaluation[open] .inside')")


def loaded(page):
    """The files of worlds that were asked for."""
    return [address.rsplit("/", 1)[-1] for address in page.requests if f"/{EVALUATIONS_FOLDER}/" in address]


def test_what_a_page_holds_itself_has_no_folder():
    assert PackedWorlds({"one-1-1-direct": ("A" * shelves.MAX_INLINE_CHARS, "")}).files == {}
    assert set(MANY.files) == {f"{EVALUATIONS_FOLDER}/one-1-1-direct.js", f"{EVALUATIONS_FOLDER}/one-1-1-mediated.js"}
    assert MANY.files[f"{EVALUATIONS_FOLDER}/one-1-1-mediated.js"].endswith(b', "one-1-1-mediated", "B", "C");\n')


def test_a_large_report_lists_the_folder_and_a_small_one_takes_it_away(large, told, tmp_path):
    place = shutil.copytree(large, tmp_path / "report")
    made = {f"{EVALUATIONS_FOLDER}/{path.name}" for path in (place / EVALUATIONS_FOLDER).iterdir()}
    assert made == {f"{EVALUATIONS_FOLDER}/{each['world']}.js" for each in told}
    assert made < {line.split("  ")[1] for line in (place / FILE_LIST).read_text().splitlines()}
    assert "details-" not in (place / PAGE_FILE).read_text().split("<script>")[0]
    replace_report_files({PAGE_FILE: b"small"}, place)
    assert {path.name for path in place.iterdir()} == {PAGE_FILE, FILE_LIST}


def test_an_evaluation_is_loaded_when_it_is_opened_and_once(moved, running, told):
    first, second = told[0], next(each for each in told if each["world"] != told[0]["world"])
    opened(running, moved, first)
    assert loaded(running) == [f"{first['world']}.js"]
    shown(running, first, "&step=1")
    assert running.run("document.querySelectorAll('.stage tbody tr.fresh').length") > 0
    other = next(each for each in told if each["world"] == first["world"] and each is not first)
    shown(running, first, f"&with={quote(key_of(other))}")
    assert texts(running, ".contender h3 a") == [first["configuration"], other["configuration"]]
    shown(running, second)
    assert loaded(running) == [f"{first['world']}.js", f"{second['world']}.js"]
    assert running.errors == []


def test_a_replay_that_an_address_names_asks_once(moved, running, told):
    running.open((moved / PAGE_FILE).as_uri() + f"#evaluation={quote(key_of(told[0]))}&step=1")
    running.wait("document.querySelector('.stage tbody tr.fresh')")
    assert loaded(running) == [f"{told[0]['world']}.js"]


def test_a_page_without_its_folder_says_so_and_goes_on_when_it_is_back(moved, running, told):
    away = (moved / EVALUATIONS_FOLDER).rename(moved / "elsewhere")
    opened(running, moved, told[0])
    [said] = texts(running, "#evaluation .inside p")
    assert said == (
        f"What is known of single evaluations lies in the folder “{EVALUATIONS_FOLDER}”, which was written with this page "
        "and is not "
        "beside it. Keep the two together."
    )
    assert texts(running, "#found") == [f"All {len(told)} evaluations"]
    away.rename(moved / EVALUATIONS_FOLDER)
    shown(running, told[0])
    assert len(texts(running, "#evaluation .verdict")) == 1


def test_the_folder_of_another_report_is_not_believed(moved, running, told):
    path = moved / EVALUATIONS_FOLDER / f"{told[0]['world']}.js"
    path.write_text(path.read_text().replace('hand("', 'hand("f', 1))
    opened(running, moved, told[0])
    [said] = texts(running, "#evaluation .inside p")
    assert said.startswith(f"The folder “{EVALUATIONS_FOLDER}” beside this page was written with another report.")


def test_scripts_come_from_the_folder_alone(moved, running):
    """C7: the page's own script may load others by one function, and nothing else can."""
    (moved / "other.js").write_text("window.boomed = true;")
    running.open((moved / PAGE_FILE).as_uri())
    tried = "try {{ {} }} catch (fault) {{ fault.name }}"
    script = "const made = document.createElement('script'); made.src = 'other.js'; document.head.append(made); 'loaded'"
    assert running.run(tried.format(script)) == "TypeError"
    assert running.run(tried.format("trustedTypes.createPolicy('mine', {}); 'made'")) == "TypeError"
    assert running.run("String(TRUST.createScriptURL('../other'))") == f"{EVALUATIONS_FOLDER}/..%2Fother.js"
    assert not running.run("window.boomed")
    running.errors.clear()
