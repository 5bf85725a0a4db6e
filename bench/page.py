"""`python -m bench.page REPORT`: the size of a report's page, how long a browser takes to open it, and to filter its list.

Opening ends when the list is drawn, filtering when the list of what was found is; both are timed by the page's own clock.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.reports.browser import browser

_OPENED = "performance.timing.loadEventEnd - performance.timing.navigationStart"
_FILTERS = ("q=optimal", "configuration=model%201", "category=suboptimal&level=2", "family=fleet_dispatch", "")
_FILTER = (
    "(() => {{ const start = performance.now(); history.replaceState(null, '', '#{0}'); follow();"
    " return performance.now() - start; }})()"
)


def main() -> None:
    """Open and filter a report in a browser."""
    page = Path(sys.argv[1]).resolve()
    with TemporaryDirectory() as directory, browser(Path(directory)) as window:
        opened = []
        for _ in range(3):
            window.open(page.as_uri())
            opened.append(window.run(_OPENED) / 1000)
        filtered = [window.run(_FILTER.format(each)) / 1000 for each in _FILTERS]
        count = window.run("ROWS.length")
    size = page.stat().st_size / 1e6
    print(f"{count:,} evaluations: {size:.1f} MB, opened in {min(opened):.2f} s, filtered in {max(filtered):.3f} s at most")


if __name__ == "__main__":
    main()
