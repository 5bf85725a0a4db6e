"""The site of a board: one page with rankings and figures, and a report for each of them, from which every row is linked.

The site is static: it works from a disk and from any web server, loads nothing from elsewhere and has no service behind it.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.metadata import version
from importlib.resources import files
from math import fsum
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from algoworlds.board.ranking import Standing, rank_configurations
from algoworlds.board.submissions import BoardSuite, Refusal, Submission
from algoworlds.core.canonical import JsonObject
from algoworlds.disk import read_regular_file, write_atomic
from algoworlds.errors import InputError, format_value
from algoworlds.families import load_family
from algoworlds.grid import fix_plurals, to_one_line
from algoworlds.reports.aggregate import Interval, mean
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.figure_style import PHONE_SIZE, render_figure
from algoworlds.reports.figures import ScorePoint, score_over
from algoworlds.reports.loading import run_label
from algoworlds.reports.page import THEME_STYLE
from algoworlds.reports.page import read_asset as read_report_asset
from algoworlds.reports.page.render import inline_svg
from algoworlds.reports.report import write_report
from algoworlds.reports.results import ModelEffort, Results
from algoworlds.runs.providers.effort import effort_rank
from algoworlds.suites.open import open_suite
from algoworlds.suites.record import PlayerKind
from algoworlds.tracks.track import BARE

BOARD_FORMAT = 1
PAGE, DATA, REPORTS = "index.html", "board.json", "reports"
"""The page, the same as data, and the folder of reports."""

KIND_TITLES = {
    PlayerKind.MODEL.value: "model",
    PlayerKind.EXTERNAL.value: "external agent",
    PlayerKind.HUMAN.value: "human",
    PlayerKind.AGENT.value: "scripted agent",
}


@dataclass(frozen=True)
class Division:
    """Submissions that can be ranked together: same suite, same worlds, same track."""

    suite: BoardSuite
    track: str
    worlds: frozenset[str]
    submissions: tuple[Submission, ...]

    @property
    def is_whole(self) -> bool:
        """Whether all worlds of the suite were played."""
        return len(self.worlds) == self.suite.world_count

    @property
    def title(self) -> str:
        """The heading of the division."""
        part = "" if self.is_whole else f", {len(self.worlds):,} of {self.suite.world_count:,} worlds"
        aids = "" if self.track == BARE.name else f", with the aids of the track {self.track}"
        return f"Suite {self.suite.name}{part}{aids}"


def form_divisions(submissions: Sequence[Submission]) -> list[Division]:
    """Group `submissions`: whole suites first, the largest division first."""
    groups: dict[tuple[str, str, frozenset[str]], list[Submission]] = {}
    for submission in submissions:
        groups.setdefault((submission.suite.root, submission.run.track, submission.worlds), []).append(submission)
    divisions = [Division(own[0].suite, track, worlds, tuple(own)) for (_, track, worlds), own in groups.items()]
    return sorted(
        divisions, key=lambda one: (not one.is_whole, one.track != BARE.name, -len(one.submissions), one.title, min(one.worlds))
    )


class Slice(NamedTuple):
    """Exact optimality (percent) of one configuration by family or level."""

    label: str
    rates: tuple[float, ...]


@dataclass(frozen=True)
class Row:
    """One configuration of a ranking: its standing, its submission and what it took per evaluation."""

    standing: Standing
    submission: Submission
    evaluations: tuple[Evaluation, ...]
    model_effort: ModelEffort | None
    report: str
    """The address of the division's report."""

    @property
    def label(self) -> str:
        """The name of the configuration."""
        return self.standing.label

    @property
    def model(self) -> str:
        """The name by which the model was requested; empty unless its configuration states an effort."""
        return "" if self.model_effort is None else self.model_effort.model

    @property
    def effort(self) -> str:
        """The reasoning effort; empty if none was set."""
        return "" if self.model_effort is None else self.model_effort.effort

    @cached_property
    def cost(self) -> float | None:
        """USD per evaluation; None unless every evaluation states it."""
        costs = [evaluation.record["cost"] for evaluation in self.evaluations]
        return None if None in costs else fsum(costs) / len(costs)

    @cached_property
    def tokens(self) -> float | None:
        """Output tokens per evaluation, median; None unless every evaluation states them."""
        counts: list[int | None] = [(evaluation.record["tokens"] or {}).get("output") for evaluation in self.evaluations]
        known = [count for count in counts if count is not None]
        return float(median(known)) if len(known) == len(counts) else None

    @property
    def calls(self) -> float:
        """Executed calls per evaluation, mean."""
        return mean([evaluation.executed_calls for evaluation in self.evaluations])

    @property
    def utility(self) -> float:
        """Mean utility."""
        return mean([evaluation.utility for evaluation in self.evaluations])

    @property
    def justified_share(self) -> float | None:
        """Percentage of justified optima; None unless every evaluation was judged."""
        footings = [evaluation.judged_value("footing") for evaluation in self.evaluations]
        return None if None in footings else 100 * mean([footing == "justified" for footing in footings])

    @property
    def kind(self) -> str:
        """The kind of player, in words."""
        return KIND_TITLES[self.submission.run.kind.value]

    @property
    def link(self) -> str:
        """The address of the evaluations behind the row."""
        return f"{self.report}#{urlencode({'configuration': to_one_line(self.label)}, quote_via=quote)}"

    @property
    def json(self) -> JsonObject:
        """The row as data."""
        standing, statement = asdict(self.standing), self.submission.statement
        return standing | {
            "interval": None if self.standing.interval is None else list(self.standing.interval),
            "kind": self.submission.run.kind.value,
            "by": statement.by,
            "date": statement.date,
            "links": list(statement.links),
            "badges": list(self.submission.badges),
            "trials": self.submission.trials,
            "effort": self.effort,
            "cost": self.cost,
            "tokens": self.tokens,
            "calls": self.calls,
            "utility": self.utility,
            "justified": self.justified_share,
            "evaluations": self.link,
        }


@dataclass(frozen=True)
class Section:
    """One ranking of the page, with its figures and its tables by family and level."""

    anchor: str
    division: Division
    rows: tuple[Row, ...]
    results: Results

    @property
    def title(self) -> str:
        """The heading."""
        return self.division.title

    @property
    def facts(self) -> list[str]:
        """What stands below the heading."""
        suite, results = self.division.suite, self.results
        sizes = f"{len(results.worlds):,} worlds on {len(results.instances):,} instances of {len(results.families)} families"
        facts = [fix_plurals(sizes), f"suite root {suite.root[:16]}..."]
        if suite.is_public:
            facts.append(
                "a public suite, whose answers anyone with the code can compute: a replay proves what was done, not that "
                "nothing was looked up"
            )
        return facts

    @cached_property
    def families(self) -> tuple[tuple[str, ...], list[Slice]]:
        """Exact optimality by family: the titles, and a row per configuration."""
        names = self.results.families
        return tuple(load_family(name).title for name in names), [
            Slice(row.label, tuple(_rate(row.evaluations, "family", name) for name in names)) for row in self.rows
        ]

    @cached_property
    def levels(self) -> tuple[tuple[str, ...], list[Slice]]:
        """Exact optimality by level: the titles, and a row per configuration."""
        levels = self.results.levels
        return tuple(f"Level {level}" for level in levels), [
            Slice(row.label, tuple(_rate(row.evaluations, "level", level) for level in levels)) for row in self.rows
        ]

    @cached_property
    def figures(self) -> list[tuple[str, Markup, Markup]]:
        """Figures with their captions, in a wide and a narrow drawing."""
        drawn: list[tuple[str, str, list[ScorePoint], str, str, tuple[str, ...]]] = []
        costs = [_point(row, row.cost) for row in self.rows if row.cost]
        if len(costs) > 1:
            caption = "Exact optimality over the cost of an evaluation, at the prices that each configuration states."
            drawn.append((f"{self.anchor}-cost", caption, costs, "Score and cost", "USD per evaluation", ()))
        efforts = sorted({row.effort for row in self.rows if row.effort}, key=effort_rank)
        if len(efforts) > 1:
            points = [_point(row, efforts.index(row.effort)) for row in self.rows if row.effort]
            caption = "Exact optimality over reasoning effort; a line joins the configurations of one model."
            drawn.append((f"{self.anchor}-effort", caption, points, "Score and reasoning effort", "effort", tuple(efforts)))
        return [
            (
                caption,
                _draw(name, caption, points, title, axis, ticks, narrow=False),
                _draw(f"narrow-{name}", caption, points, title, axis, ticks, narrow=True),
            )
            for name, caption, points, title, axis, ticks in drawn
        ]

    @property
    def json(self) -> JsonObject:
        """The ranking as data."""
        suite = self.division.suite
        return {
            "suite": {"name": suite.name, "root": suite.root, "worlds": suite.world_count},
            "track": self.division.track,
            "worlds": len(self.division.worlds),
            "ranking": [row.json for row in self.rows],
        }


def _rate(evaluations: Sequence[Evaluation], name: str, value: Any) -> float:
    own = [evaluation.exact for evaluation in evaluations if getattr(evaluation, name) == value]
    return 100 * mean(own)


def _point(row: Row, x: float | None) -> ScorePoint:
    interval = row.standing.interval
    ends = None if interval is None else (interval.low, interval.high)
    return ScorePoint(row.label, x or 0.0, row.standing.exact, ends, row.model)


def _draw(
    name: str, caption: str, points: Sequence[ScorePoint], title: str, axis: str, ticks: Sequence[str], narrow: bool
) -> Markup:
    sized = {"size": PHONE_SIZE} if narrow else {}
    figure = score_over(points, title, axis, ticks, **sized)
    return Markup(inline_svg(render_figure(figure, "svg", text_as_paths=False), name, caption))


def write_board(
    out: Path,
    submissions: Sequence[Submission],
    refusals: Sequence[Refusal],
    include_responses: bool = True,
    include_thinking: bool = True,
) -> JsonObject:
    """Write the site of a board into `out`, which must be new, empty or an earlier board, and return it as data."""
    _check_site_folder(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".board.", dir=out.parent) as temporary:
        folder = Path(temporary)
        folder.chmod(0o755)
        sections = list(_write_sections(folder, form_divisions(submissions), include_responses, include_thinking))
        document: JsonObject = {
            "format": BOARD_FORMAT,
            "algoworlds": version("algoworlds"),
            "boards": [section.json for section in sections],
            "refused": [{"source": refusal.source.name, "reason": refusal.reason} for refusal in refusals],
        }
        write_atomic(folder / PAGE, _render(sections, refusals).encode())
        write_atomic(folder / DATA, (json.dumps(document, indent=1) + "\n").encode())
        _replace_site(folder, out)
    return document


def _write_sections(
    folder: Path, divisions: Sequence[Division], include_responses: bool, include_thinking: bool
) -> Iterator[Section]:
    """Write the report of every division and return its ranking."""
    for number, division in enumerate(divisions, start=1):
        anchor = f"board-{number}"
        report = Path(REPORTS) / anchor
        written = write_report(
            [submission.run for submission in division.submissions],
            open_suite(division.suite.path, division.track),
            folder / report,
            include_comparisons=True,
            include_panel=False,
            include_responses=include_responses,
            include_thinking=include_thinking,
        )
        results, by_label = written.results, {run_label(submission.run): submission for submission in division.submissions}
        rows = [
            Row(
                standing,
                by_label[standing.label],
                tuple(row for trial in results.trials(standing.label) for row in trial),
                results.efforts.get(standing.label),
                f"{report.as_posix()}/{written.page.name}",
            )
            for standing in rank_configurations(results)
        ]
        yield Section(anchor, division, tuple(rows), results)


def _check_site_folder(out: Path) -> None:
    """InputError unless `out` is missing, empty or an earlier board."""
    if not out.exists():
        return
    if not out.is_dir():
        raise InputError(f"{format_value(out)} is not a directory: choose another --out")
    names = {path.name for path in out.iterdir()}
    if not names:
        return
    try:
        is_board = json.loads(read_regular_file(out / DATA))["format"] >= 1
    except (OSError, ValueError, KeyError, TypeError):
        is_board = False
    if not is_board or names - {PAGE, DATA, REPORTS}:
        raise InputError(f"{format_value(out)} is neither empty nor an earlier board alone: choose another --out")


def _replace_site(folder: Path, out: Path) -> None:
    """Move the finished site in `folder` to `out`; the page comes last, so that it never links to what is not there."""
    out.mkdir(parents=True, exist_ok=True)
    for name in (REPORTS, DATA, PAGE):
        if (out / name).is_dir():
            shutil.rmtree(out / name)
        if (folder / name).exists():
            (folder / name).replace(out / name)


def _format_interval(interval: Interval | None) -> str:
    return "" if interval is None else f"{interval.low:.1f} to {interval.high:.1f}"


def _render(sections: Sequence[Section], refusals: Sequence[Refusal]) -> str:
    """The page as one HTML text."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["plain"] = to_one_line
    environment.filters["interval"] = _format_interval
    template = files(__package__).joinpath("board.html.j2").read_text(encoding="utf-8")
    style = read_report_asset(THEME_STYLE) + files(__package__).joinpath("board.css").read_text(encoding="utf-8")
    return environment.from_string(template).render(
        style=Markup(style), sections=sections, refusals=refusals, version=version("algoworlds"), data=DATA
    )
