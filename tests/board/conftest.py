import json

import pytest

from algoworlds.board.submissions import STATEMENT_FILE
from tests.command import run_here
from tests.once import once
from tests.runs.model_runs import build_small_suite, optimal_model, solution_calls
from tests.runs.server import KEY, Server
from tests.runs.wire import Reply

AGENTS = ("oracle", "greedy", "null")
EFFORTS = ("low", "high")


@pytest.fixture(scope="session")
def board_folder(tmp_path_factory):
    """A suite, and archives of scripted agents and of a model at two efforts, of which only the higher one is optimal."""
    return once(tmp_path_factory, "board", _build)


def _build(folder):
    suite = build_small_suite(folder / "suite")
    for agent in AGENTS:
        _run(folder, agent, "--agent", agent, "--trials", 1)
        _pack(folder, agent)
    optimal, calls = optimal_model(suite), solution_calls(suite)
    with Server(optimal) as server:
        (folder / "model.toml").write_text(server.toml("chat", prices={"input": 1.0, "output": 4.0}))
        paths = ("--model", folder / "model.toml", "--trials", 3, "--concurrency", 4)
        _run(folder, "model", *paths, "--effort", "high")
        server.script = lambda conversation: (
            Reply((calls[conversation.question][0],), text="one call")
            if not conversation.call_turns
            else Reply((), text="done")
        )
        _run(folder, "model", *paths, "--effort", "low")
    for effort in EFFORTS:
        _pack(folder, f"model/{effort}", effort)


def _run(folder, name, *words):
    done = run_here("run", folder / "suite", "--out", folder / "runs" / name, *words, LOOPBACK_KEY=KEY)
    assert done.returncode == 0, done.stderr


def _pack(folder, name, archive=None):
    done = run_here("pack", folder / "runs" / name, "--out", folder / f"{archive or name}.tar", LOOPBACK_KEY=KEY)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def submit(board_folder, tmp_path):
    """Make a submission of an archive: submit(name, archive, kind, **fields) returns its folder."""

    def write(name, archive, kind, **values):
        folder = tmp_path / "submissions" / name
        folder.mkdir(parents=True)
        (folder / "run.tar").write_bytes((board_folder / archive).read_bytes())
        values = {"by": "A laboratory", "date": "2026-11-19", "kind": kind, "archive": "run.tar"} | values
        lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
        (folder / STATEMENT_FILE).write_text("\n".join(["format = 1", *lines]) + "\n")
        return folder

    return write
