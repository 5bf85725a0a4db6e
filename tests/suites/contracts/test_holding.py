"""Contracts that hold, and faults that break them: each fault is planted in a copy of the example and must be named."""

import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from algoworlds.core.interface import Link, Via
from algoworlds.core.ranges import Range
from algoworlds.core.relation import public, relation
from algoworlds.core.tool import Tool, every
from algoworlds.core.work import Solution
from algoworlds.families import FAMILIES
from algoworlds.suites.contracts import holding
from algoworlds.suites.contracts.holding import hold
from tests.silence import silent

EXAMPLE = Path(__file__).parents[3] / "examples" / "knapsack" / "src"
SEED = "a seed for planted faults"


@pytest.fixture(autouse=True)
def knapsack(monkeypatch):
    """The example family, importable but not installed."""
    monkeypatch.syspath_prepend(EXAMPLE)
    monkeypatch.setattr(holding, "TINY", 50)
    monkeypatch.setattr(holding, "DRAWN", 3)
    from algoworlds_knapsack import KNAPSACK

    return KNAPSACK


def held(monkeypatch, family, instances=1, levels=(0, 1)):
    monkeypatch.setitem(FAMILIES, "knapsack", family)
    return hold("knapsack", SEED, instances, None, silent, levels)


def test_the_example_breaks_no_contract(monkeypatch, knapsack):
    found = held(monkeypatch, knapsack)
    assert not found.breaches
    assert not found.notes
    assert all(found.units.values()), "every contract was tried"


def answering(algorithm, change):
    """An exact algorithm whose answers are changed."""
    return lambda instance: change(algorithm(instance))


def extended(knapsack, generate=None, story="", **relations):
    """The family with more tables, and a generator that fills them from an instance without."""
    base = knapsack.instance

    class Extended(base, family="knapsack"):
        pass

    Extended.relations = base.relations | {name: replace(each, name=name) for name, each in relations.items()}
    template = replace(knapsack.template, story=knapsack.template.story + story)
    hidden = tuple(name for name, each in relations.items() if each.fact)
    if hidden:
        template = replace(
            template,
            tools=(*template.tools, Tool("read_more", (1, 1, 1), hidden, description="More.")),
            plans={name: (*plan, every("read_more")) for name, plan in template.plans.items()},
        )

    def drawn(config, stream):
        plain = knapsack.generate(config, stream)
        return Extended(**plain.tables, **generate(plain, stream))

    return replace(
        knapsack, instance=Extended, generate=drawn, template=template, tiny=None, knowledge=without_ranges(knapsack)
    )


def without_ranges(knapsack):
    return replace(knapsack.knowledge, ranges=None)


def attacked(knapsack, **declared):
    """The family with another hardness block."""
    return replace(knapsack, hardness=replace(knapsack.hardness, **declared))


def wrong_objective(knapsack):
    def more(found):
        return replace(found, value=found.value + 1)

    return replace(knapsack, verify=answering(knapsack.verify, more))


def ties_unseen(knapsack):
    return replace(knapsack, solve=answering(knapsack.solve, lambda found: replace(found, optima=1)))


def lenient_checker(knapsack):
    def check(instance, decision):
        return knapsack.check(instance.replace(tare=dict.fromkeys(instance.crate, 0)), decision)

    return replace(knapsack, check=check)


def crashing(knapsack):
    return replace(knapsack, solve=lambda instance: 1 // 0)


def counting_on(knapsack):
    turns = count()

    def more(found):
        return replace(found, work=found.work._replace(state=found.work.state + next(turns)))

    return replace(knapsack, solve=answering(knapsack.solve, more))


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
    return attacked(knapsack, blind=knapsack.hardness.blind | {"nothing": lambda instance: instance})


def infeasible_sample(knapsack):
    return attacked(knapsack, sample=lambda instance, stream: instance.item)


def winning_descent(knapsack):
    return attacked(knapsack, descend=lambda instance, start: knapsack.solve(instance).decision)


def plan_that_misses_facts(knapsack):
    plans = knapsack.template.plans | {"items": (every("inspect_item"),)}
    return replace(knapsack, template=replace(knapsack.template, plans=plans))


def lossy_mediation(knapsack):
    """Shelves owned by weights instead of crates: two items of one weight in different crates get mixed up."""
    via = Via((Link("shelf", of=("weight",)),), (("crate", "shelf"), ("shelf", "item", "weight")), ("read_crate",))
    return replace(knapsack, template=replace(knapsack.template, mediation={"weight": via}))


def telling_all(knapsack):
    tools = (*knapsack.template.tools, Tool("read_all", (9, 9, 9), ("tare", "weight", "value"), description="All."))
    return replace(knapsack, template=replace(knapsack.template, tools=tools))


def cheap_catalog(knapsack):
    dear = replace(knapsack.template.closing, prices=(9_000, 9_000, 9_000))
    return replace(knapsack, template=replace(knapsack.template, closing=dear))


def optimum_in_the_question(knapsack):
    def fill(plain, stream):
        return {"hint": knapsack.solve(plain).value}

    return extended(knapsack, fill, "\n\nA consultant expects {hint}.", hint=public(value="hint"))


def optimum_listed_first(knapsack):
    def generate(config, stream):
        drawn = knapsack.generate(config, stream)
        best = knapsack.solve(drawn).decision
        return drawn.replace(item=sorted(drawn.item, key=lambda item: item not in best))

    return replace(knapsack, generate=generate)


def idle_channel(knapsack):
    """A kind of information that no decision depends on, so that no change of it changes the optimum."""

    def fill(plain, stream):
        return {"colour": {crate: stream.integer(1, 9) for crate in plain.crate}}

    return extended(knapsack, fill, colour=relation("crate", value="colour", channel="paint", complete=True))


def generous_options(knapsack):
    """An unknown item is left in the instance and weighs next to nothing."""

    def exclude(instance, options):
        return instance.replace(weight=dict.fromkeys(instance.weight, 1))

    options = (replace(knapsack.knowledge.options[0], exclude=exclude),)
    return replace(knapsack, knowledge=replace(knapsack.knowledge, options=options))


def left_range(knapsack):
    """A crate may be heavier than the question says."""
    return with_tares(knapsack, lambda config: Range(config.heaviest // 2, config.heaviest - 1))


def idle_range(knapsack):
    """A range that says next to nothing."""
    return with_tares(knapsack, lambda config: Range(0, 100 * config.heaviest))


def telling_range(knapsack):
    """A range that follows the instance which was drawn last."""
    latest = []

    def generate(config, stream):
        latest[:] = [knapsack.generate(config, stream)]
        return latest[0]

    moving = with_tares(knapsack, lambda config: Range(0, max(latest[0].tare.values()) if latest else config.heaviest))
    return replace(moving, generate=generate)


def with_tares(knapsack, tares):
    def ranges(config):
        declared = knapsack.knowledge.ranges(config)
        return replace(declared, columns={**declared.columns, ("tare", "tare"): tares(config)})

    return replace(knapsack, knowledge=replace(knapsack.knowledge, ranges=ranges))


FAULTS = {
    left_range: ("Ranges", "tare.tare holds "),
    idle_range: ("Ranges", "of the range of tare.tare"),
    telling_range: ("Ranges", "the ranges change with what is drawn"),
    wrong_objective: ("Brute force", "verify finds"),
    ties_unseen: ("Brute force", "(tied)"),
    lenient_checker: ("Brute force", "solve finds"),
    crashing: ("Brute force", "ZeroDivisionError"),
    counting_on: ("Repetition", "counts otherwise the second time"),
    always_tied: ("Admission", "the optimum is not unique"),
    out_of_band: ("Admission", "lies outside 32,768 .. 131,072"),
    optimal_reference: ("Admission", "the reference decision is optimal"),
    winning_blind: ("Admission", "a solver blind to nothing finds the optimum"),
    infeasible_sample: ("Searches", "sample decides what is infeasible"),
    plan_that_misses_facts: ("Sufficient information acquisition", "do not rebuild the instance"),
    lossy_mediation: ("Paired-interface equivalence", "crates instead of one"),
    telling_all: ("Claims", "every change of the optimum shows in the response of read_all"),
    cheap_catalog: ("Full-catalog budget", "the budget buys the whole catalog"),
    optimum_in_the_question: ("Public tables", "a public table tells the optimum"),
    idle_channel: ("Claims", "no counterfactual found in channel 'paint'"),
    generous_options: ("Options", "infeasible or better than the optimum"),
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_named(monkeypatch, knapsack, fault):
    contract, problem = FAULTS[fault]
    breaches = held(monkeypatch, fault(knapsack), levels=(1,) if fault is out_of_band else (0,)).breaches
    named = [(unit, found) for name, unit, found in breaches if name == contract]
    assert any(problem in found for _, found in named), named
    assert all(unit.startswith(("tiny ", "knapsack-")) for unit, _ in named), "what to reproduce it by"


def test_faults_that_only_many_instances_show(monkeypatch, knapsack):
    found = held(monkeypatch, optimum_listed_first(winning_descent(knapsack)), instances=6, levels=(1,))
    problems = {(name, unit): problem for name, unit, problem in found.breaches}
    assert problems["Shortcut panel", "knapsack, 6 instances"] == "too often exact: local search"
    assert "is not where chance puts it" in problems["Orders", "knapsack by position"]


def test_a_family_without_ranges_breaks_nothing_and_it_is_said(monkeypatch, knapsack):
    found = held(monkeypatch, replace(knapsack, knowledge=without_ranges(knapsack)), levels=(0,))
    assert not found.breaches
    assert found.notes == {
        "Ranges": "any level: knapsack declares no ranges: add Knowledge(ranges=...) to say when an optimum is known"
    }


def test_what_cannot_be_enumerated_is_said(monkeypatch, knapsack):
    large = replace(knapsack, tiny=None, levels=knapsack.levels | {0: knapsack.levels[1]})
    found = held(monkeypatch, large, levels=())
    assert not found.breaches
    assert "more than 65,536 decisions: give the family tiny instances" in found.notes["Brute force"]


def test_missing_levels_are_named(monkeypatch, knapsack):
    few = replace(knapsack, levels={0: knapsack.levels[0]})
    assert ("Declaration", "levels", "there is no level 1") in held(monkeypatch, few, levels=()).breaches


def test_algorithms_that_share_a_module_are_named(monkeypatch, knapsack):
    def solve(instance):
        return knapsack.solve(instance)

    def verify(instance):
        return knapsack.verify(instance)

    together = held(monkeypatch, replace(knapsack, solve=solve, verify=verify), levels=())
    assert ("Declaration", "independence", "solve and verify stand in one module") in together.breaches
    monkeypatch.setattr(sys.modules["algoworlds_knapsack.verify"], "borrowed", knapsack.solve, raising=False)
    borrowing = held(monkeypatch, knapsack, levels=())
    assert ("Declaration", "independence", "verify imports the module of solve") in borrowing.breaches


def test_brute_force_answers_like_an_algorithm(knapsack):
    from algoworlds.core.stream import Stream
    from algoworlds.suites.contracts.enumeration import best_of, decisions

    instance = knapsack.tiny(Stream("brute", 4))
    found = best_of(knapsack, instance, decisions(knapsack.decision, instance).each())
    assert isinstance(found, Solution)
    assert found.agrees(knapsack.solve(instance))
