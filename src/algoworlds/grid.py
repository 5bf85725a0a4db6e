"""Grids of text and their writers: Markdown, CSV and LaTeX. Whatever a cell says, it stays text.

Cells may hold what a model wrote, so every writer takes away terminal escapes and control characters and escapes what
its format would act upon.
"""

import csv
import io
import re
from dataclasses import dataclass, field

_TERMINAL = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # colours and cursor moves
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # titles, links and other strings
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROL = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_NUMBER = re.compile(r"[+-]?[0-9][0-9,]*(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_MARKDOWN = re.compile(r"[\\`*\[\]~|#$]|(?<!\w)_|_(?!\w)|(?<=www)\.|(?<=:)/(?=/)", re.IGNORECASE)
"""What Markdown acts upon; an underscore inside a word and a parenthesis after no bracket are text."""
_COMPUTED = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001  (wide signs count in some places)
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': "''",
        "[": "{[}",  # after a line's end it would be read as a distance
        "]": "{]}",
        "*": "{*}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)

_FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
_LONGEST = 60
"""Characters of a cell that stay on one line in LaTeX."""
_FIGURE = re.compile(r"[\[<=+ -]*[0-9]|[- ]*$")
"""A cell that starts with a number, or that has no value."""


@dataclass(frozen=True)
class Grid:
    """A head and rows of text; the name is its label and its file's name, the caption says what it shows."""

    name: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bold: frozenset[tuple[int, int]] = field(default=frozenset(), kw_only=True)
    """The cells that stand out, by row and column."""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.head) for row in self.rows):
            raise ValueError(f"grid {self.name}: every row has one cell for each of its {len(self.head)} columns")


def plain(text: str) -> str:
    """A text without terminal escapes, control characters and signs that reorder a line; tabs and line ends stay."""
    return _CONTROL.sub("", _TERMINAL.sub("", text))


def one_line(text: str) -> str:
    """A text made plain, on one line."""
    return " ".join(plain(text).split())


def markdown(grid: Grid) -> str:
    """The caption and a grid in Markdown."""
    rule = "| " + " | ".join(["---"] * len(grid.head)) + " |"
    return "\n".join([_markdown_cell(grid.caption), "", _markdown_line(grid.head), rule, *_markdown_rows(grid)])


def _markdown_rows(grid: Grid) -> list[str]:
    cells = [[_markdown_cell(cell) for cell in row] for row in grid.rows]
    for row, column in grid.bold:
        cells[row][column] = f"**{cells[row][column]}**"
    return [f"| {' | '.join(row)} |" for row in cells]


def _markdown_line(row: tuple[str, ...]) -> str:
    return "| " + " | ".join(map(_markdown_cell, row)) + " |"


def _markdown_cell(text: str) -> str:
    return _MARKDOWN.sub(r"\\\g<0>", one_line(text).translate(_HTML))


def comma_separated(grid: Grid) -> str:
    """A grid as CSV without its caption; a cell that a spreadsheet would compute is kept as text by an apostrophe."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(tuple(map(_csv_cell, row)) for row in (grid.head, *grid.rows))
    return text.getvalue().rstrip("\n")


def _csv_cell(text: str) -> str:
    cell = plain(text).replace("\r\n", "\n").replace("\r", "\n")  # a lone return would end the line for some readers
    computed = cell.lstrip(" ").startswith(_COMPUTED)
    return f"'{cell}" if computed and not _NUMBER.fullmatch(cell) else cell


def latex(grid: Grid) -> str:
    """A grid in LaTeX, for a document that uses booktabs and graphicx; it shrinks to the width of the text."""
    columns = "".join(_latex_column(place, [row[place] for row in grid.rows]) for place in range(len(grid.head)))
    cells = [[_latex_cell(cell) for cell in row] for row in grid.rows]
    for row, column in grid.bold:
        cells[row][column] = rf"\textbf{{{cells[row][column]}}}"
    head, *rows = [" & ".join(row) + r" \\" for row in (map(_latex_cell, grid.head), *cells)]
    top = [r"\begin{table}", r"\centering", _FITTED, rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule"]
    label = re.sub(r"[^A-Za-z0-9:_-]+", "-", grid.name)
    end = [rf"\caption{{{_latex_cell(grid.caption)}}}", rf"\label{{tab:{label}}}", r"\end{table}"]
    return "\n".join([*top, *rows, r"\bottomrule", r"\end{tabular}}", *end])


def _latex_column(place: int, cells: list[str]) -> str:
    """Figures stand right, words left, and long texts are broken into lines."""
    if any(len(one_line(each)) > _LONGEST for each in cells):
        return r"p{0.7\linewidth}" if place else r"p{0.3\linewidth}"
    return "r" if place and all(_FIGURE.match(each) for each in cells) else "l"


def _latex_cell(text: str) -> str:
    escaped = one_line(text).translate(_LATEX)
    return re.sub(r"(?<=[0-9])-(?=[0-9])", "--", escaped)  # a range of numbers
