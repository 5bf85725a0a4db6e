"""The house style of figures: sizes, colours, files and building blocks.

Labels are text, never markup. Figures grow with the number of rows, so that nothing overlaps. The same drawing gives the same
bytes.
"""

from collections.abc import Callable, Sequence
from io import BytesIO
from textwrap import wrap
from typing import Any, NamedTuple

from fontTools import subset  # type: ignore[import-untyped]
from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.layout_engine import ConstrainedLayoutEngine

from algoworlds.core.canonical import JsonObject
from algoworlds.grid import to_one_line

INK, MUTED, LINE, PAPER = "#1f2937", "#6b7280", "#d7dce2", "#ffffff"
TEAL, GOLD, CORAL, BLUE, REST = "#0f766e", "#e8ac2c", "#d1553c", "#3d6fa8", "#e5e9ee"
ON_GOLD = "#2e2205"
"""The colours differ in hue and in lightness, so that every kind of colour vision and grey print can tell them apart."""

_STYLE: dict[Any, Any] = {
    "text.parse_math": False,
    "text.usetex": False,
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": LINE,
    "axes.titlesize": 9,
    "xtick.color": MUTED,
    "ytick.color": INK,
    "xtick.labelsize": 7.5,
    "axes.unicode_minus": True,
    "figure.facecolor": PAPER,
    "figure.autolayout": False,
    "figure.constrained_layout.use": False,
    "pdf.fonttype": 42,
    "svg.hashsalt": "algoworlds",
    "path.simplify": False,
    "text.hinting": "none",  # so that a text is equally wide in every format
}
_FILE_METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
FIGURE_FORMATS = tuple(_FILE_METADATA)

# A PDF file positions every glyph itself, so fonts need no layout tables: subsetting those took half of a report's time.
subset.Options._drop_tables_default = [*subset.Options._drop_tables_default, "GDEF", "GPOS", "GSUB"]

# heights in inches
_ROW_HEIGHT = 0.34
_PANEL_HEIGHT = 1.3
_AXIS_HEIGHT = 1.05  # axis, legend and margins
_MARK_HEIGHT = 0.2
_TITLE_HEIGHT = 0.28
_LEGEND_HEIGHT = 0.28
_SIDE_MARGIN = 0.1  # inches, because browsers may show texts a little wider


class FigureSize(NamedTuple):
    """The width of a figure (inches), the length of its lines of text (characters), and the columns of its legend."""

    width: float
    label_chars: int
    note_chars: int
    legend_columns: int


PRINT_SIZE = FigureSize(6.5, 26, 100, 4)
"""The text width of a paper."""
PHONE_SIZE = FigureSize(3.7, 16, 52, 2)


# -- files ----------------------------------------------------------------------------------------------------------------


def render_figure(figure: Figure, form: str, text_as_paths: bool = True) -> bytes:
    """Render `figure` as an SVG, PDF or PNG file, without date or version."""
    out = BytesIO()
    with rc_context({**_STYLE, "svg.fonttype": "path" if text_as_paths else "none"}):
        figure.savefig(out, format=form, dpi=220, metadata=_FILE_METADATA[form])
    return out.getvalue()


def house_style(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Decorator: draw in the house style, whatever the process has set, with the text `mark` in a line above the drawing."""

    def in_style(*arguments: Any, mark: str = "", **options: Any) -> Figure:
        with rc_context(_STYLE):
            figure = draw(*arguments, **options)
            figure.draw_without_rendering()  # compute one layout for all formats
            figure.set_layout_engine(None)  # None: with any layout engine every file is drawn twice
            if mark:
                _add_mark(figure, mark)
            return figure

    in_style.__doc__, in_style.__name__ = draw.__doc__, draw.__name__
    return in_style


def _add_mark(figure: Figure, mark: str) -> None:
    """Make a finished drawing one line higher and write `mark` above it."""
    height = figure.get_figheight()
    scale, to_figure = height / (height + _MARK_HEIGHT), figure.transFigure.inverted()
    anchors = [(legend, legend.get_bbox_to_anchor().transformed(to_figure)) for legend in figure.legends]
    for axes in figure.axes:
        box = axes.get_position()
        axes.set_position((box.x0, box.y0 * scale, box.width, box.height * scale))
    for text in figure.texts:
        text.set_y(text.get_position()[1] * scale)
    figure.set_figheight(height + _MARK_HEIGHT)
    for legend, box in anchors:
        legend.set_bbox_to_anchor((box.x0, box.y0 * scale))
    top = 1 - 0.06 / (height + _MARK_HEIGHT)
    figure.text(0.02, top, mark, va="top", fontsize=7.5, color=CORAL, fontweight="bold")


# -- parts of figures -----------------------------------------------------------------------------------------------------


def scripted_last(rows: Sequence[Any]) -> list[Any]:
    """`rows` with scripted agents last, as floor and ceiling, otherwise in their order."""
    return sorted(rows, key=lambda row: row.scripted)


def row_figure(size: FigureSize, rows: float, title: str, with_legend: bool = False) -> tuple[Figure, Axes]:
    """An empty figure for `rows` rows below a title, with room for a legend if `with_legend`."""
    figure = titled_figure(size, _ROW_HEIGHT * rows + _AXIS_HEIGHT + (_LEGEND_HEIGHT if with_legend else 0.0), title)
    return figure, figure.add_subplot()


def panel_figure(size: FigureSize, count: int, title: str) -> tuple[Figure, list[Axes]]:
    """An empty figure of `count` panels with one scale, side by side if they fit, below a title and a legend."""
    columns = min(count, 3 if size is PRINT_SIZE else 1)
    rows = -(-count // columns)
    figure = titled_figure(size, _PANEL_HEIGHT * rows + _AXIS_HEIGHT + _LEGEND_HEIGHT, title)
    panels = figure.subplots(rows, columns, sharey=True, squeeze=False).flatten().tolist()
    for spare in panels[count:]:
        spare.set_visible(False)
    return figure, panels[:count]


def label_panel(axes: Axes, label: str, size: FigureSize) -> None:
    """A label above a panel."""
    axes.annotate(fit_label(label, size.label_chars, 1), (0, 1.04), xycoords="axes fraction", va="bottom", fontsize=7.5)


def titled_figure(size: FigureSize, height: float, title: str) -> Figure:
    """An empty figure of `height` inches with a title above it, in its own band."""
    text = fit_label(title, size.note_chars - 12)
    band = _TITLE_HEIGHT + 0.16 * text.count("\n")
    below = height / (height + band)
    layout = ConstrainedLayoutEngine(w_pad=_SIDE_MARGIN, rect=(0, 0, 1, below))
    figure = Figure(figsize=(size.width, height + band), layout=layout)
    figure.text(0.02, 1 - 0.07 / (height + band), text, va="top", fontsize=9, color=INK, fontweight="bold")
    return figure


def label_rows(axes: Axes, rows: Sequence[Any], size: FigureSize) -> None:
    """Name the rows and separate models from scripted agents by a dotted line."""
    set_rows(axes, [fit_label(row.label, size.label_chars) for row in rows])
    for row, text in zip(rows, axes.get_yticklabels(), strict=True):
        text.set_color(MUTED if row.scripted else INK)
    models = sum(not row.scripted for row in rows)
    if 0 < models < len(rows):
        axes.axhline(models - 0.5, color=MUTED, linewidth=0.6, linestyle=(0, (1, 3)))


def set_rows(axes: Axes, labels: Sequence[str]) -> None:
    """One labelled row below the other, without a frame."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.tick_params(length=0, pad=6)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_axisbelow(True)


def set_percent_axis(figure: Figure, axes: Axes, title: str, note: str, size: FigureSize, largest: float = 100.0) -> None:
    """A percent axis from 0 to the first multiple of 20 above `largest`."""
    end = min(100, 20 * (1 + int(largest // 20)))
    axes.set_xlim(0, end)
    axes.set_xticks(range(0, end + 1, 20 if end > 40 else 10))
    axes.grid(axis="x", color=LINE, linewidth=0.6)
    add_footer(figure, size, title, note)


def add_footer(figure: Figure, size: FigureSize, *lines: str) -> None:
    """Wrapped lines below the whole figure."""
    text = "\n".join(part for line in lines for part in wrap(line, size.note_chars))
    figure.supxlabel(text, fontsize=7.5, linespacing=1.5, color=MUTED)


def add_margin_note(axes: Axes, row: int, text: str, colour: str, weight: str = "normal") -> None:
    """A number in the right margin, where no mark can touch it."""
    transform = axes.get_yaxis_transform()
    options: JsonObject = {"va": "center", "fontsize": 7.5, "color": colour, "fontweight": weight, "annotation_clip": False}
    axes.annotate(text, (1, row), xycoords=transform, xytext=(9, 0), textcoords="offset points", **options)


def label_mark(axes: Axes, x: float, y: float, text: str, right: bool, colour: str) -> None:
    """A number next to a mark, on its right or left side."""
    side: JsonObject = {"xytext": (6, 0), "ha": "left"} if right else {"xytext": (-6, 0), "ha": "right"}
    options: JsonObject = {"va": "center", "fontsize": 7.5, "color": colour, "annotation_clip": False}
    axes.annotate(text, (x, y), textcoords="offset points", **side, **options)


def align_right(number: str, width: int) -> str:
    """`number` right-aligned with spaces that are as wide as digits."""
    return number.rjust(width, "\N{FIGURE SPACE}")


def add_legend(figure: Figure, size: FigureSize, entries: Sequence[Artist]) -> None:
    """A legend between the title and the drawing."""
    columns, layout = min(size.legend_columns, len(entries)), figure.get_layout_engine()
    assert isinstance(layout, ConstrainedLayoutEngine)
    top = layout.get()["rect"][3]
    layout.set(rect=(0, 0, 1, top - (0.14 + 0.16 * -(-len(entries) // columns)) / figure.get_figheight()))
    style: JsonObject = {"frameon": False, "fontsize": 7.5, "handlelength": 1}
    figure.legend(handles=list(entries), loc="upper center", bbox_to_anchor=(0.5, top), ncols=columns, **style)


def fit_label(text: str, width: int, lines: int = 2) -> str:
    """`text` wrapped to at most `lines` lines of `width` characters that the font has; a longer text loses its end."""
    charmap = get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap()
    printable = "".join(char if ord(char) in charmap else "\N{REPLACEMENT CHARACTER}" for char in to_one_line(text))
    wrapped = wrap(printable, width) or ["(no name)"]
    if len(wrapped) <= lines:
        return "\n".join(wrapped)
    return "\n".join([*wrapped[: lines - 1], " ".join(wrapped[lines - 1 :])[: width - 1].rstrip() + "…"])
