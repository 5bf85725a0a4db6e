"""What Machine Layout leaves open while distances are unread: in which order the slots stand along the aisle."""

from collections.abc import Iterator
from itertools import combinations, islice

from algoworlds.core.completions import Completions
from algoworlds.families.machine_layout.instance import MachineLayout
from algoworlds.families.unknowns import Unknowns

FEW = 24
"""Lines that are looked at one by one."""


def cases(completions: Completions, decision: dict[str, str]) -> Iterator[MachineLayout | None]:
    """The line of the member, then every other one that agrees with the distances read; None if there are more."""
    instance: MachineLayout = completions.instance
    known = {row[:2]: row[2] for name, row in completions.facts if name == "distance"}
    yield instance
    if len(known) == len(instance.distance):
        return
    for number, line in enumerate(islice(_lines(instance.slot, known, ()), 2 * FEW + 1)):
        if number == 2 * FEW:
            yield None
            return
        place = {slot: at for at, slot in enumerate(line)}
        distance = {(s, t): abs(place[s] - place[t]) for s, t in combinations(instance.slot, 2)}
        if distance != instance.distance and instance.slot.index(line[0]) < instance.slot.index(line[-1]):
            yield instance.replaced(distance=distance)


def _lines(slots: tuple[str, ...], known: dict[tuple[str, ...], int], line: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every order of the slots that goes on from a beginning and agrees with what is known; mirror images are two."""
    if len(line) == len(slots):
        yield line
    for slot in slots:
        if slot not in line and all(_fits(known, slot, other, len(line) - at) for at, other in enumerate(line)):
            yield from _lines(slots, known, (*line, slot))


def _fits(known: dict[tuple[str, ...], int], slot: str, other: str, distance: int) -> bool:
    return known.get((slot, other), known.get((other, slot), distance)) == distance


UNKNOWNS = Unknowns(
    shared=frozenset({("flow", "flow")}), structure=frozenset({"distance"}), settles=lambda completions: True, cases=cases
)
