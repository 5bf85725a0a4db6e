"""A family of eight fields, without the optional blocks: what works, and what each command says that needs a block."""

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
from algoworlds.suites.contracts import holding
from algoworlds.suites.opened import open_suite
from tests.command import run_here
from tests.drawing import unillustrated
from tests.silence import silent

EXAMPLE = Path(__file__).parents[2] / "examples" / "knapsack" / "src"
EIGHT = ("instance", "levels", "generate", "solve", "verify", "check", "reference", "template")
NO_HARDNESS = "knapsack declares no hardness block: add Family(hardness=Hardness({})) to {}"
NO_KNOWLEDGE = "knapsack declares no knowledge block: add Family(knowledge=Knowledge({})) to {}"
SEED = ("--seed", "a long seed for eight fields")


@pytest.fixture
def eight(monkeypatch):
    """The example family without its optional fields, where every command finds it."""
    monkeypatch.syspath_prepend(EXAMPLE)
    from algoworlds_knapsack import KNAPSACK

    family = Family(**{name: getattr(KNAPSACK, name) for name in EIGHT})
    monkeypatch.setitem(FAMILIES, family.name, family)
    return family


def works(*arguments, **more):
    done = run_here(*arguments, **more)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def fails(*arguments):
    """The one line of a command that cannot do its job."""
    done = run_here(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done
    return done.stderr.strip().removeprefix("algoworlds: ")


def build(out, *more):
    return ("build", "--out", out, "--families", "knapsack", "--levels", "1", "--instances", "1", *SEED, *more)


def test_eight_fields_are_required_and_no_others():
    required = [each.name for each in fields(Family) if each.default is each.default_factory]
    assert tuple(required) == EIGHT
    assert all(each.default is not each.default_factory for block in (Hardness, Knowledge) for each in fields(block))


def test_a_family_of_eight_fields_is_built_validated_run_played_and_reported(eight, tmp_path):
    suite, greedy, oracle = tmp_path / "suite", tmp_path / "greedy", tmp_path / "oracle"
    works(*build(suite))
    validated = json.loads(works("validate", suite, "--json"))
    assert not validated["failures"]
    assert {"row": "Shortcut panel", "unit": "Task family", "count": 1, "passed": 1} in validated["validation"]
    assert "charged 3  budget left" in works("play", "knapsack-0-1", stdin="read_crate C1\nquit\n")
    works("run", "--suite", suite, "--agent", "greedy", "--out", greedy, "--trials", "1")
    works("run", "--suite", suite, "--agent", "oracle", "--out", oracle, "--trials", "1")
    works("run", "--suite", suite, "--agent", "certifier", "--out", tmp_path / "certifier", "--trials", "1")
    works("verify-run", oracle)
    with unillustrated():
        reported = run_here("report", greedy, oracle, "--out", tmp_path / "report")
    left_out = NO_HARDNESS.format("sample=...", "let random play it; the report leaves random out")
    assert (reported.returncode, reported.stderr) == (0, f"{left_out}\n")
    assert "Crate Knapsack" in (tmp_path / "report" / "report.html").read_text()


def test_commands_that_need_a_block_say_which(eight, tmp_path):
    suite, out = tmp_path / "suite", tmp_path / "out"
    works(*build(suite))
    hand = NO_HARDNESS.format("hand=..., sample=..., descend=...", "attack it")
    assert fails("attack", "--families", "knapsack", "--no-prior", "--out", out) == hand
    for agent, field in {"random": "sample", "local_search": "descend"}.items():
        said = fails("run", "--suite", suite, "--agent", agent, "--out", out)
        assert said == NO_HARDNESS.format(f"{field}=...", f"let {agent} play it")
    assert fails(*build(out, "--certificates")) == NO_KNOWLEDGE.format("ranges=..., unknowns=...", "certify it")
    assert not out.exists()
    works("run", "--suite", suite, "--agent", "greedy", "--out", out, "--trials", "1")
    said = NO_KNOWLEDGE.format("ranges=..., unknowns=..., options=...", "judge what could be known")
    assert fails("judge", out) == said
    play = open_suite(suite).play(open_suite(suite).manifest.worlds[0].id)
    with pytest.raises(InputError, match="knapsack declares no hardness block"):
        play.reward("gain")
    assert play.reward("utility") == 0


def test_commands_note_what_a_partial_block_leaves_out(eight, tmp_path, monkeypatch):
    from algoworlds_knapsack import KNAPSACK

    monkeypatch.setitem(FAMILIES, "knapsack", replace(eight, knowledge=KNAPSACK.knowledge, hardness=KNAPSACK.hardness))
    suite, run = tmp_path / "suite", tmp_path / "run"
    works(*build(suite))
    works("run", "--suite", suite, "--agent", "random", "--out", run, "--trials", "1")
    judged = run_here("judge", run)
    assert judged.returncode == 0
    assert judged.stderr == "knapsack declares no unknowns: add Knowledge(unknowns=...) to judge what could be known\n"
    assert fails("attack", "--families", "knapsack", "--no-prior", "--out", tmp_path / "out") == (
        "knapsack declares no hand: add Hardness(hand=...) to attack it"
    )
    two = ("--families", "fleet_dispatch,knapsack", "--levels", "0", "--instances", "1", *SEED, "--certificates")
    built = run_here("build", "--out", tmp_path / "two", *two)
    assert built.returncode == 0
    assert built.stderr == (
        "knapsack declares no unknowns: add Knowledge(unknowns=...) to certify it; its worlds get no certificates\n"
    )


def test_family_check_lists_what_it_cannot_try_and_what_to_add(eight, monkeypatch):
    monkeypatch.setattr(holding, "DRAWN", 3)
    held = holding.hold("knapsack", "a seed for eight fields", 1, None, silent, levels=(0, 1))
    assert not held.breaches
    assert held.notes == {
        "Searches": "random decisions and descents: " + NO_HARDNESS.format("sample=..., descend=...", "check them"),
        "Admission": "blind solvers: " + NO_HARDNESS.format("blind=...", "refuse instances that they solve"),
        "Shortcut panel": "some shortcuts: "
        + NO_HARDNESS.format("blind=..., sample=..., descend=...", "count how often they are exact"),
        "Ranges": "any level: " + NO_KNOWLEDGE.format("ranges=...", "say when an optimum is known"),
        "Options": "any instance: " + NO_KNOWLEDGE.format("options=...", "say which decisions the facts seen allow"),
    }


@pytest.mark.parametrize("reference", [lambda family: lambda instance: instance.item, lambda family: best(family)])
def test_a_wrong_reference_is_named_without_the_blocks(eight, monkeypatch, reference):
    monkeypatch.setattr(holding, "DRAWN", 3)
    monkeypatch.setitem(FAMILIES, "knapsack", replace(eight, reference=reference(eight)))
    assert holding.hold("knapsack", "a seed for eight fields", 1, None, silent, levels=(0,)).breaches


def best(family):
    return lambda instance: family.solve(instance).decision


def test_a_hand_comes_with_what_attackers_start_from():
    with pytest.raises(DeclarationError, match="needs sample and descend"):
        Hardness(hand=lambda instance: None)


def test_a_family_needs_a_sense(eight):
    class Senseless(Instance, family="senseless"):
        item: Roster = roster()

    with pytest.raises(DeclarationError, match="its sense is missing: class Senseless"):
        replace(eight, instance=Senseless)
