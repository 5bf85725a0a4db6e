"""The report page: one HTML file whose numbers link to their evaluations; a large report has them in a folder.

The game in the browser uses some of its style sheets and scripts.
"""

from importlib.resources import files

PAGE_FILE = "report.html"
EVALUATIONS_FOLDER = "evaluations"
"""The folder with the evaluations of a large report."""

THEME_STYLE, REPLAY_STYLE = "theme.css", "replay.css"
PAGE_STYLES = (THEME_STYLE, REPLAY_STYLE, "evaluation.css", "report.css")
REPLAY_SCRIPTS = ("elements.js", "progress_chart.js", "replay.js")
"""The scripts of a replay; they depend on nothing else of the report. `replay.js` documents the value that they draw."""
PAGE_SCRIPTS = (
    *REPLAY_SCRIPTS, "report.js", "matrix.js", "tables.js", "world_data.js", "evaluation.js", "evaluation_replay.js",
    "compare.js", "start.js",
)  # fmt: skip
"""All scripts of the report, in the order in which they are concatenated."""


def read_asset(name: str) -> str:
    """The text of the asset file `name`."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
