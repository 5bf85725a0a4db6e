"""Sheets about the suite itself, next to the numbers of the paper."""

from dataclasses import dataclass

from algoworlds.families import load_family
from algoworlds.grid import Grid
from algoworlds.reports.sheet import SUITE_SECTION, FilledSheet, SheetHeading
from algoworlds.suites.open import Suite
from algoworlds.suites.paper_tables import numeric_tables, scale_statistics, text_tables


@dataclass(frozen=True)
class SuiteSheet(SheetHeading):
    """A sheet about a suite; `source` names its table in `suites.paper_tables`."""

    source: str

    def fill(self, text: Grid, numbers: Grid) -> FilledSheet:
        """The sheet of a table as `text`; `numbers` is the same table with one number per cell."""
        head = ("Task family", *(title.capitalize() for title in text.head[1:]))
        rows = tuple(
            (load_family(name).title, *("this suite" if cell == "ours" else cell for cell in cells))
            for name, *cells in text.rows
        )
        return FilledSheet(self.name, " ".join(self.caption.split()), head, rows, self, numbers)


SUITE_SHEETS = (
    SuiteSheet(
        "benchmark_statistics",
        "Information and access",
        SUITE_SECTION,
        """Scale of information and access by task family, over all worlds of the suite whichever of them were played: least
        and largest. Groups are information groups; facts, calls and call cost are those of the sufficient sets and of the
        plans that acquire them; budget is what a world allows, exhaustive what asking everything would cost; work is what
        the construction algorithm counted. = marks a figure of the paper that is the same here.""",
        source="access",
    ),
    SuiteSheet(
        "work_ranges",
        "Work of the exact algorithms",
        SUITE_SECTION,
        """Operations that the construction algorithm counted, by task family and workload level, over all worlds of the
        suite: least and largest. Levels are set by this work, never by what agents achieve. = marks a figure of the paper
        that is the same here.""",
        source="work",
    ),
)


def fill_suite_sheets(suite: Suite) -> dict[str, FilledSheet]:
    """The tables of benchmark statistics and work ranges for `suite`."""
    data = scale_statistics(suite.stated_figures()) | {"validation": []}
    texts, numbers = text_tables(data), numeric_tables(data)
    return {sheet.name: sheet.fill(texts[sheet.source], numbers[sheet.source]) for sheet in SUITE_SHEETS}
