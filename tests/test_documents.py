"""What the documents say of files and commands, held against the files and commands themselves."""

import json
import re
from pathlib import Path

from algoworlds.suites.build import build_suite
from tests.command import run_here
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
