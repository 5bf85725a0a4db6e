"""Load the runs of a report: check that they can be compared and that their records are complete and unaltered."""

from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from algoworlds.errors import InputError, format_value, quote_value
from algoworlds.measures.judging import JUDGING_VERSION
from algoworlds.reports import Ranking
from algoworlds.reports.evaluation import Evaluation, EvaluationId, InternPool, display_label
from algoworlds.reports.output_folder import PANEL_FOLDER
from algoworlds.reports.results import Results, read_evaluations
from algoworlds.runs.directory import RunDirectory, sort_slots
from algoworlds.runs.judgement import JUDGEMENT_FORMAT
from algoworlds.runs.schedule import Slot
from algoworlds.runs.status import integrity_problems
from algoworlds.suites.open import Suite

PANEL_AGENTS = ("null", "random", "greedy", "oracle")
"""The scripted agents that are floor and ceiling of every report; `algoworlds panel` plays them."""


_MISSING_RECORD = ": no finalized record"
"""The end of the problem that `integrity_problems` reports for an evaluation without a record."""


class RunSnapshot(RunDirectory):
    """A run as it was when its records were first listed; later records are ignored, since the run may go on."""

    @cached_property
    def _judged_at_start(self) -> set[Slot]:
        return super().judged_slots

    @cached_property
    def _finished_at_start(self) -> set[Slot]:
        _ = self._judged_at_start  # listed first, so that every judgement has its record
        return super().finished_slots

    @property
    def finished_slots(self) -> set[Slot]:
        """The evaluations that had a final record."""
        return self._finished_at_start

    @property
    def judged_slots(self) -> set[Slot]:
        """The evaluations that had a judgement and a record."""
        return self._judged_at_start & self._finished_at_start


class LoadedRuns(NamedTuple):
    """Runs, their evaluations, and the labels of runs whose records fail verification."""

    runs: tuple[RunDirectory, ...]
    evaluations: tuple[Evaluation, ...]
    unverified: tuple[str, ...]

    def select_comparable(self) -> "LoadedRuns":
        """The evaluations of unfinished runs that can be compared: on the same worlds, equally many of each.

        A configuration keeps the first n finished trials of each world that has n in every run; n is the number, up to the
        trials of a complete run, that keeps the most evaluations. InputError if no world is finished in every run.
        """
        by_world: dict[str, dict[str, list[Evaluation]]] = {}
        for evaluation in sorted(self.evaluations, key=lambda row: row.trial):
            by_label = by_world.setdefault(evaluation.world, {})
            by_label.setdefault(evaluation.configuration, []).append(evaluation)
        trials = {run_label(run): int(run.document["plan"]["trials"]) for run in self.runs}

        def select(count: int) -> list[Evaluation]:
            wanted = {label: min(count, most) for label, most in trials.items()}
            return [
                evaluation
                for by_label in by_world.values()
                if all(len(by_label.get(label, ())) >= least for label, least in wanted.items())
                for label, least in wanted.items()
                for evaluation in by_label[label][:least]
            ]

        selected = max((select(count) for count in range(max(trials.values()), 0, -1)), key=len)
        if not selected:
            raise InputError("no world is finished in every run yet: wait, or look at single evaluations with algoworlds show")
        return self._replace(evaluations=tuple(selected))

    def select_worlds(self, worlds: Collection[str]) -> "LoadedRuns":
        """Only the evaluations on `worlds`."""
        return self._replace(evaluations=tuple(evaluation for evaluation in self.evaluations if evaluation.world in worlds))

    def combine(self, other: "LoadedRuns") -> "LoadedRuns":
        """These runs followed by those of `other`."""
        return LoadedRuns(self.runs + other.runs, self.evaluations + other.evaluations, self.unverified + other.unverified)

    def to_results(
        self, ranking: Ranking = Ranking.EXACT, worlds: Collection[str] | None = None, partial: bool = False
    ) -> Results:
        """Check the evaluations against the schedules of the runs, restricted to `worlds` if given.

        If the runs are `partial`, the schedule is restricted to the evaluations that are there.
        """
        labels = [run_label(run) for run in self.runs]
        order = {Ranking.EXACT: [], Ranking.GIVEN: labels, Ranking.NAME: sorted(labels)}[ranking]
        expected = [
            (label, slot.world, slot.trial)
            for label, run in zip(labels, self.runs, strict=True)
            for slot in run.schedule
            if worlds is None or slot.world in worlds
        ]
        if partial:
            present = {evaluation.id for evaluation in self.evaluations}
            expected = [key for key in expected if EvaluationId(*key) in present]
        return Results.from_evaluations(self.evaluations, expected, order)


def run_label(run: RunDirectory) -> str:
    """The name of the configuration of `run` in a report."""
    return display_label(str(run.document["plan"]["label"]), run.kind, run.track)


def load_runs(runs: Sequence[RunDirectory], allow_unverified: bool, allow_partial: bool = False) -> LoadedRuns:
    """Read every record once.

    InputError if a run is incomplete, unless `allow_partial`, or fails verification, unless `allow_unverified`. Runs that may
    go on while they are read must be `RunSnapshot`.
    """
    evaluations: list[Evaluation] = []
    suspect, shared = [], InternPool()
    for run in runs:
        plan = run.document["plan"]  # tables need every world in every trial, whatever the schedule says
        planned = {(world, trial) for world in plan["prompts"] for trial in range(1, plan["trials"] + 1)}
        if len(run.schedule) != len(planned) or {(slot.world, slot.trial) for slot in run.schedule} != planned:
            location = format_value(run.path / "run.json")
            raise InputError(f"{location} is altered: its schedule is not every world in every trial")
        loaded = read_evaluations(run.read_records(), shared)
        evaluations += add_judgements(run, loaded)
        problems = integrity_problems(run, [evaluation.record for evaluation in loaded])
        if allow_partial:
            problems = [problem for problem in problems if not _is_progress(problem, run)]
        if problems:
            suspect.append((run, problems))
    loaded_runs = LoadedRuns(tuple(runs), tuple(evaluations), tuple(run_label(run) for run, _ in suspect))
    if runs and not allow_partial:  # the panel may be empty
        loaded_runs.to_results()  # reports missing records before altered ones
    if suspect and not allow_unverified:
        run, problems = suspect[0]
        others = f", and {len(problems) - 1:,} more" if len(problems) > 1 else ""
        raise InputError(
            f"{format_value(run.path)} is not as it was sealed ({problems[0]}{others}): algoworlds verify-run says what is "
            "wrong; --unverified reports it all the same, with a mark on every table and figure"
        )
    return loaded_runs


def _is_progress(problem: str, run: RunDirectory) -> bool:
    """Whether `problem` says only that the run is not finished, or that it went on after its records were listed."""
    path = Path(problem.partition(":")[0])
    judged_later = path.parent.name == "judgements" and path.stem not in {slot.name for slot in run.judged_slots}
    being_written = path.name.startswith(".") and path.suffix == ".partial"
    unsealed = problem.startswith("manifest.json: missing")
    return problem.endswith(_MISSING_RECORD) or judged_later or being_written or unsealed


def add_judgements(run: RunDirectory, evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """Attach the judgements of `run`, where there are any; InputError if they are of another version."""
    judgements = {(slot.world, slot.trial): run.read_judgement(slot) for slot in sort_slots(run.judged_slots)}
    versions = {(judgement.get("format"), judgement.get("judging")) for judgement in judgements.values()}
    if versions - {(JUDGEMENT_FORMAT, JUDGING_VERSION)}:
        location = format_value(run.path / "judgements")
        raise InputError(f"{location} was made by another version: algoworlds judge {format_value(run.path)} makes it again")
    pairs = [(evaluation, judgements.get((evaluation.world, evaluation.trial))) for evaluation in evaluations]
    return [evaluation if judgement is None else evaluation.with_judgement(judgement) for evaluation, judgement in pairs]


# -- runs that can be compared --------------------------------------------------------------------------------------------


def worlds_to_compare(runs: Sequence[RunDirectory], suite: Suite | None, common: bool = False) -> frozenset[str]:
    """The worlds that `runs` are compared on; InputError unless they are of one suite and have different labels.

    All runs must have played the same worlds; with `common`, the worlds that all of them played are enough, because people
    seldom play as many worlds as models.
    """
    check_same_suite(runs, suite)
    _check_labels(runs)
    played = [set(run.document["plan"]["prompts"]) for run in runs]
    worlds = frozenset.intersection(*map(frozenset, played))
    if common and not worlds:
        raise InputError("there is no world that all of these runs have played: report them separately")
    for run, other in zip(runs, played, strict=True):
        if not common and other != played[0]:
            raise InputError(
                f"{format_value(runs[0].path)} and {format_value(run.path)} played different worlds ({len(played[0])} and "
                f"{len(other)}, {len(played[0] & other)} in common): report those in common by --common, or run both on the "
                "same worlds"
            )
    return worlds


def check_same_suite(runs: Sequence[RunDirectory], suite: Suite | None) -> None:
    """InputError unless all `runs` are of one suite, and of `suite` if given."""
    roots = {run.document["plan"]["suite"]["root"]: run.path for run in runs}
    if len(roots) > 1:
        paths = ", ".join(f"{format_value(path)} ({root[:8]}...)" for root, path in roots.items())
        raise InputError(f"the runs were made on different suites: {paths}; report them separately")
    if suite is not None and suite.manifest.root not in roots:
        raise InputError(f"{format_value(suite.directory)} is not the suite of these runs: name the right one with --suite")


def _check_labels(runs: Sequence[RunDirectory]) -> None:
    """InputError if a run is given twice or two runs have the same label."""
    paths_by_label: dict[str, list[Path]] = {}
    for run in runs:
        paths_by_label.setdefault(run_label(run), []).append(run.path)
    for label, paths in paths_by_label.items():
        if len({path.resolve() for path in paths}) < len(paths):
            raise InputError(f"{format_value(paths[0])} is named twice: name every run once")
        if len(paths) > 1:
            both = " and ".join(map(format_value, paths[:2]))
            raise InputError(f"{both} are both runs of {quote_value(label)}: report them separately, or label one differently")


def find_panel_runs(runs: Sequence[RunDirectory], worlds: Collection[str], out: Path) -> list[RunDirectory]:
    """The scripted runs in the panel folder of `out` whose agents `runs` do not contain.

    InputError if one of them is unfinished or was played on other worlds than `worlds`.
    """
    labels = {run.document["plan"]["label"] for run in runs}
    folders = [out / PANEL_FOLDER / name for name in PANEL_AGENTS if name not in labels]
    panel = [RunDirectory(folder) for folder in folders if (folder / "run.json").exists()]
    for run in panel:
        plan, suite = run.document["plan"], runs[0].document["plan"]["suite"]["root"]
        if (plan["suite"]["root"], set(plan["prompts"])) != (suite, set(worlds)):
            raise InputError(
                f"{format_value(run.path)} was played on other worlds than these runs: remove it, or use --no-panel"
            )
        if run.finished_slots != set(run.schedule):
            raise InputError(f"{format_value(run.path)} is not finished: run algoworlds panel again, or use --no-panel")
    return panel
