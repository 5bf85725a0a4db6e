"""Sheets about assisted tracks: what each configuration reaches with which aid, and the losses between tracks.

The tables of the paper, the ranking and the comparisons take bare configurations only; assisted ones stand here.
"""

from collections.abc import Callable
from itertools import pairwise
from operator import attrgetter
from statistics import median
from typing import Any, NamedTuple

from algoworlds.core.canonical import JsonObject
from algoworlds.knowledge.oracle import Determination
from algoworlds.reports.aggregate import Interval
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.intervals import Estimate, estimate_mean, estimate_rate, family_strata, rate_interval, sum_by_instance
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import (
    TRACKS_SECTION,
    RowSubject,
    Sheet,
    SheetColumn,
    decimals,
    format_estimate,
    format_interval,
    format_p_value,
    format_signed,
)
from algoworlds.reports.statistics import compare_paired
from algoworlds.tracks.track import BARE, LADDER, TRACKS

STAGE_OF_STEP = {"code": "compute", "solver": "search", "tables": "model", "facts": "read"}
"""The stage that a track takes away from an agent, compared with the track before it on the ladder."""


class TrackResults(NamedTuple):
    """A configuration on one track: its results, and its label there."""

    results: Results
    label: str
    track: str

    @property
    def trials(self) -> int:
        """The number of trials."""
        return len(self.results.trials(self.label))

    @property
    def evaluations(self) -> list[Evaluation]:
        """All evaluations."""
        return [evaluation for trial in self.results.trials(self.label) for evaluation in trial]

    @property
    def successes(self) -> list[int]:
        """Solved evaluations by instance."""
        return sum_by_instance(self.results, self.label, attrgetter("exact"))

    @property
    def sizes(self) -> list[int]:
        """Evaluations by instance."""
        return sum_by_instance(self.results, self.label, lambda evaluation: 1)


def ladders(results: Results) -> dict[str, list[TrackResults]]:
    """The tracks of every configuration that played on an assisted track, by its label without the track, in track order."""
    tracks: dict[str, list[TrackResults]] = {}
    for part in (results, results.assisted):
        if part is None:
            continue
        for label in part.configurations:
            track = part.trials(label)[0][0].track
            name = label.removesuffix(f" + {track}") if track != BARE.name else label
            tracks.setdefault(name, []).append(TrackResults(part, label, track))
    order = list(TRACKS)
    return {
        name: sorted(own, key=lambda track_results: order.index(track_results.track))
        for name, own in tracks.items()
        if any(track_results.track != BARE.name for track_results in own)
    }


# -- results on each track ------------------------------------------------------------------------------------------------


def _track_subjects(results: Results) -> list[RowSubject]:
    return [
        RowSubject({"player": name, "track": track_results.track}, track_results)
        for name, tracks in ladders(results).items()
        for track_results in tracks
    ]


def _rate(metric: Callable[[Evaluation], float]) -> Callable[[TrackResults], JsonObject]:
    """The mean of a metric on the scale 0-100, with its interval."""

    def compute(track_results: TrackResults) -> JsonObject:
        estimate = estimate_rate(track_results.results, track_results.label, metric)
        interval = rate_interval(estimate)
        return {"mean": 100 * estimate.value, "interval": None if interval is None else interval.scale(100)}

    return compute


def _determined_share(track_results: TrackResults) -> float | None:
    """The share of judged evaluations in which the optimum was known at the end, in percent."""
    judged = [
        evaluation.judged_value("knowledge") for evaluation in track_results.evaluations if evaluation.judgement is not None
    ]
    known = [value for value in judged if value is not None]
    determined = known.count(Determination.DETERMINED.value)
    return 100 * determined / len(known) if known else None


def _exact_if_determined(track_results: TrackResults) -> float | None:
    solved = [
        evaluation.exact
        for evaluation in track_results.evaluations
        if evaluation.judged_value("knowledge") == Determination.DETERMINED.value
    ]
    return 100 * sum(solved) / len(solved) if solved else None


def _users(track_results: TrackResults) -> float | None:
    """The share of evaluations that used a program, in percent; None on the bare track."""
    if track_results.track == BARE.name:
        return None
    used = [bool(evaluation.record["programs"]) for evaluation in track_results.evaluations]
    return 100 * used.count(True) / len(used)


def _median(field: str) -> Callable[[TrackResults], float | None]:
    return lambda track_results: (
        None if track_results.track == BARE.name else float(median(one.record[field] for one in track_results.evaluations))
    )


ASSISTED_RESULTS = Sheet(
    "assisted_results",
    "Results on each track",
    TRACKS_SECTION,
    """The same worlds with one more aid from track to track, over {instances} instances: exact optimality, feasibility,
    utility and information sufficiency with 95% intervals for new instances; the share of judged evaluations whose answers
    determined the optimum, and of those the share solved; the share that used a program, and the median number of programs
    and of millions of instructions. calls stands beside the ladder. {bare}""",
    _track_subjects,
    (
        SheetColumn("player", "Configuration", str),
        SheetColumn("track", "Track", str),
        SheetColumn("exact", "Exact", format_estimate, _rate(lambda one: 100 * one.exact)),
        SheetColumn("feasible", "Feasible", format_estimate, _rate(lambda one: 100 * one.feasible)),
        SheetColumn("utility", "Utility", format_estimate, _rate(attrgetter("utility"))),
        SheetColumn("sufficiency", "Sufficient", format_estimate, _rate(lambda one: 100 * one.sufficiency)),
        SheetColumn("determined", "Determined", decimals(1), _determined_share),
        SheetColumn("exact_if_determined", "Exact if determined", decimals(1), _exact_if_determined),
        SheetColumn("users", "Used a program", decimals(1), _users),
        SheetColumn("programs", "Programs", decimals(1), _median("programs")),
        SheetColumn("computed", "Compute", decimals(0), _median("computed")),
    ),
    caption_values=lambda results: {"bare": _bare_note(results)},
    grouped=True,
)


def _bare_note(results: Results) -> str:
    """What a caption says if configurations were not played on the bare track."""
    missing = [name for name, tracks in ladders(results).items() if tracks[0].track != BARE.name]
    return f"Without a run on bare: {', '.join(missing)}." if missing else ""


# -- losses between tracks ------------------------------------------------------------------------------------------------


class Loss(NamedTuple):
    """A loss in percentage points: the stages it is in, the tracks it lies between, its interval and tests."""

    stages: str
    between: str
    points: float
    interval: Interval | None
    p: float | None = None
    holm: float | None = None


def stage_losses(tracks: list[TrackResults]) -> list[Loss]:
    """The losses of one configuration between its tracks of the ladder; a missing track joins its neighbours."""
    names = [track.name for track in LADDER]
    ladder = [track_results for track_results in tracks if track_results.track in names]
    if not ladder:
        return []
    steps = list(pairwise(ladder))
    differences = [
        [first.trials * after - second.trials * before for before, after in zip(first.successes, second.successes, strict=True)]
        for first, second in steps
    ]
    units = [1 / (first.trials * second.trials) for first, second in steps]
    sizes = [[size // first.trials for size in first.sizes] for first, _ in steps]
    tests = compare_paired(family_strata(ladder[0].results), differences, sizes, units)
    losses = [
        Loss(_stages(names, first.track, second.track), f"{first.track} to {second.track}", *test)
        for (first, second), test in zip(steps, tests, strict=True)
    ]
    left = [STAGE_OF_STEP[name] for name in names[names.index(ladder[-1].track) + 1 :]]
    losses.append(_rest(" + ".join([*left, "gather"]), f"{ladder[-1].track} to 100 %", ladder[-1]))
    return [*losses, _rest("total", f"{ladder[0].track} to 100 %", ladder[0])]


def _stages(names: list[str], first: str, second: str) -> str:
    return " + ".join(STAGE_OF_STEP[name] for name in names[names.index(first) + 1 : names.index(second) + 1])


def _rest(stages: str, between: str, track_results: TrackResults) -> Loss:
    """What a track lacks to solving everything."""
    unsolved = [size - solved for size, solved in zip(track_results.sizes, track_results.successes, strict=True)]
    estimate: Estimate = estimate_mean(family_strata(track_results.results), unsolved, track_results.sizes)
    interval = rate_interval(estimate)
    return Loss(stages, between, 100 * estimate.value, None if interval is None else interval.scale(100))


def _loss_subjects(results: Results) -> list[RowSubject]:
    return [
        RowSubject({"player": name, "stages": loss.stages}, loss)
        for name, tracks in ladders(results).items()
        for loss in stage_losses(tracks)
    ]


def _column(key: str, head: str, formatter: Callable[[Any], str], name: str) -> SheetColumn:
    return SheetColumn(key, head, formatter, attrgetter(name))


LOSSES = Sheet(
    "losses",
    "Where exact optimality is lost",
    TRACKS_SECTION,
    """Differences in exact optimality between neighbouring tracks of the ladder, in percentage points: what each aid takes
    away. They add up to the total. A negative loss is an aid that hurt. 95% intervals are for new instances of these
    families, p is by the sign-flip test over instances, adjusted by Holm over the steps of a configuration. A missing track
    joins its two neighbours. Shares depend on this order of aids: another order can give other shares. An agent may gather
    otherwise when it has aids, which the column Determined of the results on each track shows. {bare}""",
    _loss_subjects,
    (
        SheetColumn("player", "Configuration", str),
        SheetColumn("stages", "Lost in", str),
        _column("between", "Between", str, "between"),
        _column("points", "Loss", format_signed, "points"),
        _column("interval", "95% interval", format_interval, "interval"),
        _column("p", "p (sign flip)", format_p_value, "p"),
        _column("holm", "p (Holm)", format_p_value, "holm"),
    ),
    caption_values=lambda results: {"bare": _bare_note(results)},
    grouped=True,
)
