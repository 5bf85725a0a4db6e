"""The table that tells "did not know" and "did not decide well" apart."""

from collections.abc import Callable

from algoworlds.reports.aggregate import average, percent
from algoworlds.reports.decompose import ACQUISITION, REASONING
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION, Column, Sheet, by_configuration, decimals, sheet


def regret_parts(results: Results) -> Sheet | None:
    """Acquisition and reasoning regret; None unless the records carry them."""
    if any(REASONING not in each.record for each in results.evaluations):
        return None
    statistics = {
        "regret": average(lambda each: each.regret or 0.0, _defined),
        "acquisition": average(_part(ACQUISITION), _defined),
        "reasoning": average(_part(REASONING), _defined),
        "undefined": percent(lambda each: not _defined(each)),
    }
    columns = [
        CONFIGURATION,
        Column("regret", "Normalized regret", decimals(3), (("feasible", 1),)),
        Column("acquisition", "Acquisition regret", decimals(3), (("feasible", 1),)),
        Column("reasoning", "Reasoning regret", decimals(3), (("feasible", 1),)),
        Column("undefined", "Undefined (%)", decimals(1)),
    ]
    return sheet("regret_parts", results, columns, by_configuration(results, statistics))


def _defined(each: Evaluation) -> bool:
    return each.record[REASONING] is not None


def _part(name: str) -> Callable[[Evaluation], float]:
    return lambda each: each.record[name]
