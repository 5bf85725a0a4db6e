"""From run directories to conclusions: records and judgements collected, sheets, figures and the page written."""

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from algoworlds.collector import uncollected
from algoworlds.reports.benchmark import suite_sheets
from algoworlds.reports.evaluation import EvaluationId
from algoworlds.reports.folder import replace_files, report_place
from algoworlds.reports.gather import Gathered, comparable, gather, label_of
from algoworlds.reports.page import FOLDER, PAGE, report_files
from algoworlds.reports.page.scene import DISCREET, UNSTAGED, staged
from algoworlds.reports.panel import floor_and_ceiling
from algoworlds.reports.ranking import Ranking
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import FilledSheet
from algoworlds.reports.sheets.inference import COMPARISONS
from algoworlds.reports.write import filled_sheets, sheet_files
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.judgement import judge_runs
from algoworlds.runs.schedule import PROTOCOL
from algoworlds.runs.status import attempts_of, starts_of
from algoworlds.suites.opened import Opened
from algoworlds.suites.suite import DEFAULT


@dataclass(frozen=True)
class Concluded:
    """What a report was made of and what was written."""

    results: Results
    sheets: dict[str, FilledSheet]
    page: Path
    beside: Path | None
    """The folder that the page loads single evaluations from; None where it holds them itself."""


@uncollected()
def conclude(
    runs: Sequence[RunDirectory],
    suite: Opened | None,
    out: Path,
    executor: Executor | None = None,
    progress: Callable[[int, int], Any] = lambda done, total: None,
    *,
    compare: bool = False,
    panel: bool = True,
    unverified: bool = False,
    responses: bool = True,
    ranking: Ranking = Ranking.EXACT,
    common: bool = False,
) -> Concluded:
    """Write everything; without the suite, what needs it is left out: floor and ceiling, benchmark tables.

    Nothing is solved for the runs: what needs the solver is taken from their judgements, and left out where there are none.
    Scripted agents that a report plays itself are judged where all runs are. `unverified` goes on with runs that are not as
    they were sealed, and marks every table and figure. Without `responses` the page holds neither what the tools told nor what
    may repeat it: what models wrote, and other instances that answer alike. `common` takes runs that played different
    worlds and reports on those that all of them have.
    """
    report_place(out)
    worlds = comparable(runs, suite, common)
    gathered = gather(runs, unverified).on(worlds)
    if suite is not None and panel:
        played = floor_and_ceiling(runs, worlds, suite, out, executor, progress)
        if all(each.judgement is not None for each in gathered.evaluations):
            judge_runs(played, suite, executor, progress)
        gathered = gathered.with_more(gather(played, unverified))
    attempts = {label_of(run): [each for each in attempts_of(run) if each["world"] in worlds] for run in gathered.runs}
    found = gathered.results(ranking, worlds).with_attempts(attempts)
    starts = {
        EvaluationId(label_of(run), slot.world, slot.trial): many
        for run in gathered.runs
        for slot, many in starts_of(run).items()
        if slot.world in worlds
    }
    results = replace(found, unverified=gathered.unverified, starts=starts)
    sheets = filled_sheets(results)
    if not compare:
        sheets.pop(COMPARISONS.name, None)
    if suite is not None:
        sheets |= suite_sheets(suite)
    if results.unverified:
        sheets = {name: replace(each, caption=f"{_mark(results)} {each.caption}") for name, each in sheets.items()}
    staging = DISCREET if not responses else UNSTAGED if suite is None else staged(suite, results.evaluations)
    files = {**sheet_files(sheets), **report_files(results, sheets, _about(gathered, worlds), staging)}
    replace_files(files, out)
    return Concluded(results, sheets, out / PAGE, _beside(files, out))


def _beside(files: Collection[str], out: Path) -> Path | None:
    return out / FOLDER if any(name.startswith(f"{FOLDER}/") for name in files) else None


def _mark(results: Results) -> str:
    """What stands before every caption where a run is not what it should be."""
    labels = ", ".join(results.unverified)
    return f"UNVERIFIED: the records of {labels} are not as they were sealed, or not this run's; do not rely on this table."


def suite_name(name: str) -> str:
    """How a suite is called; of the public one it is said that it is."""
    return f"{name}, the development split: anyone with the code can regenerate its answers" if name == DEFAULT else name


def _about(gathered: Gathered, worlds: Collection[str]) -> dict[str, str]:
    plan = gathered.runs[0].document["plan"]
    most = max(len(run.document["plan"]["prompts"]) for run in gathered.runs)
    narrowed = {"Reported on": f"the {len(worlds):,} worlds that all runs have played, of up to {most:,}"}
    checked = "identity, digests and schedule of every run hold"
    return {
        "Suite": suite_name(plan["suite"]["name"]),
        "Suite root": plan["suite"]["root"],
        **(narrowed if len(worlds) < most else {}),
        "Protocol": str(PROTOCOL),
        "Verification": f"UNVERIFIED: {', '.join(gathered.unverified)}" if gathered.unverified else checked,
    }
