"""Every command and block of code in README.md is executed; every link has a target."""

import json
import re
import shlex
import tomllib
from functools import cache

import pytest

from algoworlds.families import FAMILIES
from tests.cli.test_cli import COMMANDS
from tests.command import ROOT, run_here
from tests.runs.model_runs import optimal_model
from tests.runs.server import KEY, Server

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SMALL = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "1", "--jobs", "1")
MORE = {"build": SMALL, "run": ("--trials", "1", "--concurrency", "1"), "judge": ("--jobs", "1"), "play": ("--json",)}
"""Options that make the work of a command small and change nothing else."""


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def commands():
    """The commands of all shell blocks in order, without comments."""
    lines = (re.sub(r"\s#.*", "", line).strip() for block in blocks("sh") for line in block.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def kind(line):
    first = line.split()[0]
    return first if first in ("make", "source", "export", "pip") else "algoworlds"


def test_every_line_is_of_a_known_kind():
    assert len(commands()) > 20
    assert all(shlex.split(line)[0] == "algoworlds" for line in commands() if kind(line) == "algoworlds")


def test_make_targets_exist():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    used = {line.split()[1] for line in commands() if kind(line) == "make"} | set(re.findall(r"`make ([a-z-]+)`", TEXT))
    assert {"demo", "test", "check"} <= used <= targets


def test_pip_extras_exist():
    used = [name for line in commands() if kind(line) == "pip" for name in re.search(r"\[(.*)\]", line)[1].split(",")]
    also = [name for line in re.findall(r"pip install .*# also: (.*)", TEXT) for name in line.split(", ")]
    extras = set(PROJECT["project"]["optional-dependencies"])
    assert set(used) <= extras
    assert {*used, *also} == extras - {"test", "check"}


def test_sourced_file_is_the_virtual_environment_of_make():
    assert {line.split()[-1] for line in commands() if kind(line) == "source"} == {".venv/bin/activate"}
    assert re.search(r"^VENV := \.venv$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert PROJECT["project"]["scripts"] == {"algoworlds": "algoworlds.__main__:main"}


def test_every_command_works_as_written(tmp_path, no_figures, monkeypatch):
    """In order, in one folder, as a reader types them; the model is a loopback server that plays the optimum."""
    from algoworlds.suites.open import open_suite

    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.setenv("MY_KEY", KEY)
    completed = []
    model = cache(lambda: optimal_model(open_suite(tmp_path / "suite")))
    with Server(lambda conversation: model()(conversation)) as server:
        (configuration,) = blocks("toml")
        fields = tomllib.loads(configuration)
        text = configuration.replace(fields["base_url"], f"{server.url}/v1").replace(fields["model"], "scripted-1")
        (tmp_path / "mine.toml").write_text(text)
        for line in (line for line in commands() if kind(line) == "algoworlds"):
            _, command, *rest = shlex.split(line)
            if _needs_mcp(command, rest):
                continue
            result = run_here(command, *rest, *MORE.get(command, ()), stdin="quit\n")
            assert result.returncode == 0, (line, result.stderr, result.stdout)
            completed.append(command)
    assert completed == ["play", "world", "families", "describe", "build", "probe", "run", "judge", "report", "run"]
    assert (tmp_path / "report" / "report.html").is_file()
    record = json.loads(next((tmp_path / "runs" / "mine" / "records").iterdir()).read_text())
    assert (record["exact"], record["configuration"]) == (1, "My model")


def _needs_mcp(command, rest):
    """Whether a command needs the extra `mcp`; tests/doors/mcp runs it in an environment of its own."""
    return command == "serve" or "--command" in rest


def test_options_of_commands_that_need_an_extra_exist():
    lines = [shlex.split(line)[1:] for line in commands() if kind(line) == "algoworlds"]
    mcp_commands = [(command, rest) for command, *rest in lines if _needs_mcp(command, rest)]
    assert [command for command, _ in mcp_commands] == ["run", "serve"]
    for command, rest in mcp_commands:
        options = {option for param in COMMANDS[(command,)].params for option in param.opts}
        assert {word for word in rest if word.startswith("--")} <= options


def test_python_session_runs(capsys):
    (session,) = blocks("python")
    exec(compile(session, "README.md", "exec"), {})
    output = capsys.readouterr().out
    assert "'exact': 1" in output
    assert '"records"' in output


def test_json_instance_is_solved():
    (instance,) = blocks("json")
    result = json.loads(run_here("solve", "-", "--verify", "--json", stdin=instance).stdout)
    assert (result["value"], result["verified"]) == (16, True)


def test_table_of_commands_is_complete():
    rows = re.findall(r"^\| ((?:`[a-z -]+`(?:, )?)+) \|", TEXT, re.MULTILINE)
    listed_commands = {tuple(words.split()) for row in rows for words in re.findall(r"`([^`]+)`", row)}
    assert {words[0] for words in listed_commands} == {words[0] for words in COMMANDS}


def test_table_of_families_is_complete():
    rows = re.findall(r"^\| \[([^\]]+)\]\(src/algoworlds/families/(\w+)/README\.md\) \|.*\| (min|max) \|$", TEXT, re.MULTILINE)
    assert rows == [(family.title, name, family.sense.value) for name, family in FAMILIES.items()]


def test_links_for_the_package_index_are_absolute():
    """The README that the build writes for a package index has no link into the repository."""
    (rule,) = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]
    text = re.sub(rule["pattern"], rule["replacement"], TEXT)
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    assert all(link.startswith("https://") for link in links)
    assert "Evaluating models tells the protocol" in " ".join(text.split())


@pytest.mark.parametrize("author", ["Zixiang Xu", "Jiaan Wang", "Fandong Meng"])
def test_paper_and_authors_are_named(author):
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    given_name, family_name = author.split()
    title = "AlgoWorlds: Benchmarking Tool Use for Global Optimization in Algorithmic Worlds"
    assert TEXT.count(author) == 2
    assert TEXT.count(title) == 2
    assert title in citation
    assert f"family-names: {family_name}\n        given-names: {given_name}" in citation
