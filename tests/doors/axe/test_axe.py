"""axe-core finds no violation: the page in light, dark and on a phone, and an evaluation in every view."""

from importlib.metadata import distribution
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.reports.reading import key_of

VIEWS = {"page": None, "overview": "", "question": "&step=0", "call": "&step=3", "end": "&step=999", "compare": "&with="}


@pytest.fixture(scope="module")
def axe():
    """The axe script, which another harness's distribution contains."""
    return Path(str(distribution("axe-playwright-python").locate_file("axe_playwright_python/axe.min.js"))).read_text()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_no_violation(running, report, records, axe, view, dark, width):
    greedy = next(record for record in records if record["configuration"] == "greedy")
    other = next(record for record in records if record["world"] == greedy["world"] and record["configuration"] == "oracle")
    fragment = "" if VIEWS[view] is None else f"#evaluation={quote(key_of(greedy))}{VIEWS[view]}"
    running.open(report.as_uri() + fragment + (quote(key_of(other)) if view == "compare" else ""), width=width, dark=dark)
    if fragment:
        running.wait("document.querySelector('#evaluation[open] .inside')")
    running.call("Runtime.evaluate", expression=axe)
    violations = running.run(
        "axe.run(document.querySelector('#evaluation[open]') ?? document)"
        ".then(({ violations }) => violations.map((each) => [each.id, each.nodes.map((node) => node.html.slice(0, 200))]))"
    )
    assert violations == []
