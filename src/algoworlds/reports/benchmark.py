"""The sheets of the suite itself, beside the paper's figures."""

from dataclasses import dataclass

from algoworlds.families import family
from algoworlds.grid import Grid
from algoworlds.reports.sheet import FilledSheet, Heading
from algoworlds.reports.sheets.sections import SUITE
from algoworlds.suites.opened import Opened
from algoworlds.suites.stats import scale, single_figures, tables


@dataclass(frozen=True)
class SuiteSheet(Heading):
    """A sheet of a suite; `source` is its table's name among the suite's."""

    source: str

    def filled(self, shown: Grid, figures: Grid) -> FilledSheet:
        """The sheet of a suite's table to be read, and of the same with one number a cell."""
        head = ("Task family", *(each.capitalize() for each in shown.head[1:]))
        rows = tuple((family(name).title, *(_SOURCES.get(each, each) for each in cells)) for name, *cells in shown.rows)
        return FilledSheet(self.name, " ".join(self.caption.split()), head, rows, self, figures)


_SOURCES = {"ours": "this suite"}

SUITE_SHEETS = (
    SuiteSheet(
        "benchmark_statistics",
        "Information and access",
        SUITE,
        """Scale of information and access by task family, over all worlds of the suite whichever of them were played: least
        and largest. Groups are information groups; facts, calls and call cost are those of the sufficient sets and of the
        plans that acquire them; budget is what a world allows, exhaustive what asking everything would cost; work is what
        the construction algorithm counted. = marks a figure of the paper that is the same here.""",
        source="access",
    ),
    SuiteSheet(
        "work_ranges",
        "Work of the exact algorithms",
        SUITE,
        """Operations that the construction algorithm counted, by task family and workload level, over all worlds of the
        suite: least and largest. Levels are set by this work, never by what agents achieve. = marks a figure of the paper
        that is the same here.""",
        source="work",
    ),
)


def suite_sheets(suite: Opened) -> dict[str, FilledSheet]:
    """The paper's tables of benchmark statistics and work ranges for a suite."""
    data = scale(suite.stated()) | {"validation": []}
    shown, figures = tables(data), single_figures(data)
    return {each.name: each.filled(shown[each.source], figures[each.source]) for each in SUITE_SHEETS}
