"""The house style of figures: sizes, colours, files, and the parts that figures are made of.

Labels are text and never markup, rows grow with their number so that nothing overlaps, and the same drawing gives the
same bytes.
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

from algoworlds.grid import one_line

INK, MUTED, LINE, PAPER = "#1f2937", "#6b7280", "#d7dce2", "#ffffff"
TEAL, GOLD, CORAL, BLUE, REST = "#0f766e", "#e8ac2c", "#d1553c", "#3d6fa8", "#e5e9ee"
ON_GOLD = "#2e2205"
"""Apart in hue and in lightness, so that they stay apart for every kind of colour vision and in grey print."""

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
    "text.hinting": "none",  # a text is equally wide in every format
}
_UNDATED: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
FORMATS = tuple(_UNDATED)

# A PDF file places every glyph itself: how fonts would is left out of them, for to cut that down took half of a report's time.
subset.Options._drop_tables_default = [*subset.Options._drop_tables_default, "GDEF", "GPOS", "GSUB"]

_ROW = 0.34  # inches
_PANEL = 1.3  # inches
_AIR = 1.05  # inches for axis, legend and margins
_MARK = 0.2  # inches for a mark
_TITLE = 0.28  # inches for a title
_LEGEND = 0.28  # inches for a legend
_MARGIN = 0.1  # inches beside the drawing, since a page may show texts a little wider


class Size(NamedTuple):
    """How wide a figure is (inches), how long its lines of text may be (characters), and the columns of its legend."""

    width: float
    label: int
    note: int
    columns: int


PRINT = Size(6.5, 26, 100, 4)
"""The text width of a paper."""
PHONE = Size(3.7, 16, 52, 2)


# -- files ----------------------------------------------------------------------------------------------------------------


def drawn(figure: Figure, form: str, text_as_paths: bool = True) -> bytes:
    """A figure as the bytes of an SVG, PDF or PNG file, without date or version."""
    out = BytesIO()
    with rc_context({**_STYLE, "svg.fonttype": "path" if text_as_paths else "none"}):
        figure.savefig(out, format=form, dpi=220, metadata=_UNDATED[form])
    return out.getvalue()


def styled(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Draw in the house style, whatever the process has set; a mark stands above the drawing, in a line of its own."""

    def in_style(*arguments: Any, mark: str = "", **options: Any) -> Figure:
        with rc_context(_STYLE):
            figure = draw(*arguments, **options)
            figure.draw_without_rendering()  # lay it out once, the same for every format
            figure.set_layout_engine(None)  # none at all: one that only says so has every file drawn twice
            if mark:
                _marked(figure, mark)
            return figure

    in_style.__doc__, in_style.__name__ = draw.__doc__, draw.__name__
    return in_style


def _marked(figure: Figure, mark: str) -> None:
    """Move all of a drawing that has been laid out down by a line, and put the mark above it."""
    height = figure.get_figheight()
    down, back = height / (height + _MARK), figure.transFigure.inverted()
    heads = [(each, each.get_bbox_to_anchor().transformed(back)) for each in figure.legends]
    for axes in figure.axes:
        place = axes.get_position()
        axes.set_position((place.x0, place.y0 * down, place.width, place.height * down))
    for text in figure.texts:
        text.set_y(text.get_position()[1] * down)
    figure.set_figheight(height + _MARK)
    for head, place in heads:
        head.set_bbox_to_anchor((place.x0, place.y0 * down))
    top = 1 - 0.06 / (height + _MARK)
    figure.text(0.02, top, mark, va="top", fontsize=7.5, color=CORAL, fontweight="bold")


# -- parts of figures -----------------------------------------------------------------------------------------------------


def ordered(rows: Sequence[Any]) -> list[Any]:
    """Scripted agents below the others, as floor and ceiling; otherwise in the order of all tables."""
    return sorted(rows, key=lambda each: each.scripted)


def canvas(size: Size, rows: int, title: str, legend: bool = False) -> tuple[Figure, Axes]:
    """An empty figure for so many rows under a title, with room for a legend at its head."""
    figure = headed(size, _ROW * rows + _AIR + (_LEGEND if legend else 0.0), title)
    return figure, figure.add_subplot()


def panels(size: Size, count: int, title: str) -> tuple[Figure, list[Axes]]:
    """An empty figure of panels of one scale, side by side where there is room, under a title and a legend."""
    columns = min(count, 3 if size is PRINT else 1)
    rows = -(-count // columns)
    figure = headed(size, _PANEL * rows + _AIR + _LEGEND, title)
    made = figure.subplots(rows, columns, sharey=True, squeeze=False).flatten().tolist()
    for spare in made[count:]:
        spare.set_visible(False)
    return figure, made[:count]


def headed(size: Size, height: float, title: str) -> Figure:
    """An empty figure of some height, and above it a title that nothing else comes near."""
    shown = fitted(title, size.note - 12)
    band = _TITLE + 0.16 * shown.count("\n")
    below = height / (height + band)
    layout = ConstrainedLayoutEngine(w_pad=_MARGIN, rect=(0, 0, 1, below))
    figure = Figure(figsize=(size.width, height + band), layout=layout)
    figure.text(0.02, 1 - 0.07 / (height + band), shown, va="top", fontsize=9, color=INK, fontweight="bold")
    return figure


def label_rows(axes: Axes, rows: Sequence[Any], size: Size) -> None:
    """Name the rows; a dotted line parts models from scripted agents."""
    set_rows(axes, [fitted(each.label, size.label) for each in rows])
    for each, text in zip(rows, axes.get_yticklabels(), strict=True):
        text.set_color(MUTED if each.scripted else INK)
    models = sum(not each.scripted for each in rows)
    if 0 < models < len(rows):
        axes.axhline(models - 0.5, color=MUTED, linewidth=0.6, linestyle=(0, (1, 3)))


def set_rows(axes: Axes, labels: Sequence[str]) -> None:
    """One labelled row below the other, and no frame."""
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.tick_params(length=0, pad=6)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_axisbelow(True)


def percent_axis(figure: Figure, axes: Axes, title: str, note: str, size: Size, largest: float = 100.0) -> None:
    """Percent from zero to the first multiple of twenty that holds everything."""
    end = min(100, 20 * (1 + int(largest // 20)))
    axes.set_xlim(0, end)
    axes.set_xticks(range(0, end + 1, 20 if end > 40 else 10))
    axes.grid(axis="x", color=LINE, linewidth=0.6)
    foot(figure, size, title, note)


def foot(figure: Figure, size: Size, *lines: str) -> None:
    """Lines under the whole figure, each wrapped."""
    text = "\n".join(part for line in lines for part in wrap(line, size.note))
    figure.supxlabel(text, fontsize=7.5, linespacing=1.5, color=MUTED)


def margin_note(axes: Axes, at: int, text: str, colour: str, weight: str = "normal") -> None:
    """A number in the right margin, where no mark can touch it."""
    place = axes.get_yaxis_transform()
    options: dict[str, Any] = {"va": "center", "fontsize": 7.5, "color": colour, "fontweight": weight, "annotation_clip": False}
    axes.annotate(text, (1, at), xycoords=place, xytext=(9, 0), textcoords="offset points", **options)


def beside(axes: Axes, x: float, y: float, text: str, right: bool, colour: str) -> None:
    """A number next to a mark, on the side where nothing else is."""
    side: dict[str, Any] = {"xytext": (6, 0), "ha": "left"} if right else {"xytext": (-6, 0), "ha": "right"}
    options: dict[str, Any] = {"va": "center", "fontsize": 7.5, "color": colour, "annotation_clip": False}
    axes.annotate(text, (x, y), textcoords="offset points", **side, **options)


def aligned(number: str, width: int) -> str:
    """A number right-aligned by spaces as wide as digits."""
    return number.rjust(width, "\N{FIGURE SPACE}")


def legend(figure: Figure, size: Size, entries: Sequence[Artist]) -> None:
    """A legend above the drawing and below its title."""
    columns, layout = min(size.columns, len(entries)), figure.get_layout_engine()
    assert isinstance(layout, ConstrainedLayoutEngine)
    top = layout.get()["rect"][3]
    layout.set(rect=(0, 0, 1, top - (0.14 + 0.16 * -(-len(entries) // columns)) / figure.get_figheight()))
    figure.legend(
        handles=list(entries),
        loc="upper center",
        bbox_to_anchor=(0.5, top),
        ncols=columns,
        frameon=False,
        fontsize=7.5,
        handlelength=1,
    )


def fitted(text: str, width: int, lines: int = 2) -> str:
    """A label on a few lines of what the font can show; a long one loses its end."""
    known = get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap()
    shown = "".join(sign if ord(sign) in known else "\N{REPLACEMENT CHARACTER}" for sign in one_line(text))
    whole = wrap(shown, width) or ["(no name)"]
    if len(whole) <= lines:
        return "\n".join(whole)
    return "\n".join([*whole[: lines - 1], " ".join(whole[lines - 1 :])[: width - 1].rstrip() + "…"])
