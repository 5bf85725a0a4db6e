"""`python -m bench.scale FIGURE`: an instance of every difficulty of every scale, and a figure of work against stated bits.

Fails if the work of an instance lies further from its bits than admission allows, or does not rise along the scale.
"""

import argparse
from itertools import pairwise
from math import log2
from pathlib import Path

from matplotlib.figure import Figure
from rich.console import Console

from algoworlds.batch import open_executor, run_tasks
from algoworlds.cli.tables import print_table
from algoworlds.core.work import BAND_OF_BITS
from algoworlds.families import FAMILIES, load_family
from algoworlds.grid import Grid
from algoworlds.reports import figure_style as style
from algoworlds.worlds.admission import Coordinate, admit


def measure_work(coordinate: Coordinate) -> float:
    """The executed work of the instance at a coordinate, in bits."""
    return log2(admit(coordinate).solution.work.total)


@style.house_style
def scale_figure(work: dict[str, dict[int, float]], size: style.FigureSize = style.PRINT_SIZE) -> Figure:
    """Work against stated bits, one panel per family."""
    figure, panels = style.panel_figure(size, len(work), "Executed work of an instance by the bits that its coordinate states")
    for axes, (name, points) in zip(panels, work.items(), strict=False):
        axes.plot([5, 29], [5, 29], color=style.LINE, linewidth=1)
        axes.plot([at / 10 for at in points], list(points.values()), ".", color=style.TEAL, markersize=3)
        axes.set_xlim(5, 29)
        axes.set_ylim(5, 29)
        axes.set_xticks(range(6, 29, 4))
        axes.set_yticks(range(6, 29, 11))
        axes.spines[["top", "right"]].set_visible(False)
        style.label_panel(axes, load_family(name).title, size)
    style.add_footer(figure, size, "Stated bits", "vertical: log2 of the executed work of the instance with index 1")
    return figure


def main() -> None:
    """Admit, check, print and draw."""
    parser = argparse.ArgumentParser()
    parser.add_argument("figure", type=Path)
    parser.add_argument("--most", type=float, default=28.5, help="bits above which nothing is admitted")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    points = [(name, at) for name in FAMILIES for at in sorted(load_family(name).scale) if at <= 10 * options.most]
    tasks = [Coordinate.from_bits(name, at / 10, 1) for name, at in points]
    with open_executor(options.jobs, None) as workers:
        found = {(task.family, task.tenths): work for task, work in run_tasks(measure_work, tasks, workers)}
    work = {name: {at: found[name, at] for at in sorted(load_family(name).scale) if (name, at) in found} for name in FAMILIES}
    rows = []
    for name, by_bits in work.items():
        furthest = max(abs(bits - at / 10) for at, bits in by_bits.items())
        falls = [at for (_, one), (at, other) in pairwise(by_bits.items()) if other <= one - 2 * BAND_OF_BITS]
        assert furthest <= BAND_OF_BITS, name
        assert not falls, (name, falls)
        steps = [high - low for low, high in pairwise(by_bits)]
        from_100 = [high - low for low, high in pairwise([at for at in by_bits if at >= 100])]
        ends = f"{min(by_bits) / 10:.1f} to {max(by_bits) / 10:.1f}"
        widest = f"{max(steps) / 10:.1f}", f"{max(from_100, default=0) / 10:.1f}"
        rows.append((name, ends, str(len(by_bits)), *widest, f"{furthest:.2f}"))
    head = ("family", "bits", "difficulties", "widest step", "above 2^10", "furthest instance")
    print_table(Console(), Grid("scale", "", head, tuple(rows)))
    options.figure.write_bytes(style.render_figure(scale_figure(work), "svg"))


if __name__ == "__main__":
    main()
