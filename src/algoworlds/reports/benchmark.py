"""The suite's own tables as the report shows them, beside the paper's figures."""

from dataclasses import replace
from typing import NamedTuple

from algoworlds.families import family
from algoworlds.grid import Grid
from algoworlds.suites.opened import Opened
from algoworlds.suites.stats import scale, single_figures, tables

_EQUAL = "= marks a figure of the paper that is the same here."
_ACCESS = f"""Scale of information and access by task family, over all worlds of the suite whichever of them were played:
    least and largest. Groups are information groups; facts, calls and call cost are those of the sufficient sets and of the
    plans that acquire them; budget is what a world allows, exhaustive what asking everything would cost; work is what the
    construction algorithm counted. {_EQUAL}"""
_WORK = f"""Operations that the construction algorithm counted, by task family and workload level, over all worlds of the
    suite: least and largest. Levels are set by this work, never by what agents achieve. {_EQUAL}"""

_SOURCES = {"ours": "this suite"}


class Benchmark(NamedTuple):
    """The tables to be read, and the same with one number a cell."""

    tables: dict[str, Grid]
    figures: dict[str, Grid]


def benchmark(suite: Opened) -> Benchmark:
    """The paper's tables of benchmark statistics and work ranges for a suite."""
    data = scale(suite.stated()) | {"validation": []}
    shown, figures = tables(data), single_figures(data)
    names = {"benchmark_statistics": ("access", _ACCESS), "work_ranges": ("work", _WORK)}
    return Benchmark(
        {name: _told(replace(shown[key], name=name, caption=" ".join(text.split()))) for name, (key, text) in names.items()},
        {name: replace(figures[key], name=name) for name, (key, _) in names.items()},
    )


def _told(table: Grid) -> Grid:
    """A table with families by their titles and headings as in the report's other tables."""
    rows = tuple((family(name).title, *(_SOURCES.get(each, each) for each in cells)) for name, *cells in table.rows)
    return replace(table, head=("Task family", *(each.capitalize() for each in table.head[1:])), rows=rows)
