"""The figures of an experiment, drawn from plain numbers: one function a figure, named by what it shows."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from algoworlds.reports.drawing import (
    BLUE,
    CORAL,
    GOLD,
    INK,
    LINE,
    MUTED,
    ON_GOLD,
    PAPER,
    PHONE,
    PRINT,
    REST,
    TEAL,
    Size,
    aligned,
    beside,
    canvas,
    fitted,
    foot,
    label_rows,
    legend,
    margin_note,
    ordered,
    panels,
    percent_axis,
    set_rows,
    styled,
)
from algoworlds.reports.terms import Term, minus

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
    """Two rates of a configuration, in percent."""

    label: str
    scripted: bool
    first: float
    second: float


class Levels(NamedTuple):
    """A configuration's rate of exact optimality by workload level, in percent."""

    label: str
    scripted: bool
    rates: tuple[tuple[int, float], ...]


class Course(NamedTuple):
    """What the optimum risked by shares of the budget: the median of a configuration at a level, None where it is infinite.

    `hindsight` has the least that the same spend can reach, where a suite states it.
    """

    label: str
    scripted: bool
    level: int
    risks: tuple[float | None, ...]
    hindsight: tuple[float | None, ...] = ()


# -- figures --------------------------------------------------------------------------------------------------------------


@styled
def exact_optimality_rates(rates: Sequence[Rate], size: Size = PRINT) -> Figure:
    """Exact optimality by configuration: mean, spread of the trials and every trial."""
    rows = ordered(rates)
    figure, axes = canvas(size, len(rows), "Exact optimality")
    for at, each in enumerate(rows):
        colour = MUTED if each.scripted else TEAL
        axes.barh(at, each.mean, height=0.5, color=colour, alpha=0.22, linewidth=0)
        if each.sd:
            low, high = max(0.0, each.mean - each.sd), min(100.0, each.mean + each.sd)
            axes.plot([low, high], [at, at], color=colour, linewidth=1.4, solid_capstyle="butt")
        axes.plot(each.trials, [at + 0.34] * len(each.trials), "o", color=colour, markersize=2.6, alpha=0.75, clip_on=False)
        axes.plot(each.mean, at, "o", color=colour, markersize=5.5, clip_on=False)
        spread = "" if each.sd is None else f" ± {each.sd:.2f}"
        margin_note(axes, at, aligned(f"{each.mean:.2f}", 6) + spread, colour)
    label_rows(axes, rows, size)
    note = "large dot: mean · line: ± sample SD of the trials · small dots: trials"
    percent_axis(
        figure, axes, "Exact optimality (%)", note, size, max(value for each in rows for value in (each.mean, *each.trials))
    )
    return figure


@styled
def sufficiency_split(splits: Sequence[Split], size: Size = PRINT) -> Figure:
    """What became of evaluations with sufficient information, and how many had too little."""
    rows = ordered(splits)
    figure, axes = canvas(size, len(rows), "What became of sufficient information", legend=True)
    kinds = (
        ("Globally optimal", "optimal", TEAL, PAPER),
        ("Feasible but suboptimal", "suboptimal", GOLD, ON_GOLD),
        ("Other failure", "failed", CORAL, PAPER),
        ("Information insufficient", "insufficient", REST, INK),
    )
    least = round(40 / size.width)  # percent that leave room for a number
    for at, each in enumerate(rows):
        left = 0.0
        for _, field, colour, ink in kinds:
            share = getattr(each, field)
            axes.barh(at, share, left=left, height=0.62, color=colour, edgecolor=PAPER, linewidth=0.8)
            if share >= least:
                axes.text(left + share / 2, at, f"{share:.1f}", color=ink, ha="center", va="center", fontsize=7)
            left += share
    label_rows(axes, rows, size)
    note = f"the first three had sufficient information; shares under {least} % unlabelled"
    percent_axis(figure, axes, "Share of evaluations (%)", note, size)
    legend(figure, size, [Patch(color=colour, label=title) for title, _, colour, _ in kinds])
    return figure


@styled
def sufficiency_against_exactness(pairs: Sequence[Pair], size: Size = PRINT) -> Figure:
    """Knowing enough beside deciding optimally, one line a configuration."""
    names = "Exact optimality", "Information sufficiency"
    note = "two overall rates; neither is conditioned on the other"
    return _dumbbells(pairs, size, "Knowing enough and deciding optimally", names, note)


@styled
def interface_rates(pairs: Sequence[Pair], size: Size = PRINT) -> Figure:
    """Exact optimality of the same instances through two interfaces, one line a configuration."""
    note = "exact optimality of the same instances, seen through either interface"
    return _dumbbells(pairs, size, "Exact optimality by interface", ("Direct", "Mediated"), note)


def _dumbbells(pairs: Sequence[Pair], size: Size, title: str, names: tuple[str, str], note: str) -> Figure:
    """Two rates a configuration on one line."""
    rows = ordered(pairs)
    figure, axes = canvas(size, len(rows), title, legend=True)
    for at, each in enumerate(rows):
        axes.plot([each.first, each.second], [at, at], color=LINE, linewidth=2.2, zorder=1, clip_on=False)
        axes.plot(each.second, at, **_RING, zorder=2, clip_on=False)
        axes.plot(each.first, at, **_DOT, zorder=3, clip_on=False)
        first_right = each.first > each.second
        beside(axes, each.second, at, f"{each.second:.1f}", not first_right, MUTED)
        beside(axes, each.first, at, f"{each.first:.1f}", first_right, INK)
    label_rows(axes, rows, size)
    percent_axis(figure, axes, "Mean rate (%)", note, size)
    room = 60 / size.width  # for the numbers outside the dots
    axes.set_xlim(-room, 100 + room)
    marks = zip(names, (_DOT, _RING), strict=True)
    legend(figure, size, [Line2D([], [], label=label, linestyle="none", **mark) for label, mark in marks])
    return figure


@styled
def workload_levels(lines: Sequence[Levels], size: Size = PRINT) -> Figure:
    """Exact optimality by workload level: one panel a configuration, with all others behind it."""
    rows = ordered(lines)
    figure, drawn = panels(size, len(rows), "Exact optimality by workload level")
    levels = sorted({level for each in rows for level, _ in each.rates})
    for axes, own in zip(drawn, rows, strict=True):
        for each in rows:
            axes.plot(*zip(*each.rates, strict=True), color=LINE, linewidth=0.9)
        colour = MUTED if own.scripted else TEAL
        axes.plot(*zip(*own.rates, strict=True), color=colour, linewidth=1.6, marker="o", markersize=3.5, clip_on=False)
        _level_axes(axes, levels)
        axes.annotate(fitted(own.label, size.label, 1), (0, 1.04), xycoords="axes fraction", va="bottom", fontsize=7.5)
    foot(figure, size, "Exact optimality (%) by workload level", "grey: all other configurations")
    marks = (
        Line2D([], [], color=TEAL, marker="o", markersize=3.5, label="configuration"),
        Line2D([], [], color=LINE, label="others"),
    )
    legend(figure, size, marks)
    return figure


def _level_axes(axes: Axes, levels: Sequence[int]) -> None:
    axes.set_xticks(levels, [f"L{level}" for level in levels])
    axes.set_xlim(levels[0] - 0.25, levels[-1] + 0.25)
    axes.set_ylim(0, 100)
    axes.set_yticks([0, 50, 100])
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="y", color=LINE, linewidth=0.6)


@styled
def information_prices(courses: Sequence[Course], size: Size = PRINT) -> Figure:
    """What was still risked after how much of the budget: one panel a configuration, one line a level."""
    rows = ordered(courses)
    labels, levels = list(dict.fromkeys(each.label for each in rows)), sorted({each.level for each in rows})
    figure, drawn = panels(size, len(labels), "The price of information")
    shade = {level: 0.35 + 0.65 * (at + 1) / len(levels) for at, level in enumerate(levels)}
    for each in rows:
        axes, colour = drawn[labels.index(each.label)], MUTED if each.scripted else TEAL
        for risks, style in ((each.risks, "-"), (each.hindsight, ":")):
            _stepped(axes, risks, color=colour, alpha=shade[each.level], linestyle=style)
    for axes, label in zip(drawn, labels, strict=True):
        _price_axes(axes)
        axes.annotate(fitted(label, size.label, 1), (0, 1.04), xycoords="axes fraction", va="bottom", fontsize=7.5)
    foot(figure, size, "Spend (% of the budget) against worst regret of the optimum (reference gaps)", _PRICE_NOTE)
    legend(figure, size, [Line2D([], [], color=TEAL, alpha=shade[level], label=f"L{level}") for level in levels])
    return figure


_PRICE_NOTE = "medians of trajectories; nothing is drawn while the optimum may be infeasible; 0: it is determined"


def _stepped(axes: Axes, risks: Sequence[float | None], **style: Any) -> None:
    """A line that stays where it is until the next part of the budget is spent."""
    if risks:
        shares = [100 * at / (len(risks) - 1) for at in range(len(risks))]
        heights = [math.nan if risk is None else risk for risk in risks]
        axes.plot(shares, heights, drawstyle="steps-post", linewidth=1.4, **style)


def _price_axes(axes: Axes) -> None:
    """Shares of the budget to the right, regret upwards: even below a tenth of a gap, in powers of ten above it."""
    axes.set_yscale("symlog", linthresh=0.1)
    axes.set_yticks([0, 0.1, 1, 10], ["0", "0.1", "1", "10"])
    axes.minorticks_off()
    axes.set_ylim(-0.02, 60)
    axes.set_xlim(0, 100)
    axes.set_xticks([0, 50, 100])
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="y", color=LINE, linewidth=0.6)


@styled
def objective_breakdown(title: str, terms: Sequence[Term], lower_is_better: bool, size: Size = PRINT) -> Figure:
    """One decision against the certified optimum, term by term; the last term is the objective itself."""
    figure, axes = canvas(size, len(terms), title)
    for at, each in enumerate(terms):
        colour = MUTED if each.value == each.optimum else TEAL if each.better else CORAL
        axes.barh(at, each.percent or 0.0, height=0.42, color=colour, alpha=0.85, linewidth=0)
        margin_note(axes, at, each.change, colour, "bold")
    axes.axvline(0, color=MUTED, linewidth=0.8, linestyle=(0, (3, 2)))
    axes.axhline(len(terms) - 1.5, color=LINE, linewidth=0.8)
    axes.margins(x=0.04)
    axes.xaxis.set_major_locator(MaxNLocator(3 if size is PHONE else 7))
    axes.xaxis.set_major_formatter(lambda value, _: minus(f"{value:,.4g}"))
    set_rows(axes, [_term_label(each, size) for each in terms])
    axes.get_yticklabels()[-1].set_fontweight("bold")
    better = "lower is better" if lower_is_better else "higher is better"
    foot(figure, size, f"Difference from the certified optimum (%), {better}", "under each name: decision (optimum)")
    return figure


def _term_label(term: Term, size: Size) -> str:
    name = fitted(term.name.replace("_", " ").capitalize(), size.label, 1)
    return minus(f"{name}\n{term.value:,} ({term.optimum:,})")
