"""Input that is edited, hostile or huge: one line with exit code 2, nothing that a terminal interprets, little memory."""

import io
import json
import os
import resource
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from algoworlds.cli.console import SafeConsole
from algoworlds.core.canonical import canonical_json, sha256_hex
from algoworlds.errors import InputError, require_printable
from algoworlds.game.games import PracticeGame
from algoworlds.game.terminal import TerminalGame
from algoworlds.runs.directory import RunDirectory
from algoworlds.runs.journal import encode_line
from algoworlds.suites.manifest import load_manifest
from algoworlds.suites.open import open_suite
from tests.command import COMMAND, ROOT, run_here
from tests.runs.model_runs import build_small_suite

ESCAPE = "\x1b]0;owned\x07\x1b[2J"
CONTROLS = {"\x1b", "\x07", "\x9b", "\u202e", "\r"}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a small suite and a finished run on it."""
    root = tmp_path_factory.mktemp("hostile")
    build_small_suite(root / "suite")
    assert run_here("run", root / "suite", "--agent", "greedy", "--out", root / "run", "--trials", 1).returncode == 0
    return root


def is_refused(done, *words):
    """Whether a command printed one line of error without control characters that contains `words`."""
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), (done.stdout, done.stderr)
    assert not CONTROLS & set(done.stderr)
    return all(word in done.stderr for word in words)


# -- names ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a\x1b[31m", "a\nb", "a\x9b", "\u202eevil", "\x00", "\x7f", "a\tb", 7, None])
def test_names_must_be_printable(name):
    with pytest.raises(InputError, match="names must be printable") as problem:
        require_printable("the name", name)
    assert str(problem.value).isprintable()


def test_ordinary_names_are_printable():
    for name in ("default", "GPT 5.6 (high)", "Größe 日本 🗺", ""):
        assert require_printable("the name", name) == name


@pytest.fixture
def escaped_suite(place, tmp_path):
    """A suite whose name holds terminal escapes, under a manifest that fits its files and states its own root."""
    suite = shutil.copytree(place / "suite", tmp_path / "suite")
    manifest, _ = load_manifest(suite)
    object.__setattr__(manifest, "suite", f"{ESCAPE}mine")
    (suite / "manifest.json").write_text(manifest.text)
    return suite


@pytest.mark.parametrize(
    "order",
    [
        ("verify", "{suite}"),
        ("validate", "{suite}"),
        ("commit", "{suite}"),
        ("worlds", "{suite}"),
        ("run", "{suite}", "--agent", "null", "--out", "{out}"),
        ("play", "fleet_dispatch-0-1", "--suite", "{suite}"),
    ],
)
def test_suite_with_escapes_in_its_name_is_refused(escaped_suite, tmp_path, order):
    done = run_here(*(word.format(suite=escaped_suite, out=tmp_path / "out") for word in order))
    assert is_refused(done, "the suite's name", "owned")
    assert not (tmp_path / "out").exists()


def edit_plan(run, **changes):
    """Change the plan of a run, and its identity with it."""
    path = run / "run.json"
    document = json.loads(path.read_text())
    document["plan"] |= changes
    path.write_text(json.dumps(document | {"identity": sha256_hex(canonical_json(document["plan"]))}))


@pytest.mark.parametrize("command", ["status", "records", "verify-run", "rescore", "judge", "pack"])
@pytest.mark.parametrize("field", ["label", "suite"])
def test_run_with_escapes_in_its_names_is_refused(place, tmp_path, command, field):
    run = shutil.copytree(place / "run", tmp_path / "run")
    value = f"{ESCAPE}me" if field == "label" else {"name": f"{ESCAPE}me", "root": "0" * 64}
    edit_plan(run, **{field: value})
    assert is_refused(run_here(command, run), "names must be printable")


def test_run_with_a_hostile_world_id_is_refused(place, tmp_path):
    run = shutil.copytree(place / "run", tmp_path / "run")
    document = json.loads((run / "run.json").read_text())
    edit_plan(run, prompts=document["plan"]["prompts"] | {f"{ESCAPE}-1-1": "0" * 64})
    document = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(document | {"schedule": [*document["schedule"], [f"{ESCAPE}-1-1", 1]]}))
    assert is_refused(run_here("status", run), "is not a world id")


@pytest.mark.parametrize("field", ["outcome", "stop_reason", "configuration", "world"])
def test_record_with_escapes_in_its_names_is_refused(place, tmp_path, field):
    run = shutil.copytree(place / "run", tmp_path / "run")
    path = min((run / "records").iterdir())
    path.chmod(0o644)
    path.write_text(json.dumps(json.loads(path.read_text()) | {field: f"{ESCAPE}\u202e"}))
    for command in ("status", "records"):
        assert is_refused(run_here(command, run), f"the {field} in ", "names must be printable")
    checked = run_here("verify-run", run)
    assert checked.returncode == 1
    assert not CONTROLS & set(checked.stdout + checked.stderr)


def test_rejects_labels_with_escapes(place, tmp_path):
    order = (
        "run",
        place / "suite",
        "--agent",
        f"{ROOT}/examples/agents/plain.py:play",
        "--label",
        ESCAPE,
        "--out",
        tmp_path / "run",
    )
    assert is_refused(run_here(*order), "the label of the run")
    order = ("play", "fleet_dispatch-0-1", "--suite", place / "suite", "--out", tmp_path / "game", "--name", ESCAPE)
    world = min(entry.id for entry in open_suite(place / "suite").manifest.worlds)
    assert is_refused(run_here("play", world, *order[2:]), "the label of the run")


def test_text_of_a_record_brings_no_escapes(place, tmp_path):
    """What a model wrote stays text: escapes are escaped in JSON lines and removed elsewhere."""
    run = shutil.copytree(place / "run", tmp_path / "run")
    path = min((run / "records").iterdir())
    path.chmod(0o644)
    text = f"{ESCAPE}\x9b31m \u202e \u2028 \r größe"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"texts": [{"turn": 1, "text": text}], "reason": text}))
    printed = run_here("records", run).stdout
    assert not CONTROLS & set(printed)
    assert [json.loads(line) for line in printed.split("\n") if line] == list(RunDirectory(run).read_records())
    for command in (("status", run), ("show", run, json.loads(path.read_text())["world"])):
        done = run_here(*command)
        assert not CONTROLS & set(done.stdout + done.stderr)


# -- the game -------------------------------------------------------------------------------------------------------------


def test_console_prints_no_escapes_of_its_text():
    output = io.StringIO()
    console = SafeConsole(file=output, width=40, force_terminal=True, color_system="truecolor")
    console.print(f"[bold]ours[/] {ESCAPE}theirs \x9b31m\u202e\r")
    assert "\x1b[1mours\x1b[0m" in output.getvalue()
    assert not {"\x07", "\x9b", "\u202e", "\r"} & set(output.getvalue())
    assert output.getvalue().count("\x1b") == 2


def test_game_with_hostile_ids_prints_no_escapes(place):
    """What is typed or pasted is shown as text."""
    suite = open_suite(place / "suite")
    entry = next(entry for entry in suite.manifest.worlds if entry.family == "fleet_dispatch")
    output = io.StringIO()
    episode = suite.play(entry.id).episode
    console = SafeConsole(file=output, width=120, force_terminal=True, color_system=None)
    lines = iter(["read_job \x1b[31mowned", "\x1b[31mowned", 'submit_assignment {"\x1b[31mowned": 1}', "known"])
    TerminalGame(console, PracticeGame(episode, suite.key(entry)), lambda prompt: next(lines, None), True).play()
    assert "owned" in output.getvalue()
    assert not CONTROLS & set(output.getvalue())


@pytest.mark.parametrize(
    "line", [{"turn": 1, "tool": "read_job", "arguments": float("nan")}, {"event": "nothing"}, {"turn": 1}, None, 5]
)
def test_kept_game_with_a_foreign_journal_is_refused(place, tmp_path, line):
    world = min(entry.id for entry in open_suite(place / "suite").manifest.worlds)
    order = ("play", world, "--suite", place / "suite", "--out", tmp_path / "game")
    assert run_here(*order, stdin="quit\n").returncode == 0
    (path,) = (tmp_path / "game" / "journal").iterdir()
    body = json.dumps(line).encode()
    path.write_bytes(path.read_bytes() + sha256(body).hexdigest()[:16].encode() + b" " + body + b"\n")
    assert encode_line({"a": 1}).startswith(sha256(b'{"a":1}').hexdigest()[:16].encode())
    assert is_refused(run_here(*order, stdin="quit\n"), "journal", "restore")


def test_address_of_a_game_is_on_no_command_line(place, tmp_path):
    """The browser is started with the name of a private file that redirects to the address."""
    arguments, content = tmp_path / "arguments", tmp_path / "content"
    browser = tmp_path / "browser"
    show_mode = f"f=${{1#file://}}\nstat -c %a $f > {content}\ncat $f >> {content}"
    browser.write_text(f'#!/bin/sh\necho "$@" > {arguments}.new\n{show_mode}\nmv {arguments}.new {arguments}\n')
    browser.chmod(0o755)
    order = [COMMAND, "play", "fleet_dispatch-0-1", "--browser", "--open", "--json"]
    process = subprocess.Popen(order, stdout=subprocess.PIPE, text=True, env=os.environ | {"BROWSER": str(browser)})
    try:
        address = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")["addresses"][0]
        while not arguments.exists():
            assert process.poll() is None
    finally:
        process.terminate()
        process.communicate()
    token = address.rstrip("/").rsplit("/", 1)[1]
    assert token not in arguments.read_text()
    mode, page = content.read_text().split("\n", 1)
    assert (mode, f"url={address}" in page) == ("600", True)
    assert not Path(arguments.read_text().strip().removeprefix("file://")).exists(), "it is deleted at the end"


# -- checks that an unset variable would switch off -----------------------------------------------------------------------


@pytest.mark.parametrize("root", ["", " ", "0" * 63, "x" * 64, "0" * 65, "latest"])
@pytest.mark.parametrize("order", [("verify", "{suite}"), ("validate", "{suite}"), ("unpack", "{run}.tar", "--out", "{out}")])
def test_root_must_be_a_digest(place, tmp_path, order, root):
    words = [word.format(suite=place / "suite", run=place / "run", out=tmp_path / "out") for word in order]
    for form in (("--root", root), (f"--root={root}",)):
        assert is_refused(run_here(*words, *form), "--root must be a digest of 64 hex digits")


def test_root_is_compared(place):
    root = load_manifest(place / "suite")[0].root
    for spelling in (root, root.upper()):
        assert run_here("verify", place / "suite", "--root", spelling).returncode == 0
    assert run_here("verify", place / "suite", "--root", "0" * 64).returncode == 1


# -- limits ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["/dev/zero", "-"])
def test_endless_input_is_refused_with_little_memory(source):
    limit = 2 * 2**30
    with Path("/dev/zero").open("rb") as zeros:
        done = subprocess.run(
            [COMMAND, "solve", source],
            stdin=zeros,
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        )
    assert is_refused(done, f"{source} is longer than 64 MiB")


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (("build", "--out", "{out}", "--instances", 10**12), "at most 10,000 instances per family and level"),
        (("attack", "--out", "{out}", "--no-prior", "--instances", 10**12), "--instances must be at most 10,000"),
        (("attack", "--out", "{out}", "--no-prior", "--budget", 10**15), "--budget must be at most"),
        (("family", "check", "fleet_dispatch", "--instances", 10**12), "--instances must be at most 10,000"),
        (("stream", "--out", "{out}.jsonl", "--count", 10**15), "--count must be at most"),
        (("run", "{suite}", "--agent", "null", "--out", "{out}", "--trials", 10**15), "at most 1,000,000 evaluations"),
        (("run", "{suite}", "--agent", "null", "--out", "{out}", "--concurrency", 10**15), "--concurrency must be at most"),
        (("validate", "{suite}", "--jobs", 2**31), "--jobs must be at most 1,024"),
        (("probe", "--model", "glm-5.2", "--trials", 10**15), "--trials must be at most"),
    ],
)
def test_huge_numbers_are_refused_in_one_line(place, tmp_path, order, message):
    words = [str(word).format(suite=place / "suite", out=tmp_path / "out") for word in order]
    assert is_refused(run_here(*words), message)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("levels", ["-1", "5", "0,9", "1,-1"])
def test_family_check_refuses_levels_that_do_not_exist(levels):
    assert is_refused(
        run_here("family", "check", "fleet_dispatch", "--levels", levels), "fleet_dispatch has no level", "0, 1, 2, 3, 4"
    )


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (("build", "--out", "{out}", "--families", ""), "--families is empty"),
        (("build", "--out", "{out}", "--families", "fleet_dispatch,"), "--families is empty or has an empty part"),
        (("run", "{suite}", "--agent", "null", "--out", "{out}", "--interfaces", ""), "--interfaces is empty"),
        (("attack", "--out", "{out}", "--no-prior", "--families", ""), "--families is empty"),
        (("stream", "--out", "{out}.jsonl", "--families", ""), "--families is empty"),
        (("generate", "fleet_dispatch", "--seed", ""), "--seed is empty"),
        (("play", "fleet_dispatch-0-1", "--seed", ""), "--seed is empty"),
        (("validate", "{suite}", "--executor", "dask://[::bad"), "no Dask scheduler answers at dask://[::bad"),
        (("export", "otel", "{run}", "--out", ""), ". is a directory: name a file"),
        (("export", "otel", "{run}", "--out", "/"), "/ is a directory: name a file"),
    ],
)
def test_empty_and_odd_values_are_one_line(place, tmp_path, order, message):
    """A variable of the shell that is not set selects nothing by accident."""
    words = [word.format(suite=place / "suite", run=place / "run", out=tmp_path / "out") for word in order]
    assert is_refused(run_here(*words), message)
    assert not list(tmp_path.iterdir())


# -- output ---------------------------------------------------------------------------------------------------------------


def test_reader_that_stops_early_is_no_error(place):
    """Longer than a pipe holds, so that the command meets the closed pipe while it writes."""
    code = (
        "import sys, algoworlds.cli.records as module\n"
        "import algoworlds.runs.directory as directory\n"
        "read = directory.RunDirectory.read_records\n"
        "directory.RunDirectory.read_records = lambda self: [record for record in read(self) for _ in range(500)]\n"
        f"sys.argv = ['algoworlds', 'records', {str(place / 'run')!r}]\n"
        "from algoworlds.cli import main\nmain()\n"
    )
    script = 'set -o pipefail; "$0" -c "$1" | head -n 1 > /dev/null; echo "${PIPESTATUS[0]}"'
    done = subprocess.run(["bash", "-c", script, sys.executable, code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("0\n", "")


# -- edited records -------------------------------------------------------------------------------------------------------

EDITS = {
    "a measure is text": {"attempted_calls": "many"},
    "a measure is infinite": {"regret": float("inf")},
    "the flag is a list": {"exact": []},
    "the cost is text": {"cost": "much"},
    "the tokens are a list": {"tokens": [1]},
    "the trial is a list": {"trial": [1]},
    "there is no outcome": {"outcome": None},
}


@pytest.mark.parametrize("edit", EDITS)
def test_edited_records_are_one_line(place, tmp_path, edit):
    """A command that uses the field refuses the record; no command ends with a traceback."""
    run = shutil.copytree(place / "run", tmp_path / "run")
    path = min((run / "records").iterdir())
    path.chmod(0o644)
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | EDITS[edit]))
    refusals = 0
    for order in (("status", run), ("records", run, "--judged"), ("show", run, record["world"]), ("verify-run", run)):
        done = run_here(*order)
        assert done.returncode in (0, 1, 2), order
        assert "Traceback" not in done.stderr
        refusals += done.returncode == 2 and is_refused(done)
    assert refusals >= 1
    missing = {name: value for name, value in record.items() if name not in EDITS[edit]}
    path.write_text(json.dumps(missing))
    for order in (("status", run), ("records", run, "--judged"), ("show", run, record["world"]), ("verify-run", run)):
        done = run_here(*order)
        assert done.returncode in (0, 1, 2), order
        assert "Traceback" not in done.stderr
