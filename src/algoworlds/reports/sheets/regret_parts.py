"""The sheet that tells "did not know" and "did not decide well" apart."""

from collections.abc import Callable

from algoworlds.reports.aggregate import average, percent
from algoworlds.reports.decompose import ACQUISITION, REASONING
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION, Sheet, Subject, by_configuration, summarized
from algoworlds.reports.sheets.sections import DETAILS
from algoworlds.reports.spelling import decimals


def _lines(results: Results) -> list[Subject]:
    """None unless the records carry both parts."""
    told = all(REASONING in each.record for each in results.evaluations)
    return by_configuration(results) if told else []


def _defined(each: Evaluation) -> bool:
    return each.record[REASONING] is not None


def _part(name: str) -> Callable[[Evaluation], float]:
    return lambda each: each.record[name]


REGRET_PARTS = Sheet(
    "regret_parts",
    "Regret by want of facts and by reasoning",
    DETAILS,
    """Normalized regret in two parts, among feasible decisions for which both are defined. Acquisition regret: the gap of
    the best decision that can be made of options whose facts were all seen, found by the exact algorithm. Reasoning regret:
    the rest; it is negative where a guess beat what was known. Undefined: no decision can be made of what was seen, or none
    that is feasible was submitted. Means over {trials}; an account, not a cause.""",
    _lines,
    (
        CONFIGURATION,
        summarized(
            "regret", "Normalized regret", decimals(3), average(lambda each: each.regret or 0.0, _defined), ("feasible", 1)
        ),
        summarized("acquisition", "Acquisition regret", decimals(3), average(_part(ACQUISITION), _defined), ("feasible", 1)),
        summarized("reasoning", "Reasoning regret", decimals(3), average(_part(REASONING), _defined), ("feasible", 1)),
        summarized("undefined", "Undefined (%)", decimals(1), percent(lambda each: not _defined(each))),
    ),
)
