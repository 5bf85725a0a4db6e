"""The style sheets and scripts of the pages; the game in the browser uses some of them too."""

from importlib.resources import files

THEME_STYLE, REPLAY_STYLE = "theme.css", "replay.css"
PAGE_STYLES = (THEME_STYLE, REPLAY_STYLE, "evaluation.css", "report.css")
REPLAY_SCRIPTS = ("elements.js", "course.js", "replay.js")
"""The scripts of a replay; they depend on nothing else of the report. `replay.js` documents the value that they draw."""
PAGE_SCRIPTS = (
    *REPLAY_SCRIPTS, "report.js", "matrix.js", "tables.js", "shelf.js", "evaluation.js", "scenes.js", "compare.js", "start.js",
)  # fmt: skip
"""All scripts of the report, in the order in which they are concatenated."""


def read_asset(name: str) -> str:
    """The text of the asset file `name`."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
