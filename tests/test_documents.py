"""The documents agree with the files and commands that they describe."""

import json
import re
from pathlib import Path

import pytest

from algoworlds.suites.build import build_suite
from bench.documents import PAGES, card, page
from tests.cli.test_cli import COMMANDS
from tests.command import ROOT, run_here
from tests.silence import silent
from tests.suites.suites import SMALL

DOCS = Path(__file__).parents[1] / "docs"


def code_words(document):
    """The words that a document sets as code."""
    return {word for span in re.findall(r"`([^`\n]+)`", (DOCS / document).read_text()) for word in re.findall(r"\w+", span)}


def test_every_field_on_disk_is_documented(tmp_path):
    """docs/formats.md names every field of bundles, runs and records."""
    suite, run = tmp_path / "suite", tmp_path / "run"
    build_suite(SMALL, suite, None, silent)
    assert run_here("run", suite, "--agent", "greedy", "--trials", "1", "--out", run).returncode == 0
    documents = [json.loads(path.read_text()) for path in (*suite.rglob("*.json"), run / "run.json", run / "manifest.json")]
    record = json.loads(next((run / "records").iterdir()).read_text())
    inner = [document[name] for document in documents for name in ("plan",) if name in document]
    inner += [world for document in documents for world in document.get("worlds", ())]
    fields = {name for document in (*documents, *inner, record, *record["trajectory"]) for name in document}
    assert len(fields) > 60
    assert fields - code_words("formats.md") == set()


PROSE = [*DOCS.glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("src/algoworlds/families/*/README.md")]


def anchors(path):
    """The anchors of a page."""
    heads = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("path", PROSE, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_has_a_target(path):
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not link.startswith(("http://", "https://"))]
    for link in links:
        file, _, anchor = link.partition("#")
        target = path.parent / file if file else path
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_index_lists_every_page():
    linked = set(re.findall(r"\]\(([a-z-]+\.md)\)", (DOCS / "README.md").read_text()))
    assert linked == {path.name for path in DOCS.glob("*.md")} - {"README.md"}


@pytest.mark.parametrize("name", PAGES)
def test_generated_parts_are_up_to_date(name):
    assert (DOCS / name).read_text(encoding="utf-8") == page(name), "run python -m bench.documents"


def test_card_as_json_has_every_section():
    text, document = (DOCS / "card.md").read_text(encoding="utf-8"), json.loads(card())
    assert (DOCS / "card.json").read_text(encoding="utf-8") == card(), "run python -m bench.documents"
    assert list(document["sections"]) == re.findall(r"^\*\*(.+?)\.\*\*", text, re.MULTILINE)
    assert all(words in " ".join(text.split()) for words in document["sections"].values())


def test_documents_name_existing_commands():
    commands = {" ".join(words) for words in COMMANDS} | {words[0] for words in COMMANDS}
    for path in PROSE:
        lines = re.findall(r"^    algoworlds ([a-z-]+(?: [a-z]+)?)", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert all(words in commands or words.split()[0] in commands for words in lines), path
