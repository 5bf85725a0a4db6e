"""The commands work with the packages that the distribution requires, and nothing of its extras."""

import json
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.command import ROOT
from tests.json_schema import require_schema

START = """\
import sys
sys.path[:0] = {paths!r}
sys.argv = ["algoworlds", *{arguments!r}]
from algoworlds.__main__ import main
main()
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """An import path with the required packages alone, as in an environment without extras."""
    folder = tmp_path_factory.mktemp("bare")
    for name in required_packages("algoworlds", set()):
        for file in distribution(name).files or ():
            top, target = folder / file.parts[0], Path(str(distribution(name).locate_file(file.parts[0])))
            if ".." not in file.parts and file.suffix != ".pth" and not top.exists():
                top.symlink_to(target)
    return folder


def required_packages(name, seen):
    """`name` and all that it requires, without extras."""
    if name not in seen:
        seen.add(name)
        for requirement in distribution(name).requires or ():
            if "extra ==" not in requirement and not is_for_another_platform(requirement):
                required_packages(re.match(r"[A-Za-z0-9._-]+", requirement)[0], seen)
    return seen


def is_for_another_platform(requirement):
    return bool(re.search(r"(platform_system|sys_platform) *== *[\"'](Windows|win32)", requirement)) or (
        "python_version" in requirement and bool(re.search(r"python_version *< *[\"']3\.1[01]", requirement))
    )


def run_bare(site, *arguments):
    """Run the command line with `site` and the sources as the only import path besides the standard library."""
    code = START.format(paths=[str(site), str(ROOT / "src")], arguments=list(map(str, arguments)))
    return subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, cwd=site, check=False)


def test_extras_are_missing(site):
    code = f"import sys; sys.path[:0] = [{str(site)!r}]; import numpy, numba, typer, rich"
    subprocess.run([sys.executable, "-S", "-c", code], check=True)
    for extra in ("jinja2", "matplotlib", "sklearn", "ortools", "distributed", "openai", "pytest"):
        code = f"import sys; sys.path[:0] = [{str(site)!r}]; import {extra}"
        done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False)
        assert f"No module named '{extra}'" in done.stderr, extra


def test_demo_works_and_names_the_missing_extra(site, tmp_path):
    done = run_bare(site, "demo", "--jobs", 1, "--json", "--out", tmp_path / "report", "--no-open")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    require_schema("demo", document)
    assert [optimum["footing"] for optimum in document["optima"]] == ["justified", "lucky"]
    assert (document["report"], document["evaluation"]) == (None, None)
    lines = [line for line in done.stderr.splitlines() if "pip install" in line]
    assert lines == ["Without the report and its agents: reports need an extra: pip install 'algoworlds[report]'"]
    assert "algoworlds play fleet_dispatch-1-1" in " ".join(done.stderr.split())
    assert not (tmp_path / "report").exists()


@pytest.mark.full
def test_full_demo_proves_the_suite_without_the_report(site, tmp_path):
    done = run_bare(site, "demo", "--full", "--json", "--out", tmp_path / "report")
    assert done.returncode == 0, done.stderr
    assert all(row["count"] == row["passed"] for row in json.loads(done.stdout)["validation"])


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("report", "run", "--out", "report"), "report"),
        (("attack", "--out", "hardness"), "attack"),
        (("serve", "suite", "--out", "run"), "mcp"),
        (("stream", "--out", "worlds.parquet", "--count", "1"), "hf"),
        (("verify", "suite", "--executor", "dask://localhost:1"), None),
    ],
)
def test_other_commands_name_their_extra(site, words, extra):
    done = run_bare(site, *words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert extra is None or f"pip install 'algoworlds[{extra}]'" in done.stderr
