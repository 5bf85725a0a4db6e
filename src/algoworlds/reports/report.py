"""Write a report: load records and judgements, fill the sheets, draw the figures and render the page."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from algoworlds.batch import pause_gc
from algoworlds.core.canonical import JsonObject
from algoworlds.families import load_family
from algoworlds.grid import Grid, fix_plurals, to_csv, to_latex, to_markdown
from algoworlds.reports import Ranking
from algoworlds.reports.evaluation import EvaluationId
from algoworlds.reports.loading import LoadedRuns, RunSnapshot, find_panel_runs, load_runs, run_label, worlds_to_compare
from algoworlds.reports.notes import read_notes
from algoworlds.reports.output_folder import check_report_folder, replace_report_files
from algoworlds.reports.page import EVALUATIONS_FOLDER, PAGE_FILE
from algoworlds.reports.page.payload import REPLAYS_OMITTED, REPLAYS_WITHOUT_SUITE, Replays, build_replays
from algoworlds.reports.results import ModelEffort, Results
from algoworlds.reports.sheet import SUITE_SECTION, FilledSheet, SheetHeading
from algoworlds.reports.sheets import SHEETS
from algoworlds.reports.sheets.uncertainty import COMPARISONS
from algoworlds.reports.thresholds import MeasurementResults, threshold_sheets
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.providers.effort import read_effort
from algoworlds.runs.schedule import PROTOCOL
from algoworlds.runs.status import read_attempts, repeated_starts
from algoworlds.suites.open import Suite
from algoworlds.suites.paper_tables import numeric_tables, scale_statistics, text_tables
from algoworlds.suites.suite import DEFAULT_SUITE_NAME

# -- the suite, next to the numbers of the paper --------------------------------------------------------------------------


@dataclass(frozen=True)
class SuiteSheet(SheetHeading):
    """A sheet about a suite; `source` names its table in `suites.paper_tables`."""

    source: str

    def fill(self, text: Grid, numbers: Grid) -> FilledSheet:
        """The sheet of a table as `text`; `numbers` is the same table with one number per cell."""
        head = ("Task family", *(title.capitalize() for title in text.head[1:]))
        rows = tuple(
            (load_family(name).title, *("this suite" if cell == "ours" else cell for cell in cells))
            for name, *cells in text.rows
        )
        return FilledSheet(self.name, " ".join(self.caption.split()), head, rows, self, numbers)


SUITE_SHEETS = (
    SuiteSheet(
        "benchmark_statistics",
        "Information and access",
        SUITE_SECTION,
        """Scale of information and access by task family, over all worlds of the suite whichever of them were played: least
        and largest. Groups are information groups; facts, calls and call cost are those of the sufficient sets and of the
        plans that acquire them; budget is what a world allows, exhaustive what asking everything would cost; work is what
        the construction algorithm counted. = marks a figure of the paper that is the same here.""",
        source="access",
    ),
    SuiteSheet(
        "work_ranges",
        "Work of the exact algorithms",
        SUITE_SECTION,
        """Operations that the construction algorithm counted, by task family and workload level, over all worlds of the
        suite: least and largest. Levels are set by this work, never by what agents achieve. = marks a figure of the paper
        that is the same here.""",
        source="work",
    ),
)


def fill_suite_sheets(suite: Suite) -> dict[str, FilledSheet]:
    """The tables of benchmark statistics and work ranges for `suite`."""
    data = scale_statistics(suite.stated_figures()) | {"validation": []}
    texts, numbers = text_tables(data), numeric_tables(data)
    return {sheet.name: sheet.fill(texts[sheet.source], numbers[sheet.source]) for sheet in SUITE_SHEETS}


# -- the report -----------------------------------------------------------------------------------------------------------


def fill_sheets(results: Results) -> dict[str, FilledSheet]:
    """Every sheet that `results` have data for, by name."""
    filled = [sheet.fill(results) for sheet in SHEETS]
    return {sheet.name: sheet for sheet in filled if sheet is not None}


def sheet_files(sheets: Mapping[str, FilledSheet]) -> dict[str, bytes]:
    """The files of `sheets`: tables.md with all, tables.json with raw values, and each sheet as Markdown, CSV and LaTeX.

    A CSV file has one number per cell. The tables of the paper come first.
    """
    ordered = sorted(sheets.values(), key=lambda sheet: not sheet.heading.in_paper)
    sections = [f"## {sheet.name.replace('_', ' ').capitalize()}\n\n{to_markdown(sheet)}\n" for sheet in ordered]
    raw_values = [sheet.json for sheet in ordered if sheet.raw_rows]
    texts = {
        "tables.md": "# Tables\n\n" + "\n".join(sections),
        "tables.json": json.dumps(raw_values, indent=1, allow_nan=False) + "\n",
    }
    for sheet in ordered:
        texts[f"{sheet.name}.md"] = to_markdown(sheet) + "\n"
        texts[f"{sheet.name}.csv"] = to_csv(sheet.unrounded) + "\n"
        texts[f"{sheet.name}.tex"] = to_latex(sheet) + "\n"
    return {name: text.encode("utf-8") for name, text in texts.items()}


def build_report_files(
    results: Results, sheets: Mapping[str, FilledSheet], about: Mapping[str, str], replays: Replays = REPLAYS_WITHOUT_SUITE
) -> dict[str, bytes]:
    """The page, the figures and the evaluations folder as file contents by name; `about` is shown in the head of the page."""
    from algoworlds.reports.page.render import pack_worlds, render_page
    from algoworlds.reports.result_figures import all_figures, figure_files

    figures, packed = all_figures(results), pack_worlds(results, replays)
    page = render_page(results, sheets, figures, about, replays.missing_reason, packed)
    contents = {f"figures/{name}": content for name, content in figure_files(figures)}
    return {**contents, **packed.files, PAGE_FILE: page.encode()}


@dataclass(frozen=True)
class WrittenReport:
    """What a report is computed from and what was written."""

    results: Results
    sheets: dict[str, FilledSheet]
    page: Path
    evaluations_folder: Path | None
    """The folder that the page loads evaluations from; None if the page contains them."""


@pause_gc()
def write_report(
    runs: Sequence[RunDirectory],
    suite: Suite | None,
    out: Path,
    *,
    include_comparisons: bool = False,
    include_panel: bool = True,
    allow_unverified: bool = False,
    include_responses: bool = True,
    include_thinking: bool = True,
    ranking: Ranking = Ranking.EXACT,
    only_common_worlds: bool = False,
    allow_partial: bool = False,
    measured: Sequence[MeasurementResults] = (),
) -> WrittenReport:
    """Write a report on `runs` into `out`; without `suite` it has neither benchmark tables nor responses.

    Nothing is played or solved: judgements are read where there are any, and the scripted runs of `algoworlds panel` are
    included if `include_panel`. With `allow_unverified`, runs that fail verification are reported and every table and
    figure is marked. Without `include_responses` the page contains no responses and nothing that may repeat them: no texts
    and no thinking of models, no messages of agents and no other instances. Without `include_thinking` it only lacks the
    thinking. With `only_common_worlds`, the report is on the worlds that all runs have played.
    With `allow_partial`, runs may be unfinished: the report is on the evaluations that are finished and can be compared, and
    every table and figure is marked. Thresholds that were `measured` come after the tables of the runs.
    """
    check_report_folder(out)
    if allow_partial:
        runs = [RunSnapshot(run.path) for run in runs]
    planned_worlds = worlds = worlds_to_compare(runs, suite, only_common_worlds)
    loaded = load_runs(runs, allow_unverified, allow_partial).select_worlds(worlds)
    scheduled = sum(slot.world in worlds for run in runs for slot in run.schedule)
    finished = None
    if len(loaded.evaluations) < scheduled:  # only if `allow_partial`
        finished = len(loaded.evaluations), scheduled
        loaded = loaded.select_comparable()
        worlds = frozenset(evaluation.world for evaluation in loaded.evaluations)
    if include_panel:
        panel = load_runs(find_panel_runs(runs, planned_worlds, out), allow_unverified)
        loaded = loaded.combine(panel.select_worlds(worlds))
    ids = {evaluation.id for evaluation in loaded.evaluations}
    attempts: dict[str, list[JsonObject]] = {}
    starts: dict[EvaluationId, int] = {}
    for run in loaded.runs:
        label = run_label(run)
        logged = [attempt for attempt in read_attempts(run) if attempt["world"] in worlds]
        if finished is not None:
            logged = [attempt for attempt in logged if EvaluationId(label, attempt["world"], attempt["trial"]) in ids]
        attempts[label] = logged
        repeated = {EvaluationId(label, slot.world, slot.trial): count for slot, count in repeated_starts(run).items()}
        starts |= {key: count for key, count in repeated.items() if key in ids}
    results = loaded.to_results(ranking, worlds, partial=finished is not None).with_attempts(attempts)
    efforts = {run_label(run): effort for run in loaded.runs if (effort := _model_effort(run)) is not None}
    results = replace(results, unverified=loaded.unverified, finished=finished, starts=starts, efforts=efforts)
    sheets = fill_sheets(results)
    if not include_comparisons:
        sheets.pop(COMPARISONS.name, None)
    if suite is not None:
        sheets |= fill_suite_sheets(suite)
    if mark := " ".join(results.marks.values()):
        sheets = {name: replace(sheet, caption=f"{mark} {sheet.caption}") for name, sheet in sheets.items()}
    sheets |= threshold_sheets(measured)
    replays = REPLAYS_WITHOUT_SUITE if include_responses else REPLAYS_OMITTED
    if include_responses:
        if suite is not None:
            replays = build_replays(suite, results.evaluations)
        labelled = {run_label(run): run for run in loaded.runs}
        replays = replace(replays, notes=read_notes(labelled, results.evaluations, include_thinking))
    files = {**sheet_files(sheets), **build_report_files(results, sheets, _run_facts(loaded, worlds, finished), replays)}
    replace_report_files(files, out)
    has_folder = any(name.startswith(f"{EVALUATIONS_FOLDER}/") for name in files)
    return WrittenReport(results, sheets, out / PAGE_FILE, out / EVALUATIONS_FOLDER if has_folder else None)


def _model_effort(run: RunDirectory) -> ModelEffort | None:
    """The model of a run and its reasoning effort; None if the run states none."""
    settings = run.document["plan"]["settings"]
    effort = read_effort(settings) if isinstance(settings, Mapping) else ""
    return ModelEffort(str(settings.get("model", "")), effort) if effort else None


def suite_title(name: str) -> str:
    """The name of a suite, with a remark if it is the public one."""
    public = ", the development split: anyone with the code can regenerate its answers"
    return name + (public if name == DEFAULT_SUITE_NAME else "")


def _run_facts(loaded: LoadedRuns, worlds: Collection[str], finished: tuple[int, int] | None) -> dict[str, str]:
    """The lines about suite and runs in the head of the page."""
    suite = loaded.runs[0].document["plan"]["suite"]
    most = max(len(run.document["plan"]["prompts"]) for run in loaded.runs)
    what = "played" if finished is None else "finished"
    subset = {"Reported on": fix_plurals(f"the {len(worlds):,} worlds that all runs have {what}, of up to {most:,}")}
    verified = "identity, digests and schedule of every run hold"
    return {
        "Suite": suite_title(suite["name"]),
        **({"Edition": suite["edition"]} if "edition" in suite else {}),
        "Suite root": suite["root"],
        **(subset if len(worlds) < most else {}),
        **({} if finished is None else {"Progress": f"{finished[0]:,} of {finished[1]:,} evaluations are finished"}),
        "Protocol": str(PROTOCOL),
        "Verification": f"UNVERIFIED: {', '.join(loaded.unverified)}" if loaded.unverified else verified,
    }
