"""The paper's teaser in three panels: how often the optimum is found, what sufficient information leads to, one example.

Each panel is drawn by hand in inches, its top left corner being (0, 0): nothing in it is an axis.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algoworlds.reports.drawing import BLUE, CORAL, GOLD, INK, LINE, MUTED, PRINT, TEAL, Size, fitted, styled
from algoworlds.reports.figures import Rate
from algoworlds.reports.terms import Term, minus

_TEXT, _SMALL = 6.2, 5.7  # points
_LINE_HEIGHT = 0.155  # inches
_TOP = 0.1  # inches above the panels
_GAP = 0.22  # inches between panels
_STRIP = 5.0  # points


class Informed(NamedTuple):
    """How the evaluations of a configuration split: all, those with sufficient information, and how these end."""

    label: str
    evaluations: int
    sufficient: int
    optimal: int
    suboptimal: int

    @property
    def failed(self) -> int:
        """Informed evaluations without a feasible decision."""
        return self.sufficient - self.optimal - self.suboptimal


class Exemplar(NamedTuple):
    """One feasible decision that misses the optimum: whose, where, of how many entries, and its terms; the objective last."""

    label: str
    title: str
    informed: bool
    entries: int
    terms: Sequence[Term]
    lower_is_better: bool


class _Panel(NamedTuple):
    width: float
    height: float
    draw: Callable[[Axes, float], None]


@styled
def teaser(rates: Sequence[Rate], informed: Informed, exemplar: Exemplar, size: Size = PRINT) -> Figure:
    """Three panels, side by side where there is room."""
    shown = [each for each in rates if not each.scripted] or list(rates)
    panels = [
        _Panel(1.85, 0.66 + 0.24 * len(shown), lambda axes, width: _rates(axes, shown, width)),
        _Panel(2.0, 1.85, lambda axes, width: _split(axes, informed, width)),
        _Panel(2.05, 1.72 + 0.2 * len(exemplar.terms), lambda axes, width: _example(axes, exemplar, width)),
    ]
    if size is not PRINT:
        panels = [each._replace(width=size.width - 2 * _GAP) for each in panels]
    beside = size is PRINT
    height = _TOP + (max(each.height for each in panels) if beside else sum(each.height + _GAP for each in panels))
    figure = Figure(figsize=(size.width, height))
    x, y = 0.1, _TOP
    for each in panels:
        each.draw(_paper(figure, size, x, y, each), each.width)
        x, y = (x + each.width + _GAP, y) if beside else (x, y + each.height + _GAP)
    return figure


def _paper(figure: Figure, size: Size, x: float, y: float, panel: _Panel) -> Axes:
    """An empty panel, in inches from its top left corner."""
    tall = figure.get_figheight()
    place = (x / size.width, 1 - (y + panel.height) / tall, panel.width / size.width, panel.height / tall)
    axes = figure.add_axes(place)
    axes.set_axis_off()
    axes.set_xlim(0, panel.width)
    axes.set_ylim(panel.height, 0)
    return axes


def _say(axes: Axes, x: float, y: float, text: str, size: float = _TEXT, colour: str = INK, **more: Any) -> None:
    axes.text(x, y, text, fontsize=size, color=colour, va="top", **more)


def _heading(axes: Axes, title: str, about: str) -> None:
    _say(axes, 0, 0, title, 7.6, fontweight="bold")
    _say(axes, 0, 0.17, about, colour=MUTED)


# -- (a) rates ------------------------------------------------------------------------------------------------------------


def _rates(axes: Axes, rates: Sequence[Rate], width: float) -> None:
    _heading(axes, "(a) Exact-optimality rates", "Exact optimality (%)")
    left, right = 0.45 * width, width - 0.34
    scale = (right - left) / max(20.0, *(each.mean for each in rates))
    best = max(each.mean for each in rates)
    for at, each in enumerate(rates):
        y, leads = 0.5 + 0.24 * at, each.mean == best
        colour, weight = (TEAL, "bold") if leads else (BLUE, "normal")
        name = fitted(each.label, round(left / 0.062), 1)
        axes.text(left - 0.07, y, name, fontsize=_SMALL, color=INK, ha="right", va="center", fontweight=weight)
        axes.plot([left, left + scale * each.mean], [y, y], color=colour if leads else LINE, linewidth=1.2, alpha=0.7)
        axes.plot(left + scale * each.mean, y, "o", color=colour, markersize=3.4)
        number = f"{each.mean:.2f}"
        axes.text(left + scale * each.mean + 0.05, y, number, fontsize=_TEXT, color=INK, va="center", fontweight=weight)


# -- (b) what sufficient information led to -------------------------------------------------------------------------------


def _split(axes: Axes, informed: Informed, width: float) -> None:
    about = f"{fitted(informed.label, 22, 1)}, n = {informed.evaluations:,}"
    _heading(axes, "(b) Information sufficiency", about)
    missing = informed.evaluations - informed.sufficient
    first = (("Sufficient", informed.sufficient, TEAL), ("Not sufficient", missing, CORAL))
    _strip(axes, 0.46, width, first)
    _say(axes, 0, 0.9, f"Of those with sufficient information, n = {informed.sufficient:,}:", _SMALL, MUTED, style="italic")
    second = (
        ("Globally optimal", informed.optimal, TEAL),
        ("Feasible but suboptimal", informed.suboptimal, GOLD),
        ("Other failure", informed.failed, CORAL),
    )
    _strip(axes, 1.12, width, second)


def _strip(axes: Axes, y: float, width: float, shares: Sequence[tuple[str, int, str]]) -> None:
    """One bar of shares and a line for each, with its percentage and its count."""
    whole = sum(count for _, count, _ in shares)
    at = 0.0
    for place, (name, count, colour) in enumerate(shares):
        share = count / whole if whole else 0.0
        if count:
            axes.plot([at, at + share * width], [y, y], color=colour, linewidth=_STRIP, solid_capstyle="butt")
        at += share * width
        line = y + 0.09 + _LINE_HEIGHT * place
        axes.plot(0.04, line + 0.05, "o", color=colour, markersize=3)
        _say(axes, 0.12, line, f"{name} {100 * share:.2f} % ({count:,})")


# -- (c) one evaluation ---------------------------------------------------------------------------------------------------


def _example(axes: Axes, exemplar: Exemplar, width: float) -> None:
    _heading(axes, "(c) One evaluation", fitted(f"{exemplar.label} on {exemplar.title}", 38, 1))
    whole = exemplar.terms[-1]
    told = "sufficient" if exemplar.informed else "insufficient"
    worse = "above" if exemplar.lower_is_better else "below"
    gap = whole.change if whole.percent is None else f"{abs(whole.percent):,.1f} % {worse}"
    steps = (
        ("Gather\ninformation", told, BLUE),
        ("Final\ndecision", f"feasible,\n{exemplar.entries} entries", GOLD),
        ("Exact\ncomparison", f"{gap}\nthe optimum", TEAL),
    )
    _steps(axes, width, steps)
    _say(axes, 0, 1.12, "Differences from the certified optimum", fontweight="bold")
    better = "Lower" if exemplar.lower_is_better else "Higher"
    _say(axes, 0, 1.27, f"{better} is better. One percentage scale.", _SMALL, MUTED, style="italic")
    _bars(axes, exemplar.terms, width)


def _steps(axes: Axes, width: float, steps: Sequence[tuple[str, str, str]]) -> None:
    """A strip of three steps, each with what came of it."""
    places = [width * (2 * at + 1) / 6 for at in range(3)]
    for one, other in pairwise(places):
        arrow = {"arrowstyle": "-|>", "color": LINE, "shrinkA": 3, "shrinkB": 3, "mutation_scale": 6}
        axes.annotate("", (other, 0.44), (one, 0.44), arrowprops=arrow)
    for x, (name, told, colour) in zip(places, steps, strict=True):
        axes.plot(x, 0.44, "o", color=colour, markersize=4)
        _say(axes, x, 0.52, name, _SMALL, ha="center", fontweight="bold", linespacing=1.1)
        _say(axes, x, 0.76, told, _SMALL, MUTED, ha="center", linespacing=1.1)


def _bars(axes: Axes, terms: Sequence[Term], width: float) -> None:
    left, right = 0.42 * width, width - 0.46
    shares = [each.percent or 0.0 for each in terms]
    low, high = min(0.0, *shares), max(0.0, *shares)
    scale = (right - left) / ((high - low) or 1.0)
    zero = left - scale * low
    axes.plot([zero, zero], [1.44, 1.48 + 0.2 * len(terms)], color=MUTED, linewidth=0.6, linestyle=(0, (3, 2)))
    for at, (each, share) in enumerate(zip(terms, shares, strict=True)):
        y = 1.54 + 0.2 * at
        colour = MUTED if each.value == each.optimum else TEAL if each.better else CORAL
        name = fitted(each.name.replace("_", " ").capitalize(), 14, 1)
        axes.text(left - 0.06, y, name, fontsize=_SMALL, color=INK, ha="right", va="center")
        axes.plot([zero, zero + scale * share], [y, y], color=colour, linewidth=2.4, solid_capstyle="butt")
        change = each.change if len(each.change) < 10 else minus(f"{each.value - each.optimum:+.1e}")
        axes.text(right + 0.05, y, change, fontsize=_SMALL, color=colour, va="center", fontweight="bold")
