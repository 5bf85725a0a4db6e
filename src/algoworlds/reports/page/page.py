"""The page: sheets whose numbers link to their evaluations, figures, and the data behind them.

The page needs no network and allows none: its policy names the one script and the one style sheet by hash, and nothing
that a model wrote is ever markup.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from matplotlib.figure import Figure

from algoworlds.grid import one_line
from algoworlds.measures.judging import EVERY
from algoworlds.measures.scoring import SCORING
from algoworlds.reports.aggregate import Summary
from algoworlds.reports.clusters import best_interval
from algoworlds.reports.drawing import PHONE
from algoworlds.reports.drawing import drawn as svg_bytes
from algoworlds.reports.headline import headline
from algoworlds.reports.illustrate import EXACT, SUFFICIENT, UTILITY, all_figures, summary, telling_example
from algoworlds.reports.page import FOLDER, payload
from algoworlds.reports.page.assets import SCRIPTS, STYLES, source
from algoworlds.reports.page.glossary import terms_for
from algoworlds.reports.page.inline import inlined
from algoworlds.reports.page.shelf import Shelf
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import FilledSheet, Section
from algoworlds.reports.sheets.categories import CATEGORY_NAMES
from algoworlds.reports.spelling import NOTHING, interval
from algoworlds.reports.verdict import decided
from algoworlds.suites.record import Kind

_FIGURES = {
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
    "information_prices": (
        "The price of information: what the optimum itself would still have risked, in reference gaps, after how much of the "
        "budget. Medians over a configuration's trajectories of a level; at 0 it was determined."
    ),
    "objective_breakdown": "One recorded decision against the certified optimum, term by term. An example, not a frequency.",
}


_KINDS = {Kind.MODEL: "model", Kind.EXTERNAL: "external agent", Kind.HUMAN: "human", Kind.AGENT: "scripted agent"}
_RARE = (Kind.EXTERNAL, Kind.HUMAN)
"""What is named only where there is one."""


class Cell(NamedTuple):
    """A cell's text, the link to its evaluations if it has one, and how it stands out: the best, a shade."""

    text: str
    link: str | None
    kind: str


class View(NamedTuple):
    """A sheet as the page shows it."""

    name: str
    title: str
    caption: str
    head: tuple[str, ...]
    rows: list[tuple[bool, list[Cell]]]
    terms: list[str]
    grouped: bool


class Drawing(NamedTuple):
    """A figure with its caption, the link to the evaluation it shows if it shows one, and its form for narrow screens."""

    name: str
    caption: str
    link: str | None
    wide: Markup
    narrow: Markup


class Landmark(NamedTuple):
    """One number of the headline."""

    role: str
    label: str
    exact: str
    interval: str
    sufficient: str
    link: str


def page(
    results: Results,
    sheets: Mapping[str, FilledSheet],
    drawn: Mapping[str, Figure],
    about: Mapping[str, str],
    missing: str | None,
    shelf: Shelf,
) -> str:
    """The whole report as one HTML text; what is known of single evaluations may lie beside it."""
    style, script = "".join(map(source, STYLES)), "".join(map(source, SCRIPTS))
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["plain"] = one_line
    stepping_back = frozenset(results.configurations) - frozenset(results.candidates) if results.candidates else frozenset()
    return environment.from_string(source("report.html.j2")).render(
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script, shelf.beside),
        facts={**about, **_facts(results)},
        finding=_found(results),
        categories=CATEGORY_NAMES,
        landmarks=list(_landmarks(results)),
        scripted=len(results.configurations) - len(results.candidates),
        figures=list(_drawings(results, drawn)),
        measures=EVERY,
        sections=list(_sections(sheets, stepping_back)),
        index=payload.index(results, missing),
        shelf=shelf,
        folder=FOLDER,
    )


def _policy(style: str, script: str, beside: bool) -> str:
    """Only this script and this style run; nothing is fetched, sent or framed, and text cannot become markup.

    Where worlds lie beside the page, this script may load others, from addresses that one function of it makes.
    """
    loading, trusted = (" 'strict-dynamic'", FOLDER) if beside else ("", "'none'")
    return (
        f"default-src 'none'; script-src {_hash(script)}{loading}; style-src {_hash(style)}; img-src data:; "
        f"base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types {trusted}"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _drawings(results: Results, drawn: Mapping[str, Figure]) -> Iterator[Drawing]:
    narrow, example = all_figures(results, PHONE), telling_example(results.evaluations)
    for name, caption in _FIGURES.items():
        if name in drawn:
            shown = example if name == "objective_breakdown" else None
            told = caption if shown is None else f"{caption} {decided(shown.record)}"
            link = None if shown is None else _link({"evaluation": evaluation_key(*shown.id)})
            yield Drawing(name, told, link, _inline(drawn[name], name, told), _inline(narrow[name], f"narrow-{name}", told))


def _inline(figure: Figure, name: str, caption: str) -> Markup:
    return Markup(inlined(svg_bytes(figure, "svg", text_as_paths=False), name, caption))


# -- the headline ---------------------------------------------------------------------------------------------------------


def _facts(results: Results) -> dict[str, str]:
    counts = sorted({len(results.trials(label)) for label in results.configurations})
    many = Counter(map(Kind, results.kinds.values()))
    named = (_counted(many[kind], name) for kind, name in _KINDS.items() if many[kind] or kind not in _RARE)
    return {
        "Configurations": ", ".join(named),
        "Worlds": f"{len(results.worlds):,} on {len(results.instances):,} instances of {len(results.families)} families",
        "Trials": " or ".join(map(str, counts)),
        "Evaluations": f"{len(results.evaluations):,}",
        "Scoring version": str(SCORING),
        "Judged": _judged(results),
    }


def _judged(results: Results) -> str:
    """How many evaluations were judged, and what to do about the others."""
    made, every = sum(each.judgement is not None for each in results.evaluations), len(results.evaluations)
    return "all evaluations" if made == every else f"{made:,} of {every:,} evaluations; algoworlds judge RUN does the others"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _landmarks(results: Results) -> Iterator[Landmark]:
    """The best model between the scripted agents' floor and ceiling."""
    rank = {
        label: [summary(results, label, each).mean for each in (EXACT, UTILITY, SUFFICIENT)] for label in results.configurations
    }
    agents = [label for label in results.configurations if label not in results.candidates]
    best = max(results.candidates, key=rank.__getitem__, default=None)
    chosen = [(f"Best {_KINDS[Kind(results.kinds[best])]}", best)] if best is not None else []
    if agents:
        chosen += [("Ceiling", max(agents, key=rank.__getitem__)), ("Floor", min(agents, key=rank.__getitem__))]
    for role, label in chosen:
        found, sufficient = summary(results, label, EXACT), f"{rank[label][-1]:.1f}"
        exact = f"{found.mean:.2f}" + ("" if found.sd is None else f" ± {found.sd:.2f}")
        ends = _best_interval(results, label) if label == best else ""
        yield Landmark(role, label, exact, ends, sufficient, _link({"configuration": label}))


def _found(results: Results) -> dict[str, Any]:
    """The finding, with the evaluations behind each of its figures."""
    told = headline(results)
    where = {"configuration": told.label}
    informed = {**where, "sufficiency": 1}
    return {"told": told, "everything": _link(where), "informed": _link(informed), "optimal": _link({**informed, "exact": 1})}


def _best_interval(results: Results, label: str) -> str:
    """Where the best model's rate lies for new instances; scripted agents are landmarks, not candidates."""
    found = best_interval(results, label)
    return "no interval: one instance a family" if found is None else f"95 % interval {interval(found)} for new instances"


# -- sheets ---------------------------------------------------------------------------------------------------------------


def _sections(sheets: Mapping[str, FilledSheet], back: frozenset[str]) -> Iterator[tuple[Section, list[View]]]:
    """The sections that have sheets; sheets come section by section."""
    for section, found in groupby(sheets.values(), key=lambda each: each.heading.section):
        yield section, [_view(each, back) for each in found]


def _view(sheet: FilledSheet, back: frozenset[str]) -> View:
    rows = [(sheet.line(at).get("configuration") in back, list(_cells(sheet, at))) for at in range(len(sheet.rows))]
    terms = terms_for(sheet.head) if sheet.data else []
    return View(sheet.name, sheet.heading.title, sheet.caption, sheet.head, rows, terms, sheet.heading.grouped)


def _cells(sheet: FilledSheet, row: int) -> Iterator[Cell]:
    for column, text in enumerate(sheet.rows[row]):
        where = _where(sheet, row, column) if column and text != NOTHING else {}
        yield Cell(text, _link(where) if where else None, " ".join(_kinds(sheet, row, column)))


def _where(sheet: FilledSheet, row: int, column: int) -> Mapping[str, Any]:
    """The evaluations behind a cell; a comparison has those of both sides."""
    line = sheet.line(row)
    if "world" in line:
        return {"evaluation": evaluation_key(line["configuration"], line["world"], line["trial"])}
    if "first" in line:
        return {"configuration": (line["first"], line["second"])}
    return sheet.where(row, column)


def _kinds(sheet: FilledSheet, row: int, column: int) -> Iterator[str]:
    if (row, column) in sheet.bold:
        yield "best"
    value = sheet.line(row)[sheet.columns[column].key] if sheet.heading.heated else None
    if isinstance(value, Summary):
        yield f"heat heat-{round(value.mean / 10)}"


def evaluation_key(configuration: str, world: str, trial: int) -> str:
    """What an address names an evaluation by."""
    return f"{one_line(configuration)}/{world}/{trial}"


def _link(where: Mapping[str, Any]) -> str:
    pairs = [(name, each) for name, value in where.items() for each in (value if isinstance(value, tuple) else (value,))]
    return "#" + urlencode([(name, one_line(str(value))) for name, value in pairs], quote_via=quote)
