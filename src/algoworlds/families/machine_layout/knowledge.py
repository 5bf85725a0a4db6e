"""What Machine Layout leaves open while distances are unread: the order of the slots along the aisle."""

from collections.abc import Iterator
from itertools import combinations, islice

from algoworlds.families.declare import Completions, Knowledge, OptionKind, Unknowns, set_prohibitive_prices
from algoworlds.families.machine_layout.generate import ranges
from algoworlds.families.machine_layout.instance import MachineLayout

MAX_LINES = 24
"""Lines (up to reversal) that are tried one by one."""

Distances = dict[str, dict[str, int]]
"""For every slot, in roster order, its known distances to other slots."""


def cases(completions: Completions, decision: dict[str, str]) -> Iterator[MachineLayout | None]:
    """The instance, then one with every other line that agrees with the distances read; None if there are more."""
    instance: MachineLayout = completions.instance
    read = {row[:2]: row[2] for name, row in completions.facts if name == "distance"}
    yield instance
    if len(read) == len(instance.distance):
        return
    away: Distances = {slot: {} for slot in instance.slot}
    for (s, t), d in read.items():
        away[s][t] = away[t][s] = d
    for count, line in enumerate(islice(_lines(away, (), {}), 2 * MAX_LINES + 1)):
        if count == 2 * MAX_LINES:
            yield None
            return
        position = {slot: at for at, slot in enumerate(line)}
        distance = {(s, t): abs(position[s] - position[t]) for s, t in combinations(instance.slot, 2)}
        if distance != instance.distance and instance.slot.index(line[0]) < instance.slot.index(line[-1]):
            yield instance.replace(distance=distance)


def _lines(away: Distances, line: tuple[str, ...], due: dict[str, int]) -> Iterator[tuple[str, ...]]:
    """Every order of the slots that continues `line` and agrees with the known distances; mirror images count as two.

    `due` is the position of every slot with a known distance to `line`, so no order is begun that cannot be completed.
    """
    at, left = len(line), [slot for slot in away if slot not in line]
    if not left:
        yield line
    for slot in [slot for slot in left if due.get(slot) == at] or [slot for slot in left if slot not in due]:
        ahead = {other: at + d for other, d in away[slot].items() if other not in line}
        later = due | ahead
        if all(due.get(other, position) == position < len(away) for other, position in ahead.items()):
            yield from _lines(away, (*line, slot), later) if len(set(later.values())) == len(later) else ()


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        shared=frozenset({("flow", "flow")}), structure=frozenset({"distance"}), settles=lambda completions: True, cases=cases
    ),
    options=(OptionKind(("adjustment",), set_prohibitive_prices("adjustment", +1), required_roster="machine"),),
)
