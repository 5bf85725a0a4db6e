"""What a person can choose at each position of a decision: ids from the question or from what was read, with notes."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from algoworlds.core.canonical import JsonObject
from algoworlds.core.decision import ArgumentSpec, ChoiceKind, Confidence
from algoworlds.core.relation import Row
from algoworlds.game.notebook import Notebook, NotebookTable
from algoworlds.worlds.world import World

CLAIMS = (Confidence.PROVEN.value, Confidence.GUESS.value)


class Choice(NamedTuple):
    """An id that can be chosen; `note` says what was read about it."""

    id: str
    note: str


class Position(NamedTuple):
    """One position of a decision: its owner (None if the argument is one list), and the choices there."""

    owner: str | None
    choices: tuple[Choice, ...]


def find_positions(world: World, notebook: Notebook, spec: ArgumentSpec) -> tuple[Position, ...]:
    """The positions of one argument of a decision."""
    ids = _roster_ids(world, notebook, spec.entity)
    by_owner: Mapping[str, tuple[str, ...]]
    if spec.kind is ChoiceKind.ASSIGN:
        by_owner = dict.fromkeys(_roster_ids(world, notebook, spec.per), ids)
    elif spec.kind is ChoiceKind.PICK:
        belonging = _ids_by_owner(notebook, spec)
        by_owner = {owner: belonging.get(owner, ()) for owner in world.public[spec.per]}
    else:
        return (Position(None, tuple(Choice(item, _note(notebook, spec, None, item)) for item in ids)),)
    return tuple(
        Position(owner, tuple(Choice(item, _note(notebook, spec, owner, item)) for item in items))
        for owner, items in by_owner.items()
    )


def builder_to_json(world: World, notebook: Notebook) -> list[JsonObject]:
    """The positions of every argument as JSON."""
    return [
        {
            "argument": spec.argument,
            "manner": spec.kind.value,
            "entity": spec.entity,
            "per": spec.per,
            "places": [{"owner": owner, "offers": choices} for owner, choices in find_positions(world, notebook, spec)],
        }
        for spec in world.family.decision.argument_specs
    ]


def _roster_ids(world: World, notebook: Notebook, roster: str) -> tuple[str, ...]:
    """The ids of a roster: all if the question lists them, otherwise those that were read."""
    return tuple(world.public[roster]) if roster in world.public else notebook.ids_of(roster)


def _ids_by_owner(notebook: Notebook, spec: ArgumentSpec) -> dict[str, tuple[str, ...]]:
    """By owner, the entities that were read to belong to it."""
    ids: dict[str, dict[str, None]] = {}
    table = notebook.table_about(spec.per, spec.entity)
    if table is None:
        return {}
    for row in table.rows:
        ids.setdefault(_entity_in(table, row, spec.per), {})[_entity_in(table, row, spec.entity)] = None
    return {owner: tuple(items) for owner, items in ids.items()}


def _note(notebook: Notebook, spec: ArgumentSpec, owner: str | None, entity: str) -> str:
    """What was read about `entity`, together with `owner` if there is a table about both."""
    pair_table = None if owner is None else notebook.table_about(spec.per, spec.entity)
    table = pair_table or notebook.table_about(spec.entity)
    wanted = {spec.entity: entity} | ({spec.per: owner} if pair_table is not None else {})
    notes = []
    if table is not None:
        for row in table.rows:
            if all(_entity_in(table, row, roster) == item for roster, item in wanted.items()):
                notes.append(_format_values(table, row))
    return " · ".join((*notes, *(() if spec.per else _companions(notebook, spec.entity, entity))))


def _companions(notebook: Notebook, roster: str, entity: str) -> Iterator[str]:
    """Entities of other rosters that were read to belong to `entity`, such as the items that a ticket delivers."""
    for table in notebook.joined_tables:
        rosters = [table.rosters[name] for name in table.key_columns]
        if len(table.columns) == 2 == len(set(rosters)) and roster in rosters:
            own = rosters.index(roster)
            others = [row[1 - own] for row in table.rows if row[own] == entity]
            if others:
                yield f"{table.key_columns[1 - own].replace('_', ' ')} {', '.join(others)}"


def _entity_in(table: NotebookTable, row: Row, roster: str) -> Any:
    """The entity of `roster` in the keys of a row."""
    return row[next(index for index, name in enumerate(table.key_columns) if table.rosters[name] == roster)]


def _format_values(table: NotebookTable, row: Row) -> str:
    """The values of a row with the names of their columns."""
    cells = list(zip(table.columns, row, strict=True))[len(table.key_columns) :]
    texts = ((name, f"{cell:,}" if type(cell) is int else format_cell(cell)) for name, cell in cells if cell is not None)
    return " · ".join(f"{name.replace('_', ' ')} {text}" for name, text in texts)


def format_cell(cell: Any) -> str:
    """A cell of a table for a person; empty for None, which has not been read."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return ", ".join(map(format_cell, cell)) or "none" if isinstance(cell, list | tuple) else str(cell)
