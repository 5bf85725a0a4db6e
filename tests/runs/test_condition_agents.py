"""Scripted agents under conditions: what reading again is worth, and that no agent sees a true measured number (A10)."""

import pytest

from algoworlds.core.completions import number_refs, with_numbers
from algoworlds.core.condition import CONDITIONS, Spot, midpoint_instance
from algoworlds.core.interface import Interface
from algoworlds.core.ranges import Range
from algoworlds.core.stream import Stream
from algoworlds.families import FAMILIES
from algoworlds.families.conditions import Conditions
from algoworlds.measures.hindsight import Hindsight
from algoworlds.measures.key import AnswerKey, sufficient_sets
from algoworlds.runs.agents import AGENTS, CONDITION_AGENTS
from algoworlds.worlds.episode import Episode
from algoworlds.worlds.observation import Status
from algoworlds.worlds.world import World
from tests.oracles import oracle
from tests.unsolved import unsolved_world

NAMES = [condition.name for condition in CONDITIONS]
PAIRS = [(family, NAMES[index % len(NAMES)]) for index, family in enumerate(FAMILIES)]
under_conditions = pytest.mark.parametrize(
    ("family", "condition"),
    [
        pytest.param(family, name, marks=() if (family, name) in PAIRS else pytest.mark.full)
        for family in FAMILIES
        for name in NAMES
    ],
)


def play(agent, world):
    episode = Episode(world)
    (AGENTS | CONDITION_AGENTS)[agent](episode, Stream("agent", agent, world.id))
    return episode


def judge(episode):
    """The evaluation of an unsolved world, judged with the optimum that a solver finds."""
    family, instance = episode.world.family, episode.world.instance
    solution, reference = family.solve(instance), family.reference(instance)
    value = family.check(instance, reference).value
    key = AnswerKey(solution.value, solution.decision, value, sufficient_sets(episode.world))
    return Hindsight.from_episode(episode, key)


@under_conditions
def test_patient_is_exact_within_budget_and_caps(family, condition):
    for interface in Interface:
        world = unsolved_world(family, interface=interface, condition=condition)
        episode = play("patient", world)
        assert [seen.status for seen in episode.observations[:-1]] == [Status.EXECUTED] * len(world.safe_plan)
        assert episode.observations[-1].status is Status.SUBMITTED
        assert all(box.width == 0 for box in episode.boxes.values())
        assert episode.estimated_facts == episode.facts == world.instance.facts
        assert episode.verdict.value == world.family.solve(world.instance).value
        evaluate = world.prices[world.family.template.decision_tools.evaluate]
        assert episode.spent + evaluate <= world.budget


@pytest.mark.full
@pytest.mark.parametrize("level", [1, 2, 3, 4])
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("condition", NAMES)
def test_patient_is_justified_at_every_level(family, condition, level):
    hindsight = judge(play("patient", unsolved_world(family, level, condition=condition)))
    assert hindsight.footing == "justified"


@pytest.mark.parametrize(
    ("family", "condition"),
    [
        ("fleet_dispatch", "noisy"),
        ("basket_assembly", "stale"),
        *(pytest.param(*pair, marks=pytest.mark.full) for pair in PAIRS),
    ],
)
def test_certifier_proves_for_less(family, condition):
    world = unsolved_world(family, condition=condition)
    hindsight = judge(play("certifier", world))
    assert hindsight.footing == "justified"
    assert hindsight.episode.spent <= world.cost(world.safe_plan)


def test_once_and_averager_lose_as_they_should():
    world = unsolved_world("fleet_dispatch", index=2, condition="noisy")
    once, averager = (judge(play(agent, world)) for agent in ("once", "averager"))
    assert once.is_best_given == 1
    assert averager.is_best_given == 0
    assert once.footing != "justified"
    assert once.regret_parts.reasoning == 0
    assert averager.regret_parts.acquisition + averager.regret_parts.reasoning > 0


@pytest.mark.parametrize("agent", ["oracle", "greedy", "once", "averager", "certifier"])
def test_no_agent_uses_a_true_number(agent):
    """Two worlds that differ in true numbers and show the same readings are played alike."""
    world = unsolved_world("fleet_dispatch", condition="noisy")
    column = world.family.conditions.measured[1]
    refs = number_refs(world.instance, column, world.instance.rows(column[0]))
    other = World(world.coordinate, with_numbers(world.instance, {ref: ref.value + 1 for ref in refs}), world.interface)
    readings = World.readings

    def same_readings(self, look):
        """The readings of the first world, which are possible in the other one too."""
        return readings(world, look)

    shown = [play(agent, world)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(World, "readings", same_readings)
        patch.setattr(World, "records", lambda self, asked: "{}")
        shown.append(play(agent, other))
    assert shown[0].facts != shown[1].facts
    assert shown[0].calls == shown[1].calls


@pytest.mark.parametrize("trials", [3, pytest.param(150, marks=pytest.mark.full)])
@pytest.mark.parametrize("family", FAMILIES)
def test_midpoints_are_expectations(family, trials):
    """Brute force over the exact posterior: the decision that is best in expectation is the optimum at the midpoints."""
    kind = FAMILIES[family]
    for number in range(trials):
        stream = Stream("bayes", family, number)
        instance = oracle(family).small(stream)
        declared: Conditions = kind.conditions
        boxes = {}
        refs = [ref for column in declared.measured for ref in number_refs(instance, column, instance.rows(column[0]))]
        for ref in stream.sample(refs, min(4, len(refs))):
            relation = instance.relations[ref.relation]
            spot = Spot(ref.relation, relation.columns[ref.position].name, ref.row[: len(relation.keys)], ref.list_index)
            boxes[spot] = Range(ref.value - stream.below(min(3, abs(ref.value) + 1)), ref.value + stream.below(3)), ref
        spans = {spot: box for spot, (box, _) in boxes.items()}
        doubled = midpoint_instance(instance, declared.measured, declared.counted, spans)
        feasible = [one for one in oracle(family).decisions(instance) if kind.check(instance, one).feasible]
        totals, count = [0] * len(feasible), 0
        for numbers in every_number({ref: box for box, ref in boxes.values()}):
            possible, count = with_numbers(instance, numbers), count + 1
            totals = [total + kind.check(possible, one).value for total, one in zip(totals, feasible, strict=True)]
        values = [kind.check(doubled, one).value for one in feasible]
        for total, value in zip(totals, values, strict=True):  # a constant may not be doubled, but all differences are
            assert 2 * (total - totals[0]) == count * (value - values[0])
        solution = kind.solve(doubled)
        assert solution.value == ({"min": min, "max": max}[kind.sense.value](values) if values else None)


def every_number(boxes):
    """Every combination of the numbers in some boxes."""
    if not boxes:
        yield {}
        return
    (ref, box), *rest = boxes.items()
    for numbers in every_number(dict(rest)):
        for number in range(box.low, box.high + 1):
            yield numbers | {ref: number}
