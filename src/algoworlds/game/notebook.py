"""A notebook for people: everything that the calls of an episode have revealed, joined and side by side.

It is a pure function of the calls and their answers. Facts about the same entities share one table, with gaps where
something has not been read. Links are projected away once both of their sides are known. Nothing is deduced.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from algoworlds.core.canonical import strict_loads
from algoworlds.core.column import Column, Ints
from algoworlds.core.condition import Boxes, Spot
from algoworlds.core.interface import Layout, RelationPart, freeze_row
from algoworlds.core.ranges import Range
from algoworlds.core.relation import Relation, Row
from algoworlds.core.tool import MAX_ARGUMENT_CHARS, Call
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Status

MAX_MATRIX_COLUMNS = 14
"""Columns that a person can still read across."""

CellsByColumn = dict[str, Any]
"""A row by its columns."""


class NotebookTable(NamedTuple):
    """One table of a notebook, with the key columns first; None stands for what has not been read."""

    key_columns: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    rosters: Mapping[str, str]
    """By column, the roster that its ids come from."""
    value_name: str = ""
    """In a matrix, the name of the values."""

    @property
    def title(self) -> str:
        """The values in the table, and the entities that they are about."""
        names = " and ".join(self.key_columns)
        if self.value_name:
            return f"{self.value_name.capitalize()} by {names}".replace("_", " ")
        return f"By {names}".replace("_", " ") if self.key_columns else "In general"

    @property
    def document(self) -> dict[str, Any]:
        """The table as JSON."""
        keys = 1 if self.value_name else len(self.key_columns)
        return {"title": self.title, "keys": keys, "columns": self.columns, "rows": self.rows}

    @property
    def as_matrices(self) -> "tuple[NotebookTable, ...]":
        """One matrix per value column if there are two keys and at least half of their pairs have a row; else the table."""
        ids = [list(dict.fromkeys(row[index] for row in self.rows)) for index in range(len(self.key_columns))]
        sizes = sorted(map(len, ids))
        if len(ids) != 2 or not 1 < sizes[0] <= MAX_MATRIX_COLUMNS or 2 * len(self.rows) < sizes[0] * sizes[1]:
            return (self,)
        down, across = (0, 1) if len(ids[0]) >= len(ids[1]) else (1, 0)
        matrices = (self._matrix(column, down, ids[down], ids[across]) for column in range(2, len(self.columns)))
        return tuple(matrices) or (self,)

    def _matrix(self, column: int, down: int, lines: list[str], heads: list[str]) -> "NotebookTable":
        cells = {(row[down], row[1 - down]): row[column] for row in self.rows}
        rows = tuple((line, *(cells.get((line, head)) for head in heads)) for line in lines)
        keys = (self.key_columns[down], self.key_columns[1 - down])
        return NotebookTable(keys, (keys[0], *heads), rows, self.rosters, self.columns[column])


class EvaluatedDecision(NamedTuple):
    """A decision that the player evaluated, and its value if it is feasible."""

    arguments: dict[str, Any]
    feasible: bool
    value: int | None


@dataclass(frozen=True)
class Notebook:
    """Everything that was read: joined tables, records whose other half is missing, and evaluated decisions."""

    joined_tables: tuple[NotebookTable, ...]
    unjoined_tables: tuple[NotebookTable, ...]
    evaluated_decisions: tuple[EvaluatedDecision, ...]

    @property
    def display_tables(self) -> tuple[NotebookTable, ...]:
        """The joined tables, as matrices where that is easier to read."""
        return tuple(matrix for table in self.joined_tables for matrix in table.as_matrices)

    @property
    def document(self) -> dict[str, Any]:
        """The notebook as JSON."""
        return {
            "tables": [table.document for table in self.display_tables],
            "loose": [table.document for table in self.unjoined_tables],
            "tried": [decision._asdict() for decision in self.evaluated_decisions],
        }

    def ids_of(self, roster: str) -> tuple[str, ...]:
        """The ids of `roster` that were read, in the order of the tables."""
        ids: dict[str, None] = {}
        for table in (*self.joined_tables, *self.unjoined_tables):
            indices = [index for index, name in enumerate(table.columns) if table.rosters.get(name) == roster]
            cells = (row[index] for row in table.rows for index in indices if row[index] is not None)
            ids |= dict.fromkeys(item for cell in cells for item in (cell if isinstance(cell, list | tuple) else (cell,)))
        return tuple(ids)

    def table_about(self, *rosters: str) -> NotebookTable | None:
        """The table whose keys are entities of exactly these `rosters`, in any order; None if nothing was read."""
        wanted = sorted(rosters)
        for table in self.joined_tables:
            if sorted(table.rosters[name] for name in table.key_columns) == wanted:
                return table
        return None


def build_notebook(episode: Episode) -> Notebook:
    """The notebook of what the calls of `episode` have revealed so far."""
    world = episode.world
    builder = _NotebookBuilder(world.family.layouts[world.interface], world.public, episode.boxes)
    decisions: list[EvaluatedDecision] = []
    for call, observation in zip(episode.calls, episode.observations, strict=True):
        if observation.status is not Status.EXECUTED:
            continue
        answer = observation.json
        if call.tool in world.family.tools:
            builder.add_answer(call, answer["records"])
        else:
            arguments = strict_loads(call.arguments, MAX_ARGUMENT_CHARS)
            decisions.append(EvaluatedDecision(arguments, answer["feasible"], answer.get("value")))
    return Notebook(tuple(builder.joined_tables()), tuple(builder.unjoined_tables()), tuple(decisions))


def format_box(box: Range) -> Any:
    """A number that is known, or the interval in which it lies as text."""
    return f"{box.low:,} .. {box.high:,}" if box.width else box.low


class _NotebookBuilder:
    """Collects the rows of answers by relation and part, and makes tables of them."""

    def __init__(self, layout: Layout, public: Mapping[str, Any], boxes: Boxes) -> None:
        self._layout, self._public, self._boxes = layout, public, boxes
        self._rows: dict[str, dict[RelationPart, dict[Row, None]]] = {}
        self._pointers: dict[tuple[str, ...], dict[Row, None]] = {}

    def add_answer(self, call: Call, records: Mapping[str, Any]) -> None:
        """Add the rows of one answer. Pointer rows name other ids only, so they are stored with the arguments of `call`."""
        for part in self._layout.parts_by_tool[call.tool]:
            relation, rows = self._layout.relations[part.relation], map(freeze_row, records[part.name]["rows"])
            if part not in self._layout.parts[part.relation]:
                arguments = strict_loads(call.arguments, MAX_ARGUMENT_CHARS)
                pointers = self._pointers.setdefault((*arguments, *part.columns), {})
                pointers |= dict.fromkeys((*arguments.values(), *row) for row in rows)
            elif not relation.public:
                self._rows.setdefault(part.relation, {}).setdefault(part, {}).update(dict.fromkeys(rows))

    @cached_property
    def _join_records(self) -> dict[str, list[CellsByColumn]]:
        """By relation, the join of all of its parts, links included."""
        return {name: _join(self._layout.parts[name], rows) for name, rows in self._rows.items()}

    def joined_tables(self) -> Iterator[NotebookTable]:
        """One table for all relations with the same keys, in the order of their declaration."""
        by_keys: dict[tuple[str, ...], list[Relation]] = {}
        for name, relation in self._layout.relations.items():
            if self._join_records.get(name):
                by_keys.setdefault(tuple(key.name for key in relation.keys), []).append(relation)
        for keys, relations in by_keys.items():
            yield self._table(keys, relations)

    def _table(self, keys: tuple[str, ...], relations: list[Relation]) -> NotebookTable:
        rosters = _rosters(column for relation in relations for column in relation.columns)
        rows: dict[Row, CellsByColumn] = {}
        names: dict[str, None] = dict.fromkeys(keys)
        for relation in relations:
            own = self._value_columns(relation, alone=len(relations) == 1)
            columns = [(f"{relation.name} {name}" if name in names else name, read) for name, read in own]
            names |= dict.fromkeys(name for name, _ in columns)
            for row in self._join_records[relation.name]:
                cells = rows.setdefault(tuple(row[name] for name in keys), {})
                cells |= {name: read(row) for name, read in columns}
        # Ids of public rosters come in the order of the question; others in the order in which they were read.
        orders = [self._public_order(rosters.get(name)) for name in keys]
        positions = {key: [order.get(item, len(order)) for order, item in zip(orders, key, strict=True)] for key in rows}
        values = [name for name in names if name not in keys]
        body = tuple((*key, *(rows[key].get(name) for name in values)) for key in sorted(rows, key=positions.__getitem__))
        return NotebookTable(keys, (*keys, *values), body, rosters)

    def _value_columns(self, relation: Relation, alone: bool) -> Iterator[tuple[str, Callable[[CellsByColumn], Any]]]:
        """The columns that `relation` adds to its table, and how to read them from a row."""
        if not relation.values and not alone and relation.default is None:  # the row itself is the information
            yield relation.name, lambda row: True
        for column in relation.values:
            name, along = column.name, column.over if isinstance(column, Ints) else None
            if along is not None and along in self._public:  # a list along a public roster gets one column per entity
                for index, entity in enumerate(self._public[along]):
                    yield entity, lambda row, name=name, index=index: row[name][index]  # type: ignore[misc]
            else:
                yield name, lambda row, name=name: self._cell_text(relation, name, row)  # type: ignore[misc]

    def _cell_text(self, relation: Relation, name: str, row: CellsByColumn) -> Any:
        """What is known of a cell: where numbers are shown with errors, the interval that all answers together leave."""
        spot, cell = Spot(relation.name, name, tuple(row[key.name] for key in relation.keys)), row[name]
        if isinstance(cell, tuple) and spot._replace(list_index=0) in self._boxes:
            return tuple(format_box(self._boxes[spot._replace(list_index=index)]) for index in range(len(cell)))
        return format_box(self._boxes[spot]) if spot in self._boxes else cell

    def _public_order(self, roster: str | None) -> Mapping[str, int]:
        return {item: index for index, item in enumerate(self._public.get(roster, ()))} if roster else {}

    def unjoined_tables(self) -> Iterator[NotebookTable]:
        """Records that no record of another part joins yet, and pointers."""
        for name, rows_by_part in self._rows.items():
            for part, rows in rows_by_part.items():
                joined = {tuple(row[column] for column in part.columns) for row in self._join_records[name]}
                if left := tuple(row for row in rows if row not in joined):
                    yield self._plain_table(part.columns, self._layout.relations[name].columns, left)
        every_column = [column for relation in self._layout.relations.values() for column in relation.columns]
        for columns, pointers in self._pointers.items():
            yield self._plain_table(columns, every_column, tuple(pointers))

    def _plain_table(self, columns: tuple[str, ...], declared: Iterable[Column], rows: tuple[Row, ...]) -> NotebookTable:
        rosters = _rosters(column for column in declared if column.name in columns)
        return NotebookTable(columns, columns, rows, rosters)


def _rosters(columns: Iterable[Column]) -> dict[str, str]:
    return {column.name: column.roster_name for column in columns if column.roster_name is not None}


def _join(parts: tuple[RelationPart, ...], rows_by_part: Mapping[RelationPart, Iterable[Row]]) -> list[CellsByColumn]:
    """The natural join of all parts of a relation; each part of a mediation shares a column with the one before."""
    joined: list[CellsByColumn] = [{}]
    for part in parts:
        shared = [name for name in part.columns if joined and name in joined[0]]
        index: dict[Row, list[CellsByColumn]] = {}
        for row in rows_by_part.get(part, ()):
            cells = dict(zip(part.columns, row, strict=True))
            index.setdefault(tuple(cells[name] for name in shared), []).append(cells)
        joined = [row | cells for row in joined for cells in index.get(tuple(row[name] for name in shared), ())]
    return joined
