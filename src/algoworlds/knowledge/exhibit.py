"""A witness as it can be shown: an instance that answers alike, a better decision there, and the cells that make it so."""

from typing import Any

from algoworlds.core.completions import Spot, spots
from algoworlds.core.decision import Decision
from algoworlds.core.ranges import Place
from algoworlds.knowledge.sufficiency.trial import Witness
from algoworlds.knowledge.sufficiency.uses import Uses
from algoworlds.worlds.world import World

CELLS = 12
"""Cells that are shown at most, those with the largest effect."""


def exhibited(world: World, decision: Decision, witness: Witness) -> dict[str, Any]:
    """What a decision and its rival are worth in a witness, and which cells that differ from the truth decide between them."""
    family, instance = world.family, witness.instance
    own, other = family.check(instance, decision), family.check(instance, witness.rival)
    return {
        "rival": family.decision.arguments(witness.rival),
        "value": own.value,
        "rival_value": other.value,
        "reason": None if own.feasible else own.reason,
        "cells": [] if own.value is None or other.value is None else _deciding(world, decision, witness),
    }


def _deciding(world: World, decision: Decision, witness: Witness) -> list[dict[str, Any]]:
    """The cells that one decision pays for more than the other and that differ from the truth, by their effect."""
    uses, moved, truth = Uses(world.family, witness.instance), dict[Spot, int](), dict[Spot, int | None]()
    assert world.ranges is not None
    binding = () if world.family.knowledge.unknowns is None else world.family.knowledge.unknowns.binding
    for place in (each for each in world.ranges.columns if each not in binding):
        found = _apart(world, witness.instance, place)
        own, other = (uses.among(each, list(found)) for each in (decision, witness.rival))
        effects = {spot: own.get(spot, 0) - other.get(spot, 0) for spot in found}
        moved |= {spot: abs(each * (spot.number - (found[spot] or 0))) for spot, each in effects.items() if each}
        truth |= found
    ordered = sorted(moved, key=lambda spot: (-moved[spot], spot.relation, spot.row, spot.at, spot.place or 0))
    return [_told(world, spot, truth[spot]) for spot in ordered[:CELLS]]


def _apart(world: World, instance: Any, place: Place) -> dict[Spot, int | None]:
    """The numbers of a column that differ from the truth, and what stands there in truth; None if it has no such row."""
    keys = len(instance.relations[place[0]].keys)
    rows = {row[:keys]: row for row in world.instance.rows(place[0])}
    changed = [row for row in instance.rows(place[0]) if row != rows.get(row[:keys])]
    true = {spot: rows.get(spot.row[:keys]) for spot in spots(instance, place, changed)}
    found = {spot: None if row is None else spot._replace(row=row).number for spot, row in true.items()}
    return {spot: number for spot, number in found.items() if number != spot.number}


def _told(world: World, spot: Spot, true: int | None) -> dict[str, Any]:
    relation = world.instance.relations[spot.relation]
    about = [str(each) for each in spot.row[: len(relation.keys)]] + ([] if spot.place is None else [str(spot.place + 1)])
    column = relation.columns[spot.at].name
    return {"table": relation.name, "row": about, "column": column, "true": true, "possible": spot.number}
