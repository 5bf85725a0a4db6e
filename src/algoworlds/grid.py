"""Grids of text and their writers: Markdown, CSV and LaTeX.

Cells may hold text that a model wrote, so every writer removes terminal escapes and control characters and escapes
whatever its format would interpret.
"""

import csv
import io
import re
from dataclasses import dataclass, field
from html import escape

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
"""What Markdown interprets; an underscore inside a word is plain text, and so is a parenthesis without a bracket before."""
_FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001  (some spreadsheets accept wide signs)
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
        "[": "{[}",  # after a line break LaTeX would read it as a distance
        "]": "{]}",
        "*": "{*}",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)

_FIT_WIDTH = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
_MAX_LINE_CHARS = 60
"""Longer cells are broken into lines in LaTeX."""
_NUMERIC_CELL = re.compile(r"[\[<=+ -]*[0-9]|[- ]*$")
"""A cell that starts with a number, or is empty."""


@dataclass(frozen=True)
class Grid:
    """A head and rows of text; `name` is its label and file name, `caption` says what it shows."""

    name: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bold: frozenset[tuple[int, int]] = field(default=frozenset(), kw_only=True)
    """Cells in bold, by row and column."""

    def __post_init__(self) -> None:
        if any(len(row) != len(self.head) for row in self.rows):
            raise ValueError(f"grid {self.name}: every row must have {len(self.head)} cells, one per column")

    def _repr_html_(self) -> str:
        """The table in a notebook."""
        return to_html(self)


def strip_control_chars(text: str) -> str:
    """Remove terminal escapes, control characters and signs that reorder a line; keep tabs and line ends."""
    return _CONTROL.sub("", _TERMINAL.sub("", text))


def to_one_line(text: str) -> str:
    """Strip control characters and join all lines to one."""
    return " ".join(strip_control_chars(text).split())


_SINGULARS = {
    "worlds": "world",
    "instances": "instance",
    "families": "family",
    "evaluations": "evaluation",
    "pairs": "pair",
    "tables": "table",
}
_ONE = re.compile(rf"(?<![\w.,-])1 ({'|'.join(_SINGULARS)})\b")


def fix_plurals(text: str) -> str:
    """Use the singular after the number 1: "1 world", not "1 worlds"."""
    return _ONE.sub(lambda match: f"1 {_SINGULARS[match[1]]}", text)


def to_markdown(grid: Grid) -> str:
    """Write the caption and the grid in Markdown."""
    cells = [[_markdown_cell(cell) for cell in row] for row in grid.rows]
    for row, column in grid.bold:
        cells[row][column] = f"**{cells[row][column]}**"
    lines = [f"| {' | '.join(line)} |" for line in (map(_markdown_cell, grid.head), ["---"] * len(grid.head), *cells)]
    return "\n".join([_markdown_cell(grid.caption), "", *lines])


def _markdown_cell(text: str) -> str:
    return _MARKDOWN.sub(r"\\\g<0>", to_one_line(text).translate(_HTML))


def to_html(grid: Grid) -> str:
    """Write the caption and the grid as an HTML table; text in it stays text."""

    def write_row(tag: str, cells: tuple[str, ...]) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(to_one_line(cell))}</{tag}>' for cell in cells)}</tr>"

    caption = f"<caption>{escape(to_one_line(grid.caption))}</caption>" if grid.caption else ""
    rows = "".join(write_row("td", row) for row in grid.rows)
    return f"<table>{caption}<thead>{write_row('th', grid.head)}</thead><tbody>{rows}</tbody></table>"


def to_csv(grid: Grid) -> str:
    """Write the grid as CSV without its caption; an apostrophe keeps a spreadsheet from computing a cell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(tuple(map(_csv_cell, row)) for row in (grid.head, *grid.rows))
    return text.getvalue().rstrip("\n")


def _csv_cell(text: str) -> str:
    # A lone carriage return would end the line for some readers.
    cell = strip_control_chars(text).replace("\r\n", "\n").replace("\r", "\n")
    formula = cell.lstrip(" ").startswith(_FORMULA_SIGNS)
    return f"'{cell}" if formula and not _NUMBER.fullmatch(cell) else cell


def to_latex(grid: Grid) -> str:
    """Write the grid in LaTeX, shrunk to the text width; the document must use booktabs and graphicx."""
    columns = "".join(_latex_alignment(at, [row[at] for row in grid.rows]) for at in range(len(grid.head)))
    cells = [[_latex_cell(cell) for cell in row] for row in grid.rows]
    for row, column in grid.bold:
        cells[row][column] = rf"\textbf{{{cells[row][column]}}}"
    head, *rows = [" & ".join(row) + r" \\" for row in (map(_latex_cell, grid.head), *cells)]
    top = [r"\begin{table}", r"\centering", _FIT_WIDTH, rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule"]
    label = re.sub(r"[^A-Za-z0-9:_-]+", "-", grid.name)
    end = [rf"\caption{{{_latex_cell(grid.caption)}}}", rf"\label{{tab:{label}}}", r"\end{table}"]
    return "\n".join([*top, *rows, r"\bottomrule", r"\end{tabular}}", *end])


def _latex_alignment(column: int, cells: list[str]) -> str:
    """Align numbers right and words left; break long texts into lines."""
    if any(len(to_one_line(cell)) > _MAX_LINE_CHARS for cell in cells):
        return r"p{0.7\linewidth}" if column else r"p{0.3\linewidth}"
    return "r" if column and all(_NUMERIC_CELL.match(cell) for cell in cells) else "l"


def _latex_cell(text: str) -> str:
    escaped = to_one_line(text).translate(_LATEX)
    return re.sub(r"(?<=[0-9])-(?=[0-9])", "--", escaped)  # a range of numbers
