"""axe-core finds nothing to object to: the page in light, dark and on a phone, and an evaluation in every view."""

from importlib.metadata import distribution
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.reports.reading import key_of

VIEWS = {"page": None, "overview": "", "question": "&step=0", "call": "&step=3", "end": "&step=999", "compare": "&with="}


@pytest.fixture(scope="module")
def axe():
    """The script, which a distribution of another harness brings along."""
    return Path(str(distribution("axe-playwright-python").locate_file("axe_playwright_python/axe.min.js"))).read_text()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_is_objected_to(running, report, records, axe, view, dark, width):
    told = next(each for each in records if each["configuration"] == "greedy")
    other = next(each for each in records if each["world"] == told["world"] and each["configuration"] == "oracle")
    asked = "" if VIEWS[view] is None else f"#evaluation={quote(key_of(told))}{VIEWS[view]}"
    running.open(report.as_uri() + asked + (quote(key_of(other)) if view == "compare" else ""), width=width, dark=dark)
    if asked:
        running.wait("document.querySelector('#evaluation[open] .inside')")
    running.call("Runtime.evaluate", expression=axe)
    found = running.run(
        "axe.run(document.querySelector('#evaluation[open]') ?? document)"
        ".then(({ violations }) => violations.map((each) => [each.id, each.nodes.map((node) => node.html.slice(0, 200))]))"
    )
    assert found == []
