"""The sheet that tells "did not know" and "did not decide well" apart."""

from algoworlds.core.work import Sense
from algoworlds.reports.aggregate import Statistic, average, percent
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.results import Results
from algoworlds.reports.sheet import CONFIGURATION, Sheet, SheetColumn, Subject, by_configuration, summarized
from algoworlds.reports.sheets.sections import DETAILS
from algoworlds.reports.spelling import counted, decimals


def _lines(results: Results) -> list[Subject]:
    """None unless all evaluations were judged."""
    told = all(each.judgement is not None for each in results.evaluations)
    return by_configuration(results) if told else []


def _defined(each: Evaluation) -> bool:
    return each.judged("reasoning_regret") is not None


def _mean(name: str) -> Statistic:
    return average(lambda each: each.judged(name), _defined)


FEASIBLE = ("feasible", 1)

REGRET_PARTS = Sheet(
    "regret_parts",
    "Regret by want of facts and by reasoning",
    DETAILS,
    """Normalized regret in two parts, means over {trials} of the n evaluations for which both are defined. Acquisition
    regret: the gap of the best decision that can be made of options whose facts were all seen, found by the exact
    algorithm. Reasoning regret: the rest; it is negative where a guess beat what was known. Both are undefined without a
    feasible decision, and also where a feasible one was submitted although none can be made of what was seen: the last two
    columns are these shares of all evaluations (percent). An account, not a cause.""",
    _lines,
    (
        CONFIGURATION,
        SheetColumn("defined", "n", counted, lambda trials: sum(_defined(each) for trial in trials for each in trial)),
        summarized(
            "regret",
            "Normalized regret",
            decimals(3),
            average(lambda each: each.regret or 0.0, _defined),
            FEASIBLE,
            best=Sense.MIN,
        ),
        summarized("acquisition", "Acquisition regret", decimals(3), _mean("acquisition_regret"), FEASIBLE, best=Sense.MIN),
        summarized("reasoning", "Reasoning regret", decimals(3), _mean("reasoning_regret"), FEASIBLE, best=Sense.MIN),
        summarized(
            "infeasible",
            "Undefined: no feasible decision (%)",
            decimals(1),
            percent(lambda each: not each.feasible),
            ("feasible", 0),
        ),
        summarized(
            "unknowable",
            "Undefined: nothing decidable of what was seen (%)",
            decimals(1),
            percent(lambda each: bool(each.feasible) and not _defined(each)),
        ),
    ),
)
