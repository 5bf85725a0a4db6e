"""The figures of a report and of an attack run, drawn from plain numbers: one function per figure."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from algoworlds.core.canonical import JsonObject
from algoworlds.families import load_family
from algoworlds.reports import figure_style as style
from algoworlds.reports.aggregate import Interval
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


def _level_line(level: int) -> JsonObject:
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


def _colour(scripted: bool) -> str:
    """The colour of a configuration: scripted agents are muted."""
    return style.MUTED if scripted else style.TEAL


_DOT: JsonObject = {"marker": "o", "markersize": 5.5, "color": style.TEAL}
_RING: JsonObject = {
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


class StageLoss(NamedTuple):
    """Percentage points that are lost in a stage, or in several that no track separates, with the ends of their interval."""

    stages: tuple[str, ...]
    points: float
    interval: Interval | None


class LossBar(NamedTuple):
    """What a configuration solves on its first track, in percent, and the losses between its tracks up to 100."""

    label: str
    scripted: bool
    solved: float
    losses: tuple[StageLoss, ...]


class RiskCurve(NamedTuple):
    """The median risk of the optimum by share of the budget, for a configuration and a level; None where it is infinite.

    `hindsight` is the least risk that the same spend can reach, where a suite states it.
    """

    label: str
    scripted: bool
    level: int
    risks: tuple[float | None, ...]
    hindsight: tuple[float | None, ...] = ()


class ScorePoint(NamedTuple):
    """Exact optimality (percent) of one configuration beside what it took, such as its cost."""

    label: str
    x: float
    exact: float
    interval: tuple[float, float] | None
    line: str = ""
    """Points with the same text are joined by a line: one model at several efforts."""


# -- figures --------------------------------------------------------------------------------------------------------------


@style.house_style
def exact_optimality_rates(rates: Sequence[ConfigurationRate], size: style.FigureSize = style.PRINT_SIZE) -> Figure:
    """Exact optimality by configuration: mean, standard deviation and all trials."""
    rows = style.scripted_last(rates)
    figure, axes = style.row_figure(size, len(rows), "Exact optimality")
    for position, row in enumerate(rows):
        colour = _colour(row.scripted)
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


@style.house_style
def score_over(
    points: Sequence[ScorePoint],
    title: str,
    axis: str,
    ticks: Sequence[str] = (),
    size: style.FigureSize = style.PRINT_SIZE,
) -> Figure:
    """Exact optimality over what it took, one mark per configuration.

    `axis` names the horizontal axis, which is logarithmic; with `ticks` it has these steps instead, 0, 1, 2, ...
    """
    figure = style.titled_figure(size, 3.0, title)
    axes = figure.add_subplot()
    if ticks:
        axes.set_xticks(range(len(ticks)), ticks)
        axes.set_xlim(-0.4, len(ticks) - 0.6)
    else:
        axes.set_xscale("log")
        axes.margins(x=0.16)
        within_a_decade = max(point.x for point in points) < 10 * min(point.x for point in points)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")  # the default labels of a log scale are markup
        axes.xaxis.set_minor_formatter((lambda value, _: f"{value:g}") if within_a_decade else "")
    for line in dict.fromkeys(point.line for point in points if point.line):
        own = sorted((point for point in points if point.line == line), key=lambda point: point.x)
        axes.plot([point.x for point in own], [point.exact for point in own], color=style.TEAL, linewidth=1.0, alpha=0.6)
    for point in points:
        if point.interval is not None:
            axes.plot([point.x, point.x], point.interval, color=style.TEAL, linewidth=1.2, alpha=0.5, solid_capstyle="butt")
        axes.plot(point.x, point.exact, clip_on=False, **_DOT)
        text = style.fit_label(point.label, size.label_chars, 1)
        axes.annotate(text, (point.x, point.exact), xytext=(5, 4), textcoords="offset points", fontsize=6.5, color=style.INK)
    axes.set_ylim(-4, 104)
    axes.set_yticks((0, 25, 50, 75, 100))
    axes.grid(color=style.LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    style.add_footer(figure, size, f"{axis}; exact optimality (%) with its 95 % interval for new instances")
    return figure


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
        colour = _colour(own.scripted)
        axes.plot(*zip(*own.rates, strict=True), color=colour, linewidth=1.6, marker="o", markersize=3.5, clip_on=False)
        _level_axes(axes, levels)
        style.label_panel(axes, own.label, size)
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


_STAGE_COLOURS = {
    "compute": style.GOLD,
    "search": style.CORAL,
    "model": style.BLUE,
    "read": style.INK,
    "gather": style.REST,
}
_LOSS_STEP, _BAR_GAP = 0.46, 0.5
"""Rows that one interval takes below its bar, and the space before the next bar."""


@style.house_style
def stage_losses(bars: Sequence[LossBar], size: style.FigureSize = style.PRINT_SIZE) -> Figure:
    """Where exact optimality is lost: one bar per configuration from what it solves to 100, with the interval of each loss.

    A negative loss is drawn back from where the bar had got, as a narrow strip on it.
    """
    rows = style.scripted_last(bars)
    heights = [1 + _LOSS_STEP * len(row.losses) + _BAR_GAP for row in rows]
    tops = [sum(heights[:number]) for number in range(len(rows))]
    figure, axes = style.row_figure(size, sum(heights), "Where exact optimality is lost", with_legend=True)
    ends = [0.0, 100.0]
    for top, row in zip(tops, rows, strict=True):
        axes.barh(top, row.solved, height=0.62, color=style.TEAL, edgecolor=style.PAPER, linewidth=0.8)
        start = row.solved
        for number, loss in enumerate(row.losses):
            _draw_loss(axes, top, start, loss)
            fixed_end = number == len(row.losses) - 1
            ends += _draw_loss_interval(axes, top + 0.62 + _LOSS_STEP * number, start, loss, fixed_end)
            start += loss.points
    labels = [style.fit_label(row.label, size.label_chars) for row in rows]
    style.set_percent_axis(figure, axes, "Exact optimality (%)", _LOSS_NOTE, size)
    style.set_rows(axes, labels)
    axes.set_yticks(tops, labels)
    axes.set_ylim(sum(heights) - _BAR_GAP, -0.6)
    axes.set_xlim(min(ends) - 1, max(ends) + 1)
    present = {stage for row in rows for loss in row.losses for stage in loss.stages}
    entries = [("solved", style.TEAL), *((name, colour) for name, colour in _STAGE_COLOURS.items() if name in present)]
    style.add_legend(figure, size, [Patch(color=colour, label=name) for name, colour in entries])
    return figure


_LOSS_NOTE = "lines: where a segment may end, by the 95 % interval of its loss; narrow strip: an aid that hurt"


def _draw_loss(axes: Axes, top: float, start: float, loss: StageLoss) -> None:
    """A segment of a bar; stages that no track separates share it, one above the other."""
    height = 0.62 if loss.points >= 0 else 0.2
    part = height / len(loss.stages)
    for number, stage in enumerate(loss.stages):
        y = top - height / 2 + part * (number + 0.5)
        options: JsonObject = {"color": _STAGE_COLOURS[stage], "edgecolor": style.PAPER, "linewidth": 0.8}
        axes.barh(y, loss.points, left=start, height=part, zorder=2 if loss.points >= 0 else 3, **options)


def _draw_loss_interval(axes: Axes, y: float, start: float, loss: StageLoss, fixed_end: bool) -> tuple[float, ...]:
    """Where a loss may end by its interval, or begin if it ends at 100, and its number; returns the ends of the line."""
    origin, sign = (start + loss.points, -1) if fixed_end else (start, 1)
    centre = origin + sign * loss.points
    low, high = sorted(origin + sign * bound for bound in loss.interval or (loss.points, loss.points))
    axes.plot([low, high], [y, y], color=style.MUTED, linewidth=1.2, solid_capstyle="butt")
    axes.plot(centre, y, "o", color=style.INK, markersize=3)
    stages = loss.stages if len(loss.stages) < 3 else (f"{loss.stages[0]} to {loss.stages[-1]}",)
    number = with_minus_sign(f"{' + '.join(stages)} {loss.points:+.1f}")
    right = centre < 50
    style.label_mark(axes, high if right else low, y, number, right, style.INK)
    return low, high


@style.house_style
def information_prices(curves: Sequence[RiskCurve], size: style.FigureSize = style.PRINT_SIZE) -> Figure:
    """The remaining risk by share of the budget: one panel per configuration, one line per level."""
    rows = style.scripted_last(curves)
    labels, levels = list(dict.fromkeys(row.label for row in rows)), sorted({row.level for row in rows})
    figure, panels = style.panel_figure(size, len(labels), "The price of information")
    shade = {level: 0.35 + 0.65 * rank / len(levels) for rank, level in enumerate(levels, start=1)}
    for row in rows:
        axes, colour = panels[labels.index(row.label)], _colour(row.scripted)
        for risks, line in ((row.risks, "-"), (row.hindsight, ":")):
            _draw_steps(axes, risks, color=colour, alpha=shade[row.level], linestyle=line)
    for axes, label in zip(panels, labels, strict=True):
        _price_axes(axes)
        style.label_panel(axes, label, size)
    style.add_footer(figure, size, "Spend (% of the budget) against worst regret of the optimum (reference gaps)", _PRICE_NOTE)
    colours = list(dict.fromkeys(_colour(row.scripted) for row in rows))
    kinds = {style.TEAL: "", style.MUTED: " (scripted)"}
    entries = [
        Line2D([], [], color=colour, alpha=shade[level], linewidth=_STEP_WIDTH, label=f"L{level}{kinds[colour]}")
        for colour in colours
        for level in sorted({row.level for row in rows if _colour(row.scripted) == colour})
    ]
    if any(row.hindsight for row in rows):
        dotted: JsonObject = {"color": colours[0], "linestyle": ":", "linewidth": _STEP_WIDTH}
        entries.append(Line2D([], [], label="least risk that the same spend can reach", **dotted))
    style.add_legend(figure, size, entries)
    return figure


_STEP_WIDTH = 1.4
_PRICE_NOTE = "medians of trajectories; nothing is drawn while the optimum may be infeasible; 0: it is determined"


def _draw_steps(axes: Axes, risks: Sequence[float | None], **line: Any) -> None:
    """A step line: the risk is constant until the next part of the budget is spent."""
    if risks:
        shares = [100 * part / (len(risks) - 1) for part in range(len(risks))]
        heights = [math.nan if risk is None else risk for risk in risks]
        axes.plot(shares, heights, drawstyle="steps-post", linewidth=_STEP_WIDTH, **line)


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


# -- the teaser: three panels, drawn in inches from their top left corner, without axes -----------------------------------

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
    _draw_flow(axes, width, steps)
    _add_text(axes, 0, 1.12, "Differences from the certified optimum", fontweight="bold")
    better = "Lower" if example.lower_is_better else "Higher"
    _add_text(axes, 0, 1.27, f"{better} is better. One percentage scale.", _SMALL, style.MUTED, style="italic")
    _draw_bars(axes, example.terms, width)


def _draw_flow(axes: Axes, width: float, steps: Sequence[tuple[str, str, str]]) -> None:
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
