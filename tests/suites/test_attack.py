"""The attack panel: counted budgets, attackers that can win, standings and goals worked by hand, and work that resumes."""

import json
from dataclasses import asdict, dataclass, replace
from functools import cache

import pytest

from algoworlds.families import FAMILIES
from algoworlds.families.hardness import Concession
from algoworlds.reports.figures import exact_over_evaluations
from algoworlds.suites.attack.panel import AttackResult, AttackRun, budgets_up_to, run_resumable
from algoworlds.suites.attack.prior import ChoiceSample, PriorTask, learn_prior, pairwise_auc
from algoworlds.suites.attack.summary import (
    EXACT_BY_HAND,
    GOALS,
    MAX_EXACT_PERCENT,
    HardnessSummary,
    PriorResult,
    half_solved_budget,
    missed_goals,
    summarize_runs,
)
from algoworlds.worlds.admission import Coordinate, admit
from tests.command import run_here
from tests.silence import silent


@cache
def tiny(name):
    return admit(Coordinate(name, 0, 1, "attack tests"))


# -- standings and goals --------------------------------------------------------------------------------------------------


def siege(at, found, utility, guessed=False, level=1):
    coordinate = Coordinate("fleet_dispatch", level, at, "made by hand")
    assaults = {name: AttackResult(when, dict.fromkeys(budgets_up_to(10_000), utility)) for name, when in found.items()}
    return AttackRun(coordinate, at - 1, 1_000 * at, 10.0 * at, at == 1, assaults, {"a column: a guess": guessed})


def standing(founds, level=1, utility=50.0, guessed=0, prior=None):
    """A standing of one attacker and four instances."""
    made = (siege(at, {"one": when}, utility, at <= guessed, level) for at, when in enumerate(founds, start=1))
    return HardnessSummary("fleet_dispatch", level, tuple(made), prior)


def names(*found):
    return [(missed_goal.level, missed_goal.goal) for missed_goal in missed_goals(found)]


def test_half_points_lie_on_a_line_of_logarithms():
    assert half_solved_budget([(10, 0.0), (1_000, 100.0)]) == pytest.approx(100)
    assert half_solved_budget([(10, 20.0), (100, 50.0), (1_000, 80.0)]) == pytest.approx(100)
    assert half_solved_budget([(10, 60.0)]) == 10
    assert half_solved_budget([(10, 0.0), (10_000, 49.9)]) is None


def test_a_standing_sums_up_its_sieges():
    found = standing([5, 500, 1_500, None], utility=40.0)
    assert [found.exact_percent("one", budget) for budget in (10, 1_000, 2_000)] == [25, 50, 75]
    assert (found.median_evaluations("one"), found.best_attacker(2_000), found.best_utility) == (500, ("one", 75), 40)
    assert found.h50 == 1_000
    assert found.imputed_percent == {"a column: a guess": 0}
    assert summarize_runs(found.runs, {}) == [found]
    told = found.document
    assert (told["attempts"], told["work"]) == ({"median": 2.5, "late": 4, "most": 4}, [1_000, 4_000])
    assert (told["reference_gap"], told["descent"], told["best"]) == (25, 25, {"attacker": "one", "exact": 75})


def test_the_best_of_equals_is_the_quicker():
    both = HardnessSummary("fleet_dispatch", 1, (siege(1, {"slow": 900, "quick": 20}, 1.0),))
    assert both.best_attacker(2_000) == ("quick", 100)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (standing([1_999, 2_000, None, None]), []),
        (standing([1_999, 2_000, 1_500, None]), ["exact by hand"]),
        (standing([2_001, 2_001, 2_001, 2_001]), []),
        (standing([None] * 4, guessed=1), ["exact with a guessed column"]),
        (standing([900, 900, None, None]), ["H50"]),
        (standing([None] * 4, prior=PriorResult(25.0, 0.5, 0.01)), ["learned prior"]),
        (standing([None] * 4, prior=PriorResult(10.0, 0.55, 0.01)), []),
        (standing([None] * 4, prior=PriorResult(0.0, 0.56, 0.01)), ["public AUC"]),
        (standing([None] * 4, prior=PriorResult(0.0, 0.44, 0.01)), ["public AUC"]),
        (standing([1, 1, 1, 1], level=0), []),
    ],
)
def test_goals_of_one_level(found, expected):
    assert [goal for _, goal in names(found)] == expected


def test_goals_from_level_to_level():
    first = standing([2_500, 2_500, 2_500, 2_500])
    assert names(first, standing([None] * 4, level=2, utility=49.9)) == []
    assert names(first, standing([None] * 4, level=2, utility=50.0)) == [(2, "utility by hand")]
    assert names(first, standing([2_600] * 4, level=2, utility=49.0)) == [(2, "H50")]
    never = standing([None] * 4)
    assert names(never, standing([9_000] * 4, level=2, utility=49.0)) == [(2, "H50")]


def test_a_miss_says_whether_it_is_beyond_chance():
    assert [missed_goal.sure for missed_goal in missed_goals([standing([1_999, 1_999, 1_999, None])])] == [False]
    assert [missed_goal.sure for missed_goal in missed_goals([standing([1_999] * 4, level=3)])] == [True]
    assert [missed_goal.sure for missed_goal in missed_goals([standing([10] * 12)])] == [True, True]
    wide = replace(standing([None] * 4), prior=PriorResult(0.0, 0.6, 0.05))
    assert missed_goals([wide]) == [], "an AUC two errors from one half is chance"


def test_a_family_may_concede_a_goal_but_not_more_than_it_says(monkeypatch):
    family, found = FAMILIES["fleet_dispatch"], standing([1_999, 1_999, 1_999, None])
    for limit, conceded in ((75.0, "small"), (74.0, "")):
        concessions = (Concession(EXACT_BY_HAND, 1, limit, "small"),)
        conceding = replace(family, hardness=replace(family.hardness, concessions=concessions))
        monkeypatch.setitem(FAMILIES, family.name, conceding)
        assert [(missed_goal.goal, missed_goal.conceded) for missed_goal in missed_goals([found])] == [
            (EXACT_BY_HAND, conceded)
        ]


def test_concessions_name_goals_and_levels_that_there_are():
    said = [concession for family in FAMILIES.values() for concession in family.hardness.concessions]
    assert {each.goal for each in said} <= {goal.name for goal in GOALS}
    assert {each.level for each in said} <= set(MAX_EXACT_PERCENT)


def test_every_goal_can_be_missed():
    worst = standing([1, 1, 1, 1], level=2, utility=99.0, guessed=4, prior=PriorResult(50.0, 0.9, 0.01))
    assert {goal for _, goal in names(standing([None] * 4), worst)} == {goal.name for goal in GOALS}


def test_the_figure_names_its_budgets_in_plain_numbers():
    drawn = exact_over_evaluations([standing([5, 500, 1_500, None]), standing([None] * 4, level=2)])
    axes = drawn.axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["10", "100", "1,000", "10,000"]
    assert list(axes.get_lines()[1].get_ydata()) == [25, 25, 25, 25, 50, 75, 75, 75]


# -- priors ---------------------------------------------------------------------------------------------------------------


def test_separation_compares_choices_of_one_step():
    shown = [ChoiceSample(step, [], [], taken) for step, taken in ((0, True), (0, False), (0, False), (1, True), (1, False))]
    assert pairwise_auc([(shown, [3.0, 1.0, 2.0, 5.0, 9.0])])[0] == pytest.approx(2 / 3)
    assert pairwise_auc([(shown, [1.0] * 5)]) == (0.5, 0.0)


def test_the_error_of_a_separation_is_that_of_a_mean_over_instances():
    pair = [ChoiceSample(0, [], [], True), ChoiceSample(0, [], [], False)]
    found = [(pair, [1.0, 0.0])] * 60 + [(pair, [0.0, 1.0])] * 40
    area, error = pairwise_auc(found)
    assert area == pytest.approx(0.6)
    assert error == pytest.approx((0.6 * 0.4 / 99) ** 0.5)


def test_a_prior_is_learned_and_tried():
    place = Coordinate("migration_portfolio", 0, 1, "attack tests")
    found = learn_prior(PriorTask(((place, tiny("migration_portfolio").attempt),)))
    assert set(found) == {"exact", "public_auc", "public_error"}
    assert 0 <= found["public_auc"] <= 1
    assert found["exact"] in (0, 1)


# -- work that resumes ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Square:
    number: int

    @property
    def key(self):
        return str(self.number)


def test_interrupted_work_goes_on_where_it_stopped(tmp_path):
    ledger, done, tasks = tmp_path / "ledger", [], [Square(each) for each in (3, 1, 2)]

    def work(task, stop=2):
        if len(done) == stop:
            raise KeyboardInterrupt
        done.append(task.number)
        return {"square": task.number**2}

    with pytest.raises(KeyboardInterrupt):
        run_resumable(work, tasks, ledger, None, silent)
    assert done == [3, 1]
    ledger.write_text(ledger.read_text()[:-5])  # killed while it wrote the second line
    found = run_resumable(lambda task: work(task, 9), tasks, ledger, None, silent)
    assert done == [3, 1, 1, 2]
    assert [each["square"] for each in found] == [9, 1, 4]
    assert run_resumable(lambda task: work(task, 0), tasks, ledger, None, silent) == found


def test_a_siege_survives_its_document():
    made = siege(1, {"one": 5}, 12.5, level=2)
    assert AttackRun.from_json(json.loads(json.dumps(asdict(made)))) == made


# -- the command ----------------------------------------------------------------------------------------------------------

PANEL = ("--families", "machine_layout", "--levels", "0,1", "--instances", "1", "--budget", "300")


def files(folder):
    """What a panel wrote, but for its ledgers, whose lines come as work ends."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".jsonl"}


def test_a_panel_is_the_same_with_any_jobs_and_hash_seed_and_resumes(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    assert run_here("attack", *PANEL, "--out", one).returncode == 0  # whose hash seed is not that of the workers below
    assert run_here("attack", *PANEL, "--out", two, "--jobs", "2", PYTHONHASHSEED="2").returncode == 0
    made = files(one)
    assert made == files(two)
    assert {"hardness.md", "hardness.csv", "hardness.tex", "hardness.json", "exact_over_evaluations.svg"} <= set(made)
    document = json.loads(made["hardness.json"])
    assert [each["level"] for each in document["standings"]] == [0, 1]
    ledger = two / "sieges.jsonl"
    ledger.write_text("\n".join(ledger.read_text().split("\n")[:-1]) + '\n{"key": "to')  # one siege lost, one line torn
    again = run_here("attack", *PANEL, "--out", two, "--json")
    assert again.returncode == 0
    assert json.loads(again.stdout) == document
    assert files(two) == made


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--families", "nonsense"), "nonsense"),
        (("--levels", "x"), "--levels takes numbers"),
        (("--levels", "9"), "there is no level 9"),
        (("--instances", "0"), "--instances must be at least 1, not 0"),
        (("--budget", "3"), "--budget must be at least 10 evaluations"),
        (("--jobs", "0"), "--jobs must be at least 1"),
    ],
)
def test_a_wrong_panel_is_refused_in_one_line(tmp_path, arguments, message):
    done = run_here("attack", "--out", tmp_path / "out", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
