"""The reference decision: what a sensible person does without planning ahead. Its utility is zero by definition."""

from collections.abc import Iterable

from algoworlds_knapsack.instance import CrateKnapsack

Packing = tuple[str, ...]


def reference(instance: CrateKnapsack) -> Packing:
    """Items by falling value per weight, each if it still fits; the order ignores what crates weigh."""
    weight = {item: weight for (_, item), weight in instance.weight.items()}
    return fill(instance, sorted(instance.item, key=lambda item: -instance.value[item] / weight[item]))


def fill(instance: CrateKnapsack, order: Iterable[str]) -> Packing:
    """Take the items in the given `order`, each if it and its crate still fit."""
    home = {item: (crate, weight) for (crate, item), weight in instance.weight.items()}
    taken: list[str] = []
    opened: set[str] = set()
    room = instance.capacity
    for item in order:
        crate, weight = home[item]
        added = weight + (0 if crate in opened else instance.tare[crate])
        if added <= room:
            taken.append(item)
            opened.add(crate)
            room -= added
    return tuple(sorted(taken))
