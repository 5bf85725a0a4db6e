"""A sheet is a report's table as one value: its name, title, section and caption, what its lines are about, and for each
column the head, the value of a line, its spelling and the evaluations behind it. Whatever lists, prints, explains or exports
sheets reads this value (`sheets.SHEETS` has them all).

A sheet filled with results keeps the raw values behind its text and knows which evaluations each cell is about.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

from algoworlds.core.work import Sense
from algoworlds.grid import Grid
from algoworlds.reports.aggregate import Interval, Statistic, Summary, summarize
from algoworlds.reports.results import Results
from algoworlds.reports.spelling import NOTHING, Spelling

Line = Mapping[str, Any]
"""A line's raw values by column key: text, int, float, Summary, Interval, a mapping of these, or None (no value)."""

Where = tuple[tuple[str, str | int], ...]
"""By which fields (of a record, or `category`, `quality`, `solved`) evaluations are found, and their values."""

_FILTERS = ("configuration", "family", "level", "interface", "world", "trial", "category", "stop_reason")


# -- declared -------------------------------------------------------------------------------------------------------------


class Section(NamedTuple):
    """A part of the page: its anchor, its title and what it is about."""

    anchor: str
    title: str
    about: str


class Subject(NamedTuple):
    """What a line is about: raw values that name it, whether a column shows them or not, and what columns are computed of."""

    marks: Line
    of: Any


@dataclass(frozen=True)
class SheetColumn:
    """A column: the key of its raw values, its head, how a value is spelled, how it is computed of a line's subject (None:
    it is one of the subject's marks), which evaluations it narrows a line to, and which way is better, if one is.
    """

    key: str
    head: str
    spell: Spelling
    of: Callable[[Any], Any] | None = None
    where: Where = ()
    best: Sense | None = None

    def value(self, subject: Subject) -> Any:
        """The raw value in a subject's line."""
        return subject.marks[self.key] if self.of is None else self.of(subject.of)


Columns = Callable[[Results], Iterable[SheetColumn]]
"""Columns that depend on the results: one a level, a trial, a configuration ..."""


@dataclass(frozen=True)
class Heading:
    """What a sheet is called, where it stands on the page, and what it says of itself; gaps in a caption are filled later.

    `paper` marks the paper's own tables, `heated` one whose rates are shaded, `grouped` one whose lines stay together,
    `across` one whose configurations are its columns.
    """

    name: str
    title: str
    section: Section
    caption: str
    _: KW_ONLY
    paper: bool = False
    heated: bool = False
    grouped: bool = False
    across: bool = False


@dataclass(frozen=True)
class Sheet(Heading):
    """A sheet of results; `lines` gives none where there is no data for it, and `words` fills gaps of the caption."""

    lines: Callable[[Results], Iterable[Subject]]
    columns: tuple[SheetColumn | Columns, ...]
    words: Callable[[Results], Mapping[str, object]] = lambda results: {}

    def filled(self, results: Results) -> "FilledSheet | None":
        """The sheet of some results; None without data."""
        subjects = list(self.lines(results))
        if not subjects:
            return None
        groups = ((each,) if isinstance(each, SheetColumn) else each(results) for each in self.columns)
        columns = tuple(column for group in groups for column in group)
        data = tuple({**each.marks, **{column.key: column.value(each) for column in columns}} for each in subjects)
        rows = tuple(tuple(_spelled(column, line) for column in columns) for line in data)
        bold = frozenset(self._best(results, columns, data, rows))
        caption = f"{self.caption.format(**_counts(results), **self.words(results))} {self._stands_out(bold, results)}"
        head, figures = tuple(each.head for each in columns), _figures(columns, data)
        told = " ".join(f"{caption} {results.apart}".split())
        return FilledSheet(self.name, told, head, rows, self, figures, columns, data, bold=bold)

    def _best(
        self, results: Results, columns: Sequence[SheetColumn], data: Sequence[Line], rows: Sequence[Sequence[str]]
    ) -> Iterator[tuple[int, int]]:
        """The best cells of each column, or of each line where configurations are columns."""
        rivals = results.candidates or results.configurations
        judged = [(at, each) for at, each in enumerate(columns) if each.best is not None]
        if self.across:
            own = [(at, each.best) for at, each in judged if dict(each.where).get("configuration") in rivals]
            groups = [[(row, at, best) for at, best in own] for row in range(len(data))]
        else:
            lines = [at for at, line in enumerate(data) if line.get("configuration") in rivals]
            groups = [[(row, at, each.best) for row in lines] for at, each in judged]
        for group in groups:
            yield from _leading([(row, at, best, figure(rows[row][at])) for row, at, best in group])

    def _stands_out(self, bold: frozenset[tuple[int, int]], results: Results) -> str:
        aside = ", scripted agents aside" if 0 < len(results.candidates) < len(results.configurations) else ""
        return f"In bold the best of a {'line' if self.across else 'column'}{aside}." if bold else ""


_LEADING = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?")


def figure(text: str) -> float | None:
    """The number that a cell begins with, as it is spelled: what looks equal is equal."""
    found = _LEADING.match(text)
    return None if found is None else float(found[0].replace(",", ""))


def _leading(group: Sequence[tuple[int, int, Sense | None, float | None]]) -> list[tuple[int, int]]:
    """The best cells of a group; none where all are alike."""
    told = [(row, at, value if best is Sense.MAX else -value) for row, at, best, value in group if value is not None]
    values = {value for *_, value in told}
    return [(row, at) for row, at, value in told if value == max(values)] if len(values) > 1 else []


def _spelled(column: SheetColumn, line: Line) -> str:
    value = line[column.key]
    return NOTHING if value is None else column.spell(value)


def _counts(results: Results) -> dict[str, object]:
    """What any caption may say of the size of the results."""
    counts = sorted({len(results.trials(label)) for label in results.configurations})
    trials = "one trial (so that there is no deviation)" if counts == [1] else f"{' or '.join(map(str, counts))} trials"
    return {"worlds": len(results.worlds), "instances": len(results.instances), "trials": trials}


# -- filled ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FilledSheet(Grid):
    """A sheet's text, its declaration, the same with one unrounded figure a cell for programs, its columns and raw lines.

    A sheet of a suite has neither columns nor raw lines.
    """

    heading: Heading
    figures: Grid
    columns: tuple[SheetColumn, ...] = ()
    data: tuple[Line, ...] = ()

    def line(self, row: int) -> Line:
        """The raw values of a row."""
        return self.data[row] if self.data else {}

    def where(self, row: int, column: int) -> dict[str, str | int]:
        """The fields (of a record, or `category`, `quality`, `solved`) by which to find the evaluations behind a cell."""
        own = {name: self.line(row)[name] for name in _FILTERS if name in self.line(row)}
        return own | dict(self.columns[column].where) if self.columns else own

    @property
    def json(self) -> dict[str, Any]:
        """The raw figures as plain JSON."""
        return {"name": self.name, "caption": self.caption, "rows": [_plain(line) for line in self.data]}


def _plain(value: Any) -> Any:
    """Named tuples as objects, so that a reader of the JSON needs no key to the positions."""
    if isinstance(value, Summary | Interval):
        return {name: _plain(part) for name, part in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    return list(map(_plain, value)) if isinstance(value, tuple | list) else value


def _figures(columns: Sequence[SheetColumn], data: Sequence[Line]) -> Grid:
    flat = [_flat(each.head, [line[each.key] for line in data]) for each in columns]
    head = tuple(name for parts in flat for name in parts)
    rows = tuple(tuple(cells[place] for parts in flat for cells in parts.values()) for place in range(len(data)))
    return Grid("", "", head, rows)


def _flat(head: str, values: Sequence[Any]) -> dict[str, list[str]]:
    """One column of raw values as columns of single figures."""
    parts = [_single(head, value) for value in values]
    names = list(dict.fromkeys(name for part in parts for name in part)) or [head]
    return {name: [part.get(name, "") for part in parts] for name in names}


def _single(head: str, value: Any) -> dict[str, str]:
    match value:
        case None:
            return {}
        case Summary():
            return {head: _figure(value.mean), f"{head} SD": "" if value.sd is None else _figure(value.sd)}
        case Interval():
            return {f"{head} low": _figure(value.low), f"{head} high": _figure(value.high)}
        case Mapping():
            return {name: text for part, each in value.items() for name, text in _single(f"{head} {part}", each).items()}
    return {head: _figure(value) if isinstance(value, float) else str(value)}


def _figure(value: float) -> str:
    """Nine significant digits, so that neither a rate nor a tiny probability loses what matters."""
    return repr(float(f"{value:.9g}") + 0.0)


# -- lines and columns that many sheets share -----------------------------------------------------------------------------

CONFIGURATION = SheetColumn("configuration", "Configuration", str)


def by_label(results: Results) -> list[Subject]:
    """One line a configuration, computed of its trials."""
    return [Subject({"configuration": label}, results.trials(label)) for label in results.configurations]


def by_configuration(results: Results) -> list[Subject]:
    """The same, each line marked as a model's or an agent's."""
    kinds = results.kinds
    return [Subject({**each.marks, "kind": kinds[each.marks["configuration"]]}, each.of) for each in by_label(results)]


def span(counts: Iterable[int]) -> str:
    """The sizes of some slices in words: one number, or the least and the largest."""
    least, most = min(sized := list(counts)), max(sized)
    return f"{least:,}" if least == most else f"{least:,}-{most:,}"


def summarized(
    key: str,
    head: str,
    spell: Spelling,
    statistic: Statistic,
    *where: tuple[str, str | int],
    best: Sense | None = None,
) -> SheetColumn:
    """A column of lines by configuration: the summary over trials of a statistic within a trial."""
    return SheetColumn(key, head, spell, lambda trials: summarize(trials, statistic), where, best)
