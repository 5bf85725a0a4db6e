"""The sections of the page in which sheets stand, in their order there."""

from algoworlds.reports.sheet import Section

RESULTS = Section(
    "results",
    "Results",
    "Every number is computed within a trial first; what stands here is the mean over trials. "
    "Click a number to list the evaluations behind it, or a heading to sort.",
)
KNOWLEDGE = Section(
    "knowledge",
    "What could be known",
    "Judged afterwards with the exact algorithm: whether the responses, with the ranges that the question states, left one "
    "decision optimal in every instance that they leave possible.",
)
STATISTICS = Section(
    "statistics",
    "Statistics",
    "How far the headline can be trusted. The mean and its between-trial deviation stay first; these add intervals, "
    "tests and alarms.",
)
DETAILS = Section("details", "Details", "Counts behind the rates, decision quality, use of tools and of information.")
SUITE = Section("suite", "Suite", "The whole suite, measured without any agent, beside the paper's figures.")
