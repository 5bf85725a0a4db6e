"""The oracle under conditions: numbers known to lie in boxes, against enumeration and against sampled completions."""

from itertools import chain

import pytest

from algoworlds.core.completions import NumberRef, number_refs, with_numbers
from algoworlds.core.condition import CONDITIONS, Spot
from algoworlds.core.interface import Interface
from algoworlds.core.ranges import Range
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.knowledge.observed import ObservedCalls
from algoworlds.knowledge.oracle import Determination, Oracle
from algoworlds.worlds.episode import Episode
from tests.knowledge.enumeration import Universe, decisions_to_evaluate, questions
from tests.knowledge.universes import UNIVERSES
from tests.unsolved import unsolved_world


class MeasuredUniverse(Universe):
    """A universe in which answers show measured numbers as boxes."""

    def __init__(self, name):
        super().__init__(name)
        self.boxes = {}
        self.measured = [column for column in self.family.conditions.measured if column in self.ranges.columns]
        self.values = {}
        for instance in (world.instance for world in self.worlds):
            for spot, number in numbers_by_spot(instance, self.measured, instance.facts):
                self.values.setdefault(spot, set()).add(number)

    def _table_numbers(self, tool):
        """By masked tables: instances that differ in measured numbers only answer alike."""
        parts, numbers = self.family.layouts[Interface.DIRECT].parts_by_tool[tool], {}
        tables = [tuple(self.masked_rows(world.instance, part.relation) for part in parts) for world in self.worlds]
        return [numbers.setdefault(table, len(numbers)) for table in tables]

    def masked_rows(self, instance, name):
        hidden = [instance.relations[name].position(column) for owner, column in self.measured if owner == name]
        return tuple(tuple(cell for at, cell in enumerate(row) if at not in hidden) for row in instance.rows(name))

    def answer(self, at, call):
        key = call, self.table_numbers(call.tool)[at]
        if key not in self.answers:
            layout = self.family.layouts[Interface.DIRECT].part_by_name
            self.answers[key] = {
                name: {
                    tuple(
                        cell
                        for at, (cell, column) in enumerate(zip(row, layout[name].columns, strict=True))
                        if (layout[name].relation, column) not in self.measured
                    )
                    if name in layout
                    else row
                    for row in table["rows"]
                }
                for name, table in self.worlds[at].revealed_rows(call).items()
            }
        return self.answers[key]

    def members(self, truth, calls, evaluated=None):
        fits = lambda at: all(number_at(self.worlds[at].instance, spot) in box for spot, box in self.boxes.items())  # noqa: E731
        return [at for at in super().members(truth, calls, evaluated) if fits(at)]

    def draw_boxes(self, truth, calls, stream):
        """Random boxes of the numbers that `calls` show, with ends that occur in the universe."""
        world, boxes = self.worlds[truth], {}
        facts = world.facts(map(world.revealed_rows, calls))
        for spot, number in sorted(numbers_by_spot(world.instance, self.measured, facts)):
            values = sorted(self.values[spot])
            low = stream.choice([value for value in values if value <= number])
            boxes[spot] = Range(low, stream.choice([value for value in values if value >= number]))
        return boxes


def numbers_by_spot(instance, columns, facts):
    """The spot and the number of everything in `columns` that `facts` hold."""
    for name, column in columns:
        keys, rows = len(instance.relations[name].keys), [row for row in instance.rows(name) if (name, row) in facts]
        for ref in number_refs(instance, (name, column), rows):
            yield Spot(name, column, ref.row[:keys], ref.list_index), ref.value


def number_at(instance, spot):
    """The number at a spot; rows are unique by their keys."""
    relation = instance.relations[spot.relation]
    row = next(row for row in instance.rows(spot.relation) if row[: len(relation.keys)] == spot.keys)
    return NumberRef(spot.relation, row, relation.position(spot.column), spot.list_index).value


FEWEST = {family: name for name, (family, *_) in reversed(UNIVERSES.items())}
"""One universe of every family, for the quick form."""


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=() if name in FEWEST.values() else pytest.mark.full) for name in UNIVERSES],
    ids=str,
)
def universe(request):
    universe = MeasuredUniverse(request.param)
    assert universe.measured
    return universe


@pytest.fixture(params=[4, pytest.param(20, marks=pytest.mark.full)])
def count(request):
    return request.param


def test_determinations_and_worst_regrets_equal_enumeration(universe, count):
    """Without an evaluation every question is decided; witnesses answer alike and lie in the boxes."""
    stream = Stream("boxes", universe.family.name)
    for truth, calls in questions(universe, stream, count):
        world, universe.boxes = universe.worlds[truth], universe.draw_boxes(truth, calls, stream)
        oracle, observed = Oracle.from_world(world, None, universe.ranges, universe.boxes), ObservedCalls(calls)
        for decision in (oracle.optimum, stream.choice(universe.feasible(truth))):
            risk, expected = oracle.worst_regret(decision, observed), universe.worst_regret(truth, calls, decision)
            assert risk.regret == expected, (world.instance.json, calls, universe.boxes, decision)
            if risk.witness is not None:
                assert_fits(universe, risk.witness)
        known = oracle.optimum_risk(observed).determination
        assert (known is Determination.DETERMINED) is (universe.worst_regret(truth, calls, oracle.optimum) == 0)


def assert_fits(universe, witness):
    assert witness.instance.valid
    assert all(number_at(witness.instance, spot) in box for spot, box in universe.boxes.items())
    assert not list(universe.ranges.violations(witness.instance))


def test_bounds_respect_the_evaluated_value(universe, count):
    stream, asked, undecided = Stream("told boxes", universe.family.name), 0, 0
    for truth, calls in questions(universe, stream, count):
        world, universe.boxes = universe.worlds[truth], universe.draw_boxes(truth, calls, stream)
        oracle = Oracle.from_world(world, None, universe.ranges, universe.boxes)
        for evaluated in decisions_to_evaluate(universe, truth, calls, stream):
            observed = ObservedCalls(calls, evaluated)
            known, expected = oracle.optimum_risk(observed), universe.worst_regret(truth, calls, oracle.optimum, evaluated)
            assert known.determination is not Determination.DETERMINED or expected == 0, (world.instance.json, observed)
            assert known.determination is not Determination.NOT_DETERMINED or expected > 0, (world.instance.json, observed)
            asked, undecided = asked + 1, undecided + (known.determination is Determination.UNDECIDED)
            risk = oracle.worst_regret(oracle.optimum, observed)
            assert risk.low <= expected
            assert risk.high is None or expected <= risk.high
    assert undecided <= asked // 4 + 1, (undecided, asked)


# -- worlds as they are ---------------------------------------------------------------------------------------------------

NAMES = [condition.name for condition in CONDITIONS]


def sample_completion(world, oracle, observed, stream):
    """A random completion: every number that was not read somewhere in its range, every measured one somewhere in its box."""
    completions, numbers = oracle.completions(observed), {}
    binding = world.family.knowledge.unknowns.binding
    for column in world.ranges.columns:
        spans = dict(completions.open_boxes(column))
        if column not in binding and column[0] not in world.family.knowledge.unknowns.structure:
            spans |= completions.unread_ranges(column)
        numbers |= {
            ref: stream.choice((span.low, span.high, stream.integer(span.low, span.high))) for ref, span in spans.items()
        }
    return with_numbers(completions.instance, numbers)


@pytest.mark.parametrize("sets", [3, pytest.param(300, marks=pytest.mark.full)])
@pytest.mark.parametrize("family", FAMILIES)
def test_no_sampled_completion_contradicts_the_oracle(family, sets):
    undecided = 0
    for number in range(sets):
        stream = Stream("sets", family, number)
        condition, level = NAMES[number % len(NAMES)], number // len(NAMES) % 2
        world = unsolved_world(family, level, condition=condition)
        plan = stream.shuffled([*stream.choice([*world.plans.values()])])
        calls = [call for call in plan * world.law.rungs if stream.below(100) < (60, 90, 98)[number % 3]]
        observed = ObservedCalls.from_episode(Episode(world, calls))
        oracle = Oracle.from_world(world)
        assert oracle.completions(observed).fits(world.instance)
        risk = oracle.optimum_risk(observed)
        undecided += risk.determination is Determination.UNDECIDED
        for _ in range(5):
            instance = sample_completion(world, oracle, observed, stream)
            value, best = world.family.check(instance, oracle.optimum).value, world.family.solve(instance).value
            high = 0 if risk.determination is Determination.DETERMINED else oracle.worst_regret(oracle.optimum, observed).high
            assert high is None or value is None or abs(value - best) <= high
        if risk.witness is not None:
            witness = risk.witness.instance
            assert witness.valid
            assert oracle.completions(observed).fits(witness)
            assert not list(world.ranges.violations(witness))
    assert undecided <= max(1, sets // 50)


@pytest.mark.parametrize("interface", Interface)
@pytest.mark.parametrize("condition", NAMES)
def test_knowledge_is_the_same_in_any_order_and_wording(condition, interface):
    world = unsolved_world("fleet_dispatch", condition=condition, interface=interface)
    plan = [*world.plans["rows"]]
    calls = [*plan, *[call for call in plan if call.tool in world.family.measuring_tools] * (world.law.rungs - 1)]
    oracle, episode = Oracle.from_world(world), Episode(world, calls)
    observed = ObservedCalls.from_episode(episode)
    assert oracle.completions(observed).boxes == episode.boxes == oracle.completions(ObservedCalls(tuple(calls))).boxes
    assert oracle.optimum_risk(observed).determination is Determination.DETERMINED
    if condition != "shift":
        assert all(box.width == 0 for box in episode.boxes.values())
        shuffled = Episode(world, Stream("order").shuffled(calls))
        assert oracle.completions(ObservedCalls.from_episode(shuffled)).boxes == episode.boxes


def test_numbers_in_a_box_keep_an_optimum_open_until_they_are_read_again():
    world = unsolved_world("fleet_dispatch", condition="noisy")
    oracle, plan = Oracle.from_world(world), world.plans["rows"]
    once = ObservedCalls.from_episode(Episode(world, plan))
    assert oracle.optimum_risk(once).determination is Determination.NOT_DETERMINED
    witness = oracle.optimum_risk(once).witness
    numbers = {spot: number_at(witness.instance, spot) for spot in oracle.completions(once).boxes}
    assert any(numbers[spot] != number_at(world.instance, spot) for spot in numbers)


def test_a_reading_counts_in_split_once_its_row_is_joined():
    world = unsolved_world("fleet_dispatch", condition="noisy", interface=Interface.SPLIT)
    rows = [call for call in chain.from_iterable(world.plans.values()) if call.tool == "read_route_row"]
    links = [call for call in chain.from_iterable(world.plans.values()) if call.tool == "read_vehicle_contract"]
    episode = Episode(world, rows)
    assert not any(spot.relation == "route_cost" for spot in episode.boxes)
    both = Episode(world, [*rows, *dict.fromkeys(links)])
    assert any(spot.relation == "route_cost" for spot in both.boxes)
    oracle = Oracle.from_world(world)
    assert oracle.completions(ObservedCalls.from_episode(both)).boxes == both.boxes
