"""Installed families: found by name, listed after the built-in ones, and never blocking another one, however broken."""

import json

import pytest

from algoworlds.families import FAMILIES
from algoworlds.suites.suite import default_suite
from tests.command import python, run
from tests.families.distributions import install_clone, install_module, offer_family

TEN = list(FAMILIES)


def list_families(folder):
    done = run("families", "--json", PYTHONPATH=str(folder))
    assert done.returncode == 0, done.stderr
    return [family["name"] for family in json.loads(done.stdout)], done.stderr.splitlines()


def test_installed_families_are_listed_after_the_ten(tmp_path):
    install_clone(tmp_path, "zebra")
    install_clone(tmp_path, "aardvark", "other")
    assert list_families(tmp_path) == ([*TEN, "aardvark", "zebra"], [])
    assert "aardvark" in run("families", PYTHONPATH=str(tmp_path), COLUMNS="200").stdout


def test_unused_installed_family_is_not_imported(tmp_path):
    install_module(tmp_path, "loud", "raise SystemExit('imported')")
    offer_family(tmp_path, "loud", "loud:FAMILY")
    code = "import algoworlds.cli; from algoworlds.families import family_names, load_family; load_family('fleet_dispatch'); "
    assert python(code + "print(family_names()[-1])", PYTHONPATH=str(tmp_path)).strip() == "loud"


def test_entry_points_are_not_read_for_built_in_families():
    code = "import algoworlds; algoworlds.load_family('fleet_dispatch'); from algoworlds import families; "
    assert python(code + "print(families.offered_families.cache_info().currsize)").strip() == "0"


BROKEN = {
    "no_module": ("nowhere:FAMILY", "ModuleNotFoundError"),
    "no_value": ("json:FAMILY", "AttributeError"),
    "raising": ("raising:FAMILY", "ZeroDivisionError"),
    "leaving": ("leaving:FAMILY", "SystemExit"),
    "wrong": ("json:dumps", "is not a Family but a function"),
    "misnamed": ("named_package:CLONE", "calls itself 'named'"),
}


@pytest.fixture(scope="module")
def broken_site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("broken")
    install_module(folder, "raising", "1 / 0")
    install_module(folder, "leaving", "raise SystemExit(3)")
    install_clone(folder, "named", "good")
    for name, (value, _) in BROKEN.items():
        offer_family(folder, name, value, f"faulty_{name}")
    return folder


def test_broken_family_is_one_line_and_hides_no_other(broken_site):
    names, problems = list_families(broken_site)
    assert names == [*TEN, "named"]
    assert len(problems) == len(BROKEN)
    for line, (name, (_, problem)) in zip(problems, sorted(BROKEN.items()), strict=True):
        assert f"the family {name} of faulty_{name} 1.2" in line
        assert problem in line
        assert "repair the distribution or uninstall it" in line


def test_broken_family_requested_by_name_is_bad_input(broken_site):
    done = run("generate", "raising", "--level", "0", PYTHONPATH=str(broken_site))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "faulty_raising 1.2" in done.stderr


def test_installed_family_cannot_replace_a_built_in_one(tmp_path):
    install_module(tmp_path, "loud", "raise SystemExit('imported')")
    offer_family(tmp_path, "fleet_dispatch", "loud:FAMILY", "pretender")
    names, problems = list_families(tmp_path)
    assert names == TEN
    assert problems == ["algoworlds: pretender 1.2 offers a family fleet_dispatch, which is one of the 10 built in: ignored"]
    code = "import algoworlds; print(algoworlds.load_family('fleet_dispatch').title)"
    assert python(code, PYTHONPATH=str(tmp_path)).strip() == "Fleet Dispatch"


def test_rejects_name_offered_twice(tmp_path):
    install_clone(tmp_path, "twin", "first")
    offer_family(tmp_path, "twin", "twin_package:CLONE", "second")
    names, (problem,) = list_families(tmp_path)
    assert names == TEN
    assert problem.endswith("is offered by several distributions (first 1.2, second 1.2): uninstall all but one")


def test_ignores_invalid_family_names(tmp_path):
    odd = ("Big", "with-dash", "1st", "a" * 41, "ü")
    for name in odd:
        offer_family(tmp_path, name, "json:dumps")
    names, problems = list_families(tmp_path)
    assert names == TEN
    assert len(problems) == len(odd)
    assert all("stranger 1.2 offers a family" in problem for problem in problems)


def test_unknown_family_error_lists_all_names(tmp_path):
    install_clone(tmp_path, "zebra")
    done = run("generate", "nonsense", PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith("migration_portfolio, zebra")


def test_default_suite_is_fixed_data(tmp_path):
    """Its sealed description has the digest of the pinned manifest, and no installed family can join it."""
    from algoworlds.core.canonical import canonical_json, sha256_hex
    from algoworlds.suites.manifest import default_manifest

    assert sha256_hex(canonical_json(default_suite().json) + "\n") == default_manifest().suite_files["sealed/suite.json"]
    assert {entry.family for entry in default_manifest().worlds} == set(default_suite().families)
    install_clone(tmp_path, "zebra")
    code = """
from algoworlds.cli.build import suite_from_options
from algoworlds.families import FAMILIES, family_names, load_family
assert family_names()[-1] == "zebra"
FAMILIES["zebra"] = load_family("zebra")  # as if it were built in
suite = suite_from_options("default", None, None, None, 3, "direct,mediated", False)
print(suite.name, len(suite.coordinates) * len(suite.interfaces))
"""
    assert python(code, PYTHONPATH=str(tmp_path)).split() == ["default", "240"]
