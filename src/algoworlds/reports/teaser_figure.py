"""The teaser of the paper in three panels: rates of exact optimality, what sufficient information leads to, one example.

Panels are drawn by hand, in inches from their top left corner; they have no axes.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algoworlds.reports import figure_style as style
from algoworlds.reports.decision_comparison import Term, with_minus_sign
from algoworlds.reports.figures import ConfigurationRate

_TEXT, _SMALL, _STRIP_WIDTH = 6.2, 5.7, 5.0  # points
_LINE_HEIGHT, _TOP, _GAP = 0.155, 0.1, 0.22  # inches: a line of text, above the panels, between them


class SufficiencyCounts(NamedTuple):
    """Evaluations of a configuration: all, those with sufficient information, and how these end."""

    label: str
    evaluations: int
    sufficient: int
    optimal: int
    suboptimal: int

    @property
    def failures(self) -> int:
        """Evaluations with sufficient information but no feasible decision."""
        return self.sufficient - self.optimal - self.suboptimal


class ExampleDecision(NamedTuple):
    """A feasible decision that misses the optimum; its last term is the objective."""

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


@style.house_style
def teaser(
    rates: Sequence[ConfigurationRate],
    counts: SufficiencyCounts,
    example: ExampleDecision,
    size: style.FigureSize = style.PRINT_SIZE,
) -> Figure:
    """Three panels, side by side in print."""
    models = [rate for rate in rates if not rate.scripted] or list(rates)
    panels = [
        _Panel(1.85, 0.66 + 0.24 * len(models), lambda axes, width: _draw_rates(axes, models, width)),
        _Panel(2.0, 1.85, lambda axes, width: _draw_split(axes, counts, width)),
        _Panel(2.05, 1.72 + 0.2 * len(example.terms), lambda axes, width: _draw_example(axes, example, width)),
    ]
    in_row = size is style.PRINT_SIZE
    if not in_row:
        panels = [panel._replace(width=size.width - 2 * _GAP) for panel in panels]
    height = _TOP + (max(panel.height for panel in panels) if in_row else sum(panel.height + _GAP for panel in panels))
    figure = Figure(figsize=(size.width, height))
    x, y = 0.1, _TOP
    for panel in panels:
        panel.draw(_add_panel(figure, size, x, y, panel), panel.width)
        x, y = (x + panel.width + _GAP, y) if in_row else (x, y + panel.height + _GAP)
    return figure


def _add_panel(figure: Figure, size: style.FigureSize, x: float, y: float, panel: _Panel) -> Axes:
    """Empty axes for `panel` at (`x`, `y`), scaled in inches from the top left corner."""
    height = figure.get_figheight()
    axes = figure.add_axes((x / size.width, 1 - (y + panel.height) / height, panel.width / size.width, panel.height / height))
    axes.set_axis_off()
    axes.set_xlim(0, panel.width)
    axes.set_ylim(panel.height, 0)
    return axes


def _add_text(axes: Axes, x: float, y: float, text: str, size: float = _TEXT, colour: str = style.INK, **more: Any) -> None:
    axes.text(x, y, text, fontsize=size, color=colour, va="top", **more)


def _heading(axes: Axes, title: str, about: str) -> None:
    _add_text(axes, 0, 0, title, 7.6, fontweight="bold")
    _add_text(axes, 0, 0.17, about, colour=style.MUTED)


# -- (a) rates ------------------------------------------------------------------------------------------------------------


def _draw_rates(axes: Axes, rates: Sequence[ConfigurationRate], width: float) -> None:
    _heading(axes, "(a) Exact-optimality rates", "Exact optimality (%)")
    left, right = 0.45 * width, width - 0.34
    scale = (right - left) / max(20.0, *(rate.mean for rate in rates))
    best = max(rate.mean for rate in rates)
    for row, rate in enumerate(rates):
        y, is_best = 0.5 + 0.24 * row, rate.mean == best
        colour, weight = (style.TEAL, "bold") if is_best else (style.BLUE, "normal")
        name = style.fit_label(rate.label, round(left / 0.062), 1)
        axes.text(left - 0.07, y, name, fontsize=_SMALL, color=style.INK, ha="right", va="center", fontweight=weight)
        axes.plot([left, left + scale * rate.mean], [y, y], color=colour if is_best else style.LINE, linewidth=1.2, alpha=0.7)
        axes.plot(left + scale * rate.mean, y, "o", color=colour, markersize=3.4)
        number = f"{rate.mean:.2f}"
        axes.text(left + scale * rate.mean + 0.05, y, number, fontsize=_TEXT, color=style.INK, va="center", fontweight=weight)


# -- (b) what sufficient information led to -------------------------------------------------------------------------------


def _draw_split(axes: Axes, counts: SufficiencyCounts, width: float) -> None:
    about = f"{style.fit_label(counts.label, 22, 1)}, n = {counts.evaluations:,}"
    _heading(axes, "(b) Information sufficiency", about)
    missing = counts.evaluations - counts.sufficient
    first = (("Sufficient", counts.sufficient, style.TEAL), ("Not sufficient", missing, style.CORAL))
    _draw_strip(axes, 0.46, width, first)
    _add_text(
        axes, 0, 0.9, f"Of those with sufficient information, n = {counts.sufficient:,}:", _SMALL, style.MUTED, style="italic"
    )
    second = (
        ("Globally optimal", counts.optimal, style.TEAL),
        ("Feasible but suboptimal", counts.suboptimal, style.GOLD),
        ("Other failure", counts.failures, style.CORAL),
    )
    _draw_strip(axes, 1.12, width, second)


def _draw_strip(axes: Axes, y: float, width: float, shares: Sequence[tuple[str, int, str]]) -> None:
    """A bar of shares, and below it one line per share with percentage and count."""
    total = sum(count for _, count, _ in shares)
    left = 0.0
    for position, (name, count, colour) in enumerate(shares):
        share = count / total if total else 0.0
        if count:
            axes.plot([left, left + share * width], [y, y], color=colour, linewidth=_STRIP_WIDTH, solid_capstyle="butt")
        left += share * width
        line = y + 0.09 + _LINE_HEIGHT * position
        axes.plot(0.04, line + 0.05, "o", color=colour, markersize=3)
        _add_text(axes, 0.12, line, f"{name} {100 * share:.2f} % ({count:,})")


# -- (c) one evaluation ---------------------------------------------------------------------------------------------------


def _draw_example(axes: Axes, example: ExampleDecision, width: float) -> None:
    _heading(axes, "(c) One evaluation", style.fit_label(f"{example.label} on {example.title}", 38, 1))
    objective = example.terms[-1]
    worse = "above" if example.lower_is_better else "below"
    gap = objective.change_text if objective.percent_change is None else f"{abs(objective.percent_change):,.1f} % {worse}"
    steps = (
        ("Gather\ninformation", "sufficient" if example.informed else "insufficient", style.BLUE),
        ("Final\ndecision", f"feasible,\n{example.entries} entries", style.GOLD),
        ("Exact\ncomparison", f"{gap}\nthe optimum", style.TEAL),
    )
    _draw_steps(axes, width, steps)
    _add_text(axes, 0, 1.12, "Differences from the certified optimum", fontweight="bold")
    better = "Lower" if example.lower_is_better else "Higher"
    _add_text(axes, 0, 1.27, f"{better} is better. One percentage scale.", _SMALL, style.MUTED, style="italic")
    _draw_bars(axes, example.terms, width)


def _draw_steps(axes: Axes, width: float, steps: Sequence[tuple[str, str, str]]) -> None:
    """Three steps connected by arrows, each with its result."""
    centres = [width * (2 * step + 1) / 6 for step in range(3)]
    for start, end in pairwise(centres):
        arrow = {"arrowstyle": "-|>", "color": style.LINE, "shrinkA": 3, "shrinkB": 3, "mutation_scale": 6}
        axes.annotate("", (end, 0.44), (start, 0.44), arrowprops=arrow)
    for x, (name, result, colour) in zip(centres, steps, strict=True):
        axes.plot(x, 0.44, "o", color=colour, markersize=4)
        _add_text(axes, x, 0.52, name, _SMALL, ha="center", fontweight="bold", linespacing=1.1)
        _add_text(axes, x, 0.76, result, _SMALL, style.MUTED, ha="center", linespacing=1.1)


def _draw_bars(axes: Axes, terms: Sequence[Term], width: float) -> None:
    left, right = 0.42 * width, width - 0.46
    shares = [term.percent_change or 0.0 for term in terms]
    low, high = min(0.0, *shares), max(0.0, *shares)
    scale = (right - left) / ((high - low) or 1.0)
    zero = left - scale * low
    axes.plot([zero, zero], [1.44, 1.48 + 0.2 * len(terms)], color=style.MUTED, linewidth=0.6, linestyle=(0, (3, 2)))
    for row, (term, share) in enumerate(zip(terms, shares, strict=True)):
        y = 1.54 + 0.2 * row
        colour = style.MUTED if term.value == term.optimum else style.TEAL if term.is_better else style.CORAL
        name = style.fit_label(term.name.replace("_", " ").capitalize(), 14, 1)
        axes.text(left - 0.06, y, name, fontsize=_SMALL, color=style.INK, ha="right", va="center")
        axes.plot([zero, zero + scale * share], [y, y], color=colour, linewidth=2.4, solid_capstyle="butt")
        change = term.change_text if len(term.change_text) < 10 else with_minus_sign(f"{term.value - term.optimum:+.1e}")
        axes.text(right + 0.05, y, change, fontsize=_SMALL, color=colour, va="center", fontweight="bold")
