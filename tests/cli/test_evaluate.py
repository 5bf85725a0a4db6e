"""The commands around runs, as a person types them."""

import json
import shutil
from contextlib import nullcontext

import pytest

from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.schedule import Experiment
from algoworlds.suites.opened import open_suite
from algoworlds.suites.record import Kind
from tests.command import run, run_here
from tests.drawing import unfiled
from tests.runs.play import built, optimal
from tests.runs.server import KEY, Server, repeated, status


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A tiny suite and a finished run of two agents on it."""
    root = tmp_path_factory.mktemp("commands")
    built(root / "suite")
    for start, name in ((run, "oracle"), (run_here, "greedy")):
        assert start("run", "--suite", root / "suite", "--agent", name, "--out", root / name, "--trials", 2).returncode == 0
    return root


def test_status_tells_a_person_and_a_program(place):
    told = run_here("status", place / "oracle").stdout
    assert told.startswith("oracle: 8 of 8 evaluations finished, 100.0 % exact\n")
    found = json.loads(run_here("status", place / "oracle", "--json").stdout)
    assert (found["finished"], found["pending"], found["outcomes"]) == (8, 0, {"feasible": 8})


def test_records_are_lines_of_json_with_every_promised_field(place):
    lines = run_here("records", place / "greedy").stdout.splitlines()
    promised = (
        "configuration world family level index interface trial outcome exact feasible objective gap reference_gap utility "
        "sufficiency coverage grounding executed_calls attempted_calls spend budget call_cap budget_cap stop_reason tokens"
    )
    assert len(lines) == 8
    assert all(set(promised.split()) <= set(json.loads(line)) for line in lines)
    assert [(json.loads(line)["world"], json.loads(line)["trial"]) for line in lines] == sorted(
        (json.loads(line)["world"], json.loads(line)["trial"]) for line in lines
    )


def test_verify_run_and_rescore_agree_that_nothing_changed(place):
    assert run_here("verify-run", place / "oracle").stdout.startswith("8 records verified")
    assert run_here("rescore", place / "oracle").stdout == "8 records recomputed, 0 changed\n"


def test_rescore_says_what_changed_and_writes_a_run_of_its_own(place, tmp_path):
    shutil.copytree(place / "oracle", tmp_path / "run")
    (path, *_) = sorted((tmp_path / "run" / "records").iterdir())
    path.write_text(path.read_text().replace('"utility":100.0', '"utility":50.0'))
    done = run_here("rescore", tmp_path / "run", "--out", tmp_path / "new")
    assert f"{path.stem}: utility: 50.0 -> 100.0" in done.stdout
    assert run_here("verify-run", tmp_path / "run").returncode == 1
    assert run_here("verify-run", tmp_path / "new").returncode == 0
    assert '"utility":50.0' in path.read_text(), "records are never touched"


def test_a_dry_run_prints_the_schedule_and_the_first_request(place, tmp_path):
    order = ("run", "--suite", place / "suite", "--model", "gpt-5.6-sol", "--out", tmp_path / "run", "--dry-run")
    summary = run_here(*order).stdout
    assert "  12 evaluations: 4 worlds, 3 trials of each\n" in summary
    assert "  worlds by interface: direct 2, mediated 2\n" in summary
    told = json.loads(run_here(*order, "--json").stdout)
    assert told["evaluations"] == len(told["schedule"]) == 12
    assert told["first_request"]["reasoning"]["effort"] == "max"
    assert not (tmp_path / "run").exists()
    trials = [trial for _, trial in told["schedule"]]
    assert trials != sorted(trials), "trials are interleaved"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--agent", "nobody"), "there is no agent 'nobody'"),
        ((), "one of --agent NAME, --model FILE and --command PROGRAM"),
        (("--agent", "oracle", "--model", "glm-5.2"), "one of --agent NAME, --model FILE and --command PROGRAM"),
        (("--model", "nothing.toml"), "no shipped configuration"),
        (("--agent", "oracle", "--worlds", "none*"), "no world"),
        (("--agent", "oracle", "--levels", "one"), "--levels takes numbers"),
        (("--agent", "oracle", "--trials", "0"), "--trials counts from 1"),
        (("--agent", "oracle", "--trials", "20000000"), "at most 1,000,000 evaluations make a run"),
        (("--agent", "oracle", "--concurrency", "0"), "--concurrency counts from 1"),
        (("--model", "free.toml", "--max-cost", "1"), "--max-cost needs the prices"),
        (("--model", "glm-5.2", "--max-cost", "nan"), "above 0"),
        (("--agent", "oracle", "--max-cost", "1"), "--max-cost is for models"),
        (("--model", "glm-5.2"), "environment variable"),
    ],
)
def test_bad_input_is_one_clear_line_and_loses_nothing(place, tmp_path, arguments, told):
    (tmp_path / "free.toml").write_text('label = "x"\napi = "chat"\nmodel = "x"\noutput_cap = 9\n')
    given = [tmp_path / each if each == "free.toml" else each for each in arguments]
    done = run_here("run", "--suite", place / "suite", "--out", tmp_path / "run", *given)
    assert done.returncode == 2, done.stdout + done.stderr
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_links_in_a_circle_are_one_clear_line(place, tmp_path):
    (tmp_path / "one").symlink_to(tmp_path / "other")
    (tmp_path / "other").symlink_to(tmp_path / "one")
    done = run_here("run", "--suite", place / "suite", "--out", tmp_path / "one", "--agent", "null")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "Traceback" not in done.stderr


def test_labels_and_file_names_bring_no_escapes_to_a_terminal(place, tmp_path):
    """A label from somebody else's run, and a file that somebody put among the records."""
    escape = "\x1b]0;owned\x07\x1b[2J"
    made, suite = RunDirectory(tmp_path / "run"), open_suite(place / "suite")
    with made.locked():
        made.begin(
            Experiment.of(f"{escape}me", Kind.AGENT, {"agent": "null"}, suite, list(suite.manifest.worlds), 1), place / "suite"
        )
    (tmp_path / "run" / "records" / f"{escape}.json").write_text("{}")
    for order in (("status", tmp_path / "run"), ("verify-run", tmp_path / "run")):
        done = run_here(*order)
        assert "me: 0 of 4" in done.stdout or "not scheduled" in done.stdout + done.stderr
        assert "\x1b" not in done.stdout + done.stderr


def test_a_run_inside_its_suite_is_refused(place):
    done = run_here("run", "--suite", place / "suite", "--out", place / "suite" / "run", "--agent", "null")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "inside the suite" in done.stderr
    assert run_here("verify", place / "suite").returncode == 0


def test_a_run_finds_its_suite_from_anywhere(place, tmp_path):
    """Relative paths, spaces, other alphabets, and a run that was moved."""
    there = tmp_path / "ein Ort" / "место"
    there.mkdir(parents=True)
    shutil.copytree(place / "suite", there / "süite")
    order = ("run", "--suite", "süite", "--out", "rün 1", "--agent", "greedy", "--trials", "1")
    assert run(*order, cwd=there).returncode == 0
    (there / "rün 1").rename(tmp_path / "moved")
    assert run_here("verify-run", tmp_path / "moved").returncode == 0
    (there / "süite").rename(tmp_path / "suite")
    lost = run_here("verify-run", tmp_path / "moved")
    assert (lost.returncode, lost.stderr.count("\n")) == (2, 1)
    assert "--suite" in lost.stderr
    assert run_here("verify-run", tmp_path / "moved", "--suite", tmp_path / "suite").returncode == 0


def test_a_replay_is_the_same_however_its_source_is_spelled(place, tmp_path):
    order = ("run", "--suite", place / "suite", "--out", tmp_path / "again", "--trials", 2)
    assert run_here(*order, "--agent", f"replay:{place / 'oracle'}").returncode == 0
    shutil.copytree(place / "oracle", tmp_path / "copy")
    assert run_here(*order, "--agent", f"replay:{tmp_path / 'copy'}").returncode == 0
    more = run_here("run", "--suite", place / "suite", "--out", tmp_path / "more", "--agent", f"replay:{place / 'oracle'}")
    assert (more.returncode, more.stderr.count("\n")) == (2, 1)
    assert "has no record of" in more.stderr


def test_records_for_a_program(place):
    assert len(json.loads(run_here("records", place / "oracle", "--json").stdout)) == 8


@pytest.mark.parametrize("schedule", [[["../../x", 1]], [5], None])
def test_an_altered_schedule_is_refused(place, tmp_path, schedule):
    shutil.copytree(place / "oracle", tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"schedule": schedule}))
    done = run_here("status", tmp_path / "run")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


def test_what_the_system_refuses_is_one_line(place, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "records").touch()
    for out in (tmp_path / "run", tmp_path / ("x" * 300)):
        done = run_here("run", "--suite", place / "suite", "--agent", "null", "--out", out)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr


@pytest.mark.parametrize("command", ["status", "records", "verify-run", "rescore"])
def test_what_is_no_run_is_refused(tmp_path, command):
    done = run_here(command, tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is no run" in done.stderr


def test_a_probe_tells_whether_a_model_can_follow_the_protocol(tmp_path):
    from algoworlds.worlds.world import world
    from tests.runs.wire import Reply

    presented = world("fleet_dispatch-0-1-direct")
    calls = [tuple(call) for call in min(presented.plans.values(), key=len)][:2]
    submit = (presented.family.template.closing.submit, json.dumps({"assignment": {}}))

    def able(conversation):
        return Reply(([*calls, submit][len(conversation.turns)],))

    with Server(able) as server:
        model = tmp_path / "model.toml"
        model.write_text(server.toml("responses"))
        done = run_here("probe", "--model", model, LOOPBACK_KEY=KEY)
        assert done.returncode == 0, done.stderr
        assert "ready: it can follow the protocol" in done.stdout
        assert "ok      tokens: input 3,600, output 1,020, reasoning 900, cached 3,000" in done.stdout
        server.script = lambda conversation: Reply(text="I would rather not")
        done = run_here("probe", "--model", model, "--json", LOOPBACK_KEY=KEY)
        assert done.returncode == 1
        found = json.loads(done.stdout)
        assert (found["stop_reason"], len(found["problems"])) == ("text_end", 2)
        assert KEY not in done.stdout + done.stderr


@pytest.mark.parametrize("command", ["run", "probe"])
def test_a_servers_words_do_nothing_to_a_terminal(place, tmp_path, command):
    body = json.dumps({"error": {"message": "no\x1b[2J\x1b]0;title\x07 entry"}}).encode()
    with Server(lambda conversation: None, repeated(status(401, body=body))) as server:
        (tmp_path / "model.toml").write_text(server.toml("chat"))
        where = ("--suite", place / "suite", "--out", tmp_path / "run") if command == "run" else ()
        done = run_here(command, "--model", tmp_path / "model.toml", *where, LOOPBACK_KEY=KEY)
    assert done.returncode == 1
    assert "no entry" in done.stderr + done.stdout
    assert "\x1b" not in done.stderr + done.stdout


def test_a_report_of_two_runs(place, unillustrated, tmp_path):
    done = run_here("report", place / "oracle", place / "greedy", "--out", tmp_path / "report", "--compare", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["evaluations"], found["note"]) == (16 + 8, None), "null and random are played for the floor"
    assert found["configurations"] == ["oracle", "random", "greedy", "null"]
    assert {"main_results", "comparisons", "benchmark_statistics", "work_ranges"} <= set(found["tables"])
    assert (found["judged"], "regret_parts" in found["tables"], "footing" in found["tables"]) == (0, False, False)
    assert (tmp_path / "report" / "report.html").stat().st_size > 10_000
    assert "| oracle | **100.00" in (tmp_path / "report" / "main_results.md").read_text()


def test_a_report_has_what_was_judged_and_says_what_was_not(place, undrawn, tmp_path):
    """Runs that are judged have every table; beside one that is not, the others keep theirs, and every caption counts."""
    runs = [shutil.copytree(place / name, tmp_path / name) for name in ("oracle", "greedy")]
    assert run_here("judge", runs[0]).returncode == 0
    partly = run_here("report", *runs, "--out", tmp_path / "partly", "--no-panel")
    assert "8 evaluations are not judged: algoworlds judge RUN" in partly.stdout
    assert "8 not judged" in (tmp_path / "partly" / "footing.md").read_text()
    assert not (tmp_path / "partly" / "regret_parts.md").exists()
    assert run_here("judge", *runs).returncode == 0
    found = json.loads(run_here("report", *runs, "--out", tmp_path / "wholly", "--json").stdout)
    assert found["judged"] == found["evaluations"] == 16 + 8, "the agents of the floor are judged with them"
    names = {"footing", "justified_optima", "determined_outcomes", "information_price", "regret_parts"}
    assert names <= set(found["tables"])
    assert "not judged" not in (tmp_path / "wholly" / "footing.md").read_text()


def test_judgements_of_another_version_are_refused(place, tmp_path):
    run = shutil.copytree(place / "greedy", tmp_path / "greedy")
    assert run_here("judge", run).returncode == 0
    for path in (run / "judgements").iterdir():
        path.write_text(path.read_text().replace('"judging":1', '"judging":9'))
    done = run_here("report", run, "--out", tmp_path / "report")
    assert done.returncode == 2
    assert "was made by another version: remove it, then algoworlds judge" in done.stderr


def test_a_report_without_its_suite_says_what_it_lacks(place, undrawn, tmp_path):
    shutil.copytree(place / "greedy", tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    path.write_text(path.read_text().replace(str(place / "suite"), str(tmp_path / "gone")))
    done = run_here("report", tmp_path / "run", "--out", tmp_path / "report")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("8 evaluations of greedy\n")
    assert "name it with --suite" in done.stdout
    assert not (tmp_path / "report" / "regret_parts.md").exists()


def test_a_pending_run_is_not_reported(place, tmp_path):
    shutil.copytree(place / "oracle", tmp_path / "run")
    path = sorted((tmp_path / "run" / "records").iterdir())[0]
    path.unlink()
    done = run_here("report", tmp_path / "run", "--out", tmp_path / "report")
    assert done.returncode == 2
    assert "fleet_dispatch" in done.stderr
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize(("drawn", "least"), [(unfiled, 60), pytest.param(nullcontext, 80, marks=pytest.mark.full)])
def test_the_optimum_is_played_through_the_command_line(place, tmp_path, drawn, least):
    from algoworlds.suites.opened import open_suite

    with Server(optimal(open_suite(place / "suite"))) as server:
        model = tmp_path / "model.toml"
        model.write_text(server.toml("messages"))
        order = ("run", "--suite", place / "suite", "--model", model, "--out", tmp_path / "run", "--concurrency", 4)
        done = run_here(*order, "--trials", 1, "--json", LOOPBACK_KEY=KEY)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["exact"] == 4
        assert run_here("verify-run", tmp_path / "run").returncode == 0
    with drawn():
        told = run_here("report", tmp_path / "run", "--out", tmp_path / "report", LOOPBACK_KEY=KEY)
    assert told.returncode == 0, told.stderr
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > least
    assert not [path for path in written if KEY.encode() in path.read_bytes()], "C10: the key is in no file, nor in the report"
    assert KEY not in done.stdout + done.stderr + told.stdout + told.stderr
