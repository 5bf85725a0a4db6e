"""A `Sheet` declares one table of a report: name, title, section, caption, rows and columns. `sheets.SHEETS` lists them all.

A column has a head, the value of a row, its format and the evaluations behind it. A filled sheet keeps the raw values behind
its text and knows which evaluations each cell is about.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

from algoworlds.core.canonical import JsonObject
from algoworlds.core.work import Sense
from algoworlds.grid import Grid, fix_plurals
from algoworlds.reports.aggregate import Interval, Statistic, Summary, count_where, summarize
from algoworlds.reports.results import Results

RawRow = Mapping[str, Any]
"""The raw values of a row by column key: text, int, float, Summary, Interval, a mapping of these, or None (no value)."""

EvaluationFilter = tuple[tuple[str, str | int], ...]
"""Fields (of a record, or `category`, `quality`, `solved`) and their values, which select evaluations."""

_FILTER_FIELDS = ("configuration", "family", "level", "interface", "world", "trial", "category", "stop_reason")


# -- formatting -----------------------------------------------------------------------------------------------------------

NO_VALUE = "-"
"""The text of a cell without a value."""

Formatter = Callable[[Any], str]


def decimals(places: int) -> Formatter:
    """Format a number, or the mean of a summary, with `places` decimals; never a negative zero."""
    return lambda value: _round(value.mean if isinstance(value, Summary) else value, places)


def _round(value: float, places: int) -> str:
    return f"{round(value, places) + 0.0:,.{places}f}"


def format_mean_sd(value: Summary) -> str:
    """Mean and sample standard deviation; a single trial has no deviation."""
    return f"{_round(value.mean, 2)} ± {NO_VALUE if value.sd is None else _round(value.sd, 2)}"


def format_signed(value: float) -> str:
    """A difference with sign and one decimal."""
    return f"{round(value, 1) + 0.0:+.1f}"


def format_interval(value: Interval) -> str:
    """Both ends with one decimal."""
    return f"[{_round(value.low, 1)}, {_round(value.high, 1)}]"


def format_signed_interval(value: Interval) -> str:
    """Both ends with sign and one decimal, for the interval of a difference."""
    return f"[{format_signed(value.low)}, {format_signed(value.high)}]"


def format_estimate(value: Mapping[str, Any]) -> str:
    """A mean and its interval, or "(no interval)"."""
    interval = "(no interval)" if value["interval"] is None else format_interval(value["interval"])
    return f"{_round(value['mean'], 1)} {interval}"


def side_by_side(*formatters: Formatter) -> Callable[[Mapping[str, Any]], str]:
    """Format the parts of a mapping, one formatter per part, separated by slashes."""

    def format_parts(value: Mapping[str, Any]) -> str:
        pairs = zip(formatters, value.values(), strict=True)
        return " / ".join(NO_VALUE if part is None else formatter(part) for formatter, part in pairs)

    return format_parts


def format_count(value: int) -> str:
    """An integer with thousands separators."""
    return f"{value:,}"


def format_p_value(value: float) -> str:
    """A p-value with four decimals."""
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


# -- declared sheets ------------------------------------------------------------------------------------------------------


class Section(NamedTuple):
    """A section of the page: its anchor, its title and a sentence about it."""

    anchor: str
    title: str
    about: str


class RowSubject(NamedTuple):
    """What a row is about: raw values that identify it, and the data that its columns are computed from."""

    identity: RawRow
    data: Any


@dataclass(frozen=True)
class SheetColumn:
    """A column of a sheet; `where` narrows the evaluations of a row to those of a cell, `best` says which values are better.

    Without `compute`, the value is part of the identity of the row.
    """

    key: str
    head: str
    formatter: Formatter
    compute: Callable[[Any], Any] | None = None
    where: EvaluationFilter = ()
    best: Sense | None = None

    def value(self, subject: RowSubject) -> Any:
        """The raw value in the row of `subject`."""
        return subject.identity[self.key] if self.compute is None else self.compute(subject.data)


ColumnFactory = Callable[[Results], Iterable[SheetColumn]]
"""Columns that depend on the results: one per level, trial, configuration ..."""


@dataclass(frozen=True)
class SheetHeading:
    """Name, title, section and caption of a sheet; the caption may contain placeholders.

    `in_paper` marks the tables of the paper, `shade_rates` a sheet with shaded rates, `grouped` one whose rows must not be
    sorted, `configurations_as_columns` one whose columns are configurations.
    """

    name: str
    title: str
    section: Section
    caption: str
    _: KW_ONLY
    in_paper: bool = False
    shade_rates: bool = False
    grouped: bool = False
    configurations_as_columns: bool = False


@dataclass(frozen=True)
class Sheet(SheetHeading):
    """A sheet of results; `subjects` returns no rows without data, `caption_values` fills the placeholders of the caption."""

    subjects: Callable[[Results], Iterable[RowSubject]]
    columns: tuple[SheetColumn | ColumnFactory, ...]
    caption_values: Callable[[Results], Mapping[str, object]] = lambda results: {}

    def fill(self, results: Results) -> "FilledSheet | None":
        """The sheet of `results`; None without data."""
        subjects = list(self.subjects(results))
        if not subjects:
            return None
        groups = ((column,) if isinstance(column, SheetColumn) else column(results) for column in self.columns)
        columns = tuple(column for group in groups for column in group)
        data = tuple({**subject.identity, **{column.key: column.value(subject) for column in columns}} for subject in subjects)
        rows = tuple(
            tuple(NO_VALUE if (value := raw[column.key]) is None else column.formatter(value) for column in columns)
            for raw in data
        )
        bold = frozenset(self._best_cells(results, columns, data, rows))
        caption = self._caption(results, bool(bold))
        head = tuple(column.head for column in columns)
        return FilledSheet(self.name, caption, head, rows, self, _raw_grid(columns, data), columns, data, bold=bold)

    def _caption(self, results: Results, has_bold: bool) -> str:
        counts = sorted({len(results.trials(label)) for label in results.configurations})
        trials = "one trial (so that there is no deviation)" if counts == [1] else f"{' or '.join(map(str, counts))} trials"
        sizes = {"worlds": len(results.worlds), "instances": len(results.instances), "trials": trials}
        text = self.caption.format(**sizes, **self.caption_values(results))
        aside = ", scripted agents aside" if 0 < len(results.candidates) < len(results.configurations) else ""
        best = f"In bold the best of a {'line' if self.configurations_as_columns else 'column'}{aside}." if has_bold else ""
        return fix_plurals(" ".join(f"{text} {best} {results.protocol_note}".split()))

    def _best_cells(
        self, results: Results, columns: Sequence[SheetColumn], data: Sequence[RawRow], rows: Sequence[Sequence[str]]
    ) -> Iterator[tuple[int, int]]:
        """The best cells of each column, or of each row if configurations are columns; none if all values are equal."""
        rivals = results.candidates or results.configurations
        ranked = [(index, column) for index, column in enumerate(columns) if column.best is not None]
        if self.configurations_as_columns:
            ranked = [(index, column) for index, column in ranked if dict(column.where).get("configuration") in rivals]
            groups = [[(row, index, column.best) for index, column in ranked] for row in range(len(data))]
        else:
            own = [row for row, raw in enumerate(data) if raw.get("configuration") in rivals]
            groups = [[(row, index, column.best) for row in own] for index, column in ranked]
        for group in groups:
            cells = [(row, index, best, leading_number(rows[row][index])) for row, index, best in group]
            values = {
                (row, index): value if best is Sense.MAX else -value for row, index, best, value in cells if value is not None
            }
            distinct = set(values.values())
            if len(distinct) > 1:
                yield from (cell for cell, value in values.items() if value == max(distinct))


_LEADING_NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?")


def leading_number(text: str) -> float | None:
    """The number at the start of a cell, as printed: values that print the same are equal."""
    match = _LEADING_NUMBER.match(text)
    return None if match is None else float(match[0].replace(",", ""))


# -- filled sheets --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FilledSheet(Grid):
    """The text of a sheet, its declaration, the same with one unrounded number per cell, its columns and its raw rows.

    A sheet about a suite has neither columns nor raw rows.
    """

    heading: SheetHeading
    unrounded: Grid
    columns: tuple[SheetColumn, ...] = ()
    raw_rows: tuple[RawRow, ...] = ()

    def raw_row(self, row: int) -> RawRow:
        """The raw values of a row."""
        return self.raw_rows[row] if self.raw_rows else {}

    def cell_filter(self, row: int, column: int) -> dict[str, str | int]:
        """The fields and values that select the evaluations behind a cell."""
        own = {name: self.raw_row(row)[name] for name in _FILTER_FIELDS if name in self.raw_row(row)}
        return own | dict(self.columns[column].where) if self.columns else own

    @property
    def json(self) -> JsonObject:
        """The raw values as plain JSON."""
        return {"name": self.name, "caption": self.caption, "rows": [_to_json(raw) for raw in self.raw_rows]}


def _to_json(value: Any) -> Any:
    """Named tuples become objects, so that readers need not know positions."""
    if isinstance(value, Summary | Interval):
        return {name: _to_json(part) for name, part in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): _to_json(part) for name, part in value.items()}
    return list(map(_to_json, value)) if isinstance(value, tuple | list) else value


def _raw_grid(columns: Sequence[SheetColumn], data: Sequence[RawRow]) -> Grid:
    """All raw values with one number per cell: a column of summaries becomes two columns, one of mappings several."""
    head: list[str] = []
    cells: list[list[str]] = []
    for column in columns:
        parts = [_numbers(column.head, raw[column.key]) for raw in data]
        names = list(dict.fromkeys(name for part in parts for name in part)) or [column.head]
        head += names
        cells += [[part.get(name, "") for part in parts] for name in names]
    return Grid("", "", tuple(head), tuple(zip(*cells, strict=True)))


def _numbers(head: str, value: Any) -> dict[str, str]:
    """The numbers of a raw value by the head of their column."""
    match value:
        case None:
            return {}
        case Summary():
            return {head: _number(value.mean), f"{head} SD": "" if value.sd is None else _number(value.sd)}
        case Interval():
            return {f"{head} low": _number(value.low), f"{head} high": _number(value.high)}
        case Mapping():
            return {name: text for key, part in value.items() for name, text in _numbers(f"{head} {key}", part).items()}
    return {head: _number(value) if isinstance(value, float) else str(value)}


def _number(value: float) -> str:
    """Nine significant digits, enough for rates and for tiny probabilities."""
    return repr(float(f"{value:.9g}") + 0.0)


# -- rows and columns that many sheets share ------------------------------------------------------------------------------

CONFIGURATION_COLUMN = SheetColumn("configuration", "Configuration", str)


def configuration_subjects(results: Results) -> list[RowSubject]:
    """One row per configuration, computed from its trials."""
    return [RowSubject({"configuration": label}, results.trials(label)) for label in results.configurations]


def configuration_subjects_with_kind(results: Results) -> list[RowSubject]:
    """One row per configuration, computed from its trials; the raw row also has the kind of player."""
    kinds = results.kinds
    return [
        RowSubject({"configuration": label, "kind": kinds[label]}, results.trials(label)) for label in results.configurations
    ]


def format_range(counts: Iterable[int]) -> str:
    """One number if all `counts` are equal, else "least-most"."""
    least, most = min(sizes := list(counts)), max(sizes)
    return f"{least:,}" if least == most else f"{least:,}-{most:,}"


def summary_column(
    key: str,
    head: str,
    statistic: Statistic,
    *where: tuple[str, str | int],
    places: int = 1,
    best: Sense | None = None,
    formatter: Formatter | None = None,
) -> SheetColumn:
    """A column of configurations: the mean over trials of `statistic` with `places` decimals, or formatted by `formatter`."""
    return SheetColumn(key, head, formatter or decimals(places), lambda trials: summarize(trials, statistic), where, best)


def count_column(key: str, head: str, *where: tuple[str, str | int], best: Sense | None = None) -> SheetColumn:
    """A column of configurations: the mean number per trial of the evaluations that `where` selects."""
    statistic = count_where(lambda evaluation: all(getattr(evaluation, name) == value for name, value in where))
    return summary_column(key, head, statistic, *where, best=best)


RESULTS_SECTION = Section(
    "results",
    "Results",
    "Every number is computed within a trial first; what stands here is the mean over trials. "
    "Click a number to list the evaluations behind it, or a heading to sort.",
)
KNOWLEDGE_SECTION = Section(
    "knowledge",
    "What could be known",
    "Judged afterwards with the exact algorithm: whether the responses, with the ranges that the question states, left one "
    "decision optimal in every instance that they leave possible.",
)
TRACKS_SECTION = Section(
    "tracks",
    "Assisted tracks",
    "The same worlds with one more aid from track to track. The other tables take configurations without aids only.",
)
CONDITION_SECTION = Section(
    "condition",
    "Condition",
    "The same instances with numbers that are shown with errors, beside their clear twins.",
)
STATISTICS_SECTION = Section(
    "statistics",
    "Statistics",
    "How far the headline can be trusted. The mean and its between-trial deviation stay first; these add intervals, "
    "tests and alarms.",
)
DETAILS_SECTION = Section("details", "Details", "Counts behind the rates, decision quality, use of tools and of information.")
SUITE_SECTION = Section("suite", "Suite", "The whole suite, measured without any agent, beside the paper's figures.")
