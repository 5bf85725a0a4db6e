"""docs/json-output.md describes the JSON output of every command; the outputs are real."""

import json
import re

import pytest

from tests.cli.test_cli import COMMANDS
from tests.command import run_here
from tests.json_schema import PAGE, find_fault, parse, require_schema, schemas
from tests.runs.model_runs import build_small_suite
from tests.runs.server import KEY, Server
from tests.runs.wire import Reply

FLEET = ("--families", "fleet_dispatch", "--levels", "0", "--instances", "1")
MEASURED = ("--families", "fleet_dispatch", "--seed", "demo", "--evaluations", "2")
ORDERS = {
    "families": [("families",)],
    "describe": [("describe",)],
    "generate": [("generate", "fleet_dispatch", "--level", "0")],
    "solve": [("solve", "{home}/instance.json", "--verify"), ("solve", "{home}/infeasible.json")],
    "stream": [("stream", "--count", "2", "--out", "{new}.jsonl", "--families", "fleet_dispatch")],
    "play": [
        ("play", "fleet_dispatch-0-1"),
        ("play", "{world}", "--suite", "{home}/suite", "--out", "{new}"),
    ],
    "build": [
        ("build", "--out", "{new}", *FLEET),
        ("build", "--out", "{new}", "--seed", "new", *FLEET),
        ("build", "--out", "{new}", "--seed", "new", *FLEET, "--nonce", "later"),
    ],
    "worlds": [("worlds", "{home}/suite")],
    "verify": [("verify", "{home}/suite"), ("verify", "{home}/suite", "--root", "0" * 64)],
    "validate": [("validate", "{home}/suite")],
    "stats": [("stats", "{home}/suite")],
    "commit": [("commit", "{home}/private")],
    "reveal": [("reveal", "{home}/private", "{commitment}"), ("reveal", "{home}/private", "0" * 64)],
    "attack": [("attack", "--out", "{new}", *FLEET, "--budget", "10", "--no-prior")],
    "world show": [("world", "show", "fleet_dispatch-0-1"), ("world", "show", "{world}", "--suite", "{home}/suite")],
    "run": [
        ("run", "{home}/suite", "--agent", "null", "--out", "{new}", "--trials", "1"),
        ("run", "{home}/suite", "--agent", "null", "--out", "{new}", "--dry-run"),
        ("run", "{home}/suite", "--model", "gpt-5.6-sol", "--out", "{new}", "--dry-run"),
        ("run", "{home}/suite", "--model", "gpt-5.6-sol", "--out", "{new}", "--dry-run", "--effort", "low,high"),
        ("run", "{home}/suite", "--model", "{home}/model.toml", "--out", "{new}", "--trials", "1"),
    ],
    "measure": [("measure", "--agent", "null", *MEASURED, "--out", "{new}")],
    "thresholds": [("thresholds", "{home}/measured", "{home}/measured")],
    "status": [("status", "{home}/run")],
    "records": [("records", "{home}/run"), ("records", "{home}/run", "--judged")],
    "verify-run": [("verify-run", "{home}/run"), ("verify-run", "{home}/measured")],
    "rescore": [("rescore", "{home}/run"), ("rescore", "{home}/run", "--out", "{new}")],
    "judge": [("judge", "{home}/run")],
    "panel": [("panel", "{home}/run", "--out", "{new}")],
    "report": [
        ("report", "{home}/run", "--out", "{new}"),
        ("report", "{home}/run", "--measured", "{home}/measured", "--out", "{new}"),
    ],
    "show": [("show", "{home}/run", "{world}")],
    "pack": [("pack", "{home}/run", "--out", "{new}.tar")],
    "unpack": [
        ("unpack", "{home}/run.tar", "--out", "{new}"),
        ("unpack", "{home}/run.tar", "--verify", "--suite", "{home}/suite"),
    ],
    "board write": [("board", "write", "{home}/run.tar", "--suite", "{home}/suite", "--out", "{new}")],
    "board check": [("board", "check", "{home}/run.tar", "--suite", "{home}/suite")],
    "export atif": [("export", "atif", "{home}/run", "--out", "{new}")],
    "export eee": [("export", "eee", "{home}/run", "--out", "{new}")],
    "export otel": [("export", "otel", "{home}/run", "--out", "{new}.jsonl")],
    "import atif": [("import", "atif", "{home}/trajectories", "--suite", "{home}/suite", "--out", "{new}")],
    "family new": [("family", "new", "parcels", "--out", "{new}")],
    "family check": [("family", "check", "fleet_dispatch", "--levels", "0", "--instances", "1")],
    "probe": [("probe", "--model", "{home}/model.toml", "--suite", "{home}/suite")],
}
ELSEWHERE = {"demo", "serve", "tickets", "export hf", "export harbor", "import inspect", "import release", "export release"}
"""Checked where the demo and the authors' release are tested, and in the environments of their extras."""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Suites, a judged run, an archive, trajectories and instances to work on."""
    root = tmp_path_factory.mktemp("json")
    build_small_suite(root / "suite")
    orders = [
        ("build", "--out", root / "private", "--seed", "new", *FLEET),
        ("run", root / "suite", "--agent", "greedy", "--out", root / "run", "--trials", 1),
        ("judge", root / "run"),
        ("measure", "--agent", "greedy", *MEASURED, "--out", root / "measured"),
        ("pack", root / "run", "--out", root / "run.tar"),
        ("export", "atif", root / "run", "--out", root / "trajectories"),
    ]
    for order in orders:
        assert run_here(*order).returncode == 0, order
    (root / "instance.json").write_text(run_here("generate", "fleet_dispatch", "--level", "0").stdout)
    costs = {"activation": {"v": 1}, "load": {"j": 1}, "route_cost": {"v": {"j": 4}}}
    tables = {"family": "fleet_dispatch", "vehicle": ["v"], "job": ["j"], "capacity": {"v": 0}} | costs
    (root / "infeasible.json").write_text(json.dumps(tables))
    (root / "commitment").write_text(run_here("commit", root / "private").stdout.strip())
    return root


def test_page_describes_every_command():
    assert set(schemas()) == {" ".join(words) for words in COMMANDS} == ORDERS.keys() | ELSEWHERE
    assert all(schemas().values())


def test_page_has_the_sections_of_the_help():
    text = run_here("--help").stdout
    assert re.findall(r"^## (.*)$", PAGE.read_text(), re.MULTILINE) == re.findall(r"^([A-Z][a-z ]+):$", text, re.MULTILINE)[1:]


@pytest.mark.parametrize("name", ORDERS)
def test_output_fits_its_schema(home, tmp_path, name, undrawn):
    world = next((home / "suite" / "worlds").glob("fleet*direct")).name
    with Server(lambda conversation: Reply(text="no")) as server:
        (home / "model.toml").write_text(server.toml("chat", prices={"input": 1.0, "output": 2.0}))
        for number, order in enumerate(ORDERS[name]):
            values = {"home": home, "new": tmp_path / str(number), "world": world}
            words = [word.format(**values, commitment=(home / "commitment").read_text()) for word in order]
            done = run_here(*words, "--json", stdin="quit\n", LOOPBACK_KEY=KEY)
            assert done.returncode in (0, 1), done.stderr
            require_schema(name, json.loads(done.stdout))
            assert done.stdout.isascii()


def test_bad_input_prints_no_document():
    done = run_here("solve", "nowhere.json", "--json")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ("{a: integer}", {"a": True}),
        ("{a: integer}", {"a": 1, "b": 2}),
        ("{a: integer, b: string}", {"a": 1}),
        ("{[key]: number}[]", [{"x": "1"}]),
        ("(string | null)[][]", [["a", 1]]),
        ("{a: {b: integer[]}}", {"a": {"b": [1, 2.5]}}),
        ("string[] | null", "text"),
    ],
)
def test_differences_from_a_schema_are_found(schema, value):
    assert find_fault(parse(schema), value) is not None


def test_documents_that_fit_have_no_fault():
    schema = parse("{a: integer | null, b: {[key]: number}[], c: (string | integer)[][]}")
    for value in ({"a": None, "b": [], "c": [["x", 1]]}, {"a": 2, "b": [{"q": 1, "r": 0.5}], "c": []}):
        assert find_fault(schema, value) is None
