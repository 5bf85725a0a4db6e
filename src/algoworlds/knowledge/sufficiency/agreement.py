"""A witness must agree with an evaluation: how unread numbers are moved until the evaluated decision is worth what was told."""

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any, NamedTuple

from algoworlds.core.completions import Spot, settled, spots
from algoworlds.core.decision import Decision
from algoworlds.core.ranges import Place, Range
from algoworlds.knowledge.sufficiency.trial import Trial
from algoworlds.knowledge.sufficiency.uses import Uses

ROUNDS = 3
"""How often numbers are moved: where one is a factor of others, what it moves is known only afterwards."""

EVENED = 5
"""Numbers, those paid for least, of which three are moved so that no rest is left."""

NEAR = 20
"""How far two of them are moved."""


class Lever(NamedTuple):
    """A number that the evaluated decision pays for: how much of it, and how much one more of it adds to the rival's lead."""

    spot: Spot
    box: Range
    times: int
    lead: int

    def harm(self, missing: int) -> float:
        """What moving it towards what is missing takes from the rival's lead, a unit of value."""
        return -self.lead / self.times * (1 if missing > 0 else -1)


def agreeing(trial: Trial, instance: Any, rival: Decision) -> Any | None:
    """The instance with numbers moved until the evaluated decision is worth what was told; None if they do not go so far.

    Numbers are moved first that cost the rival's lead least: those that both decisions pay for cost nothing.
    """
    told = trial.completions.told
    if told is None or trial.evaluates(instance):
        return instance
    for _ in range(ROUNDS):
        now = trial.value(instance, told.decision)
        if now is None or told.value is None or now == told.value:
            break
        instance = settled(instance, _moved(list(_levers(trial, instance, rival)), told.value - now))
    return instance if trial.evaluates(instance) else None


def _moved(levers: list[Lever], missing: int) -> dict[Spot, int]:
    moved: dict[Spot, int] = {}
    for spot, box, times, _ in sorted(levers, key=lambda each: (each.harm(missing), abs(each.times), repr(each.spot))):
        number = min(max(spot.number + _towards(missing, times), box.low), box.high)
        missing -= times * (number - spot.number)
        moved[spot] = number
    return moved if not missing else moved | _evened(levers, moved, missing)


def _evened(levers: list[Lever], moved: dict[Spot, int], missing: int) -> dict[Spot, int]:
    """Three numbers moved a little further, so that no rest is left: the way that costs the rival's lead least."""
    found: dict[int, dict[Spot, int]] = {}
    for one, two, three in permutations(sorted(levers, key=lambda each: abs(each.times))[:EVENED], 3):
        if one.spot < two.spot:
            for by, and_by in product(_near(one, moved), _near(two, moved)):
                rest, left = divmod(missing - one.times * by - two.times * and_by, three.times)
                if not left and moved[three.spot] + rest in three.box:
                    gain = one.lead * by + two.lead * and_by + three.lead * rest
                    found.setdefault(gain, {one.spot: by, two.spot: and_by, three.spot: rest})
    return {spot: moved[spot] + by for spot, by in found[max(found)].items()} if found else {}


def _near(lever: Lever, moved: dict[Spot, int]) -> list[int]:
    """Small moves of a number."""
    return [by for by in range(-NEAR, NEAR + 1) if moved[lever.spot] + by in lever.box]


def _towards(missing: int, times: int) -> int:
    """How many steps of a number come nearest to what is missing without going beyond."""
    steps = abs(missing) // abs(times)
    return steps if (missing > 0) == (times > 0) else -steps


def _levers(trial: Trial, instance: Any, rival: Decision) -> Iterator[Lever]:
    told, uses = trial.completions.told, Uses(trial.family, instance)
    assert told is not None
    for place in _free(trial):
        listed = dict(_unread(trial, instance, place))
        paid = uses.among(told.decision, list(listed))
        own, theirs = uses.among(trial.decision, list(paid)), uses.among(rival, list(paid))
        for spot, times in paid.items():
            yield Lever(spot, listed[spot], times, trial.sign * (own.get(spot, 0) - theirs.get(spot, 0)))


def _free(trial: Trial) -> list[Place]:
    """The unread columns of numbers on which nothing but values depends."""
    tied = trial.unknowns.structure - trial.unknowns.scopes
    open_ = [place for place in trial.completions.ranges.columns if place[0] in trial.completions.open]
    return [place for place in open_ if place[0] not in tied and place not in trial.unknowns.binding]


def _unread(trial: Trial, instance: Any, place: Place) -> Iterator[tuple[Spot, Range]]:
    """The numbers of a column of an instance in rows that were not read, with their ranges."""
    keys = len(instance.relations[place[0]].keys)
    unread = {row[:keys] for row in trial.completions.unread(place[0])}
    for row in (row for row in instance.rows(place[0]) if row[:keys] in unread):
        boxes = trial.completions.ranges.cell(instance, place, row)
        yield from ((spot, box) for spot, box in zip(spots(instance, place, (row,)), boxes, strict=True) if box.width)
