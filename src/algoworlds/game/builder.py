"""How a person puts a decision together: what may stand in each place of it, as far as it is listed or was read."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from algoworlds.core.decision import Manner, Piece
from algoworlds.core.relation import Row
from algoworlds.game.notebook import Leaf, Notebook
from algoworlds.worlds.world import World


class Offer(NamedTuple):
    """What may be taken, and what was read about it, in words."""

    id: str
    note: str


class Place(NamedTuple):
    """One place of a decision: for whom it is (None where a decision takes any number), and what is on offer there."""

    owner: str | None
    offers: tuple[Offer, ...]


def places(world: World, known: Notebook, piece: Piece) -> tuple[Place, ...]:
    """The places of one argument of a decision."""
    listed = _listed(world, known, piece.entity)
    if piece.manner is Manner.ASSIGN:
        owners = _listed(world, known, piece.per)
        return tuple(Place(owner, tuple(Offer(each, _noted(known, piece, owner, each)) for each in listed)) for owner in owners)
    if piece.manner is Manner.PICK:
        homes = _homes(known, piece)
        return tuple(
            Place(owner, tuple(Offer(each, _noted(known, piece, owner, each)) for each in homes.get(owner, ())))
            for owner in world.public[piece.per]
        )
    return (Place(None, tuple(Offer(each, _noted(known, piece, None, each)) for each in listed)),)


def described(world: World, known: Notebook) -> list[dict[str, Any]]:
    """The same of every argument, as JSON."""
    return [
        {
            "argument": piece.argument,
            "manner": piece.manner.value,
            "entity": piece.entity,
            "per": piece.per,
            "places": [{"owner": owner, "offers": offers} for owner, offers in places(world, known, piece)],
        }
        for piece in world.family.decision.pieces
    ]


def _listed(world: World, known: Notebook, roster: str) -> tuple[str, ...]:
    """The ids of a roster: those in the question, or those that were read."""
    return tuple(world.public[roster]) if roster in world.public else known.known(roster)


def _homes(known: Notebook, piece: Piece) -> Mapping[str, tuple[str, ...]]:
    """By owner, the entities that were read to belong to it."""
    leaf = known.about(piece.per, piece.entity)
    if leaf is None:
        return {}
    found: dict[str, dict[str, None]] = {}
    for row in leaf.rows:
        found.setdefault(_cell(leaf, row, piece.per), {})[_cell(leaf, row, piece.entity)] = None
    return {owner: tuple(each) for owner, each in found.items()}


def _noted(known: Notebook, piece: Piece, owner: str | None, entity: str) -> str:
    """What was read about an entity, with its owner where there is a table of both."""
    pair = None if owner is None else known.about(piece.per, piece.entity)
    leaf = pair or known.about(piece.entity)
    wanted = {piece.entity: entity} | ({piece.per: owner} if pair is not None else {})
    told = [] if leaf is None else [_told(leaf, row) for row in leaf.rows if _tells(leaf, row, wanted)]
    return " · ".join((*told, *(() if piece.per else _companions(known, piece.entity, entity))))


def _companions(known: Notebook, roster: str, entity: str) -> Iterator[str]:
    """What else was read to go with an entity: what a ticket delivers, who belongs to a pair."""
    for leaf in known.leaves:
        rosters = [leaf.rosters[name] for name in leaf.about]
        if len(leaf.columns) == 2 == len(set(rosters)) and roster in rosters:
            own = rosters.index(roster)
            others = [row[1 - own] for row in leaf.rows if row[own] == entity]
            if others:
                yield f"{leaf.about[1 - own].replace('_', ' ')} {', '.join(others)}"


def _tells(leaf: Leaf, row: Row, wanted: Mapping[str, str | None]) -> bool:
    """Whether a row is about the wanted entities, given by roster."""
    return all(_cell(leaf, row, roster) == item for roster, item in wanted.items())


def _cell(leaf: Leaf, row: Row, roster: str) -> Any:
    """The entity of a roster that a row is about."""
    return row[next(at for at, name in enumerate(leaf.about) if leaf.rosters[name] == roster)]


def _told(leaf: Leaf, row: Row) -> str:
    cells = list(zip(leaf.columns, row, strict=True))[len(leaf.about) :]
    return " · ".join(f"{name.replace('_', ' ')} {_set_apart(cell)}" for name, cell in cells if cell is not None)


def _set_apart(cell: Any) -> str:
    """A cell with the thousands of a number set apart."""
    return f"{cell:,}" if type(cell) is int else spelled(cell)


def spelled(cell: Any) -> str:
    """A cell of a table as a person reads it; nothing stands for what has not been read."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return ", ".join(map(spelled, cell)) or "none" if isinstance(cell, list | tuple) else str(cell)
