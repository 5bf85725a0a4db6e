"""Contracts, and faults that break them: every fault is planted in a copy of the example family and must be named."""

import sys
from dataclasses import replace
from importlib import import_module
from itertools import count
from pathlib import Path
from types import ModuleType, new_class

import pytest

from algoworlds.cli.skeleton import write_skeleton
from algoworlds.core.decision import Verdict
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
from tests.command import run
from tests.families.distributions import offer_family
from tests.silence import silent

EXAMPLE = Path(__file__).parents[3] / "examples" / "knapsack" / "src"
SEED = "a seed for planted faults"

NO_SCALE = "any difficulty: knapsack declares no scale: add Family(scale=...) to measure players on it"


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
    assert report.notes == {"Scale": NO_SCALE}
    unchecked = [name for name, units in report.units.items() if not units]
    assert unchecked == ["Law of errors"], "every contract was checked but that of conditions, which it does not declare"


def change_answer(algorithm, change):
    """An exact algorithm with changed solutions."""
    return lambda instance: change(algorithm(instance))


def extend(knapsack, generate=None, story="", **relations):
    """The family with further relations, filled by `generate` from an instance without them."""
    base = knapsack.instance

    Extended = new_class("Extended", (base,), {"family": "knapsack"}, lambda names: names.update(base.relations | relations))
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


def with_template(knapsack, **fields):
    return replace(knapsack, template=replace(knapsack.template, **fields))


def with_tool(knapsack, name, **fields):
    """The family with one changed tool."""
    tools = (replace(tool, **fields) if tool.name == name else tool for tool in knapsack.template.tools)
    return with_template(knapsack, tools=tuple(tools))


def items_sorted_by(key):
    """A generator that lists the items by `key(instance, item)` instead of at random."""

    def plant(knapsack):
        def generate(config, stream):
            drawn = knapsack.generate(config, stream)
            return drawn.replace(item=sorted(drawn.item, key=lambda item: key(drawn, item)))

        return replace(knapsack, generate=generate)

    return plant


def items_sorted_by_value(knapsack):
    return items_sorted_by(lambda drawn, item: drawn.value[item])(knapsack)


def items_sorted_by_value_per_weight(knapsack):
    def worth(drawn, item):
        return -drawn.value[item] / next(weight for (_, other), weight in drawn.weight.items() if other == item)

    return items_sorted_by(worth)(knapsack)


def crates_sorted_by_falling_tare(knapsack):
    def generate(config, stream):
        drawn = knapsack.generate(config, stream)
        return drawn.replace(crate=sorted(drawn.crate, key=lambda crate: -drawn.tare[crate]))

    return replace(knapsack, generate=generate)


def random_generator(knapsack):
    counter = count()

    def generate(config, stream):
        return knapsack.generate(config, stream.child(next(counter)))

    return replace(knapsack, generate=generate)


def tool_that_reveals_what_it_denies(knapsack):
    return with_tool(knapsack, "read_crate", reveals=("tare", "weight"))  # "One crate's tare. No items."


def tool_that_reveals_another_number(knapsack):
    return with_tool(knapsack, "read_prices", reveals=("value", "weight"))  # "The values of ... items. No weights."


def tool_that_denies_in_a_list(knapsack):
    return with_tool(knapsack, "inspect_item", description="One item: where it lies and its weight, without tares or values.")


def tool_that_does_not_mention_a_table(knapsack):
    return with_tool(knapsack, "inspect_item", description="One item: the crate it lies in and its weight.")


def tool_without_description(knapsack):
    return with_tool(knapsack, "inspect_item", description="")


def free_tool(knapsack):
    return with_tool(knapsack, "read_prices", prices=(4, 0, 6))


def tool_with_the_name_of_the_program_tool(knapsack):
    return with_template(knapsack, evaluate=("python", knapsack.template.evaluate[1]))


def tool_over_ids_that_are_not_listed(knapsack):
    return with_template(knapsack, rosters={"item": "Items"})


def story_with_the_opposite_objective(knapsack):
    return with_template(knapsack, story=knapsack.template.story.replace("maximise", "minimise"))


def summary_with_the_opposite_objective(knapsack):
    return with_template(knapsack, summary="take items out of crates, at the lowest total value")


def story_with_the_opposite_bound(knapsack):
    return with_template(knapsack, story=knapsack.template.story.replace("add up to more than", "add up to less than"))


def checker_with_the_opposite_bound(knapsack):
    """Checker and both algorithms agree, but with a lower bound where the story states an upper one."""

    def check(instance, decision):
        verdict = knapsack.check(instance.replace(capacity=10**6), decision)
        return verdict if not verdict.feasible or len(decision) >= instance.capacity else Verdict.infeasible("too few")

    return replace(knapsack, check=check)


def example_of_another_shape(knapsack):
    return with_template(knapsack, example='Taking two items is\n{"item": ["item-a", "item-c"]}')


def example_that_is_not_json(knapsack):
    return with_template(knapsack, example="Taking two items is {item-a, item-c}")


def checker_that_raises(knapsack):
    def check(instance, decision):
        _ = [instance.value[item] for item in decision]
        return knapsack.check(instance, decision)

    return replace(knapsack, check=check)


def checker_that_ignores_unknown_ids(knapsack):
    return replace(
        knapsack,
        check=lambda instance, decision: knapsack.check(instance, [item for item in decision if item in instance.item]),
    )


def checker_that_merges_repetitions(knapsack):
    return replace(knapsack, check=lambda instance, decision: knapsack.check(instance, tuple(sorted(set(decision)))))


def checker_with_wrong_parts(knapsack):
    def check(instance, decision):
        verdict = knapsack.check(instance, decision)
        return replace(verdict, parts={"values": 1}) if verdict.feasible else verdict

    return replace(knapsack, check=check)


class LossySearchSpace:
    """A search space over the items in list order that forgets to price the last one."""

    constant_loss = 0

    def __init__(self, instance):
        self.instance = instance

    def to_choices(self, packing):
        return tuple("1" if item in packing else "0" for item in self.instance.item)

    def to_decision(self, choices):
        return tuple(sorted(item for item, choice in zip(self.instance.item, choices, strict=True) if choice == "1"))

    def extensions(self, partial):
        items = self.instance.item[:-1]
        loss = -self.instance.value[items[len(partial)]] if len(partial) < len(items) else 0
        return [("0", 0), ("1", loss)]


class NarrowSearchSpace(LossySearchSpace):
    """A search space that never offers to take an item."""

    def extensions(self, partial):
        return [("0", 0)]


def search_space_with_wrong_losses(knapsack):
    """Whether the last item counts depends on the instance, so several are tried."""
    return with_hardness(knapsack, search_space=LossySearchSpace)


def search_space_without_the_optimum(knapsack):
    return with_hardness(knapsack, search_space=NarrowSearchSpace)


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
    items_sorted_by_value: (
        "Orders",
        "value.value follows the position of its item in the question (correlation 1.00): shuffle the list",
    ),
    items_sorted_by_value_per_weight: ("Orders", "weight.weight / value.value follows the position of its item"),
    crates_sorted_by_falling_tare: (
        "Orders",
        "tare.tare follows the position of its crate in the question (correlation -",
    ),
    random_generator: ("Fixed construction membership", "the coordinate yields another instance"),
    tool_that_reveals_what_it_denies: ("Texts", "the description of read_crate denies item, which the tool reveals"),
    tool_that_reveals_another_number: ("Texts", "the description of read_prices denies weight, which the tool reveals"),
    tool_that_denies_in_a_list: ("Texts", "the description of inspect_item denies value, which the tool reveals"),
    tool_that_does_not_mention_a_table: ("Texts", "the description of inspect_item does not mention value"),
    tool_without_description: ("Texts", "inspect_item has no description"),
    free_tool: ("Texts", "read_prices has the price 0; it must be at least 1"),
    tool_with_the_name_of_the_program_tool: ("Texts", "'python' is the name of the tool of the tracks: choose another"),
    tool_over_ids_that_are_not_listed: ("Texts", "the question does not list the crate ids that it takes"),
    story_with_the_opposite_objective: ("Texts", 'the story says "minimise", but larger values are better'),
    summary_with_the_opposite_objective: ("Texts", 'the summary says "lowest", but larger values are better'),
    story_with_the_opposite_bound: ("Stated bounds", "the story says at least {capacity}, but the checker refuses"),
    checker_with_the_opposite_bound: ("Stated bounds", "the story says at most {capacity}, but the checker refuses"),
    example_of_another_shape: ("Texts", "the decision in the example is refused: expected exactly the arguments items"),
    example_that_is_not_json: ("Texts", "the decision in the example is refused"),
    checker_that_raises: ("Odd decisions", "the checker raises KeyError for an unknown id"),
    checker_that_ignores_unknown_ids: ("Odd decisions", "the checker accepts an unknown id"),
    checker_that_merges_repetitions: ("Odd decisions", "the checker accepts an id named twice"),
    checker_with_wrong_parts: ("Odd decisions", "which is not the integer sum of its parts"),
    search_space_with_wrong_losses: ("Search space", "add up to"),
    search_space_without_the_optimum: ("Search space", "the search space does not offer 1, a choice of the optimum"),
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_names_a_planted_fault(monkeypatch, knapsack, fault):
    contract, problem = FAULTS[fault]
    levels = (1,) if fault is out_of_band else (0, 1) if contract == "Search space" else (0,)
    report = check(monkeypatch, fault(knapsack), instances=2 if contract == "Search space" else 1, levels=levels)
    breaches = report.breaches
    assert all(report.levels[name, unit] for name, unit, _ in breaches if not unit.startswith("tiny "))
    own = [(unit, message) for name, unit, message in breaches if name == contract]
    assert any(problem in message for _, message in own), own
    if contract not in {"Texts", "Orders"}:
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
        "Ranges": "any level: knapsack declares no ranges: add Knowledge(ranges=...) to say when an optimum is known",
        "Scale": NO_SCALE,
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


def test_names_a_module_that_algorithms_share(monkeypatch, knapsack):
    shared = ModuleType("algoworlds_knapsack.shared")
    for name in ("solve", "check"):
        monkeypatch.setattr(sys.modules[f"algoworlds_knapsack.{name}"], "shared", shared, raising=False)
    problem = "solve and check both import algoworlds_knapsack.shared, where a mistake would be common to both"
    assert ("Declaration", "independence", problem) in check(monkeypatch, knapsack, levels=()).breaches


def test_every_breach_has_a_level(monkeypatch, knapsack):
    faulty = optimum_listed_first(winning_descent(tool_without_description(knapsack)))
    report = check(monkeypatch, faulty, instances=6, levels=(1,))
    levels = {(name, unit): report.levels[name, unit] for name, unit, _ in report.breaches}
    assert levels["Texts", "description of inspect_item"] == "all"
    assert levels["Shortcut panel", "knapsack, 6 instances"] == "1"
    assert levels["Orders", "knapsack by position"] == "1"
    eight = replace(knapsack, tiny=None, check=checker_that_raises(knapsack).check)
    monkeypatch.setattr(family_check, "LEVEL_0_INSTANCES", 2)
    report = check(monkeypatch, eight, levels=(0, 1))
    odd = {report.levels[name, unit] for name, unit, _ in report.breaches if name == "Odd decisions"}
    assert odd == {"0"}


# -- faults in the family that `family new` writes ------------------------------------------------------------------------

SKELETON_FAULTS = {
    "sorted projects": (
        "generate.py",
        "        project=projects,",
        "        project=sorted(projects, key=cost.__getitem__),",
        ("Orders", "cost.cost follows the position of its project"),
    ),
    "sorted costs": (
        "generate.py",
        "cost = {project: stream.integer(config.dearest // 3, config.dearest) for project in projects}",
        "cost = dict(zip(projects, sorted(stream.integers(len(projects), config.dearest // 3, config.dearest)), strict=True))",
        ("Orders", "cost.cost follows the position of its project"),
    ),
    "a description that denies": ("template.py", '("cost",), One', '("cost", "benefit"), One', ("Texts", "denies benefit")),
    "an objective that contradicts": ("template.py", "maximise the sum", "minimise the sum", ("Texts", 'says "minimise"')),
    "a bound that contradicts": (
        "template.py",
        "to more than {budget}",
        "to less than {budget}",
        ("Stated bounds", "at least"),
    ),
    "a strict checker": ("check.py", "> instance.budget", ">= instance.budget", ("Brute force", "brute force")),
    "a lenient checker": ("check.py", "> instance.budget", "> instance.budget + 1", ("Brute force", "brute force")),
    "a checker that raises": (
        "check.py",
        "if not chosen <= set(instance.project):",
        "if min(instance.cost[project] for project in chosen) < 0:",
        ("Odd decisions", "raises ValueError for an empty decision"),
    ),
    "a checker that accepts repetitions": (
        "check.py",
        "len(chosen) < len(decision)",
        "False",
        ("Odd decisions", "named twice"),
    ),
    "a solver that ignores ties": ("solve.py", "optima = 2 if choice[at] == TIE else optima", "pass", ("Brute force", "tied")),
    "a solver off by one": ("solve.py", "size = instance.budget + 1", "size = instance.budget", ("Brute force", "solve finds")),
    "a verifier with other costs": (
        "verify.py",
        "instance.cost[project], rest[-1]",
        "instance.cost[project] + 1, rest[-1]",
        ("Brute force", "verify finds"),
    ),
    "a level out of its band": ("generate.py", "1: Config(40, 60)", "1: Config(14, 12)", ("Admission", "lies outside")),
    "a reference that is infeasible": (
        "reference.py",
        "if instance.cost[project] <= left:",
        "if True:",
        ("Searches", "reference decides what is infeasible"),
    ),
    "a plan that misses a table": (
        "template.py",
        '"surveys": ("read_cost", "survey_benefits")',
        '"surveys": ("survey_benefits",)',
        ("Sufficient information acquisition", "do not rebuild"),
    ),
    "an example of another shape": ("template.py", '{"projects": [', '{"project": [', ("Texts", "example is refused")),
    "a catalog within the budget": ("template.py", "(6, 6, 6)", "(900, 900, 900)", ("Full-catalog budget", "whole catalog")),
    "one channel only": ("instance.py", 'channel="survey"', 'channel="ledger"', ("Declaration", "only one channel")),
}


@pytest.mark.parametrize("fault", SKELETON_FAULTS)
def test_names_a_fault_in_a_new_family(monkeypatch, tmp_path, fault):
    file, right, wrong, (contract, problem) = SKELETON_FAULTS[fault]
    name = f"fault_{list(SKELETON_FAULTS).index(fault)}"
    write_skeleton(name, tmp_path)
    path = tmp_path / "src" / f"algoworlds_{name}" / file
    text = path.read_text()
    assert text.count(right) == 1
    path.write_text(text.replace(right, wrong))
    monkeypatch.syspath_prepend(tmp_path / "src")
    monkeypatch.setitem(FAMILIES, name, getattr(import_module(f"algoworlds_{name}"), name.upper()))
    monkeypatch.setattr(family_check, "LEVEL_0_INSTANCES", 12 if "ties" in fault else 4)
    report = check_family(name, SEED, 1, None, silent, (0, 1))
    assert any(contract == other and problem in message for other, _, message in report.breaches), report.breaches


def test_a_new_family_has_no_fault(monkeypatch, tmp_path):
    write_skeleton("faultless", tmp_path)
    monkeypatch.syspath_prepend(tmp_path / "src")
    monkeypatch.setitem(FAMILIES, "faultless", import_module("algoworlds_faultless").FAULTLESS)
    monkeypatch.setattr(family_check, "LEVEL_0_INSTANCES", 4)
    assert check_family("faultless", SEED, 2, None, silent, (0, 1)).breaches == []


def test_names_a_generator_that_depends_on_the_hash_seed(tmp_path):
    """Only another process shows it, so the command is run on an installed family."""
    write_skeleton("hashed", tmp_path / "hashed")
    path = tmp_path / "hashed" / "src" / "algoworlds_hashed" / "generate.py"
    text = path.read_text()
    path.write_text(text.replace("config.dearest) for project in projects}", "config.dearest) for project in set(projects)}"))
    offer_family(tmp_path / "site", "hashed", "algoworlds_hashed:HASHED", "algoworlds_hashed")
    python_path = f"{tmp_path / 'site'}:{tmp_path / 'hashed' / 'src'}"
    done = run("family", "check", "hashed", "--levels", "0", "--instances", "1", PYTHONPATH=python_path)
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if line.startswith("Reproduction: hashed-0 (level 0), seed ")]
    assert len(lines) == 1
    assert lines[0].endswith("a new process draws other instances: use the stream only, and never the order of a set")


def test_brute_force_returns_a_solution(knapsack):
    instance = knapsack.tiny(Stream("brute", 4))
    solution = best_solution(knapsack, instance, decision_space(knapsack.decision, instance).iterate())
    assert isinstance(solution, Solution)
    assert solution.agrees_with(knapsack.solve(instance))
