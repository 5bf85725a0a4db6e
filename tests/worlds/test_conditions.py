"""Conditions change what tools show and nothing else; what they show is a pure function of world, question and phase."""

import json
from collections import Counter
from dataclasses import replace
from itertools import chain, pairwise

import pytest

from algoworlds.core.canonical import canonical_json
from algoworlds.core.column import Id, Int
from algoworlds.core.completions import number_refs, with_numbers
from algoworlds.core.condition import CONDITIONS, ErrorLaw, Look, MeasurementErrors, find_condition
from algoworlds.core.interface import Interface
from algoworlds.core.relation import Relation
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Call
from algoworlds.errors import DeclarationError, InputError
from algoworlds.families import FAMILIES
from algoworlds.families.conditions import Conditions
from algoworlds.worlds.admission import Coordinate
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import World, parse_world_id
from tests.unsolved import unsolved_world

NAMES = [condition.name for condition in CONDITIONS]
PAIRS = [(family, NAMES[index % len(NAMES)]) for index, family in enumerate(FAMILIES)]
"""Every family under one condition; the long forms try all of them."""
ALL_PAIRS = [(family, name) for family in FAMILIES for name in NAMES]
under_conditions = pytest.mark.parametrize(
    ("family", "condition"), [pytest.param(*pair, marks=() if pair in PAIRS else pytest.mark.full) for pair in ALL_PAIRS]
)


def world_under(family, condition, interface=Interface.DIRECT):
    return unsolved_world(family, interface=interface, condition=condition)


def random_calls(world, stream, count=40):
    """Calls of an agent that repeats questions, spells them differently, and makes mistakes."""
    plan = [*chain.from_iterable(world.plans.values())]
    few, calls = stream.sample(plan, 5), []
    for _ in range(count):
        call = stream.choice(few if stream.below(3) else plan)
        calls.append([call, respell(call), Call(call.tool, "{"), Call("nonsense"), call, call][stream.below(6)])
    return calls


def respell(call):
    """The same question in other words."""
    arguments = json.loads(call.arguments)
    return Call(call.tool, "  " + json.dumps(dict(reversed(arguments.items())), indent=2, ensure_ascii=True))


def texts(episode):
    return [observation.text for observation in episode.observations]


# -- declarations and ids -------------------------------------------------------------------------------------------------


@under_conditions
def test_condition_changes_nothing_but_what_is_shown(family, condition):
    clear, world = unsolved_world(family), world_under(family, condition)
    assert world.coordinate.stream.path == clear.coordinate.stream.path
    assert (world.prices, world.plans, world.tools) == (clear.prices, clear.plans, clear.tools)
    assert world.budget >= clear.budget
    assert world.id == f"{family}-1-1-{condition}-direct"
    assert parse_world_id(world.id) == (world.coordinate, Interface.DIRECT)
    text = world.question.replace(f"\n\n{world.errors_paragraph}", "")
    for phrase, ours, theirs in (
        ("Your access budget is {}.", world.budget, clear.budget),
        ("At most {} information calls", world.call_cap, clear.call_cap),
        ("after {} calls of any kind", world.attempt_cap, clear.attempt_cap),
    ):
        assert text.count(phrase.format(ours)) == 1
        text = text.replace(phrase.format(ours), phrase.format(theirs))
    assert text == clear.question
    assert world.question.count(world.errors_paragraph) == 1
    assert clear.errors_paragraph == ""


def test_clear_worlds_name_no_condition():
    world = unsolved_world("fleet_dispatch")
    assert world.law is None
    assert world.id == "fleet_dispatch-1-1-direct"
    assert Episode(world, world.plans["rows"]).boxes == {}


@pytest.mark.parametrize("interface", Interface)
def test_question_is_the_same_in_every_interface(interface):
    for family, condition in PAIRS:
        assert world_under(family, condition, interface).question == world_under(family, condition).question


def test_budget_and_caps_follow_their_formulas():
    clear = unsolved_world("fleet_dispatch")
    for condition, rungs in (("noisy", 3), ("stale", 2), ("shift", 1)):
        world = world_under("fleet_dispatch", condition)
        measured = {"read_vehicle_contract", "read_route_row", "read_dispatch_window"}
        costs = [
            clear.cost(plan) + (rungs - 1) * clear.cost([c for c in plan if c.tool in measured])
            for plan in clear.plans.values()
        ]
        assert world.budget == max(costs) + clear.prices["evaluate_assignment"]
        assert (world.call_cap, world.attempt_cap) == (255 * rungs, 512 * rungs)
    assert world.law.change == max(sum(call.tool not in measured for call in plan) for plan in clear.plans.values())


def test_questions_state_the_law():
    paragraph = world_under("fleet_dispatch", "noisy").errors_paragraph
    assert "off by at most 32, up or down; if you make the same call again, by at most 4; from the 3rd" in paragraph
    assert paragraph.startswith("How exact answers are: Activation costs and route costs are shown with errors.")
    assert "by at most 32" in world_under("fleet_dispatch", "stale").errors_paragraph
    assert "when 15 information calls" in world_under("fleet_dispatch", "shift").errors_paragraph
    for count, text in ((2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (22, "22nd")):
        assert f" {text} time" in find_condition("noisy").law((1,) * (count - 1) + (0,), 0)


def test_unknown_condition_is_refused():
    with pytest.raises(InputError, match="there is no condition 'windy'; choose from clear, noisy, stale, shift"):
        Coordinate("fleet_dispatch", 1, 1, condition="windy")


def test_family_without_declaration_is_clear_only(monkeypatch):
    plain = replace(FAMILIES["fleet_dispatch"], conditions=Conditions())
    monkeypatch.setattr("algoworlds.worlds.admission.load_family", lambda name: plain)
    with pytest.raises(InputError, match=r"declares no conditions block: add Family\(conditions=Conditions\(measured="):
        Coordinate("fleet_dispatch", 1, 1, condition="noisy")
    assert Coordinate("fleet_dispatch", 1, 1).name == "fleet_dispatch-1-1"


@pytest.mark.parametrize(
    ("measured", "spreads", "message"),
    [
        ((("load", "load"),), {1: 8}, "must not be binding"),
        ((("capacity", "nothing"),), {1: 8}, "capacity.nothing is not a column of numbers"),
        ((("offset", "offset"),), {1: 8}, "must be hidden"),
        ((("activation", "activation_cost"),), {}, "spreads must name"),
        ((("activation", "activation_cost"),), {1: 0}, "spreads must name"),
    ],
)
def test_declarations_are_checked(measured, spreads, message):
    with pytest.raises(DeclarationError, match=message):
        replace(FAMILIES["fleet_dispatch"], conditions=Conditions(measured, measured, spreads))


def test_spread_between_levels_is_that_of_the_lower_one():
    declared = Conditions(spreads={1: 64, 3: 32})
    assert [declared.spread_at(level) for level in (0, 1, 2.5, 3, 4)] == [64, 64, 64, 32, 32]


# -- purity ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("episodes", [3, pytest.param(100, marks=pytest.mark.full)])
@under_conditions
def test_answers_are_a_function_of_world_and_calls(family, condition, episodes):
    for number in range(episodes):
        worlds = [world_under(family, condition, interface) for interface in Interface]
        calls = random_calls(worlds[0], Stream("purity", family, condition, number))
        episodes_ = [Episode(world, calls) for world in worlds]
        assert texts(Episode(worlds[0], calls)) == texts(episodes_[0])
        assert len({tuple(observation.status for observation in episode.observations) for episode in episodes_}) == 1
        looks = episodes_[0].looks
        assert all(episode.looks == looks for episode in episodes_)
        for look in set(looks):
            readings = [world.readings(look) for world in worlds]
            assert readings[0] == readings[1] == readings[2]
        # every shown number lies within the width of its box
        for spot, box in episodes_[0].boxes.items():
            assert true_number(worlds[0].instance, spot) in box
        # rejected calls change nothing
        executed = [call for call, seen in zip(calls, episodes_[0].observations, strict=True) if seen.status is Status.EXECUTED]
        alone = Episode(worlds[0], executed)
        assert alone.looks == looks
        assert alone.boxes == episodes_[0].boxes
        if condition != "shift":
            shuffled = Episode(worlds[0], Stream("order", number).shuffled(executed))
            assert Counter(shuffled.looks) == Counter(look_by_question(worlds[0], shuffled.looks, looks))
            assert shuffled.boxes == alone.boxes


def look_by_question(world, shuffled, looks):
    """The looks of another order have the same questions in the same phases, perhaps in other words."""
    key = lambda look: (look.call.tool, world.selection(look.call), look.phase)  # noqa: E731
    assert Counter(map(key, shuffled)) == Counter(map(key, looks))
    return shuffled


def true_number(instance, spot):
    row = next(row for row in instance.rows(spot.relation) if row[: len(spot.keys)] == spot.keys)
    cell = row[instance.relations[spot.relation].position(spot.column)]
    return cell if spot.list_index is None else cell[spot.list_index]


@pytest.mark.parametrize("interface", Interface)
@pytest.mark.parametrize(("family", "condition"), PAIRS)
def test_texts_show_the_readings(family, condition, interface):
    """Numbers in the text are those of the readings; everything else is that of the clear world."""
    world, clear = world_under(family, condition, interface), unsolved_world(family, interface=interface)
    columns = {column for _, column in world.family.conditions.measured}
    tools = {call.tool: call for call in chain.from_iterable(world.plans.values())}
    for call in tools.values():
        for phase in range(len(world.law.widths)):
            look, width = Look(call, phase), world.law.widths[phase]
            shown, true = json.loads(world.records(look)), json.loads(clear.records(call))
            assert list(shown) == list(true)
            numbers = []
            for name in true:
                hidden = [at for at, column in enumerate(true[name]["columns"]) if column in columns]
                stream = clear.stream.child("order", name)
                by_text = sorted(shown[name]["rows"], key=lambda row: stream.keyed_word(canonical_json(row)))
                assert by_text == shown[name]["rows"]
                numbers += [row[at] for row in shown[name]["rows"] for at in hidden]
                mask = lambda row: canonical_json([None if at in hidden else cell for at, cell in enumerate(row)])  # noqa: B023, E731
                assert Counter(map(mask, shown[name]["rows"])) == Counter(map(mask, true[name]["rows"]))
            flat = [number for cell in numbers for number in (cell if isinstance(cell, list) else [cell])]
            assert Counter(flat) == Counter(box.low + width for box in world.readings(look).values())
            assert width or shown == true


def test_other_words_are_the_same_question():
    world = world_under("fleet_dispatch", "noisy")
    call = next(call for call in world.plans["windows"] if call.tool == "read_dispatch_window")
    episode = Episode(world, [call, respell(call), call, respell(call)])
    assert [look.phase for look in episode.looks] == [0, 1, 2, 2]
    other = Episode(world, [respell(call), call])
    assert [first.records for first in episode.observations[:2]] == [second.records for second in other.observations]


def test_overlapping_windows_show_errors_of_their_own_only_under_noise():
    for condition in NAMES:
        world = world_under("fleet_dispatch", condition)
        jobs = world.public["job"]
        looks = [Look(Call.from_arguments("read_dispatch_window", {"start": jobs[at], "length": 3}), 0) for at in (0, 1)]
        first, second = map(world.readings, looks)
        shared = first.keys() & second.keys()
        assert shared
        assert (condition == "noisy") == any(first[spot] != second[spot] for spot in shared)


def test_shift_happens_once_for_all_questions():
    world = world_under("fleet_dispatch", "shift")
    rows, change = world.plans["rows"], world.law.change
    calls = [*[call for call in rows if call.tool not in world.family.measuring_tools]][:change]
    measured = next(call for call in rows if call.tool in world.family.measuring_tools)
    decision = world.family.decision.arguments(world.family.reference(world.instance))
    evaluation = Call.from_arguments("evaluate_assignment", decision)
    filler = (calls * change)[: change - 1]
    assert Episode(world, [*filler, measured]).looks[-1].phase == 0
    assert Episode(world, [*filler, calls[0], measured]).looks[-1].phase == 1
    assert Episode(world, [*filler, evaluation, measured]).looks[-1].phase == 1  # the evaluation is an executed call
    assert Episode(world, [*filler, Call(measured.tool, "{}"), measured]).looks[-1].phase == 0


@under_conditions
def test_errors_depend_on_no_true_number(family, condition):
    world = world_under(family, condition)
    changed = {}
    for name, column in world.family.conditions.measured:
        changed |= {
            ref: ref.value + 1 + at % 7
            for at, ref in enumerate(number_refs(world.instance, (name, column), world.instance.rows(name)))
        }
    other = World(world.coordinate, with_numbers(world.instance, changed), Interface.DIRECT)
    for call in {call.tool: call for call in chain.from_iterable(world.plans.values())}.values():
        for phase in range(len(world.law.widths)):
            ours, theirs = world.readings(Look(call, phase)), other.readings(Look(call, phase))
            assert ours.keys() == theirs.keys()
            for spot in ours:
                true, new = true_number(world.instance, spot), true_number(other.instance, spot)
                assert ours[spot].low - true == theirs[spot].low - new


# -- the law of errors ----------------------------------------------------------------------------------------------------


def draw_errors(condition, count, spread=100):
    law = ErrorLaw(find_condition(condition), find_condition(condition).widths(spread))
    table = Relation(name="cell", keys=(Id("cell"),), values=(Int("number"),))
    errors = MeasurementErrors(law, table, Stream("law", condition), (1,))
    rows = [(f"cell-{at}", 0) for at in range(count)]
    return [row[1] for row in errors.show(rows, "tool", frozenset({"a"}), 0)]


def check_uniform(numbers, spread, bins=16):
    counts = Counter((number + spread) * bins // (2 * spread + 1) for number in numbers)
    sizes = Counter((error + spread) * bins // (2 * spread + 1) for error in range(-spread, spread + 1))
    expected = {index: len(numbers) * sizes[index] / (2 * spread + 1) for index in sizes}
    assert sum((counts[index] - expected[index]) ** 2 / expected[index] for index in sizes) < 45  # 15 degrees: p < .0001


@pytest.mark.parametrize("count", [20_000, pytest.param(1_000_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("condition", NAMES)
def test_errors_are_uniform_within_bounds(condition, count):
    numbers = draw_errors(condition, count)
    assert min(numbers) == -100
    assert max(numbers) == 100
    check_uniform(numbers, 100)
    pairs = sum(one * other for one, other in pairwise(numbers)) / (count * 3350)
    assert abs(pairs) < 5 / count**0.5


def test_keyed_integers_are_drawn_without_bias_or_state():
    stream = Stream("keyed")
    bound = (1 << 63) + 1  # nearly half of the words are rejected
    numbers = stream.keyed_integers("a", 50, 0, bound - 1)
    assert len(set(numbers)) == 50
    assert max(numbers) < bound
    assert stream.keyed_integers("a", 10, 0, bound - 1) == numbers[:10]
    assert stream.word() == Stream("keyed").word()
    assert stream.keyed_integers("b", 10, 0, bound - 1) != numbers[:10]


def test_golden_errors():
    """Errors are bytes of the benchmark: they must never change."""
    assert draw_errors("noisy", 6) == [3, 26, -92, -49, 67, 97]
    assert draw_errors("stale", 6) == [60, 86, -9, -39, 31, 90]
    assert draw_errors("shift", 6) == [-39, -33, -40, -85, -32, 8]
