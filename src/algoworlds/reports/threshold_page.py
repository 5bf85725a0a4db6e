"""The page, the figures and the files of measurements."""

import json
from collections.abc import Mapping, Sequence
from html import escape

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from algoworlds.core.canonical import JsonObject
from algoworlds.families import load_family
from algoworlds.grid import to_csv, to_html, to_markdown
from algoworlds.measures.threshold import success_curve
from algoworlds.reports import figure_style as style
from algoworlds.reports.result_figures import figure_files
from algoworlds.reports.thresholds import (
    FamilyResult,
    MeasurementResults,
    comparison_grid,
    comparison_json,
    describe_size,
    example_coordinate,
    example_world,
    named_grids,
    scale_grid,
    threshold_grid,
)

THRESHOLD_PAGE = "thresholds.html"
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1f2937}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{padding:.25rem .7rem;border-bottom:1px solid #d7dce2;text-align:left}"
    "caption{text-align:left;color:#6b7280;padding:.4rem 0}pre{white-space:pre-wrap;background:#f6f7f9;padding:1rem}"
    "svg{max-width:100%;height:auto}"
)


@style.house_style
def threshold_curves(results: MeasurementResults, size: style.FigureSize = style.PRINT_SIZE) -> Figure:
    """The psychometric function of every family with its data, its threshold and the interval of it."""
    figure, panels = style.panel_figure(size, len(results.by_family), f"{results.label}: exact decisions by executed work")
    for axes, result in zip(panels, results.by_family.values(), strict=False):
        _draw_family(axes, result)
        style.label_panel(axes, load_family(result.family).title, size)
    note = (
        "dots: share of exact decisions at a difficulty, larger for more evaluations; line: the threshold, band: its interval"
    )
    style.add_footer(figure, size, "Executed work (log2)", note)
    return figure


def _draw_family(axes: Axes, result: FamilyResult) -> None:
    tenths, threshold = range(50, 291, 2), result.estimate.threshold
    axes.axvspan(max(threshold.low, 5), min(threshold.high, 29), color=style.REST, linewidth=0)
    axes.axvline(min(max(threshold.value, 5), 29), color=style.CORAL, linewidth=1)
    curve = [100 * chance for chance in success_curve(result.posterior, tenths)]
    axes.plot([at / 10 for at in tenths], curve, color=style.TEAL, linewidth=1.4)
    outcomes = [one.outcome for one in result.evaluated]
    for at in sorted({outcome.tenths for outcome in outcomes}):
        here = [outcome.exact for outcome in outcomes if outcome.tenths == at]
        axes.plot(at / 10, 100 * sum(here) / len(here), "o", color=style.INK, markersize=2 + len(here) ** 0.5, clip_on=False)
    axes.set_xlim(5, 29)
    axes.set_ylim(0, 100)
    axes.set_xticks(range(6, 29, 4))
    axes.set_yticks((0, 50, 100))
    axes.spines[["top", "right"]].set_visible(False)


def statements(results: MeasurementResults) -> list[tuple[str, str]]:
    """A sentence for every family, with the id of a world of the size that it names."""
    sentences = []
    for result in results.by_family.values():
        size = describe_size(result.family, result.bits_to_state)
        verb = {"": "optimizes up to", "below": "optimizes less than", "above": "optimizes more than"}[result.side]
        name, title = f"{example_coordinate(result.family, result.bits_to_state).name}-direct", load_family(result.family).title
        sentences.append((f"{results.label} {verb} 2^{result.bits_to_state:.1f} of work in {title}, about {size}", name))
    return sentences


def render_page(measured: Sequence[MeasurementResults], figures: Mapping[str, Figure]) -> str:
    """The page on some measurements."""
    parts = ["<h1>Thresholds in bits of work</h1>"]
    if len(measured) > 1:
        parts.append(to_html(comparison_grid(measured)))
    for number, results in enumerate(measured, 1):
        ability = results.ability
        parts.append(f"<h2>{escape(results.label)}</h2>")
        if not results.is_finished:
            parts.append("<p><b>This measurement is not finished.</b></p>")
        parts.append(
            f"<p>Overall ability: <b>{ability.value:.1f} bits</b>, 95 % interval {ability.low:.1f} to {ability.high:.1f}, "
            f"from {len(results.evaluated):,} evaluations in {results.rounds} rounds.</p>"
        )
        figure = style.render_figure(figures[f"thresholds_{number}"], "svg", text_as_paths=False).decode()
        parts += [to_html(threshold_grid(results)), figure[figure.index("<svg") :], to_html(scale_grid(results))]
        parts.append("<h3>What that looks like</h3>")
        for result, (sentence, name) in zip(results.by_family.values(), statements(results), strict=True):
            question = example_world(result.family, result.bits_to_state).question
            parts.append(
                f"<details><summary>{escape(sentence)}</summary><p>{escape(name)}</p><pre>{escape(question)}</pre></details>"
            )
    body = "\n".join(parts)
    head = f'<meta charset="utf-8"><title>Thresholds</title><style>{_STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def threshold_json(measured: Sequence[MeasurementResults]) -> JsonObject:
    """The results of some measurements, and how they compare."""
    return {"measurements": [results.json for results in measured], "comparison": comparison_json(measured)}


def threshold_files(measured: Sequence[MeasurementResults]) -> dict[str, bytes]:
    """The files of a folder on some measurements, by name."""
    figures = {f"thresholds_{number}": threshold_curves(results) for number, results in enumerate(measured, 1)}
    grids = named_grids(measured)
    texts = {
        THRESHOLD_PAGE: render_page(measured, figures),
        "thresholds.json": json.dumps(threshold_json(measured), indent=1, allow_nan=False) + "\n",
        "thresholds.md": "\n\n".join(map(to_markdown, grids.values())) + "\n",
        **{f"{name}.csv": to_csv(grid) + "\n" for name, grid in grids.items()},
    }
    drawn = {f"figures/{name}": content for name, content in figure_files(figures)}
    return {name: text.encode() for name, text in texts.items()} | drawn
