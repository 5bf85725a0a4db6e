"""Sheets: tables that keep the raw figures behind their text and know which evaluations each cell is about."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from algoworlds.families import family
from algoworlds.grid import Grid
from algoworlds.reports.aggregate import Interval, Statistic, Summary, summarize
from algoworlds.reports.captions import caption
from algoworlds.reports.evaluation import Evaluation
from algoworlds.reports.results import Results

Row = Mapping[str, Any]
"""A row's raw values by column key: text, int, float, Summary, Interval, a mapping of these, or None (no value)."""

NOTHING = "-"
"""How a cell without a value is shown."""

_FILTERS = ("configuration", "family", "level", "interface", "world", "trial", "category", "stop_reason")


@dataclass(frozen=True)
class Column:
    """A column: the key of its raw values, its head, how a value is spelled, and which evaluations it narrows a row to."""

    key: str
    head: str
    spell: Callable[[Any], str]
    where: tuple[tuple[str, str | int], ...] = ()


@dataclass(frozen=True)
class Sheet(Grid):
    """A table of text with its columns and raw rows."""

    columns: tuple[Column, ...] = ()
    data: tuple[Row, ...] = ()

    def where(self, row: int, column: int) -> dict[str, str | int]:
        """The fields (of a record, or `category`, `quality`, `solved`) by which to find the evaluations behind a cell."""
        own = {name: self.data[row][name] for name in _FILTERS if name in self.data[row]}
        return own | dict(self.columns[column].where)

    @property
    def figures(self) -> Grid:
        """The same table with one unrounded figure a cell, for programs."""
        columns = [_flat(each.head, [row[each.key] for row in self.data]) for each in self.columns]
        head = tuple(name for parts in columns for name in parts)
        rows = tuple(tuple(cells[place] for parts in columns for cells in parts.values()) for place in range(len(self.data)))
        return Grid(self.name, self.caption, head, rows)

    @property
    def json(self) -> dict[str, Any]:
        """The raw figures as plain JSON."""
        return {"name": self.name, "caption": self.caption, "rows": [_plain(row) for row in self.data]}


def sheet(name: str, results: Results, columns: Sequence[Column], data: Iterable[Row], **words: object) -> Sheet:
    """The sheet of some columns and raw rows; the words fill gaps of its caption."""
    data = tuple(data)
    rows = tuple(tuple(_spelled(column, row) for column in columns) for row in data)
    return Sheet(name, caption(name, results, **words), tuple(each.head for each in columns), rows, tuple(columns), data)


def _spelled(column: Column, row: Row) -> str:
    value = row[column.key]
    return NOTHING if value is None else column.spell(value)


def _plain(value: Any) -> Any:
    """Named tuples as objects, so that a reader of the JSON needs no key to the positions."""
    if isinstance(value, Summary | Interval):
        return {name: _plain(part) for name, part in value._asdict().items()}
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    return list(map(_plain, value)) if isinstance(value, tuple | list) else value


def _flat(head: str, values: Sequence[Any]) -> dict[str, list[str]]:
    """One column of raw values as columns of single figures."""
    parts = [_figures(head, value) for value in values]
    names = list(dict.fromkeys(name for part in parts for name in part)) or [head]
    return {name: [part.get(name, "") for part in parts] for name in names}


def _figures(head: str, value: Any) -> dict[str, str]:
    match value:
        case None:
            return {}
        case Summary():
            return {head: _figure(value.mean), f"{head} SD": "" if value.sd is None else _figure(value.sd)}
        case Interval():
            return {f"{head} low": _figure(value.low), f"{head} high": _figure(value.high)}
        case Mapping():
            return {name: text for part, each in value.items() for name, text in _figures(f"{head} {part}", each).items()}
    return {head: _figure(value) if isinstance(value, float) else str(value)}


def _figure(value: float) -> str:
    """Nine significant digits, so that neither a rate nor a tiny probability loses what matters."""
    return repr(float(f"{value:.9g}") + 0.0)


# -- how values are spelled -------------------------------------------------------------------------------------------


def decimals(places: int) -> Callable[[Any], str]:
    """A number or a summary's mean with so many decimals; never a negative zero."""

    def spell(value: Any) -> str:
        return _rounded(value.mean if isinstance(value, Summary) else value, places)

    return spell


def _rounded(value: float, places: int) -> str:
    return f"{round(value, places) + 0.0:,.{places}f}"


def with_sd(value: Summary) -> str:
    """Mean and sample standard deviation; a single trial has none."""
    return f"{_rounded(value.mean, 2)} ± {NOTHING if value.sd is None else _rounded(value.sd, 2)}"


def signed(value: float) -> str:
    """A difference with its sign and one decimal."""
    return f"{round(value, 1) + 0.0:+.1f}"


def interval(value: Interval) -> str:
    """Both ends with one decimal."""
    return f"[{_rounded(value.low, 1)}, {_rounded(value.high, 1)}]"


def signed_interval(value: Interval) -> str:
    """Both ends of a difference's interval, with their signs."""
    return f"[{signed(value.low)}, {signed(value.high)}]"


def beside(*spells: Callable[[Any], str]) -> Callable[[Mapping[str, Any]], str]:
    """The parts of a mapping beside each other, each spelled in its own way."""

    def spell(value: Mapping[str, Any]) -> str:
        texts = [NOTHING if part is None else how(part) for how, part in zip(spells, value.values(), strict=True)]
        return " / ".join(texts)

    return spell


def counted(value: int) -> str:
    """A whole number with its thousands set apart."""
    return f"{value:,}"


def probability(value: float) -> str:
    """A p-value with four decimals."""
    return "< 0.0001" if value < 0.0001 else f"{value:.4f}"


# -- rows and columns that many tables share --------------------------------------------------------------------------

CONFIGURATION = Column("configuration", "Configuration", str)
FAMILY = Column("title", "Task family", str)


def by_configuration(results: Results, statistics: Mapping[str, Statistic]) -> list[Row]:
    """One row a configuration: the trial-first summary of each statistic."""
    return [
        {"configuration": label, "kind": results.kinds[label]}
        | {key: summarize(results.trials(label), statistic) for key, statistic in statistics.items()}
        for label in results.configurations
    ]


def by_family(results: Results, cell: Callable[[str, str], Any]) -> tuple[list[Row], list[str]]:
    """One row a family with a cell for each configuration, keyed by its place so that no label can clash."""
    keys = [f"cell {place}" for place in range(len(results.configurations))]
    rows: list[Row] = [
        {"family": name, "title": family(name).title}
        | {key: cell(name, label) for key, label in zip(keys, results.configurations, strict=True)}
        for name in results.families
    ]
    return rows, keys


def of_family(name: str) -> Callable[[Evaluation], bool]:
    """The condition that an evaluation belongs to a family."""
    return lambda each: each.family == name
