"""The example family, installed as its own distribution, in every command; `family new` and `family check`."""

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.command import ROOT, python, run, run_here
from tests.drawing import without_figures
from tests.families.distributions import offer_family

EXAMPLE = ROOT / "examples" / "knapsack" / "src"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """An import path on which a distribution offers the example, as after an installation."""
    folder = tmp_path_factory.mktemp("site")
    offer_family(folder, "knapsack", "algoworlds_knapsack:KNAPSACK", "algoworlds_knapsack")
    return f"{folder}:{EXAMPLE}"


def run_ok(run, *arguments, **more):
    """The output of a command that must succeed."""
    done = run(*arguments, **more)
    assert done.returncode == 0, (arguments, done.stderr)
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def ok(site):
    return partial(run_ok, run, PYTHONPATH=site)


def every_command(home, jobs):
    """Run all commands on the example, which must be on the import path, in this process."""
    ok, tmp_path = partial(run_ok, run_here), Path(home)
    suite, greedy, oracle = tmp_path / "suite", tmp_path / "greedy", tmp_path / "oracle"
    instance = ok("generate", "knapsack", "--level", "0")
    solved = json.loads(ok("solve", "-", "--verify", "--json", stdin=instance))
    assert solved["verified"]
    assert solved["unique"]
    assert "read_crate" in ok("world", "show", "knapsack-0-1-mediated")
    assert "charged 3  budget left" in ok("play", "knapsack-0-1", stdin="read_crate C1\nquit\n")
    options = ("--families", "knapsack", "--levels", "1", "--instances", "1", "--seed", "a long seed for an eleventh")
    ok("build", "--out", suite, *options, "--jobs", jobs)
    ok("verify", suite)
    passed = json.loads(ok("validate", suite, "--json"))
    assert not passed["failures"]
    assert {"Shortcut panel", "Leak audit"} <= {claim["row"] for claim in passed["validation"]}
    assert "knapsack, 3 groups of information\n" in ok("stats", suite)
    ok("run", suite, "--agent", "greedy", "--out", greedy, "--concurrency", "2")
    ok("run", suite, "--agent", "oracle", "--out", oracle)
    records = [json.loads(line) for line in ok("records", oracle).splitlines()]
    assert {(record["family"], record["exact"]) for record in records} == {("knapsack", 1)}
    ok("verify-run", oracle)
    ok("rescore", oracle)
    assert "undefined" in ok("judge", oracle, greedy)  # it declares no unknowns
    with without_figures():
        ok("report", greedy, oracle, "--out", tmp_path / "report")
    assert "Crate Knapsack" in (tmp_path / "report" / "report.html").read_text()


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.full)])
def test_eleventh_family_works_in_every_command(ok, site, tmp_path, jobs):
    """All commands but the first share a process, because starting Python takes longer than most of them."""
    assert json.loads(ok("families", "--json"))[-1]["name"] == "knapsack"
    python(f"from tests.cli.test_eleventh import every_command\nevery_command({str(tmp_path)!r}, {jobs})", PYTHONPATH=site)


def test_suite_of_missing_family_names_it(ok, tmp_path):
    options = ("--families", "knapsack", "--levels", "0", "--instances", "1", "--seed", "a long seed for an eleventh")
    ok("build", "--out", tmp_path / "suite", *options)
    done = run("validate", tmp_path / "suite")
    assert done.returncode == 2
    assert done.stderr.startswith("algoworlds: there is no family 'knapsack'; choose from")
    assert done.stderr.count("\n") == 1


def test_family_check_prints_contracts(ok):
    report = json.loads(ok("family", "check", "knapsack", "--levels", "0", "--instances", "1", "--json"))
    assert not report["failures"]
    assert {"contract": "Brute force", "count": 200, "passed": 200} in report["contracts"]


def test_family_check_prints_one_line_per_broken_contract(tmp_path):
    (tmp_path / "faulty.py").write_text(
        "from dataclasses import replace\n"
        "from algoworlds_knapsack import KNAPSACK\n"
        "def verify(instance):\n"
        "    solution = KNAPSACK.verify(instance)\n"
        "    return replace(solution, value=solution.value + 1)\n"
        "FAULTY = replace(KNAPSACK, verify=verify)\n"
    )
    offer_family(tmp_path, "knapsack", "faulty:FAULTY", "faulty")
    options = ("--levels", "0", "--instances", "1", "--seed", "seven")
    done = run("family", "check", "knapsack", *options, PYTHONPATH=f"{tmp_path}:{EXAMPLE}")
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert lines[0].startswith("Brute force: tiny 0, seed seven: verify finds ")
    assert lines[0].endswith("(and 199 more)")
    assert any(line.startswith("Certificate: knapsack-0-1-") and " (level 0), seed seven: " in line for line in lines)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("check", "nonsense"), "there is no family 'nonsense'"),
        (("check", "fleet_dispatch", "--instances", "0"), "--instances must be at least 1, not 0"),
        (("check", "fleet_dispatch", "--levels", "x"), "--levels takes numbers"),
        (("new", "Bad-Name"), "is not a family name"),
        (("new", "fleet_dispatch"), "is a built-in family"),
        (("new", "fine", "--out", "."), "is not an empty directory"),
        (("new", "fine", "--out", "/proc/nowhere/fine"), "cannot write"),
    ],
)
def test_bad_input_is_one_line(arguments, problem):
    done = run_here("family", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr
    assert done.stderr.count("\n") == 1


def test_new_family_passes_every_contract(tmp_path):
    """It is offered, checked on every level, and passes its own tests; so does it with the optional blocks of its README."""
    home = tmp_path / "new"
    written = json.loads(run_here("family", "new", "odd_jobs", "--out", home, "--json").stdout)
    assert "src/algoworlds_odd_jobs/solve.py" in written["files"]
    assert 'odd_jobs = "algoworlds_odd_jobs:ODD_JOBS"' in (home / "pyproject.toml").read_text()
    offer_family(tmp_path / "site", "odd_jobs", "algoworlds_odd_jobs:ODD_JOBS", "algoworlds_odd_jobs")
    place = {"PYTHONPATH": f"{tmp_path / 'site'}:{home / 'src'}", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    report = json.loads(run("family", "check", "odd_jobs", "--instances", "1", "--json", **place).stdout)
    assert report["failures"] == []
    assert len(report["contracts"]) > 20
    assert report["not_tried"].keys() == {"Searches", "Admission", "Shortcut panel", "Ranges", "Options", "Scale"}
    assert all(": add Family(" in note for note in report["not_tried"].values())
    assert run_here("family", "new", "odd_jobs", "--out", home).returncode == 2
    tests = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", home, home / "tests"],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **place},
        cwd=home,
    )
    assert tests.returncode == 0, tests.stdout
    add_optional_fields(home)
    report = json.loads(run("family", "check", "odd_jobs", "--levels", "0,1", "--instances", "1", "--json", **place).stdout)
    assert (report["failures"], report["not_tried"].keys()) == ([], {"Scale"})
    assert {"contract": "Brute force", "count": 200, "passed": 200} in report["contracts"]


def add_optional_fields(home):
    """Follow the README of a new family: add its optional blocks."""
    package = home / "src" / "algoworlds_odd_jobs"
    _, code, _ = (home / "README.md").read_text().replace("```python", "```").split("```")
    (package / "blocks.py").write_text(code)
    text = (package / "__init__.py").read_text()
    fields = "tiny=tiny, hardness=HARDNESS, knowledge=KNOWLEDGE"
    assert fields in (home / "README.md").read_text()
    declared = text.replace("template=TEMPLATE,", f"template=TEMPLATE, {fields},")
    (package / "__init__.py").write_text(f"from algoworlds_odd_jobs.blocks import HARDNESS, KNOWLEDGE, tiny\n{declared}")
