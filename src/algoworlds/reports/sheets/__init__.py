"""All sheets of a report, in one list."""

from algoworlds.reports.sheet import Sheet
from algoworlds.reports.sheets import decisions, knowledge, slices, stops_and_retries, tracks, trajectories, uncertainty

SHEETS: tuple[Sheet, ...] = (
    decisions.MAIN_RESULTS,
    decisions.CONDITIONAL_OUTCOMES,
    slices.TASK_RESULTS,
    slices.WORKLOAD_RESULTS,
    slices.REPRESENTATION_RESULTS,
    knowledge.FOOTING,
    knowledge.JUSTIFIED_OPTIMA,
    knowledge.DETERMINED_OUTCOMES,
    knowledge.CLAIMS,
    knowledge.INFORMATION_PRICE,
    tracks.ASSISTED_RESULTS,
    tracks.LOSSES,
    uncertainty.INTERVALS,
    uncertainty.COMPARISONS,
    slices.INTERFACE_TESTS,
    uncertainty.RELIABILITY,
    uncertainty.SMALL_CELLS,
    uncertainty.DRIFT,
    decisions.OUTCOMES,
    decisions.REFERENCE_QUALITY,
    decisions.CONDITIONAL_OUTCOME_COUNTS,
    slices.TASK_DIAGNOSTICS,
    slices.STABILITY,
    trajectories.DIAGNOSTICS,
    trajectories.INFORMATION_USE,
    knowledge.REGRET_PARTS,
    trajectories.ACQUISITION_SPEND,
    trajectories.TRAJECTORY_EXAMPLES,
    trajectories.USAGE,
    trajectories.EFFORT,
    stops_and_retries.PROTOCOL,
    stops_and_retries.STOP_REASONS,
    stops_and_retries.RETRIES,
    stops_and_retries.RESTARTS,
)
"""In the order of the page, section by section; in files the tables of the paper come first."""
