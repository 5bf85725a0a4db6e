"""The runs of a report: whether they can be compared, and whether their records are their own, whole and unaltered."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from algoworlds.errors import InputError, quoted, shown
from algoworlds.measures.judging import JUDGING
from algoworlds.reports.evaluation import Evaluation, Shared, marked
from algoworlds.reports.ranking import Ranking
from algoworlds.reports.results import Results, read_all
from algoworlds.runs.directory import RunDirectory, in_order
from algoworlds.runs.inventory import inventory
from algoworlds.runs.judgement import FORMAT
from algoworlds.suites.opened import Opened


class Gathered(NamedTuple):
    """Runs, what their records say, and the labels of those that are not what they should be."""

    runs: tuple[RunDirectory, ...]
    evaluations: tuple[Evaluation, ...]
    unverified: tuple[str, ...]

    def on(self, worlds: Collection[str]) -> "Gathered":
        """The same on some worlds alone."""
        return self._replace(evaluations=tuple(each for each in self.evaluations if each.world in worlds))

    def with_more(self, other: "Gathered") -> "Gathered":
        """Both together."""
        return Gathered(self.runs + other.runs, self.evaluations + other.evaluations, self.unverified + other.unverified)

    def results(self, ranking: Ranking = Ranking.EXACT, worlds: Collection[str] | None = None) -> Results:
        """The evaluations, held to the runs' schedules, as far as these are about some worlds if any are named."""
        labels = [label_of(run) for run in self.runs]
        order = {Ranking.EXACT: [], Ranking.GIVEN: labels, Ranking.NAME: sorted(labels)}[ranking]
        slots = [
            (label, slot)
            for label, run in zip(labels, self.runs, strict=True)
            for slot in run.schedule
            if worlds is None or slot.world in worlds
        ]
        return Results.whole(self.evaluations, [(label, slot.world, slot.trial) for label, slot in slots], order)


def label_of(run: RunDirectory) -> str:
    """How a run's configuration is called."""
    return marked(str(run.document["plan"]["label"]), run.kind)


def gather(runs: Sequence[RunDirectory], unverified: bool) -> Gathered:
    """Read every record once; InputError for runs that are incomplete or, unless told to go on, not their own."""
    evaluations: list[Evaluation] = []
    suspect, shared = [], Shared()
    for run in runs:
        _planned(run)
        read = read_all(run.records(), shared)
        evaluations += judged(run, read)
        if problems := inventory(run, [each.record for each in read]):
            suspect.append((run, problems))
    gathered = Gathered(tuple(runs), tuple(evaluations), tuple(label_of(run) for run, _ in suspect))
    if runs:  # of the scripted agents none may be left to be played
        gathered.results()  # says what is missing before it says what is wrong
    if suspect and not unverified:
        raise InputError(_told(*suspect[0]))
    return gathered


def judged(run: RunDirectory, evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """The evaluations of a run with their judgements, where there are any; all are of this version or none is taken."""
    found = {(slot.world, slot.trial): run.judgement(slot) for slot in in_order(run.judged)}
    versions = {(each.get("format"), each.get("judging")) for each in found.values()}
    if versions - {(FORMAT, JUDGING)}:
        place = shown(run.path / "judgements")
        raise InputError(f"{place} was made by another version: remove it, then algoworlds judge {shown(run.path)}")
    told = [(each, found.get((each.world, each.trial))) for each in evaluations]
    return [each if document is None else each.judged_by(document) for each, document in told]


def _planned(run: RunDirectory) -> None:
    """Tables need every world in every trial, whatever a schedule says."""
    plan = run.document["plan"]
    asked = {(world, trial) for world in plan["prompts"] for trial in range(1, plan["trials"] + 1)}
    if len(run.schedule) != len(asked) or {(slot.world, slot.trial) for slot in run.schedule} != asked:
        raise InputError(f"{shown(run.path / 'run.json')} is altered: its schedule is not every world in every trial")


def _told(run: RunDirectory, problems: Sequence[str]) -> str:
    others = f", and {len(problems) - 1:,} more" if len(problems) > 1 else ""
    return (
        f"{shown(run.path)} is not as it was sealed ({problems[0]}{others}): algoworlds verify-run says what is wrong; "
        "--unverified reports it all the same, with a mark on every table and figure"
    )


# -- runs that can be compared --------------------------------------------------------------------------------------------


def comparable(runs: Sequence[RunDirectory], suite: Opened | None, common: bool = False) -> frozenset[str]:
    """The worlds that runs are compared on; InputError unless they are of one suite and the same worlds, one run a label.

    What they have in `common` is enough where that is asked for: people seldom play as many worlds as models.
    """
    one_suite(runs, suite)
    _one_run_a_label(runs)
    worlds = frozenset.intersection(*(frozenset(run.document["plan"]["prompts"]) for run in runs))
    if not common:
        _same_worlds(runs)
    elif not worlds:
        raise InputError("there is no world that all of these runs have played: report them apart")
    return worlds


def one_suite(runs: Sequence[RunDirectory], suite: Opened | None) -> None:
    """InputError unless the runs are of one suite, the given one if there is one."""
    roots = {run.document["plan"]["suite"]["root"]: run.path for run in runs}
    if len(roots) > 1:
        places = ", ".join(f"{shown(path)} ({root[:8]}...)" for root, path in roots.items())
        raise InputError(f"the runs were made on different suites: {places}; report them apart")
    if suite is not None and suite.manifest.root not in roots:
        raise InputError(f"{shown(suite.directory)} is not the suite of these runs: name the right one with --suite")


def _one_run_a_label(runs: Sequence[RunDirectory]) -> None:
    places: dict[str, list[Path]] = {}
    for run in runs:
        places.setdefault(label_of(run), []).append(run.path)
    for label, paths in places.items():
        if len({path.resolve() for path in paths}) < len(paths):
            raise InputError(f"{shown(paths[0])} is named twice: name every run once")
        if len(paths) > 1:
            both = " and ".join(map(shown, paths[:2]))
            raise InputError(f"{both} are both runs of {quoted(label)}: report them apart, or label one anew")


def _same_worlds(runs: Sequence[RunDirectory]) -> None:
    first, *others = [(run.path, set(run.document["plan"]["prompts"])) for run in runs]
    for path, worlds in others:
        if worlds != first[1]:
            raise InputError(
                f"{shown(first[0])} and {shown(path)} played different worlds ({len(first[1])} and {len(worlds)}, "
                f"{len(first[1] & worlds)} in common): report those in common by --common, or run both on the same worlds"
            )
