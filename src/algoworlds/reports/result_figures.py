"""The figures of a report: the numbers that each one shows, and their files."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from statistics import median_low

from matplotlib.figure import Figure

from algoworlds.core.interface import Interface
from algoworlds.families import load_family
from algoworlds.knowledge.observed import BUDGET_PARTS
from algoworlds.reports import figures
from algoworlds.reports.aggregate import Condition, filter_trials, mean, percent_of, summarize
from algoworlds.reports.decision_comparison import lower_is_better, objective_terms
from algoworlds.reports.evaluation import OPTIMAL, SUBOPTIMAL, Evaluation
from algoworlds.reports.figure_style import FIGURE_FORMATS, PRINT_SIZE, FigureSize, render_figure
from algoworlds.reports.figures import (
    ConfigurationRate,
    ExampleDecision,
    LevelRates,
    LossBar,
    RatePair,
    RiskCurve,
    ScorePoint,
    StageLoss,
    SufficiencyCounts,
    SufficiencySplit,
    teaser,
)
from algoworlds.reports.intervals import estimate_rate, rate_interval
from algoworlds.reports.results import Results
from algoworlds.reports.sheets.decisions import (
    HEADLINE_METRICS,
    TRIAL_MEANS,
    find_headline,
    headline_mean,
    summarize_configuration,
)
from algoworlds.reports.sheets.slices import matched_instances
from algoworlds.reports.sheets.tracks import ladders, stage_losses
from algoworlds.runs.providers.effort import effort_rank
from algoworlds.suites.record import PlayerKind

EXACT_RATE = TRIAL_MEANS["exact_optimality"]


def all_figures(results: Results, size: FigureSize = PRINT_SIZE) -> dict[str, Figure]:
    """Every figure that `results` have data for, by name."""
    labels, example = results.configurations, select_example(results.evaluations)
    rates, pairs, splits = ([read(results, label) for label in labels] for read in (_exact_rate, _rate_pair, _split))
    mark = " · ".join(results.marks)
    drawn = {
        "exact_optimality_rates": figures.exact_optimality_rates(rates, size, mark=mark),
        "sufficiency_against_exactness": figures.sufficiency_against_exactness(pairs, size, mark=mark),
        "sufficiency_split": figures.sufficiency_split(splits, size, mark=mark),
    }
    if len(results.levels) > 1:
        lines = [_level_rates(results, label) for label in labels]
        drawn["workload_levels"] = figures.workload_levels(lines, size, mark=mark)
    if both := matched_instances(results):
        lines_by_interface = [_interface_rates(results, label, both) for label in labels]
        drawn["interface_rates"] = figures.interface_rates(lines_by_interface, size, mark=mark)
    if bars := list(_loss_bars(results)):
        drawn["stage_losses"] = figures.stage_losses(bars, size, mark=mark)
    costs = [(label, cost) for label in labels if (cost := _mean_cost(results, label))]
    if len(costs) > 1:
        points = [_score_point(results, label, cost) for label, cost in costs]
        drawn["exact_over_cost"] = figures.score_over(
            points, "Exact optimality and cost", "USD per evaluation", size=size, mark=mark
        )
    if len(steps := sorted({effort.effort for effort in results.efforts.values()}, key=effort_rank)) > 1:
        points = [_score_point(results, label, steps.index(effort.effort)) for label, effort in results.efforts.items()]
        drawn["exact_over_effort"] = figures.score_over(
            points, "Exact optimality and reasoning effort", "reasoning effort", steps, size, mark=mark
        )
    if curves := list(_risk_curves(results)):
        drawn["information_prices"] = figures.information_prices(curves, size, mark=mark)
    if example is not None:
        family, terms = example.family, objective_terms(example.record)
        title = f"{example.configuration} on {load_family(family).title}, {example.world}, trial {example.trial}"
        drawn["objective_breakdown"] = figures.objective_breakdown(title, terms, lower_is_better(family), size, mark=mark)
        drawn = {"teaser": teaser(rates, *_teaser_data(results, example), size, mark=mark)} | drawn
    return drawn


def figure_files(figures: Mapping[str, Figure]) -> Iterator[tuple[str, bytes]]:
    """File names and contents of `figures`, each as SVG, PDF and PNG."""
    for name, figure in figures.items():
        for form in FIGURE_FORMATS:
            yield f"{name}.{form}", render_figure(figure, form)


def _exact_rate(results: Results, label: str) -> ConfigurationRate:
    summary = summarize_configuration(results, label, EXACT_RATE)
    trials = tuple(value for value in summary.trials if value is not None)
    return ConfigurationRate(label, _is_scripted(results, label), summary.mean, summary.sd, trials)


def _mean_cost(results: Results, label: str) -> float | None:
    """USD per evaluation; None unless every evaluation states its cost."""
    costs = [row.record["cost"] for trial in results.trials(label) for row in trial]
    return None if None in costs else math.fsum(costs) / len(costs)


def _score_point(results: Results, label: str, x: float) -> ScorePoint:
    estimate = estimate_rate(results, label, HEADLINE_METRICS["exact_optimality"])
    interval, model = rate_interval(estimate), results.efforts.get(label)
    ends = None if interval is None else (100 * interval.low, 100 * interval.high)
    return ScorePoint(label, x, 100 * estimate.value, ends, "" if model is None else model.model)


def _split(results: Results, label: str) -> SufficiencySplit:
    def share(category: str) -> float:
        statistic = percent_of(lambda evaluation: evaluation.sufficiency and evaluation.category == category)
        return summarize_configuration(results, label, statistic).mean

    optimal, suboptimal = share(OPTIMAL), share(SUBOPTIMAL)
    sufficient = headline_mean(results, label, "information_sufficiency")
    failed = max(0.0, sufficient - optimal - suboptimal)
    return SufficiencySplit(label, _is_scripted(results, label), optimal, suboptimal, failed, 100 - sufficient)


def _rate_pair(results: Results, label: str) -> RatePair:
    exact, sufficient = (headline_mean(results, label, name) for name in ("exact_optimality", "information_sufficiency"))
    return RatePair(label, _is_scripted(results, label), exact, sufficient)


def _level_rates(results: Results, label: str) -> LevelRates:
    def at(level: int) -> Condition:
        return lambda evaluation: evaluation.level == level

    summaries = [(level, summarize(filter_trials(results, label, at(level)), EXACT_RATE)) for level in results.levels]
    rates = tuple((level, summary.mean) for level, summary in summaries if summary is not None)
    return LevelRates(label, _is_scripted(results, label), rates)


def _interface_rates(results: Results, label: str, both: frozenset[str]) -> RatePair:
    """Exact optimality through either interface, on the instances that were played through `both`."""

    def rate(interface: Interface) -> float:
        trials = filter_trials(results, label, lambda row: row.instance in both and row.interface == interface.value)
        summary = summarize(trials, EXACT_RATE)
        return 0.0 if summary is None else summary.mean

    return RatePair(label, _is_scripted(results, label), rate(Interface.DIRECT), rate(Interface.MEDIATED))


def _is_scripted(results: Results, label: str) -> bool:
    return results.kinds[label] == PlayerKind.AGENT.value


# -- losses between tracks ------------------------------------------------------------------------------------------------


def _loss_bars(results: Results) -> Iterator[LossBar]:
    """The losses of every configuration that played on two or more tracks of the ladder."""
    for name, tracks in ladders(results).items():
        losses = stage_losses(tracks)
        if len(losses) > 2:  # the last is the total
            parts = tuple(StageLoss(tuple(loss.stages.split(" + ")), loss.points, loss.interval) for loss in losses[:-1])
            yield LossBar(name, _is_scripted(tracks[0].results, tracks[0].label), 100 - losses[-1].points, parts)


# -- the price of information ---------------------------------------------------------------------------------------------


def _risk_curves(results: Results) -> Iterator[RiskCurve]:
    """By configuration and level, the risk of the optimum after each part of the budget, where it was judged."""
    for label, level in product(results.configurations, results.levels):
        trials = [[evaluation for evaluation in trial if evaluation.level == level] for trial in results.trials(label)]
        if risks := _typical_risks(trials, "risk_curve"):
            yield RiskCurve(label, _is_scripted(results, label), level, risks, _typical_risks(trials, "hindsight_curve"))


def _typical_risks(trials: Sequence[Sequence[Evaluation]], curve: str) -> tuple[float | None, ...]:
    """The typical risk after each part of the budget, over the evaluations that have `curve`; () if none has it.

    Typical is the lower median within each trial, averaged over the trials; None where that is infinite.
    """
    risks = [[_risks(row, row.judged_value(curve)) for row in trial if row.judged_value(curve) is not None] for trial in trials]
    present = [trial for trial in risks if trial]
    if not present:
        return ()
    typical = [mean([median_low([row[part] for row in trial]) for trial in present]) for part in range(BUDGET_PARTS + 1)]
    return tuple(risk if math.isfinite(risk) else None for risk in typical)


def _risks(evaluation: Evaluation, curve: Sequence[Sequence[float]]) -> list[float]:
    """The risk of the optimum after each part of the budget; infinite before the first point of `curve`."""
    parts = [evaluation.budget * part / BUDGET_PARTS for part in range(BUDGET_PARTS + 1)]
    return [next((risk for spent, risk in reversed(curve) if spent <= part), math.inf) for part in parts]


# -- the example of an objective's terms ----------------------------------------------------------------------------------


def select_example(evaluations: Iterable[Evaluation]) -> Evaluation | None:
    """A decision made on sufficient information that gains on one term and loses more on another.

    Models come before scripted agents, informed evaluations before others, then the largest gain on a term counts; the
    first in canonical order wins a tie. None if no feasible decision misses the optimum.
    """

    def rank(evaluation: Evaluation) -> tuple[bool, int, float]:
        gains = [abs(term.percent_change or 0.0) for term in objective_terms(evaluation.record) if term.is_better]
        return evaluation.kind != PlayerKind.AGENT.value, evaluation.sufficiency, max(gains, default=0.0)

    return max((row for row in evaluations if row.category == SUBOPTIMAL), key=rank, default=None)


def _teaser_data(results: Results, example: Evaluation) -> tuple[SufficiencyCounts, ExampleDecision]:
    """The counts of the headline's configuration and an example of it, or `example` if it has none."""
    label = find_headline(results).label
    evaluations = [evaluation for trial in results.trials(label) for evaluation in trial]
    informed = [evaluation for evaluation in evaluations if evaluation.sufficiency]
    optimal, suboptimal = (sum(row.category == category for row in informed) for category in (OPTIMAL, SUBOPTIMAL))
    shown = select_example(evaluations) or example
    decision = ExampleDecision(
        shown.configuration,
        load_family(shown.family).title,
        bool(shown.sufficiency),
        sum(map(len, shown.record["decision"].values())),
        objective_terms(shown.record),
        lower_is_better(shown.family),
    )
    return SufficiencyCounts(label, len(evaluations), len(informed), optimal, suboptimal), decision
