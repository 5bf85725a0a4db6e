"""Results by hidden instance: the units that intervals and tests count, and the families within which they were drawn."""

from collections.abc import Callable

from algoworlds.reports.aggregate import Interval
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.intervals import Estimate, estimate, rate_interval
from algoworlds.reports.results import Results

_FINE = 10**9
"""Measures are summed as integers in units of 1e-9, so that no order of work can show."""


def instance_sums(results: Results, label: str, of: Callable[[Evaluation], int]) -> list[int]:
    """An integer measure summed over all interfaces and trials of each hidden instance."""
    sums = dict.fromkeys(results.instances, 0)
    for trial in results.trials(label):
        for each in trial:
            sums[each.instance] += of(each)
    return list(sums.values())


def strata(results: Results, given: Callable[[Evaluation], bool] = lambda each: True) -> list[int]:
    """How many instances each family has, of those that satisfy a condition; families without any are left out."""
    found: dict[str, set[str]] = {}
    for each in filter(given, results.trials(results.configurations[0])[0]):
        found.setdefault(each.family, set()).add(each.instance)
    return [len(instances) for instances in found.values()]


def lonely(counts: list[int]) -> str:
    """What a caption must say of families with a single instance, from which nothing is known of the next one."""
    alone = counts.count(1)
    if not alone:
        return ""
    if alone == len(counts):
        return "There is no interval: with one instance a family nothing is known of another one."
    return f"{alone} of the {len(counts)} families have one instance and are taken to vary as the others do."


def rate(results: Results, label: str, of: Callable[[Evaluation], float]) -> Estimate:
    """The estimate, as a share, of a measure on the scale 0-100 over all evaluations of a configuration."""
    fine = instance_sums(results, label, lambda each: round(_FINE * of(each)))
    return estimate(strata(results), fine, instance_sums(results, label, lambda each: 1), 0.01 / _FINE)


def best_interval(results: Results, label: str) -> Interval | None:
    """The interval of exact optimality, in percent, of the model that came out best of a report's; None if there is none.

    Who is picked for being the highest was probably lucky: the low end allows for the number of models to pick from.
    """
    found = rate_interval(rate(results, label, lambda each: 100 * each.exact), among=max(1, len(results.candidates)))
    return None if found is None else found.times(100)
