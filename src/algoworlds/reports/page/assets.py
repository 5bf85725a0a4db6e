"""The files that pages are made of; some of them serve other pages than the report as well."""

from importlib.resources import files

THEME, REPLAY_STYLE = "theme.css", "replay.css"
STYLES = (THEME, REPLAY_STYLE, "evaluation.css", "report.css")
REPLAY = ("elements.js", "course.js", "replay.js")
"""What a replay takes: `replay.js` says of which plain value it is made. They name nothing of the report."""
SCRIPTS = (*REPLAY, "report.js", "matrix.js", "tables.js", "shelf.js", "evaluation.js", "scenes.js", "compare.js", "start.js")
"""In the order in which they follow each other in one script."""


def source(name: str) -> str:
    """The text of such a file."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
