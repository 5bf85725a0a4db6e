"""The command line as users see it: help, JSON, and one line for every mistake (F10)."""

import json
import re
from pathlib import Path

import pytest
import typer

from algoworlds.cli import SECTIONS, app
from algoworlds.families import FAMILIES
from tests.certified import certified_instance
from tests.command import COMMAND, python, run, run_here
from tests.json_schema import require_schema


def ok(*arguments, start=run_here, **options):
    """Standard output of a command that succeeds."""
    done = start(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def instance_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "instance.json"
    path.write_text(ok("generate", "fleet_dispatch", "--level", "0", "--index", "2"))
    return str(path)


def commands(group, *before):
    """Every command of `group` by the words that call it."""
    for name, command in group.commands.items():
        yield from commands(command, *before, name) if hasattr(command, "commands") else [((*before, name), command)]


COMMANDS = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_has_an_example_and_json(words):
    text = run_here(*words, "--help").stdout
    assert f"Example: algoworlds {' '.join(words)}" in text
    assert "--json" in text


def test_main_commands_exist():
    assert {"demo", "families", "generate", "solve", "play", "build", "validate", "verify", "stats", "run", "report"} < {
        words[0] for words in COMMANDS
    }
    assert ("world", "show") in COMMANDS


GROUPS = sorted({words[:-1] for words in COMMANDS})


@pytest.mark.parametrize("group", GROUPS, ids=lambda words: " ".join(words) or "algoworlds")
def test_group_without_command_prints_whole_help(group):
    done = run_here(*group, COLUMNS="80")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", run_here(*group, "-h", COLUMNS="80").stdout)
    assert done.stdout.startswith(f"Usage: {' '.join(('algoworlds', *group))} [OPTIONS] COMMAND")
    assert "..." not in done.stdout.partition("-h, --help" if group == () else "Commands:")[2]
    for words, command in COMMANDS.items():
        if words[:-1] == group:
            assert " ".join(command.help.partition("\n\n")[0].split()) in " ".join(done.stdout.split())


def test_help_lists_commands_by_section():
    text = run_here("--help").stdout
    sections = {section: [command.__name__ for command, _ in commands] for section, commands in SECTIONS.items() if commands}
    assert len(sections) == 6
    for section, names in sections.items():
        lines = text.split(f"\n{section}:\n", 1)[1].split("\n\n", 1)[0].splitlines()
        listed = [line.split()[0].replace("-", "_") for line in lines if re.match(r"  \S", line)]
        assert listed[: len(names)] == names
    assert sum(text.count(f"\n{section}:\n") for section in sections) == 6


def test_python_module_runs_the_command():
    done = python(
        "import runpy, sys; sys.argv = ['algoworlds', '--version']; runpy.run_module('algoworlds', run_name='__main__')"
    )
    assert done == ok("--version")


def test_shell_completes_commands():
    environment = {"_ALGOWORLDS_COMPLETE": "complete_bash", "COMP_WORDS": "algoworlds verify", "COMP_CWORD": "1"}
    assert ok(**environment).split() == ["verify", "verify-run"]
    assert "--install-completion" in ok()


def test_families_lists_all_families():
    assert [family["name"] for family in json.loads(ok("families", "--json", start=run))] == list(FAMILIES)
    assert all(name in ok("families", COLUMNS="200") for name in FAMILIES)


def test_generate_prints_the_admitted_instance(instance_file):
    admitted = certified_instance("fleet_dispatch", 0, 2)
    assert Path(instance_file).read_text().strip() == admitted.instance.canonical_json
    assert (
        ok("generate", "fleet_dispatch", "--level", "0", "--index", "2", "--seed", "other") != Path(instance_file).read_text()
    )


@pytest.mark.parametrize("hash_seed", ["1", *(pytest.param(seed, marks=pytest.mark.full) for seed in ("0", "random"))])
def test_same_bytes_under_any_hash_seed(instance_file, hash_seed):
    text = ok("generate", "fleet_dispatch", "--level", "0", "--index", "2", "--json", start=run, PYTHONHASHSEED=hash_seed)
    assert text == Path(instance_file).read_text()


def test_solve_prints_value_decision_and_work(instance_file):
    admitted = certified_instance("fleet_dispatch", 0, 2)
    result = json.loads(ok("solve", instance_file, "--verify", "--json"))
    assert result["value"] == admitted.optimum == sum(result["parts"].values())
    assert result["decision"] == {"assignment": admitted.solution.decision}
    assert (result["unique"], result["verified"], result["work"]["total"]) == (True, True, admitted.solution.work.total)
    text = ok("solve", "-", "--verify", stdin=Path(instance_file).read_text())
    assert f"{admitted.optimum:,}" in text
    assert "verification: agrees" in text


def test_solve_reports_infeasible_instance(tmp_path):
    path = tmp_path / "tables.json"
    tables = {"vehicle": ["v"], "job": ["j"], "capacity": {"v": 0}, "activation": {"v": 1}, "load": {"j": 1}}
    path.write_text(json.dumps({"family": "fleet_dispatch", **tables, "route_cost": {"v": {"j": 4}}}))
    assert json.loads(ok("solve", str(path), "--verify", "--json"))["feasible"] is False
    assert "no decision satisfies the constraints" in ok("solve", str(path))


def corridor(zones, reach):
    """A corridor of zones that is easy to solve but expensive to verify."""
    names = [f"z{number}" for number in range(zones)]
    sites = {zone: {f"{zone}.{option}": option for option in (0, 1)} for zone in names}
    need = {"from_zone": "z0", "from_site": "z0.1", "to_zone": f"z{reach}", "to_site": f"z{reach}.1", "reward": 5}
    rosters = {"zone": names, "site": [site for options in sites.values() for site in options], "demand": ["d"]}
    return {
        "family": "station_siting",
        **rosters,
        "need": {"d": need},
        "option": sites,
        "cost": sites,
        "limit": zones,
        "span": reach,
    }


def test_solve_too_large_to_verify_exits_with_3():
    done = run_here("solve", "-", "--verify", "--json", stdin=json.dumps(corridor(200, 18)))
    result = json.loads(done.stdout)
    assert (done.returncode, result["value"], result["verified"]) == (3, 3, None)
    assert "of memory, more than the limit of 4 GiB" in result["unverified"]
    text = run_here("solve", "-", "--verify", stdin=json.dumps(corridor(200, 18)))
    assert (text.returncode, "largest value 3" in text.stdout) == (3, True)
    assert "verification: not made, the exact algorithm would need" in text.stdout
    assert "3 solved, but too large to verify" in " ".join(run_here("solve", "--help").stdout.split())
    assert run_here("solve", "-", "--verify", stdin=json.dumps(corridor(20, 8))).returncode == 0


def test_file_names_bring_no_terminal_escapes(tmp_path):
    suite = tmp_path / "\x1b]0;title\x07suite\x1b[31m"
    small = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "1", "--seed", "a seed that nobody guesses, ever")
    done = run_here("build", "--out", suite, *small)
    assert (done.returncode, "\x1b" in done.stdout, "2 worlds in" in done.stdout) == (0, False, True)
    (suite / "worlds" / "odd\x1b[31m").write_text("")
    checked = run_here("verify", suite)
    assert (checked.returncode, "\x1b" in checked.stderr, "odd" in checked.stderr) == (1, False, True)


def test_world_show_prints_exactly_what_an_agent_sees():
    direct = json.loads(ok("world", "show", "fleet_dispatch-0-1", "--json"))
    mediated = json.loads(ok("world", "show", "fleet_dispatch-0-1-mediated", "--json"))
    assert direct == mediated
    assert set(direct) == {"question", "tools"}
    assert direct["question"] in ok("world", "show", "fleet_dispatch-0-1")


def test_play_scores_against_the_certified_optimum():
    admitted = certified_instance("fleet_dispatch", 0, 1)
    moves = "read_fleet_policy\nread_job J1\nread_dispatch_window J1 3\nnonsense\nsubmit_assignment "
    decision = json.dumps({"assignment": admitted.solution.decision})
    result = json.loads(ok("play", "fleet_dispatch-0-1", "--json", stdin=moves + decision + "\n"))
    assert (result["exact"], result["utility"], result["executed_calls"], result["attempted_calls"]) == (1, 100.0, 3, 4)
    jobs, vehicles = admitted.instance.job, admitted.instance.vehicle
    names = {item: f"J{number}" for number, item in enumerate(jobs, 1)}
    names |= {item: f"V{number}" for number, item in enumerate(vehicles, 1)}
    pairs = " ".join(f"{names[job]}={names[vehicle]}" for job, vehicle in admitted.solution.decision.items())
    text = ok("play", "fleet_dispatch-0-1", stdin=f"submit_assignment {pairs}\n")
    assert "globally optimal" in text
    assert "no decision" in ok("play", "fleet_dispatch-0-1", stdin="quit\n")


def test_demo_shows_one_world_and_opens_its_evaluation(tmp_path, no_figures, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    out = tmp_path / "report"
    done = run_here("demo", "--jobs", 1, "--json", "--open", "--out", out, COLUMNS="80")
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stderr.split())
    for words in (
        "eligible ....",
        "read_job J1 -1 budget 94 known 16 %",
        "budget 46 known 100 %",
        "certified: two exact algorithms",
    ):
        assert words in text
    document = json.loads(done.stdout)
    require_schema("demo", document)
    (greedy,) = document["agents"]
    assert (greedy["exact"], greedy["coverage"], greedy["optimum"]) == (
        0,
        1.0,
        certified_instance("fleet_dispatch", 1, 1).optimum,
    )
    assert f"objective {greedy['objective']:,} {greedy['optimum']:,}" in text
    assert [(optimum["footing"], optimum["exact"]) for optimum in document["optima"]] == [("justified", 1), ("lucky", 1)]
    assert "lucky: It guessed right: with what it had read, another decision could have been better by up to" in text
    address = f"{(out / 'report.html').as_uri()}#evaluation=greedy%2Ffleet_dispatch-1-1-direct%2F1"
    assert (opened, document["evaluation"]) == ([address], address)
    assert all(len(line) <= 80 for line in done.stderr.splitlines() if str(tmp_path) not in line and COMMAND not in line)


def test_report_checks_its_extra_before_any_work(tmp_path, monkeypatch):
    def find_spec(name):
        return None if name == "matplotlib" else True

    monkeypatch.setattr("importlib.util.find_spec", find_spec)
    done = run_here("report", tmp_path / "run", "--out", tmp_path / "report")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "algoworlds: reports need an extra: pip install 'algoworlds[report]'\n"


def test_demo_animates_its_picture_on_a_terminal(monkeypatch):
    from rich.console import Console

    from algoworlds.cli import demo

    monkeypatch.setattr(demo, "SECONDS_PER_CALL", 0.0)
    console = Console(width=80, force_terminal=True, color_system=None, record=True, highlight=False)
    demo._one_world(console, False)
    text = console.export_text()
    assert "activation   #####\n" in text
    assert "46 of 97 left" in text


@pytest.mark.full
def test_full_demo_prints_every_section(tmp_path):
    done = run("demo", "--full", "--jobs", 2, "--json", "--out", tmp_path / "report", COLUMNS="120")
    assert done.returncode == 0, done.stderr
    for text in ("Response isolation", "Seven scripted agents", str(tmp_path / "report" / "report.html")):
        assert text in done.stderr
    document = json.loads(done.stdout)
    results = document["agents"]
    assert all(row["count"] == row["passed"] for row in document["validation"])
    assert {result["agent"]: result["exact"] for result in results} == {"oracle": 1, "greedy": 0}
    assert all(result["coverage"] == 1 for result in results)
    assert [(optimum["footing"], optimum["exact"]) for optimum in document["optima"]] == [("justified", 1), ("lucky", 1)]
    assert document["optima"][1]["witness"]["cells"]
    assert "It guessed right: with what it had read, another decision could have been better by up to" in " ".join(
        done.stderr.split()
    )
    assert "Without the track code: programs need wasmtime" in done.stderr
    assert [(result["track"], result["agent"], result["exact"]) for result in document["tracks"]] == [("bare", "greedy", 0)]
    exact = {row[0]: float(row[1].split()[0]) for row in document["panel"]}
    expected = {"null": 0, "random": 0, "greedy": 0, "oracle": 100, "certifier": 100}
    assert exact == expected | {name: exact[name] for name in ("local_search", "thrifty")}
    assert (tmp_path / "report" / "report.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("solve", "nowhere.json"), "cannot read nowhere.json"),
        (("solve", "."), "cannot read ."),
        (("generate", "nonsense"), "there is no family 'nonsense'; choose from"),
        (("generate", "fleet_dispatch", "--level", "9"), "there is no level 9; choose one of 0, 1, 2, 3, 4"),
        (("generate", "fleet_dispatch", "--index", "-1"), "the index must be at least 1"),
        (("generate", "fleet_dispatch", "--index", "0"), "the index must be at least 1"),
        (("generate", "fleet_dispatch", "--level", "one"), "Invalid value for '--level'"),
        (("generate",), "Missing argument"),
        (("fly",), "No such command 'fly'"),
        (("world", "show", "fleet"), "is not a world id"),
        (("world", "show", "../x"), "is not a world id"),
        (("world", "show", "fleet_dispatch-9-1"), "there is no level 9"),
        (("world", "show", "fleet_dispatch-1-1-direct", "--interface", "mediated"), "leave one of them out"),
        (("world", "show", "fleet_dispatch-1-1", "--interface", "sideways"), "sideways"),
        (("play", "fleet_dispatch-1-0"), "the index must be at least 1"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, message):
    done = run_here(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not valid JSON"),
        ("{]", "not valid JSON"),
        ('{"family": "nonsense"}', "there is no family"),
        ('{"family": "fleet_dispatch"}', "is missing"),
        (json.dumps({"family": "fleet_dispatch", "vehicle": ["v"], "job": [], "capacity": {"v": 2**53}}), "is missing"),
    ],
)
def test_bad_instances_are_one_line_and_exit_code_2(text, message):
    done = run_here("solve", "-", stdin=text)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_rejects_values_too_large(instance_file):
    tables = json.loads(Path(instance_file).read_text())
    tables["offset"] = 2**53
    done = run_here("solve", "-", stdin=json.dumps(tables))
    assert (done.returncode, "too large" in done.stderr) == (2, True)


def test_rejects_binary_files(tmp_path):
    path = tmp_path / "binary.json"
    path.write_bytes(b"\xff\xfe\x00")
    done = run_here("solve", str(path))
    assert (done.returncode, "not UTF-8" in done.stderr) == (2, True)
