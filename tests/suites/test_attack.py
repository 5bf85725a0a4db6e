"""The attack panel: summaries and goals worked by hand, learned priors, and work that resumes."""

import json
import os
from dataclasses import asdict, dataclass, replace
from functools import cache

import pytest

from algoworlds.errors import format_value
from algoworlds.families import FAMILIES
from algoworlds.families.hardness import Concession
from algoworlds.hardness.algorithms import ALGORITHMS
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
def admit_tiny(family):
    return admit(Coordinate(family, 0, 1, "attack tests"))


# -- summaries and goals --------------------------------------------------------------------------------------------------


def attack_run(index, found_at, utility, is_guessed=False, level=1):
    """A run with made-up results: `found_at` has the evaluations to the optimum by attacker."""
    coordinate = Coordinate("fleet_dispatch", level, index, "written by hand")
    utilities = dict.fromkeys(budgets_up_to(10_000), utility)
    results = {name: AttackResult(evaluations, utilities) for name, evaluations in found_at.items()}
    return AttackRun(coordinate, index - 1, 1_000 * index, 10.0 * index, index == 1, results, {"a column: a guess": is_guessed})


def summary_of(evaluations, level=1, utility=50.0, guessed=0, prior=None):
    """A summary of one attacker, with one instance for each number of `evaluations` to the optimum."""
    runs = [
        attack_run(index, {"one": number}, utility, index <= guessed, level)
        for index, number in enumerate(evaluations, start=1)
    ]
    return HardnessSummary("fleet_dispatch", level, tuple(runs), prior)


def missed_names(*summaries):
    return [(miss.level, miss.goal) for miss in missed_goals(summaries)]


def test_half_solved_budget_lies_on_a_line_of_logarithms():
    assert half_solved_budget([(10, 0.0), (1_000, 100.0)]) == pytest.approx(100)
    assert half_solved_budget([(10, 20.0), (100, 50.0), (1_000, 80.0)]) == pytest.approx(100)
    assert half_solved_budget([(10, 60.0)]) == 10
    assert half_solved_budget([(10, 0.0), (10_000, 49.9)]) is None


def test_a_summary_sums_up_its_runs():
    summary = summary_of([5, 500, 1_500, None], utility=40.0)
    assert [summary.exact_percent("one", budget) for budget in (10, 1_000, 2_000)] == [25, 50, 75]
    best = (summary.median_evaluations("one"), summary.best_shortcut(2_000), summary.best_utility)
    assert best == (500, ("one", 75), 40)
    assert summary.h50 == 1_000
    assert summary.imputed_percent == {"a column: a guess": 0}
    assert summarize_runs(summary.runs, {}) == [summary]
    document = summary.document
    assert (document["attempts"], document["work"]) == ({"median": 2.5, "late": 4, "most": 4}, [1_000, 4_000])
    assert (document["reference_gap"], document["descent"]) == (25, 25)
    assert document["best"] == {"attacker": "one", "exact": 75}


def test_the_best_of_equal_attackers_is_the_quicker():
    summary = HardnessSummary("fleet_dispatch", 1, (attack_run(1, {"slow": 900, "quick": 20}, 1.0),))
    assert summary.best_shortcut(2_000) == ("quick", 100)


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        (summary_of([1_999, 2_000, None, None]), []),
        (summary_of([1_999, 2_000, 1_500, None]), ["exact by hand"]),
        (summary_of([2_001, 2_001, 2_001, 2_001]), []),
        (summary_of([None] * 4, guessed=1), ["exact with a guessed column"]),
        (summary_of([900, 900, None, None]), ["H50"]),
        (summary_of([None] * 4, prior=PriorResult(25.0, 0.5, 0.01)), ["learned prior"]),
        (summary_of([None] * 4, prior=PriorResult(10.0, 0.55, 0.01)), []),
        (summary_of([None] * 4, prior=PriorResult(0.0, 0.56, 0.01)), ["public AUC"]),
        (summary_of([None] * 4, prior=PriorResult(0.0, 0.44, 0.01)), ["public AUC"]),
        (summary_of([1, 1, 1, 1], level=0), []),
    ],
)
def test_goals_of_one_level(summary, expected):
    assert [goal for _, goal in missed_names(summary)] == expected


def test_goals_from_level_to_level():
    first = summary_of([2_500, 2_500, 2_500, 2_500])
    assert missed_names(first, summary_of([None] * 4, level=2, utility=49.9)) == []
    assert missed_names(first, summary_of([None] * 4, level=2, utility=50.0)) == [(2, "utility by hand")]
    assert missed_names(first, summary_of([2_600] * 4, level=2, utility=49.0)) == [(2, "H50"), (2, "order of levels")]
    never_solved = summary_of([None] * 4)
    assert missed_names(never_solved, summary_of([9_000] * 4, level=2, utility=49.0)) == [(2, "H50"), (2, "order of levels")]


def test_the_order_of_levels_counts_both_kinds_of_attack():
    def summary(level, shortcut, algorithm):
        runs = [attack_run(index, {"one": shortcut, "best first": algorithm}, 60 - level, level=level) for index in range(1, 5)]
        return HardnessSummary("fleet_dispatch", level, tuple(runs))

    first = summary(1, None, 2_500)
    assert (first.shortcuts, first.algorithms, first.h50) == (("one",), ("best first",), None)
    assert first.algorithm_h50 == first.least_known == pytest.approx(1_732, abs=1)
    assert first.document["best_algorithm"] == {"attacker": "best first", "exact": 0}
    assert missed_names(first, summary(2, None, 2_900)) == [(2, "order of levels")]
    assert missed_names(first, summary(2, None, 9_000)) == []
    assert missed_names(first, summary(2, None, None)) == []


def test_a_miss_says_whether_it_is_beyond_chance():
    assert [miss.sure for miss in missed_goals([summary_of([1_999, 1_999, 1_999, None])])] == [False]
    assert [miss.sure for miss in missed_goals([summary_of([1_999] * 4, level=3)])] == [True]
    assert [miss.sure for miss in missed_goals([summary_of([10] * 12)])] == [True, True]
    wide = replace(summary_of([None] * 4), prior=PriorResult(0.0, 0.6, 0.05))
    assert missed_goals([wide]) == [], "an AUC two errors from one half is chance"


def test_a_family_may_concede_a_goal_up_to_its_limit(monkeypatch):
    family, summary = FAMILIES["fleet_dispatch"], summary_of([1_999, 1_999, 1_999, None])
    for limit, reason in ((75.0, "small"), (74.0, "")):
        concessions = (Concession(EXACT_BY_HAND, 1, limit, "small"),)
        conceding = replace(family, hardness=replace(family.hardness, concessions=concessions))
        monkeypatch.setitem(FAMILIES, family.name, conceding)
        assert [(miss.goal, miss.conceded) for miss in missed_goals([summary])] == [(EXACT_BY_HAND, reason)]


def test_concessions_name_existing_goals_and_levels():
    concessions = [concession for family in FAMILIES.values() for concession in family.hardness.concessions]
    assert {concession.goal for concession in concessions} <= {goal.name for goal in GOALS}
    assert {concession.level for concession in concessions} <= set(MAX_EXACT_PERCENT)


def test_every_goal_can_be_missed():
    worst = summary_of([1, 1, 1, 1], level=2, utility=99.0, guessed=4, prior=PriorResult(50.0, 0.9, 0.01))
    assert {goal for _, goal in missed_names(summary_of([None] * 4), worst)} == {goal.name for goal in GOALS}


def test_the_figure_labels_budgets_with_plain_numbers():
    figure = exact_over_evaluations([summary_of([5, 500, 1_500, None]), summary_of([None] * 4, level=2)])
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["10", "100", "1,000", "10,000"]
    assert list(axes.get_lines()[1].get_ydata()) == [25, 25, 25, 25, 50, 75, 75, 75]


# -- priors ---------------------------------------------------------------------------------------------------------------


def test_auc_compares_choices_of_one_step():
    samples = [ChoiceSample(step, [], [], taken) for step, taken in ((0, True), (0, False), (0, False), (1, True), (1, False))]
    assert pairwise_auc([(samples, [3.0, 1.0, 2.0, 5.0, 9.0])])[0] == pytest.approx(2 / 3)
    assert pairwise_auc([(samples, [1.0] * 5)]) == (0.5, 0.0)


def test_the_error_of_an_auc_is_that_of_a_mean_over_instances():
    pair = [ChoiceSample(0, [], [], True), ChoiceSample(0, [], [], False)]
    area, error = pairwise_auc([(pair, [1.0, 0.0])] * 60 + [(pair, [0.0, 1.0])] * 40)
    assert area == pytest.approx(0.6)
    assert error == pytest.approx((0.6 * 0.4 / 99) ** 0.5)


def test_a_prior_is_learned_and_tested():
    coordinate = Coordinate("migration_portfolio", 0, 1, "attack tests")
    result = learn_prior(PriorTask(((coordinate, admit_tiny("migration_portfolio").attempt),)))
    assert set(result) == {"exact", "public_auc", "public_error"}
    assert 0 <= result["public_auc"] <= 1
    assert result["exact"] in (0, 1)


# -- work that resumes ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Square:
    number: int

    @property
    def key(self):
        return str(self.number)


def test_interrupted_work_continues_where_it_stopped(tmp_path):
    checkpoint, computed, tasks = tmp_path / "checkpoint", [], [Square(number) for number in (3, 1, 2)]

    def work(task, stop_after=2):
        if len(computed) == stop_after:
            raise KeyboardInterrupt
        computed.append(task.number)
        return {"square": task.number**2}

    with pytest.raises(KeyboardInterrupt):
        run_resumable(work, tasks, checkpoint, None, silent)
    assert computed == [3, 1]
    checkpoint.write_text(checkpoint.read_text()[:-5])  # killed while it wrote the second line
    warnings = []
    results = run_resumable(lambda task: work(task, 9), tasks, checkpoint, None, silent, warnings.append)
    assert computed == [3, 1, 1, 2]
    assert warnings == [f"line 3 of {format_value(checkpoint)} is damaged: what it held is computed again"]
    assert [result["square"] for result in results] == [9, 1, 4]
    assert run_resumable(lambda task: work(task, 0), tasks, checkpoint, None, silent) == results
    assert computed == [3, 1, 1, 2], "intact lines are kept when a damaged one is removed"


@pytest.mark.parametrize(
    ("line", "right", "wrong"),
    [
        (2, "9", "8"),
        (3, '"square"', '"cube"'),
        (4, '"key": "2"', '"key": "3"'),
        (2, '"digest": "', '"digest": "0'),
        (3, "{", ""),
    ],
)
def test_a_damaged_line_is_named_and_computed_again(tmp_path, line, right, wrong):
    checkpoint, tasks, warnings, computed = tmp_path / "checkpoint", [Square(number) for number in (3, 1, 2)], [], []

    def work(task):
        computed.append(task.number)
        return {"square": task.number**2}

    results = run_resumable(work, tasks, checkpoint, None, silent)
    lines = checkpoint.read_text().split("\n")  # the first is empty
    assert right in lines[line - 1]
    lines[line - 1] = lines[line - 1].replace(right, wrong)
    checkpoint.write_text("\n".join(lines))
    computed.clear()
    assert run_resumable(work, tasks, checkpoint, None, silent, warnings.append) == results
    assert computed == [(3, 1, 2)[line - 2]]
    assert warnings == [f"line {line} of {format_value(checkpoint)} is damaged: what it held is computed again"]


def test_finished_work_is_on_disk_before_it_counts(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", lambda handle: synced.append(os.fstat(handle).st_size))
    run_resumable(lambda task: {}, [Square(1), Square(2)], tmp_path / "checkpoint", None, silent)
    assert len(synced) == 2
    assert synced[-1] == (tmp_path / "checkpoint").stat().st_size


def test_an_attack_run_survives_its_document():
    run = attack_run(1, {"one": 5}, 12.5, level=2)
    assert AttackRun.from_json(json.loads(json.dumps(asdict(run)))) == run


# -- the command ----------------------------------------------------------------------------------------------------------

PANEL = ("--families", "machine_layout", "--levels", "0,1", "--instances", "1", "--budget", "300")


def test_a_panel_of_one_kind_runs_no_other(tmp_path):
    options = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "1", "--budget", "50", "--no-prior")
    done = run_here("attack", *options, "--kinds", "algorithm", "--out", tmp_path / "panel", "--json")
    standing = json.loads(done.stdout)["standings"][0]
    assert set(standing["attackers"]) == {algorithm.name for algorithm in ALGORITHMS}
    assert (standing["best"]["attacker"], standing["imputed"]) == ("", {})
    done = run_here("attack", *options, "--kinds", "luck", "--out", tmp_path / "other")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def output_files(folder):
    """What a panel wrote, except its checkpoints, whose lines are in the order in which work ends."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".jsonl"}


def test_a_panel_is_the_same_with_any_jobs_and_hash_seed_and_resumes(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    assert run_here("attack", *PANEL, "--out", one).returncode == 0  # whose hash seed is not that of the workers below
    assert run_here("attack", *PANEL, "--out", two, "--jobs", "2", PYTHONHASHSEED="2").returncode == 0
    files = output_files(one)
    assert files == output_files(two)
    assert {"hardness.md", "hardness.csv", "hardness.tex", "hardness.json", "exact_over_evaluations.svg"} <= set(files)
    document = json.loads(files["hardness.json"])
    assert [summary["level"] for summary in document["standings"]] == [0, 1]
    checkpoint = two / "attacks.jsonl"
    lines = checkpoint.read_text().split("\n")
    checkpoint.write_text("\n".join(lines[:-1]) + '\n{"key": "to')  # one run lost, one line incomplete
    again = run_here("attack", *PANEL, "--out", two, "--json")
    assert again.returncode == 0
    assert json.loads(again.stdout) == document
    assert output_files(two) == files


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
def test_bad_options_are_refused_in_one_line(tmp_path, arguments, message):
    done = run_here("attack", "--out", tmp_path / "out", *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
