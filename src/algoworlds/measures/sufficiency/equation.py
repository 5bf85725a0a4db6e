"""An evaluation tells one value exactly: what a witness must agree with, and how unread numbers are moved so that it does."""

from collections.abc import Iterator
from typing import Any

from algoworlds.core.completions import Spot, settled, spots
from algoworlds.core.decision import Decision
from algoworlds.core.ranges import Range
from algoworlds.measures.sufficiency.trial import Trial


def agreeing(trial: Trial, instance: Any, rival: Decision) -> Any | None:
    """The instance with numbers moved until the evaluated decision is worth what was told; None if they do not go so far.

    Numbers are moved first that cost the rival's lead least: those that both decisions pay for cost nothing.
    """
    evaluated = trial.observed.evaluated
    if evaluated is None:
        return instance
    told, now = trial.value(trial.bench.listener.world.instance, evaluated), trial.value(instance, evaluated)
    if told is None or now is None:
        return instance if told == now else None
    missing, moved = told - now, dict[Spot, int]()
    for spot, times, box in _movable(trial, instance, rival, evaluated, missing):
        number = min(max(spot.number + missing // times, box.low), box.high)
        missing -= times * (number - spot.number)
        moved[spot] = number
    return settled(instance, moved) if missing == 0 else None


def _movable(
    trial: Trial, instance: Any, rival: Decision, evaluated: Decision, missing: int
) -> Iterator[tuple[Spot, int, Range]]:
    """The unread numbers that the evaluated decision pays for, as they stand, how often it does, and their ranges."""
    own, theirs, paid = trial.own, trial.paid(trial.unknowns.read(rival)), trial.paid(evaluated)

    def harm(spot: Spot) -> float:
        lead = trial.sign * (own.get(spot, 0) - theirs.get(spot, 0))
        return -lead / paid[spot] * missing

    for spot in sorted(paid, key=lambda spot: (harm(spot), repr(spot))):
        column = instance.relations[spot.relation].columns[spot.at].name
        keys = len(instance.relations[spot.relation].keys)
        rows = (row for row in instance.rows(spot.relation) if row[:keys] == spot.row[:keys])
        for there in spots(instance, (spot.relation, column), rows):
            if there.place == spot.place and missing:
                yield there, paid[spot], trial.boxes[spot]
