"""The figures of an experiment, drawn from plain numbers: one function a figure, named by what it shows.

Every function returns a matplotlib figure; `drawn` turns one into the bytes of a file. The same numbers give the same
bytes. Labels are text and never markup, and rows grow with their number, so nothing overlaps.
"""

from collections.abc import Callable, Sequence
from io import BytesIO
from textwrap import wrap
from typing import Any, NamedTuple

from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from algoworlds.analyse.terms import Term, minus
from algoworlds.tables import one_line

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
    "pdf.fonttype": 42,
    "svg.hashsalt": "algoworlds",
    "path.simplify": False,
}
_UNDATED: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
FORMATS = tuple(_UNDATED)

_WIDTH = 6.5  # inches: the text width of a paper
_ROW = 0.34
_AIR = 1.05  # inches for axis, legend and margins
_MARGIN = 0.1  # inches beside the drawing, since a page may show texts a little wider
_LABEL = 26  # characters on one line of a label

_DOT: dict[str, Any] = {"marker": "o", "markersize": 5.5, "color": TEAL}
_RING: dict[str, Any] = {"marker": "o", "markersize": 7.5, "color": BLUE, "markerfacecolor": PAPER, "markeredgewidth": 1.6}


class Rate(NamedTuple):
    """A configuration's percentage: the mean over trials, their sample SD if there are several, and each trial's."""

    label: str
    scripted: bool
    mean: float
    sd: float | None
    trials: tuple[float, ...]


class Split(NamedTuple):
    """Mean shares of a configuration's evaluations in percent; the first three had sufficient information."""

    label: str
    scripted: bool
    optimal: float
    suboptimal: float
    failed: float
    insufficient: float


class Pair(NamedTuple):
    """A configuration's exact-optimality rate and its information-sufficiency rate, in percent."""

    label: str
    scripted: bool
    exact: float
    sufficient: float


# -- files ----------------------------------------------------------------------------------------------------------------


def drawn(figure: Figure, form: str, text_as_paths: bool = True) -> bytes:
    """A figure as the bytes of an SVG, PDF or PNG file, without date or version."""
    out = BytesIO()
    with rc_context({**_STYLE, "svg.fonttype": "path" if text_as_paths else "none"}):
        figure.savefig(out, format=form, dpi=220, metadata=_UNDATED[form])
    return out.getvalue()


def _styled(draw: Callable[..., Figure]) -> Callable[..., Figure]:
    """Draw in the house style, whatever the process has set."""

    def styled(*arguments: Any) -> Figure:
        with rc_context(_STYLE):
            figure = draw(*arguments)
            figure.draw_without_rendering()  # lay it out once, the same for every format
            figure.set_layout_engine("none")
            return figure

    styled.__doc__, styled.__name__ = draw.__doc__, draw.__name__
    return styled


# -- figures --------------------------------------------------------------------------------------------------------------


@_styled
def exact_optimality_rates(rates: Sequence[Rate]) -> Figure:
    """Exact optimality by configuration: mean, spread of the trials and every trial."""
    rows = _ordered(rates, lambda each: each.mean)
    figure, axes = _canvas(len(rows))
    for at, each in enumerate(rows):
        colour = MUTED if each.scripted else TEAL
        axes.barh(at, each.mean, height=0.5, color=colour, alpha=0.22, linewidth=0)
        if each.sd:
            low, high = max(0.0, each.mean - each.sd), min(100.0, each.mean + each.sd)
            axes.plot([low, high], [at, at], color=colour, linewidth=1.4, solid_capstyle="butt")
        axes.plot(each.trials, [at + 0.34] * len(each.trials), "o", color=colour, markersize=2.6, alpha=0.75, clip_on=False)
        axes.plot(each.mean, at, "o", color=colour, markersize=5.5, clip_on=False)
        spread = "" if each.sd is None else f" ± {each.sd:.2f}"
        _margin_note(axes, at, _aligned(f"{each.mean:.2f}", 6) + spread, None if each.scripted else colour)
    _label_rows(axes, rows)
    note = "large dot: mean · line: ± sample SD of the trials · small dots: trials"
    _percent_axis(axes, "Exact optimality (%)", note, max(value for each in rows for value in (each.mean, *each.trials)))
    return figure


@_styled
def sufficiency_split(splits: Sequence[Split]) -> Figure:
    """What became of evaluations with sufficient information, and how many had too little."""
    rows = _ordered(splits, lambda each: each.optimal)
    figure, axes = _canvas(len(rows), head=True)
    kinds = (
        ("Globally optimal", "optimal", TEAL, PAPER),
        ("Feasible but suboptimal", "suboptimal", GOLD, ON_GOLD),
        ("Other failure", "failed", CORAL, PAPER),
        ("Information insufficient", "insufficient", REST, INK),
    )
    for at, each in enumerate(rows):
        left = 0.0
        for _, field, colour, ink in kinds:
            share = getattr(each, field)
            axes.barh(at, share, left=left, height=0.62, color=colour, edgecolor=PAPER, linewidth=0.8)
            if share >= 6:
                axes.text(left + share / 2, at, f"{share:.1f}", color=ink, ha="center", va="center", fontsize=7)
            left += share
    _label_rows(axes, rows)
    _percent_axis(axes, "Share of evaluations (%)", "the first three had sufficient information; shares under 6 % unlabelled")
    _legend(figure, [Patch(color=colour, label=title) for title, _, colour, _ in kinds])
    return figure


@_styled
def sufficiency_against_exactness(pairs: Sequence[Pair]) -> Figure:
    """Knowing enough beside deciding optimally, one line a configuration."""
    rows = _ordered(pairs, lambda each: each.exact)
    figure, axes = _canvas(len(rows), head=True)
    for at, each in enumerate(rows):
        axes.plot([each.exact, each.sufficient], [at, at], color=LINE, linewidth=2.2, zorder=1, clip_on=False)
        axes.plot(each.sufficient, at, **_RING, zorder=2, clip_on=False)
        axes.plot(each.exact, at, **_DOT, zorder=3, clip_on=False)
        exact_right = each.exact > each.sufficient
        _beside(axes, each.sufficient, at, f"{each.sufficient:.1f}", not exact_right, MUTED)
        _beside(axes, each.exact, at, f"{each.exact:.1f}", exact_right, INK)
    _label_rows(axes, rows)
    _percent_axis(axes, "Mean rate (%)", "two overall rates; neither is conditioned on the other")
    axes.set_xlim(-9, 109)  # room for the numbers outside the dots
    marks = ("Exact optimality", _DOT), ("Information sufficiency", _RING)
    _legend(figure, [Line2D([], [], label=label, linestyle="none", **mark) for label, mark in marks])
    return figure


@_styled
def objective_breakdown(title: str, terms: Sequence[Term], lower_is_better: bool) -> Figure:
    """One decision against the certified optimum, term by term; the last term is the objective itself."""
    figure, axes = _canvas(len(terms), head=True)
    known = [each.percent for each in terms if each.percent is not None]
    low, high = min([0.0, *known]), max([0.0, *known])
    span = (high - low) or 1.0
    for at, each in enumerate(terms):
        colour = MUTED if each.value == each.optimum else TEAL if each.better else CORAL
        size = each.percent or 0.0
        axes.barh(at, size, height=0.42, color=colour, alpha=0.85, linewidth=0)
        _beside(axes, size, at, each.change, size >= 0, colour, "bold")
        _margin_note(axes, at, minus(f"{each.value:,}  (optimum {each.optimum:,})"), None)
    axes.axvline(0, color=MUTED, linewidth=0.8, linestyle=(0, (3, 2)))
    axes.axhline(len(terms) - 1.5, color=LINE, linewidth=0.8)
    axes.set_xlim(low - (0.24 if low else 0.04) * span, high + 0.26 * span)
    _rows(axes, [_label(each.name.replace("_", " ").capitalize()) for each in terms])
    axes.get_yticklabels()[-1].set_fontweight("bold")
    axes.set_title(_label(title, 80, 2), loc="left", color=INK, fontweight="bold")
    better = "Lower is better" if lower_is_better else "Higher is better"
    axes.set_xlabel(f"Difference from the certified optimum (%). {better}; the bars share one scale.", fontsize=7.5)
    return figure


# -- parts of figures -----------------------------------------------------------------------------------------------------


def _ordered(rows: Sequence[Any], value: Callable[[Any], float]) -> list[Any]:
    """Models first, best first; scripted agents below them, as floor and ceiling."""
    return sorted(rows, key=lambda each: (each.scripted, -value(each), each.label))


def _canvas(rows: int, head: bool = False) -> tuple[Figure, Axes]:
    height = _ROW * rows + _AIR + (0.28 if head else 0.0)
    figure = Figure(figsize=(_WIDTH, height), layout=ConstrainedLayoutEngine(w_pad=_MARGIN))
    return figure, figure.add_subplot()


def _label_rows(axes: Axes, rows: Sequence[Any]) -> None:
    _rows(axes, [_label(each.label) for each in rows])
    for each, text in zip(rows, axes.get_yticklabels(), strict=True):
        text.set_color(MUTED if each.scripted else INK)
    models = sum(not each.scripted for each in rows)
    if 0 < models < len(rows):
        axes.axhline(models - 0.5, color=MUTED, linewidth=0.6, linestyle=(0, (1, 3)))


def _rows(axes: Axes, labels: Sequence[str]) -> None:
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.tick_params(length=0, pad=6)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_axisbelow(True)


def _percent_axis(axes: Axes, title: str, note: str, largest: float = 100.0) -> None:
    """Percent from zero to the first multiple of twenty that holds everything."""
    end = min(100, 20 * (1 + int(largest // 20)))
    axes.set_xlim(0, end)
    axes.set_xticks(range(0, end + 1, 20 if end > 40 else 10))
    axes.grid(axis="x", color=LINE, linewidth=0.6)
    axes.set_xlabel(f"{title}\n{note}", fontsize=7.5, linespacing=1.5)


def _margin_note(axes: Axes, at: int, text: str, colour: str | None) -> None:
    """A number in the right margin, where no mark can touch it."""
    transform = axes.get_yaxis_transform()
    axes.text(1.025, at, text, transform=transform, va="center", fontsize=7.5, color=colour or MUTED)


def _beside(axes: Axes, x: float, y: float, text: str, right: bool, colour: str, weight: str = "normal") -> None:
    """A number next to a mark, on the side where nothing else is."""
    axes.annotate(
        text,
        (x, y),
        xytext=(6 if right else -6, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="center",
        fontsize=7.5,
        color=colour,
        fontweight=weight,
        annotation_clip=False,
    )


def _aligned(number: str, width: int) -> str:
    """A number right-aligned by spaces as wide as digits."""
    return number.rjust(width, "\N{FIGURE SPACE}")


def _legend(figure: Figure, entries: Sequence[Artist]) -> None:
    figure.legend(
        handles=list(entries), loc="outside upper center", ncols=len(entries), frameon=False, fontsize=7.5, handlelength=1
    )


def _label(text: str, width: int = _LABEL, lines: int = 2) -> str:
    """A label on a few lines of what the font can show; a long one loses its end."""
    known = get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap()
    shown = "".join(sign if ord(sign) in known else "\N{REPLACEMENT CHARACTER}" for sign in one_line(text))
    whole = wrap(shown, width) or ["(no name)"]
    if len(whole) <= lines:
        return "\n".join(whole)
    return "\n".join([*whole[: lines - 1], " ".join(whole[lines - 1 :])[: width - 1].rstrip() + "…"])
