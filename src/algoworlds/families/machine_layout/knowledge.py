"""What Machine Layout leaves open while distances are unread: in which order the slots stand along the aisle."""

from collections.abc import Iterator
from itertools import combinations, islice

from algoworlds.core.completions import Completions
from algoworlds.core.options import Options, pricing
from algoworlds.families.knowledge import Knowledge
from algoworlds.families.machine_layout.generate import ranges
from algoworlds.families.machine_layout.instance import MachineLayout
from algoworlds.families.unknowns import Unknowns

FEW = 24
"""Lines that are looked at one by one."""

Away = dict[str, dict[str, int]]
"""The slots whose distance to a slot is known, for each slot in the order of the roster."""


def cases(completions: Completions, decision: dict[str, str]) -> Iterator[MachineLayout | None]:
    """The line of the member, then every other one that agrees with the distances read; None if there are more."""
    instance: MachineLayout = completions.instance
    known = {row[:2]: row[2] for name, row in completions.facts if name == "distance"}
    yield instance
    if len(known) == len(instance.distance):
        return
    away: Away = {slot: {} for slot in instance.slot}
    for (s, t), d in known.items():
        away[s][t] = away[t][s] = d
    for number, line in enumerate(islice(_lines(away, (), {}), 2 * FEW + 1)):
        if number == 2 * FEW:
            yield None
            return
        place = {slot: at for at, slot in enumerate(line)}
        distance = {(s, t): abs(place[s] - place[t]) for s, t in combinations(instance.slot, 2)}
        if distance != instance.distance and instance.slot.index(line[0]) < instance.slot.index(line[-1]):
            yield instance.replace(distance=distance)


def _lines(away: Away, line: tuple[str, ...], due: dict[str, int]) -> Iterator[tuple[str, ...]]:
    """Every order of the slots that goes on from a beginning and agrees with what is known; mirror images are two.

    A slot whose distance to the beginning is known is due at one place, so that no order is begun that cannot be ended.
    """
    at, left = len(line), [slot for slot in away if slot not in line]
    if not left:
        yield line
    for slot in [each for each in left if due.get(each) == at] or [each for each in left if each not in due]:
        ahead = {other: at + d for other, d in away[slot].items() if other not in line}
        later = due | ahead
        if all(due.get(other, place) == place < len(away) for other, place in ahead.items()):
            yield from _lines(away, (*line, slot), later) if len(set(later.values())) == len(later) else ()


KNOWLEDGE = Knowledge(
    ranges=ranges,
    unknowns=Unknowns(
        shared=frozenset({("flow", "flow")}), structure=frozenset({"distance"}), settles=lambda completions: True, cases=cases
    ),
    options=(Options(("adjustment",), pricing("adjustment", +1), each="machine"),),
)
