"""A curriculum holds its target with learners of any skill, and depends only on its history."""

import json
from math import exp, log

import pytest

from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.suites.curriculum import Curriculum

NAMES = ("fleet_dispatch", "machine_layout")


def succeeds(skill, difficulty, stream, slope=4.0):
    """A simulated learner: the success rate falls with the distance of the difficulty from its skill."""
    return stream.below(10**6) < 10**6 / (1 + exp(slope * (difficulty - skill)))


def simulate(curriculum, skill, plays, stream):
    """The curriculum after some plays of a learner, and its success rate in the second half."""
    successes = []
    for _ in range(plays):
        successes.append(succeeds(skill, curriculum.difficulty[NAMES[0]], stream))
        curriculum = curriculum.after(NAMES[0], successes[-1])
    return curriculum, sum(successes[plays // 2 :]) / (plays - plays // 2)


@pytest.mark.parametrize("target", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("skill", [0.8, 2.0, 3.2])
def test_holds_the_target_with_learners_of_any_skill(skill, target):
    stream = Stream("learner", int(10 * skill), int(10 * target))
    curriculum, rate = simulate(Curriculum.from_families(NAMES, target), skill, 1_000, stream)
    assert abs(rate - target) < 0.06
    assert abs(difficulty_for_rate(skill, target) - curriculum.difficulty[NAMES[0]]) < 0.4
    assert curriculum.difficulty[NAMES[1]] == 0  # the other family has not been played


def difficulty_for_rate(skill, rate, slope=4.0):
    return skill + log(1 / rate - 1) / slope


def test_follows_a_learner_whose_skill_grows():
    curriculum, stream = Curriculum.from_families(NAMES), Stream("learning")
    for skill in (0.5, 1.5, 2.5):
        curriculum, rate = simulate(curriculum, skill, 400, stream)
        assert abs(curriculum.difficulty[NAMES[0]] - skill) < 0.4
        assert abs(rate - 0.5) < 0.1


def test_stays_between_least_and_most():
    least, most = (Curriculum.from_families(NAMES, difficulty=1, least=0.5, most=1.5) for _ in range(2))
    for _ in range(50):
        least, most = least.after(NAMES[0], 0), most.after(NAMES[0], 1)
    assert (least.difficulty[NAMES[0]], most.difficulty[NAMES[0]]) == (0.5, 1.5)


def test_json_round_trips_do_not_change_the_curriculum():
    history = [Stream("history", at).below(3) / 2 for at in range(60)]
    whole = halves = Curriculum.from_families(NAMES, 0.7, difficulty=2)
    for at, success in enumerate(history):
        whole, halves = whole.after(NAMES[at % 2], success), halves.after(NAMES[at % 2], success)
        halves = Curriculum.from_json(json.loads(json.dumps(halves.json)))
    assert whole == halves
    assert whole.json == halves.json
    assert set(whole.difficulty.values()).isdisjoint({0, 2})


@pytest.mark.parametrize("document", [{}, {"format": 2}, {"format": 1, "target": "x", "least": 0, "most": 4, "rungs": {}}, []])
def test_rejects_a_malformed_document(document):
    with pytest.raises(InputError, match="this is not a curriculum"):
        Curriculum.from_json(document)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Curriculum.from_families(NAMES, target=1), "a target success rate must lie between 0 and 1, not be 1"),
        (lambda: Curriculum.from_families(NAMES, difficulty=5), "the first difficulty, 5, does not lie from 0 to 4"),
        (lambda: Curriculum.from_families(["fleet"]), "there is no family 'fleet'"),
        (lambda: Curriculum.from_families(NAMES).after("basket_assembly", 1), "the curriculum has no family basket_assembly"),
        (lambda: Curriculum.from_families(NAMES).after(NAMES[0], 2), "a success must lie from 0 to 1, not be 2"),
    ],
)
def test_rejects_bad_arguments(build, message):
    with pytest.raises(InputError, match=message):
        build()
