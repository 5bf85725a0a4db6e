"""What the documents say of files and commands, held against the files and commands themselves."""

import json
import re
from pathlib import Path

import pytest

from algoworlds.suites.build import build_suite
from bench.documents import PAGES, page
from tests.cli.test_cli import COMMANDS
from tests.command import ROOT, run_here
from tests.silence import silent
from tests.suites.suites import SMALL

DOCS = Path(__file__).parents[1] / "docs"


def named(document):
    """The words that a document sets as code."""
    return {word for span in re.findall(r"`([^`\n]+)`", (DOCS / document).read_text()) for word in re.findall(r"\w+", span)}


def test_every_field_on_disk_is_documented(tmp_path):
    """Bundles, runs and records hold no field that docs/formats.md does not name."""
    suite, made = tmp_path / "suite", tmp_path / "run"
    build_suite(SMALL, suite, None, silent)
    assert run_here("run", "--suite", suite, "--agent", "greedy", "--trials", "1", "--out", made).returncode == 0
    documents = [json.loads(path.read_text()) for path in (*suite.rglob("*.json"), made / "run.json", made / "manifest.json")]
    record = json.loads(next((made / "records").iterdir()).read_text())
    inner = [each[name] for each in documents for name in ("plan",) if name in each]
    inner += [world for each in documents for world in each.get("worlds", ())]
    fields = {name for each in (*documents, *inner, record, *record["trajectory"]) for name in each}
    assert len(fields) > 60
    assert fields - named("formats.md") == set()


PROSE = [*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("src/algoworlds/families/*/README.md")]


def anchors(path):
    """The places inside a page that links can name."""
    heads = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("path", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(path):
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not link.startswith(("http://", "https://"))]
    for link in links:
        place, _, anchor = link.partition("#")
        target = path.parent / place if place else path
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_index_lists_every_page():
    listed = set(re.findall(r"\]\(([a-z-]+\.md)\)", (DOCS / "README.md").read_text()))
    assert listed == {path.name for path in DOCS.glob("*.md")} - {"README.md"}


@pytest.mark.parametrize("name", PAGES)
def test_what_pages_say_of_the_code_is_what_it_says(name):
    assert (DOCS / name).read_text(encoding="utf-8") == page(name), "run python -m bench.documents"


def test_documents_name_commands_that_there_are():
    known = {" ".join(words) for words in COMMANDS} | {words[0] for words in COMMANDS}
    for path in PROSE:
        lines = re.findall(r"^    algoworlds ([a-z-]+(?: [a-z]+)?)", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert all(words in known or words.split()[0] in known for words in lines), path
