"""A witness as it can be shown: an instance that answers alike, a better decision there, and the cells that make it so."""

from typing import Any

from algoworlds.core.completions import Spot
from algoworlds.core.decision import Decision
from algoworlds.measures.sufficiency.trial import Witness
from algoworlds.measures.sufficiency.uses import Uses
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
    uses, effects = Uses(world.family, witness.instance), dict[Spot, int]()
    assert world.ranges is not None
    binding = () if world.family.unknowns is None else world.family.unknowns.binding
    for place in (each for each in world.ranges.columns if each not in binding):
        own, other = uses.of(decision, place), uses.of(witness.rival, place)
        effects |= {spot: own.get(spot, 0) - other.get(spot, 0) for spot in own.keys() | other.keys()}
    truth = {spot: _true(world, spot) for spot, effect in effects.items() if effect}
    moved = {spot: abs(effects[spot] * (spot.number - (true or 0))) for spot, true in truth.items() if true != spot.number}
    ordered = sorted(moved, key=lambda spot: (-moved[spot], spot.relation, spot.row, spot.at, spot.place or 0))
    return [_told(world, spot, truth[spot]) for spot in ordered[:CELLS]]


def _true(world: World, spot: Spot) -> int | None:
    """What stands at a spot's place in the hidden instance; None if it has no such row."""
    keys = len(world.instance.relations[spot.relation].keys)
    for row in world.instance.rows(spot.relation):
        if row[:keys] == spot.row[:keys]:
            return spot._replace(row=row).number
    return None


def _told(world: World, spot: Spot, true: int | None) -> dict[str, Any]:
    relation = world.instance.relations[spot.relation]
    about = [str(each) for each in spot.row[: len(relation.keys)]] + ([] if spot.place is None else [str(spot.place + 1)])
    column = relation.columns[spot.at].name
    return {"table": relation.name, "row": about, "column": column, "true": true, "possible": spot.number}
