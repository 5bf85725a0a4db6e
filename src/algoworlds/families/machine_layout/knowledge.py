"""What Machine Layout leaves open while distances are unread: the order of slots along the aisle; and what follows anyway."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, islice, pairwise
from typing import Any

from algoworlds.families.declare import Completions, Fact, Knowledge, OptionKind, Unknowns
from algoworlds.families.machine_layout.generate import ranges
from algoworlds.families.machine_layout.instance import MachineLayout

MAX_LINES = 24
"""Lines (up to reversal) that are tried one by one."""

Distances = dict[str, dict[str, int]]
"""For every slot, in roster order, its known distances to other slots."""


def deduce(facts: frozenset[Fact], public: Mapping[str, Any]) -> frozenset[Fact]:
    """`facts`, and every distance that they imply on a unit line; nothing is implied unless some slot's row is complete.

    A distance follows if it is the same in every unit line that fits. Let the row of a slot c be complete and
    r[x] = d(c, x) > 0. Put c at 0; then x stands at +r[x] or -r[x], and d(x, y) is |r[x] - r[y]| if x and y stand on the same
    side and r[x] + r[y] if not, two different numbers. The sides of two slots are tied
        - by their own distance, if that is known;
        - oppositely, if r[x] = r[y], because no two slots share a position;
        - alike, if neither shares its r with another slot: the line has no gaps, so all of these lie on its longer arm.
    Conversely, any choice of sides that respects these ties is a unit line that fits all known distances: both arms are
    filled without gaps. So a distance follows exactly if its two slots are connected by ties. Consequences: the row of an
    end slot fixes everything (every r occurs once), and so do any two complete rows, of c and t: each x has its own known
    distance to t, which ties it to t. Flows need no rule: a pair is one fact, so the rows of all machines but one hold every
    pair.
    """
    slots: tuple[str, ...] = public["slot"]
    distance = {(row[0], row[1]): row[2] for name, row in facts if name == "distance"}
    row_size: Counter[str] = Counter(s for pair in distance for s in pair)
    centre = next((s for s in slots if row_size[s] == len(slots) - 1), None)
    if centre is None:
        return facts
    r = {t if s == centre else s: d for (s, t), d in distance.items() if centre in (s, t)}
    side = _sides(r, _ties(r, distance))
    return facts | {
        Fact("distance", (x, y, abs(side[x][1] * r[x] - side[y][1] * r[y])))
        for x, y in combinations(slots, 2)
        if centre not in (x, y) and side[x][0] == side[y][0]
    }


def _ties(r: Mapping[str, int], distance: Mapping[tuple[str, str], int]) -> Iterator[tuple[str, str, int]]:
    """Pairs whose sides are tied: +1 alike, -1 opposite."""
    for (x, y), d in distance.items():
        if x in r and y in r:
            yield x, y, -1 if d == r[x] + r[y] else 1
    by_radius: dict[int, list[str]] = {}
    for x, radius in r.items():
        by_radius.setdefault(radius, []).append(x)
    yield from ((pair[0], pair[1], -1) for pair in by_radius.values() if len(pair) == 2)
    yield from ((x, y, 1) for x, y in pairwise(pair[0] for pair in by_radius.values() if len(pair) == 1))


def _sides(r: Mapping[str, int], ties: Iterable[tuple[str, str, int]]) -> dict[str, tuple[str, int]]:
    """For every slot a representative of the slots it is tied to, and its side if the representative is on side +1."""
    tied: dict[str, list[tuple[str, int]]] = {x: [] for x in r}
    for x, y, sign in ties:
        tied[x].append((y, sign))
        tied[y].append((x, sign))
    side: dict[str, tuple[str, int]] = {}
    for first in r:
        reached = [] if first in side else [first]
        side.setdefault(first, (first, 1))
        for x in reached:
            for y, sign in tied[x]:
                if y not in side:
                    side[y] = (first, sign * side[x][1])
                    reached.append(y)
    return side


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
        shared=frozenset({("flow", "flow")}),
        keys_of={"flow": "", "distance": ""},
        structure=frozenset({"distance"}),
        cases=cases,
        cases_fix_structure=lambda completions: True,
    ),
    options=(OptionKind(("adjustment",), price=("adjustment", +1), required_roster="machine"),),
)
