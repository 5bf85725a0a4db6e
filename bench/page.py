"""`python -m bench.page [SUITE | REPORT.html]`: what a report of 8,640 evaluations weighs, and what a browser takes for it.

Twelve configurations play the development split three times, as those of `bench.report` do; or a report that is there is
opened. Opening ends when the list is drawn, filtering when the list of what was found is, a replay begins when its first call
is shown; all are timed by the page's own clock.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from algoworlds.reports.page import FOLDER
from algoworlds.suites.opened import open_suite
from bench.report import cost, development, make_runs
from tests.reports.browser import Browser, browser

CONFIGURATIONS = 12
_OPENED = "performance.timing.loadEventEnd - performance.timing.navigationStart"
_FILTERS = ("q=optimal", "configuration=model%201", "category=suboptimal&level=2", "family=fleet_dispatch", "")
_FILTER = (
    "(() => {{ const start = performance.now(); history.replaceState(null, '', '#{0}'); follow();"
    " return performance.now() - start; }})()"
)
_REPLAY = (
    "(async () => {{ const start = performance.now(); Object.assign(state, {{ evaluation: '{0}', step: 1 }});"
    " await openEvaluation(state.evaluation); return performance.now() - start; }})()"
)
_HEAP = "performance.memory.usedJSHeapSize"


def weight(paths: list[Path]) -> str:
    """What some files weigh together."""
    return f"{sum(path.stat().st_size for path in paths) / 1e6:.1f} MB"


def look(page: Path, window: Browser) -> None:
    """Open, filter and look into a report, and say what that took."""
    opened = []
    for _ in range(3):
        window.open(page.as_uri())
        opened.append(window.run(_OPENED) / 1000)
    filtered = [window.run(_FILTER.format(each)) / 1000 for each in _FILTERS]
    count, first, last = window.run("[ROWS.length, ROWS[0].key, ROWS.at(-1).key]")
    replayed = [window.run(_REPLAY.format(quote(each, safe="/ "))) / 1000 for each in (first, last)]
    beside = sorted((page.parent / FOLDER).glob("*.js"))
    print(f"{count:,} evaluations: a page of {weight([page])}, beside it {len(beside)} files of {weight(beside)}")
    print(
        f"opened in {min(opened):.2f} s, filtered in {max(filtered):.3f} s at most, a replay in {max(replayed):.3f} s, ", end=""
    )
    print(f"{window.run(_HEAP) / 1e6:.0f} MB of script memory")


def main() -> None:
    """Make a report, unless one is named, and look at it."""
    with TemporaryDirectory() as directory:
        place = Path(directory)
        page = Path(*sys.argv[1:2]).resolve()
        if not page.is_file():
            suite = development(place)
            runs = make_runs(open_suite(suite), place / "runs", CONFIGURATIONS)
            took = cost("report", runs, suite, place / "report")
            print(f"written in {took.seconds:.1f} s of CPU, peak memory {took.megabytes} MB", flush=True)
            page = place / "report" / "report.html"
        (place / "profile").mkdir()
        with browser(place / "profile") as window:
            look(page, window)


if __name__ == "__main__":
    main()
