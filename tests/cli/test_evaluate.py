"""The commands that make, check and report runs."""

import json
import shutil
from contextlib import nullcontext

import pytest

from algoworlds.measures.judging import JUDGING_VERSION
from algoworlds.suites.open import open_suite
from tests.command import run, run_here
from tests.drawing import without_figure_files
from tests.runs.model_runs import build_small_suite, optimal_model
from tests.runs.server import KEY, Server, always, answer_with


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a tiny suite and finished runs of two agents."""
    root = tmp_path_factory.mktemp("commands")
    build_small_suite(root / "suite")
    for start, name in ((run, "oracle"), (run_here, "greedy")):
        assert start("run", root / "suite", "--agent", name, "--out", root / name, "--trials", 2).returncode == 0
    return root


def test_status_for_people_and_programs(place):
    text = run_here("status", place / "oracle").stdout
    assert text.startswith("oracle: 8 of 8 evaluations finished, 100.0 % exact\n")
    document = json.loads(run_here("status", place / "oracle", "--json").stdout)
    assert (document["finished"], document["pending"], document["outcomes"]) == (8, 0, {"feasible": 8})


def test_records_are_json_lines_with_every_promised_field(place):
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


def test_verify_run_and_rescore_find_no_change(place):
    assert run_here("verify-run", place / "oracle").stdout.startswith("8 records verified")
    assert run_here("rescore", place / "oracle").stdout == "8 records recomputed, 0 changed\n"


def test_rescore_prints_changes_and_writes_a_new_run(place, tmp_path):
    shutil.copytree(place / "oracle", tmp_path / "run")
    (path, *_) = sorted((tmp_path / "run" / "records").iterdir())
    path.write_text(path.read_text().replace('"utility":100.0', '"utility":50.0'))
    done = run_here("rescore", tmp_path / "run", "--out", tmp_path / "new")
    assert f"{path.stem}: utility: 50.0 -> 100.0" in done.stdout
    assert run_here("verify-run", tmp_path / "run").returncode == 1
    assert run_here("verify-run", tmp_path / "new").returncode == 0
    assert '"utility":50.0' in path.read_text(), "records are never touched"


def test_dry_run_prints_schedule_and_first_request(place, tmp_path):
    order = ("run", place / "suite", "--model", "gpt-5.6-sol", "--out", tmp_path / "run", "--dry-run")
    summary = run_here(*order).stdout
    assert "  12 evaluations: 4 worlds, 3 trials of each\n" in summary
    assert "  worlds by interface: direct 2, mediated 2\n" in summary
    document = json.loads(run_here(*order, "--json").stdout)
    assert document["evaluations"] == len(document["schedule"]) == 12
    assert document["first_request"]["reasoning"]["effort"] == "max"
    assert not (tmp_path / "run").exists()
    trials = [trial for _, trial in document["schedule"]]
    assert trials != sorted(trials), "trials are interleaved"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--agent", "nobody"), "there is no agent 'nobody'"),
        ((), "one of --agent NAME, --model FILE and --command PROGRAM"),
        (("--agent", "oracle", "--model", "glm-5.2"), "one of --agent NAME, --model FILE and --command PROGRAM"),
        (("--model", "nothing.toml"), "nor a shipped configuration"),
        (("--agent", "oracle", "--worlds", "none*"), "no world"),
        (("--agent", "oracle", "--levels", "one"), "--levels takes numbers"),
        (("--agent", "oracle", "--trials", "0"), "--trials must be at least 1"),
        (("--agent", "oracle", "--trials", "20000000"), "a run has at most 1,000,000 evaluations"),
        (("--agent", "oracle", "--concurrency", "0"), "--concurrency must be at least 1, not 0"),
        (("--model", "free.toml", "--max-cost", "1"), "--max-cost needs the prices"),
        (("--model", "glm-5.2", "--max-cost", "nan"), "above 0"),
        (("--agent", "oracle", "--max-cost", "1"), "--max-cost is for models"),
        (("--model", "glm-5.2"), "environment variable"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(place, tmp_path, arguments, message):
    (tmp_path / "free.toml").write_text('label = "x"\napi = "chat"\nmodel = "x"\noutput_cap = 9\n')
    options = [tmp_path / argument if argument == "free.toml" else argument for argument in arguments]
    done = run_here("run", place / "suite", "--out", tmp_path / "run", *options)
    assert done.returncode == 2, done.stdout + done.stderr
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_cycle_of_links_is_one_line(place, tmp_path):
    (tmp_path / "one").symlink_to(tmp_path / "other")
    (tmp_path / "other").symlink_to(tmp_path / "one")
    done = run_here("run", place / "suite", "--out", tmp_path / "one", "--agent", "null")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "Traceback" not in done.stderr


def test_file_names_bring_no_terminal_escapes(place, tmp_path):
    """A foreign file among the records; hostile labels are refused (test_hostile_input.py)."""
    run = shutil.copytree(place / "greedy", tmp_path / "run")
    (run / "records" / "\x1b]0;owned\x07\x1b[2J.json").write_text("{}")
    for order in (("status", run), ("verify-run", run)):
        done = run_here(*order)
        assert "greedy: 8 of 8" in done.stdout or "not scheduled" in done.stderr
        assert "\x1b" not in done.stdout + done.stderr


def test_rejects_run_inside_its_suite(place):
    done = run_here("run", place / "suite", "--out", place / "suite" / "run", "--agent", "null")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "inside the suite" in done.stderr
    assert run_here("verify", place / "suite").returncode == 0


def test_run_finds_its_suite_from_anywhere(place, tmp_path):
    """With relative paths, spaces, other alphabets, and a run that was moved."""
    folder = tmp_path / "ein Ort" / "место"
    folder.mkdir(parents=True)
    shutil.copytree(place / "suite", folder / "süite")
    order = ("run", "süite", "--out", "rün 1", "--agent", "greedy", "--trials", "1")
    assert run(*order, cwd=folder).returncode == 0
    (folder / "rün 1").rename(tmp_path / "moved")
    assert run_here("verify-run", tmp_path / "moved").returncode == 0
    (folder / "süite").rename(tmp_path / "suite")
    lost = run_here("verify-run", tmp_path / "moved")
    assert (lost.returncode, lost.stderr.count("\n")) == (2, 1)
    assert "--suite" in lost.stderr
    assert run_here("verify-run", tmp_path / "moved", "--suite", tmp_path / "suite").returncode == 0


def test_replay_does_not_depend_on_the_path_of_its_source(place, tmp_path):
    order = ("run", place / "suite", "--out", tmp_path / "again", "--trials", 2)
    assert run_here(*order, "--agent", f"replay:{place / 'oracle'}").returncode == 0
    shutil.copytree(place / "oracle", tmp_path / "copy")
    assert run_here(*order, "--agent", f"replay:{tmp_path / 'copy'}").returncode == 0
    more = run_here("run", place / "suite", "--out", tmp_path / "more", "--agent", f"replay:{place / 'oracle'}")
    assert (more.returncode, more.stderr.count("\n")) == (2, 1)
    assert "has no record of" in more.stderr


def test_records_as_one_json_array(place):
    assert len(json.loads(run_here("records", place / "oracle", "--json").stdout)) == 8


@pytest.mark.parametrize("schedule", [[["../../x", 1]], [5], None])
def test_rejects_altered_schedule(place, tmp_path, schedule):
    shutil.copytree(place / "oracle", tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"schedule": schedule}))
    done = run_here("status", tmp_path / "run")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


def test_operating_system_errors_are_one_line(place, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "records").touch()
    for out in (tmp_path / "run", tmp_path / ("x" * 300)):
        done = run_here("run", place / "suite", "--agent", "null", "--out", out)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr


@pytest.mark.parametrize("command", ["status", "records", "verify-run", "rescore"])
def test_rejects_folder_that_is_not_a_run(tmp_path, command):
    done = run_here(command, tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "is not a run" in done.stderr


def test_probe_tells_whether_a_model_follows_the_protocol(tmp_path):
    from algoworlds.worlds.world import load_world
    from tests.runs.wire import Reply

    world = load_world("fleet_dispatch-0-1-direct")
    calls = [tuple(call) for call in min(world.plans.values(), key=len)][:2]
    submit = (world.family.template.decision_tools.submit, json.dumps({"assignment": {}}))

    def play(conversation):
        return Reply(([*calls, submit][len(conversation.call_turns)],))

    with Server(play) as server:
        model = tmp_path / "model.toml"
        model.write_text(server.toml("responses"))
        done = run_here("probe", "--model", model, LOOPBACK_KEY=KEY)
        assert done.returncode == 0, done.stderr
        assert "ready: it can follow the protocol" in done.stdout
        assert "ok      tokens: input 3,600, output 1,020, reasoning 900, cached 3,000" in done.stdout
        server.script = lambda conversation: Reply(text="I would rather not")
        done = run_here("probe", "--model", model, "--json", LOOPBACK_KEY=KEY)
        assert done.returncode == 1
        document = json.loads(done.stdout)
        assert (document["stop_reason"], len(document["problems"])) == ("text_end", 2)
        assert KEY not in done.stdout + done.stderr


@pytest.mark.parametrize("command", ["run", "probe"])
def test_server_messages_bring_no_terminal_escapes(place, tmp_path, command):
    body = json.dumps({"error": {"message": "no\x1b[2J\x1b]0;title\x07 entry"}}).encode()
    with Server(lambda conversation: None, always(answer_with(401, body=body))) as server:
        (tmp_path / "model.toml").write_text(server.toml("chat"))
        options = ("--suite", place / "suite", "--out", tmp_path / "run") if command == "run" else ()
        done = run_here(command, "--model", tmp_path / "model.toml", *options, LOOPBACK_KEY=KEY)
    assert done.returncode == 1
    assert "no entry" in done.stderr + done.stdout
    assert "\x1b" not in done.stderr + done.stdout


def test_report_of_two_runs(place, no_figures, tmp_path):
    runs = [place / "oracle", place / "greedy"]
    assert run_here("panel", *runs, "--out", tmp_path / "report").returncode == 0
    done = run_here("report", *runs, "--out", tmp_path / "report", "--compare", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["evaluations"], document["note"]) == (16 + 8, None), "null and random are the floor"
    assert document["configurations"] == ["oracle", "random", "greedy", "null"]
    assert {"main_results", "comparisons", "benchmark_statistics", "work_ranges"} <= set(document["tables"])
    tables = document["tables"]
    assert (document["judged"], "regret_parts" in tables, "footing" in tables) == (0, False, False)
    assert (tmp_path / "report" / "report.html").stat().st_size > 10_000
    assert "| oracle | **100.00" in (tmp_path / "report" / "main_results.md").read_text()


def test_report_counts_evaluations_that_are_not_judged(place, undrawn, tmp_path):
    """Judged runs have every table; beside a run that is not judged they keep them, and captions count what is missing."""
    runs = [shutil.copytree(place / name, tmp_path / name) for name in ("oracle", "greedy")]
    assert run_here("judge", runs[0]).returncode == 0
    partial = run_here("report", *runs, "--out", tmp_path / "partly", "--no-panel")
    assert f"8 evaluations are not judged: algoworlds judge {runs[1]} adds" in partial.stdout
    assert "8 not judged" in (tmp_path / "partly" / "footing.md").read_text()
    assert not (tmp_path / "partly" / "regret_parts.md").exists()
    assert run_here("judge", *runs).returncode == 0
    assert run_here("panel", *runs, "--out", tmp_path / "wholly").returncode == 0
    document = json.loads(run_here("report", *runs, "--out", tmp_path / "wholly", "--json").stdout)
    assert document["judged"] == document["evaluations"] == 16 + 8, "the panel is judged if all runs are"
    names = {"footing", "justified_optima", "determined_outcomes", "information_price", "regret_parts"}
    assert names <= set(document["tables"])
    assert "not judged" not in (tmp_path / "wholly" / "footing.md").read_text()


def test_rejects_judgements_of_another_version(place, tmp_path):
    run = shutil.copytree(place / "greedy", tmp_path / "greedy")
    assert run_here("judge", run).returncode == 0
    for path in (run / "judgements").iterdir():
        path.write_text(path.read_text().replace(f'"judging":{JUDGING_VERSION},', '"judging":9,'))
    done = run_here("report", run, "--out", tmp_path / "report")
    assert done.returncode == 2
    assert "was made by another version: algoworlds judge" in done.stderr


def test_report_without_suite_says_what_is_missing(place, undrawn, tmp_path):
    shutil.copytree(place / "greedy", tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    path.write_text(path.read_text().replace(str(place / "suite"), str(tmp_path / "gone")))
    done = run_here("report", tmp_path / "run", "--out", tmp_path / "report")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("8 evaluations of greedy\n")
    assert "name it with --suite" in done.stdout
    assert not (tmp_path / "report" / "regret_parts.md").exists()


def test_rejects_report_on_pending_run(place, tmp_path):
    shutil.copytree(place / "oracle", tmp_path / "run")
    path = sorted((tmp_path / "run" / "records").iterdir())[0]
    path.unlink()
    done = run_here("report", tmp_path / "run", "--out", tmp_path / "report")
    assert done.returncode == 2
    assert "fleet_dispatch" in done.stderr
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize(
    ("drawing", "min_files"), [(without_figure_files, 60), pytest.param(nullcontext, 80, marks=pytest.mark.full)]
)
def test_model_plays_the_optimum_and_its_key_is_written_nowhere(place, tmp_path, drawing, min_files):

    with Server(optimal_model(open_suite(place / "suite"))) as server:
        model = tmp_path / "model.toml"
        model.write_text(server.toml("messages"))
        order = ("run", place / "suite", "--model", model, "--out", tmp_path / "run", "--concurrency", 4)
        done = run_here(*order, "--trials", 1, "--json", LOOPBACK_KEY=KEY)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["exact"] == 4
        assert run_here("verify-run", tmp_path / "run").returncode == 0
    with drawing():
        report = run_here("report", tmp_path / "run", "--out", tmp_path / "report", LOOPBACK_KEY=KEY)
    assert report.returncode == 0, report.stderr
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) > min_files
    assert not [path for path in written if KEY.encode() in path.read_bytes()], "C10: the key is in no file, nor in the report"
    assert KEY not in done.stdout + done.stderr + report.stdout + report.stderr
