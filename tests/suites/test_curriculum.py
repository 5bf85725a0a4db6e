"""A curriculum holds its target with learners of any skill, and says the same for the same history."""

import json
from math import exp, log

import pytest

from algoworlds.core.stream import Stream
from algoworlds.errors import InputError
from algoworlds.suites.curriculum import Curriculum

NAMES = ("fleet_dispatch", "machine_layout")


def succeeds(skill, difficulty, stream, slope=4.0):
    """A simulated learner: the further a task lies beyond its skill, the seldomer it succeeds."""
    return stream.below(10**6) < 10**6 / (1 + exp(slope * (difficulty - skill)))


def course(curriculum, skill, plays, stream):
    """The curriculum after some plays of a learner, and how often it succeeded in the second half."""
    won = []
    for _ in range(plays):
        won.append(succeeds(skill, curriculum.difficulty[NAMES[0]], stream))
        curriculum = curriculum.after(NAMES[0], won[-1])
    return curriculum, sum(won[plays // 2 :]) / (plays - plays // 2)


@pytest.mark.parametrize("target", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("skill", [0.8, 2.0, 3.2])
def test_it_holds_the_target_with_learners_of_any_skill(skill, target):
    found, rate = course(Curriculum.of(NAMES, target), skill, 1_000, Stream("learner", int(10 * skill), int(10 * target)))
    assert abs(rate - target) < 0.06
    assert abs(succeeding_at(skill, target) - found.difficulty[NAMES[0]]) < 0.4
    assert found.difficulty[NAMES[1]] == 0  # the other family has not been played


def succeeding_at(skill, rate, slope=4.0):
    return skill + log(1 / rate - 1) / slope


def test_it_follows_a_learner_who_learns():
    curriculum, stream = Curriculum.of(NAMES), Stream("learning")
    for skill in (0.5, 1.5, 2.5):
        curriculum, rate = course(curriculum, skill, 400, stream)
        assert abs(curriculum.difficulty[NAMES[0]] - skill) < 0.4
        assert abs(rate - 0.5) < 0.1


def test_it_stays_between_its_ends():
    least, most = (Curriculum.of(NAMES, difficulty=1, least=0.5, most=1.5) for _ in range(2))
    for _ in range(50):
        least, most = least.after(NAMES[0], 0), most.after(NAMES[0], 1)
    assert (least.difficulty[NAMES[0]], most.difficulty[NAMES[0]]) == (0.5, 1.5)


def test_the_same_history_gives_the_same_curriculum_also_from_a_file():
    history = [Stream("history", at).below(3) / 2 for at in range(60)]
    whole = halves = Curriculum.of(NAMES, 0.7, difficulty=2)
    for at, success in enumerate(history):
        whole, halves = whole.after(NAMES[at % 2], success), halves.after(NAMES[at % 2], success)
        halves = Curriculum.from_json(json.loads(json.dumps(halves.json)))
    assert whole == halves
    assert whole.json == halves.json
    assert set(whole.difficulty.values()).isdisjoint({0, 2})


@pytest.mark.parametrize("document", [{}, {"format": 2}, {"format": 1, "target": "x", "least": 0, "most": 4, "rungs": {}}, []])
def test_what_is_no_curriculum_is_refused_in_one_line(document):
    with pytest.raises(InputError, match="this is no curriculum"):
        Curriculum.from_json(document)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Curriculum.of(NAMES, target=1), "a target is a success rate between 0 and 1"),
        (lambda: Curriculum.of(NAMES, difficulty=5), "the first difficulty, 5, does not lie from 0 to 4"),
        (lambda: Curriculum.of(["fleet"]), "there is no family 'fleet'"),
        (lambda: Curriculum.of(NAMES).after("basket_assembly", 1), "the curriculum has no family basket_assembly"),
        (lambda: Curriculum.of(NAMES).after(NAMES[0], 2), "a success lies from 0 to 1"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(make, message):
    with pytest.raises(InputError, match=message):
        make()
