"""The reference decision: what a sensible person does who does not plan ahead. Its utility is zero by definition."""

from collections.abc import Iterable

from algoworlds_knapsack.instance import CrateKnapsack

Packing = tuple[str, ...]


def reference(instance: CrateKnapsack) -> Packing:
    """The most valuable items per weight first, each if it still fits; what its crate weighs is noticed too late."""
    weight = {item: weight for (_, item), weight in instance.weight.items()}
    return fill(instance, sorted(instance.item, key=lambda item: -instance.value[item] / weight[item]))


def fill(instance: CrateKnapsack, order: Iterable[str]) -> Packing:
    """The items in the given `order`, each if it and its crate still fit."""
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
