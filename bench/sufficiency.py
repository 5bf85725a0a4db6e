"""`python -m bench.sufficiency [SETS] [SAMPLES] [FAMILY ...]`: how often the oracle decides, how fast, and is it ever wrong?

Per family and level, random sets of calls are put to the oracle: parts of the plans, of the catalog, and beginnings of plans.
Every witness is held to the checker and to the tools. Then calls are taken from a plan as long as the optimum is said to be
determined; of what is left, random completions are drawn and solved: one with a better decision would be a contradiction.
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Any

from algoworlds.core.column import Flag, Id, Ids
from algoworlds.core.completions import Completions, settled
from algoworlds.core.interface import Interface
from algoworlds.core.relation import Row
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.errors import InstanceError
from algoworlds.families import FAMILIES
from algoworlds.measures.sufficiency.observed import Observed
from algoworlds.measures.sufficiency.oracle import Knowledge, Oracle, Risk
from algoworlds.worlds.admit import Candidate, Coordinate
from algoworlds.worlds.world import World

LEVELS = (0, 1)
WORLDS = 10
"""Worlds of a level that questions are spread over."""
KEPT = (50, 70, 90, 95, 98)
"""Of a hundred calls of a plan, how many a set keeps."""


@dataclass
class Tally:
    """What became of the questions of a family and level."""

    found: dict[Knowledge, int] = field(default_factory=lambda: dict.fromkeys(Knowledge, 0))
    seconds: float = 0.0
    slowest: float = 0.0
    samples: int = 0
    contradictions: int = 0


def call_sets(world: World, count: int, stream: Stream) -> Iterator[tuple[Call, ...]]:
    """Random parts of plans, random parts of the catalog, and beginnings of plans."""
    for number in range(count):
        plan = stream.choice(list(world.plans.values()))
        if number % 5 == 3:
            yield tuple(stream.sample(world.catalog, stream.below(len(world.catalog))))
        elif number % 5 == 4:
            yield plan[: stream.below(len(plan) + 1)]
        else:
            share = stream.choice(KEPT)
            yield tuple(call for call in plan if stream.below(100) < share)


def stands(world: World, oracle: Oracle, calls: tuple[Call, ...], risk: Risk) -> None:
    """Hold a witness to the ranges, to the tools and to the checker."""
    assert risk.witness is not None
    instance, rival, regret = risk.witness
    other = World(world.coordinate, instance, world.interface)
    own, theirs = (world.family.check(instance, each) for each in (oracle.optimum, rival))
    assert next(oracle.ranges.broken(instance), None) is None
    assert all(other.records(call) == world.records(call) for call in calls)
    assert theirs.value is not None
    assert regret == (inf if own.value is None else abs(own.value - theirs.value))
    assert own.value is None or world.family.sense.better(theirs.value, than=own.value)


def completion(completions: Completions, stream: Stream) -> Any | None:
    """A random completion: unread numbers anywhere in their ranges, flags and ids at random; None if the draw is none."""
    instance, numbers = completions.instance, {}
    for place in completions.ranges.columns:
        numbers |= {spot: stream.integer(box.low, box.high) for spot, box in completions.boxes(place).items()}
    try:
        drawn = settled(instance, numbers)
        changes = {
            name: {row: drawn_row(instance, name, row, stream) for row in _rows(completions, drawn, name)}
            for name in completions.open
        }
        changed = drawn.amended({name: rows for name, rows in changes.items() if instance.relations[name].values})
    except InstanceError:
        return None
    return None if next(completions.ranges.broken(changed), None) is not None else changed


def _rows(completions: Completions, drawn: Any, name: str) -> list[Row]:
    keys = len(drawn.relations[name].keys)
    unread = {row[:keys] for row in completions.unread(name)}
    return [row for row in drawn.rows(name) if row[:keys] in unread]


def drawn_row(instance: Any, name: str, row: Row, stream: Stream) -> Row:
    """A row with its flags and ids drawn anew; every other one is left as it is, so that structure often holds."""
    relation, cells = instance.relations[name], list(row)
    for at, column in enumerate(relation.values, start=len(relation.keys)):
        if isinstance(column, Flag):
            cells[at] = bool(stream.below(2))
        elif isinstance(column, Id) and stream.below(2):
            cells[at] = stream.choice(getattr(instance, column.of))
        elif isinstance(column, Ids) and not column.ordered and stream.below(2):
            cells[at] = tuple(sorted(stream.sample(getattr(instance, column.of), stream.below(3))))
    return tuple(cells)


def contradicted(world: World, oracle: Oracle, instance: Any) -> bool:
    """Whether some decision of an instance is better than the world's optimum."""
    best, own = world.family.solve(instance).value, world.family.check(instance, oracle.optimum).value
    return best is not None and (own is None or world.family.sense.better(best, than=own))


def thinned(oracle: Oracle, plan: tuple[Call, ...], stream: Stream) -> tuple[Call, ...]:
    """A part of a plan from which no further call can be taken while the optimum stays determined."""
    left = plan
    for call in stream.shuffled(plan):
        fewer = tuple(each for each in left if each != call)
        left = fewer if oracle.known(Observed(fewer)).knowledge is Knowledge.DETERMINED else left
    return left


def asked(world: World, oracle: Oracle, calls: tuple[Call, ...], tally: Tally) -> None:
    """Put one question."""
    start = time.process_time()
    risk = oracle.known(Observed(calls))
    spent = time.process_time() - start
    tally.seconds, tally.slowest = tally.seconds + spent, max(tally.slowest, spent)
    tally.found[risk.knowledge] += 1
    if risk.witness is not None:
        stands(world, oracle, calls, risk)


def sampled(world: World, oracle: Oracle, calls: tuple[Call, ...], samples: int, tally: Tally, stream: Stream) -> None:
    """Solve random completions of responses that are said to determine the optimum."""
    completions = oracle.completions(Observed(calls))
    for _ in range(samples if completions.open else 0):
        drawn = completion(completions, stream)
        if drawn is not None:
            tally.samples += 1
            tally.contradictions += contradicted(world, oracle, drawn)


def measured(name: str, level: int, sets: int, samples: int) -> Tally:
    """Ask the oracle of some worlds of a level, admitted or not."""
    tally, stream = Tally(), Stream("bench", "sufficiency", name, level)
    for index in range(1, WORLDS + 1):
        drawn = Candidate(Coordinate(name, level, index), 0)
        world = World(drawn.coordinate, drawn.instance, Interface.DIRECT if index % 2 else Interface.MEDIATED)
        if world.ranges is None or not drawn.solution.unique:
            continue
        oracle = Oracle.of(world, drawn.solution.decision)
        for calls in call_sets(world, sets // WORLDS, stream):
            asked(world, oracle, calls, tally)
        for plan in world.plans.values() if samples else ():
            sampled(world, oracle, thinned(oracle, plan, stream), samples, tally, stream)
    return tally


def main(sets: int = 1000, samples: int = 250, names: tuple[str, ...] = tuple(FAMILIES)) -> None:
    """Print a table."""
    print("| family | level | determined | not determined | undecided | completions | contradictions | mean ms | most ms |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in names:
        for level in LEVELS:
            each = measured(name, level, sets, samples)
            count = max(sum(each.found.values()), 1)
            times = f"{1000 * each.seconds / count:.1f} | {1000 * each.slowest:.0f}"
            found = " | ".join(str(each.found[knowledge]) for knowledge in Knowledge)
            print(f"| {name} | {level} | {found} | {each.samples} | {each.contradictions} | {times} |", flush=True)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:3]]
    main(*numbers, *([tuple(sys.argv[3:])] if sys.argv[3:] else []))
