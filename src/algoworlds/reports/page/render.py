"""Render the page: sheets whose numbers link to their evaluations, figures, and the data behind them.

The page works without a network and forbids it: its content security policy names the one script and the one style sheet by
hash, and nothing that a model wrote is ever markup.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode
from xml.etree import ElementTree

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from algoworlds.core.canonical import JsonObject
from algoworlds.grid import fix_plurals, to_one_line
from algoworlds.measures.judging import ALL_MEASURES
from algoworlds.measures.scoring import SCORING_VERSION
from algoworlds.reports import figure_style
from algoworlds.reports.aggregate import Summary
from algoworlds.reports.figure_style import PHONE_SIZE, render_figure
from algoworlds.reports.intervals import best_model_interval
from algoworlds.reports.loading import PANEL_AGENTS
from algoworlds.reports.page import EVALUATIONS_FOLDER, PAGE_SCRIPTS, PAGE_STYLES, payload, read_asset
from algoworlds.reports.page.glossary import explanations_for
from algoworlds.reports.page.payload import Replays
from algoworlds.reports.result_figures import EXACT_RATE, all_figures, select_example
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import NO_VALUE, FilledSheet, format_interval
from algoworlds.reports.sheets.decisions import CATEGORY_TITLES, find_headline, headline_mean, summarize_configuration
from algoworlds.reports.verdict import decision_text
from algoworlds.suites.record import PlayerKind

MAX_INLINE_CHARS = 10_000_000
"""Up to this many characters of packed worlds are part of the page (which then stays below 12 MB); beyond it, none are."""


@dataclass(frozen=True)
class PackedWorlds:
    """By world, the packed details of its evaluations and its packed replay."""

    worlds: Mapping[str, tuple[str, str]]

    @cached_property
    def uses_folder(self) -> bool:
        """Whether the worlds are stored in a folder next to the page."""
        return sum(len(text) for world in self.worlds.values() for text in world) > MAX_INLINE_CHARS

    @cached_property
    def stamp(self) -> str:
        """A digest of the content, by which the page recognizes its own folder."""
        return sha256("\n".join(text for world in self.worlds.values() for text in world).encode()).hexdigest()[:16]

    @property
    def files(self) -> dict[str, bytes]:
        """The files next to the page, by name."""
        if not self.uses_folder:
            return {}
        return {
            f"{EVALUATIONS_FOLDER}/{name}.js": f'receiveWorld("{self.stamp}", "{name}", "{details}", "{replay}");\n'.encode()
            for name, (details, replay) in self.worlds.items()
        }


def pack_worlds(results: Results, replays: Replays) -> PackedWorlds:
    """Pack the details and replays of all worlds in `results`."""
    packed = {name: replay.packed_json for name, replay in replays.by_world.items()}
    return PackedWorlds({name: (part, packed.get(name, "")) for name, part in payload.pack_details(results, replays)})


# -- figures in the page --------------------------------------------------------------------------------------------------

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_THEME_COLOURS = {
    figure_style.INK: "var(--ink)",
    figure_style.MUTED: "var(--muted)",
    figure_style.LINE: "var(--line)",
    figure_style.PAPER: "var(--card)",
    figure_style.REST: "var(--rest)",
    figure_style.TEAL: "var(--teal)",
    figure_style.GOLD: "var(--gold)",
    figure_style.CORAL: "var(--coral)",
    figure_style.BLUE: "var(--blue)",
}
_TEXT_COLOURS = _THEME_COLOURS | {figure_style.PAPER: "var(--on-mark)"}
"""Text in the colour of paper is drawn on a mark, never next to one."""


def inline_svg(svg: bytes, name: str, title: str) -> str:
    """The drawing of an SVG file as an inline element, with ids that start with `name` and `title` for screen readers."""
    root = ElementTree.fromstring(svg)
    for child in list(root):
        if child.tag == f"{_SVG}metadata" or child.find(f"{_SVG}style") is not None:
            root.remove(child)
    for element in root.iter():
        _restyle(element, name)
    attributes = {"viewBox": root.attrib["viewBox"], "class": "figure", "role": "img", "aria-label": title}
    inline = ElementTree.Element("svg", attributes)
    inline.extend(list(root))
    return ElementTree.tostring(inline, encoding="unicode")


def _restyle(element: ElementTree.Element, name: str) -> None:
    """Replace fixed colours by those of the theme, drop font families, and prefix ids and references with `name`."""
    element.tag = element.tag.removeprefix(_SVG)
    colours = _TEXT_COLOURS if element.tag == "text" else _THEME_COLOURS
    for rule in filter(None, (part.strip() for part in element.attrib.pop("style", "").split(";"))):
        key, _, value = rule.partition(":")
        if key != "font-family":
            element.set(key, colours.get(value.strip(), value.strip()))
    if _LINK in element.attrib:
        element.set("href", f"#{name}-{element.attrib.pop(_LINK).removeprefix('#')}")
    if "id" in element.attrib:
        element.set("id", f"{name}-{element.get('id')}")
    if "clip-path" in element.attrib:
        element.set("clip-path", element.attrib["clip-path"].replace("url(#", f"url(#{name}-"))


_FIGURE_CAPTIONS = {
    "teaser": (
        "Sufficient information does not guarantee the optimum: (a) rates of exact optimality, (b) how often one configuration "
        "had sufficient information and how these evaluations end, (c) one evaluation from gathering to exact comparison."
    ),
    "exact_optimality_rates": (
        "Exact-optimality rates. Large dots are means over trials, lines their sample standard deviation, small dots trials."
    ),
    "sufficiency_against_exactness": (
        "Knowing enough against deciding optimally: two overall rates per configuration. Not paired within an evaluation."
    ),
    "sufficiency_split": "How evaluations with sufficient information end, and how many had too little, in percent of all.",
    "workload_levels": (
        "Exact optimality by workload level, one panel a configuration. Levels hold different instances: a trend over all of "
        "them is descriptive."
    ),
    "interface_rates": "The same instances through Direct and through Mediated tools. Says nothing of other interfaces.",
    "stage_losses": (
        "Where exact optimality is lost: what each configuration solves on its first track, then what each aid takes away, up "
        "to 100. Differences between tracks in this order; another order can give other shares."
    ),
    "exact_over_cost": "Exact optimality over the cost of an evaluation, at the prices that each configuration states.",
    "exact_over_effort": "Exact optimality over reasoning effort; a line joins the configurations of one model.",
    "information_prices": (
        "The price of information: what the optimum itself would still have risked, in reference gaps, after how much of the "
        "budget. Medians over a configuration's trajectories of a level; at 0 it was determined."
    ),
    "objective_breakdown": "One recorded decision against the certified optimum, term by term. An example, not a frequency.",
}


class PageFigure(NamedTuple):
    """A figure with its caption, a link to its evaluation if it shows one, and its drawings for wide and narrow screens."""

    name: str
    caption: str
    link: str | None
    wide: Markup
    narrow: Markup


def _page_figures(results: Results, figures: Mapping[str, Figure]) -> Iterator[PageFigure]:
    narrow_figures, example = all_figures(results, PHONE_SIZE), select_example(results.evaluations)
    for name, caption in _FIGURE_CAPTIONS.items():
        if name not in figures:
            continue
        link = None
        if name == "objective_breakdown" and example is not None:
            caption, link = f"{caption} {decision_text(example.record)}", _link({"evaluation": evaluation_key(*example.id)})
        wide, narrow = (
            Markup(inline_svg(render_figure(figure, "svg", text_as_paths=False), prefix, caption))
            for figure, prefix in ((figures[name], name), (narrow_figures[name], f"narrow-{name}"))
        )
        yield PageFigure(name, caption, link, wide, narrow)


# -- the page -------------------------------------------------------------------------------------------------------------


def render_page(
    results: Results,
    sheets: Mapping[str, FilledSheet],
    figures: Mapping[str, Figure],
    about: Mapping[str, str],
    missing: str | None,
    packed: PackedWorlds,
) -> str:
    """The report as one HTML text; `missing` says why it has no replays."""
    style, script = "".join(map(read_asset, PAGE_STYLES)), "".join(map(read_asset, PAGE_SCRIPTS))
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["plain"] = to_one_line
    muted = frozenset(results.configurations) - frozenset(results.candidates) if results.candidates else frozenset()
    by_section = groupby(sheets.values(), key=lambda sheet: sheet.heading.section)
    return environment.from_string(read_asset("report.html.j2")).render(
        style=Markup(style),
        script=Markup(script),
        policy=_content_security_policy(style, script, packed.uses_folder),
        facts={**about, **_result_facts(results)},
        finding=_finding(results),
        categories=CATEGORY_TITLES,
        landmarks=list(_landmarks(results)),
        missing_steps=list(_missing_steps(results)),
        figures=list(_page_figures(results, figures)),
        measures=ALL_MEASURES,
        sections=[(section, [_sheet_view(sheet, muted) for sheet in group]) for section, group in by_section],
        index=payload.index_json(results, missing),
        packed=packed,
        folder=EVALUATIONS_FOLDER,
    )


def _content_security_policy(style: str, script: str, uses_folder: bool) -> str:
    """Allow only this script and this style: nothing is fetched, sent or framed, and text cannot become markup.

    If worlds are stored in a folder, the script may load other scripts, from addresses that one of its functions builds.
    """
    style_hash, script_hash = (f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in (style, script))
    loading, trusted = (" 'strict-dynamic'", EVALUATIONS_FOLDER) if uses_folder else ("", "'none'")
    return (
        f"default-src 'none'; script-src {script_hash}{loading}; style-src {style_hash}; img-src data:; "
        f"base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types {trusted}"
    )


_KIND_TITLES = {
    PlayerKind.MODEL: "model",
    PlayerKind.EXTERNAL: "external agent",
    PlayerKind.HUMAN: "human",
    PlayerKind.AGENT: "scripted agent",
}


def _result_facts(results: Results) -> dict[str, str]:
    """The lines about size and judgements in the head of the page."""
    trial_counts = sorted({len(results.trials(label)) for label in results.configurations})
    counts, always_named = Counter(map(PlayerKind, results.kinds.values())), (PlayerKind.MODEL, PlayerKind.AGENT)
    kinds = [
        f"{counts[kind]:,} {title}{'' if counts[kind] == 1 else 's'}"
        for kind, title in _KIND_TITLES.items()
        if counts[kind] or kind in always_named
    ]
    total, judged = len(results.evaluations), sum(evaluation.judgement is not None for evaluation in results.evaluations)
    partly = fix_plurals(f"{judged:,} of {total:,} evaluations; algoworlds judge RUN does the others")
    return {
        "Configurations": ", ".join(kinds),
        "Worlds": fix_plurals(
            f"{len(results.worlds):,} on {len(results.instances):,} instances of {len(results.families)} families"
        ),
        "Trials": " or ".join(map(str, trial_counts)),
        "Evaluations": f"{total:,}",
        "Scoring version": str(SCORING_VERSION),
        "Judged": "all evaluations" if judged == total else partly,
    }


def _missing_steps(results: Results) -> Iterator[tuple[str, str]]:
    """What the report lacks, and the command that adds it."""
    agents = [name for name in PANEL_AGENTS if name not in results.configurations]
    unjudged = sum(evaluation.judgement is None for evaluation in results.evaluations)
    if agents:
        yield f"Missing from the scripted panel: {', '.join(agents)}.", "algoworlds panel RUN --out REPORT"
    if unjudged:
        counts = f"{unjudged:,} of {len(results.evaluations):,} evaluations are not judged"
        yield fix_plurals(f"{counts}: the report does not say what could be known in them."), "algoworlds judge RUN"


class Landmark(NamedTuple):
    """One configuration of the headline: the best model, the ceiling or the floor."""

    role: str
    label: str
    exact: str
    interval: str
    sufficient: str
    link: str


def _landmarks(results: Results) -> Iterator[Landmark]:
    """The best model, and the best and the worst scripted agent as ceiling and floor."""
    names = ("exact_optimality", "reference_utility", "information_sufficiency")
    rank = {label: [headline_mean(results, label, name) for name in names] for label in results.configurations}
    agents = [label for label in results.configurations if label not in results.candidates]
    best = max(results.candidates, key=rank.__getitem__, default=None)
    roles = [(f"Best {_KIND_TITLES[PlayerKind(results.kinds[best])]}", best)] if best is not None else []
    if agents:
        roles += [("Ceiling", max(agents, key=rank.__getitem__)), ("Floor", min(agents, key=rank.__getitem__))]
    for role, label in roles:
        summary, interval = summarize_configuration(results, label, EXACT_RATE), ""
        if label == best:  # scripted agents are landmarks, not candidates: they have no interval
            ends = best_model_interval(results, label)
            interval = (
                f"95 % interval {format_interval(ends)} for new instances" if ends else "no interval: one instance a family"
            )
        exact = f"{summary.mean:.2f}" + ("" if summary.sd is None else f" ± {summary.sd:.2f}")
        yield Landmark(role, label, exact, interval, f"{rank[label][-1]:.1f}", _link({"configuration": label}))


def _finding(results: Results) -> JsonObject:
    """The headline, with links to the evaluations behind its numbers."""
    headline = find_headline(results)
    everything = {"configuration": headline.label}
    informed = {**everything, "sufficiency": 1}
    optimal = {**informed, "exact": 1}
    return {"headline": headline, "everything": _link(everything), "informed": _link(informed), "optimal": _link(optimal)}


# -- sheets ---------------------------------------------------------------------------------------------------------------


class Cell(NamedTuple):
    """The text of a cell, the link to its evaluations if it has one, and its CSS classes."""

    text: str
    link: str | None
    kind: str


class SheetView(NamedTuple):
    """A sheet for the template; each row says first whether it is muted."""

    name: str
    title: str
    caption: str
    head: tuple[str, ...]
    rows: list[tuple[bool, list[Cell]]]
    terms: list[str]
    grouped: bool


def _sheet_view(sheet: FilledSheet, muted: frozenset[str]) -> SheetView:
    rows = [
        (sheet.raw_row(row).get("configuration") in muted, [_cell(sheet, row, column) for column in range(len(texts))])
        for row, texts in enumerate(sheet.rows)
    ]
    terms = explanations_for(sheet.head) if sheet.raw_rows else []
    return SheetView(sheet.name, sheet.heading.title, sheet.caption, sheet.head, rows, terms, sheet.heading.grouped)


def _cell(sheet: FilledSheet, row: int, column: int) -> Cell:
    """A cell with the link to its evaluations; a comparison links to those of both sides."""
    text, raw_row = sheet.rows[row][column], sheet.raw_row(row)
    where: Mapping[str, Any] = {}
    if column and text != NO_VALUE:
        if "world" in raw_row:
            where = {"evaluation": evaluation_key(raw_row["configuration"], raw_row["world"], raw_row["trial"])}
        elif "first" in raw_row:
            where = {"configuration": (raw_row["first"], raw_row["second"])}
        else:
            where = sheet.cell_filter(row, column)
    classes = ["best"] if (row, column) in sheet.bold else []
    value = raw_row[sheet.columns[column].key] if sheet.heading.shade_rates else None
    if isinstance(value, Summary):
        classes.append(f"heat heat-{round(value.mean / 10)}")
    return Cell(text, _link(where) if where else None, " ".join(classes))


def evaluation_key(configuration: str, world: str, trial: int) -> str:
    """The name of an evaluation in the address of the page."""
    return f"{to_one_line(configuration)}/{world}/{trial}"


def _link(where: Mapping[str, Any]) -> str:
    """The address that selects evaluations by fields and values; a tuple selects any of its values."""
    pairs = [(name, item) for name, value in where.items() for item in (value if isinstance(value, tuple) else (value,))]
    return "#" + urlencode([(name, to_one_line(str(value))) for name, value in pairs], quote_via=quote)
