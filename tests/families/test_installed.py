"""Families from outside: found by name, listed after ours, and never in the way of another, however broken."""

import json

import pytest

from algoworlds.families import FAMILIES
from algoworlds.suites.suite import default_suite
from tests.command import python, run
from tests.families.offering import clone, module, offer

TEN = list(FAMILIES)


def listed(folder):
    done = run("families", "--json", PYTHONPATH=str(folder))
    assert done.returncode == 0, done.stderr
    return [each["name"] for each in json.loads(done.stdout)], done.stderr.splitlines()


def test_an_installed_family_stands_after_the_ten(tmp_path):
    clone(tmp_path, "zebra")
    clone(tmp_path, "aardvark", "other")
    assert listed(tmp_path) == ([*TEN, "aardvark", "zebra"], [])
    assert "aardvark" in run("families", PYTHONPATH=str(tmp_path), COLUMNS="200").stdout


def test_a_family_that_nobody_asks_for_is_not_imported(tmp_path):
    module(tmp_path, "loud", "raise SystemExit('imported')")
    offer(tmp_path, "loud", "loud:FAMILY")
    code = "import algoworlds.cli; from algoworlds.families import family, names; family('fleet_dispatch'); print(names()[-1])"
    assert python(code, PYTHONPATH=str(tmp_path)).strip() == "loud"


def test_nothing_is_looked_for_while_only_ours_are_asked_for():
    code = "import sys, algoworlds; algoworlds.family('fleet_dispatch'); from algoworlds.families.installed import offers; "
    assert python(code + "print(offers.cache_info().currsize)").strip() == "0"


BROKEN = {
    "no_module": ("nowhere:FAMILY", "ModuleNotFoundError"),
    "no_value": ("json:FAMILY", "AttributeError"),
    "raising": ("raising:FAMILY", "ZeroDivisionError"),
    "leaving": ("leaving:FAMILY", "SystemExit"),
    "wrong": ("json:dumps", "is no Family but a function"),
    "misnamed": ("named_package:CLONE", "calls itself 'named'"),
}


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("broken")
    module(folder, "raising", "1 / 0")
    module(folder, "leaving", "raise SystemExit(3)")
    clone(folder, "named", "good")
    for name, (value, _) in BROKEN.items():
        offer(folder, name, value, f"faulty_{name}")
    return folder


def test_a_broken_family_is_a_line_that_names_its_distribution_and_hides_no_other(broken):
    names, problems = listed(broken)
    assert names == [*TEN, "named"]
    assert len(problems) == len(BROKEN)
    for line, (name, (_, problem)) in zip(problems, sorted(BROKEN.items()), strict=True):
        assert f"the family {name} of faulty_{name} 1.2" in line
        assert problem in line
        assert "repair the distribution or uninstall it" in line


def test_a_broken_family_asked_for_by_name_is_bad_input(broken):
    done = run("generate", "raising", "--level", "0", PYTHONPATH=str(broken))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "faulty_raising 1.2" in done.stderr


def test_no_family_takes_the_place_of_one_of_ours(tmp_path):
    module(tmp_path, "loud", "raise SystemExit('imported')")
    offer(tmp_path, "fleet_dispatch", "loud:FAMILY", "pretender")
    names, problems = listed(tmp_path)
    assert names == TEN
    assert problems == ["algoworlds: pretender 1.2 offers a family fleet_dispatch, which is one of the 10 built in: ignored"]
    code = "import algoworlds; print(algoworlds.family('fleet_dispatch').title)"
    assert python(code, PYTHONPATH=str(tmp_path)).strip() == "Fleet Dispatch"


def test_a_name_offered_twice_is_refused(tmp_path):
    clone(tmp_path, "twin", "first")
    offer(tmp_path, "twin", "twin_package:CLONE", "second")
    names, (problem,) = listed(tmp_path)
    assert names == TEN
    assert problem.endswith("is offered by several distributions (first 1.2, second 1.2): uninstall all but one")


def test_a_name_that_no_world_can_bear_is_ignored(tmp_path):
    odd = ("Big", "with-dash", "1st", "a" * 41, "ü")
    for name in odd:
        offer(tmp_path, name, "json:dumps")
    names, problems = listed(tmp_path)
    assert names == TEN
    assert len(problems) == len(odd)
    assert all("stranger 1.2 offers a family" in problem for problem in problems)


def test_an_unknown_family_is_answered_with_all_names(tmp_path):
    clone(tmp_path, "zebra")
    done = run("generate", "nonsense", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith("migration_portfolio, zebra")


def test_the_default_suite_is_data(tmp_path):
    """Its sealed description has the digest that the pinned manifest states, and no installed family can join it."""
    from algoworlds.core.canonical import canonical_text, digest
    from algoworlds.suites.manifest import pinned

    assert digest(canonical_text(default_suite().json) + "\n") == pinned().others["sealed/suite.json"]
    assert {entry.family for entry in pinned().worlds} == set(default_suite().families)
    clone(tmp_path, "zebra")
    code = """
from algoworlds.cli.release import chosen_suite
from algoworlds.families import FAMILIES, family, names
assert names()[-1] == "zebra"
FAMILIES["zebra"] = family("zebra")  # as if it were one of ours
suite = chosen_suite("default", None, None, None, 3, "direct,mediated")
print(suite.name, len(suite.coordinates) * len(suite.interfaces))
"""
    assert python(code, PYTHONPATH=str(tmp_path)).split() == ["default", "240"]
