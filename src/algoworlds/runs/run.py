"""A run to read in Python: its records and judgements as they are on disk, and as plain rows for data frames."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from algoworlds.core.canonical import JsonObject
from algoworlds.errors import InputError, format_value
from algoworlds.grid import Grid, to_html
from algoworlds.measures.judging import JUDGED_MEASURES
from algoworlds.measures.measure import Integer, Measure, Number, OneOf, Text
from algoworlds.measures.scoring import MEASURES
from algoworlds.runs.directory import RunDirectory, sort_slots
from algoworlds.runs.schedule import Slot

NAME_COLUMNS = ("configuration", "kind", "model", "world", "family", "level", "index", "interface", "trial")
TOKEN_KINDS = ("input", "output", "reasoning", "cached")
MAX_HTML_ROWS = 50
"""Rows that a notebook shows."""
_SCALAR_DOMAINS = (OneOf, Integer, Number, Text)


class Rows(list[JsonObject]):
    """Rows with the same columns, for `pandas.DataFrame(rows)` or `polars.DataFrame(rows)`; a notebook shows a table."""

    def _repr_html_(self) -> str:
        head = tuple(self[0]) if self else ()
        shown = tuple(tuple("" if value is None else str(value) for value in row.values()) for row in self[:MAX_HTML_ROWS])
        more = f"<p>{len(self) - len(shown):,} more rows</p>" if len(self) > len(shown) else ""
        return to_html(Grid("rows", "", head, shown)) + more


@dataclass(frozen=True)
class Run:
    """A run on disk, finished or not: `records()` and `judgements()` as they are written, `rows()` for data frames."""

    path: Path

    def __repr__(self) -> str:
        progress = f"{self.finished:,} of {self.scheduled:,} evaluations"
        return f"<Run {format_value(self.label)}, {progress} in {format_value(self.path)}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>{self.rows()._repr_html_()}"

    @cached_property
    def _directory(self) -> RunDirectory:
        return RunDirectory(self.path)

    @property
    def label(self) -> str:
        """The name of the configuration in tables."""
        return str(self._directory.document["plan"]["label"])

    @property
    def scheduled(self) -> int:
        """The number of evaluations that are scheduled."""
        return len(self._directory.schedule)

    @property
    def finished(self) -> int:
        """The number of evaluations that have a final record."""
        return len(self._directory.finished_slots)

    def records(self) -> list[JsonObject]:
        """Every final record, by world and trial; docs/formats.md names its fields."""
        return list(self.iterate_records())

    def iterate_records(self) -> Iterator[JsonObject]:
        """The same records one after the other, for runs that do not fit in memory."""
        return self._directory.read_records()

    def iterate_judged_records(self) -> Iterator[tuple[JsonObject, JsonObject | None]]:
        """Every final record with its judgement, or None."""
        judged = self._directory.judged_slots
        for record in self.iterate_records():
            slot = Slot(record["world"], record["trial"])
            yield record, self._directory.read_judgement(slot) if slot in judged else None

    def judgements(self) -> dict[tuple[str, int], JsonObject]:
        """The judgements that `algoworlds judge` has written, by world and trial."""
        slots = sort_slots(self._directory.judged_slots)
        return {(slot.world, slot.trial): self._directory.read_judgement(slot) for slot in slots}

    def rows(self, judged: bool = False) -> Rows:
        """One row per record: who played which world, every measure that is a number or a word, tokens and cost.

        With `judged`, also the measures of the judgements; None where an evaluation is not judged. All rows have the same
        columns, and a column has one type besides None.
        """
        return Rows(self._iterate_rows(judged))

    def _iterate_rows(self, judged: bool) -> Iterator[JsonObject]:
        for record, judgement in self.iterate_judged_records():
            row = {name: record.get(name) for name in NAME_COLUMNS}
            row |= _measured_fields(MEASURES, record)
            row |= {name: record.get(name) for name in ("stop_reason", "turns")}
            row["cost"] = None if record.get("cost") is None else float(record["cost"])
            row |= {f"{kind}_tokens": (record.get("tokens") or {}).get(kind) for kind in TOKEN_KINDS}
            if judged:
                row |= _measured_fields(JUDGED_MEASURES, judgement or {})
            yield row


def _measured_fields(measures: Iterable[Measure[Any]], document: Mapping[str, Any]) -> JsonObject:
    """The measures in a record or a judgement that are numbers or words; None for those that it does not have."""
    row: JsonObject = {}
    for measure in measures:
        if isinstance(measure.domain, _SCALAR_DOMAINS):
            value = document.get(measure.name)
            if measure.name in document and (fault := measure.fault(value)) is not None:
                name = f"{format_value(document.get('world'))}, trial {format_value(document.get('trial'))}"
                raise InputError(f"{measure.name} of {name} {fault}: algoworlds verify-run says what is wrong")
            row[measure.name] = float(value) if isinstance(measure.domain, Number) and value is not None else value
    return row


def open_run(path: Path | str) -> Run:
    """Open the run in the directory `path`; InputError if it is not a run."""
    run = Run(Path(path))
    _ = run.label
    return run


def read_run(path: Path | str, judged: bool = False) -> Rows:
    """The records of a run as plain rows; `judged` adds the measures of its judgements."""
    return open_run(path).rows(judged)
