"""`python -m bench.sufficiency [SETS] [SAMPLES] [FAMILY ...]`: how often and how fast the oracle decides, and its errors.

For each family the oracle is asked about SETS random sets of calls, half of them at each level: parts of plans, parts of the
catalog, and beginnings of plans; every third with the evaluation of a decision whose ids the responses mention. Every witness
is checked with the checker and the tools. Then calls are removed from a plan as long as the oracle says that the optimum is
determined; random completions of the remaining calls are drawn and solved: a better decision would be a contradiction.

The results of a family and level are cached below `bench/build` until a source file changes, so an interrupted run resumes, and
a run for single families leaves the others to the next.
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
from algoworlds.core.completions import Completions, NumberRef, with_numbers
from algoworlds.core.decision import Decision
from algoworlds.core.interface import Interface
from algoworlds.core.ranges import Range
from algoworlds.core.relation import Row
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.errors import InstanceError
from algoworlds.families import FAMILIES
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Determination, Oracle, Risk
from algoworlds.knowledge.sensitivity import ValueSensitivity
from algoworlds.worlds.admission import Candidate, Coordinate
from algoworlds.worlds.world import World

LEVELS = (0, 1)
WORLDS = 10
"""Worlds of a level that the sets of calls are spread over."""
KEEP_PERCENTAGES = (50, 70, 90, 95, 98)
"""Percentages of the calls of a plan that a set keeps."""
DRAWS_PER_SAMPLE = 4
"""Draws for each wanted completion: not every draw keeps all promises."""
BUILD = Path("bench/build/sufficiency")


@dataclass
class Tally:
    """The answers to the questions of a family and level."""

    counts: dict[str, int] = field(default_factory=lambda: {determination.value: 0 for determination in Determination})
    plain: int = 0
    """Undecided questions without an evaluation."""
    evaluations: int = 0
    exact: int = 0
    """Questions for which the worst regret of the optimum is known exactly."""
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
            share = stream.choice(KEEP_PERCENTAGES)
            yield tuple(call for call in plan if stream.below(100) < share)


def choose_evaluation(world: World, oracle: Oracle, calls: tuple[Call, ...], stream: Stream) -> Decision | None:
    """A decision that an agent may evaluate: the optimum, the reference, a random one, or one of a blind solver.

    None if the responses to `calls` do not mention all of its ids.
    """
    family, instance = world.family, world.instance
    overlooked = stream.choice([blind for _, blind in family.hardness.blind_instances(instance)])
    proposed = (
        lambda: oracle.optimum,
        lambda: family.reference(instance),
        lambda: family.hardness.sample(instance, stream),
        lambda: family.solve(overlooked).decision,
    )
    decision = stream.choice(proposed)()
    hidden = [name for name, relation in instance.relations.items() if relation.is_roster and not relation.public]
    secret = frozenset(entity for name in hidden for entity in getattr(instance, name))
    shown = oracle.completions(ObservedCalls(calls)).mentioned_ids
    return None if decision is None or not family.decision.ids(decision) & secret <= shown else decision


def check_witness(world: World, oracle: Oracle, observed: ObservedCalls, risk: Risk) -> None:
    """Check the witness of `risk` with the ranges, the tools and the checker."""
    assert risk.witness is not None
    instance, rival, regret = risk.witness
    other, check = World(world.coordinate, instance, world.interface), world.family.check
    own, theirs = (check(instance, decision) for decision in (oracle.optimum, rival))
    assert next(oracle.ranges.violations(instance), None) is None
    assert all(other.records(call) == world.records(call) for call in observed.calls)
    if observed.evaluated is not None:
        assert check(instance, observed.evaluated).value == check(world.instance, observed.evaluated).value
    assert theirs.value is not None
    assert regret == (inf if own.value is None else abs(own.value - theirs.value))
    assert own.value is None or world.family.sense.is_better(theirs.value, than=own.value)


def drawable_ranges(oracle: Oracle, completions: Completions) -> dict[NumberRef, Range]:
    """Ranges of the unread numbers that may be drawn: all but those that make up the value of an evaluated decision."""
    family, evaluation, boxes = oracle.world.family, completions.evaluation, dict[NumberRef, Range]()
    unknowns = family.knowledge.unknowns
    priced = [column for column in completions.ranges.columns if unknowns and column not in unknowns.binding]
    uses = ValueSensitivity(family, completions.instance)
    tied = set[NumberRef]()
    if evaluation is not None:
        tied = {number for column in priced for number in uses.column_effects(evaluation.decision, column)}
    for column in completions.ranges.columns:
        boxes |= {number: box for number, box in completions.unread_ranges(column).items() if number not in tied}
    return boxes


def draw_completion(completions: Completions, boxes: dict[NumberRef, Range], stream: Stream) -> Any | None:
    """A random completion: unread numbers anywhere in their ranges, flags and ids at random; None if the draw is invalid.

    Every other time, structure and what decides feasibility stay as they are, because random values hardly ever fit.
    """
    instance, evaluation = completions.instance, completions.evaluation
    unknowns = FAMILIES[instance.family].knowledge.unknowns
    fixed = unknowns.structure | {name for name, _ in unknowns.binding} if stream.below(2) else ()
    numbers = {number: stream.integer(box.low, box.high) for number, box in boxes.items() if number.relation not in fixed}
    try:
        drawn = with_numbers(instance, numbers)
        changes = {
            name: {row: draw_row(instance, name, row, stream) for row in _rows(completions, drawn, name)}
            for name in completions.open_relations
            if name not in fixed
        }
        changed = drawn.with_rows(**{name: rows for name, rows in changes.items() if instance.relations[name].values})
    except InstanceError:
        return None
    if evaluation is not None and FAMILIES[instance.family].check(changed, evaluation.decision).value != evaluation.value:
        return None
    return None if next(completions.ranges.violations(changed), None) is not None else changed


def _rows(completions: Completions, drawn: Any, name: str) -> list[Row]:
    keys = len(drawn.relations[name].keys)
    unread = {row[:keys] for row in completions.unread_rows(name)}
    return [row for row in drawn.rows(name) if row[:keys] in unread]


def draw_row(instance: Any, name: str, row: Row, stream: Stream) -> Row:
    """A row with random flags and ids; every other id is left as it is, so that structure often holds."""
    relation, cells = instance.relations[name], list(row)
    for index, column in enumerate(relation.values, start=len(relation.keys)):
        if isinstance(column, Flag):
            cells[index] = bool(stream.below(2))
        elif isinstance(column, Id) and stream.below(2):
            cells[index] = stream.choice(getattr(instance, column.roster_name))
        elif isinstance(column, Ids) and not column.ordered and stream.below(2):
            cells[index] = tuple(sorted(stream.sample(getattr(instance, column.roster_name), stream.below(3))))
    return tuple(cells)


def is_contradiction(world: World, oracle: Oracle, instance: Any) -> bool:
    """Whether some decision is better in `instance` than the world's optimum."""
    best, own = world.family.solve(instance).value, world.family.check(instance, oracle.optimum).value
    return best is not None and (own is None or world.family.sense.is_better(best, than=own))


def drop_calls(oracle: Oracle, plan: tuple[Call, ...], evaluated: Decision | None, stream: Stream) -> ObservedCalls:
    """A part of a plan from which no further call can be dropped while the optimum stays determined."""
    kept = ObservedCalls(plan, evaluated)
    for call in stream.shuffled(plan):
        fewer = ObservedCalls(tuple(other for other in kept.calls if other != call), evaluated)
        kept = fewer if oracle.optimum_risk(fewer).determination is Determination.DETERMINED else kept
    return kept


def ask(world: World, oracle: Oracle, observed: ObservedCalls, tally: Tally) -> None:
    """Ask whether the optimum is determined after `observed`."""
    start = time.process_time()
    risk = oracle.optimum_risk(observed)
    spent = time.process_time() - start
    tally.seconds, tally.slowest = tally.seconds + spent, max(tally.slowest, spent)
    tally.counts[risk.determination.value] += 1
    tally.plain += risk.determination is Determination.UNDECIDED and observed.evaluated is None
    tally.evaluations += observed.evaluated is not None
    tally.exact += oracle.worst_regret(oracle.optimum, observed).regret is not None
    if risk.witness is not None:
        check_witness(world, oracle, observed, risk)


def sample_completions(
    world: World, oracle: Oracle, observed: ObservedCalls, wanted: int, tally: Tally, stream: Stream
) -> None:
    """Solve random completions of responses that are said to determine the optimum, until `wanted` have been solved in all."""
    completions = oracle.completions(observed)
    boxes = drawable_ranges(oracle, completions)
    for _ in range(DRAWS_PER_SAMPLE * (wanted - tally.samples) if completions.open_relations else 0):
        drawn = draw_completion(completions, boxes, stream) if tally.samples < wanted else None
        if drawn is not None:
            tally.samples += 1
            tally.contradictions += is_contradiction(world, oracle, drawn)


def measure(name: str, level: int, sets: int, samples: int) -> Tally:
    """Ask the oracle about some worlds of a level, admitted or not."""
    tally, stream = Tally(), Stream("bench", "sufficiency", name, level)
    for index in range(1, WORLDS + 1):
        drawn = Candidate(Coordinate(name, level, index), 0)
        world = World(drawn.coordinate, drawn.instance, Interface.DIRECT if index % 2 else Interface.MEDIATED)
        oracle = Oracle.from_world(world, drawn.solution.decision)
        for number, calls in enumerate(call_sets(world, sets // WORLDS, stream)):
            evaluated = choose_evaluation(world, oracle, calls, stream) if number % 3 == 0 else None
            ask(world, oracle, ObservedCalls(calls, evaluated), tally)
        for plan, evaluated in (
            zip(world.plans.values(), stream.shuffled([None, oracle.optimum]), strict=True) if samples else ()
        ):
            sample_completions(
                world, oracle, drop_calls(oracle, plan, evaluated, stream), samples * index // WORLDS, tally, stream
            )
    return tally


def load_or_measure(name: str, level: int, sets: int, samples: int) -> Tally:
    """The result of a family and level, from the cache if it is there."""
    sources = [*sorted(Path("src").rglob("*.py")), Path(__file__)]
    digest = sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    path = BUILD / f"{name}-{level}-{sets}-{samples}-{digest}.json"
    if path.exists():
        return Tally(**json.loads(path.read_text()))
    tally = measure(name, level, sets, samples)
    BUILD.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(asdict(tally)))
    return tally


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
            result = load_or_measure(name, level, sets // len(LEVELS), samples // len(LEVELS))
            count = max(sum(result.counts.values()), 1)
            counts = [
                *result.counts.values(),
                result.plain,
                result.evaluations,
                result.exact,
                result.samples,
                result.contradictions,
            ]
            times = f"{1000 * result.seconds / count:.1f} | {1000 * result.slowest:.0f}"
            print(f"| {name} | {level} | {' | '.join(map(str, counts))} | {times} |", flush=True)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:3]]
    main(*numbers, *([tuple(sys.argv[3:])] if sys.argv[3:] else []))
