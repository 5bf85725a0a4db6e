"""`probe` for people, and the reasons that `run` prints while it retries."""

import json
import os
import select
import socket

import pytest

from algoworlds.cli.progress import INTERVAL_VARIABLE, run_progress
from algoworlds.runs.worker_pool import Totals
from algoworlds.worlds.world import load_world
from tests.command import COMMAND, PATIENCE, run_here, start_process
from tests.runs.model_runs import BlockedModel, build_small_suite, optimal_model
from tests.runs.server import KEY, Server, always, answer_with
from tests.runs.wire import Reply


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a small suite."""
    root = tmp_path_factory.mktemp("doctor")
    build_small_suite(root / "suite")
    return root


def capable_model(world):
    """A model that reads twice and submits."""
    calls = [tuple(call) for call in min(world.plans.values(), key=len)][:2]
    moves = [*calls, (world.family.template.decision_tools.submit, json.dumps({"assignment": {}}))]
    return lambda conversation: Reply((moves[len(conversation.call_turns)],))


def test_probe_of_a_server_that_is_down_is_one_sentence(tmp_path):
    with socket.socket() as unused, Server(lambda _: None) as server:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        (tmp_path / "model.toml").write_text(server.toml("chat", base_url=address))
        done = run_here("probe", "--model", tmp_path / "model.toml", LOOPBACK_KEY=KEY)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "Loopback (chat)",
        f"  NOT OK  connection: cannot connect to {address}: connection refused; check base_url, and that the server runs",
        "not ready: a run would fail",
    ]
    assert done.stderr == f"asking {address} for its models\n"


def test_probe_with_suite_estimates_the_run(place, tmp_path):
    with Server(capable_model(load_world("fleet_dispatch-0-1-direct"))) as server:
        (tmp_path / "model.toml").write_text(server.toml("chat", prices={"input": 1.0, "output": 2.0}))
        order = ("probe", "--model", tmp_path / "model.toml", "--suite", place / "suite", "--trials", 2)
        done = run_here(*order, LOOPBACK_KEY=KEY)
        document = json.loads(run_here(*order, "--json", LOOPBACK_KEY=KEY).stdout)
        server.script = lambda conversation: Reply(text="no")
        failed = json.loads(run_here(*order, "--json", LOOPBACK_KEY=KEY).stdout)
    assert (done.returncode, document["estimate"]["evaluations"], failed["estimate"]) == (0, 8, None)
    assert "8 evaluations by the shortest plans, at the pace of this one, would take about:" in done.stdout
    assert f"  {document['estimate']['calls']:,} requests, " in done.stdout
    assert done.stdout.endswith(" USD\n")
    assert [finding["state"] for finding in document["findings"]] == ["ok"] * 8


@pytest.mark.parametrize("wrong", [("--trials", "0"), ("--concurrency", "0"), ("--patience", "0"), ("--patience", "nan")])
def test_probe_rejects_numbers_out_of_range(tmp_path, wrong):
    done = run_here("probe", "--model", "glm-5.2", *wrong)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("waits_for", ["an answer", "another attempt"])
def test_run_in_a_pipe_prints_a_line_at_once_and_lines_while_it_waits(place, tmp_path, waits_for):
    from algoworlds.suites.open import open_suite

    model = BlockedModel(optimal_model(open_suite(place / "suite")), at=1)
    plan = always(answer_with(429, "120")) if waits_for == "another attempt" else {}
    with Server(model, plan) as server:
        (tmp_path / "model.toml").write_text(server.toml("chat"))
        paths = ("--suite", place / "suite", "--out", tmp_path / "run", "--model", tmp_path / "model.toml")
        environment = os.environ | {"LOOPBACK_KEY": KEY, "ALGOWORLDS_PROGRESS_SECONDS": "0.3"}
        process = start_process(COMMAND, "run", *map(str, paths), "--worlds", "fleet*-direct", env=environment)
        printed = b""
        while printed.count(b" gone, no estimate yet") < 3:
            assert select.select([process.stderr], [], [], PATIENCE)[0], "nothing was printed"
            printed += os.read(process.stderr.fileno(), 65536)
        process.kill()
        model.released.set()
        process.communicate(timeout=PATIENCE)
    lines = printed.decode().splitlines()
    assert lines[0] == "running Loopback on the suite part: 3 of 3 evaluations to play, up to 1 at a time"
    assert lines[-1].startswith("0 of 3 evaluations, 1 running, 1 requests, 0 tokens")
    assert ("http_429" in lines[-1]) == (waits_for == "another attempt")


def test_run_prints_why_it_retries(place, tmp_path):
    """In a pipe one line for each kind of failure, and all kinds at the end; `status` prints the same later."""
    from algoworlds.suites.open import open_suite

    plan = {1: answer_with(503), 3: answer_with(503, body=b'{"error": {"message": "still loading"}}'), 4: answer_with(429, "0")}
    with Server(optimal_model(open_suite(place / "suite")), plan) as server:
        (tmp_path / "model.toml").write_text(server.toml("chat"))
        order = ("--suite", place / "suite", "--out", tmp_path / "run", "--model", tmp_path / "model.toml")
        done = run_here("run", *order, "--trials", 1, "--worlds", "fleet*-direct", LOOPBACK_KEY=KEY)
    assert done.returncode == 0
    first, *others = done.stderr.splitlines()
    assert first.startswith("running Loopback on the suite part: 1 of 1 evaluations to play, up to 1 at a time")
    assert others == ["request failed: http_503: not now", "request failed: http_429: not now"]
    for text in (done.stdout, run_here("status", tmp_path / "run").stdout):
        assert "  1 requests failed with http_429, the last: not now\n" in text
        assert "  2 requests failed with http_503, the last: still loading\n" in text


def test_stopped_run_says_what_to_do(place, tmp_path):
    with Server(lambda _: None, {1: answer_with(401, body=b'{"error": {"message": "bad key"}}')}) as server:
        (tmp_path / "model.toml").write_text(server.toml("chat"))
        order = ("--suite", place / "suite", "--out", tmp_path / "run", "--model", tmp_path / "model.toml")
        done = run_here("run", *order, LOOPBACK_KEY=KEY)
    assert done.returncode == 1
    assert "stopped: http_401: bad key; the key in LOOPBACK_KEY is refused" in done.stderr


def test_live_view_shows_why_it_retries(monkeypatch):
    from io import StringIO

    from rich.console import Console

    from algoworlds.cli import progress

    totals = Totals(8, 2, requests=12, retries=5)
    for _ in range(4):
        totals.count_fault("http_429", "slow\x1b[2J down")
    totals.count_fault("connection", "cannot connect to http://a: connection refused")
    output = StringIO()
    Console(file=output, width=200).print(progress._render_run_progress(totals, 10.0, 2))
    assert "failed requests: connection 1, http_429 4; the last: connection: cannot connect to http://a" in output.getvalue()
    assert "\x1b[2J" not in output.getvalue()
    monkeypatch.setattr("sys.stderr", output)
    with run_progress(totals) as on_progress:
        on_progress(totals)
        on_progress(totals)
    assert output.getvalue().count("request failed: ") == 2
    monkeypatch.setenv(INTERVAL_VARIABLE, "0")
    with run_progress(totals) as on_progress:
        on_progress(totals)
    last = output.getvalue().splitlines()[-1]
    assert "no estimate yet; failed requests: connection 1, http_429 4; the last: connection: " in last
