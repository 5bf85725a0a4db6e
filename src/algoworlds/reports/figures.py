"""The figures of a report and of an attack run, drawn from plain numbers: one function per figure."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from algoworlds.families import load_family
from algoworlds.reports import figure_style as style
from algoworlds.reports.decision_comparison import Term, with_minus_sign
from algoworlds.suites.attack.summary import HardnessSummary

_LEVEL_COLOURS = {0: style.MUTED, 1: style.BLUE, 2: style.TEAL, 3: style.GOLD, 4: style.CORAL}
_LEVEL_MARKERS = {0: ".", 1: "o", 2: "s", 3: "^", 4: "D"}
_ATTACK_COLUMNS = 2


@style.house_style
def exact_over_evaluations(summaries: Sequence[HardnessSummary], size: style.FigureSize = style.PRINT_SIZE) -> Figure:
    """Percent of instances that the best attacker solves, over evaluations, by family and level."""
    names = list(dict.fromkeys(summary.family for summary in summaries))
    rows = -(-len(names) // _ATTACK_COLUMNS)
    figure = Figure(figsize=(size.width, 1.5 * rows + 0.9), layout=ConstrainedLayoutEngine())
    grid: Any = figure.subplots(rows, _ATTACK_COLUMNS, squeeze=False, sharex=True, sharey=True)
    for axes, name in zip(grid.flat, names, strict=False):
        _draw_family(axes, name, [summary for summary in summaries if summary.family == name])
    for axes in grid.flat[len(names) :]:
        axes.set_visible(False)
    entries = [
        Line2D([], [], label=f"level {level}", **_level_line(level))
        for level in sorted({summary.level for summary in summaries})
    ]
    style.add_legend(figure, size, entries)
    axis = "evaluations of the best attacker (logarithmic), percent of instances solved"
    style.add_footer(figure, size, axis, "dotted: half of the instances")
    return figure


def _level_line(level: int) -> dict[str, Any]:
    return {"color": _LEVEL_COLOURS[level], "marker": _LEVEL_MARKERS[level], "markersize": 3.5, "linewidth": 1.3}


def _draw_family(axes: Any, name: str, summaries: Sequence[HardnessSummary]) -> None:
    axes.set_title(load_family(name).title)
    axes.set_xscale("log")
    ends = [10**power for power in range(1, 7) if 10**power <= summaries[0].budgets[-1]]
    axes.set_xticks(ends, [f"{end:,}" for end in ends])  # the default labels of a log scale are markup
    axes.tick_params(axis="x", which="both", labelbottom=True)
    axes.minorticks_off()
    axes.set_ylim(-4, 104)
    axes.set_yticks((0, 50, 100))
    axes.axhline(50, color=style.MUTED, linewidth=0.6, linestyle=(0, (1, 3)))
    axes.grid(axis="x", color=style.LINE, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    for summary in summaries:
        axes.plot(*zip(*summary.curve, strict=True), **_level_line(summary.level))


_DOT: dict[str, Any] = {"marker": "o", "markersize": 5.5, "color": style.TEAL}
_RING: dict[str, Any] = {
    "marker": "o",
    "markersize": 7.5,
    "color": style.BLUE,
    "markerfacecolor": style.PAPER,
    "markeredgewidth": 1.6,
}


class ConfigurationRate(NamedTuple):
    """The percentage of a configuration: mean over trials, sample SD (None for one trial) and the values of all trials."""

    label: str
    scripted: bool
    mean: float
    sd: float | None
    trials: tuple[float, ...]


class SufficiencySplit(NamedTuple):
    """Mean shares of the evaluations of a configuration, in percent; the first three had sufficient information."""

    label: str
    scripted: bool
    optimal: float
    suboptimal: float
    failed: float
    insufficient: float


class RatePair(NamedTuple):
    """Two rates of a configuration, in percent."""

    label: str
    scripted: bool
    first: float
    second: float


class LevelRates(NamedTuple):
    """Exact optimality of a configuration by workload level, in percent."""

    label: str
    scripted: bool
    rates: tuple[tuple[int, float], ...]


class RiskCurve(NamedTuple):
    """The median risk of the optimum by share of the budget, for a configuration and a level; None where it is infinite.

    `hindsight` is the least risk that the same spend can reach, where a suite states it.
    """

    label: str
    scripted: bool
    level: int
    risks: tuple[float | None, ...]
    hindsight: tuple[float | None, ...] = ()


# -- figures --------------------------------------------------------------------------------------------------------------


@style.house_style
def exact_optimality_rates(rates: Sequence[ConfigurationRate], size: style.FigureSize = style.PRINT_SIZE) -> Figure:
    """Exact optimality by configuration: mean, standard deviation and all trials."""
    rows = style.scripted_last(rates)
    figure, axes = style.row_figure(size, len(rows), "Exact optimality")
    for position, row in enumerate(rows):
        colour = style.MUTED if row.scripted else style.TEAL
        axes.barh(position, row.mean, height=0.5, color=colour, alpha=0.22, linewidth=0)
        if row.sd:
            low, high = max(0.0, row.mean - row.sd), min(100.0, row.mean + row.sd)
            axes.plot([low, high], [position, position], color=colour, linewidth=1.4, solid_capstyle="butt")
        axes.plot(row.trials, [position + 0.34] * len(row.trials), "o", color=colour, markersize=2.6, alpha=0.75, clip_on=False)
        axes.plot(row.mean, position, "o", color=colour, markersize=5.5, clip_on=False)
        spread = "" if row.sd is None else f" ± {row.sd:.2f}"
        style.add_margin_note(axes, position, style.align_right(f"{row.mean:.2f}", 6) + spread, colour)
    style.label_rows(axes, rows, size)
    note = "large dot: mean · line: ± sample SD of the trials · small dots: trials"
    style.set_percent_axis(
        figure, axes, "Exact optimality (%)", note, size, max(value for row in rows for value in (row.mean, *row.trials))
    )
    return figure


@style.house_style
def sufficiency_split(splits: Sequence[SufficiencySplit], size: style.FigureSize = style.PRINT_SIZE) -> Figure:
    """How evaluations with sufficient information end, and how many had too little."""
    rows = style.scripted_last(splits)
    figure, axes = style.row_figure(size, len(rows), "What became of sufficient information", with_legend=True)
    kinds = (
        ("Globally optimal", "optimal", style.TEAL, style.PAPER),
        ("Feasible but suboptimal", "suboptimal", style.GOLD, style.ON_GOLD),
        ("Other failure", "failed", style.CORAL, style.PAPER),
        ("Information insufficient", "insufficient", style.REST, style.INK),
    )
    least = round(40 / size.width)  # the smallest percentage with room for its number
    for position, row in enumerate(rows):
        left = 0.0
        for _, field, colour, ink in kinds:
            share = getattr(row, field)
            axes.barh(position, share, left=left, height=0.62, color=colour, edgecolor=style.PAPER, linewidth=0.8)
            if share >= least:
                axes.text(left + share / 2, position, f"{share:.1f}", color=ink, ha="center", va="center", fontsize=7)
            left += share
    style.label_rows(axes, rows, size)
    note = f"the first three had sufficient information; shares under {least} % unlabelled"
    style.set_percent_axis(figure, axes, "Share of evaluations (%)", note, size)
    style.add_legend(figure, size, [Patch(color=colour, label=title) for title, _, colour, _ in kinds])
    return figure


@style.house_style
def sufficiency_against_exactness(pairs: Sequence[RatePair], size: style.FigureSize = style.PRINT_SIZE) -> Figure:
    """Information sufficiency and exact optimality, one row per configuration."""
    names = "Exact optimality", "Information sufficiency"
    note = "two overall rates; neither is conditioned on the other"
    return _dumbbells(pairs, size, "Knowing enough and deciding optimally", names, note)


@style.house_style
def interface_rates(pairs: Sequence[RatePair], size: style.FigureSize = style.PRINT_SIZE) -> Figure:
    """Exact optimality of the same instances through two interfaces, one row per configuration."""
    note = "exact optimality of the same instances, seen through either interface"
    return _dumbbells(pairs, size, "Exact optimality by interface", ("Direct", "Mediated"), note)


def _dumbbells(pairs: Sequence[RatePair], size: style.FigureSize, title: str, names: tuple[str, str], note: str) -> Figure:
    """Two rates per configuration, connected by a line."""
    rows = style.scripted_last(pairs)
    figure, axes = style.row_figure(size, len(rows), title, with_legend=True)
    for position, row in enumerate(rows):
        axes.plot([row.first, row.second], [position, position], color=style.LINE, linewidth=2.2, zorder=1, clip_on=False)
        axes.plot(row.second, position, **_RING, zorder=2, clip_on=False)
        axes.plot(row.first, position, **_DOT, zorder=3, clip_on=False)
        first_right = row.first > row.second
        style.label_mark(axes, row.second, position, f"{row.second:.1f}", not first_right, style.MUTED)
        style.label_mark(axes, row.first, position, f"{row.first:.1f}", first_right, style.INK)
    style.label_rows(axes, rows, size)
    style.set_percent_axis(figure, axes, "Mean rate (%)", note, size)
    room = 60 / size.width  # for the numbers outside the dots
    axes.set_xlim(-room, 100 + room)
    marks = zip(names, (_DOT, _RING), strict=True)
    style.add_legend(figure, size, [Line2D([], [], label=label, linestyle="none", **mark) for label, mark in marks])
    return figure


@style.house_style
def workload_levels(lines: Sequence[LevelRates], size: style.FigureSize = style.PRINT_SIZE) -> Figure:
    """Exact optimality by workload level: one panel per configuration, with all others in grey."""
    rows = style.scripted_last(lines)
    figure, panels = style.panel_figure(size, len(rows), "Exact optimality by workload level")
    levels = sorted({level for row in rows for level, _ in row.rates})
    for axes, own in zip(panels, rows, strict=True):
        for row in rows:
            axes.plot(*zip(*row.rates, strict=True), color=style.LINE, linewidth=0.9)
        colour = style.MUTED if own.scripted else style.TEAL
        axes.plot(*zip(*own.rates, strict=True), color=colour, linewidth=1.6, marker="o", markersize=3.5, clip_on=False)
        _level_axes(axes, levels)
        axes.annotate(
            style.fit_label(own.label, size.label_chars, 1), (0, 1.04), xycoords="axes fraction", va="bottom", fontsize=7.5
        )
    style.add_footer(figure, size, "Exact optimality (%) by workload level", "grey: all other configurations")
    marks = (
        Line2D([], [], color=style.TEAL, marker="o", markersize=3.5, label="configuration"),
        Line2D([], [], color=style.LINE, label="others"),
    )
    style.add_legend(figure, size, marks)
    return figure


def _level_axes(axes: Axes, levels: Sequence[int]) -> None:
    axes.set_xticks(levels, [f"L{level}" for level in levels])
    axes.set_xlim(levels[0] - 0.25, levels[-1] + 0.25)
    axes.set_ylim(0, 100)
    axes.set_yticks([0, 50, 100])
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="y", color=style.LINE, linewidth=0.6)


@style.house_style
def information_prices(curves: Sequence[RiskCurve], size: style.FigureSize = style.PRINT_SIZE) -> Figure:
    """The remaining risk by share of the budget: one panel per configuration, one line per level."""
    rows = style.scripted_last(curves)
    labels, levels = list(dict.fromkeys(row.label for row in rows)), sorted({row.level for row in rows})
    figure, panels = style.panel_figure(size, len(labels), "The price of information")
    shade = {level: 0.35 + 0.65 * rank / len(levels) for rank, level in enumerate(levels, start=1)}
    for row in rows:
        axes, colour = panels[labels.index(row.label)], style.MUTED if row.scripted else style.TEAL
        for risks, line in ((row.risks, "-"), (row.hindsight, ":")):
            _draw_steps(axes, risks, color=colour, alpha=shade[row.level], linestyle=line)
    for axes, label in zip(panels, labels, strict=True):
        _price_axes(axes)
        axes.annotate(
            style.fit_label(label, size.label_chars, 1), (0, 1.04), xycoords="axes fraction", va="bottom", fontsize=7.5
        )
    style.add_footer(figure, size, "Spend (% of the budget) against worst regret of the optimum (reference gaps)", _PRICE_NOTE)
    style.add_legend(
        figure, size, [Line2D([], [], color=style.TEAL, alpha=shade[level], label=f"L{level}") for level in levels]
    )
    return figure


_PRICE_NOTE = "medians of trajectories; nothing is drawn while the optimum may be infeasible; 0: it is determined"


def _draw_steps(axes: Axes, risks: Sequence[float | None], **line: Any) -> None:
    """A step line: the risk is constant until the next part of the budget is spent."""
    if risks:
        shares = [100 * part / (len(risks) - 1) for part in range(len(risks))]
        heights = [math.nan if risk is None else risk for risk in risks]
        axes.plot(shares, heights, drawstyle="steps-post", linewidth=1.4, **line)


def _price_axes(axes: Axes) -> None:
    """Share of the budget against regret; the regret axis is linear below a tenth of a gap and logarithmic above."""
    axes.set_yscale("symlog", linthresh=0.1)
    axes.set_yticks([0, 0.1, 1, 10], ["0", "0.1", "1", "10"])
    axes.minorticks_off()
    axes.set_ylim(-0.02, 60)
    axes.set_xlim(0, 100)
    axes.set_xticks([0, 50, 100])
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="y", color=style.LINE, linewidth=0.6)


@style.house_style
def objective_breakdown(
    title: str, terms: Sequence[Term], lower_is_better: bool, size: style.FigureSize = style.PRINT_SIZE
) -> Figure:
    """One decision against the certified optimum, term by term; the last term is the objective."""
    figure, axes = style.row_figure(size, len(terms), title)
    for position, term in enumerate(terms):
        colour = style.MUTED if term.value == term.optimum else style.TEAL if term.is_better else style.CORAL
        axes.barh(position, term.percent_change or 0.0, height=0.42, color=colour, alpha=0.85, linewidth=0)
        style.add_margin_note(axes, position, term.change_text, colour, "bold")
    axes.axvline(0, color=style.MUTED, linewidth=0.8, linestyle=(0, (3, 2)))
    axes.axhline(len(terms) - 1.5, color=style.LINE, linewidth=0.8)
    axes.margins(x=0.04)
    axes.xaxis.set_major_locator(MaxNLocator(3 if size is style.PHONE_SIZE else 7))
    axes.xaxis.set_major_formatter(lambda value, _: with_minus_sign(f"{value:,.4g}"))
    style.set_rows(axes, [_term_label(term, size) for term in terms])
    axes.get_yticklabels()[-1].set_fontweight("bold")
    better = "lower is better" if lower_is_better else "higher is better"
    style.add_footer(
        figure, size, f"Difference from the certified optimum (%), {better}", "under each name: decision (optimum)"
    )
    return figure


def _term_label(term: Term, size: style.FigureSize) -> str:
    name = style.fit_label(term.name.replace("_", " ").capitalize(), size.label_chars, 1)
    return with_minus_sign(f"{name}\n{term.value:,} ({term.optimum:,})")
