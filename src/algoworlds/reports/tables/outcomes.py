"""Tables of final decisions: headline measures, categories, quality against the reference, and what sufficiency led to."""

from algoworlds.reports.aggregate import Condition, Measure, Statistic, average, count, percent, spread
from algoworlds.reports.evaluation import BETTER, CATEGORIES, OPTIMAL, SUBOPTIMAL, WORSE, Evaluation
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION, Column, Sheet, by_configuration, decimals, probability, sheet, with_sd
from algoworlds.reports.statistics import cochran

_NAMES = {OPTIMAL: "Globally optimal", SUBOPTIMAL: "Feasible suboptimal"}
CATEGORY_NAMES = {each: _NAMES.get(each, each.replace("_", " ").capitalize()) for each in CATEGORIES}
"""The five categories in words."""

VALUES: dict[str, Measure] = {
    "exact_optimality": lambda each: 100 * each.exact,
    "feasibility": lambda each: 100 * each.feasible,
    "reference_utility": lambda each: each.utility,
    "information_sufficiency": lambda each: 100 * each.sufficiency,
    "discovery_coverage": lambda each: 100 * each.coverage,
}
"""The three final-decision metrics and the two trajectory diagnostics of an evaluation, on the scale 0-100."""

MEASURES: dict[str, Statistic] = {key: average(of) for key, of in VALUES.items()}
"""The same within a trial."""

MEASURE_NAMES = {key: key.replace("_", " ").capitalize() for key in MEASURES}


def informative(evaluation: Evaluation) -> bool:
    """The trajectory contains a sufficient information set in full."""
    return evaluation.sufficiency == 1


def in_category(category: str, given: Condition | None = None) -> Condition:
    """The final decision falls into a category, and a further condition holds if there is one."""
    return lambda each: each.category == category and (given is None or given(each))


def main_results(results: Results) -> Sheet:
    """The headline: three final-decision metrics and two trajectory diagnostics."""
    columns = [CONFIGURATION, *(Column(key, name, with_sd) for key, name in MEASURE_NAMES.items())]
    return sheet("main_results", results, columns, by_configuration(results, MEASURES), drifting=_drifting(results))


def _drifting(results: Results) -> str:
    """A warning beside the score: whose trials differ by more than chance."""
    found = {
        label: cochran([[each.exact for each in trial] for trial in results.trials(label)]) for label in results.configurations
    }
    told = [
        f"{label} (Cochran's Q {each.q:.1f}, p {probability(each.p)})"
        for label, each in found.items()
        if each and each.alarming
    ]
    return f"Trials differ by more than chance: {', '.join(told)}." if told else ""


def conditional_outcomes(results: Results) -> Sheet:
    """How informative trajectories end, in percent of them."""
    others = [each for each in CATEGORIES if each not in (OPTIMAL, SUBOPTIMAL)]
    statistics = {
        "information_sufficiency": MEASURES["information_sufficiency"],
        "optimal": percent(lambda each: each.category == OPTIMAL, informative),
        "suboptimal": percent(lambda each: each.category == SUBOPTIMAL, informative),
        "other_failure": percent(lambda each: each.category in others, informative),
    }
    given = ("sufficiency", 1)
    columns = [
        CONFIGURATION,
        Column("information_sufficiency", "Information sufficiency", decimals(1), (given,)),
        Column("optimal", "Globally optimal", decimals(1), (given, ("category", OPTIMAL))),
        Column("suboptimal", "Feasible but suboptimal", decimals(1), (given, ("category", SUBOPTIMAL))),
        Column("other_failure", "Other failure", decimals(1), (given, ("feasible", 0))),
    ]
    return sheet("conditional_outcomes", results, columns, by_configuration(results, statistics))


def outcomes(results: Results) -> Sheet:
    """How many evaluations of a trial end in each category."""
    statistics = {each: count(in_category(each)) for each in CATEGORIES}
    columns = [CONFIGURATION, *_category_columns()]
    return sheet("outcomes", results, columns, by_configuration(results, statistics))


def conditional_outcome_counts(results: Results) -> Sheet:
    """How many informative trajectories of a trial end in each category."""
    statistics = {"information_sufficiency": count(informative)} | {
        each: count(in_category(each, informative)) for each in CATEGORIES
    }
    first = Column("information_sufficiency", "Information sufficiency", decimals(1), (("sufficiency", 1),))
    columns = [CONFIGURATION, first, *_category_columns(("sufficiency", 1))]
    return sheet("conditional_outcome_counts", results, columns, by_configuration(results, statistics))


def _category_columns(*where: tuple[str, str | int]) -> list[Column]:
    return [Column(key, name, decimals(1), (*where, ("category", key))) for key, name in CATEGORY_NAMES.items()]


def reference_quality(results: Results) -> Sheet:
    """Decision quality in units of the reference decision's gap."""
    statistics = {
        "utility": MEASURES["reference_utility"],
        "median_regret": spread(lambda each: each.regret, 0.5, in_category(SUBOPTIMAL)),
        "high_regret": spread(lambda each: each.regret, 0.9, in_category(SUBOPTIMAL)),
        "optimal": count(in_category(OPTIMAL)),
        "better": count(lambda each: each.quality == BETTER),
        "worse": count(lambda each: each.quality == WORSE),
        "failed": count(lambda each: not each.feasible),
    }
    columns = [
        CONFIGURATION,
        Column("utility", "Reference utility", with_sd),
        Column("median_regret", "Median regret", decimals(3), (("category", SUBOPTIMAL),)),
        Column("high_regret", "90th percentile regret", decimals(3), (("category", SUBOPTIMAL),)),
        Column("optimal", "Globally optimal", decimals(1), (("category", OPTIMAL),)),
        Column("better", "Better than reference", decimals(1), (("quality", BETTER),)),
        Column("worse", "Reference or worse", decimals(1), (("quality", WORSE),)),
        Column("failed", "Infeasible, absent or protocol violation", decimals(1), (("feasible", 0),)),
    ]
    return sheet("reference_quality", results, columns, by_configuration(results, statistics))
