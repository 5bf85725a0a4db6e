"""The figure of the attack panel: the share that the best attacker solves, over evaluations, a small drawing a family."""

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from algoworlds.families import family
from algoworlds.reports.drawing import BLUE, CORAL, GOLD, LINE, MUTED, PRINT, TEAL, Size, foot, legend, styled
from algoworlds.suites.attack.standing import Standing

_INKS = {0: MUTED, 1: BLUE, 2: TEAL, 3: GOLD, 4: CORAL}
_MARKS = {0: ".", 1: "o", 2: "s", 3: "^", 4: "D"}
_ACROSS = 2


@styled
def exact_over_evaluations(standings: Sequence[Standing], size: Size = PRINT) -> Figure:
    """Percent of instances that the best attacker solves, over evaluations, by family and level."""
    names = list(dict.fromkeys(each.family for each in standings))
    down = -(-len(names) // _ACROSS)
    figure = Figure(figsize=(size.width, 1.5 * down + 0.9), layout=ConstrainedLayoutEngine())
    grid: Any = figure.subplots(down, _ACROSS, squeeze=False, sharex=True, sharey=True)
    for axes, name in zip(grid.flat, names, strict=False):
        _draw(axes, name, [each for each in standings if each.family == name])
    for axes in grid.flat[len(names) :]:
        axes.set_visible(False)
    levels = sorted({each.level for each in standings})
    style: dict[str, Any] = {"markersize": 3.5, "linewidth": 1.3}
    legend(figure, size, [Line2D([], [], color=_INKS[k], marker=_MARKS[k], label=f"level {k}", **style) for k in levels])
    foot(
        figure,
        size,
        "evaluations of the best attacker (logarithmic), percent of instances solved",
        "dotted: half of the instances",
    )
    return figure


def _draw(axes: Any, name: str, standings: Sequence[Standing]) -> None:
    axes.set_title(family(name).title)
    axes.set_xscale("log")
    ends = [10**power for power in range(1, 7) if 10**power <= standings[0].budgets[-1]]
    axes.set_xticks(ends, [f"{each:,}" for each in ends])  # the scale's own labels are markup
    axes.tick_params(axis="x", which="both", labelbottom=True)
    axes.minorticks_off()
    axes.set_ylim(-4, 104)
    axes.set_yticks((0, 50, 100))
    axes.axhline(50, color=MUTED, linewidth=0.6, linestyle=(0, (1, 3)))
    axes.grid(axis="x", color=LINE, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    for each in standings:
        budgets, shares = zip(*each.curve, strict=True)
        axes.plot(budgets, shares, color=_INKS[each.level], marker=_MARKS[each.level], markersize=3.5, linewidth=1.3)
