"""Every sheet of a report as one list; its modules say what each sheet holds."""

from algoworlds.reports.sheet import Sheet
from algoworlds.reports.sheets.categories import (
    CONDITIONAL_OUTCOME_COUNTS,
    CONDITIONAL_OUTCOMES,
    MAIN_RESULTS,
    OUTCOMES,
    REFERENCE_QUALITY,
)
from algoworlds.reports.sheets.endings import RESTARTS, RETRIES, STOP_REASONS
from algoworlds.reports.sheets.inference import COMPARISONS, DRIFT, INTERVALS, RELIABILITY, SMALL_CELLS
from algoworlds.reports.sheets.interfaces import INTERFACE_TESTS, REPRESENTATION_RESULTS
from algoworlds.reports.sheets.knowledge import (
    CLAIMS,
    DETERMINED_OUTCOMES,
    FOOTING,
    INFORMATION_PRICE,
    JUSTIFIED_OPTIMA,
)
from algoworlds.reports.sheets.regret_parts import REGRET_PARTS
from algoworlds.reports.sheets.structure import STABILITY, TASK_DIAGNOSTICS, TASK_RESULTS, WORKLOAD_RESULTS
from algoworlds.reports.sheets.trajectories import (
    ACQUISITION_SPEND,
    DIAGNOSTICS,
    INFORMATION_USE,
    TRAJECTORY_EXAMPLES,
    USAGE,
)

SHEETS: tuple[Sheet, ...] = (
    MAIN_RESULTS,
    CONDITIONAL_OUTCOMES,
    TASK_RESULTS,
    WORKLOAD_RESULTS,
    REPRESENTATION_RESULTS,
    FOOTING,
    JUSTIFIED_OPTIMA,
    DETERMINED_OUTCOMES,
    CLAIMS,
    INFORMATION_PRICE,
    INTERVALS,
    COMPARISONS,
    INTERFACE_TESTS,
    RELIABILITY,
    SMALL_CELLS,
    DRIFT,
    OUTCOMES,
    REFERENCE_QUALITY,
    CONDITIONAL_OUTCOME_COUNTS,
    TASK_DIAGNOSTICS,
    STABILITY,
    DIAGNOSTICS,
    INFORMATION_USE,
    REGRET_PARTS,
    ACQUISITION_SPEND,
    TRAJECTORY_EXAMPLES,
    USAGE,
    STOP_REASONS,
    RETRIES,
    RESTARTS,
)
"""In the order of the page, section by section; files have the paper's own tables first."""
