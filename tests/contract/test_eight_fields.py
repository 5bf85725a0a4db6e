"""A family of eight fields, without the optional blocks: what works, and what commands that need a block print."""

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

from algoworlds.core.instance import Instance
from algoworlds.core.relation import Roster, roster
from algoworlds.errors import DeclarationError, InputError
from algoworlds.families import FAMILIES
from algoworlds.families.family import Family
from algoworlds.families.hardness import Hardness
from algoworlds.families.knowledge import Knowledge
from algoworlds.suites.contracts import family_check
from algoworlds.suites.open import open_suite
from tests.command import run_here
from tests.drawing import without_figures
from tests.silence import silent

EXAMPLE = Path(__file__).parents[2] / "examples" / "knapsack" / "src"
EIGHT = ("instance", "levels", "generate", "solve", "verify", "check", "reference", "template")
NO_HARDNESS = "knapsack declares no hardness block: add Family(hardness=Hardness({})) to {}"
NO_KNOWLEDGE = "knapsack declares no knowledge block: add Family(knowledge=Knowledge({})) to {}"
SEED = ("--seed", "a long seed for eight fields")


@pytest.fixture
def eight(monkeypatch):
    """The example family without its optional fields, registered for every command."""
    monkeypatch.syspath_prepend(EXAMPLE)
    from algoworlds_knapsack import KNAPSACK

    family = Family(**{name: getattr(KNAPSACK, name) for name in EIGHT})
    monkeypatch.setitem(FAMILIES, family.name, family)
    return family


def run_ok(*arguments, **more):
    done = run_here(*arguments, **more)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def error_line(*arguments):
    """The one line that a failing command prints."""
    done = run_here(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    return done.stderr.strip().removeprefix("algoworlds: ")


def build(out, *more):
    return ("build", "--out", out, "--families", "knapsack", "--levels", "1", "--instances", "1", *SEED, *more)


def test_exactly_eight_fields_are_required():
    required = [field.name for field in fields(Family) if field.default is field.default_factory]
    assert tuple(required) == EIGHT
    assert all(field.default is not field.default_factory for block in (Hardness, Knowledge) for field in fields(block))


def test_family_of_eight_fields_works_in_all_basic_commands(eight, tmp_path):
    suite, greedy, oracle = tmp_path / "suite", tmp_path / "greedy", tmp_path / "oracle"
    run_ok(*build(suite))
    validated = json.loads(run_ok("validate", suite, "--json"))
    assert not validated["failures"]
    assert {"row": "Shortcut panel", "unit": "Task family", "count": 1, "passed": 1} in validated["validation"]
    assert "charged 3  budget left" in run_ok("play", "knapsack-0-1", stdin="read_crate C1\nquit\n")
    run_ok("run", suite, "--agent", "greedy", "--out", greedy, "--trials", "1")
    run_ok("run", suite, "--agent", "oracle", "--out", oracle, "--trials", "1")
    run_ok("run", suite, "--agent", "certifier", "--out", tmp_path / "certifier", "--trials", "1")
    run_ok("verify-run", oracle)
    with without_figures():
        reported = run_here("report", greedy, oracle, "--out", tmp_path / "report")
    left_out = NO_HARDNESS.format("sample=...", "let random play it; the report leaves random out")
    assert (reported.returncode, reported.stderr) == (0, f"{left_out}\n")
    assert "Crate Knapsack" in (tmp_path / "report" / "report.html").read_text()


def test_commands_that_need_a_block_name_it(eight, tmp_path):
    suite, out = tmp_path / "suite", tmp_path / "out"
    run_ok(*build(suite))
    no_search_space = NO_HARDNESS.format("search_space=..., sample=..., descend=...", "attack it")
    assert error_line("attack", "--families", "knapsack", "--no-prior", "--out", out) == no_search_space
    for agent, field in {"random": "sample", "local_search": "descend"}.items():
        line = error_line("run", suite, "--agent", agent, "--out", out)
        assert line == NO_HARDNESS.format(f"{field}=...", f"let {agent} play it")
    assert error_line(*build(out, "--certificates")) == NO_KNOWLEDGE.format("ranges=..., unknowns=...", "certify it")
    assert not out.exists()
    run_ok("run", suite, "--agent", "greedy", "--out", out, "--trials", "1")
    expected = NO_KNOWLEDGE.format("ranges=..., unknowns=..., options=...", "judge what could be known")
    assert error_line("judge", out) == expected
    play = open_suite(suite).play(open_suite(suite).manifest.worlds[0].id)
    with pytest.raises(InputError, match="knapsack declares no hardness block"):
        play.reward("gain")
    assert play.reward("utility") == 0


def test_commands_note_what_a_partial_block_leaves_out(eight, tmp_path, monkeypatch):
    from algoworlds_knapsack import KNAPSACK

    monkeypatch.setitem(FAMILIES, "knapsack", replace(eight, knowledge=KNAPSACK.knowledge, hardness=KNAPSACK.hardness))
    suite, run = tmp_path / "suite", tmp_path / "run"
    run_ok(*build(suite))
    run_ok("run", suite, "--agent", "random", "--out", run, "--trials", "1")
    judged = run_here("judge", run)
    assert judged.returncode == 0
    assert judged.stderr == "knapsack declares no unknowns: add Knowledge(unknowns=...) to judge what could be known\n"
    assert error_line("attack", "--families", "knapsack", "--no-prior", "--out", tmp_path / "out") == (
        "knapsack declares no search_space: add Hardness(search_space=...) to attack it"
    )
    two = ("--families", "fleet_dispatch,knapsack", "--levels", "0", "--instances", "1", *SEED, "--certificates")
    built = run_here("build", "--out", tmp_path / "two", *two)
    assert built.returncode == 0
    assert built.stderr == (
        "knapsack declares no unknowns: add Knowledge(unknowns=...) to certify it; its worlds get no certificates\n"
    )


def test_family_check_lists_untried_contracts_and_what_to_add(eight, monkeypatch):
    monkeypatch.setattr(family_check, "LEVEL_0_INSTANCES", 3)
    report = family_check.check_family("knapsack", "a seed for eight fields", 1, None, silent, levels=(0, 1))
    assert not report.breaches
    assert report.notes == {
        "Searches": "random decisions and descents: " + NO_HARDNESS.format("sample=..., descend=...", "check them"),
        "Admission": "blind solvers: " + NO_HARDNESS.format("blind=...", "refuse instances that they solve"),
        "Shortcut panel": "some shortcuts: "
        + NO_HARDNESS.format("blind=..., sample=..., descend=...", "count how often they are exact"),
        "Ranges": "any level: " + NO_KNOWLEDGE.format("ranges=...", "say when an optimum is known"),
        "Options": "any instance: " + NO_KNOWLEDGE.format("options=...", "say which decisions the facts seen allow"),
        "Scale": "any difficulty: knapsack declares no scale: add Family(scale=...) to measure players on it",
    }


@pytest.mark.parametrize("reference", [lambda family: lambda instance: instance.item, lambda family: best(family)])
def test_wrong_reference_is_detected_without_the_blocks(eight, monkeypatch, reference):
    monkeypatch.setattr(family_check, "LEVEL_0_INSTANCES", 3)
    monkeypatch.setitem(FAMILIES, "knapsack", replace(eight, reference=reference(eight)))
    assert family_check.check_family("knapsack", "a seed for eight fields", 1, None, silent, levels=(0,)).breaches


def best(family):
    return lambda instance: family.solve(instance).decision


def test_search_space_needs_sample_and_descend():
    with pytest.raises(DeclarationError, match="needs sample and descend"):
        Hardness(search_space=lambda instance: None)


def test_family_needs_a_sense(eight):
    class Senseless(Instance, family="senseless"):
        item: Roster = roster()

    with pytest.raises(DeclarationError, match="its sense is missing: class Senseless"):
        replace(eight, instance=Senseless)
