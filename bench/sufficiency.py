"""`python -m bench.sufficiency [SETS] [SAMPLES] [FAMILY ...]`: how often the oracle decides, how fast, and is it ever wrong?

Of each family, so many random sets of calls are put to the oracle, half of them at each level: parts of plans, of the catalog,
and beginnings of plans; every third with an evaluation of something that the responses let one name. Every witness is held to
the checker and to the tools. Then calls are taken from a plan as long as the optimum is said to be determined; of what is left,
random completions are drawn and solved: one with a better decision would be a contradiction.

A family and level is one piece of work. Pieces are kept below `bench/build` until a source file changes, so that an interrupted
run goes on where it was, and a call for single families leaves the others to the next.
"""

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Any

from algoworlds.core.column import Flag, Id, Ids
from algoworlds.core.completions import Completions, Spot, settled
from algoworlds.core.decision import Decision
from algoworlds.core.interface import Interface
from algoworlds.core.ranges import Range
from algoworlds.core.relation import Row
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.errors import InstanceError
from algoworlds.families import FAMILIES
from algoworlds.knowledge.sufficiency.observed import Observed
from algoworlds.knowledge.sufficiency.oracle import Knowledge, Oracle, Risk
from algoworlds.knowledge.sufficiency.uses import Uses
from algoworlds.worlds.admit import Candidate, Coordinate
from algoworlds.worlds.world import World

LEVELS = (0, 1)
WORLDS = 10
"""Worlds of a level that questions are spread over."""
KEPT = (50, 70, 90, 95, 98)
"""Of a hundred calls of a plan, how many a set keeps."""
DRAWS = 4
"""How often a completion is drawn for every one that is wanted: not every draw keeps all promises."""
BUILD = Path("bench/build/sufficiency")


@dataclass
class Tally:
    """What became of the questions of a family and level."""

    found: dict[str, int] = field(default_factory=lambda: {each.value: 0 for each in Knowledge})
    plain: int = 0
    """Of the undecided questions, those without an evaluation."""
    evaluations: int = 0
    exact: int = 0
    """Of the worst regrets of the optimum, how many were found exactly."""
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


def evaluated(world: World, oracle: Oracle, calls: tuple[Call, ...], stream: Stream) -> Decision | None:
    """What somebody may evaluate: the optimum, the reference, any, or the best for who overlooks something; None if unnamed."""
    family, instance = world.family, world.instance
    overlooked = stream.choice(list(family.hardness.blind.values()))(instance)
    proposed = (
        lambda: oracle.optimum,
        lambda: family.reference(instance),
        lambda: family.hardness.sample(instance, stream),
        lambda: family.solve(overlooked).decision,
    )
    decision = stream.choice(proposed)()
    hidden = [name for name, each in instance.relations.items() if each.is_roster and not each.public]
    secret = frozenset(entity for name in hidden for entity in getattr(instance, name))
    shown = oracle.completions(Observed(calls)).shown
    return None if decision is None or not family.decision.ids(decision) & secret <= shown else decision


def stands(world: World, oracle: Oracle, observed: Observed, risk: Risk) -> None:
    """Hold a witness to the ranges, to the tools and to the checker."""
    assert risk.witness is not None
    instance, rival, regret = risk.witness
    other, check = World(world.coordinate, instance, world.interface), world.family.check
    own, theirs = (check(instance, each) for each in (oracle.optimum, rival))
    assert next(oracle.ranges.broken(instance), None) is None
    assert all(other.records(call) == world.records(call) for call in observed.calls)
    if observed.evaluated is not None:
        assert check(instance, observed.evaluated).value == check(world.instance, observed.evaluated).value
    assert theirs.value is not None
    assert regret == (inf if own.value is None else abs(own.value - theirs.value))
    assert own.value is None or world.family.sense.better(theirs.value, than=own.value)


def unread(oracle: Oracle, completions: Completions) -> dict[Spot, Range]:
    """Unread numbers that may be drawn: all but those that make up a value which was told."""
    family, told, found = oracle.world.family, completions.told, dict[Spot, Range]()
    unknowns = family.knowledge.unknowns
    priced = [place for place in completions.ranges.columns if unknowns and place not in unknowns.binding]
    uses = Uses(family, completions.instance)
    tied = {spot for place in priced for spot in uses.of(told.decision, place)} if told is not None else set()
    for place in completions.ranges.columns:
        found |= {spot: box for spot, box in completions.boxes(place).items() if spot not in tied}
    return found


def completion(completions: Completions, boxes: dict[Spot, Range], stream: Stream) -> Any | None:
    """A random completion: unread numbers anywhere in their ranges, flags and ids at random; None if the draw is none.

    What hangs together or decides feasibility stays as it is every other time: at random it hardly ever fits.
    """
    instance, told = completions.instance, completions.told
    unknowns = FAMILIES[instance.family].knowledge.unknowns
    fixed = unknowns.structure | {name for name, _ in unknowns.binding} if stream.below(2) else ()
    numbers = {spot: stream.integer(box.low, box.high) for spot, box in boxes.items() if spot.relation not in fixed}
    try:
        drawn = settled(instance, numbers)
        changes = {
            name: {row: drawn_row(instance, name, row, stream) for row in _rows(completions, drawn, name)}
            for name in completions.open
            if name not in fixed
        }
        changed = drawn.with_rows(**{name: rows for name, rows in changes.items() if instance.relations[name].values})
    except InstanceError:
        return None
    if told is not None and FAMILIES[instance.family].check(changed, told.decision).value != told.value:
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


def thinned(oracle: Oracle, plan: tuple[Call, ...], tried: Decision | None, stream: Stream) -> Observed:
    """A part of a plan from which no further call can be taken while the optimum stays determined."""
    left = Observed(plan, tried)
    for call in stream.shuffled(plan):
        fewer = Observed(tuple(each for each in left.calls if each != call), tried)
        left = fewer if oracle.known(fewer).knowledge is Knowledge.DETERMINED else left
    return left


def asked(world: World, oracle: Oracle, observed: Observed, tally: Tally) -> None:
    """Put one question."""
    start = time.process_time()
    risk = oracle.known(observed)
    spent = time.process_time() - start
    tally.seconds, tally.slowest = tally.seconds + spent, max(tally.slowest, spent)
    tally.found[risk.knowledge.value] += 1
    tally.plain += risk.knowledge is Knowledge.UNDECIDED and observed.evaluated is None
    tally.evaluations += observed.evaluated is not None
    tally.exact += oracle.worst_regret(oracle.optimum, observed).regret is not None
    if risk.witness is not None:
        stands(world, oracle, observed, risk)


def sampled(world: World, oracle: Oracle, observed: Observed, wanted: int, tally: Tally, stream: Stream) -> None:
    """Solve random completions of responses that are said to determine the optimum, until so many have been in all."""
    completions = oracle.completions(observed)
    boxes = unread(oracle, completions)
    for _ in range(DRAWS * (wanted - tally.samples) if completions.open else 0):
        drawn = completion(completions, boxes, stream) if tally.samples < wanted else None
        if drawn is not None:
            tally.samples += 1
            tally.contradictions += contradicted(world, oracle, drawn)


def measured(name: str, level: int, sets: int, samples: int) -> Tally:
    """Ask the oracle of some worlds of a level, admitted or not."""
    tally, stream = Tally(), Stream("bench", "sufficiency", name, level)
    for index in range(1, WORLDS + 1):
        drawn = Candidate(Coordinate(name, level, index), 0)
        world = World(drawn.coordinate, drawn.instance, Interface.DIRECT if index % 2 else Interface.MEDIATED)
        oracle = Oracle.of(world, drawn.solution.decision)
        for number, calls in enumerate(call_sets(world, sets // WORLDS, stream)):
            tried = evaluated(world, oracle, calls, stream) if number % 3 == 0 else None
            asked(world, oracle, Observed(calls, tried), tally)
        for plan, tried in zip(world.plans.values(), stream.shuffled([None, oracle.optimum]), strict=True) if samples else ():
            sampled(world, oracle, thinned(oracle, plan, tried, stream), samples * index // WORLDS, tally, stream)
    return tally


def piece(name: str, level: int, sets: int, samples: int) -> Tally:
    """One piece of work, done now or kept from before."""
    sources = [*sorted(Path("src").rglob("*.py")), Path(__file__)]
    digest = sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    place = BUILD / f"{name}-{level}-{sets}-{samples}-{digest}.json"
    if place.exists():
        return Tally(**json.loads(place.read_text()))
    made = measured(name, level, sets, samples)
    BUILD.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(asdict(made)))
    return made


HEADS = (
    "family, level, determined, not determined, undecided, without evaluation, evaluations, worst regret exact, "
    "completions, contradictions"
)


def main(sets: int = 100, samples: int = 400, names: tuple[str, ...] = tuple(FAMILIES)) -> None:
    """Print a table."""
    heads = [*HEADS.split(", "), "mean ms", "most ms"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for name in names:
        for level in LEVELS:
            each = piece(name, level, sets // len(LEVELS), samples // len(LEVELS))
            count = max(sum(each.found.values()), 1)
            counts = [*each.found.values(), each.plain, each.evaluations, each.exact, each.samples, each.contradictions]
            times = f"{1000 * each.seconds / count:.1f} | {1000 * each.slowest:.0f}"
            print(f"| {name} | {level} | {' | '.join(map(str, counts))} | {times} |", flush=True)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:3]]
    main(*numbers, *([tuple(sys.argv[3:])] if sys.argv[3:] else []))
