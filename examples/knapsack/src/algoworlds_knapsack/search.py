"""Decisions that need no exact algorithm: myopic, locally improved, random."""

from collections.abc import Iterable, Iterator

from algoworlds.core.stream import Stream
from algoworlds.core.work import Sense
from algoworlds.families.descent import steepest
from algoworlds_knapsack.check import check
from algoworlds_knapsack.instance import CrateKnapsack

Packing = tuple[str, ...]


def reference(instance: CrateKnapsack) -> Packing:
    """The most valuable items per weight first, each if it still fits; what its crate weighs is noticed too late."""
    weight = {item: weight for (_, item), weight in instance.weight.items()}
    return _filled(instance, sorted(instance.item, key=lambda item: -instance.value[item] / weight[item]))


def sample(instance: CrateKnapsack, stream: Stream) -> Packing:
    """Items in random order, each if it still fits."""
    return _filled(instance, stream.shuffled(instance.item))


def descend(instance: CrateKnapsack, start: Packing) -> Packing:
    """Steepest ascent: put one item in, take one out, or exchange one."""
    return steepest(lambda y: check(instance, y), Sense.MAX, start, lambda y: _neighbours(instance, y))


def _neighbours(instance: CrateKnapsack, y: Packing) -> Iterator[Packing]:
    others = [item for item in instance.item if item not in y]
    yield from (_without(y, out) for out in y)
    yield from (tuple(sorted((*y, new))) for new in others)
    yield from (tuple(sorted((*_without(y, out), new))) for out in y for new in others)


def _without(y: Packing, out: str) -> Packing:
    return tuple(item for item in y if item != out)


def _filled(instance: CrateKnapsack, order: Iterable[str]) -> Packing:
    home = {item: (crate, weight) for (crate, item), weight in instance.weight.items()}
    taken: list[str] = []
    opened: set[str] = set()
    room = instance.capacity
    for item in order:
        crate, weight = home[item]
        needed = weight + (0 if crate in opened else instance.tare[crate])
        if needed <= room:
            taken.append(item)
            opened.add(crate)
            room -= needed
    return tuple(sorted(taken))
