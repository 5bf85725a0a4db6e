"""`python -m bench.page [SUITE | REPORT.html]`: the size of a report of 8,640 evaluations, and how fast a browser handles it.

Twelve configurations play the development split three times, as in `bench.report`; or an existing report is opened. The clock
of the page measures opening (until the list is drawn), filtering (until the filtered list is drawn) and a replay (until its
first call is shown).
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from algoworlds.reports.page import EVALUATIONS_FOLDER
from algoworlds.suites.open import open_suite
from bench.report import create_runs, development_suite, measure
from tests.reports.browser import Browser, browser

CONFIGURATIONS = 12
_OPENED = "performance.timing.loadEventEnd - performance.timing.navigationStart"
_FILTERS = ("q=optimal", "configuration=model%201", "category=suboptimal&level=2", "family=fleet_dispatch", "")
_FILTER = (
    "(() => {{ const start = performance.now(); history.replaceState(null, '', '#{0}'); applyAddress();"
    " return performance.now() - start; }})()"
)
_REPLAY = (
    "(async () => {{ const start = performance.now(); Object.assign(state, {{ evaluation: '{0}', step: 1 }});"
    " await openEvaluation(state.evaluation); return performance.now() - start; }})()"
)
_HEAP = "performance.memory.usedJSHeapSize"


def total_size(paths: list[Path]) -> str:
    """The total size of `paths`."""
    return f"{sum(path.stat().st_size for path in paths) / 1e6:.1f} MB"


def time_page(page: Path, window: Browser) -> None:
    """Open and filter a report, start replays, and print how long it took."""
    opening = []
    for _ in range(3):
        window.open(page.as_uri())
        opening.append(window.run(_OPENED) / 1000)
    filtering = [window.run(_FILTER.format(query)) / 1000 for query in _FILTERS]
    count, first, last = window.run("[ROWS.length, ROWS[0].key, ROWS.at(-1).key]")
    replaying = [window.run(_REPLAY.format(quote(key, safe="/ "))) / 1000 for key in (first, last)]
    files = sorted((page.parent / EVALUATIONS_FOLDER).glob("*.js"))
    print(f"{count:,} evaluations: a page of {total_size([page])}, next to it {len(files)} files of {total_size(files)}")
    print(f"opened in {min(opening):.2f} s, filtered in {max(filtering):.3f} s at most, a replay in {max(replaying):.3f} s")
    print(f"{window.run(_HEAP) / 1e6:.0f} MB of script memory")


def main() -> None:
    """Write a report, unless one is given, and time its page."""
    with TemporaryDirectory() as directory:
        folder = Path(directory)
        page = Path(*sys.argv[1:2]).resolve()
        if not page.is_file():
            suite = development_suite(folder)
            runs = create_runs(open_suite(suite), folder / "runs", CONFIGURATIONS)
            cost = measure("report", runs, suite, folder / "report")
            print(f"written in {cost.seconds:.1f} s of CPU, peak memory {cost.megabytes} MB", flush=True)
            page = folder / "report" / "report.html"
        (folder / "profile").mkdir()
        with browser(folder / "profile") as window:
            time_page(page, window)


if __name__ == "__main__":
    main()
