"""The command line as a user meets it: every command in a real process once, one line for every mistake (F10)."""

import json
from pathlib import Path

import pytest

from algoworlds.families import FAMILIES
from algoworlds.worlds.admit import Coordinate, admit
from tests.command import run, run_here


def ok(*arguments, start=run_here, **options):
    done = start(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def instance_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "instance.json"
    path.write_text(ok("generate", "fleet_dispatch", "--level", "0", "--index", "2", start=run))
    return str(path)


def test_every_command_has_help_with_an_example():
    listed = "demo families generate solve play build validate verify stats run probe status records verify-run rescore report"
    for command in (*listed.split(), "world show"):
        assert "Example: algoworlds" in ok(*command.split(), "--help")


def test_families_lists_all():
    assert [each["name"] for each in json.loads(ok("families", "--json", start=run))] == list(FAMILIES)
    assert all(name in ok("families", COLUMNS="200") for name in FAMILIES)


def test_generate_prints_the_admitted_instance(instance_file):
    admitted = admit(Coordinate("fleet_dispatch", 0, 2))
    assert Path(instance_file).read_text().strip() == admitted.instance.text
    assert (
        ok("generate", "fleet_dispatch", "--level", "0", "--index", "2", "--seed", "other") != Path(instance_file).read_text()
    )


@pytest.mark.parametrize("hash_seed", ["0", "1", "random"])
def test_same_bytes_under_any_hash_seed(instance_file, hash_seed):
    text = ok("generate", "fleet_dispatch", "--level", "0", "--index", "2", "--json", start=run, PYTHONHASHSEED=hash_seed)
    assert text == Path(instance_file).read_text()


def test_solve_tells_value_decision_and_work(instance_file):
    admitted = admit(Coordinate("fleet_dispatch", 0, 2))
    result = json.loads(ok("solve", instance_file, "--verify", "--json", start=run))
    assert result["value"] == admitted.optimum == sum(result["parts"].values())
    assert result["decision"] == {"assignment": admitted.solution.decision}
    assert (result["unique"], result["verified"], result["work"]["total"]) == (True, True, admitted.solution.work.total)
    text = ok("solve", "-", "--verify", stdin=Path(instance_file).read_text())
    assert f"{admitted.optimum:,}" in text
    assert "verification: agrees" in text


def test_solve_says_when_nothing_is_feasible(tmp_path):
    path = tmp_path / "tables.json"
    tables = {"vehicle": ["v"], "job": ["j"], "capacity": {"v": 0}, "activation": {"v": 1}, "load": {"j": 1}}
    path.write_text(json.dumps({"family": "fleet_dispatch", **tables, "route_cost": {"v": {"j": 4}}}))
    assert json.loads(ok("solve", str(path), "--verify", "--json"))["feasible"] is False
    assert "no decision satisfies the constraints" in ok("solve", str(path))


def test_world_show_is_exactly_what_an_agent_sees():
    direct = json.loads(ok("world", "show", "fleet_dispatch-0-1", "--json", start=run))
    mediated = json.loads(ok("world", "show", "fleet_dispatch-0-1-mediated", "--json"))
    assert direct == mediated
    assert set(direct) == {"question", "tools"}
    assert direct["question"] in ok("world", "show", "fleet_dispatch-0-1")


def test_play_scores_a_person_against_the_certified_optimum():
    admitted = admit(Coordinate("fleet_dispatch", 0, 1))
    moves = "read_fleet_policy\nread_job J1\nread_dispatch_window J1 3\nnonsense\nsubmit_assignment "
    decision = json.dumps({"assignment": admitted.solution.decision})
    result = json.loads(ok("play", "fleet_dispatch-0-1", "--json", start=run, stdin=moves + decision + "\n"))
    assert (result["exact"], result["utility"], result["executed_calls"], result["attempted_calls"]) == (1, 100.0, 3, 5)
    jobs, vehicles = admitted.instance.job, admitted.instance.vehicle
    names = {item: f"J{at}" for at, item in enumerate(jobs, 1)} | {item: f"V{at}" for at, item in enumerate(vehicles, 1)}
    pairs = " ".join(f"{names[job]}={names[vehicle]}" for job, vehicle in admitted.solution.decision.items())
    shown = ok("play", "fleet_dispatch-0-1", stdin=f"submit_assignment {pairs}\n")
    assert "globally optimal" in shown
    assert "no decision" in ok("play", "fleet_dispatch-0-1", stdin="quit\n")


def test_demo_tells_the_story(tmp_path):
    done = run("demo", "--jobs", 1, "--json", "--out", str(tmp_path / "report"), COLUMNS="120")
    assert done.returncode == 0, done.stderr
    for told in ("unique optimum", "Response isolation", "Five scripted agents", str(tmp_path / "report" / "report.html")):
        assert told in done.stderr
    document = json.loads(done.stdout)
    results = document["agents"]
    assert all(row["count"] == row["passed"] for row in document["validation"])
    assert {each["agent"]: each["exact"] for each in results} == {"oracle": 1, "greedy": 0}
    assert all(each["coverage"] == 1 for each in results)
    exact = {row[0]: float(row[1].split()[0]) for row in document["panel"]}
    assert exact == {"null": 0, "random": 0, "greedy": 0, "local_search": exact["local_search"], "oracle": 100}
    assert (tmp_path / "report" / "report.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("solve", "nowhere.json"), "cannot read nowhere.json"),
        (("solve", "."), "cannot read ."),
        (("generate", "nonsense"), "there is no family 'nonsense'; choose from"),
        (("generate", "fleet_dispatch", "--level", "9"), "there is no level 9; choose one of 0, 1, 2, 3, 4"),
        (("generate", "fleet_dispatch", "--index", "-1"), "the index counts from 1"),
        (("generate", "fleet_dispatch", "--index", "0"), "the index counts from 1"),
        (("generate", "fleet_dispatch", "--level", "one"), "Invalid value for '--level'"),
        (("generate",), "Missing argument"),
        (("fly",), "No such command 'fly'"),
        (("world", "show", "fleet"), "is no world id"),
        (("world", "show", "../x"), "is no world id"),
        (("world", "show", "fleet_dispatch-9-1"), "there is no level 9"),
        (("world", "show", "fleet_dispatch-1-1-direct", "--interface", "mediated"), "leave one of them out"),
        (("world", "show", "fleet_dispatch-1-1", "--interface", "sideways"), "sideways"),
        (("play", "fleet_dispatch-1-0"), "the index counts from 1"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_2(arguments, message):
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
def test_bad_instances_are_one_clear_line_and_exit_code_2(text, message):
    done = run_here("solve", "-", stdin=text)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_values_too_large_are_refused(instance_file):
    tables = json.loads(Path(instance_file).read_text())
    tables["offset"] = 2**53
    done = run_here("solve", "-", stdin=json.dumps(tables))
    assert (done.returncode, "too large" in done.stderr) == (2, True)


def test_binary_files_are_refused(tmp_path):
    path = tmp_path / "binary.json"
    path.write_bytes(b"\xff\xfe\x00")
    done = run("solve", str(path))
    assert (done.returncode, "not UTF-8" in done.stderr) == (2, True)
