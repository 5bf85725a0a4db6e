"""Contracts, and faults that break them: every fault is planted in a copy of the example family and must be named."""

import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from algoworlds.core.interface import Via
from algoworlds.core.options import OptionKind
from algoworlds.core.ranges import Range
from algoworlds.core.relation import relation
from algoworlds.core.stream import Stream
from algoworlds.core.tool import Tool
from algoworlds.core.work import Solution
from algoworlds.families import FAMILIES
from algoworlds.suites.contracts import family_check
from algoworlds.suites.contracts.algorithms import best_solution, decision_space
from algoworlds.suites.contracts.family_check import check_family
from tests.silence import silent

EXAMPLE = Path(__file__).parents[3] / "examples" / "knapsack" / "src"
SEED = "a seed for planted faults"


@pytest.fixture(autouse=True)
def knapsack(monkeypatch):
    """The example family, importable but not installed."""
    monkeypatch.syspath_prepend(EXAMPLE)
    monkeypatch.setattr(family_check, "TINY_INSTANCES", 50)
    monkeypatch.setattr(family_check, "INSTANCES_PER_LEVEL", 3)
    from algoworlds_knapsack import KNAPSACK

    return KNAPSACK


def check(monkeypatch, family, instances=1, levels=(0, 1)):
    monkeypatch.setitem(FAMILIES, "knapsack", family)
    return check_family("knapsack", SEED, instances, None, silent, levels)


def test_the_example_meets_every_contract(monkeypatch, knapsack):
    report = check(monkeypatch, knapsack)
    assert not report.breaches
    assert not report.notes
    assert all(report.units.values()), "every contract was checked"


def change_answer(algorithm, change):
    """An exact algorithm with changed solutions."""
    return lambda instance: change(algorithm(instance))


def extend(knapsack, generate=None, story="", **relations):
    """The family with further relations, filled by `generate` from an instance without them."""
    base = knapsack.instance

    class Extended(base, family="knapsack"):
        pass

    Extended.relations = base.relations | {name: replace(added, name=name) for name, added in relations.items()}
    template = replace(knapsack.template, story=knapsack.template.story + story)
    hidden = tuple(name for name, added in relations.items() if added.fact)
    if hidden:
        template = replace(
            template,
            tools=(*template.tools, Tool("read_more", (1, 1, 1), hidden, description="More.")),
            plans={name: (*plan, "read_more") for name, plan in template.plans.items()},
        )

    def generate_extended(config, stream):
        plain = knapsack.generate(config, stream)
        return Extended(**plain.tables, **generate(plain, stream))

    return replace(
        knapsack,
        instance=Extended,
        generate=generate_extended,
        template=template,
        tiny=None,
        knowledge=without_ranges(knapsack),
    )


def without_ranges(knapsack):
    return replace(knapsack.knowledge, ranges=None)


def with_hardness(knapsack, **fields):
    """The family with other fields in its hardness block."""
    return replace(knapsack, hardness=replace(knapsack.hardness, **fields))


def wrong_objective(knapsack):
    def more(solution):
        return replace(solution, value=solution.value + 1)

    return replace(knapsack, verify=change_answer(knapsack.verify, more))


def ties_ignored(knapsack):
    return replace(knapsack, solve=change_answer(knapsack.solve, lambda solution: replace(solution, optima=1)))


def lenient_checker(knapsack):
    def check(instance, decision):
        return knapsack.check(instance.replace(tare=dict.fromkeys(instance.crate, 0)), decision)

    return replace(knapsack, check=check)


def crashing(knapsack):
    return replace(knapsack, solve=lambda instance: 1 // 0)


def growing_work(knapsack):
    counter = count()

    def more(solution):
        return replace(solution, work=solution.work._replace(state=solution.work.state + next(counter)))

    return replace(knapsack, solve=change_answer(knapsack.solve, more))


def always_tied(knapsack):
    def generate(config, stream):
        drawn = knapsack.generate(config, stream)
        return drawn.replace(value=dict.fromkeys(drawn.item, 5), weight=dict.fromkeys(drawn.weight, 5))

    return replace(knapsack, generate=generate)


def out_of_band(knapsack):
    return replace(knapsack, levels=knapsack.levels | {1: knapsack.levels[0]})


def optimal_reference(knapsack):
    return replace(knapsack, reference=lambda instance: knapsack.solve(instance).decision)


def winning_blind(knapsack):
    return with_hardness(knapsack, blind=knapsack.hardness.blind | {"nothing": lambda instance: instance})


def infeasible_sample(knapsack):
    return with_hardness(knapsack, sample=lambda instance, stream: instance.item)


def winning_descent(knapsack):
    return with_hardness(knapsack, descend=lambda instance, start: knapsack.solve(instance).decision)


def plan_that_misses_facts(knapsack):
    plans = knapsack.template.plans | {"items": ("inspect_item",)}
    return replace(knapsack, template=replace(knapsack.template, plans=plans))


def lossy_mediation(knapsack):
    """Shelves belong to weights instead of crates: two items of equal weight in different crates get mixed up."""
    via = Via({"shelf": (("weight",), 1)}, (("crate", "shelf"), ("shelf", "item", "weight")), ("read_crate",))
    return replace(knapsack, template=replace(knapsack.template, mediation={"weight": via}))


def tool_that_reveals_all(knapsack):
    tools = (*knapsack.template.tools, Tool("read_all", (9, 9, 9), ("tare", "weight", "value"), description="All."))
    return replace(knapsack, template=replace(knapsack.template, tools=tools))


def cheap_catalog(knapsack):
    expensive = (knapsack.template.evaluate[0], (9_000, 9_000, 9_000))
    return replace(knapsack, template=replace(knapsack.template, evaluate=expensive))


def optimum_in_the_question(knapsack):
    def fill(plain, stream):
        return {"hint": knapsack.solve(plain).value}

    return extend(knapsack, fill, "\n\nA consultant expects {hint}.", hint=relation(value="hint", public=True))


def optimum_listed_first(knapsack):
    def generate(config, stream):
        drawn = knapsack.generate(config, stream)
        best = knapsack.solve(drawn).decision
        return drawn.replace(item=sorted(drawn.item, key=lambda item: item not in best))

    return replace(knapsack, generate=generate)


def idle_channel(knapsack):
    """A channel that no decision depends on, so that no change of it changes the optimum."""

    def fill(plain, stream):
        return {"colour": {crate: stream.integer(1, 9) for crate in plain.crate}}

    return extend(knapsack, fill, colour=relation("crate", value="colour", channel="paint", complete=True))


def generous_options(knapsack):
    """An unknown item stays in the instance and weighs almost nothing."""

    class KeepItems(OptionKind):
        def exclude(self, instance, options):
            return instance.replace(weight=dict.fromkeys(instance.weight, 1))

    options = (KeepItems(knapsack.knowledge.options[0].relations, drop="item"),)
    return replace(knapsack, knowledge=replace(knapsack.knowledge, options=options))


def violated_range(knapsack):
    """A crate may be heavier than the question says."""
    return with_tares(knapsack, lambda config: Range(config.heaviest // 2, config.heaviest - 1))


def wide_range(knapsack):
    """A range that says almost nothing."""
    return with_tares(knapsack, lambda config: Range(0, 100 * config.heaviest))


def changing_range(knapsack):
    """A range that follows the last generated instance."""
    latest = []

    def generate(config, stream):
        latest[:] = [knapsack.generate(config, stream)]
        return latest[0]

    changing = with_tares(knapsack, lambda config: Range(0, max(latest[0].tare.values()) if latest else config.heaviest))
    return replace(changing, generate=generate)


def with_tares(knapsack, tares):
    def ranges(config):
        declared = knapsack.knowledge.ranges_for(config)
        return replace(declared, columns={**declared.columns, ("tare", "tare"): tares(config)})

    return replace(knapsack, knowledge=replace(knapsack.knowledge, ranges=ranges))


FAULTS = {
    violated_range: ("Ranges", "tare.tare holds "),
    wide_range: ("Ranges", "of the range of tare.tare"),
    changing_range: ("Ranges", "the ranges change with what is drawn"),
    wrong_objective: ("Brute force", "verify finds"),
    ties_ignored: ("Brute force", "(tied)"),
    lenient_checker: ("Brute force", "solve finds"),
    crashing: ("Brute force", "ZeroDivisionError"),
    growing_work: ("Repetition", "counts otherwise the second time"),
    always_tied: ("Admission", "the optimum is not unique"),
    out_of_band: ("Admission", "lies outside 32,768 .. 131,072"),
    optimal_reference: ("Admission", "the reference decision is optimal"),
    winning_blind: ("Admission", "a solver blind to nothing finds the optimum"),
    infeasible_sample: ("Searches", "sample decides what is infeasible"),
    plan_that_misses_facts: ("Sufficient information acquisition", "do not rebuild the instance"),
    lossy_mediation: ("Paired-interface equivalence", "crates instead of one"),
    tool_that_reveals_all: ("Claims", "every change of the optimum shows in the response of read_all"),
    cheap_catalog: ("Full-catalog budget", "the budget buys the whole catalog"),
    optimum_in_the_question: ("Public tables", "a public table reveals the optimum"),
    idle_channel: ("Claims", "no counterfactual found in channel 'paint'"),
    generous_options: ("Options", "infeasible or better than the optimum"),
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_names_a_planted_fault(monkeypatch, knapsack, fault):
    contract, problem = FAULTS[fault]
    breaches = check(monkeypatch, fault(knapsack), levels=(1,) if fault is out_of_band else (0,)).breaches
    own = [(unit, message) for name, unit, message in breaches if name == contract]
    assert any(problem in message for _, message in own), own
    assert all(unit.startswith(("tiny ", "knapsack-")) for unit, _ in own), "the unit says how to reproduce it"


def test_names_faults_that_only_many_instances_show(monkeypatch, knapsack):
    report = check(monkeypatch, optimum_listed_first(winning_descent(knapsack)), instances=6, levels=(1,))
    problems = {(name, unit): problem for name, unit, problem in report.breaches}
    assert problems["Shortcut panel", "knapsack, 6 instances"] == "too often exact: local search"
    assert "is not where chance puts it" in problems["Orders", "knapsack by position"]


def test_a_family_without_ranges_gets_a_note(monkeypatch, knapsack):
    report = check(monkeypatch, replace(knapsack, knowledge=without_ranges(knapsack)), levels=(0,))
    assert not report.breaches
    assert report.notes == {
        "Ranges": "any level: knapsack declares no ranges: add Knowledge(ranges=...) to say when an optimum is known"
    }


def test_too_many_decisions_get_a_note(monkeypatch, knapsack):
    large = replace(knapsack, tiny=None, levels=knapsack.levels | {0: knapsack.levels[1]})
    report = check(monkeypatch, large, levels=())
    assert not report.breaches
    assert "more than 65,536 decisions: give the family tiny instances" in report.notes["Brute force"]


def test_names_missing_levels(monkeypatch, knapsack):
    few = replace(knapsack, levels={0: knapsack.levels[0]})
    assert ("Declaration", "levels", "there is no level 1") in check(monkeypatch, few, levels=()).breaches


def test_names_algorithms_that_share_a_module(monkeypatch, knapsack):
    def solve(instance):
        return knapsack.solve(instance)

    def verify(instance):
        return knapsack.verify(instance)

    together = check(monkeypatch, replace(knapsack, solve=solve, verify=verify), levels=())
    assert ("Declaration", "independence", "solve and verify are in one module") in together.breaches
    monkeypatch.setattr(sys.modules["algoworlds_knapsack.verify"], "borrowed", knapsack.solve, raising=False)
    borrowing = check(monkeypatch, knapsack, levels=())
    assert ("Declaration", "independence", "verify imports the module of solve") in borrowing.breaches


def test_brute_force_returns_a_solution(knapsack):
    instance = knapsack.tiny(Stream("brute", 4))
    solution = best_solution(knapsack, instance, decision_space(knapsack.decision, instance).iterate())
    assert isinstance(solution, Solution)
    assert solution.agrees_with(knapsack.solve(instance))
