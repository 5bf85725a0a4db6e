"""README word for word: every command of it is run, every block of code is executed, every link leads somewhere."""

import json
import re
import shlex
import tomllib
from functools import cache

import pytest

from algoworlds.families import FAMILIES
from tests.cli.test_cli import COMMANDS
from tests.command import ROOT, run_here
from tests.runs.play import optimal
from tests.runs.server import KEY, Server

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SMALL = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "1", "--jobs", "1")
MORE = {"build": SMALL, "run": ("--trials", "1", "--concurrency", "1"), "judge": ("--jobs", "1"), "play": ("--json",)}
"""Options that make a command's work small, and nothing else of it different."""


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def orders():
    """The commands of all shell blocks in their order, without comments."""
    lines = (re.sub(r"\s#.*", "", line).strip() for block in blocks("sh") for line in block.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def kind(line):
    first = line.split()[0]
    return first if first in ("make", "source", "export", "pip") else "algoworlds"


def test_every_line_is_one_that_is_known_here():
    assert len(orders()) > 20
    assert all(shlex.split(line)[0] == "algoworlds" for line in orders() if kind(line) == "algoworlds")


def test_make_knows_what_is_asked_of_it():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    asked = {line.split()[1] for line in orders() if kind(line) == "make"} | set(re.findall(r"`make ([a-z-]+)`", TEXT))
    assert {"demo", "test", "check"} <= asked <= targets


def test_pip_is_asked_for_extras_that_there_are():
    asked = [name for line in orders() if kind(line) == "pip" for name in re.search(r"\[(.*)\]", line)[1].split(",")]
    also = [name for line in re.findall(r"pip install .*# also: (.*)", TEXT) for name in line.split(", ")]
    extras = set(PROJECT["project"]["optional-dependencies"])
    assert set(asked) <= extras
    assert {*asked, *also} == extras - {"test", "check"}


def test_what_is_sourced_is_what_make_makes():
    assert {line.split()[-1] for line in orders() if kind(line) == "source"} == {".venv/bin/activate"}
    assert re.search(r"^VENV := \.venv$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert PROJECT["project"]["scripts"] == {"algoworlds": "algoworlds.__main__:main"}


def test_every_command_works_as_it_stands(tmp_path, unillustrated, monkeypatch):
    """In their order, in one folder, as a reader types them; the model is one on loopback that plays the optimum."""
    from algoworlds.suites.opened import open_suite

    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.setenv("MY_KEY", KEY)
    ran = []
    model = cache(lambda: optimal(open_suite(tmp_path / "suite")))
    with Server(lambda conversation: model()(conversation)) as server:
        (configuration,) = blocks("toml")
        given = tomllib.loads(configuration)
        text = configuration.replace(given["base_url"], f"{server.url}/v1").replace(given["model"], "scripted-1")
        (tmp_path / "mine.toml").write_text(text)
        for line in (each for each in orders() if kind(each) == "algoworlds"):
            _, command, *rest = shlex.split(line)
            if _through_mcp(command, rest):
                continue
            done = run_here(command, *rest, *MORE.get(command, ()), stdin="quit\n")
            assert done.returncode == 0, (line, done.stderr, done.stdout)
            ran.append(command)
    assert ran == ["play", "world", "families", "describe", "build", "probe", "run", "judge", "report", "run"]
    assert (tmp_path / "report" / "report.html").is_file()
    record = json.loads(next((tmp_path / "runs" / "mine" / "records").iterdir()).read_text())
    assert (record["exact"], record["configuration"]) == (1, "My model")


def _through_mcp(command, rest):
    """Whether a command needs an extra, in whose own environment tests/doors/mcp runs it."""
    return command == "serve" or "--command" in rest


def test_commands_that_need_an_extra_are_asked_for_options_that_they_have():
    lines = [shlex.split(line)[1:] for line in orders() if kind(line) == "algoworlds"]
    apart = [(command, rest) for command, *rest in lines if _through_mcp(command, rest)]
    assert [command for command, _ in apart] == ["run", "serve"]
    for command, rest in apart:
        known = {option for each in COMMANDS[(command,)].params for option in each.opts}
        assert {word for word in rest if word.startswith("--")} <= known


def test_the_session_in_python_runs(capsys):
    (session,) = blocks("python")
    exec(compile(session, "README.md", "exec"), {})
    told = capsys.readouterr().out
    assert "'exact': 1" in told
    assert '"records"' in told


def test_the_instance_of_your_own_is_solved():
    (instance,) = blocks("json")
    result = json.loads(run_here("solve", "-", "--verify", "--json", stdin=instance).stdout)
    assert (result["value"], result["verified"]) == (16, True)


def test_the_table_of_commands_is_that_of_the_package():
    rows = re.findall(r"^\| ((?:`[a-z -]+`(?:, )?)+) \|", TEXT, re.MULTILINE)
    named = {tuple(words.split()) for row in rows for words in re.findall(r"`([^`]+)`", row)}
    assert {words[0] for words in named} == {words[0] for words in COMMANDS}


def test_the_table_of_families_is_that_of_the_package():
    listed = re.findall(
        r"^\| \[([^\]]+)\]\(src/algoworlds/families/(\w+)/README\.md\) \|.*\| (min|max) \|$", TEXT, re.MULTILINE
    )
    assert listed == [(each.title, name, each.sense.value) for name, each in FAMILIES.items()]


def test_links_of_the_package_index_all_lead_somewhere():
    """What the build makes of README for an index has no link into the repository."""
    (rule,) = PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]
    made = re.sub(rule["pattern"], rule["replacement"], TEXT)
    links = re.findall(r"\]\(([^)]+)\)", made)
    assert links
    assert all(link.startswith("https://") for link in links)
    assert "Evaluating models tells the protocol" in " ".join(made.split())


@pytest.mark.parametrize("author", ["Zixiang Xu", "Jiaan Wang", "Fandong Meng"])
def test_the_paper_is_named_with_its_authors(author):
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    given, family = author.split()
    title = "AlgoWorlds: Benchmarking Tool Use for Global Optimization in Algorithmic Worlds"
    assert TEXT.count(author) == 2
    assert TEXT.count(title) == 2
    assert title in citation
    assert f"family-names: {family}\n        given-names: {given}" in citation
